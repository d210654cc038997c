#include "tests/device/program_call.h"

#include "algebras/expression.h"
#include "compiler/pipeline/compilation.h"
#include "compiler/pipeline/gpu_pipeline.h"
#include "compiler/pipeline/group_rows_images.h"
#include "compiler/pipeline/listed_source.h"
#include "compiler/program/evaluate.h"
#include "compiler/program/parse_program.h"
#include "compiler/program/value_names.h"
#include "runtime/reference/compare.h"
#include "tests/device/launch_parameters.h"
#include "tests/runtime/cuda_stand_in/work.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace device_test {

using algrt::ElementType;
using algrt::test::GpuMatrix;
using simulator::Access;

static constexpr int64_t in = 512, hidden = 1024, types = 4;

/// y = (silu(x gate) * (x up)) down, in bf16.
static compiler::Spec swiglu(const std::string &algebra) {
  const algebras::Lift lift = algebras::Lift::rows(algebras::parseExpression(algebra));
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
static compiler::CompileOptions optionsFor(int capability, int64_t listed_rows, const std::string &schedule,
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

ProgramCall::ProgramCall(const algrt::test::TestContext &context, int capability, int64_t m, uint64_t seed,
                         int64_t listed_rows, const std::string &schedule, compiler::Fusing fusing,
                         int64_t experts, const std::string &algebra)
    : context_(context), options_(optionsFor(capability, listed_rows, schedule, fusing, experts)),
      plan_(compiler::planProgram(swiglu(algebra), options_)),
      bytes_(compiler::compiledBundle(swiglu(algebra), options_)), bundle_(algrt::Bundle::parse(bytes_)),
      handle_(algrt::test::openBundle(bytes_)), x_(context, 0, m, in, 8, ElementType::Bf16),
      networks_(std::max<int64_t>(experts, 1)),
      gate_(context, 0, networks_ * in, hidden, 0, ElementType::Bf16),
      up_(context, 0, networks_ * in, hidden, 0, ElementType::Bf16),
      down_(context, 0, networks_ * hidden, in, 0, ElementType::Bf16),
      y_(context, 0, m, in, 8, ElementType::Bf16), seed_(seed) {
  x_.fill(seed, 1);
  gate_.fill(seed + 1, 1 / std::sqrt(static_cast<double>(in)));
  up_.fill(seed + 2, 1 / std::sqrt(static_cast<double>(in)));
  down_.fill(seed + 3, 1 / std::sqrt(static_cast<double>(hidden)));
  EXPECT_EQ(algrt_program_experts_workspace_size(handle_.get(), "forward", m, experts, 0, &workspace_bytes_),
            ALGRT_OK);
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
    return compiler::emitGroupRows(target, stage, options_);
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
                                 Access access, bool independent) const {
  const auto *start = static_cast<const std::byte *>(matrix.tensor.data);
  const int64_t bytes = algrt::elementBytes(ElementType::Bf16);
  if (matrix.strides[0] == matrix.shape[1])
    return memory.registerGlobal(name, start, matrix.shape[0] * matrix.shape[1] * bytes, access, independent);
  for (int64_t row = 0; row < matrix.shape[0]; ++row)
    memory.registerGlobal(std::string(name) + " row " + std::to_string(row),
                          start + row * matrix.strides[0] * bytes, matrix.shape[1] * bytes, access,
                          independent);
}

void ProgramCall::launch(const algrt::cuda_stand_in::Launch &launched) {
  const Kernel &kernel = kernelOf(*launched.image);
  ran.push_back(kernel.ran);
  began_early.push_back(launched.programmatic);
  EXPECT_EQ(launched.symbol, kernel.host.name());
  EXPECT_EQ(launched.threads, kernel.threads);
  LaunchParameters parameters(launched, kernel.ran.first, *kernel.code);
  simulator::GlobalMemory memory;
  registerMatrix(memory, "x", x_, Access::Read);
  // No step writes a weight matrix.
  registerMatrix(memory, "gate", gate_, Access::Read, /*independent=*/true);
  registerMatrix(memory, "up", up_, Access::Read, /*independent=*/true);
  registerMatrix(memory, "down", down_, Access::Read, /*independent=*/true);
  registerMatrix(memory, "y", y_, Access::Write);
  if (workspace_bytes_ > 0)
    memory.registerGlobal("the workspace", reinterpret_cast<const void *>(workspace_),
                          static_cast<int64_t>(workspace_bytes_), Access::ReadWrite);
  if (const auto maps = parameters.plainMaps(); !maps.empty())
    memory.registerGlobal("the maps", maps.data(), static_cast<int64_t>(maps.size_bytes()), Access::Read,
                          /*independent=*/true);
  // Kernels that list rows have no terms.
  const bool has_terms = parameters.has(algrt::ParameterValue::Terms);
  if (const auto terms = has_terms ? parameters.of<uint64_t>(algrt::ParameterValue::Terms) : 0; terms != 0)
    memory.registerGlobal("the terms table", reinterpret_cast<const void *>(terms),
                          static_cast<int64_t>(algrt::cuda_stand_in::bytesAllocatedAt(terms)), Access::Read,
                          /*independent=*/true);
  if (!positions.empty())
    memory.registerGlobal("positions", positions.data(), static_cast<int64_t>(positions.size()) * 8,
                          Access::Read);
  if (!starts.empty())
    memory.registerGlobal("expert_starts", starts.data(), static_cast<int64_t>(starts.size()) * 4,
                          Access::Read);
  if (!list.empty())
    memory.registerGlobal("expert_rows", list.data(), static_cast<int64_t>(list.size()) * 4, Access::Read);
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
  began_early.clear();
  y_.poison();
  algrt_run_options options = algrt_run_options_init();
  options.stream = stream;
  options.p0 = p0;
  options.sequence_rows = sequence_rows;
  options.workspace = reinterpret_cast<void *>(workspace_);
  options.workspace_bytes = workspace_bytes_ - workspace_short;
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
  std::vector<int64_t> entries = {rowsOfResult()}, x_shape = {rowsOfBatch(), in},
                       y_shape = {rowsOfResult(), in};
  const DLTensor listed{list.data(), x_.tensor.device, 1, {kDLInt, 32, 1}, entries.data(), nullptr, 0};
  DLTensor batch = x_.tensor, result = y_.tensor;
  batch.shape = x_shape.data();
  result.shape = y_shape.data();
  if (!list.empty()) {
    options.expert_rows = &listed;
    tensors[0].tensor = &batch;
    tensors[4].tensor = &result;
  }
  DLTensor apart = gate_.tensor;
  std::vector<int64_t> shape = {networks_, in, hidden}, strides = {in * hidden + gap, hidden, 1};
  apart.ndim = 3;
  apart.shape = shape.data();
  apart.strides = strides.data();
  if (gap > 0)
    tensors[1].tensor = &apart;
  return algrt_run(handle_.get(), "forward", tensors.data(), static_cast<int64_t>(tensors.size()), &options);
}

void ProgramCall::refill(uint64_t seed) {
  ran.clear();
  began_early.clear();
  x_.fill(seed, 1);
  y_.poison();
}

int64_t ProgramCall::expertOf(int64_t row) const {
  int64_t expert = 0;
  while (!starts.empty() && row >= starts[static_cast<size_t>(expert) + 1])
    ++expert;
  return expert;
}

int64_t ProgramCall::sourceOf(int64_t row) const {
  if (list.empty())
    return row;
  return std::clamp<int64_t>(list[static_cast<size_t>(row)], 0, rowsOfBatch() - 1);
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
  std::vector<double> expected(static_cast<size_t>(rowsOfResult() * in));
  const auto type_of = [&](int64_t row) { return at[static_cast<size_t>(sourceOf(row))] % types; };
  for (int64_t type = 0; type < types; ++type) {
    std::vector<int64_t> rows;
    for (int64_t row = 0; row < rowsOfResult(); ++row)
      if (type_of(row) == type)
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
          const auto first = values.begin() + sourceOf(row) * in;
          arguments.push_back({{1, in}, {first, first + in}});
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
  std::vector<float> values = y_.values();
  values.resize(expected.size());
  const algrt::Comparison found = algrt::compare(values, expected);
  // What is handed on is rounded, and the result.
  EXPECT_TRUE(found.within(2 * algrt::tolerance(/*is_bfloat16=*/true))) << found.relative_l2;
  EXPECT_TRUE(y_.paddingIsPoison());
}

} // namespace device_test
