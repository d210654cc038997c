#include "compiler/lower/staged_kernel.h"

#include "compiler/schedule/coefficients.h"

using namespace mlir;
using namespace tile;

namespace compiler {

KernelOp writeStagedProduct(OpBuilder &builder, Location location, StringRef name,
                            const ProductsOfKernel &products, StagedAttr schedule) {
  OpBuilder::InsertionGuard guard(builder);
  MLIRContext *context = builder.getContext();
  auto named = [&](StringRef name) -> Location {
    return NameLoc::get(builder.getStringAttr(name), location);
  };
  // Fragments hold the rows of all types of a tile, one type below the other.
  const std::int64_t rows = schedule.getTileRows(), columns = schedule.getColumns();
  const Coefficients coefficients = coefficientsOf(products.layout.getTerms());
  auto fragment = FragmentType::get(context, rows, columns, builder.getF32Type());

  auto kernel = KernelOp::create(builder, location, name, products.layout, schedule);
  Block &body = kernel.getBody().emplaceBlock();
  const SmallVector<Type> types = typesOfOperands(products, typeOfBank(products));
  body.addArguments(types, SmallVector<Location>(types.size(), location));
  const ProductOperands operands(products, body);
  operands.setNames();
  builder.setInsertionPointToEnd(&body);

  const std::pair<AxisKind, std::int64_t> axes[] = {{AxisKind::Types, schedule.getTypes()},
                                                    {AxisKind::Rows, schedule.getRows()},
                                                    {AxisKind::Groups, 1},
                                                    {AxisKind::Columns, columns}};
  SmallVector<Attribute> owned;
  for (auto [kind, step] : axes)
    owned.push_back(AxisAttr::get(context, kind, step));
  auto own = OwnOp::create(builder, location, builder.getArrayAttr(owned));
  Block &tile = own.getBody().emplaceBlock();
  Type index = builder.getIndexType();
  tile.addArguments({index, index, index, index}, {location, location, location, location});
  Value t = tile.getArgument(0), s = tile.getArgument(1), j = tile.getArgument(2), c = tile.getArgument(3);
  builder.setInsertionPointToEnd(&tile);

  const SmallVector<Value> sums =
      writeTerms(builder, location, t, j, operands.banks(), fragment,
                 [&](Value bank, Value k, Value b, Value coefficient, Value sum) -> Value {
                   return MmaOp::create(builder, named("next"), fragment, operands.rows(), t, k, s, bank, b,
                                        j, c, sum, coefficients == Coefficients::One ? Value() : coefficient,
                                        coefficients == Coefficients::Signs);
                 });
  const SmallVector<Value> stored =
      writeEpilogue(builder, location, products.epilogue, operands.furtherOperands(), {t, s, j, c}, sums);
  Value mask = MaskOp::create(builder, named("mask"), MaskType::get(context, rows, columns), t, s, j, c);
  for (auto [value, target] : llvm::zip_equal(stored, operands.results()))
    StoreOp::create(builder, location, value, target, t, s, j, c, mask);
  return kernel;
}

} // namespace compiler
