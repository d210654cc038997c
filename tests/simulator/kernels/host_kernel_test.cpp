// A hand-written kernel, converted, compiled for the host and run on the model: no code generator of ours is
// involved.
#include "compiler/process/failure.h"
#include "compiler/simulator/host/host_kernel.h"
#include "compiler/simulator/kernel_module.h"
#include "compiler/simulator/model/machine.h"
#include "compiler/simulator/model/tensor_map.h"

#include <bit>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

using namespace compiler;

namespace {

constexpr int64_t row_count = 128, column_count = 16, depth = 256;

std::string kernelText() {
  std::ifstream file(ALGCTL_SOURCE_DIR "/tests/simulator/kernels/Inputs/product.mlir");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The text with one occurrence of a part replaced.
std::string edited(std::string text, const std::string &part, const std::string &by) {
  const size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return at == std::string::npos ? text : text.replace(at, part.size(), by);
}

HostKernel compiled(const std::string &text) {
  KernelModule module(text, "product.mlir");
  return HostKernel(module.module());
}

/// A product of small whole numbers, whose sums are exact in any order.
struct Problem {
  std::vector<uint16_t> a, b;
  std::vector<float> c, expected;

  explicit Problem(unsigned seed)
      : a(row_count * depth), b(depth * column_count), c(row_count * column_count), expected(c.size()) {
    std::mt19937 random(seed);
    auto fill = [&](std::vector<uint16_t> &values) {
      for (uint16_t &value : values)
        value = static_cast<uint16_t>(std::bit_cast<uint32_t>(float(int(random() % 17) - 8)) >> 16);
    };
    fill(a);
    fill(b);
    auto number = [](uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); };
    for (int64_t i = 0; i < row_count; ++i)
      for (int64_t k = 0; k < depth; ++k)
        for (int64_t j = 0; j < column_count; ++j)
          expected[i * column_count + j] += number(a[i * depth + k]) * number(b[k * column_count + j]);
  }
};

simulator::TensorMap map(const std::vector<uint16_t> &matrix, int64_t rows, int64_t columns,
                         uint32_t box_rows, uint32_t box_columns, simulator::Swizzle swizzle) {
  simulator::TensorMapFields fields;
  fields.base = matrix.data();
  fields.rank = 2;
  fields.extents[0] = static_cast<uint64_t>(columns);
  fields.extents[1] = static_cast<uint64_t>(rows);
  fields.strides[0] = static_cast<uint64_t>(columns) * 2;
  fields.box[0] = box_columns;
  fields.box[1] = box_rows;
  fields.swizzle = swizzle;
  simulator::TensorMap result{};
  EXPECT_EQ(simulator::encodeTensorMap(fields, result), "");
  return result;
}

simulator::Report run(const HostKernel &kernel, Problem &problem, uint64_t seed) {
  simulator::TensorMap a = map(problem.a, row_count, depth, 64, 64, simulator::Swizzle::B128);
  simulator::TensorMap b = map(problem.b, depth, column_count, 64, 16, simulator::Swizzle::B32);
  float *c = problem.c.data();
  int32_t steps = depth / 64;
  void *arguments[] = {&a, &b, &c, &steps};
  simulator::GlobalMemory memory;
  memory.registerGlobal("A", problem.a.data(), static_cast<int64_t>(problem.a.size() * 2),
                        simulator::Access::Read);
  memory.registerGlobal("B", problem.b.data(), static_cast<int64_t>(problem.b.size() * 2),
                        simulator::Access::Read);
  memory.registerGlobal("C", problem.c.data(), static_cast<int64_t>(problem.c.size() * 4),
                        simulator::Access::Write);
  simulator::Launch launch;
  launch.kernel = [&] { kernel.call(arguments); };
  launch.grid = row_count / 64;
  launch.threads = 128;
  launch.shared_bytes = 10248;
  launch.seed = seed;
  launch.most_steps = 1'000'000;
  return simulator::run(launch, memory);
}

TEST(HostKernel, ComputesAProduct) {
  const HostKernel kernel = compiled(kernelText());
  EXPECT_EQ(kernel.name(), "product");
  for (unsigned seed = 0; seed < 20; ++seed) {
    Problem problem(seed);
    const simulator::Report report = run(kernel, problem, seed);
    for (const simulator::Fault &fault : report.faults)
      ADD_FAILURE() << "seed " << seed << ": " << fault.text() << " at " << kernel.site(fault.site);
    ASSERT_EQ(problem.c, problem.expected) << "seed " << seed;
  }
}

/// Whether some seed among a few objects, or a result is wrong.
bool objects(const std::string &text) {
  const HostKernel kernel = compiled(text);
  for (unsigned seed = 0; seed < 10; ++seed) {
    Problem problem(seed);
    if (!run(kernel, problem, seed).ok() || problem.c != problem.expected)
      return true;
  }
  return false;
}

TEST(HostKernel, TheModelObjectsToWhatIsMissing) {
  const std::string good = kernelText();
  ASSERT_FALSE(objects(good));
  const std::pair<const char *, const char *> edits[] = {
      {"nvvm.fence.mbarrier.init", ""},
      {"nvvm.wgmma.fence.aligned", ""},
      {"nvvm.wgmma.commit.group.sync.aligned", ""},
      {"nvvm.wgmma.wait.group.sync.aligned 0", ""},
      {"%settled = sm.settle %s3 : !sums\n    nvvm.barrier", "%settled = sm.settle %s3 : !sums"},
      {"llvm.and %step, %one : i32", "llvm.and %one, %one : i32"},
      {"constant(10240 : i32)", "constant(10224 : i32)"},
      {"constant(10240 : i32)", "constant(10256 : i32)"},
      {"nvvm.mbarrier.init %barrier, %one", "nvvm.mbarrier.init %barrier, %three"},
      {"B[<bf16>, <one>, <row>]", "B[<bf16>, <one>, <col>]"},
      {"A[<bf16>, <one>, <row>]", "A[<bf16>, <neg>, <row>]"},
      {"llvm.cond_br %full, ^multiply, ^wait", "llvm.br ^multiply"},
  };
  for (auto [part, by] : edits)
    EXPECT_TRUE(objects(edited(good, part, by))) << "instead of '" << part << "': '" << by << "'";
}

TEST(HostKernel, WhatWouldStopOrHoldTheHostIsAFault) {
  const std::string begin = "  ^begin:\n    nvvm.barrier\n";
  auto first_fault = [&](const std::string &inserted) {
    const HostKernel kernel = compiled(edited(kernelText(), begin, begin + inserted));
    Problem problem(1);
    const simulator::Report report = run(kernel, problem, 1);
    return report.ok() ? std::string()
                       : std::string(simulator::name(report.faults[0].kind)) + " at " +
                             kernel.site(report.faults[0].site);
  };
  EXPECT_EQ(first_fault("%quotient_ = llvm.udiv %sixteen, %block : i32\n").substr(0, 12), "undefined at");
  EXPECT_EQ(first_fault("llvm.br ^stuck\n^stuck:\nllvm.cond_br %first, ^stuck, ^on\n^on:\n").substr(0, 23),
            "endless at llvm.cond_br");
}

TEST(HostKernel, NamesWhatItDoesNotKnow) {
  const std::string text =
      edited(kernelText(), "nvvm.fence.mbarrier.init", "nvvm.memory.barrier <gpu>\n nvvm.exit");
  try {
    compiled(edited(kernelText(), "nvvm.wgmma.fence.aligned",
                    "llvm.inline_asm \"wgmma.fence;\", \"\" : () -> ()"));
    FAIL() << "inline assembly went through";
  } catch (const Failure &failure) {
    EXPECT_EQ(std::string(failure.what()), "line 77: 'llvm.inline_asm' op has no model in the simulator");
  }
}

TEST(HostKernel, RefusesWhatIsNoModule) {
  try {
    compiled("module {\n  llvm.func @f(\n}\n");
    FAIL();
  } catch (const Failure &failure) {
    EXPECT_NE(std::string(failure.what()).find("product.mlir:2:16: error:"), std::string::npos)
        << failure.what();
  }
}

} // namespace
