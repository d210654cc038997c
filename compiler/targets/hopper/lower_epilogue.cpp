// sm-lower-epilogue: results leave through shared memory, while the next tile is multiplied.
#include "compiler/targets/thread_block/index_math.h"
#include "compiler/targets/hopper/passes.h"

namespace compiler {
#define GEN_PASS_DEF_SMLOWEREPILOGUE
#include "compiler/targets/hopper/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

struct SmLowerEpilogue : compiler::impl::SmLowerEpilogueBase<SmLowerEpilogue> {
  void runOnOperation() override {
    for (sm::KernelOp kernel : getOperation().getOps<sm::KernelOp>())
      if (failed(lower(kernel)))
        return signalPassFailure();
  }

private:
  LogicalResult lower(sm::KernelOp kernel);
};

} // namespace

/// Code for the thread that stores; the builder stands where it stood.
static void inOneThread(OpBuilder &builder, Location location, function_ref<void()> body) {
  auto elect = sm::ElectOp::create(builder, location);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&elect.getBody().emplaceBlock());
  body();
}

/// The maps of a result whose boxes are the part of one warpgroup.
static sm::MapsType warpgroupMaps(sm::MapsType maps, sm::AccumulatorType sums) {
  return sm::MapsType::get(maps.getContext(), maps.getCount(), sums.getRowsOfWarpgroup(),
                           sums.getColumnsOfWarpgroup(), maps.getElementType(), maps.getRowDimension(),
                           maps.getSwizzle());
}

static void lowerDeliver(OpBuilder &builder, sm::DeliverOp deliver, Value staging) {
  builder.setInsertionPoint(deliver);
  Location location = deliver.getLoc();
  const IndexMath math(builder, location);
  Value warpgroup = sm::WarpgroupOp::create(builder, location, builder.getIndexType());
  inOneThread(builder, location, [&] { sm::StoreWaitOp::create(builder, location, 0, /*written=*/false); });
  sm::SyncOp::create(builder, location);
  sm::WriteOp::create(builder, location, deliver.getAccumulator(), staging, warpgroup);
  sm::FenceOp::create(builder, location);
  sm::SyncOp::create(builder, location);
  inOneThread(builder, location, [&] {
    SmallVector<Value> coordinates(deliver.getCoordinates());
    // Warpgroups divide the columns of transposed sums, else the rows.
    Value &divided = coordinates[deliver.getAccumulator().getType().getTransposed() ? 0 : 3];
    divided = math.add(divided, math.multiply(warpgroup, sm::warpgroup_rows));
    sm::StoreOp::create(builder, location, staging, warpgroup, deliver.getTarget(), deliver.getMap(),
                        coordinates);
    sm::StoreCommitOp::create(builder, location);
  });
  deliver.erase();
}

LogicalResult SmLowerEpilogue::lower(sm::KernelOp kernel) {
  SmallVector<sm::DeliverOp> delivers;
  kernel.walk([&](sm::DeliverOp deliver) { delivers.push_back(deliver); });
  for (sm::DeliverOp deliver : delivers) {
    auto role = deliver->getParentOfType<sm::RoleOp>();
    auto target = dyn_cast<BlockArgument>(deliver.getTarget());
    if (!role || !target || !target.hasOneUse())
      return deliver.emitOpError(
          "must be the only one to deliver from a role to its maps: split the roles first");
    auto maps = cast<sm::MapsType>(target.getType());
    if (!maps.getSwizzle())
      return deliver.emitOpError("needs to know how its result lies in shared memory: assign swizzles first");
    const auto warpgroups = static_cast<std::int64_t>(role.getWarpgroups());
    maps = warpgroupMaps(maps, deliver.getAccumulator().getType());

    // A slot for each warpgroup, so that none waits for another.
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    auto slots = sm::BufferType::get(kernel.getContext(), warpgroups, maps.getRows(), maps.getColumns(),
                                     maps.getElementType(), maps.getSwizzle());
    Value staging = sm::AllocateOp::create(builder, deliver.getLoc(), slots);
    Operation *end = &role.getBody().front().back();
    lowerDeliver(builder, deliver, staging);
    target.setType(maps);

    // The block's shared memory must outlive the last store's reading of it.
    builder.setInsertionPointAfter(end);
    inOneThread(builder, role.getLoc(),
                [&] { sm::StoreWaitOp::create(builder, role.getLoc(), 0, /*written=*/false); });
  }
  return success();
}
