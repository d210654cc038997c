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
  int64_t moved;
  auto operator<=>(const Kind &) const = default;
};

Kind kindOf(const GpuKernel &kernel, int64_t moved) {
  return {kernel.exact_architecture, kernel.architecture, moved};
}

int64_t movedBy(const GpuKernel &kernel) {
  return kernel.copies == GpuCopies::Engine ? std::numeric_limits<int64_t>::max() : kernel.vector;
}

// What the kernels of the same map, result and architecture that are no vector reductions move at most; of
// single elements, of course, one.
int64_t movedBeside(const std::vector<Kernel> &kernels, const GpuKernel &reduction) {
  int64_t most = reduction.vector;
  for (const Kernel &kernel : kernels)
    if (reduction.vector > 1 && kernel.gpu && !kernel.gpu->isReduction() &&
        kernel.gpu->map == reduction.map && kernel.gpu->output == reduction.output &&
        kernel.gpu->architecture == reduction.architecture)
      most = std::max(most, movedBy(*kernel.gpu));
  return most;
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

// Whether a vector reduction suits m rows at positions better than a kernel that finds them in a list, by
// what each was scheduled for. Rows that both were scheduled for are the reduction's: the other one needs a
// launch before it for the list.
bool isAhead(const RowRange &reduction, RowRange listed, int64_t m) {
  if (listed.to != 0 && listed.from <= reduction.to)
    listed.from = listed.to;
  return listed.to <= reduction.to || misfit(reduction, m) <= misfit(listed, m);
}

OperandViews viewsFor(KernelShape shape, const Layer &layer, const ProductRequest &request) {
  shape.networks = std::max<int64_t>(request.operands.experts, 1);
  return viewOperands(shape, layer.dtype, request.output, request.operands, request.m,
                      request.p0 % shape.period);
}

} // namespace

KernelChoice::KernelChoice(const std::vector<Kernel> &kernels, const Layer &layer,
                           const DeviceProperties &device)
    : kernels_(kernels), layer_(layer), device_(device) {
  for (size_t i = 0; i < kernels.size(); ++i)
    if (kernels[i].gpu && reasonNotToRun(*kernels[i].gpu, device).empty())
      candidates_.push_back(
          {i, kernelShape(layer, *kernels[i].gpu),
           kernels[i].gpu->isReduction() ? movedBeside(kernels, *kernels[i].gpu) : movedBy(*kernels[i].gpu)});
  std::sort(candidates_.begin(), candidates_.end(), [&](const Candidate &a, const Candidate &b) {
    const auto order = kindOf(gpu(a), a.moved) <=> kindOf(gpu(b), b.moved);
    return order != 0 ? order > 0 : a.index < b.index;
  });
}

bool KernelChoice::isOfWorseKind(const Candidate &one, const Candidate &other) const {
  return kindOf(gpu(one), one.moved) < kindOf(gpu(other), other.moved);
}

const KernelChoice::Candidate *KernelChoice::bestAmong(const ProductRequest &request,
                                                       bool (*takes)(const GpuKernel &kernel)) const {
  const Candidate *best = nullptr;
  // Kernels that count the same groups and find rows in the same way see the operands alike.
  OperandViews views;
  std::optional<std::pair<int64_t, RowAccess>> viewed;
  for (const Candidate &candidate : candidates_) {
    const GpuKernel &kernel = gpu(candidate);
    if (kernel.map != request.map || kernel.output != request.output || !takes(kernel) ||
        kernel.takesExperts() != (request.operands.experts > 0) ||
        (request.dependent_launch && !kernel.dependent_launch))
      continue;
    if (best != nullptr && isOfWorseKind(candidate, *best))
      break;
    if (best != nullptr &&
        !(misfit(kernel.best_for_rows, request.m) < misfit(gpu(*best).best_for_rows, request.m)))
      continue;
    if (const std::pair seen{kernel.groups, kernel.rowAccess()}; viewed != seen) {
      views = viewsFor(candidate.shape, layer_, request);
      viewed = seen;
    }
    if (!findObstacle(layer_, kernel, request.operands, views, request.m,
                      request.p0 % candidate.shape.period))
      best = &candidate;
  }
  return best;
}

