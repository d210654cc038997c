// Programs for few rows and for rows at any positions: steps of vector reductions behind others, and of
// kernels that find rows in lists, launched by the runtime one after another with what they hand on in the
// workspace, and kernels of two layers, which hand nothing on; all carried out on the simulator.
#include "algebras/expression.h"
#include "compiler/pipeline/compilation.h"
#include "compiler/pipeline/gpu_pipeline.h"
#include "compiler/pipeline/group_rows_images.h"
#include "compiler/pipeline/listed_source.h"
#include "compiler/pipeline/program_plan.h"
#include "compiler/program/evaluate.h"
#include "compiler/program/parse_program.h"
#include "compiler/program/value_names.h"
#include "compiler/simulator/kernel_module.h"
#include "compiler/simulator/model/machine.h"
#include "compiler/simulator/simulate.h"
#include "runtime/reference/compare.h"
#include "tests/device/device_call.h"
#include "tests/device/launch_parameters.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

using namespace device_test;
using algrt::ElementType;
using algrt::test::GpuMatrix;
using simulator::Access;

namespace {

constexpr int64_t in = 512, hidden = 1024, types = 4;

/// y = (silu(x gate) * (x up)) down over Q(4), in bf16.
compiler::Spec swiglu() {
  const algebras::Lift lift = algebras::Lift::rows(algebras::parseExpression("Q(4)"));
  const algebras::Groups features = algebras::Groups::equal(types, in / types);
  compiler::Spec spec;
  spec.source_name = "swiglu";
  spec.program = compiler::Swiglu{.lift = lift,
                                  .in = features,
                                  .hidden = algebras::Groups::equal(types, hidden / types),
                                  .out = features,
                                  .row_types = algebras::RowTypes::cyclic(types)};
  return spec;
}

/// For 2 rows, and with lists for `listed_rows`, too, where that is not 0; or for rows of so many experts.
compiler::CompileOptions optionsFor(int capability, int64_t listed_rows, const std::string &schedule,
                                    compiler::Fusing fusing, int64_t experts) {
  compiler::CompileOptions options;
  options.targets = {capability == 80 ? compiler::Target::Sm80 : compiler::Target::Sm90a};
  options.rows = 2;
  options.experts = experts;
  options.schedule = schedule;
  options.fusing = fusing;
  if (listed_rows > 0)
    options.further_rows = {listed_rows};
  options.row_lists = listed_rows > 0;
  return options;
}

/// How a kernel takes rows.
enum class Kind { InOrder, Reduction, Listed, GroupRows };
/// The step of a kernel, and of which kind it is.
using Ran = std::pair<std::string, Kind>;

class ProgramCall {
public:
  /// A schedule is chosen, or given by hand.
  ProgramCall(const algrt::test::TestContext &context, int capability, int64_t m, uint64_t seed,
              int64_t listed_rows = 0, const std::string &schedule = "",
              compiler::Fusing fusing = compiler::Fusing::Layers, int64_t experts = 0);
  ~ProgramCall();
  ProgramCall(const ProgramCall &) = delete;

  int run();
  /// By the program's definition, in double precision, row by row.
  void expectRight(const std::vector<int64_t> &positions) const;

  int64_t p0 = 0, sequence_rows = 0;
  std::vector<int64_t> positions; ///< where they are given
  std::vector<int32_t> starts;    ///< of experts
  std::vector<Ran> ran;
  size_t workspaceBytes() const { return workspace_bytes_; }

private:
  struct Kernel {
    Ran ran;
    const algrt::GpuCode *code;
    compiler::HostKernel host;
    int64_t threads;
  };
  static Kind kindOf(const algrt::Kernel &kernel);
  int64_t expertOf(int64_t row) const;
  std::string textOf(const compiler::KernelSource &source, const algrt::Kernel &kernel,
                     compiler::Stage stage) const;
  /// The kernel that an image of the bundle holds, as the compiler writes it for the simulator.
  const Kernel &kernelOf(const std::string &image);
  void launch(const algrt::cuda_stand_in::Launch &launched);
  void registerMatrix(simulator::GlobalMemory &memory, const char *name, const GpuMatrix &matrix,
                      Access access) const;

