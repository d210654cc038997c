#include "tests/runtime/two_steps.h"

#include "tests/runtime/usual_parameters.h"

namespace algrt::test {

using Json = nlohmann::ordered_json;

Json twoSteps(Json up, const Json &down) {
  up = withPrograms(up);
  up["projections"] = {{{"name", "down"},
                        {"layer", down["layer"]},
                        {"support", down["support"]},
                        {"kernels", down["kernels"]}}};
  const Json &layer = up["layer"];
  const std::string type = layer["dtype"];
  const int64_t k = layer["k"], h = layer["n"], n = down["layer"]["n"];
  const auto operand = [&](const char *name, const char *role, const Json &shape) {
    return Json{{"name", name}, {"role", role}, {"types", {type}}, {"shape", shape}};
  };
  up["programs"].push_back({{"name", "both"},
                            {"operands",
                             {operand("x", "input", {"M", k}), operand("up", "weight", {k, h}),
                              operand("down", "weight", {h, n}), operand("y", "output", {"M", n})}},
                            {"buffers", {{{"name", "h"}, {"type", type}, {"shape", {"M", h}}}}},
                            {"steps",
                             {{{"map", "forward"}, {"operands", {{"x", "x"}, {"w", "up"}, {"y", "h"}}}},
                              {{"projection", "down"},
                               {"map", "forward"},
                               {"operands", {{"x", "h"}, {"w", "down"}, {"y", "y"}}}}}}});
  return up;
}

} // namespace algrt::test
