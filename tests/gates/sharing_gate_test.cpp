// Kernels whose tiles share, in the sizes that crowd registers, before the gate: what thread blocks share
// must cost no spills, and no product that waits for another.
#include "algebras/expression.h"
#include "compiler/pipeline/gpu_pipeline.h"
#include "tests/gates/gate.h"
#include "tests/gates/with_assembler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using algebras::DataType;

class SharingGate : public gates::WithAssembler<testing::TestWithParam<const char *>> {
protected:
  // Of Q(32), with groups so wide.
  static void expectToPass(algrt::Map map, int64_t in_group, int64_t out_group) {
    const algebras::Algebra algebra = algebras::parseExpression("Q(32)");
    const compiler::Spec spec{
        algebra,
        algebras::makeLayer(algebras::Lift::rows(algebra), 32 * in_group, 32 * out_group, DataType::BF16),
        false, "Q(32)"};
    for (const DataType output : {DataType::BF16, DataType::F32}) {
      compiler::CompileOptions options;
      options.targets = {compiler::Target::Sm90a};
      options.schedule = GetParam();
      options.map = map;
      options.output = output;
      const compiler::GpuProgram program = compiler::gpuProgram(spec, compiler::Target::Sm90a, options);
      EXPECT_THAT(gates::objections(gates::collectEvidence(program.nvvm)), testing::IsEmpty())
          << "result in " << toString(output);
    }
  }
};

TEST_P(SharingGate, Passes) { expectToPass(algrt::Map::Forward, 64, 256); }

// Gradients of X whose two sums fill the registers that are dealt out to the warpgroups that multiply.
class StationarySumsGate : public SharingGate {};

TEST_P(StationarySumsGate, Passes) { expectToPass(algrt::Map::Dx, 192, 256); }

INSTANTIATE_TEST_SUITE_P(Gradients, StationarySumsGate,
                         testing::Values("rows=64,columns=192,depth=64,stationary=32",
                                         "rows=64,columns=128,depth=64,stationary=8,split_k=4",
                                         "rows=128,columns=160,depth=32,stationary=16,split_k=2",
                                         "rows=128,columns=192,depth=32,stationary=32",
                                         "rows=128,columns=160,depth=64,cluster=2x1,stationary=32",
                                         "rows=192,columns=112,depth=32,stationary=32",
                                         "rows=256,columns=48,depth=64,stationary=32",
                                         "rows=96,columns=64,depth=64,stationary=8,rows_on=n,split_k=4",
                                         "rows=192,columns=128,depth=32,stationary=32,rows_on=n"));

INSTANTIATE_TEST_SUITE_P(Held, SharingGate,
                         testing::Values("rows=128,columns=192,depth=64,stationary=4",
                                         "rows=64,columns=256,depth=32,stationary=32",
                                         "rows=64,columns=192,depth=64,types=2,stationary=4",
                                         "rows=64,columns=96,depth=64,types=4,stationary=8",
                                         "rows=128,columns=128,depth=32,types=2,stationary=2"));

INSTANTIATE_TEST_SUITE_P(
    Split, SharingGate,
    testing::Values("rows=64,columns=256,depth=64,split_k=2", "rows=64,columns=256,depth=64,split_k=8",
                    "rows=128,columns=256,depth=64,split_k=8", "rows=128,columns=192,depth=32,split_k=4",
                    "rows=192,columns=192,depth=32,split_k=2", "rows=256,columns=128,depth=32,split_k=4",
                    "rows=64,columns=192,depth=64,rows_on=n,split_k=8",
                    "rows=128,columns=256,depth=32,rows_on=n,split_k=4",
                    "rows=256,columns=64,depth=32,rows_on=n,split_k=2"));

INSTANTIATE_TEST_SUITE_P(
    Types, SharingGate,
    testing::Values("rows=64,columns=192,depth=64,types=2", "rows=64,columns=256,depth=32,types=2",
                    "rows=64,columns=160,depth=64,types=2", "rows=64,columns=192,depth=32,types=3",
                    "rows=64,columns=96,depth=64,types=4", "rows=64,columns=128,depth=32,types=4",
                    "rows=128,columns=128,depth=32,types=2"));

} // namespace
