// What the indices of a kernel's layout mean in memory.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "compiler/schedule/cost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace compiler {

Value KernelEmitter::table(StringRef wanted, DenseElementsAttr values) {
  auto type = MemRefType::get(values.getType().getShape(), values.getElementType());
  // Kernels of one layer share their tables; another layer in the module gets names of its own.
  std::string name = wanted.str();
  for (int copy = 1;; ++copy) {
    auto existing = module_.lookupSymbol<memref::GlobalOp>(name);
    if (!existing) {
      OpBuilder::InsertionGuard guard(builder_);
      builder_.setInsertionPointToStart(module_.getBody());
      memref::GlobalOp::create(builder_, location_, name, builder_.getStringAttr("private"), type, values,
                               /*constant=*/true, /*alignment=*/IntegerAttr());
      break;
    }
    if (existing.getInitialValueAttr() == values)
      break;
    name = (wanted + "_" + Twine(copy)).str();
  }
  return memref::GetGlobalOp::create(builder_, location_, type, name);
}

Value KernelEmitter::tableEntry(StringRef name, ArrayRef<int64_t> entries, Value i) {
  auto type = RankedTensorType::get({static_cast<int64_t>(entries.size())}, builder_.getI64Type());
  Value entry =
      memref::LoadOp::create(builder_, location_, table(name, DenseElementsAttr::get(type, entries)), i);
  return asIndex(entry);
}

Value KernelEmitter::tableEntry(StringRef name, ArrayRef<double> entries, FloatType element, Value i) {
  auto type = RankedTensorType::get({static_cast<int64_t>(entries.size())}, element);
  DenseElementsAttr values;
  if (element.isF32()) {
    SmallVector<float> rounded(entries.begin(), entries.end());
    values = DenseElementsAttr::get(type, ArrayRef<float>(rounded));
  } else {
    values = DenseElementsAttr::get(type, entries);
  }
  return memref::LoadOp::create(builder_, location_, table(name, values), i);
}

/// For each width, the sum of the sizes of those before it.
static SmallVector<int64_t> sumsBefore(ArrayRef<int64_t> widths, function_ref<int64_t(int64_t)> size) {
  SmallVector<int64_t> sums;
  int64_t sum = 0;
  for (int64_t width : widths) {
    sums.push_back(sum);
    sum += size(width);
  }
  return sums;
}

Value KernelEmitter::groupStart(alg::GroupsAttr groups, StringRef name, Value group, int64_t round_to) {
  if (groups.isEqual())
    return multiply(group, roundUp(groups.getWidth(0), round_to));
  SmallVector<int64_t> starts =
      sumsBefore(groups.getWidths(), [&](int64_t width) { return roundUp(width, round_to); });
  return tableEntry((name + "_starts" + (round_to == 1 ? "" : "_by_" + Twine(round_to))).str(), starts,
                    group);
}

Value KernelEmitter::groupWidth(alg::GroupsAttr groups, StringRef name, Value group, int64_t round_to) {
  if (groups.isEqual())
    return constant(roundUp(groups.getWidth(0), round_to));
  SmallVector<int64_t> widths;
  for (int64_t width : groups.getWidths())
    widths.push_back(roundUp(width, round_to));
  return tableEntry((name + "_widths" + (round_to == 1 ? "" : "_by_" + Twine(round_to))).str(), widths,
                    group);
}

int64_t KernelEmitter::paddedTotal(alg::GroupsAttr groups, int64_t round_to) const {
  if (groups.isEqual())
    return groups.getCount() * roundUp(groups.getWidth(0), round_to);
  int64_t total = 0;
  for (int64_t width : groups.getWidths())
    total += roundUp(width, round_to);
  return total;
}

SmallVector<Value> KernelEmitter::byListing(function_ref<SmallVector<Value>()> of_lists,
                                            function_ref<SmallVector<Value>()> of_positions) {
  if (!listed_)
    return layout_.getRowTypes().getKind() == alg::RowTypeKind::Explicit ? of_lists() : of_positions();
  auto yield = [&](function_ref<SmallVector<Value>()> values) {
    return [&, values](OpBuilder &, Location) { scf::YieldOp::create(builder_, location_, values()); };
  };
  OpBuilder::InsertionGuard guard(builder_);
  auto branch = scf::IfOp::create(builder_, location_, listed_, yield(of_lists), yield(of_positions));
  return llvm::to_vector_of<Value>(branch.getResults());
}

KernelEmitter::TypeRows KernelEmitter::listedRows(Value type) {
  auto bound = [&](Value i) -> Value {
    Value entry = memref::LoadOp::create(builder_, location_, row_starts_, i);
    return asIndex(entry);
  };
  Value first = bound(type);
  return {first, subtract(bound(add(type, 1)), first)};
}

