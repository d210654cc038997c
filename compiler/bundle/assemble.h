// Puts compiled kernels, the facts about algebras, and layers or programs together into a bundle
// (docs/bundle.md).
#pragma once

#include "compiler/bundle/bundle_contents.h"
#include "compiler/schedule/cpu_level.h"
#include "runtime/bundle/manifest.h"
#include "runtime/bundle/writer.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace compiler {

/// The kernels of a module for a CPU level, as the manifest describes them, by the attributes that
/// convert-tile-to-cpu left on its functions. Their sections are not set.
std::vector<algrt::Kernel> cpuKernels(mlir::ModuleOp module, const CpuLevel &level);

class BundleParts {
public:
  /// Kernels of one level of a projection, all in one shared object.
  void addCpu(const std::string &projection, const std::string &level,
              const std::vector<algrt::Kernel> &kernels, std::string shared_object);
  /// The kernel's images are those given; an empty cubin is none.
  void addGpu(const std::string &projection, const algrt::Kernel &kernel, std::string ptx, std::string cubin);
  /// A kernel of an element-wise function, and the sections that it names.
  void addElementwise(const std::string &function, algrt::ElementwiseKernel kernel,
                      std::vector<algrt::SectionContent> sections);
  /// The bytes of the bundle. Throws algrt::Error for code that does not say of itself what the manifest
  /// would.
  std::string encode(const BundleContents &contents) const;

private:
  class Writer;
  /// The programs of the bundle's own projection: one for each map of which there are kernels.
  std::vector<algrt::Program> programsOfMaps(const algrt::Layer &layer) const;
  struct CpuPart {
    std::string projection;
    std::string level;
    std::vector<algrt::Kernel> kernels;
    std::string shared_object;
  };
  struct GpuPart {
    std::string projection;
    algrt::Kernel kernel;
    std::string ptx, cubin;
  };
  struct ElementwisePart {
    std::string function;
    algrt::ElementwiseKernel kernel;
    std::vector<algrt::SectionContent> sections;
  };
  std::vector<CpuPart> parts_;
  std::vector<GpuPart> gpu_parts_;
  std::vector<ElementwisePart> elementwise_parts_;
};

} // namespace compiler
