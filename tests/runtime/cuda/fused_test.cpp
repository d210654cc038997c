// Steps of fused layers on CUDA devices, against the stand-in driver: further weights, operands and results
// on their way to the parameters of a kernel.
#include "runtime/bundle/fusion.h"
#include "runtime/bundle/json_fields.h"
#include "runtime/gpu_kernel_abi.h"
#include "tests/runtime/cuda/gpu_product.h"
#include "tests/runtime/cuda_stand_in/control.h"
#include "tests/runtime/fused.h"
#include "tests/runtime/records.h"
#include "tests/runtime/usual_parameters.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace algrt::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

constexpr auto bf16 = ElementType::Bf16, f32 = ElementType::F32;

// A bundle of one program, "both", whose step is the fused projection.
struct FusedBundle {
  explicit FusedBundle(int64_t vector) {
    shape.vector = vector;
    const Json plain = gpuManifest(shape);
    fusion = {2,
              {{"scale", FusedOperand::Per::Column, bf16},
               {"factor", FusedOperand::Per::Row, f32},
               {"residual", FusedOperand::Per::Element, bf16},
               {"alpha", FusedOperand::Per::Call, f32}},
              {bf16, f32}};
    Json projection = {{"name", "forward_0"},
                       {"layer", plain["layer"]},
                       {"support", plain["support"]},
                       {"kernels", Json::array({plain["kernels"][0]})}};
    projection["layer"]["fused"] = fusionJson(fusion);
    const nlohmann::json layer_text = projection["layer"];
    const Layer layer = parseLayer(JsonFields(layer_text, "layer"));
    GpuKernel kernel{};
    kernel.copies = vector > 0 ? GpuCopies::Threads : GpuCopies::Engine;
    list = usualParameters(kernel, layer);
    projection["kernels"][0]["parameters"] = list.json();
    const Json manifest = {{"compiler", "by hand"},
                           {"projections", Json::array({projection})},
                           {"programs", fusedPrograms("bf16", shape.k(), shape.n())}};
    bytes = encodeBundle(manifest, withRecords(manifest, {{"ptx", "ptx", ptx()}}));
  }

  // Parameters as the list has them: all maps are one.
  std::string ptx() const {
    int64_t map_bytes = 0;
    std::string rest;
    for (const KernelParameter &parameter : list) {
      if (parameter.isMap()) {
        map_bytes = parameter.end();
        continue;
      }
      const char *type = parameter.type == ParameterType::Address ? ".u64"
                         : parameter.type == ParameterType::F32   ? ".f32"
                                                                  : ".u32";
      rest += std::string(",\n\t.param ") + type + " p" + std::to_string(parameter.offset);
    }
    const bool plain = shape.vector > 0;
    return std::string(".version 8.0\n.target ") + (plain ? "sm_80" : "sm_90a") +
           "\n.address_size 64\n.visible .entry forward_bf16(\n\t.param .align " + (plain ? "8" : "64") +
           " .b8 maps[" + std::to_string(map_bytes) + "]" + rest + "\n)\n" +
           (plain ? ".reqntid 128, 1, 1" : ".maxntid 384") + "\n{\n\tret;\n}\n";
  }

  GpuShape shape;
  Fusion fusion;
  KernelParameters list;
  std::string bytes;
};

class CudaFused : public testing::TestWithParam<int64_t> {
protected:
  CudaFused() {
    useStandIn();
    cuda_stand_in::reset({{}});
    cuda_stand_in::onLaunch([this](const cuda_stand_in::Launch &launch) { last = launch; });
  }
  ~CudaFused() override {
    EXPECT_EQ(cuda_stand_in::violations(), std::vector<std::string>());
    EXPECT_EQ(cuda_stand_in::leaks(), std::vector<std::string>());
  }
  cuda_stand_in::Launch last;
};

// The first row of a matrix.
DLTensor vectorOf(const GpuMatrix &matrix, int64_t *size, int64_t *stride) {
  DLTensor vector = matrix.tensor;
  vector.ndim = 1;
  vector.shape = size;
  vector.strides = stride;
  return vector;
}

