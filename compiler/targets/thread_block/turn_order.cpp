#include "compiler/targets/thread_block/turn_order.h"

using namespace mlir;

namespace compiler {

/// Of `turns` that are dealt out in turn to `workers`, those of number `worker` below that.
static Value dealt(const IndexMath &math, Value turns, Value worker, Value workers) {
  return math.divide(math.add(math.add(turns, -1), math.subtract(workers, worker)), workers);
}

TurnOrder::TurnOrder(const IndexMath &math, Value long_turns, Value short_turns, Value worker, Value workers,
                     Value weight)
    : worker(worker), workers(workers) {
  const Value zero = math.constant(0), one = math.constant(1);
  mine_long = dealt(math, long_turns, worker, workers);
  // The last round of long turns ends with this worker; the others are ahead. Where it is full nobody is.
  Value last_round = math.remainder(long_turns, workers);
  Value uneven = math.less(zero, last_round);
  ahead = math.select(uneven, math.subtract(workers, last_round), one);
  Value is_ahead = math.both(uneven, math.atLeast(worker, last_round));
  place = math.select(is_ahead, math.subtract(worker, last_round), zero);
  filling = math.select(uneven, math.least(math.multiply(ahead, weight), short_turns), zero);
  mine_filling = math.select(is_ahead, dealt(math, filling, place, ahead), zero);
  Value rest = math.subtract(short_turns, filling);
  turns = math.add(math.add(mine_long, mine_filling), dealt(math, rest, worker, workers));
}

TurnOrder::Turn TurnOrder::at(const IndexMath &math, Value ordinal) const {
  Value is_long = math.less(ordinal, mine_long);
  Value behind = math.subtract(ordinal, mine_long); // negative for a long one, whose number is another
  Value first = math.add(place, math.multiply(behind, ahead));
  Value later =
      math.add(math.add(filling, worker), math.multiply(math.subtract(behind, mine_filling), workers));
  Value number = math.select(math.less(behind, mine_filling), first, later);
  return {is_long, math.select(is_long, math.add(worker, math.multiply(ordinal, workers)), number)};
}

} // namespace compiler
