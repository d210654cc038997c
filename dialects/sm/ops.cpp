#include "dialects/sm/sm.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sm;

#include "dialects/sm/sm_enums.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/sm/sm_ops.cpp.inc"

LogicalResult sm::impl::verifyRunsInOneThread(Operation *op) {
  if (!op->getParentOfType<ElectOp>())
    return op->emitOpError("is for one thread of a warpgroup: put it inside an sm.elect");
  return success();
}

LogicalResult sm::impl::verifyRunsInAllThreads(Operation *op) {
  if (op->getParentOfType<RoleOp>())
    return op->emitOpError("is for all threads of the block: it cannot stand in an sm.role");
  return success();
}

//===--------------------------------------------------------------------------------------------===//
// The kernel and its roles
//===--------------------------------------------------------------------------------------------===//

LogicalResult KernelOp::verify() {
  auto layout = dyn_cast<tile::LayoutAttr>(getLayout());
  if (!layout)
    return emitOpError("needs the #tile.layout of the kernel that it came from, got ") << getLayout();
  Block &body = getBody().front();
  auto is = [&](unsigned argument, auto test) {
    return argument < body.getNumArguments() && test(body.getArgument(argument).getType());
  };
  auto maps = [](Type type) { return isa<MapsType>(type); };
  auto index = [](Type type) { return type.isIndex(); };
  auto table = [](Type type) { return isa<TermsTableType>(type); };
  const bool bank_gradient = layout.isBankGradient();
  const bool biased = layout.getMode() == alg::OutputMode::Product && body.getNumArguments() == 7 &&
                      is(6, [](Type type) { return isa<BiasType>(type); });
  if (body.getNumArguments() != (bank_gradient || biased ? 7 : 6) || !is(0, maps) || !is(1, maps) ||
      !is(2, maps) || !is(3, index) || !is(4, index) || !is(5, table) ||
      (bank_gradient && !is(6, [](Type type) { return type.isF32(); })))
    return emitOpError("takes the maps of ")
           << (bank_gradient ? "X, dY and dW, the rows, the offset, the terms table and beta, got ("
                             : "X, W and Y, the rows, the offset and the terms table, of a product "
                               "perhaps a bias, got (")
           << body.getArgumentTypes() << ")";
  if (biased) {
    auto bias = cast<BiasType>(body.getArgument(6).getType());
    alg::GroupsAttr out = layout.getOut();
    // Of unequal groups it is one.
    const bool one_group = layout.hasUnequalGroups();
    const bool fits = bias.getGroups() == (one_group ? 1 : out.getCount()) &&
                      bias.getWidth() == (one_group ? out.getTotal() : out.getWidth(0));
    if (!fits)
      return emitOpError("has ") << bias << ", but its layout's output groups are " << out;
  }
  int64_t registers = 0;
  for (RoleOp role : body.getOps<RoleOp>())
    registers += role.getWarpgroups() * warpgroup_threads * role.getRegisters();
  if (registers > register_file)
    return emitOpError("has roles that take ")
           << registers << " registers together, of " << register_file << " in the machine";
  return success();
}

LogicalResult ReadRowListOp::verify() {
  if (!getMaps().getType().getListed())
    return emitOpError("reads the row list of ") << getMaps().getType() << ", which are not listed";
  return success();
}

LogicalResult RoleOp::verify() {
  if (getWarpgroups() < 1 || getWarpgroups() > 8)
    return emitOpError("has 1 to 8 warpgroups of ")
           << warpgroup_threads << " threads, got " << getWarpgroups();
  if (getRegisters() < 24 || getRegisters() > 256 || getRegisters() % 8 != 0)
    return emitOpError("gets 24 to 256 registers per thread, a multiple of 8, got ") << getRegisters();
  return success();
}

