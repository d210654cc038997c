// Manifests of fused layers, and of bundles that hold programs alone: read, written, refused.
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/fusion.h"
#include "runtime/bundle/json_fields.h"
#include "runtime/support/error.h"
#include "tests/runtime/cpu_product.h"
#include "tests/runtime/fused.h"

#include <functional>
#include <gmock/gmock.h>

namespace algrt::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;

// Code is not looked into here.
std::string bundleWith(const Json &manifest) { return fusedBundle(manifest, "no code"); }

std::string refusal(const std::function<void(Json &)> &spoil) {
  Json manifest = fusedManifest(shape("cyclic_bf16"));
  spoil(manifest);
  try {
    Bundle::parse(bundleWith(manifest));
    return "";
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), ALGRT_BAD_BUNDLE);
    return error.what();
  }
}

// Operands of steps have no order.
nlohmann::json unordered(const Json &json) { return nlohmann::json::parse(json.dump()); }

std::vector<std::string> textsOf(const std::vector<ProgramOperand> &operands) {
  std::vector<std::string> texts;
  for (const ProgramOperand &operand : operands) {
    std::string types;
    for (const OperandType type : operand.types)
      types += std::string(" ") + name(type);
    texts.push_back(operand.name + " " + text(operand.shape) + types + " " + name(operand.role) +
                    (operand.optional ? " optional" : "") + (operand.host ? " host" : ""));
  }
  return texts;
}

TEST(FusedManifest, IsReadAsItIsWritten) {
  const Json manifest = fusedManifest(shape("cyclic_bf16"));
  const Bundle bundle = Bundle::parse(bundleWith(manifest));
  EXPECT_FALSE(bundle.hasProjection());
  ASSERT_EQ(bundle.projectionCount(), 1u);
  EXPECT_EQ(bundle.projectionName(0), "forward_0");
  const Layer &layer = bundle.projection(0).layer();
  ASSERT_TRUE(layer.fusion);
  using enum FusedOperand::Per;
  const Fusion expected = {2,
                           {{"scale", Column, ElementType::Bf16},
                            {"factor", Row, ElementType::F32},
                            {"residual", Element, ElementType::Bf16},
                            {"alpha", Call, ElementType::F32}},
                           {ElementType::Bf16, ElementType::F32}};
  EXPECT_EQ(*layer.fusion, expected);
  EXPECT_EQ(fusionJson(expected), manifest["projections"][0]["layer"]["fused"]);
  EXPECT_EQ(joinGroups(layer, 1).fusion, layer.fusion);
  const Program &program = bundle.manifest().programs.at(0);
  const NamedLayer named = {"forward_0", &layer};
  EXPECT_EQ(unordered(programJson(program, {{&named, 1}})), unordered(manifest["programs"][0]));
  EXPECT_TRUE(program.findOperand("alpha")->host);
  EXPECT_FALSE(program.findOperand("factor")->host);
}

