// A step of a fused layer on a CUDA device, against the stand-in driver: what its kernel is launched with.
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/writer.h"
#include "runtime/gpu_kernel_abi.h"
#include "tests/runtime/cuda/cuda_forward.h"
#include "tests/runtime/records.h"
#include "tests/runtime/usual_parameters.h"

#include <algorithm>
#include <cstring>
#include <gmock/gmock.h>
#include <utility>

namespace algrt::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

const GpuShape shape = {.vector = 2}; // threads copy: maps are plain

// One kernel, to bf16.
Json fusedGpuManifest() {
  Json plain = gpuManifest(shape);
  plain["kernels"].erase(1);
  plain["layer"]["fused"] = {{"weights", 2},
                             {"operands",
                              {{{"name", "bias"}, {"per", "column"}, {"type", "bf16"}},
                               {{"name", "factor"}, {"per", "row"}, {"type", "f32"}},
                               {{"name", "residual"}, {"per", "element"}, {"type", "bf16"}},
                               {{"name", "alpha"}, {"per", "call"}, {"type", "f32"}}}},
                             {"results", {"bf16", "f32"}}};
  plain = withParameters(plain);
  const auto operand = [](const char *name, const char *role, const char *type, const Json &extents) {
    return Json{{"name", name}, {"role", role}, {"types", {type}}, {"shape", extents}};
  };
  const int64_t k = shape.k(), n = shape.n();
  Json step = {{"projection", "forward_0"}, {"map", "forward"}, {"operands", Json::object()}};
  Json operands = {operand("x", "input", "bf16", {"M", k}),
                   operand("w", "weight", "bf16", {k, n}),
                   operand("w2", "weight", "bf16", {k, n}),
                   operand("bias", "weight", "bf16", Json::array({n})),
                   operand("factor", "input", "f32", Json::array({"M"})),
                   operand("residual", "input", "bf16", {"M", n}),
                   operand("alpha", "input", "f32", Json::array({1})),
                   operand("y", "output", "bf16", {"M", n}),
                   operand("y2", "output", "f32", {"M", n})};
  for (const Json &one : operands)
    step["operands"][one["name"].get<std::string>()] = one["name"];
  return {{"compiler", "by hand"},
          {"projections", Json::array({{{"name", "forward_0"},
                                        {"layer", plain["layer"]},
                                        {"support", plain["support"]},
                                        {"kernels", plain["kernels"]}}})},
          {"programs",
           Json::array({{{"name", "forward"}, {"operands", operands}, {"steps", Json::array({step})}}})}};
}

// PTX without a body, for any list of parameters.
std::string ptxOf(const GpuKernel &kernel) {
  int64_t map_bytes = 0;
  std::string others;
  for (const KernelParameter &parameter : kernel.parameters)
    if (parameter.isMap())
      map_bytes = parameter.end();
    else
      others += std::string(",\n\t.param ") +
                (parameter.type == ParameterType::f32  ? ".f32 "
                 : parameterBytes(parameter.type) == 8 ? ".u64 "
                                                       : ".u32 ") +
                "p" + std::to_string(parameter.offset);
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry " + kernel.symbol +
         "(\n\t.param .align 8 .b8 maps[" + std::to_string(map_bytes) + "]" + others +
         "\n)\n.reqntid 128, 1, 1\n{\n\tret;\n}\n";
}

std::string fusedGpuBundle() {
  const Json manifest = fusedGpuManifest();
  std::vector<SectionContent> sections = {{"ptx", "ptx", "// nothing\n"}};
  const Bundle bare = Bundle::parse(encodeBundle(manifest, sections));
  sections[0].bytes = ptxOf(*bare.projection(0).manifest().kernels[0].gpu);
  return encodeBundle(manifest, withRecords(manifest, sections));
}

class CudaFused : public CudaForward {
protected:
  CudaFused() : context(0), bytes(fusedGpuBundle()), bundle(openBundle(bytes)) {
    cuda_stand_in::onLaunch([this](const cuda_stand_in::Launch &launch) {
      last = launch;
      ++launches;
    });
    bias_tensor = vectorOf(bias, &n);
    factor_tensor = vectorOf(factor, &m);
    alpha_tensor = {&alpha, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &one, nullptr, 0};
    tensors = {{"alpha", &alpha_tensor, nullptr},
               {"x", &x.tensor, nullptr},
               {"w", &w.tensor, nullptr},
               {"w2", &w2.tensor, nullptr},
               {"bias", &bias_tensor, nullptr},
               {"factor", &factor_tensor, nullptr},
               {"residual", &residual.tensor, nullptr},
               {"y", &y.tensor, nullptr},
               {"y2", &y2.tensor, nullptr}};
  }

