#include "compiler/schedule/targets.h"

#include <stdexcept>

namespace compiler {

const std::vector<TargetEntry> &targetEntries() {
  // Drivers since 12.0 compile PTX 8.0, which brought wgmma; what sm_80 brought, cp.async and products of
  // bf16, came with 7.0, which drivers since 11.0 compile.
  static const std::vector<TargetEntry> entries = {
      {.name = "cpu", .kernels = Kernels::Cpu},
      {.name = "sm_80",
       .kernels = Kernels::ThreadsCopy,
       .machine = &a100_machine,
       .architecture = 80,
       .exact_architecture = false,
       .ptx = "+ptx70"},
      {.name = "sm_90a",
       .kernels = Kernels::EngineCopies,
       .machine = &h200_machine,
       .architecture = 90,
       .exact_architecture = true,
       .ptx = "+ptx80"},
  };
  return entries;
}

const TargetEntry &entryOf(Target target) { return targetEntries()[static_cast<std::size_t>(target)]; }

const TargetEntry *findTarget(std::string_view name) {
  for (const TargetEntry &entry : targetEntries())
    if (entry.name == name)
      return &entry;
  return nullptr;
}

static std::vector<std::string> namesOf(bool gpus_alone) {
  std::vector<std::string> names;
  for (const TargetEntry &entry : targetEntries())
    if (entry.isGpu() || !gpus_alone)
      names.push_back(entry.name);
  return names;
}

const std::vector<std::string> &targetNames() {
  static const std::vector<std::string> names = namesOf(/*gpus_alone=*/false);
  return names;
}

const std::vector<std::string> &gpuTargetNames() {
  static const std::vector<std::string> names = namesOf(/*gpus_alone=*/true);
  return names;
}

Target targetNamed(std::string_view name) {
  const TargetEntry *entry = findTarget(name);
  if (!entry)
    throw std::out_of_range("no target is called " + std::string(name));
  return static_cast<Target>(entry - targetEntries().data());
}

const std::string &toString(Target target) { return entryOf(target).name; }

const TargetEntry &usualGpuTarget() { return entryOf(Target::Sm90a); }

const GpuMachine &machineOf(std::string_view target) {
  const TargetEntry *entry = findTarget(target);
  if (!entry || !entry->machine)
    throw std::out_of_range(std::string(target) + " is no GPU whose schedules are ranked");
  return *entry->machine;
}

} // namespace compiler
