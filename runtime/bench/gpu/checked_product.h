// One map of one bundle's layer on the device, through the runtime's C interface, with operands to run it
// on and the reference to hold it against.
#pragma once

#include "runtime/bench/api_call.h"
#include "runtime/bench/gpu/operands.h"
#include "runtime/reference/column_sums_check.h"
#include "runtime/reference/sampled_check.h"

#include <memory>
#include <optional>
#include <vector>

namespace algrt {

class CheckedProduct {
public:
  // Loads the bundle's code onto the device and evaluates the reference; `options.seed` is that of the
  // operands too. Throws Error.
  CheckedProduct(const GpuDevice &device, const std::string &bundle_path, Map map, int64_t m,
                 const SampledCheckOptions &options);

  const Bundle &bundle() const { return bundle_; }
  Map map() const { return map_; }
  GpuOperands &operands() { return operands_; }
  // With row 0 at position 0, as in everything that is timed.
  const SampledCheck &reference() const { return checks_.front().reference; }

  // The map by the kernel of that index in the manifest. The call is valid as long as this object.
  GpuCall call(size_t kernel, int64_t p0 = 0);

  // Runs the kernel on a poisoned result, with row 0 at position 0 and, where that differs, in the middle of
  // a period. The outcome of the first that is wrong, or else the one with the largest error.
  CheckOutcome check(size_t kernel, const GpuStream &stream);
  // What the result holds after a call with row 0 at position 0.
  CheckOutcome compareResult(size_t kernel);
  // What is wrong with the gradient of a bias that dw, or the dense product, computes beside; empty where it
  // is right, or where there is none.
  std::string biasGradientObjection(bool of_dense);

private:
  struct PositionCheck {
    int64_t p0;
    SampledCheck reference;
  };
  CheckOutcome compareAt(const SampledCheck &reference, size_t kernel);
  ElementType outputOf(size_t kernel) const { return bundle_.manifest().kernels[kernel].gpu->output; }

  const Bundle bundle_;
  Map map_;
  OpenBundle handle_;
  GpuOperands operands_;
  std::vector<PositionCheck> checks_;
  std::optional<ColumnSumsCheck> bias_gradient_check_;
};

} // namespace algrt
