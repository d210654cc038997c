#include "compiler/simulator/model/wgmma_accumulators.h"

#include "compiler/simulator/model/calls.h"
#include "compiler/simulator/model/handles.h"

#include <fmt/format.h>

namespace simulator {
namespace {

int32_t newAccumulator(Multiprocessor &model, Warp &warp, int32_t n) {
  // In turn, so that handles of one that was settled are not soon taken for another's.
  for (int32_t tries = 0; tries < most_accumulators; ++tries) {
    const size_t number = warp.next_accumulator;
    warp.next_accumulator = (number + 1) % size_t(most_accumulators);
    if (number == warp.accumulators.size())
      warp.accumulators.emplace_back();
    Accumulator &accumulator = warp.accumulators[number];
    if (accumulator.live)
      continue;
    accumulator.live = true;
    accumulator.n = n;
    accumulator.values.assign(size_t(16 * n), 0.0f);
    accumulator.settled = 0;
    return int32_t(number);
  }
  model.fault(FaultKind::BadCall,
              fmt::format("a warp with {} accumulators that it never settles", most_accumulators));
}

// The accumulator whose handles all lanes hold in order, -1 when they hold plain values.
int32_t heldAccumulator(Multiprocessor &model, const Warp &warp, int32_t n) {
  const float first = argumentsOf(warp, 0).d[0];
  const bool held = isHandle(first);
  for (int32_t lane = 0; lane < 32; ++lane)
    for (int32_t position = 0; position < n / 2; ++position) {
      const float value = argumentsOf(warp, lane).d[position];
      if (isHandle(value) != held ||
          (held && (accumulatorOf(value) != accumulatorOf(first) || positionOf(value) != position)))
        model.fault(
            FaultKind::UnsettledAccumulator,
            fmt::format(
                "value {} of lane {} is not that of the accumulator in flight that the other values name",
                position, lane));
    }
  if (!held)
    return -1;
  const auto number = size_t(accumulatorOf(first));
  if (number >= warp.accumulators.size() || !warp.accumulators[number].live ||
      warp.accumulators[number].settled != 0)
    model.fault(FaultKind::UnsettledAccumulator, "goes on adding to an accumulator that was settled");
  if (warp.accumulators[number].n != n)
    model.fault(FaultKind::BadDescriptor,
                fmt::format("an m64n{} product adds to an accumulator of m64n{} products", n,
                            warp.accumulators[number].n));
  return int32_t(number);
}

// The same for a product that overwrites: its registers may hold anything, so that only a live accumulator
// that all lanes name counts.
int32_t overwrittenAccumulator(const Warp &warp, int32_t n) {
  const float first = argumentsOf(warp, 0).d[0];
  if (!isHandle(first))
    return -1;
  for (int32_t lane = 1; lane < 32; ++lane)
    if (const float other = argumentsOf(warp, lane).d[0];
        !isHandle(other) || accumulatorOf(other) != accumulatorOf(first))
      return -1;
  const auto number = size_t(accumulatorOf(first));
  if (number >= warp.accumulators.size())
    return -1;
  const Accumulator &accumulator = warp.accumulators[number];
  return accumulator.live && accumulator.settled == 0 && accumulator.n == n ? int32_t(number) : -1;
}

} // namespace

int32_t chooseAccumulator(Multiprocessor &model, Warp &warp, int32_t n, int32_t flags) {
  const bool adds = flags & sm_wgmma_accumulate;
  const int32_t held = adds ? heldAccumulator(model, warp, n) : overwrittenAccumulator(warp, n);
  if (held >= 0)
    return held;
  if (warp.registers_written)
    model.fault(FaultKind::MissingWgmmaFence,
                "the accumulator's registers may have been written since the warp's last wgmma.fence");
  const int32_t number = newAccumulator(model, warp, n);
  std::vector<float> &values = warp.accumulators[size_t(number)].values;
  if (adds)
    for (int32_t lane = 0; lane < 32; ++lane)
      for (int32_t position = 0; position < n / 2; ++position)
        values[size_t(rowOf(lane, position) * n + columnOf(lane, position))] =
            argumentsOf(warp, lane).d[position];
  return number;
}

} // namespace simulator
