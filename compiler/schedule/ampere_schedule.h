// Schedules of the kernels whose threads copy: the target sm_80, every NVIDIA GPU since Ampere.
#ifndef ALGCTL_COMPILER_SCHEDULE_AMPERE_SCHEDULE_H
#define ALGCTL_COMPILER_SCHEDULE_AMPERE_SCHEDULE_H

#include "algebras/layer.h"
#include "compiler/schedule/bank_gradient_work.h"
#include "compiler/schedule/coefficients.h"
#include "compiler/schedule/gpu_machine.h"
#include "compiler/schedule/projection_work.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace compiler {

/// Of the gradient of the bank, rows are those of a tile of dW, features of X, and the depth is rows of X and
/// dY.
struct AmpereSchedule {
  std::int64_t rows = 64;        ///< rows of a tile, a multiple of 16 for each row of warps
  std::int64_t columns = 128;    ///< columns of a tile, within one output group
  std::int64_t depth = 32;       ///< depth of one stage: 16, 32 or 64
  std::int64_t stages = 0;       ///< stages in the ring; 0: `usual_ampere_stages`, or as many as fit
  std::int64_t warp_rows = 2;    ///< warps that share the rows of a tile,
  std::int64_t warp_columns = 2; ///< and its columns
  std::int64_t vector = 0;       ///< elements that a thread copies at a time: 1, 2, 4 or 8; 0: the widest
  /// Groups of each type, those with the most terms, whose tiles come before all others. 0: tiles come as
  /// they are numbered.
  std::int64_t long_groups = 0;

  std::int64_t warps() const { return warp_rows * warp_columns; }
  std::int64_t threads() const { return warps() * 32; }
  bool operator==(const AmpereSchedule &) const = default;
};

/// "rows=64,columns=128,depth=32,stages=4,warps=2x2,vector=8"; what is not named keeps its default.
/// algebras::InputError says what is wrong with a text; whether the numbers go together is for whyIllegal.
AmpereSchedule parseAmpereSchedule(std::string_view text);
/// Whether a schedule says how warps share a tile or what a thread copies at a time, so that it is one of
/// these.
bool isForThreads(std::string_view schedule);
std::string toString(const AmpereSchedule &schedule);

/// The widest vector that divides the widths of a layer's groups, and with them all strides. The operands of
/// a product have to be aligned to it.
std::int64_t widestVector(const algebras::Layer &layer);

/// Shared memory of a block: what the smallest machines of the family have, compute capability 8.6 and 8.9,
/// so that one kernel runs on all.
inline constexpr std::int64_t ampere_shared_bytes = 99 * 1024;
/// Of one stage. Every slot begins at a multiple of the widest swizzle's period.
std::int64_t ampereStageBytes(std::int64_t rows, std::int64_t columns, std::int64_t depth);
std::int64_t ampereStagesThatFit(const AmpereSchedule &schedule);
/// More hide no more, and keep other blocks off the multiprocessor.
inline constexpr std::int64_t usual_ampere_stages = 4, most_ampere_stages = 8;

/// Vectors that one thread copies for one stage, rounded up.
std::int64_t copiesOfThread(const AmpereSchedule &schedule);
/// Of single elements, which go through registers: with more than these, ptxas 12.9 may spill whatever room
/// there is, which is legal and not worth a look.
inline constexpr std::int64_t most_single_copies = 20;

/// Why a schedule cannot be.
struct AmpereRefusal {
  std::string kind;   ///< "registers", "shared memory", ...
  std::string reason; ///< a sentence that names what exceeds what
};
/// Nothing for a legal one. The coefficients are those of the layer's terms, which take long to look through
/// where there are many.
std::optional<AmpereRefusal> refusal(const algebras::Layer &layer, const AmpereSchedule &schedule,
                                     Coefficients coefficients);
/// The same of the gradient of the layer's bank.
std::optional<AmpereRefusal> bankGradientRefusal(const algebras::Layer &layer, const AmpereSchedule &schedule,
                                                 Coefficients coefficients);
/// The reason of the refusal; empty for a legal schedule.
std::string whyIllegal(const algebras::Layer &layer, const AmpereSchedule &schedule);
/// A legal schedule with its stages and its vector filled in.
AmpereSchedule completed(const algebras::Layer &layer, AmpereSchedule schedule);

/// A schedule that was looked at: filled in where it is a candidate.
struct AmpereConsidered {
  AmpereSchedule schedule;
  std::optional<AmpereRefusal> refusal; ///< what is illegal, or not worth a look
};
/// Tiles, stages and arrangements of warps, all with the vector (0: the widest).
std::vector<AmpereConsidered> considerAmpere(const algebras::Layer &layer, std::int64_t vector);
/// The same for the gradient of the layer's bank.
std::vector<AmpereConsidered> considerAmpereBankGradient(const algebras::Layer &layer, std::int64_t vector);
/// Every legal schedule worth considering for a layer.
std::vector<AmpereSchedule> ampereCandidates(const algebras::Layer &layer, std::int64_t vector);

/// Where the time of one forward product would go, in microseconds.
struct AmpereCost {
  // How long each part of the machine would be busy on its own.
  double memory = 0;     ///< X, the bank and Y once each at the rate of a copy
  double loads = 0;      ///< from the second-level cache, in sectors of 32 bytes
  double products = 0;   ///< tensor cores, zeros of tiles that are not full among them
  double shared = 0;     ///< reading and writing shared memory
  double issue = 0;      ///< instructions; copies of short vectors are many
  double latency = 0;    ///< steps that wait for themselves, where too few blocks share a multiprocessor
  double tiles_ends = 0; ///< filling the ring, storing the sums; passing over numbers without rows

  double launch = 0;   ///< once
  double grouping = 0; ///< where rows come from a list: making it
  double tail = 0;     ///< multiprocessors without a tile in the last wave
  double unhidden = 0; ///< what the second longest of memory, loads and multiprocessor does not hide
  double tiles = 0;    ///< of the result, those without rows left out

  /// Of the multiprocessors: the longest of what a step does, and the ends of tiles.
  double multiprocessor() const;
  enum class Part { Memory, Loads, Multiprocessor };
  Part boundBy() const;
  double bound() const;
  double total() const;
};
AmpereCost ampereCost(const ProjectionWork &work, const AmpereSchedule &schedule, algebras::DataType output,
                      const GpuMachine &machine);

/// The same of the gradient of the bank, whose tiles are all of dW.
AmpereCost ampereBankGradientCost(const BankGradientWork &work, const AmpereSchedule &schedule,
                                  algebras::DataType output, const GpuMachine &machine);

/// The cheapest candidate for `m` rows with the vector (0: the widest) on a machine, the first one listed
/// among equals. Throws algebras::InputError for a vector that the layer does not allow.
AmpereSchedule chooseAmpereSchedule(const algebras::Layer &layer, std::int64_t m, algebras::DataType output,
                                    std::int64_t vector, const GpuMachine &machine);
AmpereSchedule chooseAmpereBankGradient(const algebras::Layer &layer, std::int64_t m,
                                        algebras::DataType output, std::int64_t vector,
                                        const GpuMachine &machine);

} // namespace compiler

#endif
