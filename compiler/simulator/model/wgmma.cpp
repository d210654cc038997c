// wgmma: asynchronous products of a warpgroup, which complete warp by warp.
#include "compiler/simulator/model/multiprocessor.h"

#include "compiler/simulator/model/calls.h"
#include "compiler/simulator/model/handles.h"
#include "compiler/simulator/model/matrix_descriptor.h"
#include "compiler/simulator/model/matrix_product.h"
#include "compiler/simulator/model/small_floats.h"
#include "compiler/simulator/model/wgmma_accumulators.h"

#include <fmt/format.h>

#include <cstring>

namespace simulator {
namespace {

constexpr int64_t slot_mask = slot_bytes - 1;

// ---- operands
// -------------------------------------------------------------------------------------------------------

// Calls visit(address in the slot) for every 16 bytes that a warp reads of an operand. A: 64 rows, of which a
// warp reads 16; B: n rows, all of which every warp reads.
template <class Visit>
void forEachChunk(uint64_t descriptor, bool mn_major, int32_t firstRow, int32_t rows, Visit visit) {
  const MatrixDescriptor matrix = decodeDescriptor(descriptor);
  if (mn_major) {
    for (int32_t depth = 0; depth < 16; ++depth)
      for (int32_t chunk = firstRow / 8; chunk < (firstRow + rows) / 8; ++chunk)
        visit(chunkAddress(matrix, true, depth, chunk) & slot_mask, depth, chunk - firstRow / 8);
  } else {
    for (int32_t row = firstRow; row < firstRow + rows; ++row)
      for (int32_t chunk = 0; chunk < 2; ++chunk)
        visit(chunkAddress(matrix, false, row, chunk) & slot_mask, row - firstRow, chunk);
  }
}

void checkOperand(Multiprocessor &model, Warp &warp, char name, uint64_t descriptor, bool mn_major,
                  int32_t firstRow, int32_t rows) {
  if (std::string why = checkDescriptor(descriptor); !why.empty())
    model.fault(FaultKind::BadDescriptor, fmt::format("operand {}: {}", name, why));
  Block &block = *warp.block;
  const AccessRecord reader{warp.issued, uint16_t(warp.agent), 0, model.self().site};
  // What all lanes have seen of one agent, they have seen of its earlier times too.
  int32_t seenAgent = -1;
  uint32_t seenEpoch = 0;
  auto order = [&](const AccessRecord &write) {
    if (write.agent == seenAgent && write.epoch <= seenEpoch)
      return Order::Ordered;
    for (int32_t lane = 0; lane < 32; ++lane)
      if (Order order = model.orderAsync(warp.threads[lane], write); order != Order::Ordered)
        return order;
    seenAgent = write.agent;
    seenEpoch = write.epoch;
    return Order::Ordered;
  };
  forEachChunk(descriptor, mn_major, firstRow, rows, [&](int64_t at, int32_t, int32_t) {
    if (at < shared_start || at + 16 > shared_start + model.launch.shared_bytes)
      model.fault(
          FaultKind::OutOfBounds,
          fmt::format("operand {} of wgmma reads bytes {} to {} of shared memory, of which the block has {}",
                      name, at - shared_start, at - shared_start + 16, model.launch.shared_bytes));
    if (Conflict conflict = block.history.read(at, 16, reader, order))
      model.object(conflict, block, name == 'A' ? "operand A of wgmma reads" : "operand B of wgmma reads");
  });
}

// ---- issue
// ----------------------------------------------------------------------------------------------------------

// While a product is in flight its sums are in registers and nowhere else.
void checkRegisters(Multiprocessor &model, const Warp &warp, int32_t n) {
  if (warp.registers > 0 && n / 2 >= warp.registers)
    model.fault(
        FaultKind::Registers,
        fmt::format("{} registers of sums in a warp that setmaxnreg has left {}", n / 2, warp.registers));
}

// The warps of a warpgroup execute the same wgmma in the same order.
size_t joinIssue(Multiprocessor &model, Warp &warp, const MmaArguments &what) {
  if (warp.in_block / 4 * 128 + 128 > model.threadsPerBlock())
    model.fault(FaultKind::Divergence, "wgmma in a warpgroup of fewer than 128 threads");
  std::vector<WarpgroupIssue> &issues = warp.block->warpgroups[size_t(warp.in_block / 4)].issues;
  const size_t number = warp.issued - 1;
  const int32_t site = model.self().site;
  if (number == issues.size())
    issues.push_back({site, what.n, what.flags, what.a, what.b, 0});
  WarpgroupIssue &issue = issues[number];
  if (issue.site != site || issue.n != what.n || issue.flags != what.flags || issue.a != what.a ||
      issue.b != what.b)
    model.fault(
        FaultKind::Divergence,
        fmt::format(
            "the warps of a warpgroup disagree on their wgmma number {}: site {} here, {} before, or other "
            "operands",
            number + 1, site, issue.site),
        issue.site);
  issue.warps |= 1u << warp.in_block % 4;
  return number;
}

void offer(Multiprocessor &model, Warp &warp);

void compute(Multiprocessor &model, Warp &warp) {
  const WarpProduct product = std::move(warp.queue.front());
  warp.queue.pop_front();
  warp.queue_offered = false;
  const bool f16 = product.flags & sm_wgmma_f16;
  const uint8_t *slot = warp.block->slot;
  float a[16 * 16];
  alignas(64) float b[16 * 256];
  const int32_t n = product.n;
  auto load = [&](uint64_t descriptor, bool mn_major, int32_t firstRow, int32_t rows, auto put) {
    forEachChunk(descriptor, mn_major, firstRow, rows, [&](int64_t at, int32_t row, int32_t chunk) {
      uint16_t elements[8];
      std::memcpy(elements, slot + at, 16);
      for (int32_t element = 0; element < 8; ++element)
        put(row, chunk * 8 + element, fromHalf(elements[element], f16));
    });
  };
  if (product.rows) {
    std::memcpy(a, product.rows.get(), sizeof a);
  } else if (product.flags & sm_wgmma_a_mn_major) {
    load(uint64_t(product.a), true, warp.in_block % 4 * 16, 16,
         [&](int k, int m, float value) { a[m * 16 + k] = value; });
  } else {
    load(uint64_t(product.a), false, warp.in_block % 4 * 16, 16,
         [&](int m, int k, float value) { a[m * 16 + k] = value; });
  }
  if (product.flags & sm_wgmma_b_mn_major)
    load(uint64_t(product.b), true, 0, n, [&](int k, int column, float value) { b[k * n + column] = value; });
  else
    load(uint64_t(product.b), false, 0, n,
         [&](int column, int k, float value) { b[k * n + column] = value; });
  if (bool(product.flags & sm_wgmma_negate_a) != bool(product.flags & sm_wgmma_negate_b))
    for (float &value : a)
      value = -value;
  std::vector<float> &sums = warp.accumulators[size_t(product.accumulator)].values;
  if (!(product.flags & sm_wgmma_accumulate))
    std::fill(sums.begin(), sums.end(), 0.0f);
  addProduct(sums.data(), a, b, n);
  model.report.statistics.products += 16 * 16 * n;
  ++warp.completed;
  if (warp.waiter)
    model.wake(*warp.waiter);
  offer(model, warp);
}

// The oldest product of the warp may land once all warps have issued it.
void offer(Multiprocessor &model, Warp &warp) {
  if (warp.queue_offered || warp.queue.empty())
    return;
  const WarpProduct &head = warp.queue.front();
  if (warp.block->warpgroups[size_t(warp.in_block / 4)].issues[head.issue].warps != 0xf)
    return;
  warp.queue_offered = true;
  model.addEffect(warp.threads[0], head.site, [&model, &warp] { compute(model, warp); });
}

void issue(Multiprocessor &model, Warp &warp) {
  const MmaArguments &what = argumentsOf(warp, 0);
  for (int32_t lane = 1; lane < 32; ++lane) {
    const MmaArguments &other = argumentsOf(warp, lane);
    if (other.a != what.a || other.b != what.b || other.n != what.n || other.flags != what.flags)
      model.fault(FaultKind::Divergence,
                  fmt::format("lanes 0 and {} disagree on a descriptor of wgmma", lane));
  }
  if (what.n < 8 || what.n > 256 || what.n % 8 != 0)
    model.fault(FaultKind::BadDescriptor,
                fmt::format("wgmma with n = {}: a multiple of 8 up to 256", what.n));
  checkRegisters(model, warp, what.n);
  if (warp.agent < 0)
    warp.agent = model.newAgent();
  const int32_t accumulator = chooseAccumulator(model, warp, what.n, what.flags);
  ++warp.issued;
  WarpProduct product{model.self().site, accumulator, what.n, what.flags, what.a, what.b, 0, nullptr};
  product.issue = joinIssue(model, warp, what);
  if (what.registers) {
    if (!warp.fenced_since_commit)
      model.fault(FaultKind::MissingWgmmaFence,
                  "the registers of operand A may have been written since the warp's last wgmma.fence");
    product.rows = std::make_unique<float[]>(256);
    for (int32_t lane = 0; lane < 32; ++lane)
      for (int32_t part = 0; part < 8; ++part) {
        const uint32_t pair = argumentsOf(warp, lane).registers[part / 2];
        const int32_t row = lane / 4 + 8 * (part / 2 % 2), column = part / 4 * 8 + lane % 4 * 2 + part % 2;
        product.rows[size_t(row * 16 + column)] =
            fromHalf(uint16_t(part % 2 ? pair >> 16 : pair), what.flags & sm_wgmma_f16);
      }
  } else {
    checkOperand(model, warp, 'A', uint64_t(what.a), what.flags & sm_wgmma_a_mn_major, warp.in_block % 4 * 16,
                 16);
  }
  checkOperand(model, warp, 'B', uint64_t(what.b), what.flags & sm_wgmma_b_mn_major, 0, what.n);
  warp.accumulators[size_t(accumulator)].last_product = warp.issued;
  warp.queue.push_back(std::move(product));
  for (int32_t lane = 0; lane < 32; ++lane)
    for (int32_t position = 0; position < what.n / 2; ++position)
      argumentsOf(warp, lane).d[position] = handleOf(accumulator, position);
  Warp *first = &warp - warp.in_block % 4;
  for (int32_t other = 0; other < 4; ++other)
    offer(model, first[other]);
}

void waitForGroups(Multiprocessor &model, Warp &warp, int32_t pending) {
  if (pending < 0)
    model.fault(FaultKind::BadCall, fmt::format("a wait for all but {} groups", pending));
  const size_t groups = warp.group_ends.size();
  if (groups <= size_t(pending))
    return;
  const uint32_t target = warp.group_ends[groups - size_t(pending) - 1];
  while (warp.completed < target) {
    warp.waiter = &model.self();
    model.suspend({Wait::Wgmma, nullptr, pending});
  }
  warp.waiter = nullptr;
  warp.waited = std::max(warp.waited, target);
  if (warp.agent >= 0)
    for (int32_t lane = 0; lane < 32; ++lane)
      warp.threads[lane].clock.advance(size_t(warp.agent), target);
}

void settle(Multiprocessor &model, Thread &thread, float *d, int32_t count) {
  int32_t held = 0;
  for (int32_t position = 0; position < count; ++position)
    held += isHandle(d[position]);
  if (held == 0)
    return;
  Warp &warp = *thread.warp;
  const auto number = size_t(accumulatorOf(d[0]));
  for (int32_t position = 0; position < count; ++position)
    if (!isHandle(d[position]) || size_t(accumulatorOf(d[position])) != number ||
        positionOf(d[position]) != position)
      model.fault(
          FaultKind::UnsettledAccumulator,
          fmt::format("value {} is not that of the accumulator that the other values name", position));
  if (number >= warp.accumulators.size() || !warp.accumulators[number].live ||
      (warp.accumulators[number].settled >> thread.lane & 1))
    model.fault(FaultKind::UnsettledAccumulator, "settles an accumulator that it has settled before");
  Accumulator &accumulator = warp.accumulators[number];
  if (accumulator.n != count * 2)
    model.fault(FaultKind::UnsettledAccumulator,
                fmt::format("settles {} values of an accumulator of {}", count, accumulator.n / 2));
  if (accumulator.last_product > warp.waited)
    model.fault(FaultKind::UnsettledAccumulator, "takes the values of an accumulator in flight: no "
                                                 "wgmma.wait_group of the warp covers its last product");
  for (int32_t position = 0; position < count; ++position)
    d[position] =
        accumulator
            .values[size_t(rowOf(thread.lane, position) * accumulator.n + columnOf(thread.lane, position))];
  accumulator.settled |= 1u << thread.lane;
  if (accumulator.settled == all_lanes)
    accumulator.live = false;
  // What the thread does with the values, registers are written by it.
  warp.registers_written = true;
}

void mma(int32_t site, float *d, const uint32_t *registers, int64_t a, int64_t b, int32_t n, int32_t flags) {
  enter(site, [&](Multiprocessor &model) {
    MmaArguments arguments{d, registers, a, b, n, flags};
    model.meet(all_lanes, &arguments, [&](Warp &warp) { issue(model, warp); });
  });
}

} // namespace
} // namespace simulator

