// algrt_run on steps of fused layers: several products of the same rows, what maps of their sums read,
// several results, by kernels written by hand.
#include "runtime/support/file.h"
#include "tests/runtime/cpu_product.h"
#include "tests/runtime/fused.h"
#include "tests/runtime/usual_parameters.h"

#include <functional>
#include <gmock/gmock.h>

namespace algrt::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::StartsWith;

std::string codeOf(const std::string &type) {
  return readFile(std::string(ALGRT_TEST_KERNELS) + "/kernels_fused_" + type + ".so");
}

// The only row of a matrix, or its only column, as a tensor of one dimension.
DLTensor vectorOf(GuardedMatrix &matrix) {
  DLTensor tensor = matrix.tensor;
  tensor.ndim = 1;
  tensor.shape = matrix.rows == 1 ? &matrix.shape[1] : &matrix.shape[0];
  tensor.strides = nullptr;
  return tensor;
}

struct Fused {
  Fused(const std::string &type, int64_t m, int64_t padding = 1)
      : type(type), shape(test::shape("cyclic_" + type)),
        bundle(openBytes(fusedBundle(fusedManifest(shape), codeOf(type)))), m(m), n(shape.n()),
        x(m, shape.k(), shape.k() + padding, shape.bfloat16), gate(shape.k(), n, n + padding, shape.bfloat16),
        up(shape.k(), n, n, shape.bfloat16), scale(1, n, n, shape.bfloat16), factor(m, 1, 1, false),
        residual(m, n, n + 2 * padding, shape.bfloat16), alpha(1, 1, 1, false),
        y(m, n, n + padding, shape.bfloat16), g(m, n, n + padding, false), scale_tensor(vectorOf(scale)),
        factor_tensor(vectorOf(factor)), alpha_tensor(vectorOf(alpha)) {
    factor_tensor.shape = &factor.shape[0]; // also of one row
    uint64_t seed = 1;
    for (GuardedMatrix *matrix : {&x, &gate, &up, &scale, &factor, &residual})
      matrix->fill(seed++, matrix == &gate || matrix == &up ? 0.2 : 1);
    alpha.set(0, 0, 0.75f);
    tensors = {{"alpha", &alpha_tensor, nullptr},
               {"x", &x.tensor, nullptr},
               {"gate", &gate.tensor, nullptr},
               {"up", &up.tensor, nullptr},
               {"scale", &scale_tensor, nullptr},
               {"factor", &factor_tensor, nullptr},
               {"residual", &residual.tensor, nullptr},
               {"y", &y.tensor, nullptr},
               {"g", &g.tensor, nullptr}};
  }

  algrt_named_tensor &operator[](std::string_view name) {
    return *std::ranges::find_if(tensors, [&](const algrt_named_tensor &one) { return one.name == name; });
  }
  int run() { return algrt_run(bundle.get(), "both", tensors.data(), int64_t(tensors.size()), &options); }
  std::string refusal(int status = ALGRT_INVALID_ARGUMENT) {
    EXPECT_EQ(run(), status);
    return algrt_last_error();
  }

