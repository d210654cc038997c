// Schedules: how a kernel cuts what it computes into tiles and who brings the operands, as data with one text
// form. Kernels of GPUs whose operands come in stages have one type of schedule, whoever brings them.
#pragma once

#include "compiler/schedule/targets.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace compiler {

/// Who copies the stages of the operands into shared memory, and what multiplies them.
enum class Copies {
  Engine, ///< the copy engine moves blocks, by tensor maps, and wgmma multiplies
  Threads ///< threads copy vectors from any address, and mma.sync multiplies
};

/// What the tiles that run at one time have in common: they are numbered with this axis the slowest.
enum class OuterAxis {
  Types, ///< rows of X: all groups of a block of rows, then the next type
  Groups ///< columns of the weight matrix: all rows of a group, then the next group
};

/// A tensor-core instruction multiplies 64 of one side, M, with 8 to 256 of the other, N.
enum class RowSide {
  M, ///< a warpgroup holds 64 rows of a tile and all of its columns
  N  ///< a warpgroup holds 64 columns of a tile and all of its rows, of which there may then be as few as 8
};

/// Kernels of GPUs whose operands come in stages. Of the gradient of the weight matrix rows are features of
/// X, and the depth is rows of X and dY.
struct StagedSchedule {
  int64_t rows = 128;    ///< rows of a tile, of each of its types
  int64_t columns = 128; ///< columns of a tile, within one output group
  int64_t depth = 64;    ///< depth of one stage: 16, 32 or 64
  int64_t stages = 0;    ///< stages in the ring; 0: as many as fit, of threads at most `usual_ampere_stages`
  Copies copies = Copies::Engine;

  // Of threads that copy:
  int64_t warp_rows = 0;    ///< warps that share the rows of a tile, of which each has a multiple of 16,
  int64_t warp_columns = 0; ///< and its columns
  int64_t vector = 0;       ///< elements that a thread copies at a time: 1, 2, 4 or 8; 0: the widest

  // Of the copy engine; 64 rows or columns of a tile are for each warpgroup that multiplies.
  /// Row types of a tile. Of a complete graph they share the diagonal block of the tile's group, which is
  /// then loaded once for all.
  int64_t types = 1;
  /// Thread blocks of a cluster: this many blocks of rows, which share blocks of the weight matrix,
  int64_t cluster_rows = 1;
  /// times as many blocks of columns, which share rows of X. What is shared is loaded once and sent to all.
  int64_t cluster_columns = 1;
  /// Groups that a thread block goes through while something of its type's own group stays where it is: of a
  /// product the rows of X, in shared memory; of a gradient of X the sums, in registers, so that every block
  /// of dY comes once. 0: none.
  int64_t stationary_groups = 0;
  OuterAxis outer = OuterAxis::Types;
  RowSide rows_on = RowSide::M;
  /// Warpgroups, or groups of them, that take turns: each has every so manieth tile of the block, and
  /// multiplies while the others write their sums. 1: all work on every tile.
  int64_t ping_pong = 1;
  /// Thread blocks of a cluster that own each tile together: every one takes a part of its steps, and stores
  /// a part of the result.
  int64_t split_k = 1;

  /// Groups of each type, those with the most terms, whose tiles come before all others; blocks divide them
  /// alone then. 0: tiles come as they are numbered.
  int64_t longest_first = 0;

  /// One of threads that copy, with the defaults of those.
  static constexpr StagedSchedule ofThreads(int64_t rows = 64, int64_t columns = 128, int64_t depth = 32,
                                            int64_t stages = 0, int64_t warp_rows = 2,
                                            int64_t warp_columns = 2, int64_t vector = 0) {
    return {rows, columns, depth, stages, Copies::Threads, warp_rows, warp_columns, vector};
  }

  bool isForThreads() const { return copies == Copies::Threads; }
  int64_t warps() const { return warp_rows * warp_columns; }
  /// That multiply.
  int64_t warpgroups() const { return ping_pong * warpgroupsOfTile(); }
  int64_t warpgroupsOfTile() const { return rows_on == RowSide::M ? types * rows / 64 : columns / 64; }
  /// Of the instruction's side N: a thread holds half as many sums.
  int64_t instructionWidth() const { return rows_on == RowSide::M ? columns : rows; }
  /// With the warpgroup that loads for others, where there is one.
  int64_t threads() const { return isForThreads() ? warps() * 32 : (warpgroups() + 1) * 128; }
  bool sharesTypes() const { return types > 1 || stationary_groups > 0; }
  int64_t cluster() const { return cluster_rows * cluster_columns; }
  /// That run together: blocks of a cluster, whatever they do there.
  int64_t blocksTogether() const { return cluster() * split_k; }
  bool operator==(const StagedSchedule &) const = default;
};

