// Kernels whose threads copy: the target sm_80, every NVIDIA GPU since Ampere. What the machine allows, what
// is worth a look, and what it would cost.
#ifndef ALGCTL_COMPILER_SCHEDULE_AMPERE_SCHEDULE_H
#define ALGCTL_COMPILER_SCHEDULE_AMPERE_SCHEDULE_H

#include "algebras/layer.h"
#include "compiler/schedule/bank_gradient_work.h"
#include "compiler/schedule/candidates.h"
#include "compiler/schedule/coefficients.h"
#include "compiler/schedule/cost.h"
#include "compiler/schedule/gpu_machine.h"
#include "compiler/schedule/projection_work.h"
#include "compiler/schedule/schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace compiler {

/// The widest vector that divides the widths of a layer's groups, and with them all strides. The operands of
/// a product have to be aligned to it.
std::int64_t widestVector(const algebras::Layer &layer);

/// Shared memory of a block: what the smallest machines of the family have, compute capability 8.6 and 8.9,
/// so that one kernel runs on all.
inline constexpr std::int64_t ampere_shared_bytes = 99 * 1024;
/// Of one stage, with a block of each of so many banks. Every slot begins at a multiple of the widest
/// swizzle's period.
std::int64_t ampereStageBytes(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                              std::int64_t weights = 1);
std::int64_t ampereStagesThatFit(const AmpereSchedule &schedule, std::int64_t weights = 1);
/// More hide no more, and keep other blocks off the multiprocessor.
inline constexpr std::int64_t usual_ampere_stages = 4, most_ampere_stages = 8;

/// Vectors that one thread copies for one stage, rounded up.
std::int64_t copiesOfThread(const AmpereSchedule &schedule, std::int64_t weights = 1);
/// Of single elements, which go through registers: with more than these, ptxas 12.9 may spill whatever room
/// there is, which is legal and not worth a look.
inline constexpr std::int64_t most_single_copies = 20;

/// Nothing for a legal one. The coefficients are those of the layer's terms, which take long to look through
/// where there are many.
MaybeRefusal refusal(const algebras::Layer &layer, const AmpereSchedule &schedule, Coefficients coefficients);
/// The same of the gradient of the layer's bank.
MaybeRefusal bankGradientRefusal(const algebras::Layer &layer, const AmpereSchedule &schedule,
                                 Coefficients coefficients);
/// The reason of the refusal; empty for a legal schedule.
std::string whyIllegal(const algebras::Layer &layer, const AmpereSchedule &schedule);
/// A legal schedule with its stages and its vector filled in.
AmpereSchedule completed(const algebras::Layer &layer, AmpereSchedule schedule);

/// Tiles, stages and arrangements of warps, all with the vector (0: the widest).
std::vector<Considered<AmpereSchedule>> considerAmpere(const algebras::Layer &layer, std::int64_t vector);
/// The same for the gradient of the layer's bank.
std::vector<Considered<AmpereSchedule>> considerAmpereBankGradient(const algebras::Layer &layer,
                                                                   std::int64_t vector);
/// Where the time of one forward product would go, in microseconds. What keeps the machine busy: "memory", X,
/// the bank and Y once each at the rate of a copy; "loads" from the second-level cache, in sectors of 32
/// bytes; and "multiprocessor", the longest of what a step does and the ends of tiles. A step does
/// "products", zeros of tiles that are not full among them, reads and writes "shared" memory, issues
/// instructions ("issue"), of which copies of short vectors need many, and waits for itself ("latency") where
/// too few blocks share a multiprocessor. "tile ends" fill the ring, store the sums and pass over numbers
/// without rows.
Cost ampereCost(const ProjectionWork &work, const AmpereSchedule &schedule, algebras::DataType output,
                const GpuMachine &machine);

/// The same of the gradient of the bank, whose tiles are all of dW.
Cost ampereBankGradientCost(const BankGradientWork &work, const AmpereSchedule &schedule,
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