TEST_P(CudaFused, PassesWhatTheCallHas) {
  const FusedBundle fused(GetParam());
  const TestContext context(0);
  const BundleHandle bundle = openBundle(fused.bytes);
  constexpr int64_t m = 9;
  const int64_t k = fused.shape.k(), n = fused.shape.n();
  const GpuMatrix x(context, 0, m, k, 8, bf16), gate(context, 0, k, n, 0, bf16),
      up(context, 0, k, n, 8, bf16), scale(context, 0, 1, n, 0, bf16), factor(context, 0, 1, m, 0, f32),
      residual(context, 0, m, n, 2, bf16), y(context, 0, m, n, 8, bf16), g(context, 0, m, n, 2, f32);
  int64_t columns = n, rows = m, one = 1;
  const DLTensor of_columns = vectorOf(scale, &columns, &one), of_rows = vectorOf(factor, &rows, &one);
  float alpha = 2.5f;
  DLTensor number{&alpha, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &one, nullptr, 0};
  const algrt_named_tensor tensors[] = {
      {"x", &x.tensor, nullptr},     {"gate", &gate.tensor, nullptr},
      {"up", &up.tensor, nullptr},   {"scale", &of_columns, nullptr},
      {"factor", &of_rows, nullptr}, {"residual", &residual.tensor, nullptr},
      {"alpha", &number, nullptr},   {"y", &y.tensor, nullptr},
      {"g", &g.tensor, nullptr}};
  algrt_run_options options = algrt_run_options_init();
  ASSERT_EQ(algrt_run(bundle.get(), "both", tensors, std::size(tensors), &options), ALGRT_OK)
      << algrt_last_error();

  const auto address_of = [](const GpuMatrix &matrix) {
    return reinterpret_cast<uintptr_t>(matrix.tensor.data);
  };
  size_t place = 0;
  for (const KernelParameter &parameter : fused.list) {
    const std::string what = parameter.operand + " " + name(parameter.value);
    if (parameter.isMap()) {
      const std::byte *map = last.parameters.at(0).data() + parameter.offset;
      const std::pair<const char *, const GpuMatrix *> matrices[] = {
          {"x", &x}, {"w", &gate}, {"w2", &up}, {"factor", &factor}, {"residual", &residual},
          {"y", &y}, {"y2", &g}};
      EXPECT_EQ(std::ranges::count(matrices, parameter.operand, [](const auto &one) { return one.first; }), 1)
          << what;
      for (const auto &[called, matrix] : matrices) {
        if (parameter.operand != called)
          continue;
        // The first of the four types has a row more than the others, whose rows begin one further on.
        const int64_t row = matrix == &factor ? 1 : matrix->strides[0],
                      first = parameter.view == ViewKind::ShorterSegments ? row : 0;
        const uint64_t expected = address_of(*matrix) + uint64_t(first * (matrix->tensor.dtype.bits / 8));
        if (parameter.type == ParameterType::TensorMap) {
          const auto content = cuda_stand_in::decodeTensorMap(map);
          ASSERT_TRUE(content) << what;
          EXPECT_EQ(content->address, expected) << what;
        } else {
          algrt_plain_map content;
          std::memcpy(&content, map, sizeof(content));
          EXPECT_EQ(content.address, expected) << what;
          if (parameter.operand == "factor") {
            EXPECT_EQ(content.extents[0], 1);
            EXPECT_EQ(content.strides[2], 4); // every fourth row is of one type
          }
        }
      }
      continue;
    }
    const std::vector<std::byte> &bytes = last.parameters.at(++place);
    if (parameter.value == ParameterValue::Operand) {
      uint64_t address = 0;
      ASSERT_EQ(bytes.size(), sizeof(address));
      std::memcpy(&address, bytes.data(), sizeof(address));
      EXPECT_EQ(parameter.operand, "scale");
      EXPECT_EQ(address, address_of(scale)) << what;
    } else if (parameter.value == ParameterValue::Number) {
      float passed = 0;
      ASSERT_EQ(bytes.size(), sizeof(passed));
      std::memcpy(&passed, bytes.data(), sizeof(passed));
      EXPECT_EQ(parameter.operand, "alpha");
      EXPECT_EQ(passed, alpha) << what;
    }
  }
  EXPECT_EQ(place + 1, last.parameters.size());

  // A call that repeats it but for what no map shows.
  const auto encodes = [] { return cuda_stand_in::callCount("cuTensorMapEncodeTiled"); };
  const int before = encodes();
  alpha = -1;
  ASSERT_EQ(algrt_run(bundle.get(), "both", tensors, std::size(tensors), &options), ALGRT_OK);
  EXPECT_EQ(encodes(), before);
  float passed = 0;
  std::memcpy(&passed, last.parameters.back().data(), sizeof(passed));
  EXPECT_EQ(passed, alpha);
  // Other memory for each of the further operands in turn.
  const cuda_stand_in::Launch first = last;
  for (const size_t changed : {2, 4, 5, 8}) {
    const GpuMatrix other(context, 0, changed == 2 ? k : m, n, 8, changed == 8 || changed == 4 ? f32 : bf16);
    std::array<algrt_named_tensor, std::size(tensors)> with;
    std::ranges::copy(tensors, with.begin());
    int64_t one_apart = 1;
    const DLTensor column = vectorOf(other, &rows, &one_apart);
    with[changed].tensor = changed == 4 ? &column : &other.tensor;
    ASSERT_EQ(algrt_run(bundle.get(), "both", with.data(), with.size(), &options), ALGRT_OK)
        << algrt_last_error();
    EXPECT_NE(last.parameters[0], first.parameters[0]) << with[changed].name;
  }
}

