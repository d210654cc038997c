// What products are compiled for: the CPU, and the GPUs of runtime/bundle/gpu_targets.h, each with the
// machine that its schedules are ranked for. Whatever depends on a target's name reads it here.
#pragma once

#include "compiler/schedule/gpu_machine.h"

#include <string>
#include <string_view>
#include <vector>

namespace compiler {

/// The number of a row of the list. Only rows that code speaks of have an enumerator.
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
  // Of a GPU, as runtime/bundle/gpu_targets.h says:
  const GpuMachine *machine = nullptr; ///< that schedules are ranked for
  int architecture = 0;
  bool exact_architecture = false;
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
