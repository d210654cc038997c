// Programs of element-wise functions on a device that a driver stands in for: their kernels run on the
// simulator with the parameters that the runtime launched them with.
#include "compiler/pipeline/elementwise_pipeline.h"
#include "compiler/simulator/kernel_module.h"
#include "compiler/simulator/simulate.h"
#include "runtime/api/tensor.h"
#include "runtime/bundle/writer.h"
#include "tests/compiler/elementwise/elementwise_function.h"
#include "tests/runtime/cuda/cuda_forward.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>

namespace {

using namespace algrt::test;
using Json = nlohmann::ordered_json;
using testing::HasSubstr;

constexpr int64_t m = 21, n = 40;

constexpr const char *squares_text = R"(
!x = !alg.slots<?x40xbf16, rows(cyclic 2), cols(2 x 20)>
!f = !alg.slots<?x40xf32, rows(cyclic 2), cols(2 x 20)>
func.func private @squares(%x: tensor<?x40xbf16>) -> tensor<?xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 20) : tensor<?x40xbf16>
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
func.func private @scale(%x: tensor<?x40xbf16>, %r: tensor<?xf32>, %n: tensor<f32>) -> tensor<?x40xbf16> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 20) : tensor<?x40xbf16>
  %ys = alg.map %xs rows %r numbers %n : (!x, tensor<?xf32>, tensor<f32>) -> !x {
  ^bb0(%a: bf16, %c: f32, %d: f32):
    %aw = arith.extf %a : bf16 to f32
    %sum = arith.addf %c, %d : f32
    %1 = arith.divf %aw, %sum : f32
    %2 = arith.truncf %1 : f32 to bf16
    alg.yield %2 : bf16
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x40xbf16>
}
)";

/// A function's code and the same for the simulator.
struct Compiled {
  Compiled(const char *text, const char *name)
      : function(text, name), code(compiler::compileElementwiseForGpu(
                                  function.described, compiler::Target::Sm90a, compiler::CompileOptions())),
        host(compiler::KernelModule(compiler::gpuElementwiseProgram(function.described,
                                                                    compiler::Target::Sm90a,
                                                                    compiler::CompileOptions())
                                        .nvvm,
                                    name)
                 .module()) {}
  elementwise_test::TestFunction function;
  compiler::ElementwiseCode code;
  compiler::HostKernel host;
};

class ElementwiseCuda : public CudaForward {
protected:
  ElementwiseCuda() : context(0), bundle(openBundle(bytes())) {
    algrt::cuda_stand_in::onLaunch([this](const algrt::cuda_stand_in::Launch &launch) { simulate(launch); });
    x.fill(1, 1);
    EXPECT_EQ(algrt_program_workspace_size(bundle.get(), "norm", m, 0, &options.workspace_bytes), ALGRT_OK);
    context.driver().check(context.driver().memAlloc(&workspace, options.workspace_bytes), "a workspace");
    options.workspace = reinterpret_cast<void *>(workspace);
  }
  ~ElementwiseCuda() override {
    EXPECT_EQ(context.driver().memFree(workspace), algrt::cuda::Result::Success);
  }

