// The layers that the tests compile: every kind of algebra, lift, grouping, schedule of types and element
// type.
#pragma once

#include "compiler/spec/spec.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace compiler_test {

// How the features of one side are cut.
enum class Cut {
  Even,    // equal groups of an even width
  Odd,     // equal groups of an odd width
  One,     // equal groups of width 1
  Full,    // equal groups of 32, which fill the panels of narrow register tiles
  Unequal, // any widths from 1 up
};

struct LayerCase {
  std::string name;
  std::string algebra; // an expression, or one of the names that makeSpec knows
  std::string lift = "rows";
  algebras::DataType dtype = algebras::DataType::F32;
  Cut in = Cut::Even, out = Cut::Even;
  std::string row_types = "cyclic";
};

const std::vector<LayerCase> &layerCases();
const LayerCase &layerCase(const std::string &name);
// The same spec on every machine.
compiler::Spec makeSpec(const LayerCase &which);
void PrintTo(const LayerCase &which, std::ostream *stream);

// The CPU levels among x86-64-v3, x86-64-v4 and native that this machine can run.
std::vector<std::string> levelsHere();

} // namespace compiler_test
