// What commands do with programs of the alg dialect, which needs the compiler.
#pragma once

#include "compiler/pipeline/program_plan.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace compiler {

// A tensor of any rank, its last dimension fastest; a number has no dimensions.
struct ReferenceArray {
  std::vector<int64_t> shape;
  std::vector<double> values;
};
using ReferenceArrays = std::map<std::string, ReferenceArray>;

// Where the rows of a batch are: row r at `first` + r, or where it says of each, if it does of any.
struct ReferencePositions {
  ReferencePositions(int64_t first) : first(first) {}
  explicit ReferencePositions(std::vector<int64_t> each) : first(0), each(std::move(each)) {}

  int64_t first;
  std::vector<int64_t> each;
};

// Each is empty in a build without the compiler.
struct ProgramTools {
  // The kernels and steps of a spec's programs. Throws as planProgram does.
  std::function<ProgramPlan(const Spec &spec, const CompileOptions &options)> plan;
  // The outputs of a program of a module's text by its definition, in double precision, for operands by their
  // names and the positions of the rows. With a rounding above 0, the number of a draw, every number that is
  // rounded to bf16 on the way is moved by half a unit in the last place, up or down. Throws Failure where
  // the module has no such program, or where operands do not fit it.
  std::function<ReferenceArrays(const std::string &text, const std::string &program,
                                const ReferenceArrays &operands, const ReferencePositions &positions,
                                unsigned rounding)>
      evaluate;
  // The program of what stands between the products of a feed-forward network, without its biases: arguments
  // gate, where there is one, and up; result h.
  std::function<ProgramFile(const Swiglu &network)> activation;
};

// reference_program.cpp; defined only where there is a compiler.
ProgramTools programTools();

} // namespace compiler
