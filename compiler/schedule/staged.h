// Kernels of GPUs whose operands come in stages: what the machine allows, what is worth a look, and what it
// would cost.
#pragma once

#include "algebras/error.h"
#include "algebras/layer.h"
#include "compiler/schedule/candidates.h"
#include "compiler/schedule/coefficients.h"
#include "compiler/schedule/cost.h"
#include "compiler/schedule/gpu_machine.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/work.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace compiler {

/// What a staged kernel computes: the product of a layer, which is transposed where it is a gradient of X, or
/// the gradient of its weight matrix, with results of type `output`. With `experts`, of a product whose row
/// types are explicit, the rows are divided among so many (RowsOfNetworks).
struct StagedProblem {
  StagedProblem(const algebras::Layer &layer, algebras::DataType output, bool weight_gradient = false,
                int64_t experts = 0)
      : layer(layer), output(output), weight_gradient(weight_gradient), experts(experts),
        coefficients(coefficientsOf(layer.lift)) {}

  const algebras::Layer &layer;
  algebras::DataType output;
  bool weight_gradient;
  int64_t experts;
  Coefficients coefficients; ///< of the layer's terms, which take long to look through where there are many

  /// Weight matrices that rows are multiplied by.
  int64_t weights() const { return weight_gradient ? 1 : layer.fused.weights; }
  /// Whether the sums of a type's own group stay while a block goes through all groups of dY.
  bool hasStationarySums(const StagedSchedule &schedule) const {
    return schedule.stationary_groups > 0 && layer.lift.isTransposed();
  }
  /// Blocks of weight matrices in a step, each of which multiplies the same rows: where sums are stationary,
  /// that of the type's own group comes beside that of the step's group.
  int64_t productsOfStep(const StagedSchedule &schedule) const {
    return weights() * (hasStationarySums(schedule) ? 2 : 1);
  }
};

/// Whether tensor maps can address a layer's operands and the coefficients are signs: then the copy engine
/// moves the blocks. For other layers threads copy on every target.
bool copyEngineTakes(const algebras::Layer &layer);
/// What the copy engine cannot do with a layer, whatever the schedule: throws algebras::InputError with a
/// hint.
void requireHopperLayer(const algebras::Layer &layer);

/// The widest vector that divides the widths of a layer's groups, and with them all strides. The operands of
/// a product have to be aligned to it.
int64_t widestVector(const algebras::Layer &layer);
/// Vectors that one thread copies for one stage, rounded up.
int64_t copiesOfThread(const StagedSchedule &schedule, int64_t weights = 1);
/// Of single elements, which go through registers: with more than these, ptxas 12.9 may spill whatever room
/// there is, which is legal and not worth a look.
inline constexpr int64_t most_single_copies = 20;

/// Registers of each thread while the roles run: what the file has, dealt out in multiples of 8.
struct HopperRegisters {
  int64_t load, multiply;
};
HopperRegisters hopperRegisters(int64_t warpgroups);

/// Columns of a tile of a kernel with several results that maps of so many operations go through and that are
/// stored at a time, where warpgroups multiply.
int64_t piecesOfResults(int64_t columns, int64_t operations);
inline constexpr int64_t widest_piece_of_results = 32;
/// Whether maps compute so much alike for several results, such as the slope of a GELU by tanh, that it takes
/// registers of its own: with 42 operations ptxas 12.9 spilled, with 38 it did not.
inline bool areLongMaps(int64_t operations) { return operations > 40; }
inline constexpr int64_t most_warpgroups = 4; ///< that multiply

/// Shared memory of a block that the copy engine fills, and of that for barriers and for aligning the rest.
inline constexpr int64_t hopper_shared_bytes = 227 * 1024, reserved_shared_bytes = 2048;
/// Of one that threads fill: what the smallest machines have, compute capability 8.6 and 8.9, so that one
/// kernel runs on all.
inline constexpr int64_t ampere_shared_bytes = 99 * 1024;
/// Stages of a ring. Of threads, on sm_80, more than the usual ones hide no more, and keep other blocks off
/// the multiprocessor.
inline constexpr int64_t most_stages = 16, most_ampere_stages = 8, usual_ampere_stages = 4;
/// Every slot of a ring begins at a multiple of the widest swizzle's period.
inline constexpr int64_t slot_period = 1024;

