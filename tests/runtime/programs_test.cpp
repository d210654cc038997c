// Programs of a bundle on the CPU: signatures, calls with named tensors, and steps that hand something on.
#include "runtime/support/error.h"
#include "runtime/support/file.h"
#include "tests/runtime/cpu_product.h"
#include "tests/runtime/records.h"
#include "tests/runtime/two_steps.h"
#include "tests/runtime/usual_parameters.h"

#include <algorithm>
#include <gmock/gmock.h>

namespace algrt::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

std::string codeOf(const std::string &shape) {
  return readFile(std::string(ALGRT_TEST_KERNELS) + "/kernels_" + shape + ".so");
}

// 20 -> 30 -> 20 by kernels of the shapes cyclic and down.
Json bothManifest(const std::string &type = "f32") {
  Json down = withPrograms(manifestOf(shape("down_" + type)));
  for (Json &kernel : down["kernels"])
    kernel["section"] = "down-code";
  return twoSteps(manifestOf(shape("cyclic_" + type)), down);
}

std::string bothBundle(const Json &manifest, const std::string &type = "f32") {
  return encodeBundle(manifest, {{"code", "shared-object", codeOf("cyclic_" + type)},
                                 {"down-code", "shared-object", codeOf("down_" + type)}});
}

struct Both {
  Both(const std::string &type, int64_t m)
      : up(shape("cyclic_" + type)), down(shape("down_" + type)),
        bundle(openBytes(bothBundle(bothManifest(type), type))), x(m, up.k(), up.k() + 3, up.bfloat16),
        w_up(up.k(), up.n(), up.n(), up.bfloat16), w_down(down.k(), down.n(), down.n() + 1, up.bfloat16),
        y(m, down.n(), down.n() + 2, up.bfloat16), h(m, up.n(), up.n(), up.bfloat16),
        expected(m, down.n(), down.n(), up.bfloat16) {
    x.fill(1, 1);
    w_up.fill(2, 0.3);
    w_down.fill(3, 0.3);
    tensors = {{"y", &y.tensor, nullptr},
               {"up", &w_up.tensor, nullptr},
               {"x", &x.tensor, nullptr},
               {"down", &w_down.tensor, nullptr}};
  }
  int run() { return algrt_run(bundle.get(), "both", tensors.data(), int64_t(tensors.size()), &options); }
  // The two products by themselves.
  void compute() {
    const BundleHandle first = openBytes(bundleOf(up)), second = openBytes(bundleOf(down));
    const auto multiply = [&](const BundleHandle &bundle, const DLTensor &x, const DLTensor &w,
                              const DLTensor &y) {
      algrt_forward_args args = algrt_forward_args_init();
      args.x = &x;
      args.w = &w;
      args.y = &y;
      args.p0 = options.p0;
      EXPECT_EQ(algrt_forward(bundle.get(), &args), ALGRT_OK) << algrt_last_error();
    };
    multiply(first, x.tensor, w_up.tensor, h.tensor);
    multiply(second, h.tensor, w_down.tensor, expected.tensor);
  }
  void expectRuns(const std::string &what) {
    y.poison();
    ASSERT_EQ(run(), ALGRT_OK) << what << ": " << algrt_last_error();
    compute();
    EXPECT_EQ(y.values(), expected.values()) << what;
    EXPECT_TRUE(y.paddingUntouched()) << what;
  }

  Shape up, down;
  BundleHandle bundle;
  GuardedMatrix x, w_up, w_down, y, h, expected;
  std::vector<algrt_named_tensor> tensors;
  algrt_run_options options = algrt_run_options_init();
};

