// Addresses, and the order of accesses to shared and global memory.
#include "compiler/simulator/model/multiprocessor.h"

#include "compiler/simulator/model/calls.h"

#include <fmt/format.h>
#include <limits>

namespace simulator {

// ---- clocks
// -------------------------------------------------------------------------------------------------------

Order Multiprocessor::orderGeneric(const Thread &thread, const AccessRecord &record) const {
  // What threads of other blocks did is seen at the scope of the cluster only.
  const bool elsewhere = record.agent < threads.size() && threads[record.agent].block != thread.block;
  const uint32_t known = elsewhere ? thread.clock.seen(record.agent) : thread.clock[record.agent];
  return known >= record.epoch ? Order::Ordered : Order::Unordered;
}

Order Multiprocessor::orderAsync(const Thread &thread, const AccessRecord &record) const {
  if (thread.clock[record.agent] < record.epoch)
    return Order::Unordered;
  if (record.agent < threads.size()) {
    // Visible from the writer's first fence after the write on.
    const std::vector<uint32_t> &fences = threads[record.agent].proxy_fences;
    auto fence = std::lower_bound(fences.begin(), fences.end(), record.epoch);
    return fence != fences.end() && thread.clock[record.agent] >= *fence ? Order::Ordered : Order::NotFenced;
  }
  if (record.agent < is_copy_agent_.size() && is_copy_agent_[record.agent])
    return thread.clock[record.agent + 1u] >= record.epoch ? Order::Ordered : Order::NotFenced;
  return Order::Ordered;
}

void Multiprocessor::release(Thread &thread, Clock &into, bool order_alone) {
  if (order_alone)
    into.gatherOrder(thread.clock);
  else
    into.gather(thread.clock);
  thread.clock.advance(size_t(thread.index), ++thread.time);
}

int32_t Multiprocessor::newAgent() {
  if (next_agent_ > std::numeric_limits<decltype(AccessRecord::agent)>::max())
    fault(FaultKind::Endless,
          fmt::format("the simulator tells at most {} threads and copies of a cluster apart", next_agent_));
  return next_agent_++;
}

AccessRecord Multiprocessor::recordOf(const Thread &thread) const {
  return {thread.time, uint16_t(thread.index), 0, thread.site};
}

void Multiprocessor::fenceProxy(Thread &thread) {
  thread.proxy_fences.push_back(thread.time);
  thread.clock.advance(size_t(thread.index), ++thread.time);
  for (int32_t agent : copy_agents_)
    thread.clock.advance(size_t(agent) + 1, thread.clock[size_t(agent)]);
}

int32_t Multiprocessor::newCopyAgent() {
  const int32_t agent = newAgent();
  newAgent();
  copy_agents_.push_back(agent);
  is_copy_agent_.resize(size_t(agent) + 1, 0);
  is_copy_agent_[size_t(agent)] = 1;
  return agent;
}

// ---- shared memory
// --------------------------------------------------------------------------------------------------

bool Multiprocessor::inSharedWindow(const void *address) const {
  const auto *at = static_cast<const uint8_t *>(address);
  return at >= window_ && at < window_ + window_bytes_;
}

Multiprocessor::Shared Multiprocessor::shared(const void *address, int64_t bytes, int64_t alignment,
                                              bool note_access) {
  if (!inSharedWindow(address))
    fault(FaultKind::OutOfBounds,
          fmt::format("{:#x} is not a shared memory address", reinterpret_cast<uintptr_t>(address)));
  const int64_t at = static_cast<const uint8_t *>(address) - window_;
  const int64_t offset = at % slot_bytes;
  Block &block = *blocks[size_t(at / slot_bytes)];
  if (offset < shared_start || offset + bytes > shared_start + launch.shared_bytes)
    fault(FaultKind::OutOfBounds,
          fmt::format("bytes {} to {} of shared memory, of which the block has {}", offset - shared_start,
                      offset - shared_start + bytes, launch.shared_bytes));
  if (offset % alignment != 0)
    fault(FaultKind::Misaligned,
          fmt::format("shared memory offset {} is not a multiple of {}", offset - shared_start, alignment));
  if (block.live == 0)
    fault(FaultKind::ClusterLifetime,
          fmt::format("shared memory of block {}, which has exited", block.number));
  if (note_access && running_ && running_->block != &block)
    noteRemote(block);
  return {&block, offset, block.slot + offset};
}

Multiprocessor::Shared Multiprocessor::ownShared(const void *address, int64_t bytes, int64_t alignment) {
  Shared where = shared(address, bytes, alignment);
  if (where.block != self().block)
    fault(FaultKind::OutOfBounds,
          "the instruction reaches the block's own shared memory only, and the address is of "
          "another block of the cluster");
  return where;
}

void Multiprocessor::noteRemote(Block &block) { block.remote[self().index] = recordOf(self()); }

void Multiprocessor::readShared(const Shared &where, int64_t bytes) {
  Thread &thread = self();
  object(where.block->history.read(where.offset, bytes, recordOf(thread),
                                   [&](const AccessRecord &write) { return orderGeneric(thread, write); }),
         *where.block, "reads");
}

void Multiprocessor::writeShared(const Shared &where, int64_t bytes) {
  Thread &thread = self();
  auto order = [&](const AccessRecord &record) { return orderGeneric(thread, record); };
  object(where.block->history.write(where.offset, bytes, recordOf(thread), order, order), *where.block,
         "writes");
}

void Multiprocessor::atomicShared(const Shared &where, int64_t bytes) {
  Thread &thread = self();
  const auto site = size_t(std::max(thread.site, 0));
  if (site >= is_atomic_site_.size())
    is_atomic_site_.resize(site + 1, 0);
  is_atomic_site_[site] = 1;
  auto is_update = [&](const AccessRecord &record) {
    return size_t(record.site) < is_atomic_site_.size() && is_atomic_site_[size_t(record.site)];
  };
  // Atomics do not race with each other, whatever their order.
  auto order = [&](const AccessRecord &record) {
    return is_update(record) ? Order::Ordered : orderGeneric(thread, record);
  };
  object(where.block->history.update(where.offset, bytes, recordOf(thread), order, is_update), *where.block,
         "updates");
}

void Multiprocessor::object(const Conflict &conflict, const Block &block, const char *action) {
  if (!conflict)
    return;
  const std::string where = fmt::format("{} byte {} of shared memory of block {}", action,
                                        conflict.offset - shared_start, block.number);
  const bool by_thread = conflict.other.agent < threads.size();
  switch (conflict.kind) {
  case Conflict::None:
    return;
  case Conflict::NeverWritten:
    fault(FaultKind::NeverWritten, where + ", which nothing has written");
  case Conflict::OnMbarrier:
    fault(FaultKind::Mbarrier, where + ", which belongs to an mbarrier");
  case Conflict::NotFenced:
    fault(FaultKind::MissingProxyFence,
          fmt::format("{}, written through the generic proxy at site {}, and the writer's fence.proxy.async "
                      "between the "
                      "two is missing",
                      where, conflict.other.site),
          conflict.other.site);
  case Conflict::WithWrite:
    fault(FaultKind::Race,
          fmt::format("{}, not ordered after the {} at site {}", where,
                      by_thread ? "write" : "asynchronous write", conflict.other.site),
          conflict.other.site);
  case Conflict::WithRead:
    fault(by_thread ? FaultKind::Race : FaultKind::Overwrite,
          fmt::format("{}, which the {} at site {} may still have to read", where,
                      by_thread ? "thread" : "asynchronous operation", conflict.other.site),
          conflict.other.site);
  }
}

// ---- global memory
// --------------------------------------------------------------------------------------------------

GlobalRegion &Multiprocessor::global(const void *address, int64_t bytes, const char *action) {
  GlobalRegion *region = memory.find(address, bytes);
  if (!region)
    fault(FaultKind::OutOfBounds, fmt::format("{} {} bytes at {:#x}, which are in no global region", action,
                                              bytes, reinterpret_cast<uintptr_t>(address)));
  if (launch.dependent_launch && !region->independent &&
      std::none_of(dependent_waits_.begin(), dependent_waits_.end(),
                   [&](const AccessRecord &wait) { return self().clock[wait.agent] >= wait.epoch; }))
    fault(FaultKind::DependentLaunch,
          fmt::format("{} '{}', which the grid before may still write: no griddepcontrol.wait before it",
                      action, region->name));
  return *region;
}

void Multiprocessor::readGlobal(const void *address, int64_t bytes, const char *action) {
  GlobalRegion &region = global(address, bytes, action);
  if (region.writer.empty())
    return;
  const uint32_t me = writerNumber();
  const int64_t first = static_cast<const uint8_t *>(address) - region.base;
  for (int64_t byte = first; byte < first + bytes; ++byte) {
    const uint32_t writer = region.writer[size_t(byte)];
    if (writer == 0 && region.access == Access::Write)
      fault(FaultKind::NeverWritten,
            fmt::format("{} byte {} of '{}', which nothing has written", action, byte, region.name));
    if (writer != 0 && writer != me)
      fault(FaultKind::GlobalConflict,
            fmt::format("{} byte {} of '{}', which another thread or a bulk store of this launch wrote",
                        action, byte, region.name));
  }
}

void Multiprocessor::readGlobalByCopy(const void *address, int64_t bytes) {
  GlobalRegion &region = global(address, bytes, "a bulk copy reads");
  if (region.writer.empty())
    return;
  const int64_t first = static_cast<const uint8_t *>(address) - region.base;
  for (int64_t byte = first; byte < first + bytes; ++byte) {
    if (region.writer[size_t(byte)] != 0)
      fault(FaultKind::GlobalConflict,
            fmt::format("a bulk copy reads byte {} of '{}', which this launch writes", byte, region.name));
    if (region.access == Access::Write)
      fault(FaultKind::NeverWritten,
            fmt::format("a bulk copy reads byte {} of '{}', which nothing has written", byte, region.name));
  }
}

void Multiprocessor::writeGlobal(const void *address, int64_t bytes, const char *action, bool bulk) {
  GlobalRegion &region = global(address, bytes, action);
  const int64_t first = static_cast<const uint8_t *>(address) - region.base;
  if (region.access == Access::Read)
    fault(FaultKind::OutOfBounds, fmt::format("{} '{}', an input", action, region.name));
  const uint32_t me = writerNumber();
  for (int64_t byte = first; byte < first + bytes; ++byte) {
    uint32_t &writer = region.writer[size_t(byte)];
    if (writer != 0 && (bulk || writer != me))
      fault(FaultKind::GlobalConflict,
            fmt::format("{} byte {} of '{}', which this launch has written before{}", action, byte,
                        region.name, bulk ? "" : ", by another thread or a bulk store"));
    report.statistics.bytes_written += writer == 0 ? 1 : 0;
    writer = bulk ? bulk_writer : me;
  }
}

uint32_t Multiprocessor::writerNumber() const {
  return uint32_t(1 + running_->block->number * launch.threads + running_->in_block);
}

void Multiprocessor::noteDependentWait(Thread &thread) { dependent_waits_.push_back(recordOf(thread)); }

} // namespace simulator

