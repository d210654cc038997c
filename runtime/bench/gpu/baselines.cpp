#include "runtime/bench/gpu/baselines.h"

#include "runtime/reference/compare.h"
#include "runtime/reference/dense_check.h"

namespace algrt {

GpuBaselines::GpuBaselines(const GpuDevice &device, const GpuStream &stream, GpuTrials &trials,
                           uint64_t workspace_bytes, uint64_t seed)
    : device_(device), stream_(stream), trials_(trials), seed_(seed),
      cublaslt_(CublasLt::open(dense_library_)), cublas_(Cublas::open(composition_library_)) {
  if (cublaslt_ || cublas_)
    workspace_ = std::make_unique<GpuMemory>(device, workspace_bytes, "the dense library's workspace");
}

double GpuBaselines::denseMacsPerSecond(int64_t size) {
  return cublaslt_ ? gpuDenseMacsPerSecond(device_, *cublaslt_, workspace(), trials_, size) : 0;
}

BestGpuDense GpuBaselines::dense(CheckedProduct &product, std::string &found) {
  GpuOperands &operands = product.operands();
  const GpuDenseOperands dense = operands.dense();
  operands.poisonDenseResult();
  BestGpuDense best = fastestGpuDense(*cublaslt_, dense, workspace(), trials_);
  if (!best.product) {
    found = dense_library_ + ": no candidate for this shape";
    for (const std::string &refusal : best.refused)
      found += "; " + refusal;
    return {};
  }
  best.product->enqueue(stream_.get());
  stream_.synchronize();
  found = best.product->name();
  const double error = sampledDenseError(operands.denseCheck(), seed_);
  if (const std::string objection = product.biasGradientObjection(/*of_dense=*/true); !objection.empty()) {
    found += ": " + objection;
    return {};
  }
  if (error <= tolerance(true))
    return best;
  found += " computes something else than the product: relative L2 error " + std::to_string(error);
  return {};
}

BestGpuDense GpuBaselines::fastest(const GpuDenseOperands &operands) {
  return fastestGpuDense(*cublaslt_, operands, workspace(), trials_);
}

std::unique_ptr<GpuDenseProduct> GpuBaselines::likeThat(const GpuDenseProduct &product,
                                                        const GpuDenseOperands &operands) {
  std::vector<std::unique_ptr<GpuDenseProduct>> candidates =
      cublaslt_->candidates(operands, workspace(), most_candidates);
  for (std::unique_ptr<GpuDenseProduct> &candidate : candidates)
    if (candidate->name() == product.name())
      return std::move(candidate);
  return candidates.empty() ? nullptr : std::move(candidates.front());
}

BestGpuDense GpuBaselines::composition(CheckedProduct &product, int64_t m, std::string &found,
                                       double &relative_l2) {
  found = composition_library_;
  if (product.bundle().layer().bias) {
    found += ": products of blocks add no bias";
    return {};
  }
  GpuOperands &operands = product.operands();
  const Bundle &bundle = product.bundle();
  int64_t rounds = 0;
  std::vector<std::unique_ptr<GpuDenseProduct>> ways;
  try {
    const BlockProduct blocks = composeOfBlocks(bundle.layer(), bundle.support(), m);
    rounds = int64_t(blocks.rounds.size());
    ways = cublas_->compositions(device_, blocks, operands.blocks(), workspace());
  } catch (const Error &error) {
    if (error.status() != ALGRT_UNSUPPORTED)
      throw;
    found += std::string(": ") + error.what();
    return {};
  }
  BestGpuDense best = fastestOf(std::move(ways), trials_);
  if (!best.product) {
    for (const std::string &refusal : best.refused)
      found += "; " + refusal;
    return {};
  }
  operands.poisonDenseResult();
  best.product->enqueue(stream_.get());
  stream_.synchronize();
  const CheckOutcome outcome = product.reference().compare(operands.denseResult(), ElementType::Bf16, rounds);
  found = best.product->name();
  relative_l2 = outcome.relative_l2;
  if (outcome.right())
    return best;
  found += " computes something else than the product: " + outcome.failure;
  return {};
}

} // namespace algrt
