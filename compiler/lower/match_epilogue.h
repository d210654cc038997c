// The maps of a product in the alg dialect, as the epilogue of its kernel.
#ifndef ALGCTL_COMPILER_LOWER_MATCH_EPILOGUE_H
#define ALGCTL_COMPILER_LOWER_MATCH_EPILOGUE_H

#include "compiler/lower/epilogue.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace compiler {

/// What a function does with a product until it returns it: its bias, and maps one after another, whose other
/// operands are arguments of the function. Values are rounded where their types in the alg program say so.
/// Failure has been reported where the function does something else.
mlir::FailureOr<Epilogue> matchEpilogue(alg::ContractOp product);

} // namespace compiler

#endif
