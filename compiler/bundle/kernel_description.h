// Kernels for GPUs as the manifest has them (docs/bundle.md), but for where their images are.
#ifndef ALGCTL_COMPILER_BUNDLE_KERNEL_DESCRIPTION_H
#define ALGCTL_COMPILER_BUNDLE_KERNEL_DESCRIPTION_H

#include "runtime/bundle/manifest.h"

#include <nlohmann/json_fwd.hpp>

namespace compiler {

/// Of one beside the product: group_rows, dbias.
nlohmann::ordered_json auxiliaryJson(const algrt::Kernel &kernel);

/// Of a product.
nlohmann::ordered_json gpuKernelJson(const algrt::Kernel &kernel);

} // namespace compiler

#endif