  std::string bytes() const {
    Json manifest;
    std::vector<algrt::SectionContent> sections;
    for (const Compiled *compiled : {&squares, &scale}) {
      algrt::Elementwise description = compiled->function.description();
      description.kernels.push_back(compiled->code.kernel);
      manifest["elementwise"].push_back(algrt::elementwiseJson(description));
      for (const algrt::SectionContent &section : compiler::elementwiseSections(compiled->code))
        sections.push_back(section);
    }
    manifest["programs"] = Json::parse(R"([{
      "name": "norm",
      "operands": [{"name": "in", "role": "input", "types": ["bf16"], "shape": ["M", 40]},
                   {"name": "epsilon", "role": "input", "types": ["f32"], "shape": [1]},
                   {"name": "out", "role": "output", "types": ["bf16"], "shape": ["M", 40]}],
      "buffers": [{"name": "sums", "type": "f32", "shape": ["M"]}],
      "steps": [{"elementwise": "squares", "operands": {"x": "in", "y": "sums"}},
                {"elementwise": "scale",
                 "operands": {"x": "in", "x2": "sums", "x3": "epsilon", "y": "out"}}]}])");
    return algrt::encodeBundle(manifest, sections);
  }

  void simulate(const algrt::cuda_stand_in::Launch &launched) {
    ++launches;
    const Compiled &compiled = launched.symbol == "squares" ? squares : scale;
    EXPECT_EQ(launched.threads, compiled.code.kernel.gpu->threads);
    simulator::GlobalMemory memory;
    const auto add = [&](const char *name, const GpuMatrix &matrix, simulator::Access access) {
      memory.registerGlobal(name, matrix.tensor.data, m * matrix.strides[0] * 2, access);
    };
    add("x", x, simulator::Access::Read);
    add("y", y, simulator::Access::ReadWrite);
    memory.registerGlobal("workspace", options.workspace, static_cast<int64_t>(options.workspace_bytes),
                          simulator::Access::ReadWrite);
    std::vector<std::vector<std::byte>> values = launched.parameters;
    std::vector<void *> arguments;
    for (std::vector<std::byte> &value : values)
      arguments.push_back(value.data());
    simulator::Launch launch;
    launch.kernel = [&] { compiled.host.call(arguments.data()); };
    launch.grid = launched.grid;
    launch.threads = static_cast<int32_t>(launched.threads);
    launch.shared_bytes = launched.shared_bytes;
    const simulator::Report report = simulator::run(launch, memory);
    for (const simulator::Fault &fault : report.faults)
      ADD_FAILURE() << compiler::explain(compiled.host, fault);
  }

  int run() {
    const algrt_named_tensor tensors[] = {
        {"in", &x.tensor, nullptr}, {"epsilon", &epsilon, nullptr}, {"out", &y.tensor, nullptr}};
    return algrt_run(bundle.get(), "norm", tensors, 3, &options);
  }
  void expectCorrect() {
    const std::vector<float> in = x.values(), out = y.values();
    for (int64_t row = 0; row < m; ++row) {
      double sum = number;
      for (int64_t i = row * n; i < (row + 1) * n; ++i)
        sum += double{in[i]} * in[i];
      for (int64_t i = row * n; i < (row + 1) * n; ++i)
        EXPECT_NEAR(out[i], in[i] / sum, std::ldexp(std::abs(in[i] / sum), -8) + 1e-30);
    }
    EXPECT_TRUE(y.paddingIsPoison());
  }

  Compiled squares{squares_text, "squares"}, scale{scale_text, "scale"};
  TestContext context;
  BundleHandle bundle;
  GpuMatrix x{context, 0, m, n, 8, algrt::ElementType::Bf16},
      y{context, 0, m, n, 3, algrt::ElementType::Bf16};
  float number = 0.25f; // in CPU memory
  int64_t one = 1;
  DLTensor epsilon{&number, {kDLCPU, 0}, 1, algrt::dlpackType(algrt::ElementType::F32), &one, nullptr, 0};
  algrt_run_options options = algrt_run_options_init();
  algrt::cuda::DevicePointer workspace = 0;
};

TEST_F(ElementwiseCuda, RunsProgramsOfFunctions) {
  ASSERT_EQ(run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(launches, 2);
  expectCorrect();
}

TEST_F(ElementwiseCuda, PreparesFunctionsForCaptures) {
  algrt::cuda::Stream stream = nullptr;
  const algrt::cuda::Driver &driver = context.driver();
  driver.check(driver.streamCreate(&stream, 0), "a stream");
  options.stream = stream;
  using enum algrt::cuda::CaptureMode;
  driver.check(driver.streamBeginCapture(stream, ThreadLocal), "a capture");
  EXPECT_EQ(run(), ALGRT_NOT_PREPARED);
  EXPECT_THAT(algrt_last_error(), HasSubstr("algrt_bundle_prepare"));
  algrt::cuda::Graph graph = nullptr;
  driver.check(driver.streamEndCapture(stream, &graph), "the end of a capture");
  driver.check(driver.graphDestroy(graph), "a graph");
  ASSERT_EQ(algrt_bundle_prepare(bundle.get(), 0), ALGRT_OK) << algrt_last_error();
  driver.check(driver.streamBeginCapture(stream, ThreadLocal), "a capture");
  EXPECT_EQ(run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(launches, 0);
  driver.check(driver.streamEndCapture(stream, &graph), "the end of a capture");
  algrt::cuda::GraphExec executable = nullptr;
  driver.check(driver.graphInstantiate(&executable, graph, 0), "a graph");
  driver.check(driver.graphLaunch(executable, stream), "a graph");
  driver.check(driver.streamSynchronize(stream), "a stream");
  EXPECT_EQ(launches, 2);
  expectCorrect();
  driver.check(driver.graphExecDestroy(executable), "a graph");
  driver.check(driver.graphDestroy(graph), "a graph");
  driver.check(driver.streamDestroy(stream), "a stream");
}

} // namespace
