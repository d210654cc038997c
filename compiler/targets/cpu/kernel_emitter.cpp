#include "compiler/targets/cpu/kernel_emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace compiler {

KernelEmitter::KernelEmitter(ModuleOp module, tile::KernelOp kernel)
    : module(module), kernel(kernel), layout(kernel.getLayout()), schedule(kernel.getThreadSchedule()),
      builder(module.getContext()), location(kernel.getLoc()) {
  // Whether depths go in pairs is a property of the whole kernel: held rows and panels are padded alike.
  kernel.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      TypeSwitch<Type>(operand.getType()).Case<tile::MatrixType, tile::BufferType>([&](auto type) {
        pairing = std::max(pairing, type.getInterleave());
      });
  });
}

FailureOr<func::FuncOp> KernelEmitter::emit() {
  declareFunction();
  if (failed(emitBlock(kernel.getBody().front()))) {
    function.erase();
    return failure();
  }
  if (!streams.empty()) { // such stores are ordered with nothing: the caller must see them on return
    Value stream;
    for (const auto &[target, streamed] : streams)
      stream = stream ? arith::OrIOp::create(builder, location, stream, streamed).getResult() : streamed;
    auto branch = scf::IfOp::create(builder, location, stream, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    LLVM::CallIntrinsicOp::create(builder, location, builder.getStringAttr("llvm.x86.sse.sfence"),
                                  ValueRange());
  }
  func::ReturnOp::create(builder, location);
  function->setAttr("tile.layout", layout);
  function->setAttr("tile.schedule", schedule);
  function->setAttr("tile.scratch_bytes", builder.getI64IntegerAttr(scratch_bytes));
  if (layout.isBankGradient()) // gradients have element types of their own
    function->setAttr("tile.output",
                      TypeAttr::get(memory.lookup(kernel.getBody().getArguments().back()).element));
  for (auto &[value, operand] : memory)
    if (!operand.buffer && operand.panel)
      function->setAttr(
          "tile.packed_bytes",
          builder.getI64IntegerAttr(paddedTotal(layout.getBank(), pairing) * panelCount() * operand.panel *
                                    (operand.element.getIntOrFloatBitWidth() / 8)));
  return function;
}

MemRefType KernelEmitter::matrixOf(Type element) {
  return MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic}, storageOf(element),
                         StridedLayoutAttr::get(builder.getContext(), 0, {ShapedType::kDynamic, 1}));
}

Value KernelEmitter::operandOf(Value descriptors, unsigned number, MemRefType type) {
  // What the lowering of memrefs makes of a matrix, algrt_memref2 of runtime/kernel_abi.h.
  Type word = builder.getI64Type(), pointer = descriptors.getType();
  Type two = LLVM::LLVMArrayType::get(word, 2);
  auto descriptor =
      LLVM::LLVMStructType::getLiteral(builder.getContext(), {pointer, pointer, word, two, two});
  Value address = LLVM::GEPOp::create(builder, location, pointer, descriptor, descriptors,
                                      ArrayRef<LLVM::GEPArg>{static_cast<std::int32_t>(number)});
  Value loaded = LLVM::LoadOp::create(builder, location, descriptor, address);
  return UnrealizedConversionCastOp::create(builder, location, type, loaded).getResult(0);
}

/// The signature that runtime/kernel_abi.h describes: a product (operands, scratch, rows, starts, p0,
/// row_blocks, slices, begin, end), a bank's gradient (operands, scratch, rows, starts, p0, beta, begin,
/// end), or a packing kernel (w, packed, begin, end).
void KernelEmitter::declareFunction() {
  auto own = *kernel.getBody().getOps<tile::OwnOp>().begin();
  const bool bank_gradient = layout.isBankGradient();
  const bool packs = !bank_gradient && own.getAxis(tile::AxisKind::BankRows);
  Type index = builder.getIndexType();
  auto vector = [&](Type element) { return MemRefType::get({ShapedType::kDynamic}, element); };

  SmallVector<Type> inputs;
  if (packs)
    for (Type argument : kernel.getBody().getArgumentTypes())
      inputs.push_back(matrixOf(cast<tile::MatrixType>(argument).getElementType()));
  else
    inputs = {LLVM::LLVMPointerType::get(builder.getContext()), vector(builder.getI8Type()),
              vector(builder.getI64Type()), vector(builder.getI64Type()), index};
  if (bank_gradient)
    inputs.push_back(builder.getF32Type());
  else if (!packs)
    inputs.append({index, index});
  inputs.append({index, index});

  builder.setInsertionPoint(kernel);
  function =
      func::FuncOp::create(builder, location, kernel.getSymName(), builder.getFunctionType(inputs, {}));
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(), builder.getUnitAttr());
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);

  for (BlockArgument argument : kernel.getBody().getArguments()) {
    const unsigned number = argument.getArgNumber();
    if (auto type = dyn_cast<tile::MatrixType>(argument.getType())) {
      Value matrix = packs ? Value(entry->getArgument(number))
                           : operandOf(entry->getArgument(0), number, matrixOf(type.getElementType()));
      memory[argument] = {matrix, type.getElementType(), type.getPanel(), /*buffer=*/false};
    } else {
      Value matrix = operandOf(entry->getArgument(0), number, matrixOf(argument.getType()));
      scalars.map(argument, memref::LoadOp::create(builder, location, matrix,
                                                   ValueRange{this->index(0), this->index(0)}));
    }
  }
  begin = entry->getArgument(entry->getNumArguments() - 2);
  end = entry->getArgument(entry->getNumArguments() - 1);
  if (packs)
    return;
  auto next = [&, i = 1u]() mutable { return entry->getArgument(i++); };
  scratch = next();
  row_list = next();
  row_starts = next();
  offset = next();
  batch_rows =
      memref::DimOp::create(builder, location, memory.lookup(kernel.getBody().getArgument(0)).memref, 0);
  const alg::RowTypesAttr types = layout.getRowTypes();
  if (types.getKind() != alg::RowTypeKind::Explicit && types.getCount() > 1) {
    Value entries = memref::DimOp::create(builder, location, row_starts, 0);
    listed = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, entries, this->index(0));
  }
  if (bank_gradient) {
    beta = next();
    return;
  }
  row_blocks = next();
  slices = next();
  kernel.walk([&](tile::StoreOp store) {
    if (Value stream = streamsPastCache(memory.lookup(store.getTarget())))
      streams.insert({store.getTarget(), stream});
  });
}

