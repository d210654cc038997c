// Programs on CUDA devices, against the stand-in driver: steps that hand something on in the workspace,
// enqueued and captured.
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/writer.h"
#include "tests/runtime/cuda/cuda_forward.h"
#include "tests/runtime/two_steps.h"
#include "tests/runtime/usual_parameters.h"

#include <gmock/gmock.h>

namespace algrt::test {
namespace {

using cuda::Result;
using testing::HasSubstr;

const GpuShape up_shape = {.groups = 4, .in = 16, .out = 24}, down_shape = {.groups = 4, .in = 24, .out = 8};

std::string sectionOf(const std::string &bundle, const char *name) {
  const Bundle parsed = Bundle::parse(bundle);
  return std::string(parsed.section(*parsed.manifest().findSection(name)));
}

// Of steps whose kernels wait for their predecessors by themselves, or do not.
std::string bothBundle(bool up_waits = false, bool down_waits = false) {
  GpuShape up_by = up_shape, down_by = down_shape;
  up_by.waits = up_waits;
  down_by.waits = down_waits;
  nlohmann::ordered_json down = withParameters(gpuManifest(down_by));
  for (nlohmann::ordered_json &kernel : down["kernels"])
    kernel["images"][0]["section"] = "down-ptx";
  return encodeBundle(twoSteps(withParameters(gpuManifest(up_by)), down),
                      {{"ptx", "ptx", sectionOf(gpuBundle(up_by), "ptx")},
                       {"down-ptx", "ptx", sectionOf(gpuBundle(down_by), "ptx")}});
}

class CudaPrograms : public CudaForward {
protected:
  explicit CudaPrograms(int cuda_version = 13000)
      : context(deviceOfDriver(cuda_version)), bundle(openBundle(bothBundle())) {
    // Steps come in turns: the kernels of both have one name.
    cuda_stand_in::onLaunch([this](const cuda_stand_in::Launch &launch) {
      began_early.push_back(launch.programmatic);
      runHostKernel(launches++ % 2 == 0 ? up_shape : down_shape, launch);
    });
    x.fill(1, 1);
    up.fill(2, 0.2);
    down.fill(3, 0.2);
    EXPECT_EQ(algrt_program_workspace_size(bundle.get(), "both", m, 0, &options.workspace_bytes), ALGRT_OK);
    context.driver().check(context.driver().memAlloc(&workspace, options.workspace_bytes), "a workspace");
    options.workspace = reinterpret_cast<void *>(workspace);
  }
  ~CudaPrograms() override { EXPECT_EQ(context.driver().memFree(workspace), Result::Success); }

  // Number 0, as a driver for that version of CUDA has it.
  static int deviceOfDriver(int cuda_version) {
    cuda_stand_in::setVersion(cuda_version);
    return 0;
  }
  int run() {
    const algrt_named_tensor tensors[] = {{"x", &x.tensor, nullptr},
                                          {"up", &up.tensor, nullptr},
                                          {"down", &down.tensor, nullptr},
                                          {"y", &y.tensor, nullptr}};
    return algrt_run(bundle.get(), "both", tensors, 4, &options);
  }
  // The two products by themselves.
  void expectCorrect() {
    const BundleHandle first = openBundle(gpuBundle(up_shape)), second = openBundle(gpuBundle(down_shape));
    GpuMatrix h(context, 0, m, up_shape.n(), 0, ElementType::Bf16),
        expected(context, 0, m, down_shape.n(), 0, ElementType::Bf16);
    const auto multiply = [&](const BundleHandle &one, const GpuMatrix &x, const GpuMatrix &w,
                              const GpuMatrix &y) {
      algrt_forward_args args = algrt_forward_args_init();
      args.x = &x.tensor;
      args.w = &w.tensor;
      args.y = &y.tensor;
      args.p0 = options.p0;
      ASSERT_EQ(algrt_forward(one.get(), &args), ALGRT_OK) << algrt_last_error();
    };
    multiply(first, x, up, h);
    multiply(second, h, down, expected);
    EXPECT_EQ(y.values(), expected.values());
    EXPECT_TRUE(y.paddingIsPoison());
  }

