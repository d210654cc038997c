#include "compiler/targets/nvidia/lane_transposition.h"

#include "compiler/targets/nvidia/instructions.h"
#include "dialects/sm/sm.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {

LaneTransposition::LaneTransposition(OpBuilder &builder, Location location, int64_t lanes)
    : builder_(builder), location_(location) {
  Instructions write(builder, location);
  for (int64_t apart = 1; apart < lanes; apart *= 2)
    is_first_.push_back(write.equal(write.bitAnd(write.lane(), apart), 0));
}

void LaneTransposition::transpose(MutableArrayRef<Value> words) {
  assert(words.size() == size_t{1} << is_first_.size() && "a square of words");
  Instructions write(builder_, location_);
  // Round by round, one bit of a word's number changes places with the same bit of the lane's: two lanes send
  // each other what they have in the place of the other's.
  for (auto [round, is_first] : llvm::enumerate(is_first_)) {
    const size_t apart = size_t{1} << round;
    for (size_t number = 0; number < words.size(); ++number) {
      if (number & apart)
        continue;
      Value &first = words[number], &second = words[number + apart];
      Value sent = write.select(is_first, second, first);
      Value received =
          NVVM::ShflOp::create(builder_, location_, sent.getType(), write.constant(-1), sent,
                               write.constant(static_cast<int64_t>(apart)),
                               write.constant(sm::warp_threads - 1), NVVM::ShflKind::bfly, UnitAttr());
      first = write.select(is_first, first, received);
      second = write.select(is_first, received, second);
    }
  }
}

} // namespace compiler
