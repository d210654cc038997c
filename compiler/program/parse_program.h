// Programs as users write them: functions of the alg dialect in the text of MLIR.
#pragma once

#include "compiler/spec/program_spec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace compiler {

/// The module, in which the locations of values have the names that the text gives them (value_names.h),
/// around their places in the file. The context must have the alg, arith, func and math dialects loaded. Null
/// after an error at its place; throws algebras::InputError for a text that is nested too deeply to be read.
mlir::OwningOpRef<mlir::ModuleOp> parseProgram(mlir::MLIRContext &context, const ProgramFile &file);

/// Whether all functions of a module are programs that bundles can hold. They are public, of one block, and
/// made of operations of alg, arith and math. Arguments and results have names of their own; they are tensors
/// of f32 or bf16 of which the first size alone may be unknown, the rows of the batch, and arguments may be
/// numbers of f32, a vector of row types, and a position of the first row, which all views of activations
/// have then. Otherwise an error at what is not so.
mlir::LogicalResult checkPrograms(mlir::ModuleOp module);

} // namespace compiler
