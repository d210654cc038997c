// Another machine for the cost model, as `algctl doctor --json` described it there.
#pragma once

#include "compiler/schedule/host_level.h"

#include <string>

namespace compiler {

// Its level, its threads as cores, and whether it has dot products of bf16 pairs. Throws algebras::InputError
// for a file that is no such description, naming what is missing.
CpuMachine readMachine(const std::string &path);

} // namespace compiler