  // In double, of the same rounded operands; `types` are those of the rows.
  void expectRight(const std::string &what, const std::vector<int32_t> &types = {}) {
    const Bundle parsed = Bundle::parse(fusedBundle(fusedManifest(shape), codeOf(type)));
    const auto product = [&](const GuardedMatrix &w) {
      const std::vector<float> x_values = x.values(), w_values = w.values();
      return referenceForward({&parsed.projection(0).layer(), &parsed.projection(0).support(), m,
                               x_values.data(), shape.k(), w_values.data(), n, options.p0,
                               types.empty() ? nullptr : types.data()});
    };
    const std::vector<double> gates = product(gate), ups = product(up);
    std::vector<double> expected;
    for (int64_t row = 0; row < m; ++row)
      for (int64_t column = 0; column < n; ++column) {
        const size_t i = size_t(row * n + column);
        expected.push_back(double(alpha.at(0, 0)) * factor.at(row, 0) * gates[i] * ups[i] +
                           scale.at(0, column) + residual.at(row, column));
      }
    EXPECT_TRUE(m == 0 || compare(y.values(), expected).within(tolerance(shape.bfloat16))) << what;
    EXPECT_TRUE(m == 0 || compare(g.values(), ups).within(tolerance(false))) << what;
    EXPECT_TRUE(y.paddingUntouched() && g.paddingUntouched()) << what;
  }
  void expectRuns(const std::string &what, const std::vector<int32_t> &types = {}) {
    y.poison();
    g.poison();
    ASSERT_EQ(run(), ALGRT_OK) << what << ": " << algrt_last_error();
    expectRight(what, types);
  }
  WeightsHandle pack(const char *operand, const DLTensor &tensor) {
    algrt_weights *weights = nullptr;
    EXPECT_EQ(algrt_program_weights_pack(bundle.get(), "both", operand, &tensor, 0, &weights), ALGRT_OK)
        << algrt_last_error();
    return WeightsHandle(weights);
  }

  std::string type;
  Shape shape;
  BundleHandle bundle;
  int64_t m, n;
  GuardedMatrix x, gate, up, scale, factor, residual, alpha, y, g;
  DLTensor scale_tensor, factor_tensor, alpha_tensor;
  std::vector<algrt_named_tensor> tensors;
  algrt_run_options options = algrt_run_options_init();
};

TEST(Fused, StepsComputeAllTheirResults) {
  for (const char *type : {"f32", "bf16"})
    for (const int64_t m : {0, 1, 5, 23})
      for (const int64_t p0 : {0, 7}) {
        Fused fused(type, m);
        fused.options.p0 = p0;
        const std::string what = std::string(type) + ", m " + std::to_string(m);
        fused.expectRuns(what);
        size_t bytes = 0;
        ASSERT_EQ(algrt_program_workspace_size(fused.bundle.get(), "both", m, 2, &bytes), ALGRT_OK);
        std::vector<std::byte> memory(bytes);
        fused.options.workspace = memory.data();
        fused.options.workspace_bytes = bytes;
        fused.options.threads = 2;
        fused.expectRuns(what + ", with a workspace");
        for (const int32_t kernel : {2, 3}) {
          fused.options.kernel = kernel;
          fused.expectRuns(what + ", kernel " + std::to_string(kernel));
        }
      }
}

// A column of a matrix, as the statistics of rows may be.
TEST(Fused, NumbersForRowsMayLieApart) {
  for (const int64_t m : {0, 1, 7}) {
    Fused fused("bf16", m);
    GuardedMatrix apart(m, 1, 4, false);
    for (int64_t row = 0; row < m; ++row)
      apart.set(row, 0, fused.factor.at(row, 0));
    int64_t stride = 4;
    DLTensor column = fused.factor_tensor;
    column.data = apart.wide.data();
    column.strides = &stride;
    fused["factor"].tensor = &column;
    fused.expectRuns("every fourth number, m " + std::to_string(m));
    stride = 0;
    if (m > 1)
      EXPECT_THAT(fused.refusal(), HasSubstr("factor: has rows 0 elements apart"));
  }
}

TEST(Fused, RowsMayBeAtAnyPositions) {
  Fused fused("f32", 9);
  std::vector<int32_t> positions = {3, 8, 0, 0, 11, 4, 2, 7, 1}, types;
  for (const int32_t position : positions)
    types.push_back(position % 5);
  int64_t size = 9;
  DLTensor tensor{positions.data(), {kDLCPU, 0}, 1, {kDLInt, 32, 1}, &size, nullptr, 0};
  fused.tensors.push_back({"positions", &tensor, nullptr});
  // The program of the tests does not take positions; this one does.
  EXPECT_THAT(fused.refusal(), HasSubstr("positions: program both has no such operand"));
  Json manifest = fusedManifest(fused.shape);
  manifest["programs"][0]["operands"].push_back({{"name", "positions"},
                                                 {"role", "input"},
                                                 {"optional", true},
                                                 {"types", {"i32", "i64"}},
                                                 {"shape", Json::array({"M"})}});
  manifest["programs"][0]["steps"][0]["operands"]["positions"] = "positions";
  fused.bundle = openBytes(fusedBundle(manifest, codeOf("f32")));
  fused.expectRuns("positions", types);
  // The step calls them so, too.
  positions[2] = -5;
  EXPECT_THAT(fused.refusal(), StartsWith("positions: element 2 is -5"));
}

