// What of a manifest's programs and further projections is refused.
#include "runtime/support/error.h"
#include "tests/runtime/two_products.h"

#include <gmock/gmock.h>

namespace algrt::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

TEST(Programs, ThatDoNotFitAreRefused) {
  const auto refusal = [](const std::function<void(Json &)> &spoil) -> std::string {
    Json manifest = bothManifest();
    spoil(manifest);
    try {
      Bundle::parse(bothBundle(manifest));
      return "";
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), ALGRT_BAD_BUNDLE);
      return error.what();
    }
  };
  const auto both = [&](const std::function<void(Json &)> &spoil) {
    return refusal([&](Json &manifest) { spoil(manifest["programs"][1]); });
  };
  ASSERT_EQ(refusal([](Json &) {}), "");
  EXPECT_THAT(refusal([](Json &m) { m.erase("programs"); }), HasSubstr("manifest: programs is missing"));
  EXPECT_THAT(both([](Json &p) { p["name"] = "forward"; }),
              HasSubstr("programs[1].name 'forward' is used twice"));
  EXPECT_THAT(both([](Json &p) { p["operands"][1]["name"] = "h"; }), HasSubstr("name 'h' is used twice"));
  EXPECT_THAT(both([](Json &p) { p["operands"][1]["name"] = std::string("u\0p", 3); }),
              HasSubstr("programs[1].operands[1].name has a zero byte"));
  EXPECT_THAT(both([](Json &p) { p["name"] = std::string("both\0", 5); }),
              HasSubstr("programs[1].name has a zero byte"));
  EXPECT_THAT(both([](Json &p) { p["operands"][1]["types"] = {"f32", "f32"}; }),
              HasSubstr("types have 'f32' twice"));
  EXPECT_THAT(both([](Json &p) {
                p["operands"].push_back(
                    {{"name", "at"}, {"role", "weight"}, {"types", {"i32"}}, {"shape", {"M"}}});
                p["steps"][0]["operands"]["positions"] = "at";
              }),
              HasSubstr("positions is 'at', a weight, but the step takes an input there"));
  EXPECT_THAT(both([](Json &p) { p["operands"][1]["role"] = "gate"; }), HasSubstr("is 'gate', not input"));
  EXPECT_THAT(both([](Json &p) { p["operands"][1]["types"] = Json::array(); }), HasSubstr("types is empty"));
  EXPECT_THAT(both([](Json &p) { p["operands"][1]["types"][0] = "f64"; }), HasSubstr("has 'f64'"));
  EXPECT_THAT(both([](Json &p) { p["operands"][0]["types"][0] = "bf16"; }),
              HasSubstr("steps[0].operands.x is 'x' of type bf16, which the step does not take"));
  for (const Json &extent :
       {Json("2M"), Json("M+1"), Json("M + "), Json(""), Json("0*M"), Json(0), Json("-M")})
    EXPECT_THAT(both([&](Json &p) { p["operands"][0]["shape"][0] = extent; }),
                HasSubstr("neither a number above 0 nor as 'M', '4*M' or 'S + 1'"));
  EXPECT_THAT(both([](Json &p) { p["operands"][1]["shape"][0] = 21; }),
              HasSubstr("steps[0].operands.w is 'up' of shape [21, 30], but the step needs [20, 30]"));
  EXPECT_THAT(both([](Json &p) { p["steps"][0]["rows"] = 7; }),
              HasSubstr("steps[0].operands.x is 'x' of shape [M, 20], but the step needs [7, 20]"));
  EXPECT_THAT(both([](Json &p) { p["steps"][0]["rows"] = 0; }), HasSubstr("programs[1].steps[0].rows"));
  EXPECT_THAT(both([](Json &p) { p["buffers"][0]["shape"][1] = 31; }), HasSubstr("'h' of shape [M, 31]"));
  EXPECT_THAT(both([](Json &p) { p["buffers"][0]["shape"][0] = "S"; }), HasSubstr("depends on S"));
  EXPECT_THAT(both([](Json &p) { p["buffers"][0]["type"] = "i32"; }), HasSubstr("buffers hold f32 or bf16"));
  EXPECT_THAT(both([](Json &p) { p["steps"][1]["projection"] = "left"; }),
              HasSubstr("is 'left', which the bundle"));
  EXPECT_THAT(both([](Json &p) { p["steps"][1]["map"] = "attention"; }),
              HasSubstr("this runtime does not know"));
  EXPECT_THAT(both([](Json &p) { p["steps"][0]["operands"].erase("w"); }),
              HasSubstr("steps[0].operands.w is missing: the map forward of this layer needs it"));
  EXPECT_THAT(both([](Json &p) { p["steps"][0]["operands"]["bias"] = "x"; }),
              HasSubstr("bias is given, but the map forward of this layer has no such operand"));
  EXPECT_THAT(both([](Json &p) { p["steps"][0]["operands"]["w"] = "wide"; }),
              HasSubstr("is 'wide', which the program does not have"));
  EXPECT_THAT(both([](Json &p) { p["steps"][0]["operands"]["y"] = "x"; }), HasSubstr("'x' is an input"));
  EXPECT_THAT(both([](Json &p) { p["steps"][1]["operands"]["x"] = "y"; }),
              HasSubstr("steps[1].operands.x is read, but no step before this one writes 'y'"));
  EXPECT_THAT(both([](Json &p) { std::swap(p["steps"][0], p["steps"][1]); }),
              HasSubstr("no step before this one writes 'h'"));
  EXPECT_THAT(both([](Json &p) { p["steps"].push_back(p["steps"][1]); }),
              HasSubstr("is 'y', which a step before this one has written"));
  EXPECT_THAT(both([](Json &p) { p["steps"].erase(1); }), HasSubstr("have 'down', which no step reads"));
  EXPECT_THAT(both([](Json &p) { p["steps"] = Json::array(); }), HasSubstr("steps is empty"));
  EXPECT_THAT(both([](Json &p) { p["operands"][0]["optional"] = true; }),
              HasSubstr("which a call may leave out, but the step needs it"));
  EXPECT_THAT(
      both([](Json &p) { p["buffers"].push_back({{"name", "i"}, {"type", "f32"}, {"shape", {"M", 3}}}); }),
      HasSubstr("buffers have 'i', which no step reads"));
  EXPECT_THAT(
      refusal([](Json &m) { m["kernels"][1]["operands"] = {"x", "w", "bias", "y"}; }),
      HasSubstr("kernels[1].operands are x, w, bias, y, but this runtime calls kernels of forward of such a "
                "layer with x, w, y"));
  EXPECT_THAT(refusal([](Json &m) { m["kernels"][1].erase("operands"); }), HasSubstr("operands is missing"));
  EXPECT_THAT(refusal([](Json &m) { m["projections"][0]["name"] = ""; }),
              HasSubstr("projections[0].name is empty"));
  EXPECT_THAT(refusal([](Json &m) { m["projections"].push_back(m["projections"][0]); }),
              HasSubstr("projections[1].name 'down' is used twice"));
  EXPECT_THAT(refusal([](Json &m) { m["projections"][0]["kernels"][0]["scratch_bytes"] = -1; }),
              HasSubstr("projections[0].kernels[0].scratch_bytes"));
}

