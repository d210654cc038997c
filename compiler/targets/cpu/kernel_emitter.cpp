#include "compiler/targets/cpu/kernel_emitter.h"

#include "compiler/schedule/schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace compiler {

KernelEmitter::KernelEmitter(ModuleOp module, tile::KernelOp kernel)
    : IntegerArithmetic(builder_, kernel.getLoc(), IndexType::get(kernel.getContext())), module_(module),
      kernel_(kernel), layout_(kernel.getLayout()), schedule_(kernel.getThreadSchedule()),
      builder_(module.getContext()) {
  // Whether depths go in pairs is a property of the whole kernel: stationary rows and panels are padded
  // alike.
  kernel.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      TypeSwitch<Type>(operand.getType()).Case<tile::MatrixType, tile::BufferType>([&](auto type) {
        // What a matrix unit takes as rows of a left operand is no panel of a weight matrix.
        if (type.getInterleave() <= 2)
          pairing_ = std::max(pairing_, type.getInterleave());
      });
  });
  depth_ = schedule_.getUnit() == tile::MultiplyUnit::Amx ? CpuSchedule::amx_depth : pairing_;
}

FailureOr<func::FuncOp> KernelEmitter::emit() {
  declareFunction();
  const bool multiplies_by_amx = usesAmx() && kernel_
                                                  .walk([](Operation *op) {
                                                    return isa<tile::MmaOp, tile::OuterOp>(op)
                                                               ? WalkResult::interrupt()
                                                               : WalkResult::advance();
                                                  })
                                                  .wasInterrupted();
  if (multiplies_by_amx)
    configureAmx();
  if (failed(emitBlock(kernel_.getBody().front()))) {
    function_.erase();
    return failure();
  }
  if (!streams_.empty()) { // such stores are ordered with nothing: the caller must see them on return
    Value stream;
    for (const auto &[target, streamed] : streams_)
      stream = stream ? either(stream, streamed) : streamed;
    auto branch = scf::IfOp::create(builder_, location_, stream, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPoint(branch.thenBlock()->getTerminator());
    LLVM::CallIntrinsicOp::create(builder_, location_, builder_.getStringAttr("llvm.x86.sse.sfence"),
                                  ValueRange());
  }
  if (multiplies_by_amx)
    releaseAmx();
  func::ReturnOp::create(builder_, location_);
  function_->setAttr("tile.layout", layout_);
  function_->setAttr("tile.schedule", schedule_);
  function_->setAttr("tile.scratch_bytes", builder_.getI64IntegerAttr(scratch_bytes_));
  if (layout_.isWeightGradient()) // gradients have element types of their own
    function_->setAttr("tile.output",
                       TypeAttr::get(memory_.lookup(kernel_.getBody().getArguments().back()).element));
  auto packed = dyn_cast<tile::MatrixType>(kernel_.getBody().getArguments().back().getType());
  if (packed && packed.isPanels()) // what a packing kernel writes
    function_->setAttr("tile.packed_bytes",
                       builder_.getI64IntegerAttr(paddedTotal(layout_.getWeights(), depth_) * panelCount() *
                                                  packed.getPanel() *
                                                  (packed.getElementType().getIntOrFloatBitWidth() / 8)));
  return function_;
}

MemRefType KernelEmitter::matrixOf(Type element) {
  return MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic}, storageOf(element),
                         StridedLayoutAttr::get(builder_.getContext(), 0, {ShapedType::kDynamic, 1}));
}

Value KernelEmitter::operandOf(Value descriptors, unsigned number, MemRefType type) {
  // What the lowering of memrefs makes of a matrix, algrt_memref2 of runtime/kernel_abi.h.
  Type word = builder_.getI64Type(), pointer = descriptors.getType();
  Type two = LLVM::LLVMArrayType::get(word, 2);
  auto descriptor =
      LLVM::LLVMStructType::getLiteral(builder_.getContext(), {pointer, pointer, word, two, two});
  Value address = LLVM::GEPOp::create(builder_, location_, pointer, descriptor, descriptors,
                                      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number)});
  Value loaded = LLVM::LoadOp::create(builder_, location_, descriptor, address);
  return UnrealizedConversionCastOp::create(builder_, location_, type, loaded).getResult(0);
}

