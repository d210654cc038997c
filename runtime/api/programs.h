// Programs by name, and the types of their operands.
#pragma once

#include "runtime/api/handles.h"

namespace algrt {

// Throws Error(ALGRT_INVALID_ARGUMENT) where the bundle has none of that name, with the names of those that
// it has.
const Program &requireProgram(const algrt_bundle *bundle, const char *name);

// The number of the projection whose packed weight matrix may stand for an operand of the program: that of
// all steps which read it, each as a weight of a forward product. Nothing where they do something else with
// it.
std::optional<size_t> packedProjection(const Bundle &bundle, const Program &program,
                                       std::string_view operand);

DLDataType dlpackType(OperandType type);

} // namespace algrt