  static DLTensor vectorOf(const GpuMatrix &matrix, int64_t *size) {
    DLTensor vector = matrix.tensor;
    vector.ndim = 1;
    vector.shape = size;
    vector.strides = nullptr;
    return vector;
  }
  int run() { return algrt_run(bundle.get(), "forward", tensors.data(), int64_t(tensors.size()), &options); }
  std::string refusal(const char *name, const DLTensor &tensor) {
    const auto given = std::ranges::find_if(
        tensors, [&](const algrt_named_tensor &each) { return std::string(each.name) == name; });
    const algrt_named_tensor kept = std::exchange(*given, {name, &tensor, nullptr});
    EXPECT_EQ(run(), ALGRT_INVALID_ARGUMENT);
    *given = kept;
    return algrt_last_error();
  }
  // Where a parameter of the launch lies: maps in the first one, others one after another.
  template <typename T> T value(ParameterValue wanted, const std::string &operand) const {
    const Bundle parsed = Bundle::parse(bytes);
    size_t number = 0;
    for (const KernelParameter &parameter : parsed.projection(0).manifest().kernels[0].gpu->parameters) {
      if (!parameter.isMap())
        ++number;
      if (parameter.value != wanted || parameter.operand != operand)
        continue;
      T result{};
      const std::vector<std::byte> &from = last.parameters.at(parameter.isMap() ? 0 : number);
      const size_t offset = parameter.isMap() ? size_t(parameter.offset) : 0;
      EXPECT_LE(offset + sizeof(T), from.size());
      std::memcpy(&result, from.data() + offset, sizeof(T));
      return result;
    }
    ADD_FAILURE() << "no parameter of " << operand;
    return {};
  }
  void expectMap(const std::string &operand, const GpuMatrix &matrix) const {
    const auto map = value<algrt_plain_map>(ParameterValue::map, operand);
    EXPECT_EQ(map.address, reinterpret_cast<uintptr_t>(matrix.tensor.data)) << operand;
  }

  int64_t m = 9, n = shape.n(), one = 1;
  TestContext context;
  std::string bytes;
  BundleHandle bundle;
  GpuMatrix x{context, 0, m, shape.k(), 8, ElementType::bf16},
      w{context, 0, shape.k(), n, 0, ElementType::bf16}, w2{context, 0, shape.k(), n, 8, ElementType::bf16},
      bias{context, 0, 1, n, 0, ElementType::bf16}, factor{context, 0, 1, m, 0, ElementType::f32},
      residual{context, 0, m, n, 8, ElementType::bf16}, y{context, 0, m, n, 8, ElementType::bf16},
      y2{context, 0, m, n, 4, ElementType::f32};
  float alpha = 0.75f;
  DLTensor bias_tensor, factor_tensor, alpha_tensor;
  std::vector<algrt_named_tensor> tensors;
  algrt_run_options options = algrt_run_options_init();
};

TEST_F(CudaFused, KernelsAreLaunchedWithAllThatTheyTake) {
  for (const float number : {0.75f, -3.0f}) {
    alpha = number;
    ASSERT_EQ(run(), ALGRT_OK) << algrt_last_error();
    EXPECT_EQ(last.symbol, "forward_bf16");
    expectMap("x", x);
    expectMap("w", w);
    expectMap("w2", w2);
    expectMap("residual", residual);
    expectMap("factor", factor);
    expectMap("y", y);
    expectMap("y2", y2);
    EXPECT_EQ(value<uint64_t>(ParameterValue::operand, "bias"),
              reinterpret_cast<uintptr_t>(bias.tensor.data));
    EXPECT_EQ(value<float>(ParameterValue::number, "alpha"), number);
    EXPECT_EQ(value<int32_t>(ParameterValue::rows, ""), 9);
  }
  EXPECT_EQ(launches, 2);
}

TEST_F(CudaFused, TensorsAreWhereTheyHaveToBe) {
  std::vector<float> memory(size_t(m * n));
  DLTensor elsewhere = alpha_tensor;
  elsewhere.device = {kDLCUDA, 0};
  EXPECT_THAT(refusal("alpha", elsewhere), HasSubstr("alpha: is on a device of DLPack type 2 (CUDA)"));
  for (const char *name : {"w2", "factor", "residual", "y2"}) {
    const auto given = std::ranges::find_if(
        tensors, [&](const algrt_named_tensor &each) { return std::string(each.name) == name; });
    elsewhere = *given->tensor;
    elsewhere.device = {kDLCPU, 0};
    elsewhere.data = memory.data();
    elsewhere.byte_offset = 0;
    EXPECT_THAT(refusal(name, elsewhere), HasSubstr(std::string(name) + ": is in CPU memory"));
  }
  EXPECT_THAT(refusal("residual", y.tensor), HasSubstr("y: overlaps residual"));
  EXPECT_EQ(launches, 0);
}

} // namespace
} // namespace algrt::test
