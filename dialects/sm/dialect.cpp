#include "dialects/sm/sm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "dialects/sm/sm_dialect.cpp.inc"

void sm::SmDialect::initialize() {
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/sm/sm_ops.cpp.inc"
      >();
}
