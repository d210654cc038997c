// sm-lower-epilogue: results leave through shared memory, while the next tile is multiplied.
#include "compiler/targets/hopper/passes.h"
#include "compiler/targets/thread_block/index_math.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

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

namespace {
/// Where the rows of a warpgroup go.
struct Place {
  Value map;
  SmallVector<Value> coordinates;
};

/// What the epilogue needs of either kind of delivery.
struct Delivery {
  explicit Delivery(sm::DeliverOp op) : op(op), sums(op.getAccumulator()), target(op.getTarget()) {}
  explicit Delivery(sm::DeliverPartsOp op) : op(op), sums(op.getAccumulator()), target(op.getTarget()) {}

  Place placeOf(const IndexMath &math, Value warpgroup);

  Operation *op;
  Value sums, target;
};
} // namespace

Place Delivery::placeOf(const IndexMath &math, Value warpgroup) {
  Place place;
  if (auto whole = dyn_cast<sm::DeliverOp>(op)) {
    place = {whole.getMap(), SmallVector<Value>(whole.getCoordinates())};
    // Warpgroups divide the columns of transposed sums, else the rows. Where parts of them take turns, each
    // has all of its tile.
    auto type = cast<sm::AccumulatorType>(sums.getType());
    const auto all = static_cast<std::int64_t>(op->getParentOfType<sm::PartitionOp>().getWarpgroups());
    Value within = type.getWarpgroups() == all ? warpgroup : math.remainder(warpgroup, type.getWarpgroups());
    Value &divided = place.coordinates[type.getTransposed() ? 0 : 3];
    divided = math.add(divided, math.multiply(within, sm::warpgroup_rows));
    return place;
  }
  auto parts = cast<sm::DeliverPartsOp>(op);
  const std::int64_t rows = cast<sm::AccumulatorType>(sums.getType()).getRows() / parts.getParts();
  const std::int64_t warpgroups = rows / sm::warpgroup_rows;
  Value part = math.divide(warpgroup, warpgroups);
  place = {parts.getMaps()[0], SmallVector<Value>(parts.getCoordinates().take_front(4))};
  for (unsigned i = 1; i < static_cast<unsigned>(parts.getParts()); ++i) {
    Value here = math.atLeast(part, math.constant(i));
    place.map = math.select(here, parts.getMaps()[i], place.map);
    for (unsigned c = 0; c < 4; ++c)
      place.coordinates[c] = math.select(here, parts.getCoordinates()[4 * i + c], place.coordinates[c]);
  }
  Value within = math.multiply(math.remainder(warpgroup, warpgroups), sm::warpgroup_rows);
  place.coordinates[3] = math.add(place.coordinates[3], within);
  return place;
}

static void lowerDeliver(OpBuilder &builder, Delivery deliver, Value staging) {
  builder.setInsertionPoint(deliver.op);
  Location location = deliver.op->getLoc();
  const IndexMath math(builder, location);
  Value warpgroup = sm::WarpgroupOp::create(builder, location, builder.getIndexType());
  inOneThread(builder, location, [&] { sm::StoreWaitOp::create(builder, location, 0, /*written=*/false); });
  sm::SyncOp::create(builder, location);
  sm::WriteOp::create(builder, location, deliver.sums, staging, warpgroup);
  sm::FenceOp::create(builder, location);
  sm::SyncOp::create(builder, location);
  inOneThread(builder, location, [&] {
    const Place place = deliver.placeOf(math, warpgroup);
    sm::StoreOp::create(builder, location, staging, warpgroup, deliver.target, place.map, place.coordinates);
    sm::StoreCommitOp::create(builder, location);
  });
  deliver.op->erase();
}

/// The delivery through some maps of the smallest part, for which their boxes are.
static const Delivery &smallest(ArrayRef<Delivery> delivers, Value target) {
  const Delivery *least = nullptr;
  auto elements = [](const Delivery &deliver) {
    auto sums = cast<sm::AccumulatorType>(deliver.sums.getType());
    return sums.getRows() * sums.getColumns();
  };
  for (const Delivery &deliver : delivers)
    if (deliver.target == target && (!least || elements(deliver) < elements(*least)))
      least = &deliver;
  return *least;
}

LogicalResult SmLowerEpilogue::lower(sm::KernelOp kernel) {
  SmallVector<Delivery> delivers;
  kernel.walk([&](sm::DeliverOp deliver) {
    // Through plain maps threads write what they hold, and nothing lies in shared memory.
    if (!deliver.getTarget().getType().isPlain())
      delivers.emplace_back(deliver);
  });
  kernel.walk([&](sm::DeliverPartsOp deliver) { delivers.emplace_back(deliver); });
  // What is delivered whole and by parts goes through the same maps.
  constexpr std::ptrdiff_t most_uses = 2;
  for (const Delivery &deliver : delivers) {
    auto partition = deliver.op->getParentOfType<sm::PartitionOp>();
    auto target = dyn_cast<BlockArgument>(deliver.target);
    if (!partition || !target || llvm::range_size(target.getUses()) > most_uses ||
        llvm::any_of(target.getUsers(), [&](Operation *user) {
          return user != deliver.op && !(isa<sm::DeliverOp>(user) && isa<sm::DeliverOp>(deliver.op) &&
                                         user->getParentOfType<sm::PartitionOp>() == partition);
        }))
      return deliver.op->emitOpError("must be the only one to deliver from a partition to its maps, but for "
                                     "one of parts: partition the kernel first");
    if (!cast<sm::MapsType>(target.getType()).getSwizzle())
      return deliver.op->emitOpError(
          "needs to know how its result lies in shared memory: assign swizzles first");
  }

  llvm::SetVector<Operation *> partitions;
  llvm::MapVector<Value, sm::MapsType> boxes;
  for (const Delivery &deliver : delivers) {
    partitions.insert(deliver.op->getParentOfType<sm::PartitionOp>());
    boxes.insert({deliver.target, warpgroupMaps(cast<sm::MapsType>(deliver.target.getType()),
                                                cast<sm::AccumulatorType>(
                                                    smallest(delivers, deliver.target).sums.getType()))});
  }
  OpBuilder builder(kernel.getContext());
  for (const Delivery &deliver : delivers) {
    const auto warpgroups =
        static_cast<std::int64_t>(deliver.op->getParentOfType<sm::PartitionOp>().getWarpgroups());
    auto sums = cast<sm::AccumulatorType>(deliver.sums.getType());
    const sm::MapsType maps = boxes[deliver.target];
    // A slot for each warpgroup, so that none waits for another.
    builder.setInsertionPointToStart(&kernel.getBody().front());
    auto slots = sm::BufferType::get(kernel.getContext(), warpgroups, sums.getRowsOfWarpgroup(),
                                     sums.getColumnsOfWarpgroup(), maps.getElementType(), maps.getSwizzle());
    Value staging = sm::AllocateOp::create(builder, deliver.op->getLoc(), slots);
    Value target = deliver.target;
    target.setType(maps);
    lowerDeliver(builder, deliver, staging);
  }
  for (Operation *partition : partitions) {
    // The block's shared memory must outlive the last store's reading of it.
    builder.setInsertionPointToEnd(&partition->getRegion(0).front());
    Location location = partition->getLoc();
    inOneThread(builder, location, [&] { sm::StoreWaitOp::create(builder, location, 0, /*written=*/false); });
  }
  return success();
}
