// A layer as bundles and the runtime know it.
#ifndef ALGCTL_COMPILER_BUNDLE_LAYER_DESCRIPTION_H
#define ALGCTL_COMPILER_BUNDLE_LAYER_DESCRIPTION_H

#include "algebras/layer.h"
#include "runtime/bundle/support.h"

#include <nlohmann/json.hpp>
#include <string>

namespace compiler {

/// The manifest's "layer" (docs/bundle.md).
nlohmann::ordered_json layerJson(const algebras::Layer &layer);

/// The bytes of the terms section, for a layer whose support is not complete.
std::string encodeSupport(const algebras::Lift &lift);

/// What the runtime reads out of a bundle of this layer.
algrt::Layer runtimeLayer(const algebras::Layer &layer);
algrt::Support runtimeSupport(const algebras::Layer &layer);

} // namespace compiler

#endif