TEST(Programs, HaveSignatures) {
  const BundleHandle bundle = openBytes(bundleOf(shape("slots_f32")));
  ASSERT_EQ(algrt_program_count(bundle.get()), 1);
  EXPECT_STREQ(algrt_program_name(bundle.get(), 0), "forward");
  EXPECT_EQ(algrt_program_name(bundle.get(), 1), nullptr);
  EXPECT_EQ(algrt_program_name(bundle.get(), -1), nullptr);
  EXPECT_EQ(algrt_program_count(nullptr), 0);
  int64_t count = 0;
  ASSERT_EQ(algrt_program_operand_count(bundle.get(), "forward", &count), ALGRT_OK);
  ASSERT_EQ(count, 6);
  std::vector<std::string> texts;
  for (int64_t i = 0; i < count; ++i) {
    algrt_operand_info info = algrt_operand_info_init();
    ASSERT_EQ(algrt_program_get_operand(bundle.get(), "forward", i, &info), ALGRT_OK);
    std::string text = std::string(info.name) + " " + std::to_string(info.role) +
                       (info.optional ? " optional" : "") + " " + std::to_string(info.dtypes[0].bits) +
                       " of " + std::to_string(info.dtype_count);
    for (int32_t d = 0; d < info.ndim; ++d)
      text += std::string(" ") + (info.shape[d] < 0 ? info.symbols[d] : std::to_string(info.shape[d]));
    texts.push_back(text);
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"x 0 32 of 1 M 12", "w 1 32 of 1 4 3 5", "y 2 32 of 1 M 20",
                                             "positions 0 optional 32 of 2 M",
                                             "sequence_starts 0 optional 32 of 2 S + 1",
                                             "sequence_positions 0 optional 32 of 2 S"}));
  algrt_operand_info info = algrt_operand_info_init();
  EXPECT_EQ(algrt_program_get_operand(bundle.get(), "forward", 6, &info), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("index is 6, program forward has 6 operands"));
  info.struct_size = 0;
  EXPECT_EQ(algrt_program_get_operand(bundle.get(), "forward", 0, &info), ALGRT_INVALID_ARGUMENT);
  EXPECT_EQ(algrt_program_operand_count(bundle.get(), "dx", &count), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("the bundle has no program 'dx': it has forward"));
  EXPECT_EQ(algrt_program_operand_count(nullptr, "dx", &count), ALGRT_INVALID_ARGUMENT);
}

class ProgramsOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Shapes, ProgramsOf,
                         testing::Values("cyclic_f32", "cyclic_bf16", "down_f32", "down_bf16", "interval_f32",
                                         "explicit_f32", "slots_f32"));

// What the function does, with names in the place of arguments, the user's bank or a packed one.
TEST_P(ProgramsOf, AProjectionAreItsFunctions) {
  for (const int64_t m : {0, 1, 13}) {
    CpuProduct product(shape(GetParam()), m, 2);
    product.args.p0 = product.shape.period == 0 ? 0 : 7;
    ASSERT_EQ(algrt_forward(product.bundle.get(), &product.args), ALGRT_OK) << algrt_last_error();
    const std::vector<float> expected = product.y.values();
    const WeightsHandle packed = packWeights(product.bundle, product.w.tensor);
    for (const bool packs : {false, true}) {
      GuardedMatrix y(m, product.shape.n(), product.shape.n() + 1, product.shape.bfloat16);
      std::vector<algrt_named_tensor> tensors = {{"x", &product.x.tensor, nullptr},
                                                 {"y", &y.tensor, nullptr}};
      tensors.push_back({"w", packs ? nullptr : &product.w.tensor, packs ? packed.get() : nullptr});
      if (product.shape.period == 0)
        tensors.push_back({"types", &product.types_tensor, nullptr});
      algrt_run_options options = algrt_run_options_init();
      options.p0 = product.args.p0;
      ASSERT_EQ(algrt_run(product.bundle.get(), "forward", tensors.data(), int64_t(tensors.size()), &options),
                ALGRT_OK)
          << algrt_last_error();
      if (!packs) {
        EXPECT_EQ(y.values(), expected);
      } else {
        EXPECT_TRUE(m == 0 || compare(y.values(), std::vector<double>(expected.begin(), expected.end()))
                                  .within(tolerance(product.shape.bfloat16)));
      }
      EXPECT_TRUE(y.paddingUntouched());
    }
  }
}