LogicalResult ElectOp::verify() {
  if (!(*this)->getParentOfType<RoleOp>())
    return emitOpError("elects a thread of a role's warpgroups, but no sm.role is around it");
  if ((*this)->getParentOfType<ElectOp>())
    return emitOpError("stands inside another, where one thread is left already");
  return success();
}

//===--------------------------------------------------------------------------------------------===//
// Synchronous programs, and what passes between roles
//===--------------------------------------------------------------------------------------------===//

/// A copy between maps and a block, wherever the block is.
template <class Memory>
static LogicalResult verifyCopy(Operation *op, MapsType maps, size_t coordinates, Memory memory,
                                int64_t memoryRows) {
  if (coordinates != 4)
    return op->emitOpError(
               "takes the four coordinates column, group, line (or depth) and row (or block), got ")
           << coordinates;
  if (maps.getSwizzle() != memory.getSwizzle())
    return op->emitOpError("copies boxes with a swizzle of ")
           << maps.getSwizzle() << " bytes to or from blocks with " << memory.getSwizzle();
  if (maps.getElementType() != memory.getElementType() || maps.getColumns() != memory.getColumns() ||
      maps.getRows() != memoryRows)
    return op->emitOpError("the maps are for blocks of ")
           << maps.getRows() << " x " << maps.getColumns() << " x " << maps.getElementType()
           << ", the other side has " << memoryRows << " x " << memory.getColumns() << " x "
           << memory.getElementType();
  return success();
}

/// A copy of a whole block, or of one of the parts that blocks of a cluster copy for each other.
template <class Memory, class Op>
static LogicalResult verifyCopyInParts(Op op, MapsType maps, Memory memory) {
  const int64_t parts = op.getParts().value_or(1);
  const bool shared = op.getPart() != nullptr;
  if (shared != op.getParts().has_value() || shared != (op.getMask() != nullptr))
    return op.emitOpError("copies a part of several for a mask of blocks, or the whole for its own block");
  if (shared && (parts < 2 || parts > most_parts))
    return op.emitOpError("copies a part of 2 to ") << most_parts << ", got " << parts;
  if (shared && memory.getRows() % (parts * swizzle_rows) != 0)
    return op.emitOpError("cannot copy ")
           << memory.getRows() << " rows in " << parts << " parts that are multiples of " << swizzle_rows;
  return verifyCopy(op, maps, op.getCoordinates().size(), memory, memory.getRows() / parts);
}

/// Sums of rows x columns from operands of rows x depth and depth x columns, or where B is transposed columns
/// x depth.
template <class Operand>
static LogicalResult verifyProduct(Operation *op, Operand a, bool aTransposed, Operand b, bool bTransposed,
                                   AccumulatorType sum) {
  const int64_t aDepth = aTransposed ? a.getRows() : a.getColumns(),
                aRows = aTransposed ? a.getColumns() : a.getRows();
  const int64_t bDepth = bTransposed ? b.getColumns() : b.getRows(),
                bColumns = bTransposed ? b.getRows() : b.getColumns();
  if (!a.getElementType().isBF16() || !b.getElementType().isBF16())
    return op->emitOpError("multiplies bf16, got ") << a.getElementType() << " and " << b.getElementType();
  if (aDepth != bDepth)
    return op->emitOpError("the depth of A is ") << aDepth << ", that of B " << bDepth;
  if (aDepth % mma_depth != 0)
    return op->emitOpError("the depth must be a multiple of ") << mma_depth << ", got " << aDepth;
  if (aRows != sum.getRows() || bColumns != sum.getColumns())
    return op->emitOpError("the product is ")
           << aRows << " x " << bColumns << ", the sums are " << sum.getRows() << " x " << sum.getColumns();
  return success();
}

/// Part of an operand's depth, where not all of it is multiplied.
static LogicalResult verifyDepth(Operation *op, std::optional<uint64_t> part, int64_t depth) {
  if (!part)
    return success();
  const auto multiplied = static_cast<int64_t>(*part);
  if (multiplied < mma_depth || multiplied >= depth || multiplied % mma_depth != 0)
    return op->emitOpError("multiplies a part of the depth of ")
           << depth << ", which is a multiple of " << mma_depth << " below it, got " << multiplied;
  return success();
}