TEST(FusedManifest, SaysWhatMapsTake) {
  const Bundle bundle = Bundle::parse(bundleWith(fusedManifest(shape("cyclic_bf16"))));
  const Layer &layer = bundle.projection(0).layer();
  EXPECT_THAT(textsOf(operandsOf(layer, Map::Forward, {})),
              ElementsAre("x [M, 24] bf16 input", "w [24, 15] bf16 weight", "w2 [24, 15] bf16 weight",
                          "scale [15] bf16 input", "factor [M] f32 input", "residual [M, 15] bf16 input",
                          "alpha [1] f32 input host", "y [M, 15] bf16 output", "y2 [M, 15] f32 output",
                          "positions [M] i32 i64 input optional",
                          "sequence_starts [S + 1] i32 i64 input optional",
                          "sequence_positions [S] i32 i64 input optional"));
  // Of dx, whose results are as wide as x.
  EXPECT_THAT(textsOf(operandsOf(layer, Map::Dx, {})),
              ElementsAre("dy [M, 15] bf16 input", "w [24, 15] bf16 weight", "w2 [24, 15] bf16 weight",
                          "scale [24] bf16 input", "factor [M] f32 input", "residual [M, 24] bf16 input",
                          "alpha [1] f32 input host", "dx [M, 24] bf16 output", "dx2 [M, 24] f32 output",
                          "positions [M] i32 i64 input optional",
                          "sequence_starts [S + 1] i32 i64 input optional",
                          "sequence_positions [S] i32 i64 input optional"));
  EXPECT_THAT(cpuOperands(Map::Forward, layer),
              ElementsAre("x", "w", "w2", "scale", "factor", "residual", "alpha", "y", "y2"));
  EXPECT_THAT(cpuOperands(Map::Dx, layer),
              ElementsAre("dy", "w", "w2", "scale", "factor", "residual", "alpha", "dx", "dx2"));
  Layer plain = layer;
  plain.fusion.reset();
  plain.bias = true;
  EXPECT_THAT(cpuOperands(Map::Forward, plain), ElementsAre("x", "w", "bias", "y"));
  EXPECT_THAT(cpuOperands(Map::Dx, plain), ElementsAre("dy", "w", "dx"));
  EXPECT_THAT(cpuOperands(Map::Dw, plain), ElementsAre("x", "dy", "dw"));
}

TEST(FusedManifest, OfNonsenseIsRefused) {
  ASSERT_EQ(refusal([](Json &) {}), "");
  const auto fused = [](const std::function<void(Json &)> &spoil) {
    return refusal([&](Json &m) { spoil(m["projections"][0]["layer"]["fused"]); });
  };
  for (const Json &weights : {Json(0), Json(-1), Json(65), Json(INT64_MAX), Json(1.5), Json("2")})
    EXPECT_THAT(fused([&](Json &f) { f["weights"] = weights; }),
                HasSubstr("projections[0].layer.fused.weights"))
        << weights;
  for (const char *key : {"weights", "operands", "results"})
    EXPECT_THAT(fused([&](Json &f) { f.erase(key); }), HasSubstr(std::string(key) + " is missing"));
  EXPECT_THAT(fused([](Json &f) { f["results"] = Json::array(); }),
              HasSubstr("fused.results is empty: a kernel writes something"));
  EXPECT_THAT(fused([](Json &f) { f["results"][0] = "i32"; }),
              HasSubstr("results has 'i32', not f32 or bf16"));
  EXPECT_THAT(fused([](Json &f) { f["results"] = Json::array_t(65, "f32"); }),
              HasSubstr("fused.results are 65, more than the 64 that this runtime reads"));
  EXPECT_THAT(fused([](Json &f) {
                for (int i = 0; i < 61; ++i)
                  f["operands"].push_back(
                      {{"name", "more" + std::to_string(i)}, {"per", "row"}, {"type", "f32"}});
              }),
              HasSubstr("fused.operands are 65, more than the 64 that this runtime reads"));
  EXPECT_THAT(fused([](Json &f) { f["operands"][1]["per"] = "group"; }),
              HasSubstr("fused.operands[1].per is 'group', not column, row, element or call"));
  EXPECT_THAT(fused([](Json &f) { f["operands"][1]["type"] = "f64"; }), HasSubstr("'f64', not f32 or bf16"));
  EXPECT_THAT(fused([](Json &f) { f["operands"][3]["type"] = "bf16"; }),
              HasSubstr("operands[3].type is bf16: a number for the call is f32"));
  EXPECT_THAT(fused([](Json &f) { f["operands"][1]["name"] = "scale"; }),
              HasSubstr("operands[1].name 'scale' is used twice"));
  EXPECT_THAT(fused([](Json &f) { f["operands"][0]["name"] = ""; }), HasSubstr("name is empty"));
  EXPECT_THAT(fused([](Json &f) { f["operands"][0]["name"] = std::string("a\0b", 3); }),
              HasSubstr("name has a zero byte"));
  for (const char *reserved : {"x", "dy", "w", "w2", "w17", "y", "y3", "dx", "dx2", "types", "positions",
                               "sequence_starts", "sequence_positions"}) {
    EXPECT_TRUE(isReservedName(reserved));
    EXPECT_THAT(fused([&](Json &f) { f["operands"][0]["name"] = reserved; }),
                HasSubstr("which kernels call something else"));
  }
  for (const char *free : {"bias", "x2", "wide", "w2a", "gate", "dy2", "up"})
    EXPECT_FALSE(isReservedName(free)) << free;
  EXPECT_THAT(refusal([](Json &m) { m["projections"][0]["layer"]["fused"] = 3; }), HasSubstr("fused"));
  EXPECT_THAT(refusal([](Json &m) { m["projections"][0]["layer"]["bias"] = true; }),
              HasSubstr("bias is true, but the layer is fused: a bias is one of its operands"));
}

