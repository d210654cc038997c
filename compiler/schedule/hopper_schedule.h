// Schedules of the Hopper kernels: the tile that a thread block owns, how deep its operands come, and what
// that costs.
#ifndef ALGCTL_COMPILER_SCHEDULE_HOPPER_SCHEDULE_H
#define ALGCTL_COMPILER_SCHEDULE_HOPPER_SCHEDULE_H

#include "algebras/layer.h"
#include "compiler/schedule/gpu_machine.h"
#include "compiler/schedule/projection_work.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace compiler {

/// Elements of Y: the kernels multiply bf16 and add in f32.
enum class HopperOutput { BF16, F32 };

/// "bf16" or "f32".
std::string toString(HopperOutput output);
algebras::DataType dataType(HopperOutput output);

/// What the tiles that run at one time have in common: they are numbered with this axis the slowest.
enum class OuterAxis {
  Types, ///< rows of X: all groups of a block of rows, then the next type
  Groups ///< columns of the bank: all rows of a group, then the next group
};

/// A tensor-core instruction multiplies 64 of one side, M, with 8 to 256 of the other, N.
enum class RowSide {
  M, ///< a warpgroup holds 64 rows of a tile and all of its columns
  N  ///< a warpgroup holds 64 columns of a tile and all of its rows, of which there may then be as few as 8
};

struct HopperSchedule {
  std::int64_t rows = 128; ///< rows of a tile, of each of its types: 64 for every warpgroup that multiplies
  std::int64_t columns = 128; ///< columns of a tile, within one output group
  std::int64_t depth = 64;    ///< depth of one stage: 16, 32 or 64
  std::int64_t stages = 0;    ///< stages in the ring; 0: as many as fit

  /// Row types of a tile. Of a complete graph they share the diagonal block of the tile's group, which is
  /// then loaded once for all.
  std::int64_t types = 1;
  /// Thread blocks of a cluster: this many blocks of rows, which share blocks of the bank,
  std::int64_t cluster_rows = 1;
  /// times as many blocks of columns, which share rows of X. What is shared is loaded once and sent to all.
  std::int64_t cluster_columns = 1;
  /// Groups that a thread block goes through while the rows of X of its own group stay in shared memory. 0:
  /// none, they come with every group.
  std::int64_t held_groups = 0;
  OuterAxis outer = OuterAxis::Types;
  RowSide rows_on = RowSide::M;
  /// Warpgroups, or groups of them, that take turns: each has every so manieth tile of the block, and
  /// multiplies while the others write their sums. 1: all work on every tile.
  std::int64_t turns = 1;
  /// Thread blocks of a cluster that own each tile together: every one takes a part of its steps, and stores
  /// a part of the result.
  std::int64_t split = 1;
  /// Groups of each type, those with the most terms, whose tiles come before all others; blocks divide them
  /// alone then. 0: tiles come as they are numbered.
  std::int64_t long_groups = 0;

  /// That multiply.
  std::int64_t warpgroups() const { return turns * warpgroupsOfTile(); }
  std::int64_t warpgroupsOfTile() const { return rows_on == RowSide::M ? types * rows / 64 : columns / 64; }
  /// Of the instruction's side N: a thread holds half as many sums.
  std::int64_t instructionWidth() const { return rows_on == RowSide::M ? columns : rows; }
  /// With the warpgroup that loads.
  std::int64_t threads() const { return (warpgroups() + 1) * 128; }
  std::int64_t cluster() const { return cluster_rows * cluster_columns; }
  /// That run together: blocks of a cluster, whatever they do there.
  std::int64_t blocksTogether() const { return cluster() * split; }
  bool operator==(const HopperSchedule &) const = default;
};

/// "rows=128,columns=96,depth=64,stages=3,cluster=2x1"; what is not named keeps its default.
/// algebras::InputError says what is wrong with a text; whether the numbers go together is for whyIllegal to
/// say.
HopperSchedule parseHopperSchedule(std::string_view text);
std::string toString(const HopperSchedule &schedule);

/// Whether tensor maps can address a layer's operands and the coefficients are signs: then the copy engine
/// moves the blocks. For other layers the kernels of sm_80, whose threads copy, are compiled for sm_90a.
bool copyEngineTakes(const algebras::Layer &layer);

/// What the kernels whose blocks the copy engine moves cannot do with a layer, whatever the schedule: throws
/// algebras::InputError with a hint.
void requireHopperLayer(const algebras::Layer &layer);

