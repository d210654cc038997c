#include "dialects/sm/block_checks.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sm;

/// One type for all of some operands.
static ParseResult parseSameTypes(OpAsmParser &parser, SmallVectorImpl<Type> &types,
                                  const SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  BlockType type;
  if (parser.parseType(type))
    return failure();
  types.append(operands.size(), type);
  return success();
}

static void printSameTypes(OpAsmPrinter &printer, Operation *, TypeRange types, OperandRange) {
  printer << types.front();
}

#define GET_OP_CLASSES
#include "dialects/sm/sm_ops.cpp.inc"

LogicalResult sm::impl::verifyRunsInOneThread(Operation *op) {
  if (!op->getParentOfType<ElectOp>())
    return op->emitOpError("is for one thread of a warpgroup: put it inside an sm.elect");
  return success();
}

LogicalResult sm::impl::verifyRunsInAllThreads(Operation *op) {
  if (op->getParentOfType<PartitionOp>())
    return op->emitOpError("is for all threads of the block: it cannot stand in an sm.partition");
  return success();
}

//===--------------------------------------------------------------------------------------------===//
// The kernel
//===--------------------------------------------------------------------------------------------===//

/// Of two layers, what the first leaves is what the second multiplies.
static LogicalResult verifyLayers(KernelOp kernel, tile::LayoutAttr own) {
  if (!kernel.getHiddenLayout() != !kernel.getHiddenSchedule())
    return kernel.emitOpError("says the layout of its hidden layer together with its schedule");
  if (!kernel.getHiddenLayout())
    return success();
  auto hidden = dyn_cast<tile::LayoutAttr>(*kernel.getHiddenLayout());
  auto both = [&](auto is) { return is(*kernel.getHiddenSchedule()) && is(kernel.getSchedule()); };
  if (!hidden || (!both(llvm::IsaPred<tile::StagedAttr>) && !both(llvm::IsaPred<tile::ReducedAttr>)))
    return kernel.emitOpError("has two layers, each with a #tile.layout and a schedule, both #tile.staged or "
                              "both #tile.reduced");
  if (hidden.getOut() != own.getIn())
    return kernel.emitOpError("has a hidden layer that leaves ")
           << hidden.getOut() << ", but its own one multiplies " << own.getIn();
  return success();
}

namespace {

/// What a kernel takes: a fixed part that follows from what it computes, and what several products and maps
/// take beside.
class KernelArguments {
public:
  KernelArguments(KernelOp kernel, tile::LayoutAttr layout)
      : types_(kernel.getBody().getArgumentTypes()), weight_gradient_(layout.isWeightGradient()),
        places_rows_(isa<tile::ReducedAttr>(kernel.getSchedule())), fixed_(countFixed()) {}

  /// Threads add to what dW holds, through a plain map that it has alone or beside tensor maps.
  bool addsBeside() const {
    return weight_gradient_ && is(2, isMaps) && !cast<MapsType>(types_[2]).isPlain();
  }
  /// Behind the fixed ones.
  TypeRange further() const { return types_.drop_front(std::min<size_t>(fixed_, types_.size())); }

  bool areComplete() const {
    const bool of_all = is(0, isMaps) && is(1, isMaps) && is(2, isMaps) && is(3, isIndex) && is(4, isIndex) &&
                        is(5, llvm::IsaPred<TermsTableType>);
    const bool of_places = !places_rows_ || (is(6, llvm::IsaPred<PositionsType>) && is(7, isIndex));
    return types_.size() >= fixed_ && of_all && of_places && furtherFit();
  }

  /// What there has to be, for a message.
  StringRef wanted() const {
    if (addsBeside())
      return "X, dY and dW, the rows, the offset, the terms table, beta and a plain map of dW, through which "
             "threads add to it";
    if (weight_gradient_)
      return "X, dY and dW, the rows, the offset, the terms table and beta";
    if (places_rows_)
      return "X, W and Y, the rows, the offset, the terms table, the positions, the bytes of one, of experts "
             "their starts, their number, two lists of their rows and the rows of the batch, and what maps "
             "take beside, which is maps, numbers of columns and numbers";
    return "X, W and Y, the rows, the offset, the terms table, of experts whose rows are listed their "
           "number, "
           "and what several products and maps take beside, which is maps, numbers of columns and numbers";
  }

private:
  static bool isMaps(Type type) { return isa<MapsType>(type); }
  static bool isIndex(Type type) { return type.isIndex(); }
  bool is(unsigned argument, function_ref<bool(Type)> test) const {
    return argument < types_.size() && test(types_[argument]);
  }