// The same with a further layer of one product, back to the width of x, which reads the residual.
Json withNextLayer() {
  Json manifest = fusedManifest(shape("cyclic_bf16"));
  Json &projection = manifest["projections"][0], &layer = projection["layer"];
  layer["fused"]["next"] = {{"out_groups", layer["in_groups"]}, {"weights", 1}};
  layer["fused"]["operands"][2]["layer"] = 1;
  for (Json &kernel : projection["kernels"]) {
    kernel["operands"] = {"x", "w", "w2", "w3", "scale", "factor", "residual", "alpha", "y", "y2"};
    if (kernel.contains("pack_symbol"))
      kernel["next"] = {
          {"pack_symbol", "pack_next"}, {"pack_tasks", kernel["pack_tasks"]}, {"packed_bytes", 24 * 16 * 2}};
  }
  Json &program = manifest["programs"][0];
  const int64_t k = layer["k"], n = layer["n"];
  for (Json &operand : program["operands"])
    if (const std::string name = operand["name"]; name == "residual" || name == "y" || name == "g")
      operand["shape"] = {"M", k};
  program["operands"].push_back(
      {{"name", "down"}, {"role", "weight"}, {"types", {"bf16"}}, {"shape", {n, k}}});
  program["steps"][0]["operands"]["w3"] = "down";
  return manifest;
}

TEST(FusedManifest, MayHaveANextLayer) {
  const Json manifest = withNextLayer();
  const Bundle bundle = Bundle::parse(bundleWith(manifest));
  const Layer &layer = bundle.projection(0).layer();
  ASSERT_TRUE(layer.fusion && layer.fusion->next);
  EXPECT_EQ(layer.fusion->next->n(), 24);
  EXPECT_EQ(layer.outputColumns(), 24);
  EXPECT_EQ(layer.fusion->allWeights(), 3);
  EXPECT_EQ(layer.fusion->layerOf(1), 0);
  EXPECT_EQ(layer.fusion->layerOf(2), 1);
  EXPECT_EQ(fusionJson(*layer.fusion), manifest["projections"][0]["layer"]["fused"]);
  const Layer last = layerOfWeight(layer, 2);
  EXPECT_EQ(last.k, 15);
  EXPECT_EQ(last.n, 24);
  EXPECT_EQ(last.weight_rows, layer.out_groups);
  EXPECT_FALSE(last.fusion);
  EXPECT_EQ(layerOfWeight(layer, 1).n, 15);
  EXPECT_THAT(textsOf(operandsOf(layer, Map::Forward, {})),
              ElementsAre("x [M, 24] bf16 input", "w [24, 15] bf16 weight", "w2 [24, 15] bf16 weight",
                          "w3 [15, 24] bf16 weight", "scale [15] bf16 input", "factor [M] f32 input",
                          "residual [M, 24] bf16 input", "alpha [1] f32 input host", "y [M, 24] bf16 output",
                          "y2 [M, 24] f32 output", "positions [M] i32 i64 input optional",
                          "sequence_starts [S + 1] i32 i64 input optional",
                          "sequence_positions [S] i32 i64 input optional"));
  // Code of another layer, or with an operand in the other one, is other code.
  Fusion other = *layer.fusion;
  other.next->out_groups.back() += 1;
  EXPECT_NE(hashOfFusion(other), hashOfFusion(*layer.fusion));
  other = *layer.fusion;
  other.operands[2].layer = 0;
  EXPECT_NE(hashOfFusion(other), hashOfFusion(*layer.fusion));
}

