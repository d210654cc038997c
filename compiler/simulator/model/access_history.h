// Who wrote and who may still read each byte of a block's shared memory, in granules of 16 bytes with byte
// masks.
#pragma once

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace simulator {

// One agent's access to some bytes of a granule.
struct AccessRecord {
  uint32_t epoch; // of the agent
  uint16_t agent;
  uint16_t bytes; // mask
  int32_t site;
};

// How a new access stands to a recorded one.
enum class Order { Ordered, Unordered, NotFenced };

struct Conflict {
  enum Kind { None, NeverWritten, WithWrite, WithRead, NotFenced, OnMbarrier } kind = None;
  AccessRecord other = {};
  int64_t offset = 0; // of the granule
  explicit operator bool() const { return kind != None; }
};

class AccessHistory {
public:
  static constexpr int64_t granule_bytes = 16;

  void reset(int64_t bytes) {
    granules_.clear();
    granules_.resize(size_t((bytes + granule_bytes - 1) / granule_bytes));
  }

  // A read of [offset, offset + bytes) by `reader`. `orderAfter(record)` says how the reader stands to a
  // write.
  template <class OrderAfter>
  Conflict read(int64_t offset, int64_t bytes, const AccessRecord &reader, OrderAfter order_after) {
    return forEachGranule(offset, bytes, [&](Granule &granule, uint16_t mask) -> Conflict {
      if (granule.mbarriers & mask)
        return {Conflict::OnMbarrier, {}, 0};
      uint16_t written = 0;
      for (const AccessRecord &write : granule.writers) {
        if (!(write.bytes & mask))
          continue;
        written |= write.bytes;
        if (Order order = order_after(write); order != Order::Ordered)
          return {order == Order::Unordered ? Conflict::WithWrite : Conflict::NotFenced, write, 0};
      }
      if (mask & ~written)
        return {Conflict::NeverWritten, {}, 0};
      note(granule.readers, reader, mask);
      return {};
    });
  }

  // A write by `writer`. `overWrite(record)` and `overRead(record)` say how it stands to earlier accesses.
  template <class OverWrite, class OverRead>
  Conflict write(int64_t offset, int64_t bytes, const AccessRecord &writer, OverWrite over_write,
                 OverRead over_read) {
    return forEachGranule(offset, bytes, [&](Granule &granule, uint16_t mask) -> Conflict {
      if (granule.mbarriers & mask)
        return {Conflict::OnMbarrier, {}, 0};
      for (const AccessRecord &write : granule.writers)
        if (write.bytes & mask)
          if (Order order = over_write(write); order != Order::Ordered)
            return {order == Order::Unordered ? Conflict::WithWrite : Conflict::NotFenced, write, 0};
      for (const AccessRecord &read : granule.readers)
        if ((read.bytes & mask) && over_read(read) != Order::Ordered)
          return {Conflict::WithRead, read, 0};
      forget(granule.writers, mask);
      forget(granule.readers, mask);
      granule.writers.push_back({writer.epoch, writer.agent, mask, writer.site});
      return {};
    });
  }

  // An atomic update by `updater`: a read and a write, which stand beside earlier updates, since what reads
  // the bytes next has to be ordered behind all of them. `order(record)` says how the update stands to
  // earlier accesses, `is_update(record)` whether one is an update.
  template <class OrderBehind, class IsUpdate>
  Conflict update(int64_t offset, int64_t bytes, const AccessRecord &updater, OrderBehind order,
                  IsUpdate is_update) {
    if (Conflict conflict = read(offset, bytes, updater, order))
      return conflict;
    return forEachGranule(offset, bytes, [&](Granule &granule, uint16_t mask) -> Conflict {
      for (const AccessRecord &read : granule.readers)
        if ((read.bytes & mask) && order(read) != Order::Ordered)
          return {Conflict::WithRead, read, 0};
      forget(granule.writers, mask, [&](const AccessRecord &write) { return !is_update(write); });
      forget(granule.readers, mask);
      note(granule.writers, updater, mask);
      return {};
    });
  }

  // The bytes become, or cease to be, an mbarrier object, which ordinary accesses may not touch.
  void setMbarrier(int64_t offset, bool present) {
    forEachGranule(offset, 8, [&](Granule &granule, uint16_t mask) -> Conflict {
      granule.mbarriers = present ? granule.mbarriers | mask : granule.mbarriers & ~mask;
      forget(granule.writers, mask);
      forget(granule.readers, mask);
      return {};
    });
  }

private:
  struct Granule {
    boost::container::small_vector<AccessRecord, 1> writers;
    boost::container::small_vector<AccessRecord, 8> readers; // two warpgroups of wgmma
    uint16_t mbarriers = 0;
  };
  std::vector<Granule> granules_;

  template <class Visit> Conflict forEachGranule(int64_t offset, int64_t bytes, Visit visit) {
    const int64_t end = offset + bytes;
    for (int64_t at = offset; at < end;) {
      const int64_t base = at / granule_bytes * granule_bytes;
      const int64_t stop = std::min(end, base + granule_bytes);
      const auto mask = uint16_t((0xffffu << (at - base)) & (0xffffu >> (base + granule_bytes - stop)));
      if (Conflict conflict = visit(granules_[size_t(base / granule_bytes)], mask)) {
        conflict.offset = at;
        return conflict;
      }
      at = stop;
    }
    return {};
  }

  template <class Records> static void note(Records &records, const AccessRecord &access, uint16_t mask) {
    for (AccessRecord &record : records)
      if (record.agent == access.agent && (record.bytes & ~mask) == 0) {
        record = {access.epoch, access.agent, mask, access.site};
        return;
      }
    records.push_back({access.epoch, access.agent, mask, access.site});
  }

  template <class Records> static void forget(Records &records, uint16_t mask) {
    forget(records, mask, [](const AccessRecord &) { return true; });
  }
  template <class Records, class Which> static void forget(Records &records, uint16_t mask, Which which) {
    for (size_t i = 0; i < records.size();) {
      if (which(records[i]))
        records[i].bytes &= uint16_t(~mask);
      if (records[i].bytes == 0) {
        records[i] = records.back();
        records.pop_back();
      } else {
        ++i;
      }
    }
  }
};

} // namespace simulator
