// Bulk copies between global and shared memory: whole tensors' boxes and plain runs of bytes.
#include "compiler/simulator/model/mbarrier.h"

#include "compiler/simulator/model/calls.h"
#include "compiler/simulator/model/swizzle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace simulator {
namespace {

// A box of a tensor at given coordinates.
struct Box {
  TensorMap map;
  int32_t at[5];
};

Box boxOf(Multiprocessor &model, const void *pointer, int32_t rank,
          std::initializer_list<int32_t> coordinates) {
  if (reinterpret_cast<uintptr_t>(pointer) % 64 != 0)
    model.fault(FaultKind::Misaligned, "a tensor map is aligned to 64 bytes");
  Box box;
  std::memcpy(&box.map, pointer, sizeof box.map);
  if (!isTensorMap(box.map))
    model.fault(FaultKind::BadTensorMap, "the operand is not a tensor map");
  if (rank != box.map.rank)
    model.fault(FaultKind::BadTensorMap,
                fmt::format("a copy of rank {} with a map of rank {}", rank, box.map.rank));
  std::copy(coordinates.begin(), coordinates.end(), box.at);
  return box;
}

void checkPitch(Multiprocessor &model, const TensorMap &map) {
  const int64_t inner = map.box[0] * bytesOf(map.element), span = spanOf(map.swizzle);
  if (span != 0 && inner != span)
    model.fault(
        FaultKind::BadTensorMap,
        fmt::format(
            "a box of {} bytes in a swizzle of {}: how its rows lie is not documented, and not modelled",
            inner, span));
  if (map.element_strides[0] != 1)
    model.fault(FaultKind::BadTensorMap, "an element stride in the innermost dimension is not modelled");
}

// Calls visit(offset in the box's image in bytes, row of the tensor, first byte of the row that exists, bytes
// that exist) for each row of the box; `row` points at the first byte of the box's row, which need not exist.
template <class Visit> void forEachRow(const Box &box, Visit visit) {
  const TensorMap &map = box.map;
  const int64_t size = bytesOf(map.element), inner = map.box[0] * size;
  int64_t steps[5] = {1, 1, 1, 1, 1};
  for (int dimension = 1; dimension < map.rank; ++dimension)
    steps[dimension] =
        (map.box[dimension] + map.element_strides[dimension] - 1) / map.element_strides[dimension];
  const int64_t begin = std::clamp<int64_t>(-int64_t(box.at[0]), 0, map.box[0]);
  const int64_t end = std::clamp<int64_t>(int64_t(map.extent(0)) - box.at[0], begin, map.box[0]);
  int64_t image = 0, index[5] = {};
  for (;;) {
    int64_t offset = int64_t(box.at[0]) * size;
    bool exists = true;
    for (int dimension = 1; dimension < map.rank; ++dimension) {
      const int64_t coordinate =
          int64_t(box.at[dimension]) + index[dimension] * map.element_strides[dimension];
      exists &= coordinate >= 0 && coordinate < int64_t(map.extent(dimension));
      offset += coordinate * int64_t(map.strides[dimension - 1]);
    }
    const uintptr_t row = uintptr_t(map.base) + uintptr_t(offset);
    visit(image, row, begin * size, exists ? (end - begin) * size : 0);
    image += inner;
    int dimension = 1;
    while (dimension < map.rank && ++index[dimension] == steps[dimension])
      index[dimension++] = 0;
    if (dimension >= map.rank)
      return;
  }
}

// In pieces that the swizzle keeps together.
template <class Copy> void forEachChunk(int64_t first, int64_t bytes, Swizzle swizzle, Copy copy) {
  if (swizzle == Swizzle::None)
    return copy(first, 0, bytes);
  for (int64_t done = 0; done < bytes;) {
    const int64_t at = first + done, piece = std::min(bytes - done, 16 - at % 16);
    copy(swizzled(at, swizzle), done, piece);
    done += piece;
  }
}

void loadBox(const Box &box, uint8_t *slot, int64_t destination) {
  const int64_t inner = box.map.box[0] * bytesOf(box.map.element);
  forEachRow(box, [&](int64_t image, uintptr_t row, int64_t from, int64_t bytes) {
    auto fill = [&](int64_t begin, int64_t end, bool exists) {
      if (begin < end)
        forEachChunk(destination + image + begin, end - begin, box.map.swizzle,
                     [&](int64_t at, int64_t done, int64_t piece) {
                       if (exists)
                         std::memcpy(slot + at,
                                     reinterpret_cast<const uint8_t *>(row + uintptr_t(begin + done)),
                                     size_t(piece));
                       else
                         std::memset(slot + at, 0, size_t(piece));
                     });
    };
    fill(0, bytes ? from : inner, false);
    fill(from, from + bytes, true);
    if (bytes)
      fill(from + bytes, inner, false);
  });
}

// One copy into one block: `land` writes the bytes.
template <class Land>
void issueLoad(Multiprocessor &model, Block &block, int64_t destination, int64_t barrier_offset,
               int64_t bytes, Land land) {
  Thread &thread = model.self();
  if (block.live == 0)
    model.fault(FaultKind::ClusterLifetime,
                fmt::format("a copy into block {}, which has exited", block.number));
  Mbarrier &barrier = findMbarrierForAsync(model, {&block, barrier_offset, block.slot + barrier_offset});
  const AccessRecord writer{barrier.phases + 1, uint16_t(barrier.agent), 0, thread.site};
  model.object(block.history.write(
                   destination, bytes, writer,
                   [&](const AccessRecord &record) { return model.orderAsync(thread, record); },
                   [&](const AccessRecord &record) { return model.orderGeneric(thread, record); }),
               block, "a bulk copy writes");
  std::fill_n(block.slot + destination, bytes, uint8_t(0xff));
  ++barrier.in_flight;
  barrier.last_copy_phase = barrier.phases + 1;
  barrier.last_copy_site = thread.site;
  model.report.statistics.bytes_loaded += bytes;
  model.addEffect(thread, thread.site, [&model, &block, &barrier, bytes, land] {
    if (block.live == 0)
      model.fault(
          FaultKind::PendingAtExit,
          fmt::format("a copy lands in block {}, which has exited: nobody waited for it", block.number));
    land(block.slot);
    --barrier.in_flight;
    updateMbarrier(model, barrier, 0, -bytes);
  });
}

// The copies of one instruction, to this block or to those of a multicast mask.
template <class Land>
void issueLoads(Multiprocessor &model, void *destination, int64_t alignment, void *barrier, int64_t bytes,
                int32_t multicast, bool own_only, Land land) {
  const auto to = own_only || multicast != -1 ? model.ownShared(destination, bytes, alignment)
                                              : model.shared(destination, bytes, alignment, false);
  const auto signal = model.shared(barrier, 8, 8, false);
  if (to.block != signal.block)
    model.fault(FaultKind::Mbarrier, "a bulk copy and the mbarrier it completes on are in different blocks");
  auto issue = [&](Block &block) {
    issueLoad(model, block, to.offset, signal.offset, bytes,
              [land, at = to.offset](uint8_t *slot) { land(slot, at); });
  };
  if (multicast == -1) {
    issue(*to.block);
  } else {
    if ((multicast & 0xffff) == 0 || (multicast & 0xffff) >> model.launch.cluster != 0)
      model.fault(FaultKind::BadCall, fmt::format("a multicast mask of {:#x} in a cluster of {}",
                                                  multicast & 0xffff, model.launch.cluster));
    for (int32_t rank = 0; rank < model.launch.cluster; ++rank)
      if (multicast >> rank & 1)
        issue(*model.blocks[size_t(rank)]);
  }
  model.mayYield();
}

// Calls visit(offset in shared memory, bytes) for what of a box that lies at `start` is inside the tensor.
// What is clipped is not stored, so that it may be anything, and may change.
template <class Visit> void forEachStored(const Box &box, int64_t start, Visit visit) {
  const int64_t inner = box.map.box[0] * bytesOf(box.map.element);
  int64_t first = start, end = start; // of whole rows, which a swizzle permutes within themselves
  const auto visit_rows = [&] {
    if (end > first)
      visit(first, end - first);
  };
  forEachRow(box, [&](int64_t image, uintptr_t, int64_t from, int64_t bytes) {
    if (bytes == inner) {
      end += inner;
      return;
    }
    visit_rows();
    first = end = start + image + inner;
    if (bytes > 0)
      forEachChunk(start + image + from, bytes, box.map.swizzle,
                   [&](int64_t at, int64_t, int64_t piece) { visit(at, piece); });
  });
  visit_rows();
}

// Registers a read of the source by the thread's open bulk group, and the effect that does it.
template <class ForEachRead, class Land>
void issueStore(Multiprocessor &model, Block &block, ForEachRead for_each_read, Land land) {
  Thread &thread = model.self();
  BulkGroups &bulk = thread.bulk;
  if (bulk.agent < 0)
    bulk.agent = model.newAgent();
  const size_t group = bulk.reading.size() - 1;
  const AccessRecord reader{uint32_t(group + 1), uint16_t(bulk.agent), 0, thread.site};
  for_each_read([&](int64_t at, int64_t bytes) {
    model.object(
        block.history.read(at, bytes, reader,
                           [&](const AccessRecord &record) { return model.orderAsync(thread, record); }),
        block, "a bulk store reads");
  });
  ++bulk.open;
  ++bulk.reading[group];
  model.addEffect(thread, thread.site, [&model, &thread, group, land] {
    land();
    --thread.bulk.reading[group];
    if (thread.wait.kind == Wait::BulkGroups)
      model.wake(thread);
  });
  model.mayYield();
}

// Stores a box: `put` takes a piece of it from shared to global memory.
template <class Put>
void storeBox(Multiprocessor &model, const Box &box, const void *source, const char *what, Put put) {
  checkPitch(model, box.map);
  const auto from = model.ownShared(source, box.map.boxBytes(), 128);
  forEachRow(box, [&](int64_t, uintptr_t row, int64_t first, int64_t count) {
    if (count > 0)
      model.writeGlobal(reinterpret_cast<const void *>(row + uintptr_t(first)), count, what, true);
    model.report.statistics.bytes_stored += count;
  });
  const auto read = [&](auto visit) { forEachStored(box, from.offset, visit); };
  issueStore(model, *from.block, read, [box, put, slot = from.block->slot, offset = from.offset] {
    forEachRow(box, [&](int64_t image, uintptr_t row, int64_t first, int64_t count) {
      if (count > 0)
        forEachChunk(offset + image + first, count, box.map.swizzle,
                     [&](int64_t at, int64_t done, int64_t piece) {
                       put(reinterpret_cast<uint8_t *>(row + uintptr_t(first + done)), slot + at, piece);
                     });
    });
  });
}

} // namespace
} // namespace simulator

