// sm-lower-epilogue: results leave through shared memory, while the next tile is multiplied.
#include "compiler/lower/integer_arithmetic.h"
#include "compiler/targets/hopper/passes.h"
#include "dialects/sm/sm.h"

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
                           maps.getSwizzle(), maps.getVector(), maps.getUnequal(), maps.getListed(),
                           maps.getRun());
}

namespace {
/// Where the rows of a warpgroup go.
struct Place {
  Value map;
  SmallVector<Value> coordinates;
};

/// What the epilogue needs of either kind of store.
struct ResultStore {
  explicit ResultStore(sm::StoreSumsOp op) : op(op), sums(op.getAccumulator()), target(op.getTarget()) {}
  explicit ResultStore(sm::StoreSumsInPartsOp op)
      : op(op), sums(op.getAccumulator()), target(op.getTarget()) {}

  Place placeOf(const IntegerArithmetic &math, Value warpgroup);
  bool isAdded() {
    auto whole = dyn_cast<sm::StoreSumsOp>(op);
    return whole && whole.getAdded();
  }
  bool isOfOnePart() const {
    auto whole = dyn_cast<sm::StoreSumsOp>(op);
    return whole && whole.getByOnePart();
  }
  /// That write sums at the same time: those of the partition, or of the one part that stores.
  int64_t warpgroups() const {
    auto partition = op->getParentOfType<sm::PartitionOp>();
    return isOfOnePart() ? partition.getWarpgroupsOfTurn() : static_cast<int64_t>(partition.getWarpgroups());
  }

  Operation *op;
  Value sums, target;
};
} // namespace

Place ResultStore::placeOf(const IntegerArithmetic &math, Value warpgroup) {
  Place place;
  if (auto whole = dyn_cast<sm::StoreSumsOp>(op)) {
    place = {whole.getMap(), SmallVector<Value>(whole.getCoordinates())};
    // Warpgroups divide the columns of transposed sums, else the rows. Where parts of them take turns, each
    // has all of its tile.
    auto type = cast<sm::AccumulatorType>(sums.getType());
    const auto all = static_cast<int64_t>(op->getParentOfType<sm::PartitionOp>().getWarpgroups());
    Value within = type.getWarpgroups() == all ? warpgroup : math.remainder(warpgroup, type.getWarpgroups());
    const auto rows = static_cast<size_t>(whole.getTarget().getType().getRowDimension());
    Value &divided = place.coordinates[type.getTransposed() ? 0 : rows];
    divided = math.add(divided, math.multiply(within, sm::warpgroup_rows));
    return place;
  }
  auto parts = cast<sm::StoreSumsInPartsOp>(op);
  const int64_t rows = cast<sm::AccumulatorType>(sums.getType()).getRows() / parts.getParts();
  const int64_t warpgroups = rows / sm::warpgroup_rows;
  Value part = math.divide(warpgroup, warpgroups);
  place = {parts.getMaps()[0], SmallVector<Value>(parts.getCoordinates().take_front(4))};
  for (unsigned i = 1; i < static_cast<unsigned>(parts.getParts()); ++i) {
    Value here = math.atLeast(part, i);
    place.map = math.select(here, parts.getMaps()[i], place.map);
    for (unsigned c = 0; c < 4; ++c)
      place.coordinates[c] = math.select(here, parts.getCoordinates()[4 * i + c], place.coordinates[c]);
  }
  Value within = math.multiply(math.remainder(warpgroup, warpgroups), sm::warpgroup_rows);
  place.coordinates[3] = math.add(place.coordinates[3], within);
  return place;
}

static void lowerStoreSums(OpBuilder &builder, ResultStore store_sums, Value staging) {
  builder.setInsertionPoint(store_sums.op);
  Location location = store_sums.op->getLoc();
  const IntegerArithmetic math(builder, location);
  Value warpgroup = sm::WarpgroupOp::create(builder, location, builder.getIndexType());
  Value stage = store_sums.isOfOnePart() ? math.remainder(warpgroup, store_sums.warpgroups()) : warpgroup;
  inOneThread(builder, location, [&] { sm::StoreWaitOp::create(builder, location, 0, /*written=*/false); });
  sm::SyncOp::create(builder, location);
  sm::WriteOp::create(builder, location, store_sums.sums, staging, stage);
  sm::FenceOp::create(builder, location);
  sm::SyncOp::create(builder, location);
  inOneThread(builder, location, [&] {
    const Place place = store_sums.placeOf(math, warpgroup);
    auto store = sm::StoreOp::create(builder, location, staging, stage, store_sums.target, place.map,
                                     place.coordinates);
    store.setAdded(store_sums.isAdded());
    sm::StoreCommitOp::create(builder, location);
  });
  store_sums.op->erase();
}