using namespace simulator;

namespace {
// The thread's stack, and with it what the host compiler spills there.
bool onOwnStack(const Thread &thread, const void *address) {
  const auto *at = static_cast<const uint8_t *>(address);
  return at >= thread.fiber.lowest() && at < thread.fiber.highest();
}

void checkSize(Multiprocessor &model, const void *address, int64_t bytes) {
  if (bytes <= 0)
    model.fault(FaultKind::BadCall, fmt::format("an access of {} bytes", bytes));
  // Vectors are naturally aligned on the device; other sizes are structs, taken apart there.
  if (bytes <= 16 && (bytes & (bytes - 1)) == 0 &&
      reinterpret_cast<uintptr_t>(address) % uint64_t(bytes) != 0)
    model.fault(FaultKind::Misaligned,
                fmt::format("an access of {} bytes at {:#x}", bytes, reinterpret_cast<uintptr_t>(address)));
}
} // namespace

/// Whether it goes to memory that others may see.
static bool checkWrite(Multiprocessor &model, const void *address, int64_t bytes) {
  checkSize(model, address, bytes);
  if (model.inSharedWindow(address))
    model.writeShared(model.shared(address, bytes, 1), bytes);
  else if (!onOwnStack(model.self(), address))
    model.writeGlobal(address, bytes, "writes", false);
  else
    return false;
  return true;
}