using namespace simulator;

extern "C" {

void sm_wgmma_fence(int32_t site) {
  enter(site, [](Multiprocessor &model) {
    model.meet(all_lanes, nullptr, [](Warp &warp) {
      warp.registers_written = false;
      warp.fenced_since_commit = true;
    });
  });
}

void sm_wgmma_mma(int32_t site, float *d, int64_t a, int64_t b, int32_t n, int32_t flags) {
  mma(site, d, nullptr, a, b, n, flags);
}

void sm_wgmma_mma_registers(int32_t site, float *d, const uint32_t *a, int64_t b, int32_t n, int32_t flags) {
  mma(site, d, a, 0, b, n, flags);
}

void sm_wgmma_commit_group(int32_t site) {
  enter(site, [](Multiprocessor &model) {
    model.meet(all_lanes, nullptr, [](Warp &warp) {
      warp.group_ends.push_back(warp.issued);
      warp.fenced_since_commit = false;
    });
  });
}

void sm_wgmma_wait_group(int32_t site, int32_t pending) {
  enter(site, [&](Multiprocessor &model) {
    model.meet(all_lanes, nullptr, [&](Warp &warp) { waitForGroups(model, warp, pending); });
  });
}

void sm_settle(int32_t site, float *d, int32_t count) {
  enter(site, [&](Multiprocessor &model) { settle(model, model.self(), d, count); });
}

} // extern "C"
