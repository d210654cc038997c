// The kernels of the gradient of X for rows of the published projection shapes, before the gate: those that a
// bundle for Hopper holds, those whose threads copy, and schedules that crowd registers with what only
// gradients have.
#include "algebras/expression.h"
#include "compiler/gpu_pipeline.h"
#include "runtime/bench/table.h"
#include "tests/gates/gate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace {

using algebras::DataType;

struct Shape {
  std::int64_t m, k, n, q;
  auto operator<=>(const Shape &) const = default;
};

class GradientGate : public testing::Test {
protected:
  void SetUp() override {
    for (const compiler::AssemblerTool &tool : {compiler::findPtxas(), compiler::findDisassembler()})
      if (!tool.found())
        GTEST_SKIP() << "NOT TESTED: " << tool.reason;
  }

  static void look(const Shape &shape, compiler::Target target, DataType output,
                   const std::string &schedule = "") {
    const algebras::Algebra algebra = algebras::parseExpression(fmt::format("Q({})", shape.q));
    const compiler::Spec spec{
        algebra, algebras::makeLayer(algebras::Lift::rows(algebra), shape.k, shape.n, DataType::BF16), false,
        algebra.name()};
    compiler::CompileOptions options;
    options.targets = {target};
    options.rows = shape.m;
    options.output = output;
    options.schedule = schedule;
    options.map = algrt::Map::dx;
    const compiler::GpuProgram program = compiler::gpuProgram(spec, target, options);
    // On Hopper, too, threads copy what tensor maps cannot address: such a kernel is one of sm_80.
    const bool threads = program.kernel.gpu->copies == algrt::GpuCopies::threads;
    if (threads && target != compiler::Target::Sm80)
      return;
    EXPECT_THAT(gates::objections(gates::collectEvidence(program.nvvm, toString(target))), testing::IsEmpty())
        << fmt::format("m = {}, {} to {}, q = {}, dx in {}, {}", shape.m, shape.k, shape.n, shape.q,
                       toString(output), program.kernel.gpu->schedule);
  }
};

// One row of each pair of widths of the tables, in turn with results in bf16 and f32.
TEST_F(GradientGate, RowsOfTheTables) {
  std::set<Shape> shapes;
  std::set<std::tuple<std::int64_t, std::int64_t>> widths;
  for (const char *table :
       {"projection_best_q", "projection_q32", "projection_qwen3_32b", "square_fixed_block"})
    for (const algrt::TableRow &row :
         algrt::readTable(std::string(ALGCTL_SOURCE_DIR) + "/benchmarks/tables/" + table + ".csv"))
      if (row.map == "forward" && row.k % row.q == 0 && row.n % row.q == 0 &&
          widths.emplace(row.k / row.q, row.n / row.q).second)
        shapes.insert({row.m, row.k, row.n, row.q});
  ASSERT_FALSE(shapes.empty());
  int number = 0;
  for (const Shape &shape : shapes) {
    const DataType output = number++ % 2 ? DataType::F32 : DataType::BF16;
    look(shape, compiler::Target::Sm90a, output);
    look(shape, compiler::Target::Sm80, output);
  }
}

// Tiles that are divided and tiles that are not, in one kernel.
TEST_F(GradientGate, LongGroupsAlone) {
  for (const char *schedule :
       {"rows=64,columns=256,depth=64,split=4,long=1", "rows=128,columns=128,depth=32,split=8,long=1",
        "rows=128,columns=128,depth=64,split=2,long=1",
        "rows=64,columns=192,depth=64,rows_on=n,split=8,long=1",
        "rows=128,columns=192,depth=64,cluster=2x1,long=1", "rows=64,columns=256,depth=64,turns=2,long=1"})
    for (const DataType output : {DataType::BF16, DataType::F32})
      look({2048, 32 * 256, 32 * 64, 32}, compiler::Target::Sm90a, output, schedule);
}

} // namespace