TEST(Fused, WeightsArePackedTogether) {
  for (const char *type : {"f32", "bf16"}) {
    Fused fused(type, 11);
    const WeightsHandle gate = fused.pack("gate", fused.gate.tensor), up = fused.pack("up", fused.up.tensor);
    EXPECT_GT(algrt_weights_bytes(gate.get()), 0u);
    fused["gate"] = {"gate", nullptr, gate.get()};
    EXPECT_THAT(fused.refusal(),
                HasSubstr("w2: is a tensor, but w is packed weights: pack all weights of a step"));
    fused["up"] = {"up", nullptr, up.get()};
    fused.expectRuns("packed");
    fused["gate"] = {"gate", &fused.gate.tensor, nullptr};
    EXPECT_THAT(fused.refusal(), HasSubstr("w2: is packed weights, but w is a tensor"));
    fused["gate"] = {"gate", nullptr, gate.get()};
    fused.options.kernel = 2;
    EXPECT_THAT(fused.refusal(), HasSubstr("kernel forward-copied takes w, not packed weights"));
  }
  Fused fused("f32", 2);
  const BundleHandle other = openBytes(bundleOf(shape("cyclic_f32")));
  const WeightsHandle foreign = packWeights(other, fused.gate.tensor);
  fused["gate"] = {"gate", nullptr, foreign.get()};
  EXPECT_THAT(fused.refusal(), StartsWith("step 1 (forward: x is x, w is gate, y is y, "));
  EXPECT_THAT(fused.refusal(), HasSubstr("): w: the weights were packed for another bundle"));
  fused["scale"] = {"scale", nullptr, foreign.get()};
  EXPECT_THAT(fused.refusal(),
              HasSubstr("scale: is given as packed weights, which stand for a weight matrix"));
  algrt_weights *packed = nullptr;
  const auto refusal = [&](const char *program, const char *operand, const DLTensor &tensor, int status) {
    EXPECT_EQ(algrt_program_weights_pack(fused.bundle.get(), program, operand, &tensor, 0, &packed), status);
    EXPECT_EQ(packed, nullptr);
    return std::string(algrt_last_error());
  };
  EXPECT_THAT(refusal("both", "x", fused.x.tensor, ALGRT_INVALID_ARGUMENT),
              HasSubstr("x: program both has no such weight"));
  EXPECT_THAT(refusal("both", "down", fused.x.tensor, ALGRT_INVALID_ARGUMENT), HasSubstr("no such weight"));
  EXPECT_THAT(refusal("none", "up", fused.up.tensor, ALGRT_INVALID_ARGUMENT), HasSubstr("no program 'none'"));
  EXPECT_THAT(refusal("both", "scale", fused.scale_tensor, ALGRT_UNSUPPORTED),
              HasSubstr("scale: program both reads it otherwise than as a weight matrix"));
  EXPECT_THAT(refusal("both", "up", fused.x.tensor, ALGRT_INVALID_ARGUMENT), HasSubstr("up: has"));
  EXPECT_EQ(algrt_program_weights_pack(nullptr, "both", "up", &fused.up.tensor, 0, &packed),
            ALGRT_INVALID_ARGUMENT);
  EXPECT_EQ(algrt_program_weights_pack(fused.bundle.get(), "both", nullptr, &fused.up.tensor, 0, &packed),
            ALGRT_INVALID_ARGUMENT);
  EXPECT_EQ(algrt_program_weights_pack(fused.bundle.get(), "both", "up", nullptr, 0, &packed),
            ALGRT_INVALID_ARGUMENT);
  EXPECT_EQ(algrt_program_weights_pack(fused.bundle.get(), "both", "up", &fused.up.tensor, -1, &packed),
            ALGRT_INVALID_ARGUMENT);
  EXPECT_EQ(algrt_program_weights_pack(fused.bundle.get(), "both", "up", &fused.up.tensor, 0, nullptr),
            ALGRT_INVALID_ARGUMENT);
}

