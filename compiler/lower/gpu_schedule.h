// The schedules of kernels for GPUs, as attributes of the tile program.
#pragma once

#include "algebras/layer.h"
#include "dialects/tile/tile.h"

#include <string>
#include <string_view>
#include <variant>

namespace compiler {

/// What a schedule is chosen by.
struct GpuChoice {
  algebras::DataType output = algebras::DataType::BF16;
  std::string schedule;         ///< as the target writes it; chosen by cost when empty
  int64_t rows = 1;             ///< that it is chosen for
  int64_t vector = 0;           ///< elements that a thread copies at a time; 0: as many as the layer allows
  bool weight_gradient = false; ///< of the layer's weight matrix, whose type `output` then is
  bool forward = true;          ///< of the product; of no gradient, whose layer may look like one
  bool positions = false;       ///< each row says where it is: for vector reductions alone
  int64_t experts = 0;          ///< rows are divided among so many
};

/// The schedule for a layer on a GPU, one of gpuTargetNames(): of a kernel whose operands come in stages, or
/// of vector reductions. Throws algebras::InputError, with a hint, for a layer that the target has no kernels
/// for and for a schedule that cannot be read or cannot be.
std::variant<tile::StagedAttr, tile::ReducedAttr> gpuSchedule(mlir::MLIRContext *context,
                                                              std::string_view target,
                                                              const algebras::Layer &layer,
                                                              const GpuChoice &choice);

/// The schedules of a kernel of two layers: of the one whose results stay hidden, and of the kernel's own.
struct ChainedSchedules {
  tile::StagedAttr hidden, own;
};
/// The same of vector reductions.
struct ReducedChainedSchedules {
  tile::ReducedAttr hidden, own;
};

/// The schedules of a kernel of both layers. Throws as gpuSchedule does.
std::variant<ChainedSchedules, ReducedChainedSchedules>
gpuSchedulesOfLayers(mlir::MLIRContext *context, std::string_view target, const algebras::Layer &first,
                     const algebras::Layer &last, const GpuChoice &choice);

/// The schedule as --schedule reads it.
std::string scheduleText(tile::ReducedAttr schedule);
std::string scheduleText(const ReducedChainedSchedules &schedules);
/// The schedule as --schedule reads it, with so many stages.
std::string scheduleText(tile::StagedAttr schedule, int64_t stages);
/// The same of two layers, with so many stages of each.
std::string scheduleText(const ChainedSchedules &schedules, int64_t stages, int64_t next_stages);

} // namespace compiler