// A bank of the slot lift as one matrix, and without options.
TEST(Programs, LeadingExtentsOfWeightsMayBeJoined) {
  CpuProduct product(shape("slots_f32"), 4);
  ASSERT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
  const std::vector<float> expected = product.y.values();
  product.y.poison();
  const algrt_named_tensor tensors[] = {{"x", &product.x.tensor, nullptr},
                                        {"w", &product.w.tensor, nullptr},
                                        {"y", &product.y.tensor, nullptr}};
  ASSERT_EQ(product.w.tensor.ndim, 2);
  EXPECT_EQ(algrt_run(product.bundle.get(), "forward", tensors, 3, nullptr), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(product.y.values(), expected);
}

TEST(Programs, StepsHandOnWhatTheyCompute) {
  for (const char *type : {"f32", "bf16"})
    for (const int64_t m : {0, 1, 5, 40})
      for (const int64_t p0 : {0, 3}) {
        Both both(type, m);
        both.options.p0 = p0;
        const std::string what = std::string(type) + ", m " + std::to_string(m);
        both.expectRuns(what);
        // In a workspace at any address, of as many bytes as it says and no fewer.
        size_t bytes = 0;
        ASSERT_EQ(algrt_program_workspace_size(both.bundle.get(), "both", m, 1, &bytes), ALGRT_OK);
        std::vector<std::byte> memory(bytes + 64, std::byte(0x5a));
        for (const size_t shift : {0, 1, 40}) {
          both.options.workspace = memory.data() + shift;
          both.options.workspace_bytes = bytes;
          both.options.threads = 1;
          both.expectRuns(what + ", with a workspace");
          EXPECT_TRUE(std::all_of(memory.begin() + std::ptrdiff_t(shift + bytes), memory.end(),
                                  [](std::byte byte) { return byte == std::byte(0x5a); }));
        }
        // Too few for the buffers, or for a step: the message has the bytes of all. No rows take no steps.
        for (const size_t fewer : {size_t(100), m == 0 ? size_t(0) : bytes - 1}) {
          both.options.workspace_bytes = fewer;
          EXPECT_EQ(both.run(), ALGRT_WORKSPACE_TOO_SMALL);
          EXPECT_THAT(algrt_last_error(),
                      HasSubstr("workspace has " + std::to_string(fewer) + " bytes, program both needs " +
                                std::to_string(bytes) + " bytes for " + std::to_string(m) +
                                (m == 1 ? " row:" : " rows:")));
        }
      }
}

TEST(Programs, TellWhatIsWrongWithACall) {
  Both both("f32", 6);
  const auto refusal = [&](int status = ALGRT_INVALID_ARGUMENT) {
    EXPECT_EQ(both.run(), status);
    return std::string(algrt_last_error());
  };
  const auto with = [&](size_t index, const algrt_named_tensor &other) {
    const algrt_named_tensor kept = std::exchange(both.tensors[index], other);
    const std::string message = refusal();
    both.tensors[index] = kept;
    return message;
  };
  both.expectRuns("nothing is wrong");
  EXPECT_THAT(with(1, {"gate", &both.w_up.tensor, nullptr}),
              HasSubstr("gate: program both has no such operand; it has x, up, down, y"));
  EXPECT_THAT(with(1, {"x", &both.x.tensor, nullptr}), HasSubstr("x: is given twice"));
  EXPECT_THAT(with(1, {"up", nullptr, nullptr}), HasSubstr("up: is null"));
  EXPECT_THAT(with(1, {nullptr, &both.x.tensor, nullptr}), HasSubstr("tensors[1].name is null"));
  EXPECT_THAT(with(1, {"h", &both.h.tensor, nullptr}), HasSubstr("h: program both has no such operand"));
  GuardedMatrix wrong(6, 20, 20, true);
  EXPECT_THAT(with(2, {"x", &wrong.tensor, nullptr}),
              HasSubstr("x: is of another type than program both takes, f32"));
  EXPECT_THAT(with(1, {"up", &both.x.tensor, nullptr}), HasSubstr("up: has shape [6, 20], needs [20, 30]"));
  EXPECT_THAT(with(1, {"up", &both.w_down.tensor, nullptr}),
              HasSubstr("up: has shape [30, 20], needs [20, 30]: transposed?"));
  GuardedMatrix shorter(5, 20, 20, false);
  EXPECT_THAT(with(0, {"y", &shorter.tensor, nullptr}),
              HasSubstr("y: has shape [5, 20], needs [M, 20], where M is 6 as x has it"));
  const BundleHandle alone = openBytes(bundleOf(both.up));
  const WeightsHandle packed = packWeights(alone, both.w_up.tensor);
  EXPECT_THAT(with(1, {"up", nullptr, packed.get()}), HasSubstr("weights were packed for another bundle"));
  EXPECT_THAT(with(2, {"x", nullptr, packed.get()}),
              HasSubstr("x: is given as packed weights, but is an input"));
  EXPECT_THAT(with(1, {"up", &both.w_up.tensor, packed.get()}),
              HasSubstr("up: has a tensor and packed weights"));
  DLTensor elsewhere = both.w_down.tensor;
  elsewhere.device = {kDLCUDA, 0};
  EXPECT_THAT(with(3, {"down", &elsewhere, nullptr}),
              HasSubstr("down: is on a device of DLPack type 2 (CUDA), number 0, needs to be in CPU memory"));
  both.tensors.pop_back();
  EXPECT_THAT(refusal(), HasSubstr("down: is missing: program both needs it, of shape [30, 20]"));
  both.tensors.push_back({"down", &both.w_down.tensor, nullptr});
  both.options.kernel = 1;
  EXPECT_THAT(refusal(), HasSubstr("kernel and dependent_launch are for programs of one step, both has 2"));
  both.options.kernel = 0;
  both.options.beta = 1;
  EXPECT_THAT(refusal(), HasSubstr("beta is set, but program both adds to nothing"));
  both.options.beta = 0;
  both.options.p0 = -1;
  EXPECT_STREQ(refusal().c_str(), "p0 is -1, needs 0 or more");
  both.options.p0 = 0;
  both.options.struct_size = 3;
  EXPECT_STREQ(refusal().c_str(), "options: struct_size is 3; start from algrt_run_options_init()");
  EXPECT_EQ(algrt_run(both.bundle.get(), nullptr, nullptr, 0, nullptr), ALGRT_INVALID_ARGUMENT);
  EXPECT_EQ(algrt_run(both.bundle.get(), "both", nullptr, 1, nullptr), ALGRT_INVALID_ARGUMENT);
  EXPECT_EQ(algrt_run(both.bundle.get(), "both", nullptr, -1, nullptr), ALGRT_INVALID_ARGUMENT);
  EXPECT_EQ(algrt_run(both.bundle.get(), "three", nullptr, 0, nullptr), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("the bundle has no program 'three': it has forward, both"));
}

TEST(Programs, DescribeKernelsOfAllProjections) {
  const Both both("f32", 1);
  const Json list = Json::parse(algrt_bundle_describe_kernels(both.bundle.get()));
  ASSERT_EQ(list.size(), 6u);
  EXPECT_FALSE(list[0].contains("projection"));
  EXPECT_EQ(list[3]["projection"], "down");
  EXPECT_EQ(list[3]["usable"], true);
}

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
  EXPECT_THAT(both([](Json &p) { p["steps"][1]["operands"]["x"] = "y"; }), HasSubstr("'y' is an output"));
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

// A program of two steps that have nothing to do with each other: g = x up, y = z down.
TEST(Programs, OutputsOverlapTensorsOfNoStep) {
  Json manifest = bothManifest();
  Json apart = manifest["programs"][1];
  apart["name"] = "apart";
  apart.erase("buffers");
  Json z = apart["operands"][0], g = apart["operands"][3];
  z["name"] = "z";
  g["name"] = "g";
  z["shape"][1] = g["shape"][1] = 30;
  apart["operands"].push_back(z);
  apart["operands"].push_back(g);
  apart["steps"][0]["operands"]["y"] = "g";
  apart["steps"][1]["operands"]["x"] = "z";
  manifest["programs"].push_back(apart);
  constexpr int64_t m = 5;
  Both both("f32", m);
  both.bundle = openBytes(bothBundle(manifest));
  GuardedMatrix &result = both.h, input(m, 30, 31, false), joint(m, 50, 50, false);
  input.fill(4, 1);
  both.tensors.push_back({"z", &input.tensor, nullptr});
  both.tensors.push_back({"g", &result.tensor, nullptr});
  const auto run = [&] {
    return algrt_run(both.bundle.get(), "apart", both.tensors.data(), int64_t(both.tensors.size()), nullptr);
  };
  const auto refused = [&](const char *sentence) {
    EXPECT_EQ(run(), ALGRT_INVALID_ARGUMENT);
    EXPECT_THAT(algrt_last_error(), HasSubstr(sentence));
  };
  ASSERT_EQ(run(), ALGRT_OK) << algrt_last_error();
  const std::vector<float> g_values = result.values(), y_values = both.y.values();
  void *const own = result.tensor.data;
  result.tensor.data = both.w_down.tensor.data;
  refused("g: overlaps down: it is written while down is still being read");
  result.tensor.data = both.y.tensor.data;
  refused("y: overlaps g: both are written");
  result.tensor.data = own;
  void *const own_y = both.y.tensor.data;
  both.y.tensor.data = both.x.tensor.data; // that the step before has read
  refused("y: overlaps x: ");
  both.y.tensor.data = own_y;
  int64_t apart_strides[] = {1, 21};
  DLTensor transposed = both.w_down.tensor;
  transposed.strides = apart_strides;
  both.tensors[3].tensor = &transposed;
  refused("down: has stride 21 inside a row, needs 1");
  both.tensors[3].tensor = &both.w_down.tensor;
  // Columns of one matrix.
  DLTensor left = joint.tensor, right = joint.tensor;
  int64_t left_shape[] = {m, 30}, right_shape[] = {m, 20};
  left.shape = left_shape;
  right.shape = right_shape;
  right.byte_offset = 30 * sizeof(float);
  both.tensors[0].tensor = &right;
  both.tensors[5].tensor = &left;
  ASSERT_EQ(run(), ALGRT_OK) << algrt_last_error();
  for (int64_t r = 0; r < m; ++r)
    for (int64_t c = 0; c < 50; ++c)
      EXPECT_EQ(joint.at(r, c), c < 30 ? g_values[size_t(r * 30 + c)] : y_values[size_t(r * 20 + c - 30)]);
  right.byte_offset -= sizeof(float);
  refused("y: overlaps g: both are written");
}

// Numbers of kernels are those of the list that describes them, of all projections.
TEST(Programs, OfOneStepRunTheKernelAskedFor) {
  Json manifest = bothManifest();
  for (Json &kernel : manifest["projections"][0]["kernels"])
    kernel["name"] = "down-" + kernel["name"].get<std::string>();
  Json down = manifest["programs"][0];
  down["name"] = "down";
  for (Json &operand : down["operands"])
    if (operand["name"] == "x" || operand["name"] == "y")
      operand["shape"][1] = operand["name"] == "x" ? 30 : 20;
    else if (operand["name"] == "w")
      operand["shape"] = {30, 20};
  down["steps"][0]["projection"] = "down";
  manifest["programs"].push_back(down);
  Both both("f32", 5);
  both.bundle = openBytes(bothBundle(manifest));
  both.compute(); // what h and the result are
  both.tensors = {
      {"x", &both.h.tensor, nullptr}, {"w", &both.w_down.tensor, nullptr}, {"y", &both.y.tensor, nullptr}};
  const auto run = [&](const char *program, int32_t kernel) {
    both.options.kernel = kernel;
    const int status = algrt_run(both.bundle.get(), program, both.tensors.data(), 3, &both.options);
    return std::pair(status, status == ALGRT_OK ? "" : std::string(algrt_last_error()));
  };
  const Json list = Json::parse(algrt_bundle_describe_kernels(both.bundle.get()));
  for (const int32_t kernel : {5, 6}) {
    EXPECT_EQ(list[size_t(kernel) - 1]["projection"], "down");
    both.y.poison();
    EXPECT_EQ(run("down", kernel).second, "");
    EXPECT_TRUE(
        compare(both.y.values(), std::vector<double>(both.expected.wide.begin(), both.expected.wide.end()))
            .within(tolerance(false)));
  }
  EXPECT_THAT(run("down", 4).second, HasSubstr("kernel down-forward-packed takes packed weights, not w"));
  for (const int32_t kernel : {1, 3, 7})
    EXPECT_THAT(run("down", kernel).second,
                HasSubstr("kernel is " + std::to_string(kernel) +
                          ", but program down is a step of projection down, whose kernels are 4 to 6"));
  EXPECT_EQ(run("down", -1).second, "kernel is -1, needs 0 or more");
  both.tensors = {
      {"x", &both.x.tensor, nullptr}, {"w", &both.w_up.tensor, nullptr}, {"y", &both.h.tensor, nullptr}};
  EXPECT_EQ(run("forward", 2).second, "");
  EXPECT_THAT(run("forward", 4).second,
              HasSubstr("forward is a step of the bundle's own projection, whose kernels are 1 to 3"));
}

// What a gradient is added to has to be there: a buffer holds nothing before it is written.
TEST(Programs, AddToNoBuffer) {
  Json manifest = manifestOf(shape("cyclic_f32"));
  const Json x = {{"name", "x"}, {"role", "input"}, {"types", {"f32"}}, {"shape", {"M", 20}}};
  Json dy = x, y = x;
  dy["name"] = "dy";
  y["name"] = "y";
  y["role"] = "output";
  dy["shape"][1] = y["shape"][1] = 30;
  manifest = withPrograms(manifest);
  manifest["programs"].push_back(
      {{"name", "chain"},
       {"operands", {x, dy, y}},
       {"buffers", {{{"name", "g"}, {"type", "f32"}, {"shape", {20, 30}}}}},
       {"steps",
        {{{"map", "dw"}, {"operands", {{"x", "x"}, {"dy", "dy"}, {"dw", "g"}}}},
         {{"map", "forward"}, {"operands", {{"x", "x"}, {"w", "g"}, {"y", "y"}}}}}}});
  const BundleHandle bundle = openBytes(bundleOf(shape("cyclic_f32"), manifest));
  GuardedMatrix rows(4, 20, 20, false), gradient(4, 30, 30, false), result(4, 30, 30, false);
  const algrt_named_tensor tensors[] = {
      {"x", &rows.tensor, nullptr}, {"dy", &gradient.tensor, nullptr}, {"y", &result.tensor, nullptr}};
  algrt_run_options options = algrt_run_options_init();
  options.beta = 0.5;
  EXPECT_EQ(algrt_run(bundle.get(), "chain", tensors, 3, &options), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(),
              HasSubstr("beta is set, but step 1 of program chain writes dw to its buffer g, which holds "
                        "nothing yet: pass 0"));
  options.beta = 0; // the kernels by hand are none of dw
  EXPECT_EQ(algrt_run(bundle.get(), "chain", tensors, 3, &options), ALGRT_UNSUPPORTED);
  EXPECT_THAT(algrt_last_error(),
              HasSubstr("step 1 (dw: x is x, dy is dy, dw is g): the bundle has no kernel"));
}

TEST(Programs, TakePackedWeightsForTheBankAlone) {
  Json manifest = manifestOf(shape("cyclic_f32"));
  manifest["layer"]["bias"] = true;
  CpuProduct product(shape("cyclic_f32"), 4);
  const WeightsHandle packed = packWeights(product.bundle, product.w.tensor);
  const BundleHandle bundle = openBytes(bundleOf(shape("cyclic_f32"), manifest));
  const algrt_named_tensor tensors[] = {{"x", &product.x.tensor, nullptr},
                                        {"w", &product.w.tensor, nullptr},
                                        {"bias", nullptr, packed.get()},
                                        {"y", &product.y.tensor, nullptr}};
  EXPECT_EQ(algrt_run(bundle.get(), "forward", tensors, 4, nullptr), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("bias: is given as packed weights"));
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

// A fault in a further projection's code is found as one in the bundle's own.
TEST(Programs, CodeOfFurtherProjectionsSaysWhatItIs) {
  Json manifest = bothManifest();
  manifest["projections"][0]["kernels"][2]["scratch_bytes"] = 4096; // for few rows
  Both both("f32", 3);
  both.bundle = openBytes(bothBundle(manifest));
  EXPECT_EQ(both.run(), ALGRT_BAD_BUNDLE);
  EXPECT_THAT(algrt_last_error(), HasSubstr("step 2 (forward: x is h, w is down, y is y): kernel "));
  EXPECT_THAT(algrt_last_error(), HasSubstr("scratch_bytes is 4096 in the manifest"));
}

} // namespace
} // namespace algrt::test
