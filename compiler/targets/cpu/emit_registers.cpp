// zero, mma and store: what happens in vector registers.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace compiler {

static constexpr int64_t cache_line = 64; // bytes

LogicalResult KernelEmitter::emitZero(tile::ZeroOp zero) {
  tile::FragmentType type = zero.getResult().getType();
  if (usesAmx()) { // the registers of the matrix unit, when the terms begin
    fragments_[zero.getResult()] = {};
    return success();
  }
  auto vector = VectorType::get({schedule_.getLanes()}, type.getElementType());
  Value zeros = arith::ConstantOp::create(builder_, location_, builder_.getZeroAttr(vector));
  fragments_[zero.getResult()].assign(type.getRows() * (type.getColumns() / schedule_.getLanes()), zeros);
  return success();
}

Value KernelEmitter::spreadPair(const Memory &held, Value at) {
  const int64_t lanes = schedule_.getLanes();
  auto pair = VectorType::get({2}, storageOf(held.element));
  Value two = vector::LoadOp::create(builder_, location_, pair, held.memref, ValueRange{at});
  Value bits =
      vector::BitCastOp::create(builder_, location_, VectorType::get({1}, builder_.getI32Type()), two);
  Value word = vector::ExtractOp::create(builder_, location_, bits, 0);
  Value words =
      vector::BroadcastOp::create(builder_, location_, VectorType::get({lanes}, builder_.getI32Type()), word);
  return vector::BitCastOp::create(builder_, location_, VectorType::get({2 * lanes}, held.element), words);
}

Value KernelEmitter::addPairs(Value sum, Value a, Value b) {
  return LLVM::CallIntrinsicOp::create(builder_, location_, sum.getType(),
                                       builder_.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
                                       ValueRange{sum, a, b})
      .getResult(0);
}

