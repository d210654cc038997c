// The schedules of targets whose operands come in stages, as attributes of the tile program.
#pragma once

#include "algebras/layer.h"
#include "dialects/tile/tile.h"

#include <optional>
#include <string>
#include <string_view>

namespace compiler {

/// What a schedule is chosen by.
struct StagedChoice {
  algebras::DataType output = algebras::DataType::BF16;
  std::string schedule;         ///< as the target writes it; chosen by cost when empty
  int64_t rows = 1;             ///< that it is chosen for
  int64_t vector = 0;           ///< elements that a thread copies at a time; 0: as many as the layer allows
  bool weight_gradient = false; ///< of the layer's weight matrix, whose type `output` then is
  bool forward = true;          ///< of the product; of no gradient, whose layer may look like one
  bool positions = false;       ///< each row says where it is: for vector reductions alone
  int64_t experts = 0;          ///< rows are divided among so many
};

/// The schedule for a layer on a GPU, one of gpuTargetNames(). Throws algebras::InputError, with a hint, for
/// a layer that the target has no kernels for and for a schedule that cannot be read or cannot be.
tile::StagedAttr stagedSchedule(mlir::MLIRContext *context, std::string_view target,
                                const algebras::Layer &layer, const StagedChoice &choice);

/// The schedule of a kernel of vector reductions where the choice says so: by its schedule, or by what is
/// expected to be cheapest; null where operands come in stages. Throws as stagedSchedule does.
tile::ReducedAttr reducedSchedule(mlir::MLIRContext *context, std::string_view target,
                                  const algebras::Layer &layer, const StagedChoice &choice);

/// The schedules of a kernel of two layers: of the one whose results stay hidden, and of the kernel's own.
/// Throws as stagedSchedule does.
struct ChainedSchedules {
  tile::StagedAttr hidden, own;
};
ChainedSchedules stagedChainedSchedules(mlir::MLIRContext *context, std::string_view target,
                                        const algebras::Layer &first, const algebras::Layer &last,
                                        const StagedChoice &choice);

/// The schedules of such a kernel of vector reductions where the choice says so: by its schedule, or by what
/// is expected to be cheapest; nothing where operands come in stages. Throws as stagedSchedule does.
struct ReducedChainedSchedules {
  tile::ReducedAttr hidden, own;
};
std::optional<ReducedChainedSchedules>
reducedChainedSchedules(mlir::MLIRContext *context, std::string_view target, const algebras::Layer &first,
                        const algebras::Layer &last, const StagedChoice &choice);

/// The schedule as --schedule reads it.
std::string scheduleText(tile::ReducedAttr schedule);
std::string scheduleText(const ReducedChainedSchedules &schedules);
/// The schedule as --schedule reads it, with so many stages.
std::string scheduleText(tile::StagedAttr schedule, int64_t stages);
/// The same of two layers, with so many stages of each.
std::string scheduleText(const ChainedSchedules &schedules, int64_t stages, int64_t next_stages);

} // namespace compiler
