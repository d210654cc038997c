// Numbers of a bias, as threads read them.
#ifndef ALGCTL_COMPILER_TARGETS_NVIDIA_BIAS_H
#define ALGCTL_COMPILER_TARGETS_NVIDIA_BIAS_H

#include "compiler/targets/nvidia/instructions.h"
#include "dialects/sm/sm.h"

namespace compiler {

class GroupBias {
public:
  /// Of one output group; the address of the whole bias, and an i32.
  GroupBias(mlir::OpBuilder &builder, mlir::Location location, sm::BiasType type, mlir::Value bias,
            mlir::Value group);

  /// The number of a column of the group, i32, as f32. Past the group's end it is that of the last column:
  /// such sums are never stored, and every thread loads without asking.
  mlir::Value of(mlir::Value column) const;

private:
  mlir::OpBuilder &builder;
  mlir::Location location;
  sm::BiasType type;
  mlir::Value start;
};

} // namespace compiler

#endif
