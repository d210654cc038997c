#include "tests/runtime/shapes.h"

#include "runtime/bundle/writer.h"
#include "runtime/support/file.h"
#include "tests/runtime/records.h"
#include "tests/runtime/usual_parameters.h"

#include <stdexcept>

namespace algrt::test {

const std::vector<Shape> &shapes() {
  static const std::vector<Shape> all = {
      {"cyclic_f32", 5, 4, 6, 1, false},   {"cyclic_bf16", 3, 8, 5, 1, true},
      {"down_f32", 5, 6, 4, 1, false},     {"down_bf16", 3, 5, 8, 1, true},
      {"interval_f32", 4, 3, 7, 3, false}, {"explicit_f32", 6, 2, 3, 0, false},
      {"slots_f32", 4, 3, 5, -1, false},
  };
  return all;
}

const Shape &shape(const std::string &name) {
  for (const Shape &candidate : shapes())
    if (candidate.name == name)
      return candidate;
  throw std::logic_error("no shape " + name);
}

nlohmann::ordered_json manifestOf(const Shape &shape) {
  const bool slots = shape.period < 0;
  const int64_t element = shape.bfloat16 ? 2 : 4;
  nlohmann::ordered_json row_types = {{"kind", "cyclic"}, {"width", 1}};
  if (shape.period == 0)
    row_types = {{"kind", "explicit"}};
  else if (shape.period > 1)
    row_types = {{"kind", "interval"}, {"width", shape.period}};
  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  for (const char *weights : {"packed", "copied", "direct"}) {
    nlohmann::ordered_json kernel = {{"name", std::string("forward-") + weights},
                                     {"map", "forward"},
                                     {"target", "cpu"},
                                     {"level", "x86-64"},
                                     {"features", {"sse2"}},
                                     {"weights", weights},
                                     {"section", "code"},
                                     {"symbol", std::string("forward_") + weights},
                                     {"types_per_task", 2},
                                     {"rows_per_task", 3},
                                     {"scratch_bytes", (shape.out + 1) * 4},
                                     {"row_lists", true}};
    if (std::string(weights) == "packed") {
      kernel["pack_symbol"] = "pack";
      kernel["pack_tasks"] = shape.groups;
      kernel["packed_bytes"] = shape.weightColumns() * (shape.k() + 1) * element;
    }
    if (std::string(weights) == "copied")
      kernel["direct_rows"] = 2;
    kernels.push_back(kernel);
  }
  nlohmann::ordered_json support = {{"kind", "complete"}};
  if (slots)
    support = {{"kind", "table"}, {"section", "terms"}};
  const std::vector<int64_t> in_groups(size_t(shape.groups), shape.in),
      out_groups(size_t(shape.groups), shape.out);
  return {{"compiler", "by hand"},
          {"algebra", {{"name", slots ? "quaternions" : "Q(" + std::to_string(shape.groups) + ")"}}},
          {"layer",
           {{"kind", "projection"},
            {"lift", slots ? "slots" : "rows"},
            {"dtype", shape.bfloat16 ? "bf16" : "f32"},
            {"k", shape.k()},
            {"n", shape.n()},
            {"types", slots ? 1 : shape.groups},
            {"row_types", row_types},
            {"in_groups", in_groups},
            {"out_groups", out_groups},
            {"bank_rows", in_groups}}},
          {"support", support},
          {"kernels", kernels}};
}

std::vector<std::vector<Term>> quaternionTerms() {
  // i times j is sign[i][j] times the unit (i xor j), for 1, i, j, k numbered 0 to 3.
  const double sign[4][4] = {{1, 1, 1, 1}, {1, -1, 1, -1}, {1, -1, -1, 1}, {1, 1, -1, -1}};
  std::vector<std::vector<Term>> terms(4);
  for (int32_t i = 0; i < 4; ++i)
    for (int32_t j = 0; j < 4; ++j)
      terms[size_t(i ^ j)].push_back({i, j, sign[i][j]});
  return terms;
}

namespace {

std::vector<SectionContent> sectionsOf(const Shape &shape) {
  std::vector<SectionContent> sections = {
      {"code", "shared-object",
       readFile(std::string(ALGRT_TEST_KERNELS) + "/kernels_" + shape.name + ".so")}};
  if (shape.period < 0)
    sections.push_back({"terms", "terms", encodeTerms(1, 4, quaternionTerms())});
  return sections;
}

} // namespace

std::string bundleOf(const Shape &shape, const nlohmann::ordered_json &manifest) {
  return encodeBundle(withPrograms(manifest), sectionsOf(shape));
}

std::string agreeingBundleOf(const Shape &shape, const nlohmann::ordered_json &manifest) {
  const nlohmann::ordered_json whole = withPrograms(manifest);
  return encodeBundle(whole, withRecords(whole, sectionsOf(shape)));
}

std::string bundleOf(const Shape &shape) { return bundleOf(shape, manifestOf(shape)); }

} // namespace algrt::test
