#include "runtime/cpu/kernels.h"

#include "runtime/cpu/features.h"
#include "runtime/support/error.h"

#include <algorithm>

namespace algrt {

namespace {

std::string reasonNotToRun(const Kernel &kernel) {
  if (kernel.gpuCode())
    return "it is for " + kernel.target + ", and needs tensors on a CUDA device";
  if (!kernel.known)
    return "this runtime has no backend for " + kernel.map + " on " + kernel.target;
#if !ALGRT_HAS_CPU
  return "this runtime was built without the CPU backend (ALGRT_CPU=OFF)";
#else
  const std::vector<std::string> missing = missingCpuFeatures(kernel.features);
  if (missing.empty())
    return "";
  std::string reason = "this CPU lacks";
  for (const std::string &name : missing)
    reason += " " + name;
  return reason;
#endif
}

} // namespace

CpuKernels::CpuKernels(const Bundle &bundle) : bundle_(&bundle) {
  for (const Kernel &kernel : bundle.manifest().kernels)
    lacking_.push_back(reasonNotToRun(kernel));
}

std::string CpuKernels::unusable(size_t index) const {
  const std::string &fault = bundle_->fault(index), &lacking = lacking_[index];
  return fault + (fault.empty() || lacking.empty() ? "" : "; and ") + lacking;
}

bool CpuKernels::usable(size_t index, Map map) const {
  return usable(index) && bundle_->manifest().kernels[index].map == name(map);
}

bool CpuKernels::anyUsable(Map map) const {
  for (size_t i = 0; i < lacking_.size(); ++i)
    if (usable(i, map) && bundle_->fault(i).empty())
      return true;
  return false;
}

bool CpuKernels::anyUsable() const {
  return anyUsable(Map::Forward) || anyUsable(Map::Dx) || anyUsable(Map::Dw);
}

void CpuKernels::refuseAll(const std::string &what) const {
  std::string message = what;
  const std::vector<Kernel> &kernels = bundle_->manifest().kernels;
  if (kernels.empty())
    message += ": it has no kernels at all";
  for (size_t i = 0; i < kernels.size(); ++i)
    if (!usable(i))
      message +=
          std::string(i == 0 ? ": " : "; ") + kernels[i].name + " (" + kernels[i].level + "): " + lacking_[i];
  throw Error(ALGRT_UNSUPPORTED, message + ". Compile the bundle for this machine");
}

size_t CpuKernels::choosePacked() const {
  const std::vector<Kernel> &kernels = bundle_->manifest().kernels;
  for (size_t i = 0; i < kernels.size(); ++i)
    if (usable(i, Map::Forward) && kernels[i].weights == WeightsForm::Packed)
      return i;
  refuseAll("the bundle has no kernel for packed weights that runs on this machine");
}

size_t CpuKernels::chooseUnpacked(Map map, int64_t longest) const {
  const std::vector<Kernel> &kernels = bundle_->manifest().kernels;
  const auto first = [&](WeightsForm form) {
    size_t i = 0;
    while (i < kernels.size() && !(usable(i, map) && kernels[i].weights == form))
      ++i;
    return i;
  };
  const size_t copied = first(WeightsForm::Copied), direct = first(WeightsForm::Direct);
  if (copied < kernels.size() && (direct == kernels.size() || longest > kernels[copied].direct_rows))
    return copied;
  if (direct < kernels.size())
    return direct;
  if (first(WeightsForm::Packed) < kernels.size())
    throw Error(ALGRT_UNSUPPORTED,
                "w: the bundle's kernels for this machine need packed weights: call "
                "algrt_weights_pack, or for a program algrt_program_weights_pack, and pass "
                "its result as weights");
  refuseAll(std::string("the bundle has no kernel of ") + name(map) + " that runs on this machine");
}

size_t CpuKernels::chooseWeightGradient(ElementType output) const {
  const std::vector<Kernel> &kernels = bundle_->manifest().kernels;
  for (size_t i = 0; i < kernels.size(); ++i)
    if (usable(i, Map::Dw) && kernels[i].output == output)
      return i;
  refuseAll(std::string("the bundle has no kernel of dw with results of type ") + name(output) +
            " that runs on this machine");
}

void CpuKernels::requireUsable(int64_t index, Map map, bool packed_weights) const {
  const std::vector<Kernel> &kernels = bundle_->manifest().kernels;
  if (index < 0 || size_t(index) >= kernels.size())
    throw Error(ALGRT_INVALID_ARGUMENT, "kernel is " + std::to_string(index + 1) + ", the bundle has " +
                                            std::to_string(kernels.size()));
  if (!usable(size_t(index)))
    throw Error(ALGRT_UNSUPPORTED, "kernel " + kernels[index].name + ": " + lacking_[size_t(index)]);
  if (kernels[index].map != name(map))
    throw Error(ALGRT_INVALID_ARGUMENT,
                "kernel " + kernels[index].name + " computes " + kernels[index].map + ", not " + name(map));
  if ((kernels[index].weights == WeightsForm::Packed) != packed_weights)
    throw Error(ALGRT_INVALID_ARGUMENT,
                "kernel " + kernels[index].name + " takes " +
                    (packed_weights ? "w, not packed weights" : "packed weights, not w"));
}

int64_t CpuKernels::scratchBytes() const {
  if (!anyUsable()) {
    for (size_t i = 0; i < lacking_.size(); ++i)
      if (usable(i))
        bundle_->requireFaultless(i);
    refuseAll("the bundle has no kernel that runs on this machine");
  }
  int64_t most = 0;
  for (size_t i = 0; i < lacking_.size(); ++i)
    if (usable(i) && bundle_->fault(i).empty())
      most = std::max(most, bundle_->manifest().kernels[i].scratch_bytes);
  return most;
}

CpuKernel CpuKernels::load(size_t index) const {
  const Kernel &kernel = bundle_->manifest().kernels[index];
  bundle_->requireFaultless(index);
  std::lock_guard lock(mutex_);
  std::unique_ptr<SharedObject> &object = loaded_[kernel.section];
  if (!object)
    object = std::make_unique<SharedObject>(
        bundle_->section(*bundle_->manifest().findSection(kernel.section)), kernel.section);
  CpuKernel loaded{&kernel};
  void *symbol = object->symbol(kernel.symbol);
  if (kernel.map == name(Map::Dw)) {
    loaded.weight_gradient = reinterpret_cast<algrt_weight_gradient_kernel>(symbol);
    return loaded;
  }
  loaded.multiply = reinterpret_cast<algrt_product_kernel>(symbol);
  for (const Packing &packing : kernel.packing)
    loaded.pack.push_back(reinterpret_cast<algrt_pack_kernel>(object->symbol(packing.symbol)));
  return loaded;
}

} // namespace algrt
