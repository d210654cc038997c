#include "compiler/targets/nvidia/kernel_structure.h"

#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/kernel_attribute.h"
#include "compiler/targets/nvidia/parameters.h"
#include "compiler/targets/nvidia/plain_map.h"
#include "compiler/targets/nvidia/shared_memory.h"
#include "runtime/gpu_kernel_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace compiler {
namespace {

class StructureLowering {
public:
  StructureLowering(ModuleOp module, sm::KernelOp kernel)
      : module_(module), kernel_(kernel), builder_(kernel.getContext()), location_(kernel.getLoc()),
        plain_(usesPlainMaps(kernel)), threads_(threadsOf(kernel)) {}

  FailureOr<LLVM::LLVMFuncOp> run();

private:
  LogicalResult checkPartitions();
  /// Of one map of the operands in the kernel's first parameter.
  Type mapType();
  void declareFunction(DictionaryAttr description, const algrt::KernelParameters &parameters);
  void replaceArguments();
  /// The kernel's ops go over into the entry block; each partition ends it with a branch. Without partitions
  /// it is the whole function.
  void dealPartitions();
  void lowerPartition(sm::PartitionOp partition, int64_t first_warpgroup, bool last);
  void markWarpgroups(sm::PartitionOp partition, int64_t first_warpgroup);
  void lowerElect(sm::ElectOp elect);
  void lowerArrive(sm::ArriveOp arrive);
  void lowerInitialize(sm::InitializeOp initialize);
  void prefetchTensorMaps();

  Value asIndex(Value integer) {
    return UnrealizedConversionCastOp::create(builder_, location_, builder_.getIndexType(), integer)
        .getResult(0);
  }
  scf::IfOp when(Value condition) {
    return scf::IfOp::create(builder_, location_, condition, /*withElseRegion=*/false);
  }