using namespace simulator;

extern "C" {

void sm_tma_load(int32_t site, void *destination, const void *map, void *barrier, int32_t rank, int32_t x,
                 int32_t y, int32_t z, int32_t u, int32_t v, int32_t multicast, int32_t cta_only) {
  enter(site, [&](Multiprocessor &model) {
    const Box box = boxOf(model, map, rank, {x, y, z, u, v});
    checkPitch(model, box.map);
    forEachRow(box, [&](int64_t, uintptr_t row, int64_t from, int64_t bytes) {
      if (bytes > 0)
        model.readGlobalByCopy(reinterpret_cast<const void *>(row + uintptr_t(from)), bytes);
    });
    issueLoads(model, destination, 128, barrier, box.map.boxBytes(), multicast, cta_only != 0,
               [box](uint8_t *slot, int64_t at) { loadBox(box, slot, at); });
  });
}

void sm_tma_store(int32_t site, const void *map, const void *source, int32_t rank, int32_t x, int32_t y,
                  int32_t z, int32_t u, int32_t v) {
  enter(site, [&](Multiprocessor &model) {
    storeBox(model, boxOf(model, map, rank, {x, y, z, u, v}), source, "a bulk store writes",
             [](uint8_t *to, const uint8_t *from, int64_t bytes) { std::memcpy(to, from, size_t(bytes)); });
  });
}

void sm_tma_add(int32_t site, const void *map, const void *source, int32_t rank, int32_t x, int32_t y,
                int32_t z, int32_t u, int32_t v) {
  enter(site, [&](Multiprocessor &model) {
    const Box box = boxOf(model, map, rank, {x, y, z, u, v});
    if (box.map.element != Element::F32)
      model.fault(FaultKind::BadTensorMap, "a bulk reduction of another type than f32 is not modelled");
    storeBox(model, box, source, "a bulk reduction adds to",
             [](uint8_t *to, const uint8_t *from, int64_t bytes) {
               for (int64_t at = 0; at < bytes; at += int64_t(sizeof(float))) {
                 float held, added;
                 std::memcpy(&held, to + at, sizeof held);
                 std::memcpy(&added, from + at, sizeof added);
                 held += added;
                 std::memcpy(to + at, &held, sizeof held);
               }
             });
  });
}

void sm_tma_prefetch(int32_t site, const void *map, int32_t rank, int32_t x, int32_t y, int32_t z, int32_t u,
                     int32_t v) {
  enter(site, [&](Multiprocessor &model) { boxOf(model, map, rank, {x, y, z, u, v}); });
}

void sm_prefetch(int32_t site, const void *address) {
  enter(site, [&](Multiprocessor &model) { model.global(address, 1, "prefetches"); });
}

void sm_prefetch_tensormap(int32_t site, const void *map) {
  enter(site, [&](Multiprocessor &model) {
    if (reinterpret_cast<uintptr_t>(map) % 64 != 0)
      model.fault(FaultKind::Misaligned, "a tensor map is aligned to 64 bytes");
    TensorMap copy;
    std::memcpy(&copy, map, sizeof copy);
    if (!isTensorMap(copy))
      model.fault(FaultKind::BadTensorMap, "the operand is not a tensor map");
  });
}

namespace {
void checkBulk(Multiprocessor &model, const void *global, int32_t bytes) {
  if (bytes <= 0 || bytes % 16 != 0)
    model.fault(FaultKind::Misaligned,
                fmt::format("a bulk copy of {} bytes: a positive multiple of 16", bytes));
  if (reinterpret_cast<uintptr_t>(global) % 16 != 0)
    model.fault(FaultKind::Misaligned, "the global address of a bulk copy is not a multiple of 16");
}
} // namespace

void sm_bulk_load(int32_t site, void *destination, void *barrier, const void *source, int32_t bytes,
                  int32_t multicast) {
  enter(site, [&](Multiprocessor &model) {
    checkBulk(model, source, bytes);
    model.readGlobalByCopy(source, bytes);
    issueLoads(model, destination, 16, barrier, bytes, multicast, false,
               [source, bytes](uint8_t *slot, int64_t at) { std::memcpy(slot + at, source, size_t(bytes)); });
  });
}

void sm_bulk_store(int32_t site, void *destination, const void *source, int32_t bytes) {
  enter(site, [&](Multiprocessor &model) {
    checkBulk(model, destination, bytes);
    const auto from = model.ownShared(source, bytes, 16);
    model.writeGlobal(destination, bytes, "a bulk store writes", true);
    model.report.statistics.bytes_stored += bytes;
    const auto read = [&](auto visit) { visit(from.offset, int64_t(bytes)); };
    issueStore(model, *from.block, read,
               [destination, at = from.bytes, bytes] { std::memcpy(destination, at, size_t(bytes)); });
  });
}

void sm_bulk_commit_group(int32_t site) {
  enter(site, [](Multiprocessor &model) {
    model.self().bulk.open = 0;
    model.self().bulk.reading.push_back(0);
  });
}

void sm_bulk_wait_group(int32_t site, int32_t pending, int32_t read) {
  enter(site, [&](Multiprocessor &model) {
    if (pending < 0)
      model.fault(FaultKind::BadCall, fmt::format("a wait for all but {} groups", pending));
    // Reading and writing land at once here, so that waiting for either is the same.
    Thread &thread = model.self();
    BulkGroups &bulk = thread.bulk;
    const auto committed = int64_t(bulk.reading.size()) - 1;
    const auto target = uint32_t(std::max<int64_t>(committed - pending, 0));
    while (!bulk.landed(target))
      model.suspend({Wait::BulkGroups, nullptr, pending});
    if (bulk.agent >= 0)
      thread.clock.advance(size_t(bulk.agent), target);
    bulk.read_waited = std::max(bulk.read_waited, target);
  });
}

} // extern "C"
