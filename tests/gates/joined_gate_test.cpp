// Kernels that join the runs of interval types, before the gate: who copies splits the number of a row, which
// takes registers, those of threads for each row that they copy.
#include "algebras/expression.h"
#include "compiler/pipeline/gpu_pipeline.h"
#include "tests/gates/gate.h"
#include "tests/gates/with_assembler.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

struct JoinedShape {
  int64_t m, k, n, q;
};

constexpr JoinedShape joined_shapes[] = {
    {2048, 2048, 6144, 32}, {2048, 2560, 9728, 32},  {2048, 4096, 12288, 32},
    {2048, 2048, 768, 32},  {2048, 7168, 2048, 32},  {2048, 5120, 25600, 64},
    {512, 7168, 2048, 32},  {8192, 4096, 12288, 32}, {8192, 5120, 25600, 128}};

using JoinedGate = gates::WithAssembler<testing::TestWithParam<algrt::Map>>;

TEST_P(JoinedGate, WhatIsChosen) {
  int number = 0;
  for (const JoinedShape &shape : joined_shapes)
    for (const compiler::Target target : {compiler::Target::Sm90a, compiler::Target::Sm80}) {
      // In turn several runs in a box and one in several boxes of some.
      const int64_t width = int64_t{2} << (number++ % 5);
      const algebras::Algebra algebra = algebras::parseExpression(fmt::format("Q({})", shape.q));
      algebras::Layer layer =
          algebras::makeLayer(algebras::Lift::rows(algebra), shape.k, shape.n, algebras::DataType::BF16);
      layer.row_types = algebras::RowTypes::interval(shape.q, width);
      const compiler::Spec spec{algebra, layer, false, algebra.name()};
      compiler::CompileOptions options;
      options.targets = {target};
      options.rows = shape.m;
      options.output = algebras::DataType::BF16;
      options.map = GetParam();
      const compiler::GpuProgram program = compiler::gpuProgram(spec, target, options);
      ASSERT_TRUE(program.kernel.gpu->joins_runs);
      EXPECT_THAT(gates::objections(gates::collectEvidence(program.nvvm, toString(target))),
                  testing::IsEmpty())
          << fmt::format("m = {}, {} to {}, q = {}, runs of {}, {} for {}, {}", shape.m, shape.k, shape.n,
                         shape.q, width, algrt::name(GetParam()), toString(target),
                         program.kernel.gpu->schedule);
    }
}

INSTANTIATE_TEST_SUITE_P(Maps, JoinedGate,
                         testing::Values(algrt::Map::Forward, algrt::Map::Dx, algrt::Map::Dw),
                         [](const auto &info) { return std::string(algrt::name(info.param)); });

} // namespace
