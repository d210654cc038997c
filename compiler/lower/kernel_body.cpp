#include "compiler/lower/kernel_body.h"

using namespace mlir;
using namespace tile;

namespace compiler {

KernelBody::KernelBody(OpBuilder &builder, Location location, LayoutAttr layout)
    : builder(builder), location(location), layout(layout) {}

KernelOp KernelBody::kernel(StringRef name, Attribute schedule, ArrayRef<Type> operands) {
  auto kernel = KernelOp::create(builder, location, name, layout, schedule);
  Block &body = kernel.getBody().emplaceBlock();
  body.addArguments(operands, SmallVector<Location>(operands.size(), location));
  return kernel;
}

AxisAttr KernelBody::axis(AxisKind kind, int64_t step) {
  return AxisAttr::get(builder.getContext(), kind, step);
}

Location KernelBody::named(StringRef name) { return NameLoc::get(builder.getStringAttr(name), location); }

Block &KernelBody::enter(Region &region, size_t indices) {
  Block &body = region.emplaceBlock();
  body.addArguments(SmallVector<Type>(indices, builder.getIndexType()),
                    SmallVector<Location>(indices, location));
  builder.setInsertionPointToEnd(&body);
  return body;
}

} // namespace compiler
