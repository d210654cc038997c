// A layer as bundles and the runtime know it.
#pragma once

#include "algebras/layer.h"
#include "runtime/bundle/support.h"
#include "runtime/bundle/writer.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace compiler {

/// The manifest's "layer" (docs/bundle.md).
nlohmann::ordered_json layerJson(const algebras::Layer &layer,
                                 const std::optional<algrt::Fusion> &fusion = std::nullopt);

/// The manifest's "support", and the terms sections that it names: of a tensor product one for each kind of
/// factor that has no formula.
struct EncodedSupport {
  nlohmann::ordered_json json;
  std::vector<algrt::SectionContent> sections;
};
EncodedSupport encodeSupport(const algebras::Lift &lift);

/// What the tables of those sections hold (algebras::tableEntries).
int64_t supportEntries(const algebras::Lift &lift);

/// What the runtime reads out of a bundle of this layer.
algrt::Layer runtimeLayer(const algebras::Layer &layer,
                          const std::optional<algrt::Fusion> &fusion = std::nullopt);
algrt::Support runtimeSupport(const algebras::Layer &layer);

} // namespace compiler