/// Kernels of two layers whose operands come in stages, by the copy engine: a block of threads goes through
/// consecutive output groups with one block of rows of a type. The hidden group of that type stays in shared
/// memory, every other one is made for its own output group, some columns at a time, and multiplied from the
/// registers that hold it. A tile has all columns of an output group.
struct StagedChainedSchedule {
  int64_t rows = 64;             ///< of a tile, of each of its types: 64 for each warpgroup that multiplies
  int64_t hidden = 64;           ///< columns of a hidden group that are made at a time: 16, 32 or 64
  int64_t depth = 64;            ///< depth of one stage of the first layer: 16, 32 or 64
  int64_t stages = 0;            ///< in the ring of the first layer's blocks; 0: as many as fit
  int64_t next_stages = 2;       ///< in that of the second layer's
  int64_t stationary_groups = 1; ///< output groups of a turn
  /// Consecutive row types of a tile, which share the blocks of both layers that belong to an output group.
  int64_t types = 1;
  /// Groups of X that are there at a time beside the types' own: 2 let the next one come ahead.
  int64_t row_stages = 2;
  /// Thread blocks of a cluster: so many tiles that follow one another in types, which load the blocks that
  /// belong to an output group for each other, too. The ring of a layer is divided into one for these and one
  /// for the types' own.
  int64_t cluster_types = 1;
  /// 1: blocks of weights that belong to one of the tile's own types leave the cache before anything else. No
  /// other tile reads them where a type has no more rows than a tile.
  int64_t evict_first = 0;
  /// 1: hidden columns are multiplied by the second layer's blocks after the first layer's products of the
  /// next ones, whose maps then run beside the second layer's products.
  int64_t overlap = 0;
  /// 2: two warpgroups have the same rows, and take the chunks of hidden columns in turn, so that one maps
  /// while the other multiplies. The second one adds up the sums of both.
  int64_t ping_pong = 1;

  /// That multiply, and that have rows of their own.
  int64_t warpgroups() const { return ping_pong * warpgroupsOfTile(); }
  int64_t warpgroupsOfTile() const { return types * rows / 64; }
  int64_t threads() const { return (warpgroups() + 1) * 128; }
  bool operator==(const StagedChainedSchedule &) const = default;
};

/// Kernels of vector reductions: products of few rows, each perhaps of a type of its own. A block of threads
/// owns `rows` consecutive rows of the batch and `columns` columns of an output group. `lanes` of its threads
/// stand side by side along the columns, in `slices` that divide the depth of every term.
struct ReductionSchedule {
  int64_t slices = 32;
  int64_t rows = 1;
  int64_t columns = 64;
  int64_t vector = 0; ///< elements that a thread reads at a time: 1, 2, 4 or 8; 0: the widest

  int64_t lanes() const { return columns / vector; }
  int64_t threads() const { return lanes() * slices; }
  int64_t warps() const { return threads() / 32; }
  bool operator==(const ReductionSchedule &) const = default;
};

/// Kernels of two layers for few rows, each perhaps of a type of its own: a cluster of blocks owns `rows`
/// consecutive rows of the batch and an output group. Each block makes its share of the columns of the hidden
/// groups that the rows' terms read, `hidden` at a time, and multiplies them, `columns` of the output group
/// at a time; the blocks add up their sums. Threads stand side by side along the columns of either layer, in
/// as many slices as there are left.
struct ChainedReductionSchedule {
  int64_t slices = 32; ///< of the first layer
  int64_t rows = 1;
  int64_t hidden = 64;
  int64_t columns = 64;
  int64_t vector = 0; ///< elements that a thread reads at a time: 1, 2, 4 or 8; 0: the widest
  int64_t cluster = 1;

  /// The two layers' own; `vector` is not 0, and `columns` divides what the threads read at a time.
  ReductionSchedule first() const { return {slices, rows, hidden, vector}; }
  ReductionSchedule last() const { return {threads() * vector / columns, rows, columns, vector}; }
  int64_t threads() const { return hidden / vector * slices; }
  bool operator==(const ChainedReductionSchedule &) const = default;
};

/// How a kernel reads the weight matrix; see `#tile.schedule` in the tile dialect.
enum class WeightAccess { Packed, Copied, Direct };

