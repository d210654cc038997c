// The kernels of feed-forward networks on the host: what a launch of the runtime leaves in memory by the
// definition of the step that it is of. For tests of what is done with such kernels, not of the kernels.
#pragma once

#include "runtime/bundle/bundle.h"
#include "tests/runtime/cuda_stand_in/control.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace device_test {

/// Which kernel of which bundle is launched, for which step of the program "forward".
struct RunningKernel {
  std::string bundle;    ///< its file's name
  std::string kernel;    ///< its name, or that of the element-wise function
  size_t number = 0;     ///< among the kernels of that map or function
  size_t step = 0;       ///< the first one that calls it
  uint64_t argument = 0; ///< where its batch begins
};

class NetworkKernels {
public:
  /// Takes the stand-in's launches from now on.
  NetworkKernels();
  ~NetworkKernels();
  NetworkKernels(const NetworkKernels &) = delete;

  /// Launches of this bundle's kernels are known from now on. Of the same code in two bundles, it is that of
  /// the first.
  void open(const std::string &path);

  /// How much longer than any launch one of this kernel takes; may be empty.
  std::function<double(const RunningKernel &)> microseconds;
  /// Whether an element of a product's result is left as it was; may be empty.
  std::function<bool(const RunningKernel &, size_t element)> forgets;
  /// What becomes of a result in bf16 after it has been written; may be empty.
  std::function<void(const RunningKernel &, uint16_t *result)> spoil;
  std::vector<RunningKernel> ran;

private:
  struct Step;
  void launch(const algrt::cuda_stand_in::Launch &launched);
  void product(const Step &step, const algrt::cuda_stand_in::Launch &launched);
  void elementwise(const Step &step, const algrt::cuda_stand_in::Launch &launched);
  void finish(RunningKernel running, bool bf16, uint64_t argument, uint64_t result);

  std::vector<std::unique_ptr<algrt::Bundle>> bundles_;
  std::vector<Step> steps_;
};

} // namespace device_test