bool KernelChoice::listsFit(const GpuKernel &kernel, const ProductRequest &request) const {
  const int64_t experts = request.operands.experts;
  const auto lister =
      std::ranges::find_if(kernels_, [](const Kernel &one) { return one.group_rows.has_value(); });
  return lister != kernels_.end() && experts <= mostListedTypes(lister->group_rows->threads) / layer_.types &&
         numbersTilesOfExperts(layer_, kernel, experts, request.m);
}

size_t KernelChoice::choose(const ProductRequest &request) const {
  checkRows(kernelShape(layer_, request.map, 0), request.m, request.p0);
  const auto is_listed = [](const GpuKernel &kernel) { return kernel.listed; };
  const auto is_reduction = [](const GpuKernel &kernel) { return kernel.isReduction(); };
  const auto counts_from_offset = [](const GpuKernel &kernel) { return !kernel.listed; };
  const bool of_experts = request.operands.experts > 0;
  const Candidate *best = bestAmong(request, request.listed || of_experts ? +is_listed : +counts_from_offset);
  // More experts or rows than lists can have are for vector reductions, where there are any.
  const bool lists_fit = !of_experts || best == nullptr || listsFit(gpu(*best), request);
  if (request.positions || of_experts) {
    const Candidate *reduction = bestAmong(request, is_reduction);
    if (reduction != nullptr && (best == nullptr || !lists_fit ||
                                 isAhead(gpu(*reduction).best_for_rows, gpu(*best).best_for_rows, request.m)))
      best = reduction;
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
    return kernel.map == request.map && kernel.output == request.output &&
           kernel.takesExperts() == (request.operands.experts > 0) &&
           (kernel.listed == request.listed || request.operands.experts > 0 ||
            (request.positions && kernel.isReduction()));
  };
  std::optional<algrt_status> status;
  for (const Candidate &candidate : candidates_) {
    const GpuKernel &kernel = gpu(candidate);
    if (!wanted(kernel))
      continue;
    const auto obstacle =
        findObstacle(layer_, kernel, request.operands, viewsFor(candidate.shape, layer_, request), request.m,
                     request.p0 % candidate.shape.period);
    if (!status)
      status = obstacle ? obstacle->status() : ALGRT_UNSUPPORTED;
    add(kernels_[candidate.index],
        obstacle ? obstacle->text() : "does not wait for its predecessor by itself: clear dependent_launch");
  }
  for (const Kernel &kernel : kernels_)
    if (kernel.gpu && wanted(*kernel.gpu))
      if (const std::string reason = reasonNotToRun(*kernel.gpu, device_); !reason.empty())
        add(kernel, reason);
  if (reasons.empty() && request.operands.experts > 0)
    throw Error(ALGRT_UNSUPPORTED,
                "the bundle has no kernel for CUDA devices whose rows are divided among "
                "experts, of this map, type of the result and row types: compile a program "
                "with --experts");
  if (reasons.empty() && std::ranges::any_of(kernels_, [](const Kernel &kernel) {
        return kernel.gpu && kernel.gpu->takesExperts();
      }))
    throw Error(ALGRT_UNSUPPORTED,
                "the kernels of the bundle for CUDA devices divide rows among experts: say "
                "where those of each begin, or compile without --experts");
  if (reasons.empty())
    throw Error(ALGRT_UNSUPPORTED,
                std::string("the bundle has no kernel ") +
                    (request.map == Map::Forward ? "" : std::string("of ") + name(request.map) + " ") +
                    "for CUDA devices that " + (request.listed ? "finds rows in a list and " : "") +
                    "writes " + name(request.output) + ": pass " +
                    kernelShape(layer_, request.map, 0).resultName() +
                    " in the other type, or compile such a kernel" +
                    (request.positions && request.map == Map::Forward
                         ? ", or one of vector reductions, as with --m 1,2048"
                         : ""));
  if (!status)
    throw Error(ALGRT_WRONG_ARCHITECTURE,
                "no kernel of the bundle runs on this device: " + reasons + ". Compile the bundle for it");
  throw Error(*status, "no kernel of the bundle takes this call: " + reasons);
}

} // namespace algrt::cuda