LogicalResult KernelEmitter::emitMma(ArrayRef<tile::MmaOp> products) {
  tile::MmaOp mma = products.front(); // the others differ in their weight matrices and sums alone
  tile::FragmentType type = mma.getAccumulator().getType();
  const int64_t lanes = schedule_.getLanes(), rows = type.getRows(), vectors = type.getColumns() / lanes;
  if (!isa<tile::BufferType>(mma.getRows().getType()))
    return mma.emitOpError("multiplies stationary rows on a CPU: bring them with tile.hold");
  if (usesAmx())
    return emitSquareProducts(products);
  Memory held = memory_.lookup(mma.getRows()), weights = memory_.lookup(mma.getWeights());
  SmallVector<Value> weight_matrices;
  for (tile::MmaOp product : products)
    weight_matrices.push_back(memory_.lookup(product.getWeights()).memref);
  if (pairing_ == 2 && lanes != 16)
    return mma.emitOpError("multiplies bf16 pairs in vectors of 16 lanes only, the schedule has ") << lanes;
  if (pairing_ == 1 && !held.element.isF32())
    return mma.emitOpError("multiplies stationary rows of f32 unless the weight matrix comes in bf16 pairs");

  Value row_type = scalars_.lookup(mma.getRowType()), input_group = scalars_.lookup(mma.getInputGroup());
  Value ordinal = scalars_.lookup(mma.getRow()), weight_row = scalars_.lookup(mma.getWeightRow());
  Value group = scalars_.lookup(mma.getGroup()), column = scalars_.lookup(mma.getColumn());
  Value scale = mma.getScale() ? scalars_.lookup(mma.getScale()) : Value();
  auto wide = VectorType::get({lanes}, builder_.getF32Type());

  // Those of one product behind those of the other, unless both share vectors.
  SmallVector<Value> sums;
  for (tile::MmaOp product : products)
    sums.append(fragments_.lookup(product.getAccumulator()));
  // A sign is free to apply around the loop: -(-a + x w) is a - x w to the last bit.
  auto apply_sign = [&] {
    Value sign = vector::BroadcastOp::create(builder_, location_, wide, scale);
    for (Value &sum : sums)
      sum = arith::MulFOp::create(builder_, location_, sum, sign);
  };
  const bool signs = scale && mma.getSigns();
  if (signs)
    apply_sign();

  Value width = groupWidth(layout_.getIn(), "in", input_group, pairing_);
  Value rows_start = heldStart(layout_.getIn(), "in", row_type, input_group, ordinal);
  const bool in_place = !weights.buffer && weights.panel == 0;
  if (in_place && layout_.isTransposed())
    return mma.emitOpError("cannot multiply by a transposed weight matrix in place: copy its blocks first");
  Value weight_start, first_column, left;
  if (in_place) {
    weight_start = groupStart(layout_.getWeights(), "weights", weight_row);
    first_column = add(weightColumn(group), column);
    left = subtract(groupWidth(layout_.getOut(), "out", group), column);
  } else {
    weight_start = panelStart(weights, weight_row, group, column);
  }
  SmallVector<Value> starts_of_rows(rows);
  for (int64_t r = 0; r < rows; ++r)
    starts_of_rows[r] = r == 0 ? rows_start : add(rows_start, multiply(width, r));
  SmallVector<Value> column_masks(vectors);
  if (in_place && !columnsAlwaysFill())
    for (int64_t v = 0; v < vectors; ++v)
      column_masks[v] = columnMask(left, v, lanes);

  auto depth = scf::ForOp::create(builder_, location_, constant(0), width, constant(pairing_), sums);
  builder_.setInsertionPointToStart(depth.getBody());
  Value p = depth.getInductionVar();

  auto load_weights = [&](Value matrix, int64_t v) -> Value {
    const int64_t loaded = joins_halves_ ? lanes / 2 : lanes;
    auto narrow = VectorType::get({loaded * pairing_}, storageOf(weights.element));
    Value values;
    if (in_place) {
      Value at[] = {add(weight_start, p), add(first_column, v * lanes)};
      if (column_masks[v]) {
        Value zeros = arith::ConstantOp::create(builder_, location_, builder_.getZeroAttr(narrow));
        values =
            vector::MaskedLoadOp::create(builder_, location_, narrow, matrix, at, column_masks[v], zeros);
      } else {
        values = vector::LoadOp::create(builder_, location_, narrow, matrix, at);
      }
    } else {
      SmallVector<Value> at = {add(weight_start, add(multiply(p, weights.panel), v * lanes * pairing_))};
      if (!weights.buffer)
        at.insert(at.begin(), constant(0));
      values = vector::LoadOp::create(builder_, location_, narrow, matrix, at);
    }
    if (pairing_ == 2)
      return vector::BitCastOp::create(builder_, location_, VectorType::get({2 * loaded}, weights.element),
                                       values);
    return convert(values, weights.element, builder_.getF32Type());
  };
  SmallVector<Value> panel;
  for (Value matrix : weight_matrices)
    for (int64_t v = 0; v < vectors; ++v)
      panel.push_back(load_weights(matrix, v));
  if (joins_halves_) {
    const SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, lanes * pairing_));
    panel = {vector::ShuffleOp::create(builder_, location_, panel[0], panel[1], order)};
  }
  // The weight matrix comes from memory, panel after panel: ask for the next one while this one is
  // multiplied. Into the second level only, the first is full of this panel and its rows.
  if (!weights.buffer) {
    const int64_t line = cache_line * 8 / weights.element.getIntOrFloatBitWidth();
    const int64_t elements = in_place ? type.getColumns() : weights.panel * pairing_;
    for (int64_t e = 0; e < elements; e += line) {
      Value at[] = {constant(0), constant(0)};
      if (in_place) { // the same row goes on there
        at[0] = add(weight_start, p);
        at[1] = add(first_column, type.getColumns() + e);
      } else {
        at[1] = add(weight_start, add(multiply(p, weights.panel), add(multiply(width, weights.panel), e)));
      }
      for (Value matrix : weight_matrices)
        memref::PrefetchOp::create(builder_, location_, matrix, at, /*isWrite=*/false, /*localityHint=*/2,
                                   /*isDataCache=*/true);
    }
  }

  sums.assign(depth.getRegionIterArgs().begin(), depth.getRegionIterArgs().end());
  for (int64_t r = 0; r < rows; ++r) {
    Value at = add(starts_of_rows[r], p);
    Value spread;
    if (pairing_ == 2) {
      spread = spreadPair(held, at);
    } else {
      Value one = memref::LoadOp::create(builder_, location_, held.memref, ValueRange{at});
      if (scale && !signs)
        one = arith::MulFOp::create(builder_, location_, one, scale);
      spread = vector::BroadcastOp::create(builder_, location_, wide, one);
    }
    for (int64_t i = 0; i < static_cast<int64_t>(panel.size()); ++i) {
      const int64_t product = i / vectors, v = i % vectors;
      Value &sum = sums[(product * rows + r) * vectors + v];
      if (pairing_ == 2)
        sum = addPairs(sum, spread, panel[i]);
      else
        sum = vector::FMAOp::create(builder_, location_, spread, panel[i], sum);
    }
  }
  scf::YieldOp::create(builder_, location_, sums);
  builder_.setInsertionPointAfter(depth);
  sums.assign(depth.getResults().begin(), depth.getResults().end());
  if (signs)
    apply_sign();
  ArrayRef<Value> rest = sums;
  for (tile::MmaOp product : products) {
    const size_t count = std::min<size_t>(rows * vectors, rest.size()); // none where all are the first one's
    fragments_[product.getResult()] = llvm::to_vector(rest.take_front(count));
    rest = rest.drop_front(count);
  }
  return success();
}

