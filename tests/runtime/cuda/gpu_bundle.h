// Bundles with GPU kernels by hand: what the manifest of a compiled one has, PTX without a body.
#pragma once

#include "runtime/bundle/manifest.h"
#include "runtime/bundle/support.h"
#include "runtime/bundle/writer.h"

#include <nlohmann/json.hpp>
#include <string>

namespace algrt::test {

struct GpuShape {
  Lift lift = Lift::Rows;
  RowTypesKind row_types = RowTypesKind::Cyclic;
  int64_t run = 1; // rows of one type one after another
  int64_t groups = 4, in = 16, out = 24;
  bool table = false;  // the support is a table (upper triangular, some coefficients -1) instead of complete
  bool scaled = false; // tables have other coefficients, too
  int64_t vector = 0;  // above 0: threads copy so many elements at a time
  int64_t slices = 0;  // above 0, with `vector`: vector reductions, whose blocks have parts of 16 x 32
  // Kernels of dx instead, "dx-bf16" and "dx-f32"; above 0, tiles of so many long groups come first.
  bool gradient = false;
  int64_t longest_first = 0;
  bool bias = false;  // forward kernels take one
  bool waits = false; // all kernels for sm_90a wait for their predecessors by themselves
  // Kernels of dw instead, "dw-bf16" and "dw-f32", alone.
  bool weight_gradient = false;

  int64_t k() const { return groups * in; }
  int64_t n() const { return groups * out; }
  int64_t types() const { return lift == Lift::Slots ? 1 : groups; }
  // Of what the kernels read rows of, and of what they write.
  int64_t depth() const { return gradient ? out : in; }
  int64_t width() const { return gradient ? in : out; }
  std::string map() const { return weight_gradient ? "dw" : gradient ? "dx" : "forward"; }
  int64_t weightColumns() const { return lift == Lift::Slots ? out : n(); }
};

// Kernels "forward-bf16" and "forward-f32": for sm_90a, in clusters of 1 and 2 blocks, the second with
// dependent launch. Where threads copy, for sm_80, without either, as those of dw; of vector reductions the
// second is for sm_90a, with dependent launch.
nlohmann::ordered_json gpuManifest(const GpuShape &shape);
// Section "ptx" with both kernels and, where needed, "terms".
std::string gpuBundle(const GpuShape &shape);
std::string gpuBundle(const GpuShape &shape, const nlohmann::ordered_json &manifest);
std::string gpuBundle(const GpuShape &shape, const nlohmann::ordered_json &manifest, const std::string &image,
                      const char *kind);
std::string gpuBundle(const GpuShape &shape, const nlohmann::ordered_json &manifest,
                      std::vector<SectionContent> images);
// The PTX of both kernels for a target; empty: that of the manifest.
std::string gpuPtx(const GpuShape &shape, std::string target = "");

} // namespace algrt::test
