// What a launch and the manifest need to know of a kernel, read off its program.
#pragma once

#include "dialects/sm/sm.h"
#include "runtime/bundle/gpu_kernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace compiler {

/// Whether the kernel's threads read and write its operands, through plain maps.
bool usesPlainMaps(sm::KernelOp kernel);

/// Threads of a block: those of all partitions, or without partitions those of the schedule's warps or
/// slices.
int64_t threadsOf(sm::KernelOp kernel);

/// Blocks of its clusters.
int64_t clusterOf(sm::KernelOp kernel);

/// The dictionary `sm.kernel` of a kernel: threads, cluster, shared_bytes, output, dependent_launch, terms,
/// tile = {rows, columns, depth, stages, consumers} and, in clusters, {cluster_rows, cluster_columns, split},
/// boxes = {x, w, y} of {columns, rows, swizzle}; where threads copy, vector, scaled and warps = {rows,
/// columns}, too, or of vector reductions slices; of a gradient map = "dx" or "dw". Fails with a message
/// where the kernel multiplies nothing.
mlir::FailureOr<mlir::DictionaryAttr> describeKernel(sm::KernelOp kernel, int64_t shared_bytes);

/// The same dictionary of a function that convert-sm-to-nvvm wrote, and its parameters, as the bundle's
/// manifest has it. Images and architecture are left for whoever makes them.
algrt::GpuKernel readKernelAttribute(mlir::LLVM::LLVMFuncOp function);

} // namespace compiler