  static constexpr int64_t m = 21;
  TestContext context;
  BundleHandle bundle;
  GpuMatrix x{context, 0, m, up_shape.k(), 8, ElementType::Bf16},
      up{context, 0, up_shape.k(), up_shape.n(), 0, ElementType::Bf16},
      down{context, 0, down_shape.k(), down_shape.n(), 8, ElementType::Bf16},
      y{context, 0, m, down_shape.n(), 8, ElementType::Bf16};
  algrt_run_options options = algrt_run_options_init();
  cuda::DevicePointer workspace = 0;
  std::vector<bool> began_early; // of each launch: whether it was a dependent one
};

TEST_F(CudaPrograms, StepsHandOnWhatTheyCompute) {
  for (const int64_t p0 : {0, 3}) {
    options.p0 = p0;
    y.poison();
    ASSERT_EQ(run(), ALGRT_OK) << algrt_last_error();
    expectCorrect();
  }
}

// A step behind a product begins before that has ended, where its kernel waits by itself; the first one where
// the caller says so.
TEST_F(CudaPrograms, StepsThatWaitBeginEarly) {
  const auto begin = [&](bool up_waits, bool down_waits) {
    began_early.clear();
    bundle = openBundle(bothBundle(up_waits, down_waits));
    y.poison();
    EXPECT_EQ(run(), ALGRT_OK) << algrt_last_error();
    return began_early;
  };
  EXPECT_EQ(begin(false, false), std::vector<bool>({false, false}));
  EXPECT_EQ(begin(true, false), std::vector<bool>({false, false}));
  EXPECT_EQ(begin(false, true), std::vector<bool>({false, true}));
  expectCorrect();
  options.dependent_launch = 1;
  EXPECT_EQ(begin(true, true), std::vector<bool>({true, true}));
  EXPECT_EQ(begin(true, false), std::vector<bool>({true, false}));
  expectCorrect();
  bundle = openBundle(bothBundle(false, true));
  EXPECT_EQ(run(), ALGRT_UNSUPPORTED);
  EXPECT_THAT(algrt_last_error(), HasSubstr("does not wait for its predecessor by itself"));
}

// Kernels read weights before they wait: not those that a step before has made, nor where what is ahead of
// the step is the caller's, since a step without rows enqueues nothing.
TEST_F(CudaPrograms, StepsBeginInTheirTurnWhereWeightsMayBeWritten) {
  using Json = nlohmann::ordered_json;
  const GpuShape shape = {.groups = 4, .in = 16, .out = 16, .waits = true};
  const int64_t n = shape.n();
  const auto operand = [](const char *name, const char *role, const Json &extents) {
    return Json{{"name", name}, {"role", role}, {"types", {"bf16"}}, {"shape", extents}};
  };
  const auto step = [](const char *x, const char *w, const char *y) {
    return Json{{"map", "forward"}, {"operands", {{"x", x}, {"w", w}, {"y", y}}}};
  };
  Json of_base = step("base", "w", "made"); // whose rows are no batch
  of_base["rows"] = n;
  const Json operands = {operand("x", "input", {"M", n}), operand("base", "weight", {n, n}),
                         operand("w", "weight", {n, n}), operand("y", "output", {"M", n})};
  Json behind_nothing = operands;
  behind_nothing.push_back(operand("made", "output", {n, n}));
  Json manifest = withPrograms(withParameters(gpuManifest(shape)));
  manifest["programs"].push_back({{"name", "made"},
                                  {"operands", operands},
                                  {"buffers", {{{"name", "made"}, {"type", "bf16"}, {"shape", {n, n}}}}},
                                  {"steps", {of_base, step("x", "made", "y")}}});
  manifest["programs"].push_back({{"name", "behind"},
                                  {"operands", behind_nothing},
                                  {"buffers", Json::array()},
                                  {"steps", {step("x", "w", "y"), of_base}}});
  bundle = openBundle(gpuBundle(shape, manifest));
  GpuMatrix memory(context, 0, n, 2 * n, 0, ElementType::F32);
  options.workspace = memory.tensor.data;
  options.workspace_bytes = size_t(n) * 2 * size_t(n) * sizeof(float);
  cuda_stand_in::onLaunch([&](const cuda_stand_in::Launch &launch) {
    began_early.push_back(launch.programmatic);
    runHostKernel(shape, launch);
  });
  const auto run = [&](const char *name, int64_t rows) {
    const ElementType type = ElementType::Bf16;
    GpuMatrix x(context, 0, rows, n, 0, type), base(context, 0, n, n, 0, type), w(context, 0, n, n, 0, type),
        y(context, 0, rows, n, 0, type), made(context, 0, n, n, 0, type);
    std::vector<algrt_named_tensor> tensors = {{"x", &x.tensor, nullptr},
                                               {"base", &base.tensor, nullptr},
                                               {"w", &w.tensor, nullptr},
                                               {"y", &y.tensor, nullptr},
                                               {"made", &made.tensor, nullptr}};
    if (std::string_view(name) == "made")
      tensors.pop_back();
    began_early.clear();
    EXPECT_EQ(algrt_run(bundle.get(), name, tensors.data(), int64_t(tensors.size()), &options), ALGRT_OK)
        << algrt_last_error();
    return began_early;
  };
  EXPECT_EQ(run("made", 5), std::vector<bool>({false, false}));
  EXPECT_EQ(run("behind", 5), std::vector<bool>({false, true}));
  EXPECT_EQ(run("behind", 0), std::vector<bool>({false}));
}

class CudaProgramsOfOlderDrivers : public CudaPrograms {
protected:
  CudaProgramsOfOlderDrivers() : CudaPrograms(12020) {}
};

// What older drivers might not capture is not asked of them, unless the caller does.
TEST_F(CudaProgramsOfOlderDrivers, BeginInTheirTurn) {
  bundle = openBundle(bothBundle(true, true));
  ASSERT_EQ(run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(began_early, std::vector<bool>({false, false}));
  options.dependent_launch = 1;
  ASSERT_EQ(run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(began_early, std::vector<bool>({false, false, true, false}));
}

TEST_F(CudaPrograms, AreCapturedOncePrepared) {
  const cuda::Driver &driver = context.driver();
  cuda::Stream stream;
  ASSERT_EQ(driver.streamCreate(&stream, cuda::stream_default), Result::Success);
  options.stream = stream;
  ASSERT_EQ(algrt_bundle_prepare(bundle.get(), 0), ALGRT_OK) << algrt_last_error();
  cuda::Graph graph;
  ASSERT_EQ(driver.streamBeginCapture(stream, cuda::CaptureMode::Global), Result::Success);
  EXPECT_EQ(run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(launches, 0);
  ASSERT_EQ(driver.streamEndCapture(stream, &graph), Result::Success);
  cuda::GraphExec exec;
  ASSERT_EQ(driver.graphInstantiate(&exec, graph, 0), Result::Success);
  for (uint64_t replay = 5; replay < 8; ++replay) {
    y.poison();
    x.fill(replay, 1);
    ASSERT_EQ(driver.graphLaunch(exec, stream), Result::Success);
    expectCorrect();
  }
  EXPECT_EQ(driver.graphExecDestroy(exec), Result::Success);
  EXPECT_EQ(driver.graphDestroy(graph), Result::Success);
  EXPECT_EQ(driver.streamDestroy(stream), Result::Success);
}

TEST_F(CudaPrograms, NeedAWorkspaceForWhatTheyHandOn) {
  options.workspace = nullptr;
  EXPECT_EQ(run(), ALGRT_WORKSPACE_TOO_SMALL);
  const std::string needs =
      ", program both needs " + std::to_string(options.workspace_bytes) + " bytes for 21 rows: ask";
  EXPECT_THAT(algrt_last_error(), HasSubstr("workspace is null" + needs));
  options.workspace = reinterpret_cast<void *>(workspace);
  options.workspace_bytes = 1;
  EXPECT_EQ(run(), ALGRT_WORKSPACE_TOO_SMALL);
  EXPECT_THAT(algrt_last_error(), HasSubstr("workspace has 1 bytes" + needs));
  EXPECT_EQ(launches, 0);
}

// Of two projections one may be for the CPU alone.
TEST_F(CudaPrograms, ArePreparedAsFarAsThereAreKernels) {
  const auto bundle_of = [&](bool of_up, bool of_down) {
    nlohmann::ordered_json up = withParameters(gpuManifest(up_shape)),
                           down = withParameters(gpuManifest(down_shape));
    for (nlohmann::ordered_json &kernel : down["kernels"])
      kernel["images"][0]["section"] = "down-ptx";
    if (!of_up) {
      up = withPrograms(up);
      up["kernels"] = nlohmann::ordered_json::array();
    }
    if (!of_down)
      down["kernels"] = nlohmann::ordered_json::array();
    return openBundle(
        encodeBundle(twoSteps(up, down), {{"ptx", "ptx", sectionOf(gpuBundle(up_shape), "ptx")},
                                          {"down-ptx", "ptx", sectionOf(gpuBundle(down_shape), "ptx")}}));
  };
  EXPECT_EQ(algrt_bundle_prepare(bundle_of(true, false).get(), 0), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(algrt_bundle_prepare(bundle_of(false, true).get(), 0), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(algrt_bundle_prepare(bundle_of(false, false).get(), 0), ALGRT_UNSUPPORTED);
  EXPECT_THAT(algrt_last_error(), HasSubstr("the bundle has no kernel for CUDA devices"));
}

// What algrt_dw does, by names, with the sums that it adds to.
TEST_F(CudaPrograms, OfAGradientAddToWhatItHolds) {
  const GpuShape shape = {.groups = 3, .in = 16, .out = 24, .weight_gradient = true};
  const BundleHandle gradient = openBundle(gpuBundle(shape));
  std::vector<float> betas;
  cuda_stand_in::onLaunch([&](const cuda_stand_in::Launch &launch) {
    float beta = 0;
    ASSERT_EQ(launch.parameters.at(4).size(), sizeof(beta));
    std::memcpy(&beta, launch.parameters[4].data(), sizeof(beta));
    betas.push_back(beta);
  });
  GpuMatrix x(context, 0, 5, shape.k(), 0, ElementType::Bf16),
      dy(context, 0, 5, shape.n(), 0, ElementType::Bf16),
      dw(context, 0, shape.k(), shape.n(), 0, ElementType::F32);
  const algrt_named_tensor tensors[] = {
      {"x", &x.tensor, nullptr}, {"dy", &dy.tensor, nullptr}, {"dw", &dw.tensor, nullptr}};
  algrt_run_options options = algrt_run_options_init();
  options.beta = 0.5;
  EXPECT_EQ(algrt_run(gradient.get(), "dw", tensors, 3, &options), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(betas, std::vector<float>{0.5});
  options.dependent_launch = 1;
  EXPECT_EQ(algrt_run(gradient.get(), "dw", tensors, 3, &options), ALGRT_INVALID_ARGUMENT);
}

} // namespace
} // namespace algrt::test
