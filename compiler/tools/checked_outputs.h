// What a program of a bundle computes beside its definition.
#pragma once

#include "compiler/tools/expert_division.h"
#include "compiler/tools/program_arrays.h"
#include "runtime/reference/compare.h"

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace compiler {

// One output, and the relative L2 error that it may have: it grows with the layers that round one after
// another, and where sums cancel.
struct CheckedOutput {
  std::string name;
  algrt::Comparison comparison;
  double limit;
  bool passed() const { return comparison.within(limit); }
};

// What the program's definition, which the bundle holds, gives for the arrays that it reads. Throws Failure
// where the bundle has none, where an optional operand is given, and what ProgramTools::evaluate throws;
// AbsentError in a build without the compiler. The rows may be divided among experts.
ReferenceArrays expectedOutputs(const algrt::Bundle &bundle, const algrt::Program &program,
                                const ProgramArrays &arrays, int64_t p0, const ProgramTools &tools,
                                const ExpertDivision &division = {});

// How many layers of a step round one after another: two of a kernel of two layers, one of any other.
using LayersOfStep = std::function<int64_t(const algrt::ProgramStep &)>;
LayersOfStep layersOfSteps(const algrt::Bundle &bundle); // refers to the bundle

// The outputs that are among the arrays.
std::vector<CheckedOutput> compareOutputs(const algrt::Program &program, const ProgramArrays &arrays,
                                          const ReferenceArrays &expected, const LayersOfStep &layers_of);

// Three times the mean relative L2 distance to which roundings that fall otherwise take numbers; `moved` says
// what a draw of such roundings makes of them.
double distanceByRounding(const std::vector<double> &values,
                          const std::function<std::vector<double>(unsigned draw)> &moved);

// The outputs for operands by their definition, with numbers on the way that a draw has rounded otherwise.
using EvaluateDraw = std::function<ReferenceArrays(const ReferenceArrays &operands, unsigned draw)>;

// Raises the limits of outputs, where one is beyond its own, to how far rounding may take them.
void allowForRounding(std::vector<CheckedOutput> &checked, const algrt::Program &program,
                      const ReferenceArrays &operands, const ReferenceArrays &expected,
                      const LayersOfStep &layers_of, const EvaluateDraw &evaluate);

// Compares outputs that were computed from the arrays with what expectedOutputs gave for these. Where one is
// further away than its limit, the definition says how far rounding may take it: it is computed again for
// operands, and numbers on the way, that are rounded otherwise, up or down by half a unit in the last place.
// A sum of numbers of either sign that cancel, as the gradient of a single number is, moves with that; what a
// wrong kernel writes does not.
std::vector<CheckedOutput> checkOutputs(const algrt::Bundle &bundle, const algrt::Program &program,
                                        const ProgramArrays &arrays, const ReferenceArrays &expected,
                                        int64_t p0, const ProgramTools &tools,
                                        const ExpertDivision &division = {});

std::string checkText(const std::vector<CheckedOutput> &checked);
nlohmann::ordered_json checkJson(const std::vector<CheckedOutput> &checked);
// Throws Failure that names the first output that is wrong.
void requireRight(const std::vector<CheckedOutput> &checked);

} // namespace compiler