Value KernelEmitter::streamsPastCache(const Memory &target) {
  // Below this size the result is worth more in the cache, where its reader finds it.
  constexpr int64_t least_bytes = 16 << 20;
  const int64_t bytes = target.element.getIntOrFloatBitWidth() / 8;
  // LLVM 22 has no instruction that writes a vector of bf16 past the cache, and turns back what looks like
  // another one: such a store would be any other.
  if (target.element.isBF16())
    return {};
  // Only whole lines: a line written in pieces costs more than reading it first.
  const int64_t group_bytes = layout_.getOut().isEqual() ? layout_.getOut().getWidth(0) * bytes : 1;
  if (!columnsAlwaysFill() || group_bytes % cache_line != 0 ||
      schedule_.getRegisterColumns() * bytes % cache_line != 0 ||
      schedule_.getLanes() * bytes < cache_line / 2)
    return {};
  auto metadata = memref::ExtractStridedMetadataOp::create(builder_, location_, target.memref);
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder_, location_, target.memref);
  Value row_bytes = multiply(metadata.getStrides()[0], bytes);
  Value misaligned = remainder(bitOr(address, row_bytes), cache_line);
  Value aligned = equal(misaligned, 0);
  Value size = multiply(batch_rows_, layout_.getOut().getTotal() * bytes);
  Value large = atLeast(size, least_bytes);
  return both(aligned, large);
}

void KernelEmitter::storeHeldRow(tile::StoreHeldOp store, Value start, int64_t row, bool masked) {
  tile::FragmentType type = store.getValue().getType();
  const int64_t lanes = schedule_.getLanes();
  const Memory held = memory_.lookup(store.getTarget());
  const Mask mask = masks_.lookup(store.getMask());
  auto bits = VectorType::get({lanes}, storageOf(type.getElementType()));
  for (auto [v, value] : llvm::enumerate(rowOfFragment(store.getValue(), row))) {
    const auto column = static_cast<int64_t>(v) * lanes;
    if (value.getType() != bits)
      value = vector::BitCastOp::create(builder_, location_, bits, value);
    value = convert(value, type.getElementType(), held.element);
    Value at = add(start, column);
    if (masked)
      vector::MaskedStoreOp::create(builder_, location_, held.memref, at,
                                    columnMask(mask.columns, static_cast<int64_t>(v), lanes), value);
    else
      vector::StoreOp::create(builder_, location_, value, held.memref, at);
  }
}

