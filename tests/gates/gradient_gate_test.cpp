// The kernels of the gradients of X and of the weight matrix for rows of the published projection shapes,
// before the gate: those that a bundle for Hopper holds, those whose threads copy, and schedules that crowd
// registers with what only gradients have.
#include "algebras/expression.h"
#include "compiler/pipeline/gpu_pipeline.h"
#include "runtime/bench/table.h"
#include "tests/gates/gate.h"
#include "tests/gates/with_assembler.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace {

using algebras::DataType;

struct Shape {
  int64_t m, k, n, q;
  auto operator<=>(const Shape &) const = default;
};

class GradientGate : public gates::WithAssembler<testing::Test> {
protected:
  static void look(const Shape &shape, compiler::Target target, DataType output,
                   const std::string &schedule = "", algrt::Map map = algrt::Map::Dx) {
    const algebras::Algebra algebra = algebras::parseExpression(fmt::format("Q({})", shape.q));
    const compiler::Spec spec{
        algebra, algebras::makeLayer(algebras::Lift::rows(algebra), shape.k, shape.n, DataType::BF16), false,
        algebra.name()};
    compiler::CompileOptions options;
    options.targets = {target};
    options.rows = shape.m;
    options.output = output;
    options.schedule = schedule;
    options.map = map;
    const compiler::GpuProgram program = compiler::gpuProgram(spec, target, options);
    // On Hopper, too, threads copy what tensor maps cannot address: such a kernel is one of sm_80.
    const bool threads = program.kernel.gpu->copies == algrt::GpuCopies::Threads;
    if (threads && target != compiler::Target::Sm80)
      return;
    EXPECT_THAT(gates::objections(gates::collectEvidence(program.nvvm, toString(target))), testing::IsEmpty())
        << fmt::format("m = {}, {} to {}, q = {}, {} in {}, {}", shape.m, shape.k, shape.n, shape.q,
                       algrt::name(map), toString(output), program.kernel.gpu->schedule);
  }

  /// One row of each pair of widths of the tables.
  static std::set<Shape> shapesOfTables() {
    std::set<Shape> shapes;
    std::set<std::tuple<int64_t, int64_t>> widths;
    for (const char *table :
         {"projection_best_q", "projection_q32", "projection_qwen3_32b", "square_fixed_block"})
      for (const algrt::TableRow &row :
           algrt::readTable(std::string(ALGCTL_SOURCE_DIR) + "/benchmarks/tables/" + table + ".csv"))
        if (row.map == "forward" && row.k % row.q == 0 && row.n % row.q == 0 &&
            widths.emplace(row.k / row.q, row.n / row.q).second)
          shapes.insert({row.m, row.k, row.n, row.q});
    EXPECT_FALSE(shapes.empty());
    return shapes;
  }
};

// In turn with results in bf16 and f32.
TEST_F(GradientGate, RowsOfTheTables) {
  int number = 0;
  for (const Shape &shape : shapesOfTables()) {
    const DataType output = number++ % 2 ? DataType::F32 : DataType::BF16;
    look(shape, compiler::Target::Sm90a, output);
    look(shape, compiler::Target::Sm80, output);
  }
}

// Of the weight matrix's gradient: what is chosen for either device.
TEST_F(GradientGate, WeightGradientsOfTheTables) {
  int number = 0;
  for (const Shape &shape : shapesOfTables()) {
    const DataType output = number++ % 2 ? DataType::F32 : DataType::BF16;
    look(shape, compiler::Target::Sm80, output, "", algrt::Map::Dw);
    look(shape, compiler::Target::Sm90a, output, "", algrt::Map::Dw);
  }
}

// Warpgroups that hold as many sums as there may be, and read what dW holds beside them; terms of a table.
TEST_F(GradientGate, WeightGradientsOfWarpgroups) {
  for (const char *schedule :
       {"rows=64,columns=256,depth=64,ping_pong=2,longest_first=1", "rows=128,columns=256,depth=32,split_k=2",
        "rows=64,columns=256,depth=32,split_k=8,longest_first=1",
        "rows=192,columns=192,depth=32,longest_first=1", "rows=256,columns=128,depth=32",
        "rows=128,columns=128,depth=32,cluster=2x2,ping_pong=2,longest_first=1",
        "rows=64,columns=16,depth=16,stages=2"})
    for (const DataType output : {DataType::BF16, DataType::F32})
      look({2048, 32 * 256, 32 * 512, 32}, compiler::Target::Sm90a, output, schedule, algrt::Map::Dw);
}

// Single elements, which go through registers, and tiles that crowd them.
TEST_F(GradientGate, WeightGradientsOfAnyWidth) {
  for (const Shape &shape : {Shape{2048, 20 * 37, 20 * 51, 20}, Shape{2048, 32 * 64, 32 * 192, 32}})
    for (const char *schedule : {"rows=64,columns=64,depth=32,stages=3,warps=2x4,vector=1,longest_first=1",
                                 "rows=32,columns=32,depth=16,stages=4,warps=1x2,vector=1,longest_first=1"})
      for (const DataType output : {DataType::BF16, DataType::F32})
        look(shape, compiler::Target::Sm80, output, schedule, algrt::Map::Dw);
  for (const char *schedule : {"rows=128,columns=128,depth=32,stages=3,warps=2x4,longest_first=1",
                               "rows=64,columns=192,depth=32,stages=4,warps=2x2,longest_first=1"})
    for (const DataType output : {DataType::BF16, DataType::F32})
      look({2048, 32 * 64, 32 * 192, 32}, compiler::Target::Sm80, output, schedule, algrt::Map::Dw);
}

// Tiles that are divided and tiles that are not, in one kernel.
TEST_F(GradientGate, LongGroupsAlone) {
  for (const char *schedule : {"rows=64,columns=256,depth=64,split_k=4,longest_first=1",
                               "rows=128,columns=128,depth=32,split_k=8,longest_first=1",
                               "rows=128,columns=128,depth=64,split_k=2,longest_first=1",
                               "rows=64,columns=192,depth=64,rows_on=n,split_k=8,longest_first=1",
                               "rows=128,columns=192,depth=64,cluster=2x1,longest_first=1",
                               "rows=64,columns=256,depth=64,ping_pong=2,longest_first=1"})
    for (const DataType output : {DataType::BF16, DataType::F32})
      look({2048, 32 * 256, 32 * 64, 32}, compiler::Target::Sm90a, output, schedule);
}

} // namespace