TEST(FusedManifest, ANextLayerOfNonsenseIsRefused) {
  const auto refused = [](const std::function<void(Json &)> &spoil) {
    Json manifest = withNextLayer();
    spoil(manifest["projections"][0]);
    try {
      Bundle::parse(bundleWith(manifest));
      return std::string();
    } catch (const Error &error) {
      return std::string(error.what());
    }
  };
  const auto next = [&](const std::function<void(Json &)> &spoil) {
    return refused([&](Json &p) { spoil(p["layer"]["fused"]["next"]); });
  };
  ASSERT_EQ(refused([](Json &) {}), "");
  EXPECT_THAT(next([](Json &n) { n["out_groups"] = Json::array(); }), HasSubstr("next.out_groups is empty"));
  EXPECT_THAT(next([](Json &n) { n["out_groups"].push_back(1); }),
              HasSubstr("but the algebra's products have"));
  EXPECT_THAT(next([](Json &n) { n["out_groups"][0] = 0; }), HasSubstr("out_groups"));
  EXPECT_THAT(next([](Json &n) {
                n["out_groups"][0] = INT64_MAX;
                n["out_groups"][1] = INT64_MAX;
              }),
              HasSubstr("out_groups add up to more than 64 bits hold"));
  EXPECT_THAT(next([](Json &n) { n["out_groups"][0] = INT64_MAX / 4; }),
              HasSubstr("the weight matrix of the next layer"));
  for (const Json &weights : {Json(0), Json(65), Json("1")})
    EXPECT_THAT(next([&](Json &n) { n["weights"] = weights; }), HasSubstr("next.weights"));
  // Both layers together have 64 at most.
  EXPECT_THAT(next([&](Json &n) { n["weights"] = 63; }), HasSubstr("next.weights is 63"));
  EXPECT_THAT(refused([](Json &p) { p["layer"]["fused"]["weights"] = 64; }),
              HasSubstr("next.weights has no room: the first layer has all 64"));
  EXPECT_THAT(refused([](Json &p) { p["layer"]["fused"]["operands"][2]["layer"] = 2; }),
              HasSubstr("operands[2].layer"));
  EXPECT_THAT(refused([](Json &p) { p["kernels"][0].erase("next"); }), HasSubstr("kernels[0].next"));
  EXPECT_THAT(refused([](Json &p) { p["kernels"][0]["next"]["packed_bytes"] = 2; }),
              HasSubstr("next.packed_bytes is 2, less than the 720 of the weight matrix"));
  EXPECT_THAT(refused([](Json &p) {
                p["kernels"][1]["map"] = "dx";
                p["kernels"][1]["weights"] = "copied";
              }),
              HasSubstr("layers one after another have kernels of forward alone"));
  // Without a next layer no operand belongs to one.
  EXPECT_THAT(refusal([](Json &m) { m["projections"][0]["layer"]["fused"]["operands"][2]["layer"] = 1; }),
              HasSubstr("operands[2].layer"));
}

