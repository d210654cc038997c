// Kernels of the sm dialect that are written by hand, in tests/simulator/kernels/Inputs, and what the passes
// make of them.
#pragma once

#include <string>

namespace simulator_test {

// The kernel of a file; throws std::runtime_error where there is none.
std::string writtenKernel(const std::string &file);

// A kernel with values in pipes, with its stages and barriers: sm-multi-buffer and sm-insert-barriers. Throws
// std::runtime_error with what the passes say where they object.
std::string withBarriers(const std::string &kernel);

// That as the module of instructions that the simulator takes.
std::string instructionsOf(const std::string &kernel_with_barriers);

} // namespace simulator_test
