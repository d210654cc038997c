// Products by the matrix unit of AMX. It has eight registers of 16 rows of 64 bytes: four hold squares of
// sums, which stay there from a tile's first term to its last one, two hold blocks of rows, and two blocks of
// panels. What follows the products, maps and stores, reads the sums out of scratch, row by row.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "compiler/schedule/schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace compiler {

static constexpr int64_t first_of_rows = 4, first_of_panels = 6, of_each_operand = 2; ///< registers
static constexpr int64_t square = CpuSchedule::amx_rows; ///< rows and columns of sums
static_assert(square == CpuSchedule::amx_columns);

/// A register tile in squares.
static int64_t squaresAlongRows(tile::ScheduleAttr schedule) { return schedule.getRegisterRows() / square; }
static int64_t squaresAlongColumns(tile::ScheduleAttr schedule) {
  return schedule.getRegisterColumns() / square;
}

void KernelEmitter::callAmx(StringRef name, ValueRange operands) {
  LLVM::CallIntrinsicOp::create(builder_, location_, builder_.getStringAttr("llvm.x86." + name), operands);
}

Value KernelEmitter::amxRegister(int64_t number) {
  return LLVM::ConstantOp::create(builder_, location_,
                                  builder_.getI8IntegerAttr(static_cast<int8_t>(number)));
}

Value KernelEmitter::addressOf(const Memory &memory, Value element) {
  const int64_t bytes = memory.element.getIntOrFloatBitWidth() / 8;
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(builder_, location_, memory.memref);
  Value address = arith::IndexCastOp::create(builder_, location_, builder_.getI64Type(),
                                             add(base, multiply(element, bytes)));
  return LLVM::IntToPtrOp::create(builder_, location_, LLVM::LLVMPointerType::get(builder_.getContext()),
                                  address);
}

void KernelEmitter::configureAmx() {
  // Intel SDM volume 1, "Programming with Intel AMX": palette 1 at byte 0, from byte 16 on the bytes of a row
  // of each register, in two bytes each, and from byte 48 on the rows of each.
  constexpr int64_t bytes_at = 16, rows_at = 48, registers = 8;
  SmallVector<int8_t> configuration(64, 0);
  configuration[0] = 1;
  for (int64_t i = 0; i < registers; ++i) {
    configuration[bytes_at + 2 * i] = 64;
    configuration[rows_at + i] = square;
  }
  auto type = RankedTensorType::get({static_cast<int64_t>(configuration.size())}, builder_.getI8Type());
  const Memory memory = {table("amx_configuration", DenseElementsAttr::get(type, ArrayRef(configuration))),
                         builder_.getI8Type()};
  callAmx("ldtilecfg", {addressOf(memory, constant(0))});
}

void KernelEmitter::releaseAmx() { callAmx("tilerelease", {}); }

LogicalResult KernelEmitter::zeroSquares(tile::TermsOp terms) {
  const int64_t squares = squaresAlongRows(schedule_) * squaresAlongColumns(schedule_),
                sums = static_cast<int64_t>(terms.getInits().size());
  if (sums * squares > first_of_rows)
    return terms.emitOpError("carries ")
           << sums << " sums of " << squares << " squares, AMX has registers for " << first_of_rows;
  for (Value init : terms.getInits())
    if (!init.getDefiningOp<tile::ZeroOp>())
      return terms.emitOpError(
          "begins with sums that are not zero, which AMX does not read on the CPU target");
  for (int64_t i = 0; i < sums * squares; ++i)
    callAmx("tilezero", {amxRegister(i)});
  return success();
}

void KernelEmitter::storeSquares(tile::TermsOp terms) {
  const int64_t rows = squaresAlongRows(schedule_), columns = squaresAlongColumns(schedule_);
  const FloatType f32 = builder_.getF32Type();
  int64_t number = 0;
  for (Value sum : terms.getSums()) {
    const Memory memory = {scratchBuffer(schedule_.getRegisterRows() * schedule_.getRegisterColumns(), f32),
                           f32};
    sums_in_scratch_[sum] = memory.memref;
    Value stride = constant(schedule_.getRegisterColumns() * 4, builder_.getI64Type());
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        Value first = constant(r * square * schedule_.getRegisterColumns() + c * square);
        callAmx("tilestored64", {amxRegister(number++), addressOf(memory, first), stride});
      }
  }
}