TEST(FusedManifest, KernelsAreOfOneMap) {
  const auto kernels = [](const std::function<void(Json &)> &spoil) {
    return refusal([&](Json &m) { spoil(m["projections"][0]["kernels"]); });
  };
  EXPECT_THAT(
      kernels([](Json &k) { k[0]["operands"] = {"x", "w", "y"}; }),
      HasSubstr("operands are x, w, y, but this runtime calls kernels of forward of such a layer with x, w, "
                "w2, scale, factor, residual, alpha, y, y2"));
  const auto as_dx = [](Json &kernel) {
    kernel["map"] = "dx";
    kernel["weights"] = "copied";
    kernel["operands"] = {"dy", "w", "w2", "scale", "factor", "residual", "alpha", "dx", "dx2"};
  };
  EXPECT_THAT(
      kernels([&](Json &k) { as_dx(k[1]); }),
      HasSubstr("projections[0].kernels are of forward and of dx, but the layer is fused: its kernels are "
                "of one map"));
  EXPECT_THAT(
      kernels([](Json &k) {
        k = Json::array({k[1]});
        k[0]["map"] = "dw";
        k[0]["operands"] = {"x", "dy", "dw"};
        k[0]["output"] = "f32";
        k[0]["tasks"] = 1;
      }),
      HasSubstr("kernels have 'forward-copied' of dw, but the layer is fused: its kernels are of forward "
                "or dx"));
  // Of dx alone they may be: then the step is, too.
  EXPECT_THAT(refusal([&](Json &m) {
                Json &k = m["projections"][0]["kernels"];
                k = Json::array({k[1]});
                as_dx(k[0]);
                m["programs"] = Json::array();
              }),
              HasSubstr("and there are no programs"));
}

TEST(FusedManifest, StepsFitTheirFunction) {
  const auto program = [](const std::function<void(Json &)> &spoil) {
    return refusal([&](Json &m) { spoil(m["programs"][0]); });
  };
  const auto operands = [&](const std::function<void(Json &)> &spoil) {
    return program([&](Json &p) { spoil(p["steps"][0]["operands"]); });
  };
  EXPECT_THAT(operands([](Json &o) { o.erase("w2"); }),
              HasSubstr("w2 is missing: the map forward of this layer needs it"));
  EXPECT_THAT(operands([](Json &o) { o.erase("factor"); }), HasSubstr("factor is missing"));
  EXPECT_THAT(operands([](Json &o) { o["w3"] = "up"; }), HasSubstr("w3 is given, but the map forward"));
  EXPECT_THAT(operands([](Json &o) { o["bias"] = "scale"; }), HasSubstr("has no such operand"));
  EXPECT_THAT(operands([](Json &o) { o["factor"] = "alpha"; }),
              HasSubstr("factor is 'alpha' of shape [1], but the step needs [M]"));
  EXPECT_THAT(operands([](Json &o) { o["scale"] = "factor"; }), HasSubstr("but the step needs [15]"));
  EXPECT_THAT(operands([](Json &o) { o["y2"] = "y"; }), HasSubstr("y2 is 'y', which a step before this one"));
  EXPECT_THAT(operands([](Json &o) { o["residual"] = "g"; }),
              HasSubstr("residual is read, but no step before this one writes 'g'"));
  EXPECT_THAT(program([](Json &p) { p["operands"][4]["types"] = {"bf16"}; }),
              HasSubstr("factor is 'factor' of type bf16, which the step does not take"));
  EXPECT_THAT(program([](Json &p) { p["operands"][8]["types"] = {"f32", "bf16"}; }),
              HasSubstr("y2 is 'g' of type bf16, which the step does not take"));
  EXPECT_THAT(program([](Json &p) { p["steps"][0].erase("projection"); }),
              HasSubstr("projection is missing: the bundle has no projection of its own"));
  EXPECT_THAT(program([](Json &p) { p["steps"][0]["projection"] = "other"; }),
              HasSubstr("is 'other', which the bundle does not have"));
  EXPECT_THAT(program([](Json &p) { p["steps"][0]["projection"] = ""; }),
              HasSubstr("is '', which the bundle does not have"));
  EXPECT_THAT(program([](Json &p) { p["steps"][0]["map"] = "dw"; }),
              HasSubstr("map is dw, but the projection is fused: its kernels are of forward or dx"));
  EXPECT_THAT(program([](Json &p) { p["steps"][0]["elementwise"] = "forward_1"; }),
              HasSubstr("projection is given, but the step is an element-wise function"));
  EXPECT_THAT(program([](Json &p) {
                p["steps"][0].erase("projection");
                p["steps"][0].erase("map");
                p["steps"][0]["elementwise"] = "forward_1";
              }),
              HasSubstr("elementwise is 'forward_1', which the bundle does not have"));
}