/// What multiplies on a CPU.
enum class MultiplyUnit {
  Vectors, ///< vector instructions
  Amx      ///< the matrix unit of Intel's AMX: bf16 in blocks of 16 rows, 32 depths and 16 columns
};

/// Products on a CPU. Lanes and pairs follow from the machine and the layer, and are not in the text.
struct CpuSchedule {
  int64_t types = 1;             ///< row types that one task owns
  int64_t rows = 64;             ///< rows of each of them, a multiple of register_rows
  int64_t register_rows = 8;     ///< rows of the register tile
  int64_t register_columns = 48; ///< columns of the register tile, a multiple of lanes
  int64_t lanes = 16;            ///< f32 in one vector
  WeightAccess weights = WeightAccess::Packed;
  bool pairs = false; ///< bf16 in pairs through the machine's dot product, or its matrix unit
  MultiplyUnit unit = MultiplyUnit::Vectors;

  /// Depths that are multiplied at a time. Groups of X and of the weight matrix are filled up with zeros.
  int64_t depth() const { return unit == MultiplyUnit::Amx ? amx_depth : pairs ? 2 : 1; }
  static constexpr int64_t amx_rows = 16, amx_columns = 16, amx_depth = 32;
  /// AMX has eight registers of its own: so many for squares of sums, two for each operand.
  static constexpr int64_t amx_sums = 4;
  bool operator==(const CpuSchedule &) const = default;
};

/// The gradient of the weight matrix on a CPU: what one task owns of dW, and how it is summed up.
struct CpuGradientSchedule {
  int64_t features = 64;         ///< rows of dW that one task owns, a multiple of register_features
  int64_t columns = 192;         ///< columns that it owns, a multiple of register_columns
  int64_t rows = 64;             ///< rows of X and dY that are brought at a time
  int64_t register_features = 8; ///< rows of the register tile
  int64_t register_columns = 48; ///< columns of the register tile, a multiple of lanes
  int64_t lanes = 16;            ///< f32 in one vector
  bool pairs = false; ///< bf16 in pairs of rows through the machine's dot product, or its matrix unit
  MultiplyUnit unit = MultiplyUnit::Vectors;

  /// Rows of X and dY that are multiplied at a time. What a type has less of is filled up with zeros.
  int64_t depth() const { return unit == MultiplyUnit::Amx ? CpuSchedule::amx_depth : pairs ? 2 : 1; }
  bool operator==(const CpuGradientSchedule &) const = default;
};

using Schedule = std::variant<StagedSchedule, ReductionSchedule, CpuSchedule, CpuGradientSchedule>;

/// Entries by their names, "rows=64,columns=128,depth=32,stages=4,warps=2x2,vector=8". What most schedules of
/// a kind leave as it is, is written only where it is something else.
std::string toString(const Schedule &schedule);

/// Reads a schedule for a GPU target with such kernels: one with an entry `reduce` is of vector reductions,
/// one with `warps` or `vector` of threads that copy, another of the kernels that the target has for most
/// layers. What is not named keeps its default. Throws algebras::InputError, with a hint how to write one,
/// for what is no entry of that kind, given twice or no number; whether the numbers go together is for
/// `whyIllegal`.
Schedule parseSchedule(std::string_view text, Kernels kernels);
/// The same where it is known of which kind the schedule is.
StagedSchedule parseStaged(std::string_view text, Copies copies);
ReductionSchedule parseReduction(std::string_view text);

/// The same of kernels of two layers, "rows=64,hidden=64,depth=64,stages=4x2,stationary=8".
std::string toString(const StagedChainedSchedule &schedule);
StagedChainedSchedule parseStagedChained(std::string_view text);
std::string toString(const ChainedReductionSchedule &schedule);
ChainedReductionSchedule parseChainedReduction(std::string_view text);
/// Whether a text is read as one of these: of two layers, by stages or by vector reductions.
bool isStagedChained(std::string_view text);
bool isChainedReduction(std::string_view text);

/// Whether a schedule is of vector reductions; of a text, whether it is read as one.
inline bool isReduction(const Schedule &schedule) {
  return std::holds_alternative<ReductionSchedule>(schedule);
}
bool isReduction(std::string_view text);
/// Whether threads copy blocks into shared memory. Kernels for targets with a copy engine wait for the grid
/// before them by themselves, but for these.
inline bool isForThreads(const Schedule &schedule) {
  const auto *staged = std::get_if<StagedSchedule>(&schedule);
  return staged && staged->isForThreads();
}

} // namespace compiler
