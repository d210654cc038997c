// Programs by name, and the types of their operands.
#pragma once

#include "runtime/api/handles.h"

namespace algrt {

// Throws Error(ALGRT_INVALID_ARGUMENT) where the bundle has none of that name, with the names of those that
// it has.
const Program &requireProgram(const algrt_bundle *bundle, const char *name);

DLDataType dlpackType(OperandType type);

} // namespace algrt
