// Kernels for GPUs as the manifest has them (docs/bundle.md), but for where their images are.
#pragma once

#include "runtime/bundle/manifest.h"

#include <nlohmann/json_fwd.hpp>

namespace compiler {

/// Of group_rows.
nlohmann::ordered_json groupRowsJson(const algrt::Kernel &kernel);

/// Of a product.
nlohmann::ordered_json gpuKernelJson(const algrt::Kernel &kernel);

} // namespace compiler
