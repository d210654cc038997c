// The gradient of the weight matrix by the matrix unit of AMX, in software and in hardware, compared with a
// reference in double precision. Nothing is rounded but results in bf16, once, so that every bit has to
// agree.
#include "compiler/pipeline/pipeline.h"
#include "tests/compiler/compiled_layer.h"
#include "tests/compiler/compiled_module.h"
#include "tests/compiler/emulated_amx.h"
#include "tests/compiler/layers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace {

using namespace compiler_test;
using algebras::DataType;
using algebras::Groups;

struct GradientCase {
  LayerCase layer; ///< all but the widths of its groups
  std::vector<int64_t> in, out;
};

/// Groups that fill no square of the unit, or several and a part of one; coefficients of both signs; rows
/// that follow one another, in runs, or come in lists.
const std::vector<GradientCase> &gradientCases() {
  const auto layer = [](const char *name, const char *algebra, const char *row_types) {
    return LayerCase{name, algebra, "rows", DataType::BF16, Cut::Even, Cut::Even, row_types};
  };
  static const std::vector<GradientCase> cases = {
      {layer("Complete", "Q(2)", "cyclic"), {70, 70}, {40, 40}},
      {layer("CompleteExplicit", "Q(3)", "explicit"), {40, 16, 100}, {100, 31, 64}},
      {layer("Triangular", "T(3)", "interval(2)"), {33, 64, 31}, {48, 17, 80}},
      {layer("Dense", "Q(1)", "cyclic"), {200}, {97}},
      {{"Quaternions", "quaternions", "slots", DataType::BF16}, {48, 48, 48, 48}, {33, 33, 33, 33}},
  };
  return cases;
}

/// Rows of one call, and the list of them where they come in one.
struct Rows {
  Batch batch;
  std::vector<int64_t> list, starts;
};

Rows randomRows(const algebras::Layer &layer, int64_t m, std::mt19937 &random) {
  Rows rows;
  rows.batch.m = m;
  const int64_t types = layer.lift.types();
  const bool is_explicit = layer.row_types.kind() == algebras::RowTypes::Kind::Explicit;
  for (int64_t row = 0; is_explicit && row < m; ++row)
    rows.batch.types.push_back(static_cast<int32_t>(random() % static_cast<unsigned>(types)));
  rows.batch.p0 = is_explicit ? 0 : static_cast<int64_t>(random() % 50);
  if (!is_explicit && (types == 1 || random() % 2 == 0))
    return rows;
  rows.starts = {0};
  for (int64_t type = 0; type < types; ++type) {
    for (int64_t row = 0; row < m; ++row)
      if (rows.batch.typeOf(layer, row) == type)
        rows.list.push_back(row);
    rows.starts.push_back(static_cast<int64_t>(rows.list.size()));
  }
  return rows;
}

/// Whole numbers, whose products and their sums are exact in f32.
void fillWithWholeNumbers(PaddedMatrix &matrix, int64_t rows, int64_t columns, std::mt19937 &random) {
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      matrix.set(row, column, static_cast<int>(random() % 7) - 3);
}

algrt_memref2 describe(PaddedMatrix &matrix, int64_t rows, int64_t columns) {
  return {matrix.data(), matrix.data(), 0, {rows, columns}, {matrix.leading(), 1}};
}

class GradientByAmx : public testing::TestWithParam<size_t> {};

TEST_P(GradientByAmx, IsThatOfDenseMatrices) {
  const GradientCase &which = gradientCases()[GetParam()];
  compiler::Spec spec = makeSpec(which.layer);
  algebras::Layer &layer = *spec.layer;
  layer.in = Groups::explicitWidths(which.in);
  layer.out = Groups::explicitWidths(which.out);
  layer.validate();
  ModuleContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      context.parse(compiler::emitStage(spec, compiler::Stage::Alg, {}));
  for (auto function : llvm::make_early_inc_range(module->getOps<mlir::func::FuncOp>()))
    if (function.getSymName() != "dw")
      function.erase();
  const int64_t k = layer.in.total(), n = layer.out.total(), columns = weightColumns(layer);

  for (const Machine machine : machinesOfAmx()) {
    SCOPED_TRACE(machine == Machine::Amx ? "in hardware" : "in software");
    std::mt19937 random(static_cast<unsigned>(GetParam()) + 31);
    const CompiledModule compiled(*module, machine);
    for (const int64_t m : {0, 1, 31, 66, 200}) {
      SCOPED_TRACE(testing::Message() << m << " rows");
      const Rows rows = randomRows(layer, m, random);
      PaddedMatrix x(m, k, 5, DataType::BF16), dy(m, n, 2, DataType::BF16);
      fillWithWholeNumbers(x, m, k, random);
      fillWithWholeNumbers(dy, m, n, random);
      // Of rows that fill no block of the unit, the last one is the one to go on with past the end.
      if (m == 66)
        for (int64_t row = m - 4; row < m; ++row) {
          x.set(row, 1, std::numeric_limits<double>::infinity());
          dy.set(row, n - 1, std::numeric_limits<double>::infinity());
        }
      const std::vector<double> gradient = weightGradient(layer, rows.batch, x.values(), dy.values());
      for (const auto &[name, type] :
           {std::pair("dw_f32", DataType::F32), std::pair("dw_bf16", DataType::BF16)})
        for (const float beta : {0.0f, -0.5f}) {
          SCOPED_TRACE(testing::Message() << name << ", beta " << beta);
          ASSERT_TRUE(compiled.kernel(name).amx);
          PaddedMatrix dw(k, columns, 3, type), expected(k, columns, 3, type);
          if (beta != 0) // otherwise what it holds, NaN, must not be read
            fillWithWholeNumbers(dw, k, columns, random);
          const std::vector<double> held = dw.values();
          for (size_t i = 0; i < gradient.size(); ++i)
            expected.set(static_cast<int64_t>(i) / columns, static_cast<int64_t>(i) % columns,
                         gradient[i] + (beta != 0 ? beta * held[i] : 0));
          compiled.differentiate(name, {describe(x, m, k), describe(dy, m, n), describe(dw, k, columns)},
                                 rows.starts.empty() ? rows.batch.p0 : 0, beta, rows.list, rows.starts);
          EXPECT_THAT(dw.values(), testing::Pointwise(testing::NanSensitiveDoubleEq(), expected.values()));
          EXPECT_TRUE(dw.paddingIntact());
          EXPECT_THAT(takeAmxFaults(), testing::IsEmpty());
        }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, GradientByAmx, testing::Range(size_t{0}, gradientCases().size()),
                         [](const testing::TestParamInfo<size_t> &info) {
                           return gradientCases()[info.param].layer.name;
                         });

} // namespace
