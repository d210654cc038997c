#include "compiler/targets/nvidia/kernel_attribute.h"

#include "compiler/failure.h"
#include "compiler/targets/nvidia/kernel_structure.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace compiler {

std::int64_t threadsOf(sm::KernelOp kernel) {
  std::int64_t warpgroups = 0;
  for (sm::RoleOp role : kernel.getBody().getOps<sm::RoleOp>())
    warpgroups += role.getWarpgroups();
  return warpgroups * sm::warpgroup_threads;
}

FailureOr<DictionaryAttr> describeKernel(sm::KernelOp kernel, std::int64_t shared_bytes) {
  sm::MmaOp product;
  bool dependent = false, terms = false;
  kernel.walk([&](Operation *op) {
    if (auto mma = dyn_cast<sm::MmaOp>(op); mma && !product)
      product = mma;
    dependent |= isa<sm::WaitForPredecessorOp>(op);
    terms |= isa<sm::ReadTermsOp>(op);
  });
  if (!product)
    return kernel.emitOpError("has no sm.mma: nothing to say about its tile");
  auto role = product->getParentOfType<sm::RoleOp>();

  Builder builder(kernel.getContext());
  auto number = [&](StringRef name, std::int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  };
  auto boolean = [&](StringRef name, bool value) {
    return builder.getNamedAttr(name, builder.getBoolAttr(value));
  };
  auto box = [&](StringRef name, Value maps) {
    auto type = cast<sm::MapsType>(maps.getType());
    const std::int64_t element_bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
    return builder.getNamedAttr(
        name,
        builder.getDictionaryAttr({number("columns", type.getSwizzle() / element_bytes),
                                   number("rows", type.getRows()), number("swizzle", type.getSwizzle())}));
  };
  auto layout = dyn_cast<tile::LayoutAttr>(kernel.getLayout());
  if (!layout)
    return kernel.emitOpError("needs the #tile.layout that says how many groups it counts");
  Block &body = kernel.getBody().front();
  auto output = cast<sm::MapsType>(body.getArgument(2).getType()).getElementType();
  return builder.getDictionaryAttr(
      {number("threads", threadsOf(kernel)), number("cluster", 1), number("shared_bytes", shared_bytes),
       builder.getNamedAttr("output", TypeAttr::get(output)), boolean("dependent_launch", dependent),
       boolean("terms", terms), number("groups", layout.getOut().getCount()),
       builder.getNamedAttr("tile", builder.getDictionaryAttr(
                                        {number("rows", product.getAccumulator().getType().getRows()),
                                         number("columns", product.getAccumulator().getType().getColumns()),
                                         number("depth", product.getA().getType().getColumns()),
                                         number("stages", product.getA().getType().getSlots()),
                                         number("consumers", role.getWarpgroups())})),
       builder.getNamedAttr(
           "boxes", builder.getDictionaryAttr({box("x", body.getArgument(0)), box("w", body.getArgument(1)),
                                               box("y", body.getArgument(2))}))});
}

namespace {
/// A dictionary whose entries must be there.
struct Fields {
  DictionaryAttr dictionary;

  template <class Attr> Attr get(StringRef name) const {
    auto value = dictionary.getAs<Attr>(name);
    if (!value)
      throw Failure("the attribute " + kernel_attribute_name.str() + " of a kernel has no proper entry '" +
                    name.str() + "'");
    return value;
  }
  std::int64_t number(StringRef name) const { return get<IntegerAttr>(name).getInt(); }
  bool boolean(StringRef name) const { return get<BoolAttr>(name).getValue(); }
  Fields fields(StringRef name) const { return {get<DictionaryAttr>(name)}; }
};

algrt::GpuBox readBox(const Fields &box) {
  return {box.number("columns"), box.number("rows"), box.number("swizzle")};
}
} // namespace

algrt::GpuKernel readKernelAttribute(LLVM::LLVMFuncOp function) {
  auto dictionary = function->getAttrOfType<DictionaryAttr>(kernel_attribute_name);
  if (!dictionary)
    throw Failure("the function " + function.getSymName().str() + " has no attribute " +
                  kernel_attribute_name.str());
  const Fields fields{dictionary};
  algrt::GpuKernel kernel{};
  kernel.symbol = function.getSymName().str();
  kernel.output =
      fields.get<TypeAttr>("output").getValue().isF32() ? algrt::ElementType::f32 : algrt::ElementType::bf16;
  kernel.threads = fields.number("threads");
  kernel.cluster = fields.number("cluster");
  kernel.shared_bytes = fields.number("shared_bytes");
  kernel.dependent_launch = fields.boolean("dependent_launch");
  kernel.terms = fields.boolean("terms");
  kernel.groups = fields.number("groups");
  const Fields tile = fields.fields("tile");
  kernel.tile = {tile.number("rows"), tile.number("columns"), tile.number("depth"), tile.number("stages"),
                 tile.number("consumers")};
  const Fields boxes = fields.fields("boxes");
  kernel.x = readBox(boxes.fields("x"));
  kernel.w = readBox(boxes.fields("w"));
  kernel.y = readBox(boxes.fields("y"));
  return kernel;
}

} // namespace compiler
