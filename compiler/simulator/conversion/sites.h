// What the sites of a kernel's calls stand for.
#pragma once

#include "mlir/IR/Operation.h"

#include <string>

namespace compiler {

/// One line that shows an op to a reader: as it is printed, with runs of equal struct fields shortened, then
/// its line where it was read from a file: "nvvm.mbarrier.init %3, %c1 : !llvm.ptr<3>, i32 (line 17)".
std::string siteText(mlir::Operation *op, mlir::AsmState &names);

} // namespace compiler
