// The operands of a product as a kernel addresses them: the four dimensions of runtime/gpu_kernel_abi.h,
// whoever moves the blocks. Arithmetic alone, without allocations: a call may try several kernels.
#pragma once

#include "runtime/bundle/gpu_kernel.h"
#include "runtime/gpu_kernel_abi.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace algrt::cuda {

// A matrix in global memory, row-major, rows `leading_dimension` elements apart.
struct Operand {
  uint64_t address;
  int64_t leading_dimension;
};

// In the order of a kernel's maps. Of the map dx, x is dY and y is dX; of dw, w is dY and y is dW.
struct Operands {
  Operand x, w, y;
  // Of a fused layer what its kernels take beside these, in the order of FurtherOperand; of an operand for
  // each column only the address counts, and of a number nothing does.
  std::span<const Operand> further = {};
  // Above 0: rows are divided among so many experts. The weights of each lie below those of the one before it
  // as further row groups, their numbers of columns behind.
  int64_t experts = 0;
  // Above 0: rows of x are found by a list, and it has so many, not as many as y.
  int64_t rows_of_x = 0;
  int64_t rowsOfX(int64_t rows_of_y) const { return rows_of_x > 0 ? rows_of_x : rows_of_y; }
};

// What kernels of a fused layer take beside x, w and y: the weights behind the first, the operands of maps,
// and the results behind the first.
struct FurtherOperand {
  enum class Kind { Weight, Operand, Result } kind;
  size_t number; // in the fusion's list of that kind

  static size_t count(const Fusion &fusion);
  static FurtherOperand at(const Fusion &fusion, size_t place);
  // The place of that name among those of a map's kernels, if there is one.
  static std::optional<size_t> find(const Fusion &fusion, Map map, std::string_view name);

  std::string name(const Fusion &fusion, Map map) const;
  ElementType element(const Fusion &fusion, ElementType weights) const;
  // Whether it is a number for each row, or for each column or the call, and so is seen through no map.
  bool isPerRow(const Fusion &fusion) const { return isPer(fusion, FusedOperand::Per::Row); }
  bool hasNoMap(const Fusion &fusion) const {
    return isPer(fusion, FusedOperand::Per::Column) || isPer(fusion, FusedOperand::Per::Call);
  }

private:
  bool isPer(const Fusion &fusion, FusedOperand::Per per) const {
    return kind == Kind::Operand && fusion.operands[number].per == per;
  }
};

// The layer's numbers as a kernel counts them: some groups of the layer may be one to the kernel. `in` is
// what the kernel reads rows of, `out` what it writes: of a gradient of x, the groups of y and of x.
// Where groups are `unequal`, widths are those of the widest.
struct KernelShape {
  Map map;
  bool listed;         // rows are where a row list says, grouped by type
  bool unequal;        // groups are where the lists say with which the terms table begins
  bool interval;       // the rows of a type run one after another
  bool joins_runs;     // ... and all whole runs of a type are one segment
  int64_t types;       // of rows
  int64_t period, run; // rows until the types repeat; rows of a run, 1 for cyclic types and the slot lift
  int64_t in_groups, in_width;
  int64_t out_groups, out_width;
  // The weight matrix as it lies in memory: row groups of a height, and groups of columns, one in the slot
  // lift.
  int64_t weight_row_groups, weight_height, weight_groups, weight_width;
  // Networks whose weight matrices lie one below the other; `weight_row_groups` and `weightRows` are of one.
  int64_t networks = 1;
  // What a row list has of rows that are listed: of each network the rows of each type.
  int64_t listedSegments() const { return types * networks; }
  // Columns of what is read and of what is written, columns and rows of the weight matrix.
  int64_t k_total, n_total, weight_columns_total, weight_rows_total;
  // Every group of what is read and of what is written begins at a multiple of so many columns.
  int64_t in_granule, out_granule;

