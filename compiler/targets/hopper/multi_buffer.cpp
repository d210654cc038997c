// sm-multi-buffer: the channel becomes a ring of slots in shared memory.
#include "compiler/schedule/staged.h"
#include "compiler/targets/hopper/part_steps.h"
#include "compiler/targets/hopper/passes.h"
#include "compiler/targets/thread_block/block_product.h"
#include "compiler/targets/thread_block/index_math.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace compiler {
#define GEN_PASS_DEF_SMMULTIBUFFER
#include "compiler/targets/hopper/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

struct SmMultiBuffer : compiler::impl::SmMultiBufferBase<SmMultiBuffer> {
  using SmMultiBufferBase::SmMultiBufferBase;

  void runOnOperation() override {
    for (sm::KernelOp kernel : getOperation().getOps<sm::KernelOp>())
      for (sm::ChannelOp channel : llvm::make_early_inc_range(kernel.getBody().getOps<sm::ChannelOp>()))
        if (failed(lower(kernel, channel)))
          return signalPassFailure();
  }

private:
  LogicalResult lower(sm::KernelOp kernel, sm::ChannelOp channel);
  FailureOr<std::int64_t> chooseSlots(sm::KernelOp kernel, sm::ChannelOp channel);
};

/// Where a role stands in the ring.
struct Place {
  Value slot;   ///< the next one
  Value parity; ///< of the wait for it
};

/// Takes one role's side of a channel to the ring.
class RingSide {
public:
  RingSide(Value channel, Value ring, std::int64_t slots, ArrayRef<Value> buffers)
      : builder(channel.getContext()), channel(channel), ring(ring), slots(slots), buffers(buffers) {}

  /// Goes through a block that is entered at `place` and returns the place at its end.
  Place walk(Block &block, Place place);
  /// The block's beginning, with a parity to start from.
  Place start(Block &block, std::int32_t parity);

private:
  bool concerns(Operation *op);
  Place throughLoop(scf::ForOp loop, Place place);
  Place throughBranch(scf::IfOp branch, Place place);
  Place advance(Location location, Place place);
  Place advanceBy(sm::SkipOp skip, Place place);
  void fill(sm::PutOp put, Place place);
  void drain(sm::TakeOp take, Place place);
  void keep(sm::TakeOp take, Place place);

  OpBuilder builder;
  Value channel, ring;
  std::int64_t slots;
  ArrayRef<Value> buffers;
};

} // namespace

bool RingSide::concerns(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        return llvm::is_contained(inner->getOperands(), channel) ? WalkResult::interrupt()
                                                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

Place RingSide::start(Block &block, std::int32_t parity) {
  builder.setInsertionPointToStart(&block);
  Location location = channel.getLoc();
  return {arith::ConstantIndexOp::create(builder, location, 0),
          arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(parity))};
}

Place RingSide::walk(Block &block, Place place) {
  SmallVector<Operation *> concerned;
  for (Operation &op : block)
    if (concerns(&op))
      concerned.push_back(&op);
  for (Operation *op : concerned) {
    // The last step of a put or a take is that the ring advances.
    const bool ends = isa<sm::PutOp, sm::TakeOp, sm::SkipOp>(op);
    place = TypeSwitch<Operation *, Place>(op)
                .Case([&](scf::ForOp loop) { return throughLoop(loop, place); })
                .Case([&](scf::IfOp branch) { return throughBranch(branch, place); })
                .Case([&](sm::PutOp put) {
                  fill(put, place);
                  return advance(put.getLoc(), place);
                })
                .Case([&](sm::SkipOp skip) { return advanceBy(skip, place); })
                .Case([&](sm::TakeOp take) {
                  take.getBlocks().size() == 1 ? keep(take, place) : drain(take, place);
                  return advance(take.getLoc(), place);
                });
    if (ends)
      op->erase();
  }
  return place;
}

/// The loop carries the place along.
Place RingSide::throughLoop(scf::ForOp loop, Place place) {
  builder.setInsertionPoint(loop);
  SmallVector<Value> inits(loop.getInitArgs());
  inits.append({place.slot, place.parity});
  auto longer = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                   loop.getStep(), inits);
  longer.getRegion().takeBody(loop.getRegion());
  Block &body = *longer.getBody();
  Place inner = {body.addArgument(place.slot.getType(), loop.getLoc()),
                 body.addArgument(place.parity.getType(), loop.getLoc())};
  inner = walk(body, inner);
  body.getTerminator()->insertOperands(body.getTerminator()->getNumOperands(), {inner.slot, inner.parity});
  loop->replaceAllUsesWith(longer.getResults().drop_back(2));
  loop.erase();
  return {longer.getResults().end()[-2], longer.getResults().end()[-1]};
}