Value KernelEmitter::scratchBuffer(std::int64_t elements, Type element) {
  constexpr std::int64_t cache_line = 64;
  const std::int64_t bytes = elements * static_cast<std::int64_t>(element.getIntOrFloatBitWidth() / 8);
  Value at = index(scratch_bytes);
  scratch_bytes += (bytes + cache_line - 1) / cache_line * cache_line;
  return memref::ViewOp::create(builder, location, MemRefType::get({elements}, storageOf(element)), scratch,
                                at, ValueRange());
}

Type KernelEmitter::storageOf(Type element) { return element.isBF16() ? builder.getI16Type() : element; }

Value KernelEmitter::convert(Value loaded, Type from, Type to) {
  if (from == to)
    return loaded;
  auto like = [&](Type element) -> Type {
    auto vector = dyn_cast<VectorType>(loaded.getType());
    return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
  };
  Type bits = like(builder.getI32Type());
  Value wide = arith::ExtUIOp::create(builder, location, bits, loaded);
  Value half = arith::ConstantOp::create(builder, location, bits, [&]() -> TypedAttr {
    IntegerAttr sixteen = builder.getI32IntegerAttr(16);
    auto shaped = dyn_cast<ShapedType>(bits);
    return shaped ? TypedAttr(DenseElementsAttr::get(shaped, sixteen.getValue())) : TypedAttr(sixteen);
  }());
  Value shifted = arith::ShLIOp::create(builder, location, wide, half);
  return arith::BitcastOp::create(builder, location, like(to), shifted);
}

LogicalResult KernelEmitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (failed(emitOp(&op)))
      return failure();
  return success();
}

LogicalResult KernelEmitter::emitOp(Operation *op) {
  location = op->getLoc();
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tile::OwnOp own) { return emitOwn(own); })
      .Case([&](tile::WalkOp walk) { return emitWalk(walk); })
      .Case([&](tile::TermsOp terms) { return emitTerms(terms); })
      .Case([&](tile::HoldOp hold) { return emitHold(hold); })
      .Case([&](tile::BufferOp buffer) {
        tile::BufferType type = buffer.getBuffer().getType();
        if (!type.isPanels() && !layout.isBankGradient())
          return LogicalResult(
              buffer.emitOpError("the CPU target stages panels only; rows are held by tile.hold"));
        // Of a product: one column panel of each row group of the bank.
        const std::int64_t elements = layout.isBankGradient()
                                          ? type.getRows() * type.getColumns()
                                          : paddedTotal(layout.getBank(), pairing) * type.getPanel();
        memory[buffer.getBuffer()] = {scratchBuffer(elements, type.getElementType()), type.getElementType(),
                                      type.getPanel(), /*buffer=*/true};
        return LogicalResult(success());
      })
      .Case([&](tile::BankTermsOp terms) { return emitBankTerms(terms); })
      .Case([&](tile::BringOp bring) { return emitBring(bring); })
      .Case([&](tile::LoadOp load) { return emitLoad(load); })
      .Case([&](tile::OuterOp outer) { return emitOuter(outer); })
      .Case([&](tile::KeepOp keep) { return emitKeep(keep); })
      .Case([&](tile::StoreBankOp store) { return emitStoreBank(store); })
      .Case([&](tile::CopyOp copy) { return emitCopy(copy); })
      .Case([&](tile::ZeroOp zero) { return emitZero(zero); })
      .Case([&](tile::MmaOp mma) { return emitMma({mma}); })
      .Case([&](tile::MapOp map) { return emitMap(map); })
      .Case([&](tile::MaskOp mask) {
        Value row = scalars.lookup(mask.getRow()), type = scalars.lookup(mask.getRowType());
        Value group = scalars.lookup(mask.getGroup()), column = scalars.lookup(mask.getColumn());
        masks[mask.getResult()] = {subtract(rowsOfType(type).count, row),
                                   subtract(groupWidth(layout.getOut(), "out", group), column)};
        return LogicalResult(success());
      })
      .Case([&](tile::StoreOp store) { return emitStore(store); })
      .Default([&](Operation *other) -> LogicalResult {
        // Scalar code of the kernel's author goes over as it is.
        if (other->getNumRegions() == 0 && isa<arith::ArithDialect>(other->getDialect())) {
          builder.clone(*other, scalars);
          return success();
        }
        return other->emitOpError("is not something that the CPU target can lower");
      });
}

} // namespace compiler
