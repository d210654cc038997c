#include "compiler/targets/elementwise/task.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace compiler {

/// A few microseconds of work, and little enough that small batches are divided, too.
constexpr int64_t elements_of_cpu_task = 16384;

/// Columns of a task that sums them: as many as there can be, because each row is another page of memory, and
/// few enough that their sums stay in the first-level cache and that there are tasks for several threads.
static int64_t summedColumns(int64_t columns) {
  constexpr int64_t of_unknown = 512, most = 1024, tasks = 8;
  constexpr int64_t unit = 64; // whole cache lines
  if (ShapedType::isDynamic(columns))
    return of_unknown;
  return std::clamp<int64_t>(llvm::divideCeil(columns, tasks * unit) * unit, unit, most);
}

ElementwiseTask cpuTask(tile::ElementwiseOp kernel) {
  const int64_t columns = kernel.getColumns();
  const bool known = !ShapedType::isDynamic(columns);
  // Rows that have so many elements together.
  const int64_t rows = known ? std::max<int64_t>(elements_of_cpu_task / std::max<int64_t>(columns, 1), 1) : 1;
  switch (kernel.getReducedExtent()) {
  case tile::Per::Element:
    return {rows, known && columns <= elements_of_cpu_task ? 0 : elements_of_cpu_task};
  case tile::Per::Row:
    return {rows, 0};
  case tile::Per::Column:
    return {0, summedColumns(columns)};
  case tile::Per::Call:
    return {0, 0};
  }
  llvm_unreachable("all extents are above");
}

/// A few vectors for each thread.
constexpr int64_t elements_of_gpu_task = 8192;

/// Columns that threads of a block sum side by side, and slices of the rows beside each other. 64 bytes of
/// each row of bf16 are a whole access to the memory, and few enough columns that a matrix as wide as a layer
/// has a block for every multiprocessor, however many rows there are: no sum is divided among blocks.
constexpr int64_t gpu_summed_columns = 32, gpu_row_slices = 16;

int64_t gpuThreads(tile::ElementwiseOp kernel) {
  switch (kernel.getReducedExtent()) {
  case tile::Per::Element:
  case tile::Per::Row:
    return 256;
  case tile::Per::Column: // slices of the rows side by side
    return gpu_row_slices * gpu_summed_columns;
  case tile::Per::Call: // one block has everything
    return 1024;
  }
  llvm_unreachable("all extents are above");
}

int64_t gpuVector(tile::ElementwiseOp kernel) {
  const auto is_wide = [&](tile::Per per, Type type) {
    return per != tile::Per::Row && per != tile::Per::Call && type.isF32();
  };
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (is_wide(kernel.getPer(argument.getArgNumber()), argument.getType()))
      return 4;
  for (Operation *op : kernel.getResultOps())
    if (isa<tile::PutOp>(op) && op->getOperand(0).getType().isF32())
      return 4;
  return 8;
}

int64_t gpuThreadsOfRow(tile::ElementwiseOp kernel) {
  const int64_t vectors = llvm::divideCeil(kernel.getColumns(), gpuVector(kernel));
  int64_t threads = 1;
  while (threads < vectors && threads < gpuThreads(kernel))
    threads *= 2;
  return threads;
}

ElementwiseTask gpuTask(tile::ElementwiseOp kernel) {
  const int64_t columns = kernel.getColumns();
  switch (kernel.getReducedExtent()) {
  case tile::Per::Element:
    if (ShapedType::isDynamic(columns) || columns > elements_of_gpu_task)
      return {1, elements_of_gpu_task};
    return {std::max<int64_t>(elements_of_gpu_task / std::max<int64_t>(columns, 1), 1), 0};
  case tile::Per::Row:
    return {gpuThreads(kernel) / gpuThreadsOfRow(kernel), 0};
  case tile::Per::Column:
    return {0, gpu_summed_columns};
  case tile::Per::Call:
    return {0, 0};
  }
  llvm_unreachable("all extents are above");
}

} // namespace compiler
