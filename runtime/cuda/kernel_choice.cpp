#include "runtime/cuda/kernel_choice.h"

#include "runtime/cuda/launch_plan.h"

#include <algorithm>
#include <compare>
#include <limits>

namespace algrt::cuda {

namespace {

// The larger the better.
struct Kind {
  bool exact; // for that architecture alone
  int32_t architecture;
  int64_t moved; // elements at a time; by the copy engine, more than by any thread
  auto operator<=>(const Kind &) const = default;
};

Kind kindOf(const GpuKernel &kernel) {
  return {kernel.exact_architecture, kernel.architecture,
          kernel.copies == GpuCopies::engine ? std::numeric_limits<int64_t>::max() : kernel.vector};
}

// How far m is from the rows that the kernel was scheduled for: a quotient, so that the nearest is the
// nearest in log2.
double misfit(const RowRange &best, int64_t m) {
  if (best.to == 0)
    return std::numeric_limits<double>::infinity();
  if (m < best.from)
    return double(best.from) / double(m);
  return m > best.to ? double(m) / double(best.to) : 1;
}

OperandViews viewsFor(const KernelShape &shape, const Layer &layer, const ProductRequest &request) {
  return viewOperands(shape, layer.dtype, request.output, request.operands, request.m,
                      request.p0 % shape.period);
}

} // namespace

KernelChoice::KernelChoice(const std::vector<Kernel> &kernels, const Layer &layer,
                           const DeviceProperties &device)
    : kernels_(kernels), layer_(layer), device_(device) {
  for (size_t i = 0; i < kernels.size(); ++i)
    if (kernels[i].gpu && reasonNotToRun(*kernels[i].gpu, device).empty())
      candidates_.push_back({i, kernelShape(layer, *kernels[i].gpu)});
  std::sort(candidates_.begin(), candidates_.end(), [&](const Candidate &a, const Candidate &b) {
    const auto order = kindOf(gpu(a)) <=> kindOf(gpu(b));
    return order != 0 ? order > 0 : a.index < b.index;
  });
}

size_t KernelChoice::choose(const ProductRequest &request) const {
  checkRows(kernelShape(layer_, request.map, 0), request.m, request.p0);
  const Candidate *best = nullptr;
  // Kernels that count the same groups see the operands alike.
  OperandViews views;
  int64_t viewed = -1;
  for (const Candidate &candidate : candidates_) {
    const GpuKernel &kernel = gpu(candidate);
    if (kernel.map != request.map || kernel.output != request.output || kernel.listed != request.listed ||
        (request.dependent_launch && !kernel.dependent_launch))
      continue;
    if (best != nullptr && kindOf(kernel) < kindOf(gpu(*best)))
      break;
    if (best != nullptr &&
        !(misfit(kernel.best_for_rows, request.m) < misfit(gpu(*best).best_for_rows, request.m)))
      continue;
    if (viewed != kernel.groups) {
      views = viewsFor(candidate.shape, layer_, request);
      viewed = kernel.groups;
    }
    if (!findObstacle(kernel, layer_.dtype, request.operands, views, request.m))
      best = &candidate;
  }
  if (best == nullptr)
    refuse(request);
  return best->index;
}

void KernelChoice::refuse(const ProductRequest &request) const {
  std::string reasons;
  const auto add = [&](const Kernel &kernel, const std::string &reason) {
    reasons += (reasons.empty() ? "" : "; ") + kernel.name + ": " + reason;
  };
  const auto wanted = [&](const GpuKernel &kernel) {
    return kernel.map == request.map && kernel.output == request.output && kernel.listed == request.listed;
  };
  std::optional<algrt_status> status;
  for (const Candidate &candidate : candidates_) {
    const GpuKernel &kernel = gpu(candidate);
    if (!wanted(kernel))
      continue;
    const auto obstacle = findObstacle(kernel, layer_.dtype, request.operands,
                                       viewsFor(candidate.shape, layer_, request), request.m);
    if (!status)
      status = obstacle ? obstacle->status() : ALGRT_UNSUPPORTED;
    add(kernels_[candidate.index],
        obstacle ? obstacle->text() : "does not wait for its predecessor by itself: clear dependent_launch");
  }
  for (const Kernel &kernel : kernels_)
    if (kernel.gpu && wanted(*kernel.gpu))
      if (const std::string reason = reasonNotToRun(*kernel.gpu, device_); !reason.empty())
        add(kernel, reason);
  if (reasons.empty())
    throw Error(ALGRT_UNSUPPORTED,
                std::string("the bundle has no kernel ") +
                    (request.map == Map::forward ? "" : std::string("of ") + name(request.map) + " ") +
                    "for CUDA devices that " + (request.listed ? "finds rows in a list and " : "") +
                    "writes " + name(request.output) + ": pass " +
                    kernelShape(layer_, request.map, 0).resultName() +
                    " in the other type, or compile such a kernel");
  if (!status)
    throw Error(ALGRT_WRONG_ARCHITECTURE,
                "no kernel of the bundle runs on this device: " + reasons + ". Compile the bundle for it");
  throw Error(*status, "no kernel of the bundle takes this call: " + reasons);
}

} // namespace algrt::cuda
