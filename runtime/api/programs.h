// Programs by name, and the types of their operands.
#pragma once

#include "runtime/api/handles.h"

namespace algrt {

// Throws Error(ALGRT_INVALID_ARGUMENT) where the bundle has none of that name, with the names of those that
// it has.
const Program &requireProgram(const algrt_bundle *bundle, const char *name);

// Whose packed weight matrix may stand for an operand of a program: the number of a projection, and which of
// its layers.
struct PackedOperand {
  size_t projection;
  int64_t layer;
  bool operator==(const PackedOperand &) const = default;
};
// That of all steps which read the operand, each as a weight of a forward product. Nothing where they do
// something else with it.
std::optional<PackedOperand> packedOperand(const Bundle &bundle, const Program &program,
                                           std::string_view operand);

DLDataType dlpackType(OperandType type);

} // namespace algrt