extern "C" {

void sm_read(int32_t site, const void *address, int64_t bytes) {
  enter(site, [&](Multiprocessor &model) {
    checkSize(model, address, bytes);
    if (model.inSharedWindow(address))
      model.readShared(model.shared(address, bytes, 1), bytes);
    else if (!onOwnStack(model.self(), address))
      model.readGlobal(address, bytes, "reads");
  });
}

void sm_write(int32_t site, const void *address, int64_t bytes) {
  enter(site, [&](Multiprocessor &model) {
    if (!checkWrite(model, address, bytes))
      return;
    Thread &thread = model.self();
    thread.stored_at = static_cast<const uint8_t *>(address);
    thread.stored_bytes = bytes;
    thread.stored_site = site;
  });
}

void sm_write_f64(int32_t site, const void *address, int64_t bytes) {
  enter(site, [&](Multiprocessor &model) { checkWrite(model, address, bytes); });
}

void sm_atomic(int32_t site, const void *address, int64_t bytes) {
  enter(site, [&](Multiprocessor &model) {
    checkSize(model, address, bytes);
    if (model.inSharedWindow(address)) {
      Multiprocessor::Shared where = model.shared(address, bytes, bytes);
      model.atomicShared(where, bytes);
      return;
    }
    GlobalRegion &region = model.global(address, bytes, "updates");
    if (region.access != Access::ReadWrite)
      model.fault(FaultKind::OutOfBounds,
                  fmt::format("an atomic update of '{}', which is not for reading and writing", region.name));
    const int64_t first = static_cast<const uint8_t *>(address) - region.base;
    for (int64_t byte = first; byte < first + bytes; ++byte) {
      uint32_t &writer = region.writer[size_t(byte)];
      if (writer != 0 && writer != Multiprocessor::atomic_writer)
        model.fault(
            FaultKind::GlobalConflict,
            fmt::format("updates byte {} of '{}', which a plain or bulk store wrote", byte, region.name));
      model.report.statistics.bytes_written += writer == 0 ? 1 : 0;
      writer = Multiprocessor::atomic_writer;
    }
  });
}

} // extern "C"