/// Of one stage, with so many blocks of weight matrices.
int64_t stageBytes(const StagedSchedule &schedule, int64_t weight_blocks = 1);
/// Where the result waits for the copy engine. Where threads copy they write theirs from their registers.
int64_t stagingBytes(const StagedSchedule &schedule, algebras::DataType output);
/// Where the others of a split leave their sums.
int64_t reductionBytes(const StagedSchedule &schedule);
/// What stationary rows take.
int64_t stationaryBytes(const StagedProblem &problem, const StagedSchedule &schedule);
/// The stages that fit beside all that.
int64_t stagesThatFit(const StagedProblem &problem, const StagedSchedule &schedule);

/// Nothing for a legal schedule.
MaybeRefusal refusal(const StagedProblem &problem, const StagedSchedule &schedule);
/// The reason of the refusal; empty for a legal schedule.
std::string whyIllegal(const StagedProblem &problem, const StagedSchedule &schedule);
/// A legal schedule with its stages and its vector filled in.
StagedSchedule completed(const StagedProblem &problem, StagedSchedule schedule);

/// All that is looked at of those who copy so, with the vector (0: the widest). Candidates are filled in.
std::vector<Considered<StagedSchedule>> considerStaged(const StagedProblem &problem, Copies copies,
                                                       int64_t vector = 0);

/// Where the time would go, in microseconds. What keeps the machine busy: "memory", the operands and the
/// result once each at the rate of a copy, and what falls out of the cache; "loads" from the second-level
/// cache into shared memory; of the copy engine "shared", the port of shared memory, by which operands of the
/// tensor cores, blocks and sums go; and what multiplies, the parts of which are the cost's `arithmetic`. Of
/// the copy engine that is "tensor", the warpgroups that multiply: "products" of the elements that the layer
/// has, "padding", the same on zeros of tiles that are not full or slowly in narrow tiles, "feeding", waits
/// for barriers and for the thread that issues copies, and "store", while sums go to shared memory and the
/// pipeline of a tile runs empty. Tiles are counted in whole clusters; clusters without rows are left out.
Cost engineCost(const ProjectionWork &work, const StagedSchedule &schedule, algebras::DataType output,
                const GpuMachine &machine);
Cost engineCost(const WeightGradientWork &work, const StagedSchedule &schedule, algebras::DataType output,
                const GpuMachine &machine);
/// Of threads it is "multiprocessor", the longest of what a step does and the ends of tiles. A step does
/// "products", zeros of tiles that are not full among them, reads and writes "shared" memory, issues
/// instructions ("issue"), of which copies of short vectors need many, and waits for itself ("latency") where
/// too few blocks share a multiprocessor. "tile ends" fill the ring, store the sums and pass over numbers
/// without rows.
Cost threadsCost(const ProjectionWork &work, const StagedSchedule &schedule, algebras::DataType output,
                 const GpuMachine &machine);
Cost threadsCost(const WeightGradientWork &work, const StagedSchedule &schedule, algebras::DataType output,
                 const GpuMachine &machine);

/// The costs of several schedules of a problem for `m` rows: its work is counted once.
class StagedCosts {
public:
  StagedCosts(const StagedProblem &problem, int64_t m, const GpuMachine &machine);
  Cost operator()(const StagedSchedule &schedule) const;
  /// Least time that bytes and multiplications allow.
  Floor floor() const;
  /// Of a product.
  const ProjectionWork &product() const { return std::get<ProjectionWork>(work_); }

private:
  std::variant<ProjectionWork, WeightGradientWork> work_;
  algebras::DataType output_;
  const GpuMachine &machine_;
};

/// Whether a kernel of experts can number its tiles, whoever has how many of `m` rows: as many as if one type
/// of one expert had them all, times its types. True of one network.
bool numbersTiles(const StagedProblem &problem, int64_t m, const StagedSchedule &schedule);

/// What to say where no schedule of a layer is legal, whose last candidate was refused for `reason`. Sums of
/// very many products need more registers than a thread has, and their maps more parameters than a launch.
algebras::InputError noSchedule(const algebras::Layer &layer, const std::string &reason);

/// The cheapest candidate for `m` rows with the vector (0: the widest), the first one listed among equals; of
/// experts one that numbers its tiles, if there is any. Nothing where none is legal.
std::optional<StagedSchedule> findStaged(const StagedProblem &problem, Copies copies, int64_t m,
                                         const GpuMachine &machine, int64_t vector = 0);

/// The same. Throws algebras::InputError for a vector that the layer does not allow and where no schedule is
/// legal, and as requireHopperLayer does.
StagedSchedule chooseStaged(const StagedProblem &problem, Copies copies, int64_t m, const GpuMachine &machine,
                            int64_t vector = 0);

} // namespace compiler