// Of several results also where a step reads each element before it writes it.
TEST(Fused, ResultsOverlapNothingElse) {
  Fused fused("f32", 5, 0);
  const auto with = [&](const char *name, const DLTensor &tensor) {
    const algrt_named_tensor kept = std::exchange(fused[name], {name, &tensor, nullptr});
    const std::string message = fused.refusal();
    fused[name] = kept;
    return message;
  };
  EXPECT_THAT(with("residual", fused.y.tensor), HasSubstr("y: overlaps residual"));
  EXPECT_THAT(with("residual", fused.g.tensor), HasSubstr("y2: overlaps residual"));
  EXPECT_THAT(with("g", fused.y.tensor), HasSubstr("y2: overlaps y: both are written"));
  GuardedMatrix large(60, 30, 30, false);
  DLTensor inside = large.tensor, weight_matrix = large.tensor;
  inside.shape = fused.y.tensor.shape;
  inside.strides = fused.y.tensor.strides;
  inside.byte_offset = 30 * 30 * 4;
  const DLTensor *y = std::exchange(fused["y"].tensor, &inside);
  weight_matrix.shape = fused.up.tensor.shape;
  weight_matrix.byte_offset = 20 * 30 * 4;
  EXPECT_THAT(with("up", weight_matrix), HasSubstr("w2 is up, y2 is g): y: overlaps w2"));
  DLTensor scale = fused.scale_tensor, factor = fused.factor_tensor;
  scale.data = factor.data = large.tensor.data;
  scale.byte_offset = factor.byte_offset = inside.byte_offset + 8;
  EXPECT_THAT(with("scale", scale), HasSubstr("y: overlaps scale"));
  EXPECT_THAT(with("factor", factor), HasSubstr("y: overlaps factor"));
  // Each task reads the number for the call, while others have begun to write.
  DLTensor alpha = fused.alpha_tensor;
  alpha.data = large.tensor.data;
  alpha.byte_offset = inside.byte_offset + 8;
  EXPECT_THAT(with("alpha", alpha), HasSubstr("y: overlaps alpha"));
  fused["y"].tensor = y;
  fused.expectRuns("nothing overlaps");
}

