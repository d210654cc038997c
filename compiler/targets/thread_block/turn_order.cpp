#include "compiler/targets/thread_block/turn_order.h"

using namespace mlir;

namespace compiler {

/// Of `turns` that are dealt out in turn to `workers`, those of number `worker` below that.
static Value dealt(const IntegerArithmetic &math, Value turns, Value worker, Value workers) {
  return math.divide(math.add(math.add(turns, -1), math.subtract(workers, worker)), workers);
}

TurnOrder::TurnOrder(const IntegerArithmetic &math, Value long_turns, Value short_turns, Value worker,
                     Value workers, Value weight)
    : worker_(worker), workers_(workers) {
  const Value zero = math.constant(0), one = math.constant(1);
  mine_long_ = dealt(math, long_turns, worker, workers);
  // The last round of long turns ends with this worker; the others are ahead. Where it is full nobody is.
  Value last_round = math.remainder(long_turns, workers);
  Value uneven = math.less(zero, last_round);
  ahead_ = math.select(uneven, math.subtract(workers, last_round), one);
  Value is_ahead = math.both(uneven, math.atLeast(worker, last_round));
  place_ = math.select(is_ahead, math.subtract(worker, last_round), zero);
  filling_ = math.select(uneven, math.least(math.multiply(ahead_, weight), short_turns), zero);
  mine_filling_ = math.select(is_ahead, dealt(math, filling_, place_, ahead_), zero);
  Value rest = math.subtract(short_turns, filling_);
  turns_ = math.add(math.add(mine_long_, mine_filling_), dealt(math, rest, worker, workers));
}

TurnOrder::Turn TurnOrder::at(const IntegerArithmetic &math, Value ordinal) const {
  Value is_long = math.less(ordinal, mine_long_);
  Value behind = math.subtract(ordinal, mine_long_); // negative for a long one, whose number is another
  Value first = math.add(place_, math.multiply(behind, ahead_));
  Value later =
      math.add(math.add(filling_, worker_), math.multiply(math.subtract(behind, mine_filling_), workers_));
  Value number = math.select(math.less(behind, mine_filling_), first, later);
  return {is_long, math.select(is_long, math.add(worker_, math.multiply(ordinal, workers_)), number)};
}

} // namespace compiler