TEST(FusedManifest, FunctionsThatStepsNameTakeWhatTheySay) {
  // Two functions by hand: total: x [M] -> y [1]; and scaled: the fused layer's alpha is their result, or an
  // operand that they read where the tensors are.
  const Layer layer = Bundle::parse(bundleWith(fusedManifest(shape("cyclic_bf16")))).projection(0).layer();
  const NamedLayer named = {"forward_0", &layer};
  const std::vector<NamedFunction> functions = {
      {"total",
       {{"x", OperandRole::Input, false, {OperandType::F32}, {Extent::of("M")}},
        {"y", OperandRole::Output, false, {OperandType::F32}, {Extent::number(1)}}}},
      {"shifted",
       {{"x", OperandRole::Input, false, {OperandType::F32}, {Extent::of("M")}},
        {"x2", OperandRole::Input, false, {OperandType::F32}, {Extent::number(1)}},
        {"y", OperandRole::Output, false, {OperandType::F32}, {Extent::of("M")}}}}};
  const auto read = [&](const std::function<void(Json &)> &change) -> std::string {
    Json document = {{"programs", fusedManifest(shape("cyclic_bf16"))["programs"]}};
    change(document["programs"][0]);
    const nlohmann::json plain = document;
    try {
      const std::vector<Program> programs = parsePrograms(JsonFields(plain, ""), {{&named, 1}, functions});
      EXPECT_EQ(unordered(programJson(programs.at(0), {{&named, 1}, functions})), plain["programs"][0]);
      return "";
    } catch (const Error &error) {
      return error.what();
    }
  };
  const auto insert = [](Json &program, const Json &step) {
    program["steps"].insert(program["steps"].begin(), step);
  };
  const Json shift = {{"elementwise", "shifted"},
                      {"operands", {{"x", "factor"}, {"x2", "beta"}, {"y", "moved"}}}};
  const auto shifted = [&](Json &program, const std::string &beta) {
    program["buffers"] = {{{"name", "moved"}, {"type", "f32"}, {"shape", Json::array({"M"})}}};
    insert(program, shift);
    program["steps"][0]["operands"]["x2"] = beta;
    program["steps"][1]["operands"]["factor"] = "moved";
  };
  EXPECT_EQ(read([&](Json &p) {
              shifted(p, "beta");
              p["operands"].push_back(p["operands"][6]);
              p["operands"].back()["name"] = "beta";
            }),
            "");
  const std::string other_place = read([&](Json &p) { shifted(p, "alpha"); });
  EXPECT_THAT(other_place,
              HasSubstr("alpha is 'alpha', a number in CPU memory that the step is launched with, but "
                        "another step reads it where the other tensors are"));
  EXPECT_THAT(read([&](Json &p) {
                shifted(p, "alpha");
                std::swap(p["steps"][0], p["steps"][1]);
                p["steps"][0]["operands"]["factor"] = "factor";
              }),
              HasSubstr("x2 is 'alpha', which another step is launched with: a number in CPU memory"));
  EXPECT_THAT(read([&](Json &p) {
                p["buffers"] = {{{"name", "sum"}, {"type", "f32"}, {"shape", Json::array({1})}}};
                insert(p, {{"elementwise", "total"}, {"operands", {{"x", "factor"}, {"y", "sum"}}}});
                p["steps"][1]["operands"]["alpha"] = "sum";
                p["operands"].erase(6);
              }),
              HasSubstr("alpha is 'sum', which a step computes, but the step is launched with this number"));
  EXPECT_THAT(read([&](Json &p) {
                shifted(p, "alpha");
                p["steps"][0]["operands"].erase("x2");
              }),
              HasSubstr("x2 is missing: the function shifted needs it"));
}

