#include "compiler/targets/thread_block/step_share.h"

using namespace mlir;

namespace compiler {

StepShare shareOf(const IntegerArithmetic &math, Value steps, Value rank, int64_t blocks) {
  Value each = math.divide(steps, blocks), over = math.remainder(steps, blocks);
  Value first = math.add(math.multiply(each, rank), math.least(rank, over));
  return {first, math.add(math.add(first, each), math.count(math.less(rank, over)))};
}

} // namespace compiler
