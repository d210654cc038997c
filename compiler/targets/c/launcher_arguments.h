// What a launcher in C is given, and what of it never changes: from the parameter list of its kernel.
#pragma once

#include "runtime/bundle/gpu_kernel.h"
#include "runtime/bundle/layer.h"
#include "runtime/cuda/operand_view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace compiler {

/// A matrix that maps of the kernel show.
struct LauncherMatrix {
  std::string name;
  bool is_result;
  algrt::ElementType type;
  int64_t columns, rows; // rows: 0 for those of the batch
  int64_t unit;          // bytes that its address and the distance of its rows are multiples of
  bool by_engine;
  algrt::cuda::ViewsOfOperand views; // of one row, the rows of a weight matrix one behind the other
  algrt::GpuBox box;
};

/// What is passed as it is: an address of numbers for each column, or a number.
struct LauncherValue {
  algrt::ParameterValue value;
  std::string name;
  int64_t element_bytes; // where it is an address; 0 where it is a number
};

/// The tables and functions of a launcher that depend on what its kernel takes.
class LauncherArguments {
public:
  /// Throws Failure naming the parameter where the list has one that a launcher in C does not have.
  LauncherArguments(const algrt::Layer &layer, const algrt::GpuKernel &kernel);

  size_t matrixCount() const { return matrices_.size(); }
  /// Of the first result among the matrices.
  size_t result() const;
  /// "x_kernel *kernel, const void *x, int64_t ldx, ..., void *stream", where "@" stands for the identifier.
  std::string signature() const;
  /// Lines of a comment, one for each operand.
  std::string comment() const;
  /// The arrays `operands` and `maps`.
  std::string tables() const;
  /// The struct `arguments` and the function set_parameters.
  std::string parameters() const;
  /// NAME_launch and NAME_launch_dependent.
  std::string launches() const;

private:
  std::string launch(const char *name, bool dependent) const;

  algrt::KernelParameters list_;
  std::vector<LauncherMatrix> matrices_;
  std::vector<LauncherValue> values_;
};

} // namespace compiler