/// The signature that runtime/kernel_abi.h describes: a product (operands, scratch, rows, starts, p0,
/// row_blocks, slices, begin, end), a weight matrix's gradient (operands, scratch, rows, starts, p0, beta,
/// begin, end), or a packing kernel (w, packed, begin, end).
void KernelEmitter::declareFunction() {
  auto own = *kernel_.getBody().getOps<tile::ForallOp>().begin();
  const bool weight_gradient = layout_.isWeightGradient();
  const bool packs = !weight_gradient && own.getAxis(tile::AxisKind::WeightRows);
  Type index = builder_.getIndexType();
  auto vector = [&](Type element) { return MemRefType::get({ShapedType::kDynamic}, element); };

  SmallVector<Type> inputs;
  if (packs)
    for (Type argument : kernel_.getBody().getArgumentTypes())
      inputs.push_back(matrixOf(cast<tile::MatrixType>(argument).getElementType()));
  else
    inputs = {LLVM::LLVMPointerType::get(builder_.getContext()), vector(builder_.getI8Type()),
              vector(builder_.getI64Type()), vector(builder_.getI64Type()), index};
  if (weight_gradient)
    inputs.push_back(builder_.getF32Type());
  else if (!packs)
    inputs.append({index, index});
  inputs.append({index, index});

  builder_.setInsertionPoint(kernel_);
  function_ =
      func::FuncOp::create(builder_, location_, kernel_.getSymName(), builder_.getFunctionType(inputs, {}));
  function_->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(), builder_.getUnitAttr());
  Block *entry = function_.addEntryBlock();
  builder_.setInsertionPointToStart(entry);

  for (BlockArgument argument : kernel_.getBody().getArguments()) {
    const unsigned number = argument.getArgNumber();
    if (auto type = dyn_cast<tile::MatrixType>(argument.getType())) {
      Value matrix = packs ? Value(entry->getArgument(number))
                           : operandOf(entry->getArgument(0), number, matrixOf(type.getElementType()));
      memory_[argument] = {matrix, type.getElementType(), type.getPanel(), /*buffer=*/false};
    } else {
      Value matrix = operandOf(entry->getArgument(0), number, matrixOf(argument.getType()));
      scalars_.map(argument,
                   memref::LoadOp::create(builder_, location_, matrix, ValueRange{constant(0), constant(0)}));
    }
  }
  begin_ = entry->getArgument(entry->getNumArguments() - 2);
  end_ = entry->getArgument(entry->getNumArguments() - 1);
  if (packs)
    return;
  auto next = [&, i = 1u]() mutable { return entry->getArgument(i++); };
  scratch_ = next();
  row_list_ = next();
  row_starts_ = next();
  offset_ = next();
  batch_rows_ =
      memref::DimOp::create(builder_, location_, memory_.lookup(kernel_.getBody().getArgument(0)).memref, 0);
  const alg::RowTypesAttr types = layout_.getRowTypes();
  if (types.getKind() != alg::RowTypeKind::Explicit && types.getCount() > 1) {
    Value entries = memref::DimOp::create(builder_, location_, row_starts_, 0);
    listed_ = differ(entries, 0);
  }
  if (weight_gradient) {
    beta_ = next();
    return;
  }
  row_blocks_ = next();
  slices_ = next();
  kernel_.walk([&](tile::StoreOp store) {
    if (Value stream = streamsPastCache(memory_.lookup(store.getTarget())))
      streams_.insert({store.getTarget(), stream});
  });
}

Value KernelEmitter::scratchBuffer(int64_t elements, Type element) {
  constexpr int64_t cache_line = 64;
  const int64_t bytes = elements * static_cast<int64_t>(element.getIntOrFloatBitWidth() / 8);
  Value at = constant(scratch_bytes_);
  scratch_bytes_ += (bytes + cache_line - 1) / cache_line * cache_line;
  return memref::ViewOp::create(builder_, location_, MemRefType::get({elements}, storageOf(element)),
                                scratch_, at, ValueRange());
}

Type KernelEmitter::storageOf(Type element) { return element.isBF16() ? builder_.getI16Type() : element; }