LogicalResult FetchOp::verify() {
  return verifyCopyInParts(*this, getSource().getType(), getBlock().getType());
}

/// Parts of a block or of sums, each of which has a map and four coordinates.
static LogicalResult verifyParts(Operation *op, size_t parts, size_t coordinates, int64_t partRows,
                                 int64_t rows) {
  if (parts < 1)
    return op->emitOpError("is for at least one part");
  if (coordinates != 4 * parts)
    return op->emitOpError("takes the four coordinates column, group, line and row of each of ")
           << parts << " parts, got " << coordinates;
  if (partRows * static_cast<int64_t>(parts) != rows)
    return op->emitOpError("has ") << parts << " parts of " << partRows << " rows, which do not make up "
                                   << rows;
  return success();
}

LogicalResult FetchPartsOp::verify() {
  BlockType block = getBlock().getType();
  MapsType maps = getSource().getType();
  if (maps.isPlain())
    return emitOpError("needs tensor maps, got plain ones");
  if (failed(verifyParts(*this, getMaps().size(), getCoordinates().size(), maps.getRows(), block.getRows())))
    return failure();
  return verifyCopy(*this, maps, 4, block, maps.getRows());
}

LogicalResult HoldOp::verify() {
  BlockType block = getBlock().getType();
  MapsType maps = getSource().getType();
  if (maps.isPlain())
    return emitOpError("needs tensor maps, got plain ones");
  if (block.getColumns() % maps.getColumns() != 0)
    return emitOpError("holds ") << block.getColumns() << " columns, which boxes of " << maps.getColumns()
                                 << " do not make up";
  if (failed(verifyParts(*this, getMaps().size(), getCoordinates().size(), maps.getRows(), block.getRows())))
    return failure();
  BlockType piece = BlockType::get(getContext(), maps.getRows(), maps.getColumns(), block.getElementType(),
                                   block.getSwizzle());
  return verifyCopy(*this, maps, 4, piece, maps.getRows());
}

/// What a product multiplies of rows that are held: pieces like A.
static LogicalResult verifyHeld(MultiplyOp op) {
  if (static_cast<bool>(op.getHeld()) != static_cast<bool>(op.getPiece()))
    return op.emitOpError("takes a piece of rows that are held, or has none");
  if (!op.getHeld())
    return success();
  if (!op.getPart())
    return op.emitOpError("has held rows for parts, and no part");
  BlockType a = op.getA().getType();
  int64_t rows = 0, columns = 0;
  llvm::TypeSwitch<Type>(op.getHeld().getType()).Case<BlockType, BufferType>([&](auto held) {
    rows = held.getRows();
    columns = held.getColumns();
  });
  if (rows != a.getRows() || columns % a.getColumns() != 0)
    return op.emitOpError("has held rows of ") << rows << " x " << columns << ", which are no pieces of "
                                               << a.getRows() << " x " << a.getColumns();
  return success();
}

LogicalResult MultiplyOp::verify() {
  if (!getShallow() != !getShallowDepth())
    return emitOpError("says where blocks are shallow together with their depth there");
  const int64_t depth = getATransposed() ? getA().getType().getRows() : getA().getType().getColumns();
  if (failed(verifyDepth(*this, getShallowDepth(), depth)))
    return failure();
  if (getPart() && getATransposed())
    return emitOpError("has parts of the rows of A, which is transposed: its slot has none of them together");
  if (static_cast<bool>(getPart()) != getParts().has_value())
    return emitOpError("names a part and the number of parts, or neither");
  AccumulatorType sum = getAccumulator().getType();
  if (getPart()) {
    if (sum.hasWarps() || sum.getTransposed())
      return emitOpError("has parts where warpgroups hold rows of the sums; here ")
             << (sum.hasWarps() ? "single warps hold them" : "they hold columns");
    const int64_t parts = getPartsAttr().getInt();
    if (parts < 1 || sum.getRows() % (parts * warpgroup_rows) != 0)
      return emitOpError("has parts of whole warpgroups, of ")
             << warpgroup_rows << " rows each; " << parts << " parts do not cut up " << sum.getRows();
    if (getNegate())
      return emitOpError("adds to parts; it cannot subtract from them");
  }
  if (failed(verifyHeld(*this)))
    return failure();
  return verifyProduct(*this, getA().getType(), getATransposed(), getB().getType(), getBTransposed(), sum);
}

