// Tables for people: columns of text that line up.
#pragma once

#include <string>
#include <vector>

namespace algrt {

using TextRow = std::vector<std::string>;

// The first column to the left, all others to the right, two blanks between. All rows have as many cells as
// the first.
std::string textTable(const std::vector<TextRow> &rows);

std::string fixed(double value, int digits);
std::string scientific(double value); // "1.7e-03"

} // namespace algrt
