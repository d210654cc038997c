// Element-wise functions in bundles: programs of them called through the runtime, on the CPU and, with
// kernels on the simulator, through a driver that stands in for a device; manifests that say what is not so.
#include "compiler/pipeline/elementwise_pipeline.h"
#include "runtime/algrt.h"
#include "runtime/api/tensor.h"
#include "runtime/bundle/writer.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/support/error.h"
#include "tests/compiler/elementwise/elementwise_function.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <memory>

namespace {

using namespace elementwise_test;
using Json = nlohmann::ordered_json;
using testing::HasSubstr;

constexpr const char *squares_text = R"(
!x = !alg.slots<?x40xbf16, rows(cyclic 2), cols(2 x 20)>
!f = !alg.slots<?x40xf32, rows(cyclic 2), cols(2 x 20)>
func.func private @f(%x: tensor<?x40xbf16>, %p0: index) -> tensor<?xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 20) : tensor<?x40xbf16>
  %s = alg.map %xs : (!x) -> !f {
  ^bb0(%a: bf16):
    %b = arith.extf %a : bf16 to f32
    %c = arith.mulf %b, %b : f32
    alg.yield %c : f32
  }
  %y = alg.reduce sum %s over columns : !f -> tensor<?xf32>
  return %y : tensor<?xf32>
}
)";

constexpr const char *scale_text = R"(
!x = !alg.slots<?x40xbf16, rows(cyclic 2), cols(2 x 20)>
func.func private @f(%x: tensor<?x40xbf16>, %w: tensor<40xbf16>, %r: tensor<?xf32>, %n: tensor<f32>) -> tensor<?x40xbf16> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 20) : tensor<?x40xbf16>
  %ys = alg.map %xs columns %w rows %r numbers %n : (!x, tensor<40xbf16>, tensor<?xf32>, tensor<f32>) -> !x {
  ^bb0(%a: bf16, %b: bf16, %c: f32, %d: f32):
    %aw = arith.extf %a : bf16 to f32
    %bw = arith.extf %b : bf16 to f32
    %sum = arith.addf %c, %d : f32
    %0 = arith.mulf %aw, %bw : f32
    %1 = arith.divf %0, %sum : f32
    %2 = arith.truncf %1 : f32 to bf16
    alg.yield %2 : bf16
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x40xbf16>
}
)";

/// The two functions with their code, under names of their own.
struct Functions {
  Functions() {
    for (const auto &[name, text] : {std::pair("squares", squares_text), std::pair("scale", scale_text)}) {
      std::string named = text;
      named.replace(named.find("@f"), 2, std::string("@") + name);
      TestFunction function(named, name);
      codes.push_back(
          compiler::compileElementwiseForCpu(function.described, "x86-64-v3", compiler::CompileOptions()));
      algrt::Elementwise description = function.description();
      description.kernels.push_back(codes.back().kernel);
      descriptions.push_back(description);
    }
  }

  Json manifest() const {
    Json json;
    for (const algrt::Elementwise &description : descriptions)
      json["elementwise"].push_back(algrt::elementwiseJson(description));
    json["programs"] = Json::parse(R"([{
      "name": "norm",
      "operands": [{"name": "in", "role": "input", "types": ["bf16"], "shape": ["M", 40]},
                   {"name": "weight", "role": "weight", "types": ["bf16"], "shape": [40]},
                   {"name": "epsilon", "role": "input", "types": ["f32"], "shape": [1]},
                   {"name": "out", "role": "output", "types": ["bf16"], "shape": ["M", 40]}],
      "buffers": [{"name": "sums", "type": "f32", "shape": ["M"]}],
      "steps": [{"elementwise": "squares", "operands": {"x": "in", "y": "sums"}},
                {"elementwise": "scale",
                 "operands": {"x": "in", "x2": "weight", "x3": "sums", "x4": "epsilon", "y": "out"}}]}])");
    return json;
  }

  std::string bundle(const Json &manifest) const {
    std::vector<algrt::SectionContent> sections;
    for (const compiler::ElementwiseCode &code : codes)
      for (const algrt::SectionContent &section : compiler::elementwiseSections(code))
        sections.push_back(section);
    return algrt::encodeBundle(manifest, sections);
  }

  std::vector<compiler::ElementwiseCode> codes;
  std::vector<algrt::Elementwise> descriptions;
};

const Functions &functions() {
  static const Functions made;
  return made;
}

struct Closing {
  void operator()(algrt_bundle *bundle) const { algrt_bundle_close(bundle); }
};

