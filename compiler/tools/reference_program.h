// Programs and their kernels in double precision, for commands that compare.
#pragma once

#include "compiler/tools/program_tools.h"

namespace compiler {

/// As ProgramTools::evaluate says.
ReferenceArrays evaluateProgram(const std::string &text, const std::string &program,
                                const ReferenceArrays &operands, const ReferencePositions &positions,
                                unsigned rounding);

/// The results of the one function of a module, in their order, for m rows. Of each argument
/// `operands` says what a kernel calls it, and `operand` gives the elements of that; `rounding` as there.
std::vector<ReferenceArray>
evaluateKernel(const std::string &function, const std::vector<std::vector<std::string>> &operands, int64_t m,
               const ReferencePositions &positions, unsigned rounding,
               const std::function<std::vector<double>(const std::string &operand)> &operand);

} // namespace compiler
