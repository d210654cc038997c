#include "dialects/tile/verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;

/// `(%i, %r) over [<types, 1>, <rows, 64>] { ... }`: one index argument for each axis.
static ParseResult parseAxes(OpAsmParser &parser, Region &body, ArrayAttr &axes) {
  SmallVector<OpAsmParser::Argument> indices;
  if (parser.parseArgumentList(indices, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("over"))
    return failure();
  llvm::SMLoc where = parser.getCurrentLocation();
  SmallVector<Attribute> list;
  auto parse_axis = [&]() -> ParseResult {
    Attribute axis = AxisAttr::parse(parser, {});
    if (!axis)
      return failure();
    list.push_back(axis);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parse_axis))
    return failure();
  if (list.size() != indices.size())
    return parser.emitError(where, "expected one axis for each index, ")
           << indices.size() << " indices but " << list.size() << " axes";
  for (OpAsmParser::Argument &index : indices)
    index.type = parser.getBuilder().getIndexType();
  axes = parser.getBuilder().getArrayAttr(list);
  return parser.parseRegion(body, indices);
}

static void printAxes(OpAsmPrinter &printer, Operation *, Region &body, ArrayAttr axes) {
  printer << '(';
  llvm::interleaveComma(body.getArguments(), printer, [&](BlockArgument index) { printer << index; });
  printer << ") over [";
  llvm::interleaveComma(axes.getAsRange<AxisAttr>(), printer,
                        [&](AxisAttr axis) { printer.printStrippedAttrOrType(axis); });
  printer << "] ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

#define GET_OP_CLASSES
#include "dialects/tile/tile_ops.cpp.inc"

void YieldOp::build(OpBuilder &, OperationState &) {}

LogicalResult tile::verifyRowsOfProduct(Operation *op, ScheduleAttr schedule) {
  if (schedule.getRows() % schedule.getRegisterRows() != 0)
    return op->emitOpError("owns rows (")
           << schedule.getRows() << ") that are no multiple of the register tile's ("
           << schedule.getRegisterRows() << ")";
  return success();
}

LogicalResult KernelOp::verify() {
  for (Type type : getBody().getArgumentTypes())
    if (!isa<MatrixType>(type) && !type.isF32())
      return emitOpError("takes matrices in memory and numbers of f32, got an argument of type ") << type;
  if (getBody().getNumArguments() == 0 || !isa<MatrixType>(getBody().getArguments().front().getType()) ||
      !isa<MatrixType>(getBody().getArguments().back().getType()))
    return emitOpError("has matrices as its first operand and as its last, got (")
           << getBody().getArgumentTypes() << ")";
  if (llvm::range_size(getBody().getOps<ForallOp>()) != 1)
    return emitOpError("does its work in exactly one tile.forall");
  auto own = *getBody().getOps<ForallOp>().begin();
  const bool tiles = static_cast<bool>(own.getAxis(AxisKind::Features));
  if (tiles != getLayout().isWeightGradient())
    return emitOpError(tiles ? "owns features, which belongs to mode j, but its layout's mode is "
                             : "owns no features, but its layout's mode is ")
           << alg::stringifyOutputMode(getLayout().getMode());
  // The register tile of mode j is of features, which have nothing to do with the rows that are brought.
  if (ScheduleAttr schedule = getThreadSchedule();
      schedule && !tiles && failed(verifyRowsOfProduct(*this, schedule)))
    return failure();
  if (static_cast<bool>(own.getAxis(AxisKind::Batch)) != static_cast<bool>(getReducedSchedule()))
    return emitOpError(getReducedSchedule()
                           ? "has a schedule of vector reductions, but owns no rows of the batch"
                           : "owns rows of the batch, which kernels with a #tile.reduced schedule do");
  const bool listed = getStagedSchedule() && !tiles && !getLayout().isTransposed() &&
                      !getLayout().hasUnequalGroups() &&
                      getLayout().getRowTypes().getKind() == alg::RowTypeKind::Explicit;
  if (getExperts() && !getReducedSchedule() && !listed)
    return emitOpError(
        "is of experts, whose rows kernels with a #tile.reduced schedule tell apart, and those of "
        "products with a #tile.staged schedule whose row types are explicit and whose groups are equal");
  return success();
}

static LogicalResult verifyAxes(Operation *op, ArrayAttr axes) {
  Region &body = op->getRegion(0);
  if (axes.empty())
    return op->emitOpError("needs at least one axis");
  if (body.getNumArguments() != axes.size())
    return op->emitOpError("has ") << body.getNumArguments() << " indices for " << axes.size() << " axes";
  bool seen[7] = {};
  for (AxisAttr axis : axes.getAsRange<AxisAttr>()) {
    if (std::exchange(seen[static_cast<int>(axis.getKind())], true))
      return op->emitOpError("names the axis '") << stringifyAxisKind(axis.getKind()) << "' twice";
  }
  for (BlockArgument index : body.getArguments())
    if (!index.getType().isIndex())
      return op->emitOpError("indices have type index, got ") << index.getType();
  return success();
}

AxisAttr ForallOp::getAxis(AxisKind kind) {
  for (AxisAttr axis : getAxes().getAsRange<AxisAttr>())
    if (axis.getKind() == kind)
      return axis;
  return {};
}

Value ForallOp::getIndex(AxisKind kind) {
  for (auto [axis, index] : llvm::zip_equal(getAxes().getAsRange<AxisAttr>(), getBody().getArguments()))
    if (axis.getKind() == kind)
      return index;
  return {};
}

LogicalResult ForallOp::verify() {
  if (failed(verifyAxes(*this, getAxes())))
    return failure();
  bool weights = static_cast<bool>(getAxis(AxisKind::WeightRows));
  if (getAxis(AxisKind::Batch)) {
    if (getAxes().size() != 3 || !getAxis(AxisKind::Groups) || !getAxis(AxisKind::Columns))
      return emitOpError(
          "that owns rows of the batch owns columns of one group of them: <batch, ...>, <groups, 1> "
          "and <columns, ...>");
  } else if (AxisAttr features = getAxis(AxisKind::Features)) {
    if (!weights || getAxis(AxisKind::WeightRows).getStep() != 1 || !getAxis(AxisKind::Columns) ||
        getAxis(AxisKind::Types) || getAxis(AxisKind::Rows))
      return emitOpError(
          "that owns features owns a tile of one block of the weight matrix: <weight_rows, 1>, <features, "
          "...>, <groups, 1> and <columns, ...>");
  } else {
    if (weights && getAxes().size() != 1)
      return emitOpError(
          "that owns row groups of the weight matrix owns nothing else, or a tile with features");
    if (!weights && (!getAxis(AxisKind::Types) || !getAxis(AxisKind::Rows)))
      return emitOpError("owns types and rows together: a row belongs to a type");
  }
  AxisAttr groups = getAxis(AxisKind::Groups);
  if (getAxis(AxisKind::Columns) && (!groups || groups.getStep() != 1))
    return emitOpError("that owns columns owns them of one group: give it <groups, 1>");
  if (!getAxis(AxisKind::Columns) && groups && groups.getStep() != 0)
    return emitOpError("that owns whole groups leaves their slice to the launch; their step is 0");
  return success();
}

LogicalResult ForOp::verify() {
  if (failed(verifyAxes(*this, getAxes())))
    return failure();
  for (AxisAttr axis : getAxes().getAsRange<AxisAttr>())
    if (axis.getStep() == 0)
      return emitOpError("needs a step of at least 1 along '") << stringifyAxisKind(axis.getKind()) << "'";
    else if (axis.getKind() == AxisKind::Batch)
      return emitOpError("walks rows of one type; rows of the batch, whatever their types, are owned");
  // Columns count within a group, rows within a type: both must be fixed further out.
  auto fixes = [&](AxisKind wanted, AxisKind user) {
    for (AxisAttr axis : getAxes().getAsRange<AxisAttr>()) {
      if (axis.getKind() == wanted)
        return true;
      if (axis.getKind() == user)
        break;
    }
    for (Operation *around = (*this)->getParentOp(); around; around = around->getParentOp()) {
      ArrayAttr axes = isa<ForOp>(around)      ? cast<ForOp>(around).getAxes()
                       : isa<ForallOp>(around) ? cast<ForallOp>(around).getAxes()
                                               : ArrayAttr();
      // A term of a block fixes its type, a forall of a tile its block, and what is made once both.
      if (wanted == AxisKind::Types && isa<WeightTermsOp>(around))
        return true;
      if ((wanted == AxisKind::Types || wanted == AxisKind::Groups) && isa<OnceOp>(around))
        return true;
      // Rows of the batch have types of their own, and may have groups of their own.
      if (wanted == AxisKind::Groups && isa<RowTermsOp>(around))
        return true;
      auto own = dyn_cast<ForallOp>(around);
      if (own && (own.getAxis(AxisKind::Features) || own.getAxis(AxisKind::Batch)) && own.getAxis(wanted))
        return true;
      if (axes && isa<ForOp>(around))
        for (AxisAttr axis : axes.getAsRange<AxisAttr>())
          if (axis.getKind() == wanted)
            return true;
    }
    return false;
  };
  for (AxisAttr axis : getAxes().getAsRange<AxisAttr>()) {
    if (axis.getKind() == AxisKind::Columns && !fixes(AxisKind::Groups, AxisKind::Columns))
      return emitOpError("walks columns, but nothing around it walks groups");
    if (axis.getKind() == AxisKind::Rows && !fixes(AxisKind::Types, AxisKind::Rows))
      return emitOpError("walks rows, but nothing around it walks types");
    if (axis.getKind() == AxisKind::Features && !fixes(AxisKind::WeightRows, AxisKind::Features))
      return emitOpError("walks features, but nothing around it owns a row group of the weight matrix");
  }
  return success();
}

LogicalResult tile::verifyTermArguments(Operation *op, Block &body, unsigned indices) {
  for (BlockArgument index : body.getArguments().take_front(indices))
    if (!index.getType().isIndex())
      return op->emitOpError("body's first ")
             << indices << " arguments have type index, got " << index.getType();
  if (Type type = body.getArgument(indices).getType(); !type.isF32())
    return op->emitOpError("body's coefficient has type f32, got ") << type;
  return success();
}

LogicalResult TermsOp::verify() {
  if (getBody().front().getNumArguments() != 3 + getInits().size())
    return emitOpError("body takes an input group, a weight row group, a coefficient and ")
           << getInits().size() << " carried fragments, has " << getBody().getNumArguments() << " arguments";
  return verifyTerms(*this, getBody().front(), 2, getInits(), getSums());
}

LogicalResult tile::verifyTerms(Operation *op, Block &body, unsigned indices, ValueRange inits,
                                ValueRange sums) {
  if (failed(verifyTermArguments(op, body, indices)))
    return failure();
  if (ValueRange(body.getArguments().drop_front(indices + 1)).getTypes() != inits.getTypes() ||
      sums.getTypes() != inits.getTypes())
    return op->emitOpError("carries fragments whose types change");
  auto yield = cast<YieldOp>(body.getTerminator());
  if (yield.getOperandTypes() != inits.getTypes())
    return op->emitOpError("yields ") << yield.getOperandTypes() << " but carries " << inits.getTypes();
  return success();
}

LayoutAttr tile::layoutAround(Operation *op) {
  if (auto layer = op->getParentOfType<LayerOp>())
    return layer.getLayout();
  auto kernel = op->getParentOfType<KernelOp>();
  return kernel ? kernel.getLayout() : LayoutAttr();
}

ScheduleAttr tile::threadScheduleAround(Operation *op) {
  if (auto layer = op->getParentOfType<LayerOp>())
    return layer.getThreadSchedule();
  auto kernel = op->getParentOfType<KernelOp>();
  return kernel ? kernel.getThreadSchedule() : ScheduleAttr();
}

StagedAttr tile::stagedScheduleAround(Operation *op) {
  if (auto layer = op->getParentOfType<LayerOp>())
    return layer.getStagedSchedule();
  auto kernel = op->getParentOfType<KernelOp>();
  return kernel ? kernel.getStagedSchedule() : StagedAttr();
}

LogicalResult HoldOp::verify() {
  MatrixType source = getSource().getType();
  BufferType buffer = getBuffer().getType();
  if (source.isPanels() || buffer.isPanels())
    return emitOpError("holds plain rows; panels are for the weight matrix");
  if (buffer.getColumns() < source.getColumns())
    return emitOpError("buffer has room for ")
           << buffer.getColumns() << " of " << source.getColumns() << " columns";
  if (LayoutAttr layout = layoutAround(*this); layout && layout.getIn().getTotal() != source.getColumns())
    return emitOpError("source has ") << source.getColumns() << " columns, the layout's input groups cover "
                                      << layout.getIn().getTotal();
  if ((*this)->getParentOfType<KernelOp>()) {
    ScheduleAttr schedule = threadScheduleAround(*this);
    if (!schedule)
      return emitOpError("holds rows for a thread, but the kernel's operands come in stages");
    int64_t needed;
    if (__builtin_mul_overflow(schedule.getTypes(), schedule.getRows(), &needed) ||
        buffer.getRows() != needed)
      return emitOpError("buffer has ")
             << buffer.getRows() << " rows, the schedule owns " << schedule.getTypes() << " types of "
             << schedule.getRows() << " rows";
  }
  return success();
}

LogicalResult CopyOp::verify() {
  if (getSource().getType().isPanels())
    return emitOpError("copies from the user's weight matrix, which is not in panels");
  bool panels = TypeSwitch<Type, bool>(getTarget().getType())
                    .Case<MatrixType, BufferType>([](auto type) { return type.isPanels(); })
                    .Default(false);
  if (!panels)
    return emitOpError("copies into panels, got ") << getTarget().getType();
  if (LayoutAttr layout = layoutAround(*this);
      layout && layout.getWeightShape().first != getSource().getType().getRows())
    return emitOpError("weight matrix has ")
           << getSource().getType().getRows() << " rows, the layout's "
           << (layout.isTransposed() ? "output" : "row") << " groups cover " << layout.getWeightShape().first;
  return success();
}

LogicalResult MmaOp::verify() {
  FragmentType accumulator = getAccumulator().getType();
  if (!accumulator.getElementType().isF32())
    return emitOpError("accumulates in f32, got ") << accumulator.getElementType();
  Type row_element;
  bool row_panels = false;
  TypeSwitch<Type>(getRows().getType()).Case<MatrixType, BufferType>([&](auto type) {
    row_element = type.getElementType();
    row_panels = type.isPanels();
  });
  if (row_panels)
    return emitOpError("takes its rows as they are, not from panels");
  int64_t panel = 0, interleave = 1;
  TypeSwitch<Type>(getWeights().getType()).Case<MatrixType, BufferType>([&](auto type) {
    panel = type.getPanel();
    interleave = type.getInterleave();
  });
  if (isa<BufferType>(getWeights().getType()) && !panel)
    return emitOpError("takes a buffered weight matrix in panels only");
  if (panel && panel != accumulator.getColumns())
    return emitOpError("multiplies panels of ")
           << panel << " columns into a fragment of " << accumulator.getColumns();
  if (interleave == 2 && !row_element.isBF16())
    return emitOpError("multiplies pairs of bf16, but its rows are ") << row_element;
  if (interleave == 2 && getScale() && !getSigns())
    return emitOpError(
        "cannot scale pairs of bf16 without rounding; only coefficients +1 and -1 go with them");
  if (getSigns() && !getScale())
    return emitOpError("says that its coefficients are signs, but has none");
  if (auto kernel = (*this)->getParentOfType<KernelOp>()) {
    ScheduleAttr thread = threadScheduleAround(*this);
    StagedAttr staged = stagedScheduleAround(*this);
    if (kernel.getReducedSchedule())
      return emitOpError(
          "multiplies rows of one type; a kernel of vector reductions adds tile.add_row_terms");
    if (!thread && !staged)
      return success(); // the layer around it is refused
    const int64_t rows = thread ? thread.getRegisterRows() : staged.getTileRows();
    const int64_t columns = thread ? thread.getRegisterColumns() : staged.getColumns();
    if (rows != accumulator.getRows() || columns != accumulator.getColumns())
      return emitOpError("accumulates ")
             << accumulator.getRows() << "x" << accumulator.getColumns() << ", the schedule's "
             << (thread ? "register tile" : "tile") << " is " << rows << "x" << columns;
  }
  return success();
}

LogicalResult StoreOp::verify() {
  FragmentType value = getValue().getType();
  MaskType mask = getMask().getType();
  if (mask.getRows() != value.getRows() || mask.getColumns() != value.getColumns())
    return emitOpError("mask is ") << mask.getRows() << "x" << mask.getColumns() << ", the fragment "
                                   << value.getRows() << "x" << value.getColumns();
  MatrixType target = getTarget().getType();
  if (target.isPanels())
    return emitOpError("writes rows, not panels");
  if (target.getElementType() != value.getElementType())
    return emitOpError("stores ") << value.getElementType() << " into a matrix of " << target.getElementType()
                                  << "; round with tile.map first";
  if (LayoutAttr layout = layoutAround(*this); layout && layout.getOut().getTotal() != target.getColumns())
    return emitOpError("target has ") << target.getColumns() << " columns, the layout's output groups cover "
                                      << layout.getOut().getTotal();
  return success();
}
