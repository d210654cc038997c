// The records that code carries (runtime/kernel_record.h), written into its module.
#pragma once

#include "compiler/bundle/kernel_source.h"
#include "runtime/bundle/manifest.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace compiler {

/// Where constants of a module lie that becomes a shared object, and of one that becomes PTX.
enum class RecordSpace : unsigned { Host = 0, GpuConstant = 4 };

/// Adds to a module in the llvm dialect what its kernels say of themselves: read-only data beside each
/// symbol. The kernels are described as the manifest will describe them, so that the two cannot differ.
void attachRecords(mlir::ModuleOp module, const std::vector<algrt::Kernel> &kernels,
                   const KernelSource &source, RecordSpace space);

/// The same for a kernel of an element-wise function.
void attachElementwiseRecord(mlir::ModuleOp module, const algrt::Elementwise &function,
                             const algrt::ElementwiseKernel &kernel);

/// The same for a kernel of the map group_rows, which is for any layer.
void attachGroupRowsRecord(mlir::ModuleOp module, const algrt::Kernel &kernel);

} // namespace compiler