LogicalResult KernelEmitter::emitSquareProducts(ArrayRef<tile::MmaOp> products) {
  tile::MmaOp mma = products.front(); // the others differ in their weight matrices and sums alone
  const Memory held = memory_.lookup(mma.getRows());
  if (mma.getScale())
    return mma.emitOpError("has coefficients; AMX adds products as they are");
  auto terms = dyn_cast<tile::TermsOp>(mma->getParentOp());
  SmallVector<Memory> weight_matrices;
  SmallVector<int64_t> sums; // the first register of each product's
  const int64_t rows = squaresAlongRows(schedule_), columns = squaresAlongColumns(schedule_);
  for (tile::MmaOp product : products) {
    const Memory weights = memory_.lookup(product.getWeights());
    if (!held.element.isBF16() || !weights.element.isBF16() || weights.panel == 0 || pairing_ != 2)
      return product.emitOpError("multiplies by AMX, which takes rows of bf16 and panels of bf16 pairs");
    weight_matrices.push_back(weights);
    auto carried = dyn_cast<BlockArgument>(product.getAccumulator());
    if (!terms || !carried || carried.getOwner() != &terms.getBody().front())
      return product.emitOpError("adds by AMX to what is not carried by the terms around it");
    sums.push_back((carried.getArgNumber() - 3) * rows * columns);
    fragments_[product.getResult()] = {};
  }

  Value input_group = scalars_.lookup(mma.getInputGroup());
  Value width = groupWidth(layout_.getIn(), "in", input_group, depth_);
  Value rows_start = heldStart(layout_.getIn(), "in", scalars_.lookup(mma.getRowType()), input_group,
                               scalars_.lookup(mma.getRow()));
  Value weight_start = panelStart(weight_matrices.front(), scalars_.lookup(mma.getWeightRow()),
                                  scalars_.lookup(mma.getGroup()), scalars_.lookup(mma.getColumn()));
  const int64_t panel = weight_matrices.front().panel;
  const Type word = builder_.getI64Type();
  Value row_bytes = arith::IndexCastOp::create(builder_, location_, word, multiply(width, 2));
  Value pair_bytes = constant(panel * 4, word);
  const auto load_rows = [&](int64_t into, Value p, int64_t r) {
    Value first = add(rows_start, add(multiply(width, r * square), p));
    callAmx("tileloadd64", {amxRegister(into), addressOf(held, first), row_bytes});
  };
  return loop(constant(0), width, depth_, [&](Value p) {
    Value step = add(weight_start, multiply(p, panel));
    // Few rows stay in registers while the squares of panels pass; of many, one square of panels is all there
    // is.
    const bool rows_stay = rows <= of_each_operand;
    if (rows_stay)
      for (int64_t r = 0; r < rows; ++r)
        load_rows(first_of_rows + r, p, r);
    int64_t passed = 0;
    for (auto [weights, first_sum] : llvm::zip_equal(weight_matrices, sums))
      for (int64_t c = 0; c < columns; ++c) {
        const int64_t of_panel = first_of_panels + passed++ % of_each_operand;
        callAmx("tileloadd64",
                {amxRegister(of_panel), addressOf(weights, add(step, c * square * pairing_)), pair_bytes});
        for (int64_t r = 0; r < rows; ++r) {
          const int64_t of_rows = first_of_rows + r % of_each_operand;
          if (!rows_stay)
            load_rows(of_rows, p, r);
          callAmx("tdpbf16ps",
                  {amxRegister(first_sum + r * columns + c), amxRegister(of_rows), amxRegister(of_panel)});
        }
      }
    // The weight matrix comes from memory, panel after panel: ask for the next one meanwhile.
    for (const Memory &weights : weight_matrices) {
      if (weights.buffer)
        continue;
      constexpr int64_t line = 32; // bf16
      Value next = add(step, multiply(width, panel));
      for (int64_t e = 0; e < panel * depth_; e += line)
        memref::PrefetchOp::create(builder_, location_, weights.memref, ValueRange{constant(0), add(next, e)},
                                   /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
    }
    return success();
  });
}

LogicalResult KernelEmitter::loadSquares(tile::LoadOp load) {
  // What is stored next is read row by row there.
  if (llvm::all_of(load->getUsers(), llvm::IsaPred<tile::StoreWeightOp>))
    return success();
  sums_of_unit_ = load.getResult();
  eachSquareOfSums(
      load.getSums(), load.getFeature(), load.getColumn(),
      [&](Value number, Value address, Value stride) { callAmx("tileloadd64", {number, address, stride}); });
  return success();
}

LogicalResult KernelEmitter::keepSquares(tile::KeepOp keep) {
  if (keep.getValue().getDefiningOp<tile::ZeroOp>()) {
    const int64_t squares = squaresAlongRows(schedule_) * squaresAlongColumns(schedule_);
    for (int64_t i = 0; i < squares; ++i)
      callAmx("tilezero", {amxRegister(i)});
    sums_of_unit_ = {};
  } else if (keep.getValue() != sums_of_unit_) {
    return keep.emitOpError("keeps sums that the registers of AMX do not hold any more");
  }
  eachSquareOfSums(
      keep.getSums(), keep.getFeature(), keep.getColumn(),
      [&](Value number, Value address, Value stride) { callAmx("tilestored64", {number, address, stride}); });
  return success();
}

void KernelEmitter::eachSquareOfSums(Value sums, Value feature, Value column,
                                     function_ref<void(Value, Value, Value)> body) {
  const auto type = cast<tile::BufferType>(sums.getType());
  const Memory memory = memory_.lookup(sums);
  Value start = sumsStart(type, scalars_.lookup(feature), scalars_.lookup(column));
  Value stride = constant(type.getColumns() * 4, builder_.getI64Type());
  int64_t number = 0;
  for (int64_t r = 0; r < schedule_.getRegisterRows(); r += square)
    for (int64_t c = 0; c < schedule_.getRegisterColumns(); c += square)
      body(amxRegister(number++), addressOf(memory, add(start, r * type.getColumns() + c)), stride);
}

LogicalResult KernelEmitter::emitSquareOuter(tile::OuterOp outer) {
  if (outer.getAccumulator() != sums_of_unit_)
    return outer.emitOpError("adds by AMX to sums that its registers do not hold");
  sums_of_unit_ = outer.getResult();
  const Memory left = memory_.lookup(outer.getLeft()), right = memory_.lookup(outer.getRight());
  const tile::BufferType panels = outer.getLeft().getType();
  const int64_t rows = squaresAlongRows(schedule_), columns = squaresAlongColumns(schedule_);
  const int64_t depth = panels.getInterleave();
  Value feature = subtract(scalars_.lookup(outer.getFeature()), feature_begin_);
  Value count = rowsInHand(scalars_.lookup(outer.getRowType()), scalars_.lookup(outer.getRow()));
  const Type word = builder_.getI64Type();
  Value left_bytes = constant(depth * 2, word), right_bytes = constant(right.panel * 4, word);
  return loop(constant(0), count, depth, [&](Value r) {
    Value left_start = add(multiply(feature, panels.getRows()), multiply(r, left.panel)),
          right_start = multiply(r, right.panel);
    const auto load_rows = [&](int64_t of_rows, int64_t i) {
      callAmx("tileloadd64",
              {amxRegister(of_rows), addressOf(left, add(left_start, i * square * depth)), left_bytes});
    };
    const bool rows_stay = rows <= of_each_operand;
    if (rows_stay)
      for (int64_t i = 0; i < rows; ++i)
        load_rows(first_of_rows + i, i);
    for (int64_t c = 0; c < columns; ++c) {
      const int64_t of_panel = first_of_panels + c % of_each_operand;
      callAmx("tileloadd64",
              {amxRegister(of_panel), addressOf(right, add(right_start, c * square * 2)), right_bytes});
      for (int64_t i = 0; i < rows; ++i) {
        const int64_t of_rows = first_of_rows + i % of_each_operand;
        if (!rows_stay)
          load_rows(of_rows, i);
        callAmx("tdpbf16ps", {amxRegister(i * columns + c), amxRegister(of_rows), amxRegister(of_panel)});
      }
    }
    return success();
  });
}

FailureOr<bool> KernelEmitter::emitRowsFrom(Block::iterator &op, Block::iterator end) {
  if (!usesAmx() || !isa<tile::MapOp, tile::StoreOp, tile::StoreHeldOp>(*op))
    return false;
  SmallVector<tile::MapOp> maps;
  SmallVector<Operation *> stores;
  tile::FragmentType shape;
  for (; op != end; ++op) {
    if (isa<tile::MaskOp>(*op)) {
      if (failed(emitOp(&*op)))
        return failure();
      continue;
    }
    auto map = dyn_cast<tile::MapOp>(*op);
    Value tile;
    if (map && stores.empty())
      tile = map.getResult();
    else if (auto store = dyn_cast<tile::StoreOp>(*op))
      tile = store.getValue();
    else if (auto held = dyn_cast<tile::StoreHeldOp>(*op))
      tile = held.getValue();
    auto type = tile ? cast<tile::FragmentType>(tile.getType()) : tile::FragmentType();
    if (!type || (shape && (type.getRows() != shape.getRows() || type.getColumns() != shape.getColumns())))
      break;
    shape = type;
    if (map)
      maps.push_back(map);
    else
      stores.push_back(&*op);
  }
  for (tile::MapOp map : maps)
    for (Operation *user : map->getUsers())
      if (!llvm::is_contained(stores, user) &&
          !llvm::any_of(maps, [&](tile::MapOp other) { return other == user; }))
        return map.emitOpError("is read behind other operations; with AMX its rows are gone by then");
  if (failed(emitRowLoop(maps, stores)))
    return failure();
  return true;
}

LogicalResult KernelEmitter::emitRowLoop(ArrayRef<tile::MapOp> maps, ArrayRef<Operation *> stores) {
  Value count = constant(schedule_.getRegisterRows());
  SmallVector<RowStore> row_stores;
  for (Operation *op : stores) {
    auto store = dyn_cast<tile::StoreOp>(op);
    if (store)
      row_stores.push_back(beginStore(store));
    count = least(count, masks_.lookup(store ? store.getMask() : cast<tile::StoreHeldOp>(op).getMask()).rows);
  }
  LogicalResult lowered = loop(constant(0), count, 1, [&](Value row) -> LogicalResult {
    row_of_loop_ = row;
    // Of rows that lie a multiple of 4 KB apart a cache keeps no more than it has ways.
    constexpr int64_t ahead = 8;
    prefetchElements(maps, [&](Value type, Value ordinal, int64_t) -> SmallVector<Value> {
      return {rowOf(type, add(ordinal, least(add(row, ahead), subtract(count, 1))))};
    });
    for (tile::MapOp map : maps) {
      location_ = map.getLoc();
      SmallVector<SmallVector<Value>> inputs;
      for (unsigned input = 0; input < map.getInputs().size(); ++input)
        inputs.push_back(vectorsOf(map, input, /*row=*/0));
      SmallVector<Value> results;
      for (int64_t v = 0; v < schedule_.getRegisterColumns() / schedule_.getLanes(); ++v) {
        results.push_back(emitBody(
            map, llvm::map_to_vector(inputs, [&](const SmallVector<Value> &vectors) { return vectors[v]; })));
        if (!results.back())
          return failure();
      }
      fragments_[map.getResult()] = results;
    }
    for (Operation *op : stores)
      if (auto held = dyn_cast<tile::StoreHeldOp>(op); held && failed(emitStoreHeld(held)))
        return failure();
    for (const RowStore &store : row_stores) {
      tile::StoreOp op = store.op;
      storeExistingRow(store, /*row_of_tile=*/0,
                       rowOf(scalars_.lookup(op.getRowType()), add(scalars_.lookup(op.getRow()), row)));
    }
    return success();
  });
  row_of_loop_ = {};
  return lowered;
}

} // namespace compiler
