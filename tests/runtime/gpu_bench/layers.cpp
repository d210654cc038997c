#include "tests/runtime/gpu_bench/layers.h"

#include "runtime/bundle/support.h"
#include "runtime/bundle/writer.h"
#include "tests/runtime/records.h"
#include "tests/runtime/shapes.h"
#include "tests/runtime/usual_parameters.h"

#include <algorithm>

namespace algrt::test {

namespace {

// PTX as far as anybody reads it here: architecture, entry, parameters, threads.
std::string code(const std::string &symbol, int64_t maps, bool bias) {
  return ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry " + symbol +
         "(\n  .param .align 64 .b8 maps[" + std::to_string(128 * maps) +
         "],\n  .param .u32 rows,\n  .param .u32 offset,\n  .param .u64 terms" +
         (bias ? ",\n  .param .u64 bias" : "") + "\n)\n.maxntid 384\n{\n  ret;\n}\n";
}

nlohmann::ordered_json kernel(int64_t rows, int64_t in, int64_t out, bool terms) {
  const std::string number = std::to_string(rows);
  const auto box = [](int64_t columns, int64_t height) {
    return nlohmann::ordered_json{{"columns", columns}, {"rows", height}, {"swizzle", 0}};
  };
  return {{"name", "forward-" + number},
          {"map", "forward"},
          {"target", "sm_90a"},
          {"output", "bf16"},
          {"symbol", "forward_" + number},
          {"images", {{{"kind", "ptx"}, {"section", "code-" + number}}}},
          {"threads", 384},
          {"cluster", 1},
          {"shared_bytes", 65536},
          {"dependent_launch", false},
          {"registers", 168},
          {"terms", terms},
          {"tile", {{"rows", rows}, {"columns", out}, {"depth", in}, {"stages", 4}, {"consumers", 2}}},
          {"boxes", {{"x", box(in, rows)}, {"w", box(out, in)}, {"y", box(out, rows)}}}};
}

nlohmann::ordered_json manifestOf(bool slots, int64_t groups, int64_t in, int64_t out,
                                  int64_t row_type_width) {
  nlohmann::ordered_json row_types = {{"kind", row_type_width == 1 ? "cyclic" : "interval"},
                                      {"width", row_type_width}};
  const std::vector<int64_t> in_groups(size_t(groups), in), out_groups(size_t(groups), out);
  nlohmann::ordered_json support = {{"kind", "complete"}};
  if (slots)
    support = {{"kind", "table"}, {"section", "terms"}};
  return {{"compiler", "by hand"},
          {"algebra", {{"name", slots ? "quaternions" : "Q(" + std::to_string(groups) + ")"}}},
          {"layer",
           {{"kind", "projection"},
            {"lift", slots ? "slots" : "rows"},
            {"dtype", "bf16"},
            {"k", groups * in},
            {"n", groups * out},
            {"types", slots ? 1 : groups},
            {"row_types", row_types},
            {"in_groups", in_groups},
            {"out_groups", out_groups},
            {"bank_rows", in_groups}}},
          {"support", support},
          {"kernels", {kernel(64, in, out, slots), kernel(128, in, out, slots)}}};
}

} // namespace

nlohmann::ordered_json gpuManifest(int64_t groups, int64_t in, int64_t out, int64_t row_type_width) {
  return manifestOf(false, groups, in, out, row_type_width);
}

nlohmann::ordered_json gpuBiasManifest(int64_t groups, int64_t in, int64_t out, int64_t row_type_width) {
  nlohmann::ordered_json manifest = gpuManifest(groups, in, out, row_type_width);
  manifest["layer"]["bias"] = true;
  return manifest;
}

nlohmann::ordered_json gpuSlotManifest() { return manifestOf(true, 4, 16, 16, 1); }

std::string gpuBundle(const nlohmann::ordered_json &manifest) {
  const bool bias = manifest["layer"].value("bias", false);
  const int64_t maps = manifest["layer"]["row_types"]["kind"] == "cyclic" ? 5 : 7;
  std::vector<SectionContent> sections = {{"code-64", "ptx", code("forward_64", maps, bias)},
                                          {"code-128", "ptx", code("forward_128", maps, bias)}};
  if (manifest["support"]["kind"] == "table")
    sections.push_back({"terms", "terms", encodeTerms(1, 4, quaternionTerms())});
  const nlohmann::ordered_json whole = withPrograms(withParameters(manifest));
  return encodeBundle(whole, withRecords(whole, sections));
}

} // namespace algrt::test