Value KernelEmitter::convert(Value loaded, Type from, Type to) {
  if (from == to)
    return loaded;
  auto like = [&](Type element) -> Type {
    auto vector = dyn_cast<VectorType>(loaded.getType());
    return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
  };
  Type bits = like(builder_.getI32Type());
  Value wide = arith::ExtUIOp::create(builder_, location_, bits, loaded);
  Value half = arith::ConstantOp::create(builder_, location_, bits, [&]() -> TypedAttr {
    IntegerAttr sixteen = builder_.getI32IntegerAttr(16);
    auto shaped = dyn_cast<ShapedType>(bits);
    return shaped ? TypedAttr(DenseElementsAttr::get(shaped, sixteen.getValue())) : TypedAttr(sixteen);
  }());
  Value shifted = arith::ShLIOp::create(builder_, location_, wide, half);
  return arith::BitcastOp::create(builder_, location_, like(to), shifted);
}

static bool haveOneShape(Value one, Value other) {
  const auto a = cast<tile::FragmentType>(one.getType()), b = cast<tile::FragmentType>(other.getType());
  return a.getRows() == b.getRows() && a.getColumns() == b.getColumns();
}

LogicalResult KernelEmitter::emitBlock(Block &block) {
  for (auto op = block.begin(); op != block.end();) {
    if (FailureOr<bool> rows = emitRowsFrom(op, block.end()); failed(rows))
      return failure();
    else if (*rows)
      continue;
    SmallVector<tile::MapOp> maps;
    for (; op != block.end(); ++op) {
      auto map = dyn_cast<tile::MapOp>(*op);
      if (!map || (!maps.empty() && !haveOneShape(map.getResult(), maps.front().getResult())))
        break;
      maps.push_back(map);
    }
    if (maps.empty()) {
      if (failed(emitOp(&*op++)))
        return failure();
      continue;
    }
    SmallVector<tile::StoreOp> stores;
    for (; op != block.end(); ++op) {
      auto store = dyn_cast<tile::StoreOp>(*op);
      if (store && haveOneShape(store.getValue(), maps.front().getResult()))
        stores.push_back(store);
      else if (!isa<tile::MaskOp>(*op))
        break;
      else if (failed(emitOp(&*op)))
        return failure();
    }
    if (failed(emitMaps(maps, stores)))
      return failure();
  }
  return success();
}

LogicalResult KernelEmitter::emitOp(Operation *op) {
  location_ = op->getLoc();
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tile::ForallOp own) { return emitForall(own); })
      .Case([&](tile::ForOp walk) { return emitFor(walk); })
      .Case([&](tile::TermsOp terms) { return emitTerms(terms); })
      .Case([&](tile::HoldOp hold) { return emitHold(hold); })
      .Case([&](tile::BufferOp buffer) { return emitBuffer(buffer); })
      .Case([&](tile::LayerOp layer) { return emitLayer(layer); })
      .Case([&](tile::OnceOp once) { return emitOnce(once); })
      .Case([&](tile::StoreHeldOp store) { return emitStoreHeld(store); })
      .Case([&](tile::WeightTermsOp terms) { return emitWeightTerms(terms); })
      .Case([&](tile::BringOp bring) { return emitBring(bring); })
      .Case([&](tile::LoadOp load) { return emitLoad(load); })
      .Case([&](tile::OuterOp outer) { return emitOuter(outer); })
      .Case([&](tile::KeepOp keep) { return emitKeep(keep); })
      .Case([&](tile::StoreWeightOp store) { return emitStoreWeights(store); })
      .Case([&](tile::CopyOp copy) { return emitCopy(copy); })
      .Case([&](tile::ZeroOp zero) { return emitZero(zero); })
      .Case([&](tile::MmaOp mma) { return emitMma({mma}); })
      .Case([&](tile::MapOp map) { return emitMaps({map}, {}); })
      .Case([&](tile::MaskOp mask) {
        Value row = scalars_.lookup(mask.getRow()), type = scalars_.lookup(mask.getRowType());
        Value group = scalars_.lookup(mask.getGroup()), column = scalars_.lookup(mask.getColumn());
        masks_[mask.getResult()] = {subtract(rowsOfType(type).count, row),
                                    subtract(groupWidth(layout_.getOut(), "out", group), column)};
        return LogicalResult(success());
      })
      .Case([&](tile::StoreOp store) { return emitStore(store); })
      .Default([&](Operation *other) -> LogicalResult {
        // Scalar code of the kernel's author goes over as it is.
        if (other->getNumRegions() == 0 && isa<arith::ArithDialect>(other->getDialect())) {
          builder_.clone(*other, scalars_);
          return success();
        }
        return other->emitOpError("is not something that the CPU target can lower");
      });
}

} // namespace compiler
