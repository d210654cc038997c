#include "compiler/lower/staged_kernel.h"

#include "compiler/lower/kernel_body.h"
#include "compiler/schedule/coefficients.h"

using namespace mlir;
using namespace tile;

namespace compiler {
namespace {

class StagedKernel : KernelBody {
public:
  StagedKernel(OpBuilder &builder, Location location, const ProductsOfKernel &products, StagedAttr schedule)
      : KernelBody(builder, location, products.layout), products_(products), schedule_(schedule),
        coefficients_(coefficientsOf(products.layout.getTerms())) {}

  /// Of modes k and i, whose products sum over the width of a group.
  KernelOp overWidths(StringRef name);
  /// Of mode j, whose products sum over the rows of a type.
  KernelOp overRows(StringRef name);

private:
  FragmentType fragmentOf(int64_t rows) {
    return FragmentType::get(builder.getContext(), rows, schedule_.getColumns(), builder.getF32Type());
  }
  Value scale(Value coefficient) const { return coefficients_ == Coefficients::One ? Value() : coefficient; }
  bool signs() const { return coefficients_ == Coefficients::Signs; }

  const ProductsOfKernel &products_;
  StagedAttr schedule_;
  const Coefficients coefficients_;
};

KernelOp StagedKernel::overWidths(StringRef name) {
  // Fragments hold the rows of all types of a tile, one type below the other.
  const FragmentType fragment = fragmentOf(schedule_.getTileRows());
  KernelOp kernel = this->kernel(name, schedule_, typesOfOperands(products_, typeOfWeights(products_)));
  Block &body = kernel.getBody().front();
  const ProductOperands operands(products_, body);
  operands.setNames();
  builder.setInsertionPointToEnd(&body);
  Block &tile =
      loops<ForallOp>({axis(AxisKind::Types, schedule_.getTypes()), axis(AxisKind::Rows, schedule_.getRows()),
                       axis(AxisKind::Groups, 1), axis(AxisKind::Columns, schedule_.getColumns())});
  Value t = tile.getArgument(0), s = tile.getArgument(1), j = tile.getArgument(2), c = tile.getArgument(3);

  const SmallVector<Value> sums =
      writeTerms(builder, location, t, j, operands.weightMatrices(), fragment,
                 [&](Value weights, Value k, Value b, Value coefficient, Value sum) -> Value {
                   return MmaOp::create(builder, named("next"), fragment, operands.rows(), t, k, s, weights,
                                        b, j, c, sum, scale(coefficient), signs());
                 });
  const SmallVector<Value> stored =
      writeEpilogue(builder, location, products_.epilogue, operands.furtherOperands(), {t, s, j, c}, sums);
  auto shape = MaskType::get(builder.getContext(), fragment.getRows(), fragment.getColumns());
  Value mask = MaskOp::create(builder, named("mask"), shape, t, s, j, c);
  for (auto [value, target] : llvm::zip_equal(stored, operands.results()))
    StoreOp::create(builder, location, value, target, t, s, j, c, mask);
  return kernel;
}

KernelOp StagedKernel::overRows(StringRef name) {
  MLIRContext *context = builder.getContext();
  const FragmentType fragment = fragmentOf(schedule_.getRows());
  const auto rows_of = [&](alg::GroupsAttr groups) {
    return MatrixType::get(context, ShapedType::kDynamic, groups.getTotal(), products_.element);
  };
  const auto [weight_rows, weight_columns] = layout.getWeightShape();
  auto weights =
      MatrixType::get(context, weight_rows, weight_columns, products_.epilogue.results.front().element);
  KernelOp kernel =
      this->kernel(name, schedule_, {rows_of(layout.getIn()), rows_of(layout.getOut()), weights});
  Block &operands = kernel.getBody().front();
  builder.setInsertionPointToEnd(&operands);
  Block &tile = loops<ForallOp>({axis(AxisKind::WeightRows, 1), axis(AxisKind::Features, schedule_.getRows()),
                                 axis(AxisKind::Groups, 1), axis(AxisKind::Columns, schedule_.getColumns())});
  Value b = tile.getArgument(0), f = tile.getArgument(1), j = tile.getArgument(2), n = tile.getArgument(3);

  Value zero = ZeroOp::create(builder, named("zero"), fragment);
  auto terms = WeightTermsOp::create(builder, named("total"), TypeRange(fragment), b, j, ValueRange(zero));
  Block &term = terms.getBody().emplaceBlock();
  Type index = builder.getIndexType();
  term.addArguments({index, index, index, builder.getF32Type(), fragment},
                    SmallVector<Location>(5, location));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&term);
    Value t = term.getArgument(0), k = term.getArgument(1), o = term.getArgument(2);
    Value next = MmaRowsOp::create(builder, named("next"), fragment, operands.getArgument(0), t, k, f,
                                   operands.getArgument(1), t, o, n, term.getArgument(4),
                                   scale(term.getArgument(3)), signs());
    YieldOp::create(builder, location, next);
  }
  StoreWeightOp::create(builder, location, terms.getResult(0), operands.getArgument(2), b, f, j, n);
  return kernel;
}

} // namespace

KernelOp writeStagedProduct(OpBuilder &builder, Location location, StringRef name,
                            const ProductsOfKernel &products, StagedAttr schedule) {
  OpBuilder::InsertionGuard guard(builder);
  StagedKernel kernel(builder, location, products, schedule);
  return products.layout.isWeightGradient() ? kernel.overRows(name) : kernel.overWidths(name);
}

} // namespace compiler