  unsigned countFixed() const {
    constexpr unsigned of_product = 6, of_listed_experts = 7, of_places = 8, of_experts = 13;
    const auto list = llvm::IsaPred<ExpertRowsType>;
    if (places_rows_)
      return is(of_places, llvm::IsaPred<ExpertStartsType>) && is(of_places + 1, isIndex) &&
                     is(of_places + 2, list) && is(of_places + 3, list) && is(of_places + 4, isIndex)
                 ? of_experts
                 : of_places;
    const bool finds_rows = is(0, isMaps) && cast<MapsType>(types_[0]).getListed();
    return finds_rows && !weight_gradient_ && is(of_product, isIndex) ? of_listed_experts : of_product;
  }

  bool furtherFit() const {
    if (weight_gradient_)
      return types_.size() == fixed_ + (addsBeside() ? 2 : 1) && types_[fixed_].isF32() &&
             (!addsBeside() || isMaps(types_[fixed_ + 1]));
    return llvm::all_of(further(),
                        [](Type type) { return type.isF32() || isa<ColumnsType, MapsType>(type); });
  }

  const TypeRange types_;
  const bool weight_gradient_, places_rows_;
  const unsigned fixed_;
};

} // namespace

/// Of the gradient of a weight matrix: the plain map through which threads add to it.
static LogicalResult verifyAddsBeside(KernelOp kernel, Type of_result, Type of_sums) {
  const auto result = cast<MapsType>(of_result), plain = cast<MapsType>(of_sums);
  if (!plain.isPlain() || plain.getRowDimension() != result.getRowDimension() ||
      plain.getCount() != result.getCount() || plain.getElementType() != result.getElementType())
    return kernel.emitOpError("adds to dW through ")
           << plain << ", which are no plain maps of what it stores through " << result;
  return success();
}

/// Those of the second of two layers have boxes of their own.
static LogicalResult verifyFurtherMaps(KernelOp kernel, TypeRange further, Type of_weights, bool two_layers) {
  for (Type type : further) {
    auto beside = dyn_cast<MapsType>(type);
    if (!beside)
      continue;
    if (beside.getRowDimension() == 2 && beside != of_weights && !two_layers)
      return kernel.emitOpError("has maps of a further weight matrix, ")
             << beside << ", unlike those of W, " << of_weights;
    if (beside.getRowDimension() == 3 && !beside.isPlain())
      return kernel.emitOpError("has tensor maps beside those of X, W and Y, ")
             << beside << "; threads read operands of maps and write further results, through plain ones";
  }
  return success();
}

/// Whether numbers of columns are those of a layout's output groups; of unequal groups they are one.
static bool hasColumns(tile::LayoutAttr layout, ColumnsType columns) {
  alg::GroupsAttr out = layout.getOut();
  const bool one_group = layout.hasUnequalGroups();
  return columns.getGroups() == (one_group ? 1 : out.getCount()) &&
         columns.getWidth() == (one_group ? out.getTotal() : out.getWidth(0));
}

LogicalResult KernelOp::verify() {
  auto layout = dyn_cast<tile::LayoutAttr>(getLayout());
  if (!layout)
    return emitOpError("needs the #tile.layout of the kernel that it came from, got ") << getLayout();
  if (failed(verifyLayers(*this, layout)))
    return failure();
  const auto hidden = getHiddenLayout() ? cast<tile::LayoutAttr>(*getHiddenLayout()) : tile::LayoutAttr();
  const TypeRange types = getBody().getArgumentTypes();
  const KernelArguments arguments(*this, layout);
  if (!arguments.areComplete())
    return emitOpError("takes the maps of ") << arguments.wanted() << ", got (" << types << ")";
  if (arguments.addsBeside())
    return verifyAddsBeside(*this, types[2], arguments.further().back());
  if (failed(verifyFurtherMaps(*this, arguments.further(), types[1], hidden != nullptr)))
    return failure();
  for (Type type : types)
    if (auto columns = dyn_cast<ColumnsType>(type);
        columns && !hasColumns(layout, columns) && !(hidden && hasColumns(hidden, columns)))
      return emitOpError("has ") << columns << ", but its layout's output groups are " << layout.getOut();
  return success();
}

LogicalResult ReadRowListOp::verify() {
  if (!getMaps().getType().getListed())
    return emitOpError("reads the row list of ") << getMaps().getType() << ", which are not listed";
  return success();
}

