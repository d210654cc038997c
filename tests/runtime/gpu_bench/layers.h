// Bundles with forward kernels for sm_90a whose code is a stand-in's: the layers that the GPU measurements
// are tested with.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace algrt::test {

// Q(groups) in the row lift, bf16, groups of `in` and `out` columns, cyclic (width 1) or interval types. Two
// kernels, "forward-64" (symbol forward_64) and "forward-128", whose images are the sections "code-64" and
// "code-128".
nlohmann::ordered_json gpuManifest(int64_t groups, int64_t in, int64_t out, int64_t row_type_width);
// The same layer with a bias.
nlohmann::ordered_json gpuBiasManifest(int64_t groups, int64_t in, int64_t out, int64_t row_type_width);
// Quaternions in the slot lift, 16 columns to each slot.
nlohmann::ordered_json gpuSlotManifest();

// The bundle's bytes.
std::string gpuBundle(const nlohmann::ordered_json &manifest);

} // namespace algrt::test