// Kernels find rows of x by a list of experts' rows, and none of what maps read: the first such operand is
// named before anything is launched.
TEST_P(CudaFused, RefusesRowsOfMapsByAListOfExperts) {
  const FusedBundle fused(GetParam());
  const TestContext context(0);
  const BundleHandle bundle = openBundle(fused.bytes);
  constexpr int64_t m = 9, entries = 4;
  const int64_t k = fused.shape.k(), n = fused.shape.n();
  const GpuMatrix x(context, 0, m, k, 8, bf16), gate(context, 0, k, n, 0, bf16),
      up(context, 0, k, n, 0, bf16), scale(context, 0, 1, n, 0, bf16), factor(context, 0, 1, m, 0, f32),
      residual(context, 0, m, n, 2, bf16), y(context, 0, entries, n, 8, bf16),
      g(context, 0, entries, n, 2, f32), starts(context, 0, 1, 2, 0, f32),
      list(context, 0, 1, entries, 0, f32);
  int64_t rows = m, one = 1, two = 2, four = entries;
  const DLTensor of_rows = vectorOf(factor, &rows, &one);
  float alpha = 2.5f;
  const DLTensor number{&alpha, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &one, nullptr, 0};
  algrt_named_tensor tensors[] = {{"x", &x.tensor, nullptr},     {"gate", &gate.tensor, nullptr},
                                  {"up", &up.tensor, nullptr},   {"scale", &scale.tensor, nullptr},
                                  {"factor", &of_rows, nullptr}, {"residual", &residual.tensor, nullptr},
                                  {"alpha", &number, nullptr},   {"y", &y.tensor, nullptr},
                                  {"g", &g.tensor, nullptr}};
  DLTensor begins = vectorOf(starts, &two, &one), listed = vectorOf(list, &four, &one);
  begins.dtype = listed.dtype = {kDLInt, 32, 1};
  algrt_run_options options = algrt_run_options_init();
  options.expert_starts = &begins;
  options.expert_rows = &listed;
  const auto refusal = [&](algrt_status status) {
    EXPECT_EQ(algrt_run(bundle.get(), "both", tensors, std::size(tensors), &options), status);
    return std::string(algrt_last_error());
  };
  EXPECT_THAT(
      refusal(ALGRT_UNSUPPORTED),
      HasSubstr("factor: has rows of the batch, of which kernels for CUDA devices find those of x alone"));
  EXPECT_EQ(cuda_stand_in::callCount("cuLaunchKernelEx"), 0);
  listed.device = {kDLCPU, 0};
  EXPECT_THAT(refusal(ALGRT_INVALID_ARGUMENT), HasSubstr("expert_rows: is elsewhere than the other tensors"));
  listed.device = x.tensor.device;
  four = entries - 1;
  EXPECT_THAT(refusal(ALGRT_INVALID_ARGUMENT),
              HasSubstr("y: has 4 rows, needs 3, one for each entry of expert_rows"));
  four = entries;
  listed.data = y.tensor.data;
  EXPECT_THAT(refusal(ALGRT_INVALID_ARGUMENT), HasSubstr("y: overlaps expert_rows"));
}

INSTANTIATE_TEST_SUITE_P(Copies, CudaFused, testing::Values(0, 2),
                         [](const auto &info) { return info.param ? "Threads" : "Engine"; });

} // namespace
} // namespace algrt::test
