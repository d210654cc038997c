// The kernels of the published projection shapes, as the compiler schedules them, before the gate.
#include "algebras/expression.h"
#include "compiler/pipeline/gpu_pipeline.h"
#include "runtime/bench/table.h"
#include "tests/gates/gate.h"
#include "tests/gates/with_assembler.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iostream>
#include <map>

namespace {

using algebras::DataType;

// Whether the blocks of a row start at multiples of 16 bytes, as tensor maps want them.
bool isAligned(const algrt::TableRow &row) {
  return row.k % row.q == 0 && row.n % row.q == 0 && row.k / row.q % 8 == 0 && row.n / row.q % 8 == 0;
}

compiler::Spec specOf(const algrt::TableRow &row) {
  const algebras::Algebra algebra = algebras::parseExpression(fmt::format("Q({})", row.q));
  return {algebra, algebras::makeLayer(algebras::Lift::rows(algebra), row.k, row.n, DataType::BF16), false,
          fmt::format("{} q = {}", row.name, row.q)};
}

std::string describe(const algrt::TableRow &row, DataType output, const algrt::GpuKernel &kernel,
                     const gates::Evidence &evidence, bool seen) {
  const compiler::KernelResources &resources = evidence.assembly.report.kernels.at(0);
  return fmt::format(
      "{:<20} {:>5} {:>5} {:>5} {:>3} {:>4}  {:>3} x {:<3} x {} x {:<2} {:>4} {:>7} {:>6} {:>5} {:>7}{}\n",
      row.name, row.m, row.k, row.n, row.q, toString(output), kernel.tile.rows, kernel.tile.columns,
      kernel.tile.depth, kernel.tile.stages, resources.registers, kernel.shared_bytes,
      resources.spill_store_bytes + resources.spill_load_bytes, gates::countInSass(evidence.sass, "HGMMA"),
      gates::countInSass(evidence.sass, "UTMALDG"), seen ? "  (as above)" : "");
}

using TableGate = gates::WithAssembler<testing::TestWithParam<std::string>>;

TEST_P(TableGate, EveryAlignedRowPasses) {
  std::map<std::string, gates::Evidence> seen; // by the program, which many rows share
  std::string printed =
      fmt::format("{:<20} {:>5} {:>5} {:>5} {:>3} {:>4}  {:<19} {:>4} {:>7} {:>6} {:>5} {:>7}\n", "case", "m",
                  "k", "n", "q", "y", "tile, depth, stages", "regs", "shared", "spills", "HGMMA", "UTMALDG");
  int aligned = 0;
  for (const algrt::TableRow &row :
       algrt::readTable(std::string(ALGCTL_SOURCE_DIR) + "/benchmarks/tables/" + GetParam() + ".csv")) {
    if (row.map != "forward" || !isAligned(row))
      continue;
    ++aligned;
    for (const DataType output : {DataType::BF16, DataType::F32}) {
      compiler::CompileOptions options;
      options.targets = {compiler::Target::Sm90a};
      options.rows = row.m;
      options.output = output;
      const compiler::GpuProgram program =
          compiler::gpuProgram(specOf(row), compiler::Target::Sm90a, options);
      auto found = seen.find(program.nvvm);
      const bool known = found != seen.end();
      if (!known) {
        found = seen.emplace(program.nvvm, gates::collectEvidence(program.nvvm)).first;
        EXPECT_THAT(gates::objections(found->second), testing::IsEmpty())
            << row.name << ", m = " << row.m << ", q = " << row.q << ", y in " << toString(output);
      }
      printed += describe(row, output, *program.kernel.gpu, found->second, known);
    }
  }
  std::cout << printed << aligned << " aligned rows, " << seen.size() << " kernels\n";
  EXPECT_GT(aligned, 0);
}

INSTANTIATE_TEST_SUITE_P(Tables, TableGate,
                         testing::Values("projection_best_q", "projection_q32", "projection_qwen3_32b",
                                         "square_fixed_block"),
                         [](const testing::TestParamInfo<std::string> &info) { return info.param; });

} // namespace