LogicalResult ElectOp::verify() {
  if (!(*this)->getParentOfType<PartitionOp>())
    return emitOpError("elects a thread of a partition's warpgroups, but no sm.partition is around it");
  if ((*this)->getParentOfType<ElectOp>())
    return emitOpError("stands inside another, where one thread is left already");
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
  if (getMask() && (*this)->getParentOfType<ElectOp>())
    return emitOpError(
        "arrives at the barriers of a mask with the lanes of each warp: it cannot stand inside "
        "an sm.elect");
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

int64_t LoadOp::getNarrowPanels() {
  BufferType target = getTarget().getType();
  const int64_t panel = target.getPanelColumns();
  return getNarrow() ? (getNarrowColumnsAttr().getInt() + panel - 1) / panel : target.getPanels();
}

LogicalResult LoadOp::verify() {
  if (static_cast<bool>(getBarriers()) != static_cast<bool>(getBarrierStage()))
    return emitOpError("signals one stage of barriers, or none");
  BufferType target = getTarget().getType();
  if (getSource().getType().isPlain())
    return emitOpError("needs tensor maps; threads copy through plain ones with sm.copy");
  if (failed(verifyNarrow(*this, getNarrow(), getNarrowColumns(), target.getColumns())))
    return failure();
  if (getNarrow() && getCondition())
    return emitOpError("is narrow where a condition holds, or made where one does, not both");
  if (!getRow())
    return verifyCopyInParts(*this, getSource().getType(), target);
  // Parts begin where the swizzle does anew.
  const int64_t first = getRowAttr().getInt(), height = getSource().getType().getRows();
  if (first < 0 || first % swizzle_rows != 0 || first + height > target.getRows())
    return emitOpError("loads ") << height << " rows from row " << first
                                 << " on; a part begins at a multiple of " << swizzle_rows
                                 << " and ends within the " << target.getRows() << " rows of its stage";
  if (getPart())
    return emitOpError("loads rows of a stage for this block alone, or a part of the stage for several");
  return verifyCopy(*this, getSource().getType(), getCoordinates().size(), target, height);
}

LogicalResult StoreOp::verify() {
  BufferType source = getSource().getType();
  if (getTarget().getType().isPlain())
    return emitOpError("needs tensor maps, got plain ones");
  MapsType target = getTarget().getType();
  if (getColumns() && (getColumnsAttr().getInt() < 1 || getColumnsAttr().getInt() > source.getColumns()))
    return emitOpError("stores 1 to ")
           << source.getColumns() << " columns of the stage, got " << getColumnsAttr().getInt();
  if (getAdded() && !source.getElementType().isF32())
    return emitOpError("lets the copy engine add, which it does to f32, got ") << source.getElementType();
  // As many boxes as the stage consists of.
  auto part = [](int64_t whole, int64_t box) { return whole % box == 0 ? box : whole; };
  const int64_t rows = part(source.getRows(), target.getRows());
  auto box =
      BufferType::get(getContext(), source.getStages(), rows, part(source.getColumns(), target.getColumns()),
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

/// A product by two stages of B.
static LogicalResult verifyBeside(MmaOp mma) {
  BufferType b = mma.getB().getType();
  AccumulatorType sums = mma.getAccumulator().getType();
  if (!sums.hasWarpgroups() || sums.getTransposed())
    return mma.emitOpError("has two stages beside each other for sums of warpgroups that hold rows, got ")
           << sums;
  if (mma.getBeside().getType() != b || mma.getBTransposed() || !b.getSwizzle() || b.getPanels() != 1)
    return mma.emitOpError(
               "goes from a stage to one beside it as from panel to panel: both are alike, of one "
               "swizzled panel of columns, got ")
           << b << " and " << mma.getBeside().getType();
  // The distance to the next panel has no sign.
  auto first = mma.getB().getDefiningOp<AllocateOp>(), second = mma.getBeside().getDefiningOp<AllocateOp>();
  if (first && second && first->getBlock() == second->getBlock() && !first->isBeforeInBlock(second))
    return mma.emitOpError("goes from a stage to one behind it: the buffer beside B is allocated after it");
  auto one = AccumulatorType::get(mma.getContext(), sums.getRows(), b.getColumns());
  if (sums.getColumns() != 2 * b.getColumns())
    return mma.emitOpError("multiplies two stages of ")
           << b.getColumns() << " columns, the sums have " << sums.getColumns();
  return verifyProduct(mma, mma.getA().getType(), mma.getATransposed(), b, mma.getBTransposed(), one);
}

LogicalResult MmaOp::verify() {
  if (getNegateIf() && !getAccumulator().getType().hasWarps())
    return emitOpError(
        "takes its sign as a value for sums of single warps only; wgmma has it in the instruction");
  if (getOverwrite() && !getAccumulator().getType().hasWarpgroups())
    return emitOpError("overwrites sums of warpgroups, whose instructions can; others add");
  if (getNegateIf() && getNegate())
    return emitOpError("has a sign as an attribute and one as a value");
  if (failed(verifyDepth(*this, getDepth(), getStageDepth())))
    return failure();
  if (getBeside())
    return verifyBeside(*this);
  return verifyProduct(*this, getA().getType(), getATransposed(), getB().getType(), getBTransposed(),
                       getAccumulator().getType());
}