TEST(Fused, CallsSayWhatTheyLack) {
  Fused fused("f32", 5);
  const auto with = [&](const char *name, const DLTensor *tensor, int status = ALGRT_INVALID_ARGUMENT) {
    const algrt_named_tensor kept = std::exchange(fused[name], {name, tensor, nullptr});
    const std::string message = fused.refusal(status);
    fused[name] = kept;
    return message;
  };
  EXPECT_THAT(with("alpha", nullptr), HasSubstr("alpha: is null"));
  int64_t two = 2;
  DLTensor wrong = fused.alpha_tensor;
  wrong.shape = &two;
  EXPECT_THAT(with("alpha", &wrong), HasSubstr("alpha: has shape [2], needs [1]"));
  EXPECT_THAT(with("factor", &fused.scale_tensor), HasSubstr("factor: has shape [30], needs [M]"));
  EXPECT_THAT(with("residual", &fused.x.tensor), HasSubstr("residual: has shape [5, 20], needs [M, 30]"));
  // Everything on a device but the number, or the number there, too.
  wrong = fused.alpha_tensor;
  wrong.device = {kDLCUDA, 0};
  EXPECT_THAT(with("alpha", &wrong), HasSubstr("alpha: is on a device of DLPack type 2 (CUDA)"));
  std::vector<DLTensor> there;
  for (const algrt_named_tensor &given : fused.tensors)
    there.push_back(*given.tensor);
  for (size_t i = 1; i < there.size(); ++i) {
    there[i].device = {kDLCUDA, 0};
    fused.tensors[i].tensor = &there[i];
  }
  EXPECT_THAT(fused.refusal(ALGRT_UNSUPPORTED),
              HasSubstr("x: is on a CUDA device, but the projection has no kernel for one"));
  Fused here("f32", 5);
  here.options.stream = &here;
  EXPECT_THAT(here.refusal(), HasSubstr("stream is set, but the tensors are in CPU memory"));
  here.options.stream = nullptr;
  here.options.dependent_launch = 1;
  EXPECT_THAT(here.refusal(), HasSubstr("dependent_launch is set, but the tensors are in CPU memory"));
  here.options.dependent_launch = 0;
  here.options.beta = 1;
  EXPECT_THAT(here.refusal(), HasSubstr("beta is set, but program both adds to nothing"));
}

// A manifest whose fusion is another one than that of the code, and otherwise in order.
TEST(Fused, CodeSaysWhatItIsFusedWith) {
  const auto fault = [&](const std::function<void(Json &)> &change) {
    // No step names the projection, so that anything may change.
    Json manifest = withPrograms(manifestOf(shape("cyclic_f32")));
    manifest["projections"] = fusedManifest(shape("cyclic_f32"))["projections"];
    change(manifest["projections"][0]);
    return Bundle::parse(fusedBundle(manifest, codeOf("f32"))).further()[0].fault(1);
  };
  EXPECT_EQ(fault([](Json &) {}), "");
  const std::string sentence =
      "what the manifest's layer is fused with is something else than its code was compiled for";
  const auto fusion = [&](const std::function<void(Json &)> &change) {
    return fault([&](Json &projection) { change(projection["layer"]["fused"]); });
  };
  EXPECT_EQ(fusion([](Json &f) { f["operands"][0]["per"] = "row"; }), sentence);
  EXPECT_EQ(fusion([](Json &f) { f["operands"][1]["per"] = "element"; }), sentence);
  EXPECT_EQ(fusion([](Json &f) { f["operands"][1]["type"] = "bf16"; }), sentence);
  EXPECT_EQ(fusion([](Json &f) { f["results"][1] = "bf16"; }), sentence);
  const auto with_operands = [&](const Json &operands, const std::function<void(Json &)> &change) {
    return fault([&](Json &projection) {
      for (Json &kernel : projection["kernels"])
        kernel["operands"] = operands;
      change(projection["layer"]["fused"]);
    });
  };
  EXPECT_EQ(with_operands({"x", "w", "w2", "bias", "factor", "residual", "alpha", "y", "y2"},
                          [](Json &f) { f["operands"][0]["name"] = "bias"; }),
            sentence);
  EXPECT_EQ(with_operands({"x", "w", "w2", "w3", "scale", "factor", "residual", "alpha", "y", "y2"},
                          [](Json &f) { f["weights"] = 3; }),
            sentence);
  EXPECT_EQ(with_operands({"x", "w", "w2", "scale", "factor", "residual", "alpha", "y"},
                          [](Json &f) { f["results"].erase(1); }),
            sentence);
  EXPECT_EQ(with_operands({"x", "w", "w2", "residual", "factor", "scale", "alpha", "y", "y2"},
                          [](Json &f) { std::swap(f["operands"][0], f["operands"][2]); }),
            sentence);
  EXPECT_EQ(fault([](Json &projection) {
              projection["layer"].erase("fused");
              for (Json &kernel : projection["kernels"])
                kernel["operands"] = {"x", "w", "y"};
            }),
            sentence);
}

} // namespace
} // namespace algrt::test
