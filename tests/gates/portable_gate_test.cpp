// The kernels of sm_80 for rows of the published projection shapes, before the gate: those that tensor maps
// could describe, and those that they could not. One PTX for each has to suit every machine since Ampere.
#include "algebras/expression.h"
#include "compiler/pipeline/gpu_pipeline.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/staged.h"
#include "runtime/bench/table.h"
#include "tests/gates/gate.h"
#include "tests/gates/with_assembler.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iostream>
#include <set>

namespace {

using algebras::DataType;

constexpr const char *machines[] = {"sm_89", "sm_100", "sm_120"};

compiler::Spec specOf(int64_t q, int64_t k, int64_t n) {
  const algebras::Algebra algebra = algebras::parseExpression(fmt::format("Q({})", q));
  return {algebra, algebras::makeLayer(algebras::Lift::rows(algebra), k, n, DataType::BF16), false,
          fmt::format("Q({})", q)};
}

struct PortableShape {
  int64_t m, k, n, q;
  auto operator<=>(const PortableShape &) const = default;
};

class PortableGate : public gates::WithAssembler<testing::Test> {
protected:
  // Looks at the kernel of a shape, unless an equal one has been looked at.
  void look(const PortableShape &shape, DataType output, const std::string &schedule = "") {
    compiler::CompileOptions options;
    options.targets = {compiler::Target::Sm80};
    options.rows = shape.m;
    options.output = output;
    options.schedule = schedule;
    const compiler::GpuProgram program =
        compiler::gpuProgram(specOf(shape.q, shape.k, shape.n), compiler::Target::Sm80, options);
    if (!seen.insert(program.nvvm).second)
      return;
    const std::string title = fmt::format("m = {}, {} to {}, q = {}, y in {}", shape.m, shape.k, shape.n,
                                          shape.q, toString(output));
    const gates::Evidence evidence = gates::collectEvidence(program.nvvm, "sm_80");
    EXPECT_THAT(gates::objections(evidence), testing::IsEmpty()) << title;
    for (const char *machine : machines)
      EXPECT_THAT(gates::objectionsOn(evidence, machine), testing::IsEmpty()) << title << " on " << machine;
    const algrt::GpuKernel &kernel = *program.kernel.gpu;
    std::cout << fmt::format("{:<48} {:>3} x {:<3} x {} x {}, {} x {} warps, vector {}: {} registers\n",
                             title, kernel.tile.rows, kernel.tile.columns, kernel.tile.depth,
                             kernel.tile.stages, kernel.warp_rows, kernel.warp_columns, kernel.vector,
                             evidence.assembly.report.kernels.at(0).registers);
  }

