#include "compiler/targets/elementwise/passes.h"

#include "mlir/Pass/PassRegistry.h"

namespace compiler {

#define GEN_PASS_REGISTRATION
#include "compiler/targets/elementwise/passes.h.inc"

void registerElementwisePasses() { registerElementwiseTargetPasses(); }

} // namespace compiler
