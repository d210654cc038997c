// Kernels that look up where rows and groups are, before the gate: of published projection shapes, with rows
// in a list, with groups of unequal widths around those of the shape, and with both. Lists take registers.
#include "algebras/expression.h"
#include "compiler/pipeline/gpu_pipeline.h"
#include "tests/gates/gate.h"
#include "tests/gates/with_assembler.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using algebras::DataType;

struct ListedShape {
  int64_t m, k, n, q, step; // groups are `step` columns wider and narrower by turns; 0: of one width
  bool listed;
  algrt::Map map;
};

algebras::Groups groupsOf(int64_t total, int64_t count, int64_t step) {
  std::vector<int64_t> widths(static_cast<size_t>(count), total / count);
  for (int64_t group = 0; group + 1 < count; group += 2) {
    widths[static_cast<size_t>(group)] += step;
    widths[static_cast<size_t>(group + 1)] -= step;
  }
  return algebras::Groups::explicitWidths(widths);
}

class ListGate : public gates::WithAssembler<testing::Test> {
protected:
  static void look(const ListedShape &shape, DataType output, int64_t vector = 0) {
    const algebras::Algebra algebra = algebras::parseExpression(fmt::format("Q({})", shape.q));
    algebras::Layer layer =
        algebras::makeLayer(algebras::Lift::rows(algebra), shape.k, shape.n, DataType::BF16);
    layer.in = groupsOf(shape.k, shape.q, shape.step);
    layer.out = groupsOf(shape.n, shape.q, shape.step);
    if (shape.listed)
      layer.row_types = algebras::RowTypes::explicitTypes(shape.q);
    const compiler::Spec spec{algebra, layer, false, algebra.name()};
    compiler::CompileOptions options;
    options.targets = {compiler::Target::Sm80};
    options.rows = shape.m;
    options.output = output;
    options.map = shape.map;
    options.vector = vector;
    const compiler::GpuProgram program = compiler::gpuProgram(spec, compiler::Target::Sm80, options);
    ASSERT_EQ(program.kernel.gpu->listed, shape.listed);
    const gates::Evidence evidence = gates::collectEvidence(program.nvvm, "sm_80");
    const std::string title = fmt::format("m = {}, {} to {}, q = {}, widths by {}, {}{}, {}", shape.m,
                                          shape.k, shape.n, shape.q, shape.step, algrt::name(shape.map),
                                          shape.listed ? ", listed" : "", program.kernel.gpu->schedule);
    EXPECT_THAT(gates::objections(evidence), testing::IsEmpty()) << title;
    for (const char *machine : {"sm_90a", "sm_120"})
      EXPECT_THAT(gates::objectionsOn(evidence, machine), testing::IsEmpty()) << title << " on " << machine;
  }
};

constexpr algrt::Map maps[] = {algrt::Map::Forward, algrt::Map::Dx, algrt::Map::Dw};

TEST_F(ListGate, RowsInAList) {
  for (const algrt::Map map : maps) {
    look({2048, 2048, 6144, 32, 0, true, map}, DataType::BF16);
    look({8192, 5120, 25600, 64, 0, true, map}, DataType::F32);
    look({4096, 4096, 4096, 16, 0, true, map}, DataType::BF16);
    look({32, 2048, 768, 32, 0, true, map}, DataType::BF16);
    look({2048, 5120, 25600, 256, 0, true, map}, DataType::F32); // single columns of 20 and 100
  }
}

TEST_F(ListGate, GroupsOfUnequalWidths) {
  for (const algrt::Map map : maps) {
    look({2048, 2048, 6144, 32, 16, false, map}, DataType::BF16);
    look({8192, 5120, 25600, 64, 8, false, map}, DataType::F32);
    look({4096, 4096, 4096, 16, 40, false, map}, DataType::BF16);
  }
}

TEST_F(ListGate, Both) {
  for (const algrt::Map map : maps) {
    look({2048, 2048, 6144, 32, 16, true, map}, DataType::F32);
    look({2048, 2048, 6144, 32, 1, true, map}, DataType::BF16); // odd widths, single elements
    look({32, 2048, 768, 32, 8, true, map}, DataType::BF16);
    look({2048, 2048, 6144, 32, 16, true, map}, DataType::BF16, /*vector=*/1);
  }
}

} // namespace
