// The tensors of one call of a program, checked against its signature.
#pragma once

#include "runtime/algrt.h"
#include "runtime/api/tensor.h"
#include "runtime/bundle/program.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace algrt {

// A tensor of a call in memory.
struct PlacedTensor {
  const ProgramOperand *operand;
  MatrixView view; // its leading extents joined
  int64_t element_bytes;

  const char *name() const { return operand->name.c_str(); }
};

class ProgramCall {
public:
  // Throws Error(ALGRT_INVALID_ARGUMENT) naming the tensor that is missing, unknown, given twice, or of
  // another type or shape than the signature says. Strides and memory are looked at when the steps are run.
  ProgramCall(const Program &program, const algrt_named_tensor *tensors, int64_t count);

  // nullptr where the call has none of that name.
  const algrt_named_tensor *find(std::string_view name) const;
  // What a symbol stands for; 0 where no tensor has it.
  int64_t valueOf(const std::string &symbol) const;
  int64_t rows() const { return valueOf("M"); }
  // Where all tensors have to be but numbers that steps are launched with.
  DLDevice device() const { return device_; }
  // All of them but packed weights, in the order of the signature.
  std::vector<PlacedTensor> placedTensors() const;
  // Throws Error(ALGRT_INVALID_ARGUMENT) where an output is in the memory of an operand that is read, or of
  // another output.
  void requireDisjointOutputs() const;

private:
  void check(const ProgramOperand &operand, const DLTensor &tensor);
  // Whether the extent is that long, with a symbol that has the value it has elsewhere.
  bool agrees(const Extent &extent, int64_t length, std::map<std::string, int64_t> &symbols) const;

  const Program &program_;
  std::map<std::string, const algrt_named_tensor *, std::less<>> tensors_;
  std::map<std::string, int64_t> symbols_;
  std::map<std::string, std::string> first_; // the tensor that gave a symbol its value
  DLDevice device_{kDLCPU, 0};
};

} // namespace algrt
