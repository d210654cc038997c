#include "runtime/bench/text_table.h"

#include <algorithm>
#include <cstdio>

namespace algrt {

namespace {

// Code points, so that columns with ± line up.
size_t width(const std::string &text) {
  return size_t(std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

} // namespace

std::string textTable(const std::vector<TextRow> &rows) {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const TextRow &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width(row[i]));
  std::string text;
  for (const TextRow &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width(row[i]), ' ');
      line += (i == 0 ? "" : "  ") + (i == 0 ? row[i] + padding : padding + row[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, value);
  return text;
}

std::string scientific(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.1e", value);
  return text;
}

} // namespace algrt
