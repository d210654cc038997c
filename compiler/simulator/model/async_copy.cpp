// cp.async: copies of up to 16 bytes by one thread, through the generic proxy, in groups or completing on an
// mbarrier.
#include "compiler/simulator/model/mbarrier.h"

#include "compiler/simulator/model/calls.h"

#include <fmt/format.h>

#include <cstring>

namespace simulator {
namespace {

// Copies land in any order; what waits for them counts those before which nothing is missing.
void landed(Multiprocessor &model, Thread &thread, uint32_t number) {
  AsyncCopies &copies = thread.copies;
  copies.done[number - 1] = 1;
  while (copies.landed < copies.issued && copies.done[copies.landed])
    ++copies.landed;
  if (thread.wait.kind == Wait::AsyncGroups)
    model.wake(thread);
}

void arriveAfterCopies(Multiprocessor &model, Thread &thread, int32_t site, Mbarrier &barrier,
                       uint32_t number) {
  model.addEffect(thread, site, [&model, &thread, site, &barrier, number] {
    // Its turn comes again when the copies have landed.
    if (thread.copies.landed < number)
      return arriveAfterCopies(model, thread, site, barrier, number);
    if (thread.copies.agent >= 0)
      barrier.gathering.advance(size_t(thread.copies.agent), number);
    --barrier.in_flight;
    updateMbarrier(model, barrier, 1, 0);
  });
}

} // namespace
} // namespace simulator

using namespace simulator;

extern "C" {

void sm_cp_async(int32_t site, void *destination, const void *source, int32_t bytes, int32_t source_bytes) {
  enter(site, [&](Multiprocessor &model) {
    if (bytes != 4 && bytes != 8 && bytes != 16)
      model.fault(FaultKind::BadCall, fmt::format("cp.async of {} bytes: 4, 8 or 16", bytes));
    if (source_bytes < 0 || source_bytes > bytes)
      model.fault(FaultKind::BadCall, fmt::format("cp.async of {} bytes from {}", bytes, source_bytes));
    const auto to = model.ownShared(destination, bytes, bytes);
    if (reinterpret_cast<uintptr_t>(source) % uint64_t(bytes) != 0)
      model.fault(FaultKind::Misaligned,
                  fmt::format("the source of cp.async is not a multiple of {}", bytes));
    if (source_bytes > 0)
      model.readGlobal(source, source_bytes, "cp.async reads");
    Thread &thread = model.self();
    AsyncCopies &copies = thread.copies;
    if (copies.agent < 0)
      copies.agent = model.newCopyAgent();
    const uint32_t number = ++copies.issued;
    copies.done.push_back(0);
    const AccessRecord writer{number, uint16_t(copies.agent), 0, site};
    auto order = [&](const AccessRecord &record) { return model.orderGeneric(thread, record); };
    model.object(to.block->history.write(to.offset, bytes, writer, order, order), *to.block,
                 "cp.async writes");
    std::memset(to.bytes, 0xff, size_t(bytes));
    model.report.statistics.bytes_loaded += source_bytes;
    model.addEffect(thread, site, [at = to.bytes, source, bytes, source_bytes, &thread, &model, number] {
      std::memcpy(at, source, size_t(source_bytes));
      std::memset(at + source_bytes, 0, size_t(bytes - source_bytes));
      landed(model, thread, number);
    });
  });
}

void sm_cp_async_commit_group(int32_t site) {
  enter(site,
        [](Multiprocessor &model) { model.self().copies.group_ends.push_back(model.self().copies.issued); });
}

void sm_cp_async_wait_group(int32_t site, int32_t pending) {
  enter(site, [&](Multiprocessor &model) {
    if (pending < 0)
      model.fault(FaultKind::BadCall, fmt::format("a wait for all but {} groups", pending));
    Thread &thread = model.self();
    AsyncCopies &copies = thread.copies;
    const size_t groups = copies.group_ends.size();
    if (groups <= size_t(pending))
      return;
    const uint32_t target = copies.group_ends[groups - size_t(pending) - 1];
    while (copies.landed < target)
      model.suspend({Wait::AsyncGroups, nullptr, pending});
    if (copies.agent >= 0)
      thread.clock.advance(size_t(copies.agent), target);
    copies.waited = std::max(copies.waited, target);
  });
}

void sm_cp_async_mbarrier_arrive(int32_t site, void *address, int32_t noinc) {
  enter(site, [&](Multiprocessor &model) {
    Mbarrier &barrier = findMbarrier(model, model.ownShared(address, 8, 8));
    Thread &thread = model.self();
    if (!noinc)
      ++barrier.pending;
    ++barrier.in_flight;
    // Whoever waits for the mbarrier now waits for the copies.
    thread.copies.waited = thread.copies.issued;
    arriveAfterCopies(model, thread, site, barrier, thread.copies.issued);
  });
}

} // extern "C"
