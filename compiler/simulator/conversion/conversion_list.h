// The list of ops that the simulator knows, with what each becomes.
#pragma once

#include "compiler/simulator/conversion/call_builder.h"

#include "llvm/ADT/StringMap.h"

#include <functional>

namespace compiler {

/// Builds what stands for the op, and gives its result to CallBuilder::replace. The op itself is erased
/// afterwards.
using Conversion = std::function<void(mlir::Operation *, CallBuilder &)>;

/// By the name of the op, as "nvvm.mbarrier.init".
using ConversionList = llvm::StringMap<Conversion>;

/// Every op of the nvvm dialect that the model knows, and sm.settle.
const ConversionList &conversionList();

// Its parts, one for each chapter.
void addSpecialRegisters(ConversionList &list);
void addBarriers(ConversionList &list);
void addCopies(ConversionList &list);
void addProducts(ConversionList &list);
void addWarpOperations(ConversionList &list);

/// f32 (or a vector of it) rounded to bf16, to nearest even, NaN to the canonical one as cvt.rn.bf16 does
/// (PTX: 9.7.9.21), by integer arithmetic.
mlir::Value roundToBfloat16(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value);

} // namespace compiler