LogicalResult DeliverOp::verify() {
  AccumulatorType sum = getAccumulator().getType();
  MapsType maps = getTarget().getType();
  if (getCoordinates().size() != 4)
    return emitOpError("takes the four coordinates column, group, line and row, got ")
           << getCoordinates().size();
  // Where blocks divide some tiles, the maps are for their parts: those that one block has alone are several.
  const bool whole = maps.getRows() == sum.getRows() && maps.getColumns() == sum.getColumns();
  const bool parts =
      !sum.hasWarps() && sum.getRows() % maps.getRows() == 0 && sum.getColumns() % maps.getColumns() == 0 &&
      (sum.getTransposed() ? maps.getColumns() == sum.getColumns() : maps.getRows() == sum.getRows());
  if (!whole && !parts)
    return emitOpError("delivers ") << sum.getRows() << " x " << sum.getColumns() << " sums through maps for "
                                    << maps.getRows() << " x " << maps.getColumns();
  if (sum.hasWarps() != maps.isPlain())
    return emitOpError("delivers sums of ")
           << (sum.hasWarps() ? "single warps, which go through plain maps: give them a vector"
                              : "warpgroups, which go through tensor maps: take away their vector");
  if (getBeta() && !maps.isPlain())
    return emitOpError("adds to what the result holds, which only threads with plain maps can read");
  if (getBeta() && getBias())
    return emitOpError("adds a bias, as products do, and to what the result holds, as gradients do");
  return success();
}

LogicalResult DeliverPartsOp::verify() {
  AccumulatorType sum = getAccumulator().getType();
  MapsType maps = getTarget().getType();
  if (sum.hasWarps() || maps.isPlain())
    return emitOpError("delivers sums of warpgroups through tensor maps");
  if (maps.getColumns() != sum.getColumns())
    return emitOpError("delivers ") << sum.getColumns() << " columns through maps for " << maps.getColumns();
  return verifyParts(*this, getMaps().size(), getCoordinates().size(), maps.getRows(), sum.getRows());
}

LogicalResult PutOp::verify() {
  if (TypeRange(getChannel().getType().getBlocks()) != getBlocks().getTypes())
    return emitOpError("passes ") << getBlocks().getTypes() << " through " << getChannel().getType();
  return success();
}

LogicalResult TakeOp::verify() {
  if (TypeRange(getChannel().getType().getBlocks()) != getBlocks().getTypes())
    return emitOpError("takes ") << getBlocks().getTypes() << " out of " << getChannel().getType();
  return success();
}

//===--------------------------------------------------------------------------------------------===//
// Shared memory and barriers
//===--------------------------------------------------------------------------------------------===//

LogicalResult AllocateOp::verify() {
  if (!getBuffer().getType().getSwizzle())
    return emitOpError("needs the swizzle of its blocks: assign it before");
  return success();
}

LogicalResult BarriersOp::verify() {
  if (getArrivals() < 1)
    return emitOpError("completes after at least one arrival, got ") << getArrivals();
  return success();
}

LogicalResult ArriveOp::verify() {
  if (getPublish() && !getMask())
    return emitOpError("publishes to the blocks of a mask: it arrives at nobody's barrier but its own");
  return success();
}

