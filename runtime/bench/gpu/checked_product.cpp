#include "runtime/bench/gpu/checked_product.h"

#include <algorithm>

namespace algrt {

namespace {

// A position in the middle of a period and, for intervals, of a run: what a kernel does with an offset.
int64_t unevenPosition(const Layer &layer) {
  if (layer.lift == Lift::Slots || layer.types == 1)
    return 0;
  return layer.types / 2 * layer.row_type_width + layer.row_type_width / 2 + 1;
}

} // namespace

CheckedProduct::CheckedProduct(const GpuDevice &device, const std::string &bundle_path, Map map, int64_t m,
                               const SampledCheckOptions &options)
    : bundle_(Bundle::open(bundle_path)), map_(map), handle_(openBundle(bundle_path)),
      operands_(device, bundle_, map, m, options.seed) {
  // Before anything is captured: a capture may not load code.
  requireDone(algrt_bundle_prepare(handle_.get(), device.ordinal()));
  if (operands_.hasBiasGradient())
    bias_gradient_check_.emplace(operands_.hostSecond(), m, bundle_.layer().n);
  std::vector<int64_t> positions = {0};
  if (int64_t uneven = unevenPosition(bundle_.layer()); uneven != 0)
    positions.push_back(uneven);
  for (int64_t p0 : positions) {
    SampledCheckOptions at = options;
    at.map = map;
    at.p0 = p0;
    checks_.push_back({p0, SampledCheck(bundle_, m, operands_.hostFirst(), operands_.hostSecond(), at,
                                        operands_.hostBias())});
  }
}

GpuCall CheckedProduct::call(size_t kernel, int64_t p0) {
  return [this, kernel, p0](void *stream) {
    requireDone(operands_.run(handle_.get(), {kernel, outputOf(kernel), p0, stream}));
  };
}

CheckOutcome CheckedProduct::check(size_t kernel, const GpuStream &stream) {
  CheckOutcome largest;
  for (const PositionCheck &at : checks_) {
    operands_.poisonResult();
    call(kernel, at.p0)(stream.get());
    stream.synchronize();
    CheckOutcome outcome = compareAt(at.reference, kernel);
    if (!outcome.right()) {
      if (at.p0 != 0)
        outcome.failure += ", with row 0 at position " + std::to_string(at.p0);
      return outcome;
    }
    if (outcome.relative_l2 >= largest.relative_l2)
      largest = outcome;
  }
  return largest;
}

CheckOutcome CheckedProduct::compareAt(const SampledCheck &reference, size_t kernel) {
  CheckOutcome outcome = reference.compare(operands_.result(outputOf(kernel)), outputOf(kernel));
  if (outcome.right())
    outcome.failure = biasGradientObjection(/*of_dense=*/false);
  return outcome;
}

CheckOutcome CheckedProduct::compareResult(size_t kernel) { return compareAt(reference(), kernel); }

std::string CheckedProduct::biasGradientObjection(bool of_dense) {
  return bias_gradient_check_ ? bias_gradient_check_->objection(operands_.biasGradient(of_dense)) : "";
}

} // namespace algrt