TEST(ProgramsAlone, HaveNoProjectionOfTheirOwn) {
  EXPECT_THAT(refusal([](Json &m) { m["kernels"] = Json::array(); }), HasSubstr("layer is missing"));
  EXPECT_THAT(refusal([](Json &m) { m["layer"] = m["projections"][0]["layer"]; }),
              HasSubstr("support is missing"));
  EXPECT_THAT(refusal([](Json &m) {
                for (const char *key : {"layer", "support", "kernels"})
                  m[key] = m["projections"][0][key];
              }),
              HasSubstr("layer.fused is given, but the bundle's own projection is a plain one"));
  EXPECT_THAT(refusal([](Json &m) { m["support"] = {{"kind", "complete"}}; }), HasSubstr("layer is missing"));
  EXPECT_THAT(refusal([](Json &m) {
                m["programs"] = Json::array();
                m.erase("projections");
              }),
              HasSubstr("layer is missing, and there are no programs: the bundle holds nothing"));
  const std::string bytes = bundleWith(fusedManifest(shape("cyclic_f32")));
  const BundleHandle bundle = openBytes(bytes);
  const std::string sentence = "this bundle holds programs, not one projection: call algrt_run";
  GuardedMatrix x(2, 20, 20, false), w(20, 30, 30, false), y(2, 30, 30, false);
  algrt_forward_args forward = algrt_forward_args_init();
  forward.x = &x.tensor;
  forward.w = &w.tensor;
  forward.y = &y.tensor;
  EXPECT_EQ(algrt_forward(bundle.get(), &forward), ALGRT_UNSUPPORTED);
  EXPECT_EQ(algrt_last_error(), sentence);
  algrt_dx_args dx = algrt_dx_args_init();
  dx.dy = &y.tensor;
  dx.w = &w.tensor;
  dx.dx = &x.tensor;
  EXPECT_EQ(algrt_dx(bundle.get(), &dx), ALGRT_UNSUPPORTED);
  EXPECT_EQ(algrt_last_error(), sentence);
  algrt_dw_args dw = algrt_dw_args_init();
  dw.x = &x.tensor;
  dw.dy = &y.tensor;
  dw.dw = &w.tensor;
  EXPECT_EQ(algrt_dw(bundle.get(), &dw), ALGRT_UNSUPPORTED);
  EXPECT_EQ(algrt_last_error(), sentence);
  algrt_weights *packed = nullptr;
  EXPECT_EQ(algrt_weights_pack(bundle.get(), &w.tensor, 1, &packed), ALGRT_UNSUPPORTED);
  EXPECT_EQ(algrt_last_error(), sentence);
  size_t size = 0;
  EXPECT_EQ(algrt_workspace_size(bundle.get(), 4, 1, &size), ALGRT_UNSUPPORTED);
  EXPECT_EQ(algrt_last_error(), sentence);
  algrt_bundle_info info = algrt_bundle_info_init();
  EXPECT_EQ(algrt_bundle_get_info(bundle.get(), &info), ALGRT_UNSUPPORTED);
  EXPECT_EQ(algrt_last_error(), sentence);
  int64_t count = 0;
  EXPECT_EQ(algrt_bundle_get_terms(bundle.get(), 0, 0, nullptr, 0, &count), ALGRT_UNSUPPORTED);
  EXPECT_EQ(algrt_last_error(), sentence);
  EXPECT_EQ(algrt_program_count(bundle.get()), 1);
  const Json kernels = Json::parse(algrt_bundle_describe_kernels(bundle.get()));
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0]["projection"], "forward_0");
  algrt_operand_info operand = algrt_operand_info_init();
  ASSERT_EQ(algrt_program_get_operand(bundle.get(), "both", 6, &operand), ALGRT_OK) << algrt_last_error();
  EXPECT_STREQ(operand.name, "alpha");
  EXPECT_EQ(operand.host, 1);
  ASSERT_EQ(algrt_program_get_operand(bundle.get(), "both", 5, &operand), ALGRT_OK);
  EXPECT_EQ(operand.host, 0);
}

} // namespace
} // namespace algrt::test
