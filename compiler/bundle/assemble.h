// Puts compiled kernels, the algebra's facts and the layer together into a bundle (docs/bundle.md).
#ifndef ALGCTL_COMPILER_BUNDLE_ASSEMBLE_H
#define ALGCTL_COMPILER_BUNDLE_ASSEMBLE_H

#include "compiler/spec/spec.h"
#include "compiler/targets/cpu/level.h"
#include "runtime/bundle/manifest.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace compiler {

/// What the manifest says about one function of a lowered module.
struct KernelRecord {
  std::string function; ///< its name, "forward_packed" and so on
  std::string map;      ///< "forward", "dx", "dw"
  std::string weights;  ///< "packed", "copied", "direct"; "pack" for a packing kernel; empty for dw
  std::int64_t types_per_task = 0, rows_per_task = 0;
  std::int64_t scratch_bytes = 0;
  std::int64_t packed_bytes = 0; ///< of a packing kernel
  std::int64_t pack_tasks = 0;   ///< of a packing kernel
  std::int64_t register_rows = 0, register_columns = 0;
  std::int64_t tasks = 0; ///< of a kernel of dw
  std::string output;     ///< of a kernel of dw: "f32", "bf16"
};

/// Reads the attributes that convert-tile-to-cpu left on the functions of a module.
std::vector<KernelRecord> recordKernels(mlir::ModuleOp module);

class BundleParts {
public:
  void addCpu(const CpuLevel &level, const std::vector<KernelRecord> &kernels, std::string shared_object);
  /// The kernel's images are those given; an empty cubin is none.
  void addGpu(const algrt::Kernel &kernel, std::string ptx, std::string cubin);
  /// Throws algrt::Error when the file cannot be written.
  void write(const std::string &path, const Spec &spec) const;

private:
  struct CpuPart {
    CpuLevel level;
    std::vector<KernelRecord> kernels;
    std::string shared_object;
  };
  struct GpuPart {
    algrt::Kernel kernel;
    std::string ptx, cubin;
  };
  std::vector<CpuPart> parts;
  std::vector<GpuPart> gpu_parts;
};

} // namespace compiler

#endif