LogicalResult KernelEmitter::emitStoreHeld(tile::StoreHeldOp store) {
  tile::FragmentType type = store.getValue().getType();
  Mask mask = masks_.lookup(store.getMask());
  alg::GroupsAttr groups = layout_.getOut(); // which the other layer multiplies
  Value group = scalars_.lookup(store.getGroup()), column = scalars_.lookup(store.getColumn());
  Value start = add(
      heldStart(groups, "out", scalars_.lookup(store.getRowType()), group, scalars_.lookup(store.getRow())),
      column);
  Value width = groupWidth(groups, "out", group, depth_);
  auto store_rows = [&](bool masked) {
    if (row_of_loop_)
      return storeHeldRow(store, add(start, multiply(width, row_of_loop_)), 0, masked);
    for (int64_t r = 0; r < type.getRows(); ++r)
      storeHeldRow(store, add(start, multiply(width, r)), r, masked);
  };
  if (columnsAlwaysFill()) {
    store_rows(/*masked=*/false);
    return success();
  }
  // What is past the group's last column are the first ones of the next row.
  auto branch = scf::IfOp::create(builder_, location_, atLeast(mask.columns, type.getColumns()),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPoint(branch.thenBlock()->getTerminator());
  store_rows(/*masked=*/false);
  builder_.setInsertionPoint(branch.elseBlock()->getTerminator());
  store_rows(/*masked=*/true);
  return success();
}

KernelEmitter::RowStore KernelEmitter::beginStore(tile::StoreOp store) {
  location_ = store.getLoc();
  Value group = scalars_.lookup(store.getGroup()), column = scalars_.lookup(store.getColumn());
  return {store, add(groupStart(layout_.getOut(), "out", group), column)};
}

void KernelEmitter::storeRow(const RowStore &row_store, int64_t row_of_tile) {
  tile::StoreOp store = row_store.op;
  location_ = store.getLoc();
  OpBuilder::InsertionGuard guard(builder_);
  if (row_of_tile > 0) { // a tile has at least one row
    auto exists =
        scf::IfOp::create(builder_, location_, less(row_of_tile, masks_.lookup(store.getMask()).rows),
                          /*withElseRegion=*/false);
    builder_.setInsertionPoint(exists.thenBlock()->getTerminator());
  }
  Value row = rowOf(scalars_.lookup(store.getRowType()), add(scalars_.lookup(store.getRow()), row_of_tile));
  storeExistingRow(row_store, row_of_tile, row);
}

void KernelEmitter::storeExistingRow(const RowStore &row_store, int64_t row_of_tile, Value row) {
  tile::StoreOp store = row_store.op;
  location_ = store.getLoc();
  tile::FragmentType type = store.getValue().getType();
  const int64_t lanes = schedule_.getLanes(), vectors = type.getColumns() / lanes;
  Memory target = memory_.lookup(store.getTarget());
  Mask mask = masks_.lookup(store.getMask());
  OpBuilder::InsertionGuard guard(builder_);
  SmallVector<Value> values = rowOfFragment(store.getValue(), row_of_tile);
  if (const Type storage = storageOf(type.getElementType()); type.getElementType() != storage)
    for (Value &value : values)
      value = vector::BitCastOp::create(builder_, location_, VectorType::get({lanes}, storage), value);
  auto place = [&](int64_t v) { return SmallVector<Value, 2>{row, add(row_store.first_column, v * lanes)}; };
  auto whole = [&] {
    for (int64_t v = 0; v < vectors; ++v)
      vector::StoreOp::create(builder_, location_, values[v], target.memref, place(v));
  };
  if (Value stream = streams_.lookup(store.getTarget())) {
    auto branch = scf::IfOp::create(builder_, location_, stream, /*withElseRegion=*/true);
    builder_.setInsertionPoint(branch.elseBlock()->getTerminator());
    whole();
    builder_.setInsertionPoint(branch.thenBlock()->getTerminator());
    // Half lines are joined: one store writes one line.
    const int64_t vector_bytes = lanes * (target.element.getIntOrFloatBitWidth() / 8);
    const bool halves = vector_bytes == cache_line / 2;
    for (int64_t v = 0; v < vectors; v += halves ? 2 : 1) {
      Value line = values[v];
      if (halves) {
        SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanes));
        line = vector::ShuffleOp::create(builder_, location_, line, values[v + 1], order);
      }
      vector::StoreOp::create(builder_, location_, line, target.memref, place(v), /*nontemporal=*/true,
                              llvm::MaybeAlign(cache_line));
    }
    return;
  }
  if (columnsAlwaysFill())
    return whole();
  // Masked stores are slow where the mask is not a register of its own, so only the last panel of a group
  // uses them.
  Value fills = atLeast(mask.columns, type.getColumns());
  auto branch = scf::IfOp::create(builder_, location_, fills, /*withElseRegion=*/true);
  builder_.setInsertionPoint(branch.thenBlock()->getTerminator());
  whole();
  builder_.setInsertionPoint(branch.elseBlock()->getTerminator());
  for (int64_t v = 0; v < vectors; ++v)
    vector::MaskedStoreOp::create(builder_, location_, target.memref, place(v),
                                  columnMask(mask.columns, v, lanes), values[v]);
}

LogicalResult KernelEmitter::emitStore(tile::StoreOp store) {
  const RowStore row_store = beginStore(store);
  for (int64_t row = 0; row < store.getValue().getType().getRows(); ++row)
    storeRow(row_store, row);
  return success();
}

} // namespace compiler
