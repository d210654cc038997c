#include "compiler/bundle/attach_records.h"

#include "compiler/bundle/layer_description.h"
#include "runtime/bundle/elementwise_record.h"
#include "runtime/bundle/kernel_record.h"
#include "runtime/kernel_record.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace compiler {

static void attach(ModuleOp module, const algrt::KernelRecord &record, RecordSpace space) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  const auto count = static_cast<int64_t>(record.words.size());
  auto words = DenseElementsAttr::get(RankedTensorType::get({count}, builder.getI64Type()),
                                      llvm::ArrayRef<uint64_t>(record.words));
  LLVM::GlobalOp::create(builder, module.getLoc(), LLVM::LLVMArrayType::get(builder.getI64Type(), count),
                         /*isConstant=*/true, LLVM::Linkage::External, record.symbol + ALGRT_RECORD_SUFFIX,
                         words,
                         /*alignment=*/sizeof(uint64_t), static_cast<unsigned>(space));
}

void attachRecords(ModuleOp module, const std::vector<algrt::Kernel> &kernels, const KernelSource &source,
                   RecordSpace space) {
  const algrt::Layer described = runtimeLayer(source.layer, source.fusion);
  const algrt::Support support = runtimeSupport(source.layer);
  const algrt::RecordedLayer recorded(described, support);
  for (const algrt::Kernel &kernel : kernels)
    for (const algrt::KernelRecord &record : algrt::recordsOf(kernel, recorded))
      attach(module, record, space);
}

void attachGroupRowsRecord(ModuleOp module, const algrt::Kernel &kernel) {
  attach(module, algrt::groupRowsRecordOf(kernel), RecordSpace::GpuConstant);
}

void attachElementwiseRecord(ModuleOp module, const algrt::Elementwise &function,
                             const algrt::ElementwiseKernel &kernel) {
  attach(module, algrt::recordOf(function, kernel),
         kernel.gpu ? RecordSpace::GpuConstant : RecordSpace::Host);
}

} // namespace compiler
