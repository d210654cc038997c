#include "tests/runtime/fused.h"

#include "runtime/bundle/writer.h"

namespace algrt::test {

using Json = nlohmann::ordered_json;

Json fusedPrograms(const std::string &type, int64_t k, int64_t n) {
  const auto operand = [](const char *name, const char *role, const std::string &type, const Json &extents) {
    return Json{{"name", name}, {"role", role}, {"types", {type}}, {"shape", extents}};
  };
  const Json operands = {operand("x", "input", type, {"M", k}),
                         operand("gate", "weight", type, {k, n}),
                         operand("up", "weight", type, {k, n}),
                         operand("scale", "weight", type, Json::array({n})),
                         operand("factor", "input", "f32", Json::array({"M"})),
                         operand("residual", "input", type, {"M", n}),
                         operand("alpha", "input", "f32", Json::array({1})),
                         operand("y", "output", type, {"M", n}),
                         operand("g", "output", "f32", {"M", n})};
  const Json step = {{"projection", "forward_0"},
                     {"map", "forward"},
                     {"operands",
                      {{"x", "x"},
                       {"w", "gate"},
                       {"w2", "up"},
                       {"scale", "scale"},
                       {"factor", "factor"},
                       {"residual", "residual"},
                       {"alpha", "alpha"},
                       {"y", "y"},
                       {"y2", "g"}}}};
  return Json::array({{{"name", "both"}, {"operands", operands}, {"steps", Json::array({step})}}});
}

Json fusedManifest(const Shape &shape) {
  const Json plain = manifestOf(shape);
  const std::string type = plain["layer"]["dtype"];
  Json projection = {{"name", "forward_0"},
                     {"layer", plain["layer"]},
                     {"support", plain["support"]},
                     {"kernels", plain["kernels"]}};
  projection["layer"]["fused"] = {{"weights", 2},
                                  {"operands",
                                   {{{"name", "scale"}, {"per", "column"}, {"type", type}},
                                    {{"name", "factor"}, {"per", "row"}, {"type", "f32"}},
                                    {{"name", "residual"}, {"per", "element"}, {"type", type}},
                                    {{"name", "alpha"}, {"per", "call"}, {"type", "f32"}}}},
                                  {"results", {type, "f32"}}};
  for (Json &kernel : projection["kernels"])
    kernel["operands"] = {"x", "w", "w2", "scale", "factor", "residual", "alpha", "y", "y2"};
  return {{"compiler", "by hand"},
          {"algebra", plain["algebra"]},
          {"projections", Json::array({projection})},
          {"programs", fusedPrograms(type, shape.k(), shape.n())}};
}

std::string fusedBundle(const Json &manifest, const std::string &code) {
  return encodeBundle(manifest, {{"code", "shared-object", code}});
}

} // namespace algrt::test