/// A tensor in CPU memory.
struct Tensor {
  Tensor(std::vector<int64_t> sizes, algrt::ElementType type)
      : shape(std::move(sizes)),
        bytes(static_cast<size_t>(compiler::elementCount(shape) * algrt::elementBytes(type) + 1)),
        tensor{bytes.data(),
               {kDLCPU, 0},
               static_cast<int32_t>(shape.size()),
               algrt::dlpackType(type),
               shape.data(),
               nullptr,
               0} {}
  void setBfloat16(size_t i, float value) {
    const uint16_t bits = algrt::toBfloat16(value);
    std::memcpy(bytes.data() + 2 * i, &bits, 2);
  }
  float bfloat16(size_t i) const {
    uint16_t bits;
    std::memcpy(&bits, bytes.data() + 2 * i, 2);
    return algrt::fromBfloat16(bits);
  }

  std::vector<int64_t> shape;
  std::vector<unsigned char> bytes;
  DLTensor tensor;
};

TEST(ElementwiseBundle, RunsProgramsOfFunctions) {
  const std::string bytes = functions().bundle(functions().manifest());
  algrt_bundle *opened = nullptr;
  ASSERT_EQ(algrt_bundle_open_memory(bytes.data(), bytes.size(), &opened), ALGRT_OK) << algrt_last_error();
  const std::unique_ptr<algrt_bundle, Closing> bundle(opened);
  constexpr size_t m = 700, n = 40;
  using enum algrt::ElementType;
  Tensor in({m, n}, Bf16), weight({n}, Bf16), epsilon({1}, F32), out({m, n}, Bf16);
  std::mt19937 random(5);
  for (size_t i = 0; i < m * n; ++i)
    in.setBfloat16(i, static_cast<float>(random() % 7) - 3);
  for (size_t i = 0; i < n; ++i)
    weight.setBfloat16(i, static_cast<float>(random() % 5) + 1);
  const float added = 0.5f;
  std::memcpy(epsilon.bytes.data(), &added, sizeof(added));
  const algrt_named_tensor tensors[] = {{"in", &in.tensor, nullptr},
                                        {"weight", &weight.tensor, nullptr},
                                        {"epsilon", &epsilon.tensor, nullptr},
                                        {"out", &out.tensor, nullptr}};
  for (const int32_t threads : {1, 0}) {
    algrt_run_options options = algrt_run_options_init();
    options.threads = threads;
    std::fill(out.bytes.begin(), out.bytes.end(), 0);
    ASSERT_EQ(algrt_run(bundle.get(), "norm", tensors, 4, &options), ALGRT_OK) << algrt_last_error();
    for (size_t row = 0; row < m; ++row) {
      float sum = added;
      for (size_t i = row * n; i < (row + 1) * n; ++i)
        sum += in.bfloat16(i) * in.bfloat16(i);
      for (size_t i = 0; i < n; ++i)
        ASSERT_EQ(out.bfloat16(row * n + i), algrt::fromBfloat16(algrt::toBfloat16(
                                                 in.bfloat16(row * n + i) * weight.bfloat16(i) / sum)));
    }
  }
}

TEST(ElementwiseBundle, RefusesWhatTheFunctionDoesNotTake) {
  const std::string bytes = functions().bundle(functions().manifest());
  algrt_bundle *opened = nullptr;
  ASSERT_EQ(algrt_bundle_open_memory(bytes.data(), bytes.size(), &opened), ALGRT_OK) << algrt_last_error();
  const std::unique_ptr<algrt_bundle, Closing> bundle(opened);
  using enum algrt::ElementType;
  Tensor in({5, 40}, Bf16), weight({40}, Bf16), epsilon({1}, F32);
  // The output is the input.
  const algrt_named_tensor tensors[] = {{"in", &in.tensor, nullptr},
                                        {"weight", &weight.tensor, nullptr},
                                        {"epsilon", &epsilon.tensor, nullptr},
                                        {"out", &in.tensor, nullptr}};
  EXPECT_EQ(algrt_run(bundle.get(), "norm", tensors, 4, nullptr), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("overlap"));
}

std::string refusal(const Json &manifest) {
  try {
    functions().bundle(manifest);
  } catch (const algrt::Error &error) {
    EXPECT_EQ(error.status(), ALGRT_BAD_BUNDLE);
    return error.what();
  }
  return "";
}

