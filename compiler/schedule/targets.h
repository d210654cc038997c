// What products are compiled for: the one list of targets. Whatever depends on a target's name reads it here.
#ifndef ALGCTL_COMPILER_SCHEDULE_TARGETS_H
#define ALGCTL_COMPILER_SCHEDULE_TARGETS_H

#include "compiler/schedule/gpu_machine.h"

#include <string>
#include <string_view>
#include <vector>

namespace compiler {

/// Names rows of the list: an enumerator is the number of its row.
enum class Target { Cpu, Sm80, Sm90a };

/// Which kernels a target has.
enum class Kernels {
  Cpu,
  ThreadsCopy, ///< those whose threads copy and multiply by mma.sync, and vector reductions
  EngineCopies ///< those whose blocks the copy engine moves and wgmma multiplies; for other layers as
               ///< ThreadsCopy
};

struct TargetEntry {
  std::string name;
  Kernels kernels;
  // Of a GPU:
  const GpuMachine *machine = nullptr; ///< that schedules are ranked for
  /// Ten times the compute capability that kernels are compiled for, and whether they run there alone.
  int architecture = 0;
  bool exact_architecture = false;
  /// The oldest PTX that has every instruction that the kernels use, as LLVM names the feature.
  const char *ptx = "";

  bool isGpu() const { return kernels != Kernels::Cpu; }
};

/// The list.
const std::vector<TargetEntry> &targetEntries();
const TargetEntry &entryOf(Target target);
/// Null for a name that is not in the list.
const TargetEntry *findTarget(std::string_view name);

/// "cpu", "sm_80", "sm_90a".
const std::vector<std::string> &targetNames();
/// Without those that are no GPUs.
const std::vector<std::string> &gpuTargetNames();
/// Throws std::out_of_range for a name that is not in the list.
Target targetNamed(std::string_view name);
const std::string &toString(Target target);

/// The target that a layer in bf16 is for where nobody says which.
const TargetEntry &usualGpuTarget();
/// The device that schedules of a GPU are ranked for. Throws std::out_of_range for a name that is none's.
const GpuMachine &machineOf(std::string_view target);

} // namespace compiler

#endif