  ModuleOp module_;
  sm::KernelOp kernel_;
  OpBuilder builder_;
  Location location_;
  LLVM::LLVMFuncOp function_;
  Block *exit_ = nullptr;
  int32_t tensor_maps_ = 0; ///< with which the kernel's first parameter begins
  const bool plain_;        ///< the maps of the operands: threads copy through them
  int64_t threads_ = 0;
  SmallPtrSet<Operation *, 2> whole_partitions_; ///< each sm.elect that is all its partition does
};

LogicalResult StructureLowering::checkPartitions() {
  auto is_plain = [&](BlockArgument argument) { return cast<sm::MapsType>(argument.getType()).isPlain(); };
  const SmallVector<BlockArgument> maps = mapsInOrder(kernel_);
  if (is_plain(kernel_.getBody().getArgument(1)) != plain_ || (plain_ && !llvm::all_of(maps, is_plain)))
    return kernel_.emitOpError(
        "mixes plain maps and tensor maps: where threads copy all are plain, where the "
        "copy engine does at most those of the result");
  if (kernel_.getBody().getOps<sm::PartitionOp>().empty()) {
    if (!plain_)
      return kernel_.emitOpError("has no partitions: make them with its target's passes before");
    return success();
  }
  if (plain_)
    return kernel_.emitOpError("has partitions, and plain maps: all threads of a block copy through those");
  Operation &end = kernel_.getBody().front().back();
  if (!isa<sm::PartitionOp>(end))
    return end.emitOpError("stands behind the partitions, where no thread comes");
  return success();
}

FailureOr<LLVM::LLVMFuncOp> StructureLowering::run() {
  if (failed(checkPartitions()))
    return failure();
  const FailureOr<int64_t> shared_bytes = placeSharedMemory(kernel_);
  if (failed(shared_bytes))
    return failure();
  const FailureOr<DictionaryAttr> description = describeKernel(kernel_, *shared_bytes);
  if (failed(description))
    return failure();
  const FailureOr<algrt::KernelParameters> parameters = parametersOf(kernel_);
  if (failed(parameters))
    return failure();
  declareSharedMemory(module_, location_);
  declareFunction(*description, *parameters);
  replaceArguments();
  dealPartitions();
  // What one thread does; innermost first, so that nothing is visited in a place it has left.
  SmallVector<Operation *> ops;
  function_.walk([&](Operation *op) {
    if (isa<sm::ElectOp, sm::ArriveOp, sm::InitializeOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    builder_.setInsertionPoint(op);
    location_ = op->getLoc();
    if (auto elect = dyn_cast<sm::ElectOp>(op))
      lowerElect(elect);
    else if (auto arrive = dyn_cast<sm::ArriveOp>(op))
      lowerArrive(arrive);
    else
      lowerInitialize(cast<sm::InitializeOp>(op));
  }
  return function_;
}

Type StructureLowering::mapType() {
  if (plain_)
    return plainMapType(builder_.getContext());
  return LLVM::LLVMArrayType::get(builder_.getI8Type(), algrt_tensor_map_bytes);
}

void StructureLowering::declareFunction(DictionaryAttr description,
                                        const algrt::KernelParameters &parameters) {
  builder_.setInsertionPoint(kernel_);
  function_ = declareKernel(builder_, location_, kernel_.getSymName(), parameters, threads_);
  // Launches without their cluster fail instead of waiting for blocks that are not there.
  if (const int64_t cluster = clusterOf(kernel_); cluster > 1)
    function_->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                       builder_.getDenseI32ArrayAttr({static_cast<int32_t>(cluster), 1, 1}));
  function_->setAttr(kernel_attribute_name, description);
}

void StructureLowering::replaceArguments() {
  Block *entry = &function_.getBody().front();
  builder_.setInsertionPointToStart(entry);
  int32_t before = 0;
  int64_t bytes = 0; // of plain maps that are before, behind tensor maps
  for (BlockArgument argument : mapsInOrder(kernel_)) {
    auto type = cast<sm::MapsType>(argument.getType());
    Value address = entry->getArgument(0);
    if (before)
      address = LLVM::GEPOp::create(builder_, location_, address.getType(), mapType(), address,
                                    ArrayRef<LLVM::GEPArg>{before});
    if (bytes)
      address = LLVM::GEPOp::create(builder_, location_, address.getType(), builder_.getI8Type(), address,
                                    ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
    if (!type.isPlain())
      tensor_maps_ += static_cast<int32_t>(type.getCount());
    if (type.isPlain() == plain_)
      before += static_cast<int32_t>(type.getCount());
    else
      bytes += type.getCount() * algrt_plain_map_bytes;
    argument.replaceAllUsesWith(
        UnrealizedConversionCastOp::create(builder_, location_, argument.getType(), address).getResult(0));
  }
  unsigned number = 0;
  for (BlockArgument argument : kernel_.getBody().getArguments()) {
    if (isa<sm::MapsType>(argument.getType()))
      continue;
    Value parameter = entry->getArgument(++number);
    if (parameter.getType() != argument.getType())
      parameter =
          UnrealizedConversionCastOp::create(builder_, location_, argument.getType(), parameter).getResult(0);
    argument.replaceAllUsesWith(parameter);
  }
}

void StructureLowering::dealPartitions() {
  Block *entry = &function_.getBody().front();
  entry->getOperations().splice(entry->end(), kernel_.getBody().front().getOperations());
  SmallVector<sm::PartitionOp> partitions = llvm::to_vector(entry->getOps<sm::PartitionOp>());
  if (partitions.empty()) {
    builder_.setInsertionPointToEnd(entry);
    LLVM::ReturnOp::create(builder_, location_, ValueRange());
    return;
  }
  exit_ = new Block();
  function_.getBody().push_back(exit_);
  builder_.setInsertionPointToStart(exit_);
  LLVM::ReturnOp::create(builder_, location_, ValueRange());

  int64_t first_warpgroup = 0;
  for (auto [i, partition] : llvm::enumerate(partitions)) {
    const int64_t warpgroups = partition.getWarpgroups();
    lowerPartition(partition, first_warpgroup, i + 1 == partitions.size());
    first_warpgroup += warpgroups;
  }
}

/// Splits the block at the partition: what is before it, its body, what follows.
void StructureLowering::lowerPartition(sm::PartitionOp partition, int64_t first_warpgroup, bool last) {
  location_ = partition.getLoc();
  markWarpgroups(partition, first_warpgroup);
  // Where the others meet the one thread at the end, it still does everything else.
  Block &all = partition.getBody().front();
  if (!all.empty() && isa<sm::ElectOp>(all.front()) &&
      llvm::all_of(llvm::drop_begin(all), llvm::IsaPred<sm::ClusterSyncOp>))
    whole_partitions_.insert(&all.front());
  Block *before = partition->getBlock();
  Block *after = before->splitBlock(partition);
  Block *body = &partition.getBody().front();
  body->moveBefore(after);

  builder_.setInsertionPointToEnd(before);
  if (last) {
    cf::BranchOp::create(builder_, location_, body);
  } else {
    Instructions write(builder_, location_);
    Value mine = write.below(write.warpgroup(), first_warpgroup + partition.getWarpgroups());
    cf::CondBranchOp::create(builder_, location_, mine, body, ValueRange(), after, ValueRange());
  }

  const int64_t share = sm::registersAtStart(threads_);
  const int64_t registers = partition.getRegisters();
  if (registers != share) {
    builder_.setInsertionPointToStart(body);
    const auto action =
        registers > share ? NVVM::SetMaxRegisterAction::increase : NVVM::SetMaxRegisterAction::decrease;
    NVVM::SetMaxRegisterOp::create(builder_, location_,
                                   builder_.getI32IntegerAttr(static_cast<int32_t>(registers)),
                                   NVVM::SetMaxRegisterActionAttr::get(builder_.getContext(), action));
  }
  builder_.setInsertionPointToEnd(body);
  cf::BranchOp::create(builder_, location_, exit_);
  partition.erase();
  if (last)
    after->erase();
}

/// What a partition's ops ask of the warpgroup's number is known only as long as the partition is there.
void StructureLowering::markWarpgroups(sm::PartitionOp partition, int64_t first_warpgroup) {
  partition.walk([&](Operation *op) {
    if (isa<sm::MmaOp, sm::MapOp, sm::StoreSumsOp, sm::WriteOp, sm::SyncPartsOp, sm::ArrivePartsOp,
            sm::WritePartialOp, sm::AddPartialOp>(op)) {
      op->setAttr(first_warpgroup_name, builder_.getI64IntegerAttr(first_warpgroup));
      op->setAttr(partition_warpgroups_name, partition.getWarpgroupsAttr());
    } else if (auto warpgroup = dyn_cast<sm::WarpgroupOp>(op)) {
      builder_.setInsertionPoint(op);
      Instructions write(builder_, op->getLoc());
      Value index = partition.getWarpgroups() == 1 ? write.constant(0)
                                                   : write.subtract(write.warpgroup(), first_warpgroup);
      warpgroup.replaceAllUsesWith(asIndex(index));
      op->erase();
    }
  });
}

/// Thread 0 of the warpgroup. Where a partition does everything in one thread, elect.sync of its first warp
/// chooses it: only then does ptxas know that a single thread is left; behind a comparison it puts a loop
/// over lanes around every copy. In the midst of a partition elect.sync would cost the code around it its
/// uniform registers, and stores get no loops behind a comparison.
void StructureLowering::lowerElect(sm::ElectOp elect) {
  Instructions write(builder_, location_);
  scf::IfOp one;
  if (whole_partitions_.contains(elect)) {
    scf::IfOp first_warp = when(write.below(write.threadInWarpgroup(), sm::warp_threads));
    builder_.setInsertionPoint(first_warp.thenBlock()->getTerminator());
    one = when(NVVM::ElectSyncOp::create(builder_, location_, builder_.getI1Type(), Value()));
  } else {
    one = when(write.equal(write.threadInWarpgroup(), 0));
  }
  Block *then = one.thenBlock();
  then->getOperations().splice(then->begin(), elect.getBody().front().getOperations());
  elect.erase();
}

void StructureLowering::lowerArrive(sm::ArriveOp arrive) {
  Instructions write(builder_, location_);
  Value mask = arrive.getMask();
  // Then what its lanes have done is for each of them to publish.
  if (arrive.getPublish())
    NVVM::SyncWarpOp::create(builder_, location_, write.constant(-1));
  scf::IfOp one;
  if (mask) {
    Value bits =
        UnrealizedConversionCastOp::create(builder_, location_, builder_.getI32Type(), mask).getResult(0);
    Value bit = write.bitAnd(write.shiftRight(bits, write.lane()), 1);
    one = when(write.equal(bit, 1));
  } else if (arrive->getParentOfType<sm::ElectOp>()) {
    return; // one thread is left
  } else {
    one = when(write.equal(write.lane(), 0));
  }
  arrive->moveBefore(one.thenBlock()->getTerminator());
}

void StructureLowering::lowerInitialize(sm::InitializeOp initialize) {
  Instructions write(builder_, location_);
  scf::IfOp one = when(write.equal(write.thread(), 0));
  if (initialize.getCluster()) {
    // The barriers that the first thread made are published by its fence, and nothing else is there to
    // publish.
    NVVM::ClusterArriveRelaxedOp::create(builder_, location_, builder_.getUnitAttr());
    NVVM::ClusterWaitOp::create(builder_, location_, builder_.getUnitAttr());
  } else {
    NVVM::Barrier0Op::create(builder_, location_);
  }
  builder_.setInsertionPoint(one.thenBlock()->getTerminator());
  prefetchTensorMaps();
  initialize->moveBefore(one.thenBlock()->getTerminator());
  NVVM::FenceMbarrierInitOp::create(builder_, location_);
}

/// Maps are parameters: they are there before the grid ahead of this one has ended, and so is their prefetch.
/// Without it a tile's first copies wait for theirs.
void StructureLowering::prefetchTensorMaps() {
  Value maps = function_.getBody().front().getArgument(0);
  for (int32_t number = 0; number < tensor_maps_; ++number) {
    Value map = LLVM::GEPOp::create(builder_, location_, maps.getType(), mapType(), maps,
                                    ArrayRef<LLVM::GEPArg>{number});
    NVVM::PrefetchOp::create(builder_, location_, /*cacheLevel=*/{}, /*evictPriority=*/{}, map,
                             /*predicate=*/Value(), /*tensormap=*/builder_.getUnitAttr(), /*uniform=*/{},
                             /*in_param_space=*/builder_.getUnitAttr());
  }
}

} // namespace

int64_t threadsOf(LLVM::LLVMFuncOp function) {
  return function->getAttrOfType<DenseI32ArrayAttr>(NVVM::NVVMDialect::getReqntidAttrName())[0];
}

void declareSharedMemory(ModuleOp module, Location location) {
  if (module.lookupSymbol(shared_memory_name))
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto global = LLVM::GlobalOp::create(builder, location, LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
                                       /*isConstant=*/false, LLVM::Linkage::External, shared_memory_name,
                                       Attribute(), stage_alignment, static_cast<unsigned>(Space::Shared));
  global.setDsoLocal(false);
}

FailureOr<LLVM::LLVMFuncOp> lowerKernelStructure(ModuleOp module, sm::KernelOp kernel) {
  return StructureLowering(module, kernel).run();
}

} // namespace compiler
