// How the work of an element-wise kernel is cut into tasks.
#pragma once

#include "dialects/tile/tile.h"

#include <cstdint>

namespace compiler {

/// Rows and columns of the domain that one worker owns; 0: all of them. It follows from the kernel alone, so
/// that the order in which sums are added does not depend on who adds them.
struct ElementwiseTask {
  int64_t rows = 0, columns = 0;
};

/// Threads of a GPU's block for the kernel, and how many of them have a row together where results are per
/// row.
int64_t gpuThreads(tile::ElementwiseOp kernel);
int64_t gpuThreadsOfRow(tile::ElementwiseOp kernel);
/// Elements of a row that a thread of a GPU takes at a time: with vectors of bf16 alone eight, otherwise
/// four.
int64_t gpuVector(tile::ElementwiseOp kernel);
/// Of a block of threads of a GPU.
ElementwiseTask gpuTask(tile::ElementwiseOp kernel);

/// Of a thread of the CPU: enough elements that handing the task out costs little.
ElementwiseTask cpuTask(tile::ElementwiseOp kernel);

} // namespace compiler