/// The branch hands on the place, moved or not.
Place RingSide::throughBranch(scf::IfOp branch, Place place) {
  builder.setInsertionPoint(branch);
  SmallVector<Type> types(branch.getResultTypes());
  types.append({place.slot.getType(), place.parity.getType()});
  auto longer =
      scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition(), /*addThenBlock=*/false,
                        /*addElseBlock=*/false);
  longer.getThenRegion().takeBody(branch.getThenRegion());
  longer.getElseRegion().takeBody(branch.getElseRegion());
  if (longer.getElseRegion().empty()) {
    builder.setInsertionPointToEnd(&longer.getElseRegion().emplaceBlock());
    scf::YieldOp::create(builder, branch.getLoc());
  }
  for (Region *region : {&longer.getThenRegion(), &longer.getElseRegion()}) {
    Place inner = walk(region->front(), place);
    Operation *yield = region->front().getTerminator();
    yield->insertOperands(yield->getNumOperands(), {inner.slot, inner.parity});
  }
  branch->replaceAllUsesWith(longer.getResults().drop_back(2));
  branch.erase();
  return {longer.getResults().end()[-2], longer.getResults().end()[-1]};
}

/// The next slot; behind the last one comes the first, with the other parity.
Place RingSide::advance(Location location, Place place) {
  const IndexMath math(builder, location);
  Value next = math.add(place.slot, 1);
  Value wraps = math.equal(next, math.constant(slots));
  Value flip = arith::ExtUIOp::create(builder, location, builder.getI32Type(), wraps);
  return {math.select(wraps, math.constant(0), next),
          arith::XOrIOp::create(builder, location, place.parity, flip)};
}

/// So many slots further; every time that the last one is passed, the parity changes.
Place RingSide::advanceBy(sm::SkipOp skip, Place place) {
  builder.setInsertionPoint(skip);
  Location location = skip.getLoc();
  const IndexMath math(builder, location);
  Value sum = math.add(place.slot, skip.getCount());
  Value passes = arith::IndexCastOp::create(builder, location, builder.getI32Type(),
                                            math.remainder(math.divide(sum, slots), 2));
  return {math.remainder(sum, slots), arith::XOrIOp::create(builder, location, place.parity, passes)};
}

/// They stay until the end of the block that takes them. The builder stands behind it afterwards.
void RingSide::keep(sm::TakeOp take, Place place) {
  builder.setInsertionPoint(take);
  sm::AwaitOp::create(builder, take.getLoc(), ring, place.slot, place.parity);
  auto multiply = cast<sm::MultiplyOp>(*take.getBlocks()[0].user_begin());
  multiply.getHeldMutable().assign(buffers[0]);
  Block *block = take->getBlock();
  if (block->mightHaveTerminator())
    builder.setInsertionPoint(block->getTerminator());
  else
    builder.setInsertionPointToEnd(block);
  sm::GiveBackOp::create(builder, take.getLoc(), ring, place.slot);
}

/// Fetches go into the slot. The builder stands behind the put afterwards.
void RingSide::fill(sm::PutOp put, Place place) {
  SmallVector<Operation *> fetches;
  for (Value block : put.getBlocks())
    fetches.push_back(block.getDefiningOp());
  builder.setInsertionPoint(put);
  // Ahead of all of it: how many bytes come is announced before the first load.
  SmallVector<Value> fetched;
  if (auto parts = dyn_cast<sm::FetchPartsOp>(fetches[0]))
    fetched = fetchedParts(builder, parts);
  sm::AcquireOp::create(builder, put.getLoc(), ring, place.slot, place.parity);
  put->setOperands(channel);
  for (auto [op, buffer] : llvm::zip_equal(fetches, buffers)) {
    if (auto rows = dyn_cast<sm::HoldOp>(op)) {
      loadPieces(builder, rows, buffer);
    } else if (auto parts = dyn_cast<sm::FetchPartsOp>(op)) {
      loadParts(builder, parts, fetched, buffer, place.slot);
    } else {
      auto fetch = cast<sm::FetchOp>(op);
      sm::LoadOp::create(builder, fetch.getLoc(), fetch.getSource(), fetch.getMap(), fetch.getCoordinates(),
                         buffer, place.slot, fetch.getPart(), fetch.getPartsAttr(), fetch.getMask(), Value(),
                         Value(), IntegerAttr(), Value());
    }
    op->erase();
  }
  sm::PublishOp::create(builder, put.getLoc(), ring, place.slot);
}

