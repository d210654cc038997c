// The kernels of a bundle as this machine sees them: which can run, which to choose, and their code.
#pragma once

#include "runtime/bundle/bundle.h"
#include "runtime/cpu/shared_object.h"
#include "runtime/kernel_abi.h"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace algrt {

struct CpuKernel {
  const Kernel *description;
  algrt_product_kernel multiply = nullptr;                // of forward and of dx
  std::vector<algrt_pack_kernel> pack = {};               // where the weights are packed: of each layer
  algrt_weight_gradient_kernel weight_gradient = nullptr; // of dw
};

class CpuKernels {
public:
  // The bundle must outlive this object. Nothing is loaded yet.
  explicit CpuKernels(const Bundle &bundle);

  // Why kernel `index` of the manifest is not run here: its fault, what the machine lacks, or both; empty if
  // it is.
  std::string unusable(size_t index) const;
  // What the machine lacks alone: what kernels are chosen by.
  const std::string &lacking(size_t index) const { return lacking_[index]; }
  // Whether any of the map is run, or any at all.
  bool anyUsable(Map map) const;
  bool anyUsable() const;

  // Kernels are chosen by what the manifest says and the machine has. That the code of the chosen one has a
  // fault is found when it is loaded: what is wrong with a bundle is not passed over.

  // Index of the forward kernel for packed weights. Throws Error(ALGRT_UNSUPPORTED) if none runs here.
  size_t choosePacked() const;
  // Index of the map's kernel that reads the user's weight matrix, where no type has more than `longest`
  // rows.
  size_t chooseUnpacked(Map map, int64_t longest) const;
  // Index of the kernel of dw that writes that type. Throws Error(ALGRT_UNSUPPORTED) if none runs here.
  size_t chooseWeightGradient(ElementType output) const;
  // Throws unless kernel `index` exists, is of this map, runs here and reads weights of that form.
  void requireUsable(int64_t index, Map map, bool packed_weights) const;

  // Most scratch per thread that any kernel of any map that is run here needs. Throws Error if none is:
  // ALGRT_UNSUPPORTED, or ALGRT_BAD_BUNDLE where that is for a fault.
  int64_t scratchBytes() const;

  // Loads the code on first use; may be called by many threads at once. Throws Error(ALGRT_BAD_BUNDLE) where
  // it is not what the manifest says of it.
  CpuKernel load(size_t index) const;

private:
  bool usable(size_t index) const { return lacking_[index].empty(); }
  bool usable(size_t index, Map map) const;
  [[noreturn]] void refuseAll(const std::string &what) const;

  const Bundle *bundle_;
  std::vector<std::string> lacking_; // why the machine cannot run it; empty if it can
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::unique_ptr<SharedObject>> loaded_; // by section
};

} // namespace algrt