/// The store through some maps of the smallest part, for which their boxes are.
static const ResultStore &smallest(ArrayRef<ResultStore> result_stores, Value target) {
  const ResultStore *least = nullptr;
  auto elements = [](const ResultStore &store_sums) {
    auto sums = cast<sm::AccumulatorType>(store_sums.sums.getType());
    return sums.getRows() * sums.getColumns();
  };
  for (const ResultStore &store_sums : result_stores)
    if (store_sums.target == target && (!least || elements(store_sums) < elements(*least)))
      least = &store_sums;
  return *least;
}

LogicalResult SmLowerEpilogue::lower(sm::KernelOp kernel) {
  SmallVector<ResultStore> result_stores;
  kernel.walk([&](sm::StoreSumsOp store_sums) {
    // Through plain maps threads write what they hold, and nothing lies in shared memory: so do further
    // results, and sums that are added to a multiple of what dW holds, which the copy engine cannot read.
    if (!store_sums.getTarget().getType().isPlain())
      result_stores.emplace_back(store_sums);
  });
  kernel.walk([&](sm::StoreSumsInPartsOp store_sums) { result_stores.emplace_back(store_sums); });
  // What is stored whole and by parts, or is added and replaces, goes through the same maps.
  for (const ResultStore &store_sums : result_stores) {
    auto partition = store_sums.op->getParentOfType<sm::PartitionOp>();
    auto target = dyn_cast<BlockArgument>(store_sums.target);
    if (!partition || !target || llvm::any_of(target.getUsers(), [&](Operation *user) {
          return user != store_sums.op &&
                 !(isa<sm::StoreSumsOp>(user) && isa<sm::StoreSumsOp>(store_sums.op) &&
                   user->getParentOfType<sm::PartitionOp>() == partition);
        }))
      return store_sums.op->emitOpError("must store from the partition of all that use its maps, and not in "
                                        "parts where others do: partition the kernel first");
    if (!cast<sm::MapsType>(target.getType()).getSwizzle())
      return store_sums.op->emitOpError(
          "needs to know how its result lies in shared memory: assign swizzles first");
  }

  llvm::SetVector<Operation *> partitions;
  llvm::MapVector<Value, sm::MapsType> boxes;
  for (const ResultStore &store_sums : result_stores) {
    partitions.insert(store_sums.op->getParentOfType<sm::PartitionOp>());
    boxes.insert({store_sums.target,
                  warpgroupMaps(
                      cast<sm::MapsType>(store_sums.target.getType()),
                      cast<sm::AccumulatorType>(smallest(result_stores, store_sums.target).sums.getType()))});
  }
  OpBuilder builder(kernel.getContext());
  // One for all stores of such sums through the same maps, of which a tile makes one.
  llvm::MapVector<std::pair<Value, Type>, Value> stagings;
  for (const ResultStore &store_sums : result_stores) {
    const int64_t warpgroups = store_sums.warpgroups();
    auto sums = cast<sm::AccumulatorType>(store_sums.sums.getType());
    const sm::MapsType maps = boxes[store_sums.target];
    Value &staging = stagings[{store_sums.target, sums}];
    if (!staging) {
      // A stage for each warpgroup, so that none waits for another.
      builder.setInsertionPointToStart(&kernel.getBody().front());
      auto stages =
          sm::BufferType::get(kernel.getContext(), warpgroups, sums.getRowsOfWarpgroup(),
                              sums.getColumnsOfWarpgroup(), maps.getElementType(), maps.getSwizzle());
      staging = sm::AllocateOp::create(builder, store_sums.op->getLoc(), stages);
    }
    Value target = store_sums.target;
    target.setType(maps);
    lowerStoreSums(builder, store_sums, staging);
  }
  for (Operation *partition : partitions) {
    // The block's shared memory must outlive the last store's reading of it.
    builder.setInsertionPointToEnd(&partition->getRegion(0).front());
    Location location = partition->getLoc();
    inOneThread(builder, location, [&] { sm::StoreWaitOp::create(builder, location, 0, /*written=*/false); });
  }
  return success();
}
