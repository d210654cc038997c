// What writing any tile kernel needs: the op itself, loops with their indices, names for readers.
#pragma once

#include "dialects/tile/tile.h"

#include "mlir/IR/Builders.h"

namespace compiler {

class KernelBody {
public:
  KernelBody(mlir::OpBuilder &builder, mlir::Location location, tile::LayoutAttr layout);

protected:
  /// A kernel with an empty body and these operands, where the builder stands. The schedule is one of those
  /// that the op takes.
  tile::KernelOp kernel(llvm::StringRef name, mlir::Attribute schedule, llvm::ArrayRef<mlir::Type> operands);
  /// A forall or a for with its indices; the builder stands in its body afterwards.
  template <class Op> mlir::Block &loops(llvm::ArrayRef<tile::AxisAttr> axes) {
    llvm::SmallVector<mlir::Attribute> attributes(axes.begin(), axes.end());
    auto op = Op::create(builder, location, builder.getArrayAttr(attributes));
    return enter(op.getBody(), axes.size());
  }
  tile::AxisAttr axis(tile::AxisKind kind, int64_t step);
  /// The name that a value has in the printed program.
  mlir::Location named(llvm::StringRef name);

  mlir::OpBuilder &builder;
  mlir::Location location;
  tile::LayoutAttr layout;

private:
  mlir::Block &enter(mlir::Region &region, size_t indices);
};

} // namespace compiler
