// A step of a call: tensors in the place of its function's operands, and what it has of the call.
#pragma once

#include "runtime/api/handles.h"
#include "runtime/api/products.h"
#include "runtime/api/row_arguments.h"

#include <map>
#include <string>
#include <string_view>

namespace algrt {

struct StepCall {
  // By the names that the function has; those that the call leaves out are not there.
  std::map<std::string, const algrt_named_tensor *, std::less<>> operands;
  DLDevice device; // where all tensors have to be but numbers that the step is launched with
  int64_t p0, sequence_rows;
  void *stream, *workspace; // the step's alone while it runs
  size_t workspace_bytes;
  int32_t threads;
  int32_t kernel; // 0 = choose; otherwise 1 + the number that the function has for it
  bool dependent_launch;
  float beta;
  PlaceInProgram place;

  // nullptr where the call leaves it out.
  const algrt_named_tensor *find(std::string_view operand) const;
  // The same; nullptr also where packed weights are given.
  const DLTensor *tensor(std::string_view operand) const;
  RowArguments rows() const;
};

// Throw Error. What they say begins with the names of the function's operands.
void runProjectionStep(const LoadedProjection &projection, Map map, const StepCall &call);
// Of a projection whose layer is fused.
void runFusedStep(const LoadedProjection &projection, Map map, const StepCall &call);

} // namespace algrt
