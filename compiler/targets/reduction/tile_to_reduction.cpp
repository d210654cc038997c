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
    : source(source), layout(source.getLayout()), schedule(source.getReducedSchedule()), dependent(dependent),
      builder(source.getContext()), location(source.getLoc()), instructions(builder, location) {}

LogicalResult ReductionProgram::check() {
  if (layout.getMode() != alg::OutputMode::Product)
    return source.emitOpError("is a gradient; vector reductions are for products, mode k");
  if (layout.getRowTypes().getKind() == alg::RowTypeKind::Explicit)
    return source.emitOpError("has explicit row types, which do not follow from a position");
  if (!layout.getIn().isEqual() || !layout.getBank().isEqual() || !layout.getOut().isEqual())
    return source.emitOpError("has groups of unequal widths, which one map cannot address");
  if (inputWidth() % schedule.getVector() != 0 || outputWidth() % schedule.getVector() != 0)
    return source.emitOpError("reads ") << schedule.getVector() << " elements at a time, of which groups of "
                                        << inputWidth() << " and " << outputWidth() << " are no multiples";
  Block &matrices = source.getBody().front();
  if (matrices.getNumArguments() < 3)
    return source.emitOpError("takes X, W, what its maps read, and Y, got ")
           << matrices.getNumArguments() << " operands";
  for (BlockArgument operand : matrices.getArguments().take_front(2))
    if (!cast<tile::MatrixType>(operand.getType()).getElementType().isBF16())
      return source.emitOpError("reads bf16 operands, got ") << operand.getType();

  auto own = *source.getBody().getOps<tile::OwnOp>().begin();
  if (own.getAxis(tile::AxisKind::Batch).getStep() != schedule.getRows() ||
      own.getAxis(tile::AxisKind::Columns).getStep() != schedule.getColumns())
    return own.emitOpError("must own one part of the schedule: <batch, ")
           << schedule.getRows() << ">, <groups, 1>, <columns, " << schedule.getColumns() << ">";

  for (Operation &op : own.getBody().front())
    if (failed(checkOp(&op, own)))
      return failure();
  if (!total)
    return source.emitOpError("adds no terms");
  return success();
}

/// One op of a part. Terms are added to zeros, once; what is made of the sums is for maps to say.
LogicalResult ReductionProgram::checkOp(Operation *op, tile::OwnOp own) {
  Block &matrices = source.getBody().front();
  Value row = own.getIndex(tile::AxisKind::Batch), group = own.getIndex(tile::AxisKind::Groups),
        column = own.getIndex(tile::AxisKind::Columns);
  if (isa<arith::ConstantOp>(op)) // written where it is used
    return success();
  if (isa<tile::ZeroOp, tile::MapOp>(op)) {
    epilogue.push_back(op);
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
    if (total || !isa_and_nonnull<tile::ZeroOp>(add.getSums().getDefiningOp()) ||
        add.getRows() != matrices.getArgument(0) || add.getBank() != matrices.getArgument(1) ||
        add.getRow() != row || add.getGroup() != group || add.getColumn() != column)
      return add.emitOpError("must add the terms of what its part owns to zeros");
    total = add.getResult();
    return success();
  }
  if (auto store = dyn_cast<tile::StoreRowsOp>(op)) {
    if (store.getTarget() != matrices.getArguments().back() || store.getRow() != row ||
        store.getGroup() != group || store.getColumn() != column)
      return store.emitOpError("must store what its part owns to Y");
    epilogue.push_back(op);
    return success();
  }
  return op->emitOpError("is not something that a kernel of vector reductions does");
}

void ReductionProgram::declare() {
  MLIRContext *context = builder.getContext();
  Block &matrices = source.getBody().front();
  element_type = cast<tile::MatrixType>(matrices.getArguments().back().getType()).getElementType();
  coefficients = coefficientsOf(layout.getTerms());
  complete = layout.getTerms().completeGraph().has_value();
  declareSharedMemory(source->getParentOfType<ModuleOp>(), location);

  builder.setInsertionPoint(source);
  const algrt::OperandNames names = algrt::operandNames(algrt::Map::forward);
  constexpr algrt::ParameterType map = algrt::ParameterType::plain_map;
  algrt::KernelParameters parameters;
  parameters.map(map, names.x, algrt::ViewKind::all_rows)
      .map(map, names.w, algrt::ViewKind::bank)
      .map(map, names.y, algrt::ViewKind::all_rows)
      .add(algrt::ParameterValue::rows)
      .add(algrt::ParameterValue::offset)
      .add(algrt::ParameterValue::terms)
      .add(algrt::ParameterValue::operand, "positions")
      .add(algrt::ParameterValue::element_bytes, "positions");
  auto further = matrices.getArguments().drop_front(2).drop_back();
  for (BlockArgument operand : further)
    parameters.add(isa<tile::MatrixType>(operand.getType()) ? algrt::ParameterValue::operand
                                                            : algrt::ParameterValue::number,
                   operandName(operand));
  function = declareKernel(builder, location, source.getSymName(), parameters, schedule.getThreads());
  function->setAttr(kernel_attribute_name, describeReduction(source, dependent));

  Block *entry = &function.getBody().front();
  builder.setInsertionPointToStart(entry);
  const std::int64_t columns = schedule.getColumns(), depth = algrt_reduction_depth;
  auto mapsOf = [&](std::int64_t rows, std::int64_t columns, Type element, std::int64_t dimension,
                    std::int64_t vector) {
    return sm::MapsType::get(context, /*count=*/1, rows, columns, element, dimension, /*swizzle=*/0, vector);
  };
  x_type = mapsOf(schedule.getRows(), depth, builder.getBF16Type(), 3, schedule.getVector());
  w_type = mapsOf(depth, columns, builder.getBF16Type(), 2, schedule.getVector());
  y_type = mapsOf(schedule.getRows(), columns, element_type, 3, 1);
  auto mapOf = [&](std::int32_t number) -> Value {
    return LLVM::GEPOp::create(builder, location, entry->getArgument(0).getType(), plainMapType(context),
                               entry->getArgument(0), ArrayRef<LLVM::GEPArg>{number});
  };
  x_maps = entry->getArgument(0);
  w_maps = mapOf(1);
  y_maps = mapOf(2);
  rows = entry->getArgument(1);
  offset = entry->getArgument(2);
  terms = entry->getArgument(3);
  positions = entry->getArgument(4);
  position_bytes = entry->getArgument(5);
  for (auto [operand, parameter] : llvm::zip_equal(further, entry->getArguments().drop_front(6)))
    map_operands[operand] = parameter;
  shared =
      LLVM::AddressOfOp::create(builder, location, pointerTo(context, Space::Shared), shared_memory_name);
  Value thread = instructions.thread();
  lane = instructions.remainder(thread, schedule.getLanes());
  slice = instructions.divide(thread, schedule.getLanes());
}

