// The steps of a tile that one of several thread blocks takes.
#pragma once

#include "compiler/lower/integer_arithmetic.h"

namespace compiler {

/// Steps are dealt out in their order, as evenly as they can be: of `steps` = a S + b, each of S blocks takes
/// a consecutive ones, and the first b blocks one more. Where there are fewer steps than blocks, the last
/// blocks have none.
struct StepShare {
  mlir::Value first, end;
};

/// Of block `rank` among `blocks`. Nothing larger than `steps` is computed.
StepShare shareOf(const IntegerArithmetic &math, mlir::Value steps, mlir::Value rank, int64_t blocks);

} // namespace compiler