LogicalResult ClusterSyncOp::verify() {
  if ((*this)->getParentOfType<ElectOp>())
    return emitOpError("is for all threads: it cannot stand inside an sm.elect");
  return success();
}

LogicalResult ExpectOp::verify() {
  // The transaction count of an mbarrier has 20 bits.
  if (getBytes() < 1 || getBytes() >= (1 << 20))
    return emitOpError("announces 1 to ") << (1 << 20) - 1 << " bytes, got " << getBytes();
  return success();
}

//===--------------------------------------------------------------------------------------------===//
// Copies
//===--------------------------------------------------------------------------------------------===//

LogicalResult LoadOp::verify() {
  if (static_cast<bool>(getBarriers()) != static_cast<bool>(getBarrierSlot()))
    return emitOpError("signals one slot of barriers, or none");
  BufferType target = getTarget().getType();
  if (getSource().getType().isPlain())
    return emitOpError("needs tensor maps; threads copy through plain ones with sm.copy");
  if (!getRow())
    return verifyCopyInParts(*this, getSource().getType(), target);
  // Parts begin where the swizzle does anew.
  const int64_t first = getRowAttr().getInt(), height = getSource().getType().getRows();
  if (first < 0 || first % swizzle_rows != 0 || first + height > target.getRows())
    return emitOpError("loads ") << height << " rows from row " << first
                                 << " on; a part begins at a multiple of " << swizzle_rows
                                 << " and ends within the " << target.getRows() << " rows of its slot";
  if (getPart())
    return emitOpError("loads rows of a slot for this block alone, or a part of the slot for several");
  return verifyCopy(*this, getSource().getType(), getCoordinates().size(), target, height);
}

LogicalResult StoreOp::verify() {
  BufferType source = getSource().getType();
  if (getTarget().getType().isPlain())
    return emitOpError("needs tensor maps, got plain ones");
  MapsType target = getTarget().getType();
  // As many boxes as the slot consists of.
  auto part = [](int64_t whole, int64_t box) { return whole % box == 0 ? box : whole; };
  const int64_t rows = part(source.getRows(), target.getRows());
  auto box =
      BufferType::get(getContext(), source.getSlots(), rows, part(source.getColumns(), target.getColumns()),
                      source.getElementType(), source.getSwizzle());
  return verifyCopy(*this, target, getCoordinates().size(), box, rows);
}

LogicalResult StoreWaitOp::verify() {
  if (getPendingAttr().getInt() < 0)
    return emitOpError("cannot leave ") << getPendingAttr().getInt() << " groups unfinished";
  return success();
}

LogicalResult CopyOp::verify() {
  MapsType source = getSource().getType();
  BufferType target = getTarget().getType();
  if (!source.isPlain())
    return emitOpError("is made by threads and needs plain maps, those with a vector");
  if (!source.getElementType().isBF16())
    return emitOpError("copies operands of bf16, got ") << source.getElementType();
  return verifyCopy(*this, source, getCoordinates().size(), target, target.getRows());
}

LogicalResult CopyWaitOp::verify() {
  if (getPendingAttr().getInt() < 0)
    return emitOpError("cannot leave ") << getPendingAttr().getInt() << " groups unfinished";
  return success();
}

//===--------------------------------------------------------------------------------------------===//
// Products
//===--------------------------------------------------------------------------------------------===//

LogicalResult MmaOp::verify() {
  if (getNegateIf() && !getAccumulator().getType().hasWarps())
    return emitOpError(
        "takes its sign as a value for sums of single warps only; wgmma has it in the instruction");
  if (getNegateIf() && getNegate())
    return emitOpError("has a sign as an attribute and one as a value");
  if (failed(verifyDepth(*this, getDepth(), getSlotDepth())))
    return failure();
  return verifyProduct(*this, getA().getType(), getATransposed(), getB().getType(), getBTransposed(),
                       getAccumulator().getType());
}