/// Products come from the slot. The builder stands behind them afterwards.
void RingSide::drain(sm::TakeOp take, Place place) {
  const SmallVector<sm::MultiplyOp, 2> multiplies = productsOf(take.getBlocks());
  sm::MultiplyOp first = multiplies.front();
  builder.setInsertionPoint(multiplies.back());
  Location location = first.getLoc();
  sm::AwaitOp::create(builder, take.getLoc(), ring, place.slot, place.parity);
  // Sign and depth are part of the instructions, so that there is a product for each that may be wanted. All
  // of a step stand beside each other: they are one group of instructions.
  auto productsFrom = [&](Value a, Value a_slot, bool negate, IntegerAttr depth) {
    SmallVector<Value> sums;
    for (sm::MultiplyOp multiply : multiplies) {
      Value buffer = buffers[cast<OpResult>(multiply.getB()).getResultNumber()];
      auto mma = sm::MmaOp::create(builder, location, multiply.getResult().getType(), a, a_slot, buffer,
                                   place.slot, multiply.getAccumulator(), negate);
      mma.setDepthAttr(depth);
      mma.setATransposed(multiply.getATransposed());
      mma.setBTransposed(multiply.getBTransposed());
      sums.push_back(mma);
    }
    return sums;
  };
  auto ofAnyDepth = [&](llvm::function_ref<SmallVector<Value>(IntegerAttr)> products) {
    return chooseProducts(
        builder, location, first.getShallow(), [&] { return products(first.getShallowDepthAttr()); },
        [&] { return products(IntegerAttr()); });
  };
  auto products = [&] {
    return ofAnyDepth([&](IntegerAttr depth) {
      return chooseProducts(
          builder, location, first.getNegate(),
          [&] { return productsFrom(buffers[0], place.slot, true, depth); },
          [&] { return productsFrom(buffers[0], place.slot, false, depth); });
    });
  };
  auto own = [&] {
    return ofAnyDepth(
        [&](IntegerAttr depth) { return productsFrom(first.getHeld(), first.getPiece(), false, depth); });
  };
  SmallVector<Value> sums;
  if (first.getPart())
    sums = {productOfPart(builder, first, [&] { return products().front(); }, [&] { return own().front(); })};
  else
    sums = products();
  auto release = sm::ReleaseOp::create(builder, location, ring, place.slot);
  for (auto [multiply, sum] : llvm::zip_equal(multiplies, sums)) {
    sm::MultiplyOp done = multiply;
    done.replaceAllUsesWith(sum);
    done.erase();
  }
  builder.setInsertionPointAfter(release);
}

/// Whether it passes rows that stay, alone.
static bool isHeld(sm::ChannelOp channel) { return channel.getChannel().getType().getBlocks().size() == 1; }

/// A put of blocks that were fetched beside it, or a take whose blocks are multiplied beside it.
static LogicalResult checkEnds(sm::ChannelOp channel) {
  for (Operation *user : channel.getChannel().getUsers()) {
    if (auto put = dyn_cast<sm::PutOp>(user)) {
      for (Value block : put.getBlocks()) {
        Operation *fetch = block.getDefiningOp();
        if (!isa_and_nonnull<sm::FetchOp, sm::FetchPartsOp, sm::HoldOp>(fetch) ||
            fetch->getBlock() != put->getBlock() || !block.hasOneUse())
          return put.emitOpError("must pass blocks that are fetched beside it and used nowhere else");
      }
    } else if (auto take = dyn_cast<sm::TakeOp>(user); take && isHeld(channel)) {
      auto multiply = take.getBlocks()[0].hasOneUse()
                          ? dyn_cast<sm::MultiplyOp>(*take.getBlocks()[0].user_begin())
                          : sm::MultiplyOp();
      if (!multiply || multiply.getHeld() != take.getBlocks()[0])
        return take.emitOpError("must take rows that are held for one product, and nothing else");
    } else if (take) {
      const SmallVector<sm::MultiplyOp, 2> multiplies = productsOf(take.getBlocks());
      if (multiplies.empty() || multiplies.front()->getBlock() != take->getBlock())
        return take.emitOpError(
            "must take a block of rows and one of each bank, which are multiplied beside it, "
            "and nothing else");
    }
  }
  return success();
}