  int64_t k() const { return k_total; }
  int64_t n() const { return n_total; }
  int64_t weightColumns() const { return weight_columns_total; }
  int64_t weightRows() const { return weight_rows_total; }
  // What the operand x and the result y are called.
  const char *rowsName() const { return operandNames(map).x; }
  const char *secondName() const { return operandNames(map).w; }
  const char *resultName() const { return operandNames(map).y; }
  bool isWeightGradient() const { return map == Map::Dw; }
  // Rows of x and y are one segment, whatever their types: for kernels of vector reductions.
  bool as_they_lie = false;
  // Maps of an operand that has rows. A gradient of the weight matrix also sees all of them as they lie.
  int64_t rowMaps() const {
    if (as_they_lie)
      return 1;
    if (listed)
      return algrt_listed_row_maps;
    const int64_t of_types = joins_runs ? algrt_joined_row_maps
                             : interval ? algrt_interval_row_maps
                                        : algrt_cyclic_row_maps;
    return of_types + (isWeightGradient() ? 1 : 0);
  }
  // Words of the lists with which the terms table begins, and where in it each of the layer's is: of its
  // input groups, its output groups and its weight matrix's row groups.
  int64_t listWords() const { return unequal ? rowGroupList() + weight_row_groups + 1 : 0; }
  int64_t inputList() const { return 0; }
  int64_t outputList() const { return (map == Map::Dx ? out_groups : in_groups) + 1; }
  int64_t rowGroupList() const { return outputList() + (map == Map::Dx ? in_groups : out_groups) + 1; }
};

// `groups` as GpuKernel has it: 0 for those of the layer.
KernelShape kernelShape(const Layer &layer, Map map, int64_t groups, RowAccess access = RowAccess::Segments);
KernelShape kernelShape(const Layer &layer, const GpuKernel &kernel, int64_t experts = 0);

// How the rows of a batch of interval types come in runs.
struct RunsOfBatch {
  RunsOfBatch(const KernelShape &shape, int64_t m, int64_t offset);
  int64_t run, types;
  int64_t first_rows; // of the run that row 0 is in the midst of; 0 where one begins there
  int64_t whole;      // runs
  int64_t last_rows;  // behind them

  // Where runs are joined: the numbers of segments, of which those between the types' and the last run's have
  // no rows, and the rows of the longest one.
  int64_t joinedSegments() const;
  int64_t longestJoined() const;
};

// Rows of a batch until the types of its rows repeat; every kernel's period is this or divides it.
int64_t rowTypePeriod(const Layer &layer);

// The element at coordinates c is at address + (c[0] + sum of c[d] * strides[d - 1]) elements, but for
// dimensions that lists take the place of.
struct OperandView {
  uint64_t address;
  std::array<int64_t, 4> extents;
  std::array<int64_t, 3> strides; // elements; 0 where the dimension has one element and is never stepped over
  int64_t granule;                // groups of dimension 1 begin at multiples of it
  // Where in the terms table the groups of dimensions 1 and 3 are listed; -1 where they are not.
  int64_t group_list, row_group_list;
  ViewKind kind;
};

// Those of one operand.
struct ViewsOfOperand {
  int64_t count;
  std::array<OperandView, algrt_most_row_maps> all;
  int row_dimension; // which of the dimensions has the rows of a box: 3, and of the weight matrix 2
  bool listed;       // dimensions 2 and 3 are those of the row list
  int64_t joined;    // rows of a run, above 0: dimensions 2 and 3 are those of joined runs

  // Elements of a box in each dimension, of which `rows` times `columns` have been asked for.
  std::array<int64_t, 4> box(ViewKind kind, int64_t columns, int64_t rows) const;
  std::span<const OperandView> views() const { return std::span(all).first(size_t(count)); }
  // nullptr where there is none.
  const OperandView *find(ViewKind kind) const;
};

struct OperandViews {
  ViewsOfOperand x, w, y;
};

// The views for `m` rows that begin at `offset` within the period. Throws Error(ALGRT_INVALID_ARGUMENT) where
// rows are closer together than they are wide, Error(ALGRT_OUT_OF_MEMORY) where an operand ends beyond the
// last address: no kernel can take these.
OperandViews viewOperands(const KernelShape &shape, ElementType input, ElementType output,
                          const Operands &operands, int64_t m, int64_t offset);

// The same of one of the further operands of a fused layer, which has maps.
ViewsOfOperand viewFurther(const KernelShape &shape, const Layer &layer, size_t place, const Operand &operand,
                           int64_t m, int64_t offset);

} // namespace algrt::cuda