/// Registers of each thread while the roles run: what the file has, dealt out in multiples of 8.
struct HopperRegisters {
  std::int64_t load, multiply;
};
HopperRegisters hopperRegisters(std::int64_t warpgroups);
inline constexpr std::int64_t most_warpgroups = 4; ///< that multiply

/// Shared memory of a block: what it has, and what a schedule's stages and its staging of the result take.
inline constexpr std::int64_t hopper_shared_bytes = 227 * 1024;
/// Of that, for barriers and for aligning the rest.
inline constexpr std::int64_t reserved_shared_bytes = 2048;
std::int64_t stageBytes(const HopperSchedule &schedule);
std::int64_t stagingBytes(const HopperSchedule &schedule, HopperOutput output);
/// Where the others of a split leave their sums.
std::int64_t exchangeBytes(const HopperSchedule &schedule);
/// What held rows take, of input groups `k` wide.
std::int64_t heldBytes(const HopperSchedule &schedule, std::int64_t k);
/// The stages that fit beside the staging of the result, the exchange of sums and `held` bytes, at most
/// `most_stages`.
std::int64_t stagesThatFit(const HopperSchedule &schedule, HopperOutput output, std::int64_t held = 0);
inline constexpr std::int64_t most_stages = 16;

/// Why a schedule cannot be.
struct HopperRefusal {
  std::string kind;   ///< "registers", "shared memory", ...
  std::string reason; ///< a sentence that names what exceeds what
};
/// Nothing for a legal one.
std::optional<HopperRefusal> refusal(const algebras::Layer &layer, const HopperSchedule &schedule,
                                     HopperOutput output);
/// The reason of the refusal; empty for a legal schedule.
std::string whyIllegal(const algebras::Layer &layer, const HopperSchedule &schedule, HopperOutput output);

/// A schedule that was looked at: its stages filled in where it is a candidate.
struct HopperConsidered {
  HopperSchedule schedule;
  std::optional<HopperRefusal> refusal; ///< what is illegal, or not worth a look
};
/// Every combination of rows, columns and depth that the machine has instructions for, and of those that are
/// candidates every cluster of up to 4 blocks and every split, and where some groups stand out these first.
std::vector<HopperConsidered> considerHopper(const algebras::Layer &layer, HopperOutput output);

/// Every legal schedule worth considering for a layer, its stages filled in.
std::vector<HopperSchedule> hopperCandidates(const algebras::Layer &layer, HopperOutput output);

/// Where the time of one forward product would go, in microseconds.
struct HopperCost {
  // How long each part of the machine would be busy on its own.
  double memory = 0;   ///< X, the bank and Y once each at the rate of a copy, and what falls out of the cache
  double loads = 0;    ///< from the second-level cache into shared memory; short rows take longer
  double products = 0; ///< tensor cores on the elements that the layer has
  double padding = 0;  ///< the same on zeros of tiles that are not full, or slowly in narrow tiles
  double feeding = 0;  ///< tensor cores waiting for barriers and for the thread that issues copies
  double store = 0;    ///< the same while sums go to shared memory and the pipeline of a tile runs empty

  // What comes on top of the longest.
  double launch = 0;   ///< once
  double tail = 0;     ///< processors without a tile in the last wave, or with less to do than the busiest
  double unhidden = 0; ///< what the second and third longest do not hide behind the longest
  double caution = 0;  ///< what further warpgroups, shallow stages and clusters have to save to be trusted

  double tiles = 0; ///< of the result, in whole clusters; clusters without rows are left out
  double turns =
      0; ///< what a block takes at a time: tiles, shares of them, or where rows are held walks over groups
  double waves = 0; ///< turns of the busiest processor
  /// How much longer it copies and multiplies than all do on average.
  double uneven_loads = 1, uneven_tensor = 1;

  /// Of the warpgroups that multiply.
  double tensor() const { return products + padding + feeding + store; }
  double total() const;
  enum class Part { Memory, Loads, Tensor };
  /// The longest, where all but memory wait for the busiest processor.
  Part boundBy() const;
  double bound() const;
};
HopperCost hopperCost(const ProjectionWork &work, const HopperSchedule &schedule, HopperOutput output,
                      const GpuMachine &machine);
/// The same for `m` rows of a layer.
HopperCost hopperCost(const algebras::Layer &layer, const HopperSchedule &schedule, HopperOutput output,
                      std::int64_t m, const GpuMachine &machine = h200_machine);

/// The cheapest candidate for `m` rows, the first one listed among equals. Throws as requireHopperLayer does.
HopperSchedule chooseHopperSchedule(const algebras::Layer &layer, std::int64_t m, HopperOutput output,
                                    const GpuMachine &machine);

} // namespace compiler

#endif