  const algrt::test::TestContext &context_;
  compiler::CompileOptions options_;
  compiler::ProgramPlan plan_;
  std::string bytes_;
  algrt::Bundle bundle_;
  algrt::test::BundleHandle handle_;
  std::map<const algrt::GpuCode *, Kernel> kernels_;
  GpuMatrix x_;
  int64_t networks_; ///< whose weights lie one below the other
  GpuMatrix gate_, up_, down_, y_;
  algrt::cuda::DevicePointer workspace_ = 0;
  size_t workspace_bytes_ = 0;
  uint64_t seed_;
};

ProgramCall::ProgramCall(const algrt::test::TestContext &context, int capability, int64_t m, uint64_t seed,
                         int64_t listed_rows, const std::string &schedule, compiler::Fusing fusing,
                         int64_t experts)
    : context_(context), options_(optionsFor(capability, listed_rows, schedule, fusing, experts)),
      plan_(compiler::planProgram(swiglu(), options_)), bytes_(compiler::compiledBundle(swiglu(), options_)),
      bundle_(algrt::Bundle::parse(bytes_)), handle_(algrt::test::openBundle(bytes_)),
      x_(context, 0, m, in, 8, ElementType::Bf16), networks_(std::max<int64_t>(experts, 1)),
      gate_(context, 0, networks_ * in, hidden, 0, ElementType::Bf16),
      up_(context, 0, networks_ * in, hidden, 0, ElementType::Bf16),
      down_(context, 0, networks_ * hidden, in, 0, ElementType::Bf16),
      y_(context, 0, m, in, 8, ElementType::Bf16), seed_(seed) {
  x_.fill(seed, 1);
  gate_.fill(seed + 1, 1 / std::sqrt(static_cast<double>(in)));
  up_.fill(seed + 2, 1 / std::sqrt(static_cast<double>(in)));
  down_.fill(seed + 3, 1 / std::sqrt(static_cast<double>(hidden)));
  EXPECT_EQ(algrt_program_workspace_size(handle_.get(), "forward", m, 0, &workspace_bytes_), ALGRT_OK);
  context.driver().check(context.driver().memAlloc(&workspace_, std::max<size_t>(workspace_bytes_, 1)),
                         "workspace of a test");
  std::memset(reinterpret_cast<void *>(workspace_), 0xff, workspace_bytes_);
  algrt::cuda_stand_in::onLaunch([this](const algrt::cuda_stand_in::Launch &launched) {
    try {
      launch(launched);
    } catch (const std::exception &error) {
      ADD_FAILURE() << "launch of " << launched.symbol << ": " << error.what();
    }
  });
}

ProgramCall::~ProgramCall() {
  algrt::cuda_stand_in::onLaunch({});
  handle_.reset();
  EXPECT_EQ(context_.driver().memFree(workspace_), algrt::cuda::Result::Success);
}

Kind ProgramCall::kindOf(const algrt::Kernel &kernel) {
  if (kernel.group_rows)
    return Kind::GroupRows;
  if (kernel.gpu->listed)
    return Kind::Listed;
  return kernel.gpu->isReduction() ? Kind::Reduction : Kind::InOrder;
}

std::string ProgramCall::textOf(const compiler::KernelSource &source, const algrt::Kernel &kernel,
                                compiler::Stage stage) const {
  const compiler::Target target = options_.targets.front();
  if (kernel.group_rows)
    return compiler::emitGroupRows(target, stage, {});
  compiler::CompileOptions options = options_;
  options.map = kernel.gpu->map;
  options.output = source.results.front();
  options.schedule = kernel.gpu->schedule;
  return compiler::emitGpuStage(kernel.gpu->listed ? compiler::withListedRows(source, options) : source,
                                target, stage, options);
}

const ProgramCall::Kernel &ProgramCall::kernelOf(const std::string &image) {
  for (size_t number = 0; number < bundle_.projectionCount(); ++number)
    for (const algrt::Kernel &kernel : bundle_.projection(number).manifest().kernels) {
      const algrt::GpuCode *code = kernel.gpuCode();
      const auto section = [&](const algrt::GpuImage &one) {
        return bundle_.section(*bundle_.manifest().findSection(one.section));
      };
      if (code == nullptr || std::ranges::none_of(code->images, [&](const algrt::GpuImage &one) {
            return section(one).starts_with(image);
          }))
        continue;
      if (const auto known = kernels_.find(code); known != kernels_.end())
        return known->second;
      const auto text = [&](compiler::Stage stage) {
        return textOf(plan_.kernels.at(number), kernel, stage);
      };
      for (const algrt::GpuImage &one : code->images)
        if (one.kind == algrt::ImageKind::Ptx)
          EXPECT_EQ(section(one), text(compiler::Stage::Ptx));
      compiler::KernelModule module(text(compiler::Stage::Nvvm), kernel.name);
      // All projections have the same kernel that makes lists.
      const Kernel made{{kernel.group_rows ? "" : plan_.kernels.at(number).projection, kindOf(kernel)},
                        code,
                        compiler::HostKernel(module.module()),
                        code->threads};
      return kernels_.emplace(code, made).first->second;
    }
  throw std::runtime_error("an image was loaded that is none of the bundle's");
}

void ProgramCall::registerMatrix(simulator::GlobalMemory &memory, const char *name, const GpuMatrix &matrix,
                                 Access access) const {
  const auto *start = static_cast<const std::byte *>(matrix.tensor.data);
  const int64_t bytes = algrt::elementBytes(ElementType::Bf16);
  if (matrix.strides[0] == matrix.shape[1])
    return memory.registerGlobal(name, start, matrix.shape[0] * matrix.shape[1] * bytes, access);
  for (int64_t row = 0; row < matrix.shape[0]; ++row)
    memory.registerGlobal(std::string(name) + " row " + std::to_string(row),
                          start + row * matrix.strides[0] * bytes, matrix.shape[1] * bytes, access);
}

void ProgramCall::launch(const algrt::cuda_stand_in::Launch &launched) {
  const Kernel &kernel = kernelOf(*launched.image);
  ran.push_back(kernel.ran);
  EXPECT_EQ(launched.symbol, kernel.host.name());
  EXPECT_EQ(launched.threads, kernel.threads);
  LaunchParameters parameters(launched, kernel.ran.first, *kernel.code);
  simulator::GlobalMemory memory;
  registerMatrix(memory, "x", x_, Access::Read);
  registerMatrix(memory, "gate", gate_, Access::Read);
  registerMatrix(memory, "up", up_, Access::Read);
  registerMatrix(memory, "down", down_, Access::Read);
  registerMatrix(memory, "y", y_, Access::Write);
  if (workspace_bytes_ > 0)
    memory.registerGlobal("the workspace", reinterpret_cast<const void *>(workspace_),
                          static_cast<int64_t>(workspace_bytes_), Access::ReadWrite);
  if (const auto maps = parameters.plainMaps(); !maps.empty())
    memory.registerGlobal("the maps", maps.data(), static_cast<int64_t>(maps.size_bytes()), Access::Read,
                          /*independent=*/true);
  if (!positions.empty())
    memory.registerGlobal("positions", positions.data(), static_cast<int64_t>(positions.size()) * 8,
                          Access::Read);
  if (!starts.empty())
    memory.registerGlobal("expert_starts", starts.data(), static_cast<int64_t>(starts.size()) * 4,
                          Access::Read);
  const std::span<void *> values = parameters.values();
  simulator::Launch launch;
  launch.kernel = [&] { kernel.host.call(values.data()); };
  launch.grid = launched.grid;
  launch.cluster = static_cast<int32_t>(launched.cluster);
  launch.threads = static_cast<int32_t>(launched.threads);
  launch.shared_bytes = launched.shared_bytes;
  launch.registers = compiler::registersAtEntry(launched.threads);
  launch.seed = seed_++;
  launch.dependent_launch = launched.programmatic;
  const simulator::Report report = simulator::run(launch, memory);
  for (const simulator::Fault &fault : report.faults)
    ADD_FAILURE() << kernel.ran.first << ": " << fault.text() << "\n  at " << kernel.host.site(fault.site);
}

int ProgramCall::run() {
  ran.clear();
  y_.poison();
  algrt_run_options options = algrt_run_options_init();
  options.p0 = p0;
  options.sequence_rows = sequence_rows;
  options.workspace = reinterpret_cast<void *>(workspace_);
  options.workspace_bytes = workspace_bytes_;
  std::vector<algrt_named_tensor> tensors = {{"x", &x_.tensor, nullptr},
                                             {"gate", &gate_.tensor, nullptr},
                                             {"up", &up_.tensor, nullptr},
                                             {"down", &down_.tensor, nullptr},
                                             {"y", &y_.tensor, nullptr}};
  int64_t rows = static_cast<int64_t>(positions.size());
  DLTensor given{positions.data(), x_.tensor.device, 1, {kDLInt, 64, 1}, &rows, nullptr, 0};
  if (rows > 0)
    tensors.push_back({"positions", &given, nullptr});
  auto start_count = static_cast<int64_t>(starts.size());
  const DLTensor begins{starts.data(), x_.tensor.device, 1, {kDLInt, 32, 1}, &start_count, nullptr, 0};
  if (start_count > 0)
    options.expert_starts = &begins;
  return algrt_run(handle_.get(), "forward", tensors.data(), static_cast<int64_t>(tensors.size()), &options);
}

int64_t ProgramCall::expertOf(int64_t row) const {
  int64_t expert = 0;
  while (!starts.empty() && row >= starts[static_cast<size_t>(expert) + 1])
    ++expert;
  return expert;
}

void ProgramCall::expectRight(const std::vector<int64_t> &at) const {
  const auto file =
      std::make_shared<const compiler::ProgramFile>(compiler::ProgramFile{"swiglu", plan_.text});
  compiler::Compilation compilation(/*print_ir_after_all=*/false, file);
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler::parseProgram(compilation.getContext(), *file);
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
  const std::map<std::string, const GpuMatrix *> given = {
      {"x", &x_}, {"gate", &gate_}, {"up", &up_}, {"down", &down_}};
  // All rows as if they had one type after the other, once for each type; of each row the one that it has.
  std::vector<double> expected(static_cast<size_t>(x_.shape[0] * in));
  for (int64_t type = 0; type < types; ++type) {
    if (std::ranges::none_of(at, [&](int64_t position) { return position % types == type; }))
      continue;
    std::vector<int64_t> rows;
    for (int64_t row = 0; row < x_.shape[0]; ++row)
      if (at[static_cast<size_t>(row)] % types == type)
        rows.push_back(row);
    for (const int64_t row : rows) {
      std::vector<compiler::DenseArray> arguments;
      for (mlir::BlockArgument argument : function.getArguments()) {
        const auto found = given.find(compiler::nameOf(argument).str());
        if (found == given.end()) {
          arguments.push_back({{}, {static_cast<double>(type)}});
          continue;
        }
        const std::vector<float> values = found->second->values();
        if (found->first == "x") {
          arguments.push_back({{1, in}, {values.begin() + row * in, values.begin() + (row + 1) * in}});
          continue;
        }
        const int64_t own = static_cast<int64_t>(values.size()) / networks_;
        const auto first = values.begin() + expertOf(row) * own;
        const std::vector<int64_t> &all = found->second->shape;
        arguments.push_back({{all[0] / networks_, all[1]}, {first, first + own}});
      }
      const auto result = compiler::evaluate(function, arguments);
      ASSERT_TRUE(mlir::succeeded(result));
      std::ranges::copy(result->front().values, expected.begin() + row * in);
    }
  }
  const algrt::Comparison found = algrt::compare(y_.values(), expected);
  // What is handed on is rounded, and the result.
  EXPECT_TRUE(found.within(2 * algrt::tolerance(/*is_bfloat16=*/true))) << found.relative_l2;
  EXPECT_TRUE(y_.paddingIsPoison());
}

std::vector<int64_t> positionsFrom(int64_t first, int64_t m) {
  std::vector<int64_t> positions(static_cast<size_t>(m));
  std::iota(positions.begin(), positions.end(), first);
  return positions;
}

TEST(DevicePrograms, OfFewRowsReduceVectors) {
  for (const int capability : {80, 90})
    for (const int64_t m : {1, 2, 7}) {
      SCOPED_TRACE(std::to_string(m) + " rows on " + std::to_string(capability));
      const DeviceUnderTest device(capability);
      ProgramCall call(device.context(), capability, m, static_cast<uint64_t>(m), 0, "",
                       compiler::Fusing::Products);
      call.p0 = 5;
      ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
      EXPECT_EQ(call.ran, (std::vector<Ran>{{"forward_0", Kind::Reduction}, {"forward_1", Kind::Reduction}}));
      call.expectRight(positionsFrom(5, m));
      if (HasFailure())
        return;
    }
}

// A step of decoding in steps needs one launch for gate and up, and one for down, also where one kernel that
// finds rows in a list is the best for 2 and for 64 rows.
TEST(DevicePrograms, OfFewRowsAtAnyPositionsReduceVectorsToo) {
  for (const int capability : {80, 90}) {
    const DeviceUnderTest device(capability);
    ProgramCall call(device.context(), capability, 3, 11, /*listed_rows=*/64, "", compiler::Fusing::Products);
    call.positions = {7, 2, 1'000'001};
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    EXPECT_EQ(call.ran, (std::vector<Ran>{{"forward_0", Kind::Reduction}, {"forward_1", Kind::Reduction}}));
    call.expectRight(call.positions);
  }
}

TEST(DevicePrograms, OfManyRowsAtAnyPositionsFindThemInLists) {
  const std::vector<Ran> expected = {
      {"", Kind::GroupRows}, {"forward_0", Kind::Listed}, {"", Kind::GroupRows}, {"forward_1", Kind::Listed}};
  for (const int capability : {80, 90}) {
    const DeviceUnderTest device(capability);
    ProgramCall call(device.context(), capability, 36, 12, /*listed_rows=*/512);
    for (int64_t row = 0; row < 36; ++row)
      call.positions.push_back(row * row + 3);
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    EXPECT_EQ(call.ran, expected);
    call.expectRight(call.positions);
    // Sequences that are no whole periods.
    call.positions.clear();
    call.sequence_rows = 18;
    call.p0 = 2;
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    EXPECT_EQ(call.ran, expected);
    std::vector<int64_t> positions = positionsFrom(2, 18);
    positions.insert(positions.end(), positions.begin(), positions.begin() + 18);
    call.expectRight(positions);
  }
}

// Both layers in one launch: what is between them is nowhere in the workspace, and the blocks of down come in
// boxes of their own.
TEST(DevicePrograms, OfTwoLayersAreOneLaunch) {
  for (const char *schedule : {"rows=64,hidden=32,depth=64,stages=4x2,stationary=2",
                               "rows=64,hidden=16,depth=32,stages=8x3,stationary=3,types=2,row_stages=1"}) {
    SCOPED_TRACE(schedule);
    const DeviceUnderTest device(90);
    ProgramCall call(device.context(), 90, 70, 13, /*listed_rows=*/0, schedule);
    EXPECT_EQ(call.workspaceBytes(), 0U);
    call.p0 = 3;
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    EXPECT_EQ(call.ran, (std::vector<Ran>{{"forward_0", Kind::InOrder}}));
    call.expectRight(positionsFrom(3, 70));
    // Rows at positions of their own are for vector reductions, or for the steps that --row-lists makes.
    call.p0 = 0;
    call.positions = positionsFrom(1, 70);
    std::swap(call.positions[0], call.positions[9]);
    EXPECT_EQ(call.run(), ALGRT_UNSUPPORTED);
    EXPECT_THAT(algrt_last_error(),
                testing::HasSubstr("has no kernel for CUDA devices that finds rows in a list"));
    EXPECT_TRUE(call.ran.empty());
  }
}

// The same for few rows: also where each is at a position of its own, and at addresses that are no multiples
// of a vector.
TEST(DevicePrograms, OfTwoLayersForFewRowsAreOneLaunchAtAnyPositions) {
  const std::pair<int, const char *> cases[] = {
      {80, ""},
      {90, ""},
      {80, "reduce=32,rows=2,hidden=64,columns=64,vector=8"},
      {90, "reduce=32,rows=2,hidden=64,columns=128,vector=8,cluster=2"},
      {90, "reduce=32,rows=2,hidden=16,columns=32,vector=1,cluster=3"}};
  for (const auto &[capability, schedule] : cases) {
    SCOPED_TRACE(*schedule != 0 ? schedule : "by cost, with lists");
    const DeviceUnderTest device(capability);
    ProgramCall call(device.context(), capability, 3, 17, /*listed_rows=*/*schedule != 0 ? 0 : 64, schedule);
    EXPECT_EQ(call.workspaceBytes(), 0U);
    call.p0 = 5;
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    EXPECT_EQ(call.ran, (std::vector<Ran>{{"forward_0", Kind::Reduction}}));
    call.expectRight(positionsFrom(5, 3));
    call.p0 = 0;
    call.positions = {7, 2, 1'000'001};
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    EXPECT_EQ(call.ran, (std::vector<Ran>{{"forward_0", Kind::Reduction}}));
    call.expectRight(call.positions);
  }
}

// One launch for all experts, by a kernel of both layers and in steps, each on any number of blocks.
TEST(DevicePrograms, OfExpertsAreLaunchedOnceForAll) {
  const std::vector<int64_t> positions = {4, 0, 3, 3, 7, 2, 1, 6, 5};
  for (const int capability : {80, 90})
    for (const compiler::Fusing fusing : {compiler::Fusing::Layers, compiler::Fusing::Products})
      for (const bool placed : {false, true}) {
        SCOPED_TRACE(capability);
        const DeviceUnderTest device(capability);
        const bool layers = fusing == compiler::Fusing::Layers;
        const int64_t m = 9;
        ProgramCall call(device.context(), capability, m, 3, 0,
                         layers ? "reduce=16,rows=4,hidden=64,columns=64,vector=8" : "", fusing, 4);
        call.starts = {0, 0, 5, 6, 9};
        call.p0 = placed ? 0 : 5;
        if (placed)
          call.positions = positions;
        ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
        EXPECT_EQ(call.ran.size(), layers ? 1U : 2U);
        for (const Ran &ran : call.ran)
          EXPECT_EQ(ran.second, Kind::Reduction);
        call.expectRight(placed ? positions : positionsFrom(5, m));
        // The same launch for other rows of each: where they begin is the device's to know.
        call.starts = {0, 7, 8, 8, 9};
        ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
        call.expectRight(placed ? positions : positionsFrom(5, m));
        if (HasFailure())
          return;
      }
}

TEST(DevicePrograms, OfExpertsAndOfOneNetworkAreNotMistaken) {
  const DeviceUnderTest device(90);
  ProgramCall experts(device.context(), 90, 4, 1, 0, "", compiler::Fusing::Products, 2);
  EXPECT_EQ(experts.run(), ALGRT_INVALID_ARGUMENT); // the shapes are those of two networks
  ProgramCall one_of_experts(device.context(), 90, 4, 1, 0, "", compiler::Fusing::Products, 1);
  EXPECT_EQ(one_of_experts.run(), ALGRT_UNSUPPORTED);
  EXPECT_THAT(algrt_last_error(),
              testing::HasSubstr("divide rows among experts: say where those of each begin"));
  one_of_experts.starts = {0, 4};
  EXPECT_EQ(one_of_experts.run(), ALGRT_OK) << algrt_last_error();
  one_of_experts.expectRight(positionsFrom(0, 4));
  ProgramCall network(device.context(), 90, 4, 1, 0, "", compiler::Fusing::Products);
  network.starts = {0, 4};
  EXPECT_EQ(network.run(), ALGRT_UNSUPPORTED);
  EXPECT_THAT(algrt_last_error(),
              testing::HasSubstr("no kernel for CUDA devices whose rows are divided among "
                                 "experts, of this map, type of the result and row types: compile a "
                                 "program with --experts"));
}

} // namespace