static std::int64_t alignedSlotBytes(std::int64_t rows, std::int64_t columns, Type element) {
  constexpr std::int64_t slot_alignment = 1024;
  return static_cast<std::int64_t>(
      llvm::alignTo(rows * columns * (element.getIntOrFloatBitWidth() / 8), slot_alignment));
}

FailureOr<std::int64_t> SmMultiBuffer::chooseSlots(sm::KernelOp kernel, sm::ChannelOp channel) {
  std::int64_t taken = 0, slot = 0;
  for (auto allocate : kernel.getBody().getOps<sm::AllocateOp>()) {
    sm::BufferType type = allocate.getBuffer().getType();
    taken += type.getSlots() * alignedSlotBytes(type.getRows(), type.getColumns(), type.getElementType());
  }
  for (auto allocate : kernel.getBody().getOps<sm::AllocateExchangeOp>())
    taken += allocate.getExchange().getType().getBytes();
  for (Type passed : channel.getChannel().getType().getBlocks()) {
    auto block = cast<sm::BlockType>(passed);
    slot += alignedSlotBytes(block.getRows(), block.getColumns(), block.getElementType());
  }
  const std::int64_t fit = std::min(
      most_stages, std::max<std::int64_t>(0, (hopper_shared_bytes - reserved_shared_bytes - taken) / slot));
  auto schedule = dyn_cast<tile::StagedAttr>(kernel.getSchedule());
  const std::int64_t wanted = stages ? stages.getValue() : schedule ? schedule.getStages() : 0;
  const std::int64_t slots = wanted ? wanted : fit;
  // A slot is released one step after its product was issued.
  if (slots < 2)
    return channel.emitOpError("needs at least 2 slots of ")
           << slot << " bytes; " << (wanted ? wanted : fit)
           << (wanted ? " are asked for" : " fit shared memory");
  if (slots > fit)
    return channel.emitOpError("cannot have ") << slots << " slots of " << slot << " bytes: beside " << taken
                                               << " bytes for the result, " << fit << " fit shared memory";
  return slots;
}

/// Columns of the boxes of X.
static std::int64_t pieceColumns(sm::KernelOp kernel) {
  return cast<sm::MapsType>(kernel.getBody().getArgument(0).getType()).getColumns();
}

LogicalResult SmMultiBuffer::lower(sm::KernelOp kernel, sm::ChannelOp channel) {
  if (failed(checkEnds(channel)))
    return failure();
  for (Type passed : channel.getChannel().getType().getBlocks())
    if (!cast<sm::BlockType>(passed).getSwizzle())
      return channel.emitOpError(
          "passes blocks that do not know how they lie in shared memory: assign swizzles first");
  FailureOr<std::int64_t> slots = isHeld(channel) ? FailureOr<std::int64_t>(1) : chooseSlots(kernel, channel);
  if (failed(slots))
    return failure();
  OpBuilder builder(channel);
  SmallVector<Value> buffers;
  for (Type passed : channel.getChannel().getType().getBlocks()) {
    auto block = cast<sm::BlockType>(passed);
    const std::int64_t columns = isHeld(channel) ? pieceColumns(kernel) : block.getColumns();
    buffers.push_back(sm::AllocateOp::create(
        builder, channel.getLoc(),
        sm::BufferType::get(&getContext(), *slots * (block.getColumns() / columns), block.getRows(), columns,
                            block.getElementType(), block.getSwizzle())));
  }
  Value ring = sm::RingOp::create(builder, channel.getLoc(), sm::RingType::get(&getContext(), *slots));

  for (sm::RoleOp role : kernel.getBody().getOps<sm::RoleOp>()) {
    RingSide side(channel.getChannel(), ring, *slots, buffers);
    const bool loads = role.getKind() == sm::RoleKind::Load;
    // The role that loads runs in one thread, which carries the place.
    Block *block = &role.getBody().front();
    if (loads) {
      sm::ElectOp around;
      role.walk([&](sm::PutOp put) { around = put->getParentOfType<sm::ElectOp>(); });
      if (!around)
        continue;
      block = &around.getBody().front();
    }
    // The first fill of a slot waits for the phase before its barrier's first, with parity 1, which counts as
    // completed.
    side.walk(*block, side.start(*block, loads ? 1 : 0));
  }
  channel.erase();
  return success();
}
