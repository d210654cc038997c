#include "compiler/targets/hopper/part_steps.h"

#include "compiler/lower/integer_arithmetic.h"
#include "compiler/targets/hopper/staged_blocks.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace compiler {

SmallVector<Value> fetchedParts(OpBuilder &builder, sm::FetchPartsOp fetch) {
  const IntegerArithmetic math(builder, fetch.getLoc());
  Value all = math.equal(fetch.getPart(), fetch.getParts());
  SmallVector<Value> fetched;
  for (int64_t part = 0; part < fetch.getParts(); ++part)
    fetched.push_back(math.either(all, math.equal(fetch.getPart(), part)));
  return fetched;
}

void loadParts(OpBuilder &builder, sm::FetchPartsOp fetch, ArrayRef<Value> fetched, Value buffer,
               Value stage) {
  const int64_t rows = fetch.getSource().getType().getRows();
  for (auto [part, map, condition] : llvm::enumerate(fetch.getMaps(), fetched)) {
    const auto number = static_cast<int64_t>(part);
    auto load = sm::LoadOp::create(builder, fetch.getLoc(), fetch.getSource(), map,
                                   fetch.getCoordinatesOf(number), buffer, stage, Value(), Value());
    load.setRow(number * rows);
    load.getConditionMutable().assign(condition);
  }
}

void loadPieces(OpBuilder &builder, sm::HoldOp rows, Value buffer, Value stage) {
  Location location = rows.getLoc();
  const IntegerArithmetic math(builder, location);
  const sm::MapsType maps = rows.getSource().getType();
  const int64_t pieces = rows.getBlock().getType().getColumns() / maps.getColumns();
  for (int64_t piece = 0; piece < pieces; ++piece)
    for (int64_t part = 0; part < rows.getParts(); ++part) {
      SmallVector<Value> coordinates(rows.getCoordinatesOf(part));
      coordinates[0] = math.add(coordinates[0], piece * maps.getColumns());
      auto load = sm::LoadOp::create(
          builder, location, rows.getSource(), rows.getMaps()[static_cast<unsigned>(part)], coordinates,
          buffer, placeOfPiece(builder, location, buffer, pieces, stage, math.constant(piece)), Value(),
          Value());
      load.setRow(part * maps.getRows());
    }
}

/// What `then` and `otherwise` make of the sums.
static Value choose(OpBuilder &builder, sm::MultiplyOp multiply, Value condition, function_ref<Value()> then,
                    function_ref<Value()> otherwise) {
  Location location = multiply.getLoc();
  auto branch = scf::IfOp::create(builder, location, multiply.getResult().getType(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, location, then());
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, location, otherwise());
  return branch.getResult(0);
}

Value productOfPart(OpBuilder &builder, sm::MultiplyOp multiply, function_ref<Value()> product,
                    function_ref<Value()> own) {
  Location location = multiply.getLoc();
  const IntegerArithmetic math(builder, location);
  const int64_t parts = multiply.getPartsAttr().getInt();
  const int64_t warpgroups = multiply.getAccumulator().getType().getRows() / (parts * sm::warpgroup_rows);
  Value warpgroup = sm::WarpgroupOp::create(builder, location, builder.getIndexType());
  Value mine = math.equal(multiply.getPart(), math.divide(warpgroup, warpgroups));
  Value all = math.equal(multiply.getPart(), parts);
  const auto nothing = [&] { return multiply.getAccumulator(); };
  if (!multiply.getHeld())
    return choose(builder, multiply, math.either(all, mine), product, nothing);
  return choose(builder, multiply, all, product,
                [&] { return parts == 1 ? own() : choose(builder, multiply, mine, own, nothing); });
}

} // namespace compiler