KernelEmitter::TypeRows KernelEmitter::regularRows(Value type) {
  // Positions of this type below p: whole periods, and what the last one has begun.
  const alg::RowTypesAttr types = layout_.getRowTypes();
  const int64_t width = types.getWidth(), period = types.getCount() * width;
  Value run = multiply(type, width);
  auto below = [&](Value p) {
    Value begun = least(greatest(subtract(remainder(p, period), run), 0), width);
    return add(multiply(divide(p, period), width), begun);
  };
  Value first = below(offset_);
  return {first, subtract(below(add(offset_, batch_rows_)), first)};
}

KernelEmitter::TypeRows KernelEmitter::rowsOfType(Value type) {
  if (auto known = type_rows_.find(type); known != type_rows_.end())
    return known->second;
  auto as_list = [](TypeRows rows) { return SmallVector<Value>{rows.first, rows.count}; };
  const SmallVector<Value> rows =
      byListing([&] { return as_list(listedRows(type)); }, [&] { return as_list(regularRows(type)); });
  return {rows[0], rows[1]};
}

Value KernelEmitter::rowOf(Value type, Value ordinal) {
  Value counted = add(rowsOfType(type).first, ordinal);
  auto in_list = [&]() -> SmallVector<Value> {
    Value row = memref::LoadOp::create(builder_, location_, row_list_, counted);
    return {asIndex(row)};
  };
  auto at_position = [&]() -> SmallVector<Value> {
    const alg::RowTypesAttr types = layout_.getRowTypes();
    const int64_t width = types.getWidth(), period = types.getCount() * width;
    Value position =
        add(multiply(divide(counted, width), period), add(multiply(type, width), remainder(counted, width)));
    return {subtract(position, offset_)};
  };
  return byListing(in_list, at_position).front();
}

Value KernelEmitter::weightColumn(Value group) {
  // In the slot lift a block of the weight matrix is as wide as the weight matrix.
  return layout_.getLift() == tile::LiftKind::Slots ? constant(0)
                                                    : groupStart(layout_.getOut(), "out", group);
}

static int64_t panelsOf(int64_t width, int64_t columns) { return (width + columns - 1) / columns; }

int64_t KernelEmitter::panelCount() const {
  const int64_t columns = schedule_.getRegisterColumns();
  alg::GroupsAttr out = layout_.getOut();
  if (layout_.getLift() == tile::LiftKind::Slots)
    return panelsOf(out.getWidth(0), columns);
  int64_t panels = 0;
  if (out.isEqual())
    return out.getCount() * panelsOf(out.getWidth(0), columns);
  for (int64_t width : out.getWidths())
    panels += panelsOf(width, columns);
  return panels;
}

Value KernelEmitter::panelsBefore(Value group) {
  if (layout_.getLift() == tile::LiftKind::Slots)
    return constant(0);
  const int64_t columns = schedule_.getRegisterColumns();
  alg::GroupsAttr out = layout_.getOut();
  if (out.isEqual())
    return multiply(group, panelsOf(out.getWidth(0), columns));
  SmallVector<int64_t> before =
      sumsBefore(out.getWidths(), [&](int64_t width) { return panelsOf(width, columns); });
  return tableEntry(("panels_of_" + Twine(columns)).str(), before, group);
}

Value KernelEmitter::panelStart(const Memory &weights, Value weight_row, Value group, Value column) {
  alg::GroupsAttr rows = layout_.getWeights();
  Value start = multiply(groupStart(rows, "weights", weight_row, depth_), weights.panel);
  if (weights.buffer)
    return start;
  // Row group after row group, in each the panels of all columns one after another.
  Value panel = add(panelsBefore(group), divide(column, weights.panel));
  Value depth = groupWidth(rows, "weights", weight_row, depth_);
  return add(multiply(start, panelCount()), multiply(multiply(panel, depth), weights.panel));
}

Value KernelEmitter::heldStart(alg::GroupsAttr groups, StringRef name, Value type, Value group,
                               Value ordinal) {
  // Type after type, in each group after group, in each row after row: the rows of a register tile lie at one
  // small stride from each other, whatever K is.
  Value slot = multiply(subtract(type, owned_type_), schedule_.getRows() * paddedTotal(groups, depth_));
  Value before = multiply(groupStart(groups, name, group, depth_), schedule_.getRows());
  Value row = multiply(subtract(ordinal, owned_row_), groupWidth(groups, name, group, depth_));
  return add(add(slot, before), row);
}

bool KernelEmitter::columnsAlwaysFill() const {
  alg::GroupsAttr out = layout_.getOut();
  return out.isEqual() && out.getWidth(0) % schedule_.getRegisterColumns() == 0;
}

Value KernelEmitter::columnMask(Value columns_left, int64_t vector, int64_t lanes) {
  Value left = least(greatest(subtract(columns_left, vector * lanes), 0), lanes);
  return vector::CreateMaskOp::create(builder_, location_, VectorType::get({lanes}, builder_.getI1Type()),
                                      left);
}

} // namespace compiler
