// Tensor-core products: their descriptors, layouts, signs and operands.
#include "tests/mutation/edits.h"
#include "tests/mutation/enumerator.h"

#include <limits>

namespace mutation_test {

void Enumerator::descriptor(const std::string &name, unsigned index) {
  add("descriptor", name + " start +16 bytes", operand<LLVM::AddOp>(index, 1));
  add("descriptor", name + " start +1024 bytes", operand<LLVM::AddOp>(index, 64));
  add("descriptor", name + " leading +16 bytes", operand<LLVM::AddOp>(index, int64_t{1} << 16));
  add("descriptor", name + " stride +16 bytes", operand<LLVM::AddOp>(index, int64_t{1} << 32));
  add("descriptor", name + " base 1", operand<LLVM::XOrOp>(index, int64_t{1} << 49));
  add("descriptor", name + " swizzle low", operand<LLVM::XOrOp>(index, int64_t{1} << 62));
  add("descriptor", name + " swizzle high", operand<LLVM::XOrOp>(index, std::numeric_limits<int64_t>::min()));
}

void Enumerator::wgmma(NVVM::WgmmaMmaAsyncOp product) {
  descriptor("a", indexOf(product, product.getDescriptorA()));
  descriptor("b", indexOf(product, product.getDescriptorB()));
  using Layout = NVVM::MMALayout;
  add("layout", "a", [](Operation *op) {
    auto product = cast<NVVM::WgmmaMmaAsyncOp>(op);
    product.setLayoutA(product.getLayoutA() == Layout::row ? Layout::col : Layout::row);
  });
  add("layout", "b", [](Operation *op) {
    auto product = cast<NVVM::WgmmaMmaAsyncOp>(op);
    product.setLayoutB(product.getLayoutB() == Layout::row ? Layout::col : Layout::row);
  });
  add("sign", "a", [](Operation *op) {
    auto product = cast<NVVM::WgmmaMmaAsyncOp>(op);
    using Scale = NVVM::WGMMAScaleIn;
    product.setScaleA(product.getScaleA() == Scale::one ? Scale::neg : Scale::one);
  });
  add("sign", "b", [](Operation *op) {
    auto product = cast<NVVM::WgmmaMmaAsyncOp>(op);
    using Scale = NVVM::WGMMAScaleIn;
    product.setScaleB(product.getScaleB() == Scale::one ? Scale::neg : Scale::one);
  });
  add("sign", "d", [](Operation *op) {
    auto product = cast<NVVM::WgmmaMmaAsyncOp>(op);
    using Scale = NVVM::WGMMAScaleOut;
    product.setScaleD(product.getScaleD() == Scale::one ? Scale::zero : Scale::one);
  });
}

void Enumerator::warpProduct(NVVM::MmaOp product) {
  const unsigned a = product.getOperandA().getBeginOperandIndex(),
                 b = product.getOperandB().getBeginOperandIndex(),
                 c = product.getOperandC().getBeginOperandIndex();
  add("operands", "a 0 and 1", exchanged(a, a + 1));
  add("operands", "a 1 and 2", exchanged(a + 1, a + 2));
  add("operands", "b 0 and 1", exchanged(b, b + 1));
  add("operands", "c 0 and 2", exchanged(c, c + 2));
  add("operands", "sums from nothing", [=](Operation *op) {
    OpBuilder build(op);
    for (unsigned i = 0; i < 4; ++i)
      op->setOperand(c + i, LLVM::ZeroOp::create(build, op->getLoc(), build.getF32Type()));
  });
}

} // namespace mutation_test