TEST(ElementwiseBundle, RefusesManifestsThatDoNotFit) {
  const auto changed = [](const char *pointer, Json value) {
    Json manifest = functions().manifest();
    manifest[Json::json_pointer(pointer)] = std::move(value);
    return manifest;
  };
  EXPECT_EQ(refusal(functions().manifest()), "");
  const std::tuple<const char *, Json, const char *> cases[] = {
      {"/elementwise/0/name", "", "is empty"},
      {"/elementwise/1/name", "squares", "'squares' is used twice"},
      {"/elementwise/0/domain", Json::array({"M"}), "has 1 dimensions, not 2: rows and columns"},
      {"/elementwise/0/domain", Json::array({"S", 40}), "has S, which is neither a number nor M"},
      {"/elementwise/0/operands", Json::array(), "have no output"},
      {"/elementwise/0/operands/0/role", "weight", "is 'weight', not one of input, output"},
      {"/elementwise/0/operands/0/per", "group", "is 'group', not one of element, row, column, call"},
      {"/elementwise/0/operands/0/type", "i32", "is 'i32', not one of f32, bf16"},
      {"/elementwise/0/operands/0/shape", Json::array({"M", 41}),
       "is [M, 41], which is not one number per element"},
      {"/elementwise/0/operands/1/shape", Json::array({40}), "is [40], which is not one number per row"},
      {"/elementwise/1/operands/1/shape", Json::array({"M"}), "is [M], which is not one number per column"},
      {"/elementwise/1/operands/3/shape", Json::array({2}), "is [2], which is not one number per call"},
      {"/elementwise/0/operands/1/name", "x", "'x' is used twice"},
      {"/elementwise/0/kernels/0/symbol", "", "is empty"},
      {"/elementwise/0/kernels/0/rows_per_task", -1, "rows_per_task"},
      {"/elementwise/0/kernels/0/section", "elsewhere", "'elsewhere' is not a section of kind shared-object"},
      {"/programs/0/steps/0/elementwise", "cubes", "is 'cubes', which the bundle does not have"},
      {"/programs/0/steps/0/operands/z", "in", "the function squares has no such operand"},
      {"/programs/0/buffers/0/shape", Json::array({40}), "of shape [40], but the step needs [M]"},
      {"/programs/0/buffers/0/type", "bf16", "of type bf16, which the step does not take"}};
  for (const auto &[pointer, value, message] : cases)
    EXPECT_THAT(refusal(changed(pointer, value)), HasSubstr(message)) << pointer;
  Json crossed = functions().manifest();
  std::swap(crossed["elementwise"][0]["operands"][0], crossed["elementwise"][0]["operands"][1]);
  EXPECT_THAT(refusal(crossed), HasSubstr("is input, behind an output: outputs come last"));
}

/// What becomes of a call with code that is not what the manifest says.
std::string faultOfCall(const Json &manifest) {
  const std::string bytes = functions().bundle(manifest);
  algrt_bundle *opened = nullptr;
  EXPECT_EQ(algrt_bundle_open_memory(bytes.data(), bytes.size(), &opened), ALGRT_OK) << algrt_last_error();
  const std::unique_ptr<algrt_bundle, Closing> bundle(opened);
  using enum algrt::ElementType;
  Tensor in({5, 40}, Bf16), weight({40}, Bf16), epsilon({1}, F32), out({5, 40}, Bf16);
  const algrt_named_tensor tensors[] = {{"in", &in.tensor, nullptr},
                                        {"weight", &weight.tensor, nullptr},
                                        {"epsilon", &epsilon.tensor, nullptr},
                                        {"out", &out.tensor, nullptr}};
  EXPECT_EQ(algrt_run(bundle.get(), "norm", tensors, 4, nullptr), ALGRT_BAD_BUNDLE);
  return algrt_last_error();
}

TEST(ElementwiseBundle, CallsNoCodeThatSaysSomethingElse) {
  Json manifest = functions().manifest();
  manifest["elementwise"][0]["kernels"][0]["rows_per_task"] = 7;
  EXPECT_THAT(faultOfCall(manifest), HasSubstr("rows_per_task is 7 in the manifest"));
  manifest = functions().manifest();
  manifest["elementwise"][1]["kernels"][0]["features"] = Json::array({"avx"});
  EXPECT_THAT(faultOfCall(manifest), HasSubstr("the features of the manifest's entry are others"));
  manifest = functions().manifest();
  manifest["elementwise"][0]["operands"][1]["name"] = "sum";
  manifest["programs"][0]["steps"][0]["operands"] = {{"x", "in"}, {"sum", "sums"}};
  EXPECT_THAT(faultOfCall(manifest), HasSubstr("domain or operands of the manifest's entry are others"));
  manifest = functions().manifest();
  manifest["elementwise"][0]["kernels"][0]["symbol"] = "elsewhere";
  EXPECT_THAT(faultOfCall(manifest), HasSubstr("has no symbol 'elsewhere'"));
}

} // namespace
