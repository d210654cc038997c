// What a bundle holds besides kernels. Plain C++ like pipeline.h.
#pragma once

#include "algebras/algebra.h"
#include "algebras/layer.h"
#include "runtime/bundle/elementwise.h"
#include "runtime/bundle/program.h"

#include <optional>
#include <string>
#include <vector>

namespace compiler {

/// A layer with its terms, of which a bundle has kernels.
struct BundleProjection {
  std::string name; ///< empty for the bundle's own
  algebras::Layer layer;
  std::optional<algrt::Fusion> fusion = {};
};

struct BundleContents {
  /// The first one is what the bundle is called after.
  std::vector<algebras::Algebra> algebras;
  /// The bundle's own alone, or those of programs' kernels.
  std::vector<BundleProjection> projections;
  /// What steps call besides, without kernels.
  std::vector<algrt::Elementwise> elementwise;
  /// Those of the bundle's own projection are its maps and not among them.
  std::vector<algrt::Program> programs;
  /// These programs in the alg dialect; may be empty.
  std::string text;
};

} // namespace compiler