ReductionProgram::Part ReductionProgram::partAt(Value number) {
  const std::int64_t column_blocks = llvm::divideCeil(outputWidth(), schedule.getColumns()),
                     groups = layout.getOut().getCount();
  Part part;
  part.column = instructions.multiply(instructions.remainder(number, column_blocks), schedule.getColumns());
  Value others = instructions.divide(number, column_blocks);
  part.group = instructions.remainder(others, groups);
  part.row = instructions.multiply(instructions.divide(others, groups), schedule.getRows());
  return part;
}

/// Columns first, then groups: blocks that run at one time share rows of X.
void ReductionProgram::writeWalk() {
  const std::int64_t parts_of_rows =
      llvm::divideCeil(outputWidth(), schedule.getColumns()) * layout.getOut().getCount();
  Value row_blocks = instructions.divide(instructions.add(rows, schedule.getRows() - 1), schedule.getRows());
  Value parts = instructions.multiply(row_blocks, parts_of_rows);
  Value block = NVVM::BlockIdXOp::create(builder, location, builder.getI32Type());
  Value blocks = NVVM::GridDimXOp::create(builder, location, builder.getI32Type());
  if (dependent) {
    scf::IfOp any = when(compare(LLVM::ICmpPredicate::ult, block, parts));
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(any.thenBlock()->getTerminator());
      writePrefetch(partAt(block));
    }
    NVVM::GriddepcontrolOp::create(builder, location, NVVM::GridDepActionKind::wait);
    NVVM::GriddepcontrolOp::create(builder, location, NVVM::GridDepActionKind::launch_dependents);
  }
  loop(block, parts, blocks, {}, [&](Value number, ValueRange) -> Values {
    writePart(partAt(number));
    return {};
  });
  LLVM::ReturnOp::create(builder, location, ValueRange());
}

void ReductionProgram::writePart(const Part &part) {
  SmallVector<Row> owned;
  for (std::int64_t number = 0; number < schedule.getRows(); ++number)
    owned.push_back(rowAt(part, number));
  Value zero = LLVM::ConstantOp::create(builder, location, builder.getF32Type(), builder.getF32FloatAttr(0));
  Values sums(schedule.getRows() * schedule.getVector(), zero);
  sums = addRowTerms(part, owned, sums);
  deliver(part, owned, sums);
}

LogicalResult ReductionProgram::write() {
  if (failed(check()))
    return failure();
  declare();
  writeWalk();
  return success();
}

Value ReductionProgram::constant(bool value) {
  return LLVM::ConstantOp::create(builder, location, builder.getI1Type(), builder.getBoolAttr(value));
}

Value ReductionProgram::wide(std::int64_t value) {
  return LLVM::ConstantOp::create(builder, location, builder.getI64Type(), builder.getI64IntegerAttr(value));
}

Value ReductionProgram::compare(LLVM::ICmpPredicate predicate, Value a, Value b) {
  return LLVM::ICmpOp::create(builder, location, predicate, a, b);
}

Value ReductionProgram::least(Value a, Value b) {
  return instructions.choose(compare(LLVM::ICmpPredicate::ult, a, b), a, b);
}

Value ReductionProgram::multiply(Value a, Value b) { return LLVM::MulOp::create(builder, location, a, b); }

scf::IfOp ReductionProgram::when(Value condition, TypeRange results, bool otherwise) {
  return scf::IfOp::create(builder, location, results, condition, otherwise || !results.empty());
}

ReductionProgram::Values ReductionProgram::choose(Value condition, TypeRange types,
                                                  function_ref<Values()> yes, function_ref<Values()> no) {
  scf::IfOp branch = when(condition, types, /*otherwise=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, location, yes());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, location, no());
  return Values(branch.getResults());
}

ReductionProgram::Values ReductionProgram::loop(Value first, Value end, Value step, ValueRange carried,
                                                function_ref<Values(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(builder, location, first, end, step, carried);
  OpBuilder::InsertionGuard guard(builder);
  if (carried.empty()) {
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    body(loop.getInductionVar(), {});
  } else {
    builder.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(builder, location, body(loop.getInductionVar(), loop.getRegionIterArgs()));
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