TEST(Programs, HaveStepsWithRowsOfTheirOwn) {
  Json manifest = bothManifest();
  Json &both = manifest["programs"][1];
  for (Json *operand : {&both["operands"][0], &both["operands"][3], &both["buffers"][0]})
    (*operand)["shape"][0] = 7;
  for (Json &step : both["steps"])
    step["rows"] = 7;
  const Bundle bundle = Bundle::parse(bothBundle(manifest));
  for (const ProgramStep &step : bundle.manifest().findProgram("both")->steps)
    EXPECT_EQ(step.rows, 7);
  for (const ProgramStep &step : bundle.manifest().findProgram("forward")->steps)
    EXPECT_EQ(step.rows, std::nullopt);
}

// So many that copies of all sections and programs for each projection would be noticed.
TEST(Programs, ProjectionsMayBeSeveralButNotTooMany) {
  Json manifest = bothManifest();
  const Json down = manifest["projections"][0], both = manifest["programs"][1];
  for (int i = 1; i < 64; ++i) {
    Json &projection = manifest["projections"].emplace_back(down);
    projection["name"] = "down" + std::to_string(i);
    Json &program = manifest["programs"].emplace_back(both);
    program["name"] = "both" + std::to_string(i);
    program["steps"][1]["projection"] = projection["name"];
  }
  std::vector<SectionContent> sections = {{"code", "shared-object", codeOf("cyclic_f32")},
                                          {"down-code", "shared-object", codeOf("down_f32")}};
  for (int i = 0; i < 10'000; ++i)
    sections.push_back({"empty" + std::to_string(i), "terms", ""});
  const Bundle bundle = Bundle::parse(encodeBundle(manifest, sections));
  ASSERT_EQ(bundle.further().size(), 64u);
  for (const Bundle &part : bundle.further()) {
    EXPECT_EQ(part.manifest().kernels.size(), 3u);
    EXPECT_EQ(part.fault(0), "");
    // The very same entries, not others like them.
    EXPECT_EQ(part.manifest().findSection("empty7"), bundle.manifest().findSection("empty7"));
    EXPECT_TRUE(part.manifestText().empty() && part.manifest().programs.empty() && part.further().empty());
  }
  Json &last = manifest["projections"].emplace_back(down);
  last["name"] = "one more";
  try {
    encodeBundle(manifest, sections);
    ADD_FAILURE() << "65 projections are read";
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), ALGRT_BAD_BUNDLE);
    EXPECT_THAT(error.what(), HasSubstr("projections are 65, more than the 64 that this runtime reads"));
  }
}

} // namespace
} // namespace algrt::test
