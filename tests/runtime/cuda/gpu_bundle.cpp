#include "tests/runtime/cuda/gpu_bundle.h"

#include "runtime/gpu_kernel_abi.h"
#include "tests/runtime/records.h"
#include "tests/runtime/usual_parameters.h"

namespace algrt::test {

namespace {

using Json = nlohmann::ordered_json;

Json box(int64_t columns, int64_t rows, int64_t swizzle) {
  return {{"columns", columns}, {"rows", rows}, {"swizzle", swizzle}};
}

Json kernel(const GpuShape &shape, const char *output, int64_t cluster) {
  const bool narrow = std::string(output) == "bf16", plain = shape.vector > 0;
  const bool hopper = !plain || (shape.slices > 0 && cluster > 1);
  Json entry = {
      {"name", shape.map() + "-" + output},
      {"map", shape.map()},
      {"target", hopper ? "sm_90a" : "sm_80"},
      {"output", output},
      {"symbol", shape.map() + "_" + output},
      {"images", {{{"kind", "ptx"}, {"section", "ptx"}}}},
      {"threads", plain ? 128 : 384},
      {"cluster", plain ? 1 : cluster},
      {"shared_bytes", plain ? 90000 : 200000},
      {"dependent_launch", hopper && (cluster > 1 || shape.waits)},
      {"registers", 168},
      {"tile", {{"rows", 16}, {"columns", 32}, {"depth", 32}, {"stages", 4}, {"consumers", 2}}},
      {"boxes", {{"x", box(32, 16, 64)}, {"w", box(32, 32, 64)}, {"y", box(32, 16, narrow ? 64 : 128)}}},
      {"terms", shape.lift == Lift::Slots || shape.table}};
  if (!plain && cluster > 1) {
    entry["tile"]["cluster_rows"] = cluster;
    entry["tile"]["cluster_columns"] = 1;
  }
  if (plain) {
    entry["copies"] = "threads";
    entry["vector"] = shape.vector;
    if (shape.slices > 0)
      entry["slices"] = shape.slices;
    else
      entry["warps"] = {2, 2};
  }
  if (shape.scaled)
    entry["scaled"] = true;
  if (shape.longest_first > 0)
    entry["tile"]["long_groups"] = shape.longest_first;
  return entry;
}

// Slots: group algebra of the cyclic group, with signs and, where wanted, factors. Rows: type i reaches the
// groups j >= i, from i and j.
std::vector<std::vector<Term>> terms(const GpuShape &shape) {
  std::vector<std::vector<Term>> result(size_t(shape.types() * shape.groups));
  for (int32_t i = 0; i < shape.groups; ++i)
    for (int32_t j = 0; j < shape.groups; ++j) {
      const double sign = (i * 3 + j) % 4 == 1 ? -1 : 1, factor = shape.scaled ? (i + 2 * j) % 3 - 0.5 : 1;
      if (shape.lift == Lift::Slots)
        result[size_t((i + j) % shape.groups)].push_back({i, j, sign * factor});
      else if (j >= i)
        for (int32_t k = i; k <= j; ++k)
          result[size_t(i * shape.groups + j)].push_back({k, k, k % 2 == 0 ? sign : factor});
    }
  return result;
}

} // namespace

nlohmann::ordered_json gpuManifest(const GpuShape &shape) {
  const std::vector<int64_t> in(size_t(shape.groups), shape.in), out(size_t(shape.groups), shape.out);
  const bool table = shape.lift == Lift::Slots || shape.table;
  Json row_types = {{"kind", name(shape.row_types)}, {"width", shape.run}};
  Json support = {{"kind", "complete"}};
  if (table)
    support = {{"kind", "table"}, {"section", "terms"}};
  Json layer = {{"kind", "projection"},   {"lift", name(shape.lift)}, {"dtype", "bf16"},
                {"k", shape.k()},         {"n", shape.n()},           {"types", shape.types()},
                {"row_types", row_types}, {"in_groups", in},          {"out_groups", out},
                {"bank_rows", in}};
  if (shape.bias)
    layer["bias"] = true;
  return {{"compiler", "by hand"},
          {"layer", layer},
          {"support", support},
          {"kernels", {kernel(shape, "bf16", 1), kernel(shape, "f32", shape.weight_gradient ? 1 : 2)}}};
}

std::string gpuPtx(const GpuShape &shape, std::string target) {
  const bool plain = shape.vector > 0;
  if (target.empty())
    target = plain ? "sm_80" : "sm_90a";
  const std::string beta = shape.weight_gradient ? ",\n\t.param .f32 " : "";
  const int all_rows = shape.weight_gradient ? 1 : 0;
  const int row_maps = shape.slices > 0
                           ? 1
                           : all_rows + (shape.lift == Lift::Rows && shape.row_types == RowTypesKind::Interval
                                             ? algrt_interval_row_maps
                                             : algrt_cyclic_row_maps);
  const int map_bytes = plain ? algrt_plain_map_bytes : algrt_tensor_map_bytes;
  const bool adds_beside = shape.weight_gradient && !plain;
  const std::string maps =
      std::to_string((2 * row_maps + 1) * map_bytes + (adds_beside ? algrt_plain_map_bytes : 0));
  std::string text = ".version 8.0\n.target " + target + "\n.address_size 64\n";
  for (const std::string &symbol : {shape.map() + "_bf16", shape.map() + "_f32"})
    text +=
        ".visible .entry " + symbol + "(\n\t.param .align " + (plain ? "8" : "64") + " .b8 " + symbol +
        "_param_0[" + maps + "],\n\t.param .u32 " + symbol + "_param_1,\n\t.param .u32 " + symbol +
        "_param_2,\n\t.param .u64 " + (plain ? ".ptr .global .align 4 " : "") + symbol + "_param_3" +
        (shape.slices > 0 ? ",\n\t.param .u64 " + symbol + "_positions,\n\t.param .u32 " + symbol + "_bytes"
                          : "") +
        (shape.bias && shape.map() == "forward" ? ",\n\t.param .u64 " + symbol + "_param_4" : "") +
        (beta.empty() ? "" : beta + symbol + "_param_4") + "\n)\n" +
        (plain ? ".reqntid 128, 1, 1" : ".maxntid 384") + "\n{\n\tret;\n}\n";
  return text;
}

std::string gpuBundle(const GpuShape &shape) { return gpuBundle(shape, gpuManifest(shape)); }

std::string gpuBundle(const GpuShape &shape, const nlohmann::ordered_json &manifest) {
  return gpuBundle(shape, manifest, gpuPtx(shape), "ptx");
}

std::string gpuBundle(const GpuShape &shape, const nlohmann::ordered_json &manifest, const std::string &image,
                      const char *kind) {
  return gpuBundle(shape, manifest, {{kind, kind, image}});
}

std::string gpuBundle(const GpuShape &shape, const nlohmann::ordered_json &manifest,
                      std::vector<SectionContent> sections) {
  if (shape.lift == Lift::Slots || shape.table)
    sections.push_back({"terms", "terms", encodeTerms(shape.types(), shape.groups, terms(shape))});
  const nlohmann::ordered_json whole = withPrograms(withParameters(manifest));
  return encodeBundle(whole, withRecords(whole, sections));
}

} // namespace algrt::test