  std::set<std::string> seen;
};

// One row of each width and q of the tables, in turn with results in bf16 and f32.
TEST_F(PortableGate, RowsOfTheTables) {
  std::set<PortableShape> shapes;
  std::set<std::tuple<int64_t, int64_t>> widths;
  for (const char *table :
       {"projection_best_q", "projection_q32", "projection_qwen3_32b", "square_fixed_block"})
    for (const algrt::TableRow &row :
         algrt::readTable(std::string(ALGCTL_SOURCE_DIR) + "/benchmarks/tables/" + table + ".csv"))
      if (row.map == "forward" && row.k % row.q == 0 && row.n % row.q == 0 &&
          widths.emplace(row.k / row.q, row.n / row.q).second)
        shapes.insert({row.m, row.k, row.n, row.q});
  ASSERT_FALSE(shapes.empty());
  int number = 0;
  for (const PortableShape &shape : shapes)
    look(shape, number++ % 2 ? DataType::F32 : DataType::BF16);
}

// The kernels of single elements that bundles carry for operands at any address: their copies go through
// registers.
TEST_F(PortableGate, SingleElementsBesideVectors) {
  for (const PortableShape &shape :
       {PortableShape{1, 2048, 6144, 32}, PortableShape{1, 7168, 2048, 32},
        PortableShape{2048, 2048, 768, 32}, PortableShape{2048, 5120, 25600, 128},
        PortableShape{8192, 25600, 5120, 64}, PortableShape{4096, 4096, 4096, 32},
        PortableShape{32768, 25600, 5120, 256}})
    for (const compiler::Target target : {compiler::Target::Sm80, compiler::Target::Sm90a}) {
      const compiler::Spec spec = specOf(shape.q, shape.k, shape.n);
      const std::string schedule = toString(chooseStaged(compiler::StagedProblem(*spec.layer, DataType::BF16),
                                                         compiler::Copies::Threads, shape.m,
                                                         *compiler::entryOf(target).machine, /*vector=*/1));
      EXPECT_NE(schedule.find("vector=1"), std::string::npos) << schedule;
      look(shape, DataType::BF16, schedule);
    }
}

// Vector reductions for few rows, with one row of the batch in a block and with as many as are looked at.
TEST_F(PortableGate, VectorReductions) {
  for (const char *schedule :
       {"reduce=16,rows=1,columns=256,vector=8", "reduce=32,rows=2,columns=64,vector=8",
        "reduce=8,rows=8,columns=256,vector=8", "reduce=64,rows=2,columns=64,vector=8",
        "reduce=32,rows=8,columns=8,vector=1", "reduce=32,rows=4,columns=16,vector=2"})
    for (const DataType output : {DataType::BF16, DataType::F32})
      look({1, 2048, 6144, 32}, output, schedule);
  for (const PortableShape &shape : {PortableShape{1, 7 * 20, 7 * 100, 7}, PortableShape{1, 640, 1536, 32},
                                     PortableShape{1, 3 * 75, 3 * 111, 3}})
    look(shape, DataType::BF16, "reduce=32,rows=4,columns=8");
  // Those of single elements that bundles carry beside vectors.
  for (const compiler::Target target : {compiler::Target::Sm80, compiler::Target::Sm90a}) {
    const compiler::Spec spec = specOf(32, 2048, 6144);
    const auto single = compiler::chooseReduction(*spec.layer, 4, DataType::BF16, /*vector=*/1,
                                                  compiler::machineOf(toString(target)));
    ASSERT_TRUE(single);
    look({4, 2048, 6144, 32}, DataType::BF16, toString(*single));
  }
}

// Blocks that are multiples of nothing, and aligned ones whose operands are not.
TEST_F(PortableGate, UnalignedBlocks) {
  for (const PortableShape &shape :
       {PortableShape{2048, 640, 1536, 32}, PortableShape{512, 7 * 20, 7 * 100, 7},
        PortableShape{2048, 96 * 5, 96 * 7, 96}, PortableShape{100, 12 * 80, 12 * 304, 12}})
    for (const DataType output : {DataType::BF16, DataType::F32})
      look(shape, output);
  look({2048, 2048, 2048, 32}, DataType::BF16, "rows=64,columns=64,depth=32,stages=2,warps=2x2,vector=1");
}

// The gate itself: what it must not let through.
TEST_F(PortableGate, ObjectsToLostAndCopiedInstructionsAndToSpills) {
  compiler::CompileOptions options;
  options.targets = {compiler::Target::Sm80};
  options.schedule = "rows=32,columns=32,depth=32,stages=2,warps=2x1";
  const gates::Evidence evidence = gates::collectEvidence(
      compiler::gpuProgram(specOf(3, 384, 384), compiler::Target::Sm80, options).nvvm, "sm_80");
  ASSERT_THAT(gates::objections(evidence), testing::IsEmpty());
  auto objections_to = [&](const std::string &from, const std::string &to) {
    std::string ptx = evidence.ptx.ptx;
    const size_t at = ptx.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return gates::objections(gates::withPtx(evidence, ptx.replace(at, from.size(), to)));
  };
  using testing::Contains, testing::HasSubstr;
  EXPECT_THAT(objections_to("cp.async.commit_group;", ""), Contains(HasSubstr("in PTX")));
  EXPECT_THAT(objections_to("cp.async.commit_group;", "cp.async.commit_group; cp.async.commit_group;"),
              Contains(HasSubstr("in PTX")));
  gates::Evidence copied = evidence;
  for (const auto &[name, count] : evidence.ptx.translated)
    if (name.find("cp.async.c") != std::string::npos && name.find("shared") != std::string::npos)
      copied.ptx.optimized[name] = count + 1;
  EXPECT_THAT(gates::objections(copied), Contains(HasSubstr("before optimisation")));
  const auto crowded = objections_to(".minnctapersm 1", ".maxnreg 32");
  EXPECT_THAT(crowded, Contains(HasSubstr("bytes of spill stores")));
  EXPECT_THAT(crowded, Contains(HasSubstr("STL in the machine code")));
  EXPECT_THAT(
      gates::objections(gates::withPtx(
          evidence, ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n  ret;\n}\n")),
      Contains(HasSubstr("no LDGSTS")));
}

} // namespace
