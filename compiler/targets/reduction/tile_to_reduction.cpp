// convert-tile-to-reduction: kernels of vector reductions as instructions.
#include "compiler/targets/reduction/passes.h"
#include "compiler/targets/reduction/reduction_program.h"

#include "compiler/targets/nvidia/kernel_attribute.h"
#include "compiler/targets/nvidia/kernel_structure.h"
#include "compiler/targets/nvidia/parameters.h"
#include "runtime/bundle/map.h"
#include "runtime/gpu_kernel_abi.h"

namespace compiler {
#define GEN_PASS_DEF_CONVERTTILETOREDUCTION
#include "compiler/targets/reduction/passes.h.inc"
} // namespace compiler

using namespace mlir;

namespace compiler {

ReductionProgram::ReductionProgram(tile::KernelOp source, bool dependent)
    : source_(source), layout_(source.getLayout()), schedule_(source.getReducedSchedule()),
      dependent_(dependent), builder_(source.getContext()), location_(source.getLoc()),
      instructions_(builder_, location_) {}

LogicalResult ReductionProgram::check() {
  if (layout_.getMode() != alg::OutputMode::Product)
    return source_.emitOpError("is a gradient; vector reductions are for products, mode k");
  if (layout_.getRowTypes().getKind() == alg::RowTypeKind::Explicit)
    return source_.emitOpError("has explicit row types, which do not follow from a position");
  if (!layout_.getIn().isEqual() || !layout_.getWeights().isEqual() || !layout_.getOut().isEqual())
    return source_.emitOpError("has groups of unequal widths, which one map cannot address");
  if (inputWidth() % schedule_.getVector() != 0 || outputWidth() % schedule_.getVector() != 0)
    return source_.emitOpError("reads ")
           << schedule_.getVector() << " elements at a time, of which groups of " << inputWidth() << " and "
           << outputWidth() << " are no multiples";
  Block &matrices = source_.getBody().front();
  if (matrices.getNumArguments() < 3)
    return source_.emitOpError("takes X, W, what its maps read, and Y, got ")
           << matrices.getNumArguments() << " operands";
  for (BlockArgument operand : matrices.getArguments().take_front(2))
    if (!cast<tile::MatrixType>(operand.getType()).getElementType().isBF16())
      return source_.emitOpError("reads bf16 operands, got ") << operand.getType();

  auto own = *source_.getBody().getOps<tile::ForallOp>().begin();
  if (own.getAxis(tile::AxisKind::Batch).getStep() != schedule_.getRows() ||
      own.getAxis(tile::AxisKind::Columns).getStep() != schedule_.getColumns())
    return own.emitOpError("must own one part of the schedule: <batch, ")
           << schedule_.getRows() << ">, <groups, 1>, <columns, " << schedule_.getColumns() << ">";

  for (Operation &op : own.getBody().front())
    if (failed(checkOp(&op, own)))
      return failure();
  if (!total_)
    return source_.emitOpError("adds no terms");
  return success();
}

/// One op of a part. Terms are added to zeros, once; what is made of the sums is for maps to say.
LogicalResult ReductionProgram::checkOp(Operation *op, tile::ForallOp own) {
  Block &matrices = source_.getBody().front();
  Value row = own.getIndex(tile::AxisKind::Batch), group = own.getIndex(tile::AxisKind::Groups),
        column = own.getIndex(tile::AxisKind::Columns);
  if (isa<arith::ConstantOp>(op)) // written where it is used
    return success();
  if (isa<tile::ZeroOp, tile::MapOp>(op)) {
    epilogue_.push_back(op);
    auto map = dyn_cast<tile::MapOp>(op);
    for (unsigned input = 0; map && input < map.getInputs().size(); ++input) {
      const tile::MapInputKind kind = map.getInputKind(input);
      if (kind != tile::MapInputKind::Fragment &&
          !llvm::is_contained(matrices.getArguments().drop_front(2).drop_back(), map.getInputs()[input]))
        return map.emitOpError("must take operands of the kernel, behind X and W and before Y");
      if (kind == tile::MapInputKind::PerRow || kind == tile::MapInputKind::PerElement)
        return map.emitOpError(
            "reads rows of an operand; vector reductions read numbers of columns, and numbers");
      OperandRange place = map.getIndicesOf(input);
      if (kind == tile::MapInputKind::PerColumn && (place[0] != group || place[1] != column))
        return map.emitOpError("must read the columns that its part owns");
    }
    return success();
  }
  if (auto add = dyn_cast<tile::AddRowTermsOp>(op)) {
    if (total_ || !isa_and_nonnull<tile::ZeroOp>(add.getSums().getDefiningOp()) ||
        add.getRows() != matrices.getArgument(0) || add.getWeights() != matrices.getArgument(1) ||
        add.getRow() != row || add.getGroup() != group || add.getColumn() != column)
      return add.emitOpError("must add the terms of what its part owns to zeros");
    total_ = add.getResult();
    return success();
  }
  if (auto store = dyn_cast<tile::StoreRowsOp>(op)) {
    if (store.getTarget() != matrices.getArguments().back() || store.getRow() != row ||
        store.getGroup() != group || store.getColumn() != column)
      return store.emitOpError("must store what its part owns to Y");
    epilogue_.push_back(op);
    return success();
  }
  return op->emitOpError("is not something that a kernel of vector reductions does");
}

void ReductionProgram::declare() {
  MLIRContext *context = builder_.getContext();
  Block &matrices = source_.getBody().front();
  element_type_ = cast<tile::MatrixType>(matrices.getArguments().back().getType()).getElementType();
  coefficients_ = coefficientsOf(layout_.getTerms());
  complete_ = layout_.getTerms().completeGraph().has_value();
  declareSharedMemory(source_->getParentOfType<ModuleOp>(), location_);

  builder_.setInsertionPoint(source_);
  const algrt::OperandNames names = algrt::operandNames(algrt::Map::Forward);
  constexpr algrt::ParameterType map = algrt::ParameterType::PlainMap;
  algrt::KernelParameters parameters;
  parameters.map(map, names.x, algrt::ViewKind::AllRows)
      .map(map, names.w, algrt::ViewKind::Weights)
      .map(map, names.y, algrt::ViewKind::AllRows)
      .add(algrt::ParameterValue::Rows)
      .add(algrt::ParameterValue::Offset)
      .add(algrt::ParameterValue::Terms)
      .add(algrt::ParameterValue::Operand, "positions")
      .add(algrt::ParameterValue::ElementBytes, "positions");
  auto further = matrices.getArguments().drop_front(2).drop_back();
  for (BlockArgument operand : further)
    parameters.add(isa<tile::MatrixType>(operand.getType()) ? algrt::ParameterValue::Operand
                                                            : algrt::ParameterValue::Number,
                   operandName(operand));
  function_ = declareKernel(builder_, location_, source_.getSymName(), parameters, schedule_.getThreads());
  function_->setAttr(kernel_attribute_name, describeReduction(source_, dependent_));

  Block *entry = &function_.getBody().front();
  builder_.setInsertionPointToStart(entry);
  const int64_t columns = schedule_.getColumns(), depth = algrt_reduction_depth;
  auto maps_of = [&](int64_t rows, int64_t columns, Type element, int64_t dimension, int64_t vector) {
    return sm::MapsType::get(context, /*count=*/1, rows, columns, element, dimension, /*swizzle=*/0, vector);
  };
  x_type_ = maps_of(schedule_.getRows(), depth, builder_.getBF16Type(), 3, schedule_.getVector());
  w_type_ = maps_of(depth, columns, builder_.getBF16Type(), 2, schedule_.getVector());
  y_type_ = maps_of(schedule_.getRows(), columns, element_type_, 3, 1);
  auto map_of = [&](int32_t number) -> Value {
    return LLVM::GEPOp::create(builder_, location_, entry->getArgument(0).getType(), plainMapType(context),
                               entry->getArgument(0), ArrayRef<LLVM::GEPArg>{number});
  };
  x_maps_ = entry->getArgument(0);
  w_maps_ = map_of(1);
  y_maps_ = map_of(2);
  rows_ = entry->getArgument(1);
  offset_ = entry->getArgument(2);
  terms_ = entry->getArgument(3);
  positions_ = entry->getArgument(4);
  position_bytes_ = entry->getArgument(5);
  for (auto [operand, parameter] : llvm::zip_equal(further, entry->getArguments().drop_front(6)))
    map_operands_[operand] = parameter;
  shared_ =
      LLVM::AddressOfOp::create(builder_, location_, pointerTo(context, Space::Shared), shared_memory_name);
  Value thread = instructions_.thread();
  lane_ = instructions_.remainder(thread, schedule_.getLanes());
  slice_ = instructions_.divide(thread, schedule_.getLanes());
}

ReductionProgram::Part ReductionProgram::partAt(Value number) {
  const int64_t column_blocks = llvm::divideCeil(outputWidth(), schedule_.getColumns()),
                groups = layout_.getOut().getCount();
  Part part;
  part.column =
      instructions_.multiply(instructions_.remainder(number, column_blocks), schedule_.getColumns());
  Value others = instructions_.divide(number, column_blocks);
  part.group = instructions_.remainder(others, groups);
  part.row = instructions_.multiply(instructions_.divide(others, groups), schedule_.getRows());
  return part;
}

/// Columns first, then groups: blocks that run at one time share rows of X.
void ReductionProgram::writeFor() {
  const int64_t parts_of_rows =
      llvm::divideCeil(outputWidth(), schedule_.getColumns()) * layout_.getOut().getCount();
  Value row_blocks =
      instructions_.divide(instructions_.add(rows_, schedule_.getRows() - 1), schedule_.getRows());
  Value parts = instructions_.multiply(row_blocks, parts_of_rows);
  Value block = NVVM::BlockIdXOp::create(builder_, location_, builder_.getI32Type());
  Value blocks = NVVM::GridDimXOp::create(builder_, location_, builder_.getI32Type());
  if (dependent_) {
    scf::IfOp any = when(compare(LLVM::ICmpPredicate::ult, block, parts));
    {
      OpBuilder::InsertionGuard guard(builder_);
      builder_.setInsertionPoint(any.thenBlock()->getTerminator());
      writePrefetch(partAt(block));
    }
    NVVM::GriddepcontrolOp::create(builder_, location_, NVVM::GridDepActionKind::wait);
    NVVM::GriddepcontrolOp::create(builder_, location_, NVVM::GridDepActionKind::launch_dependents);
  }
  loop(block, parts, blocks, {}, [&](Value number, ValueRange) -> Values {
    writePart(partAt(number));
    return {};
  });
  LLVM::ReturnOp::create(builder_, location_, ValueRange());
}

void ReductionProgram::writePart(const Part &part) {
  SmallVector<Row> owned;
  for (int64_t number = 0; number < schedule_.getRows(); ++number)
    owned.push_back(rowAt(part, number));
  Value zero =
      LLVM::ConstantOp::create(builder_, location_, builder_.getF32Type(), builder_.getF32FloatAttr(0));
  Values sums(schedule_.getRows() * schedule_.getVector(), zero);
  sums = addRowTerms(part, owned, sums);
  store_sums(part, owned, sums);
}

LogicalResult ReductionProgram::write() {
  if (failed(check()))
    return failure();
  declare();
  writeFor();
  return success();
}

Value ReductionProgram::constant(bool value) {
  return LLVM::ConstantOp::create(builder_, location_, builder_.getI1Type(), builder_.getBoolAttr(value));
}

Value ReductionProgram::wide(int64_t value) {
  return LLVM::ConstantOp::create(builder_, location_, builder_.getI64Type(),
                                  builder_.getI64IntegerAttr(value));
}

Value ReductionProgram::compare(LLVM::ICmpPredicate predicate, Value a, Value b) {
  return LLVM::ICmpOp::create(builder_, location_, predicate, a, b);
}

Value ReductionProgram::least(Value a, Value b) {
  return instructions_.select(compare(LLVM::ICmpPredicate::ult, a, b), a, b);
}

Value ReductionProgram::multiply(Value a, Value b) { return LLVM::MulOp::create(builder_, location_, a, b); }

scf::IfOp ReductionProgram::when(Value condition, TypeRange results, bool otherwise) {
  return scf::IfOp::create(builder_, location_, results, condition, otherwise || !results.empty());
}

ReductionProgram::Values ReductionProgram::choose(Value condition, TypeRange types,
                                                  function_ref<Values()> yes, function_ref<Values()> no) {
  scf::IfOp branch = when(condition, types, /*otherwise=*/true);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder_, location_, yes());
  builder_.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder_, location_, no());
  return Values(branch.getResults());
}

ReductionProgram::Values ReductionProgram::loop(Value first, Value end, Value step, ValueRange carried,
                                                function_ref<Values(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(builder_, location_, first, end, step, carried);
  OpBuilder::InsertionGuard guard(builder_);
  if (carried.empty()) {
    builder_.setInsertionPoint(loop.getBody()->getTerminator());
    body(loop.getInductionVar(), {});
  } else {
    builder_.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(builder_, location_, body(loop.getInductionVar(), loop.getRegionIterArgs()));
  }
  return Values(loop.getResults());
}

} // namespace compiler

namespace {
struct ConvertTileToReduction : compiler::impl::ConvertTileToReductionBase<ConvertTileToReduction> {
  using ConvertTileToReductionBase::ConvertTileToReductionBase;

  void runOnOperation() override {
    for (tile::KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<tile::KernelOp>())) {
      if (!kernel.getReducedSchedule()) {
        kernel.emitOpError("is no kernel of vector reductions; those have a #tile.reduced schedule");
        return signalPassFailure();
      }
      if (failed(compiler::ReductionProgram(kernel, dependent).write()))
        return signalPassFailure();
      kernel.erase();
    }
  }
};
} // namespace
