#include "compiler/schedule/targets.h"

#include "runtime/bundle/gpu_targets.h"

#include <stdexcept>

namespace compiler {

static std::vector<TargetEntry> allTargets() {
  std::vector<TargetEntry> entries = {{.name = "cpu", .kernels = Kernels::Cpu}};
  for (const algrt::GpuTarget &target : algrt::gpu_targets)
    entries.push_back({.name = std::string(target.name),
                       .kernels = target.copy_engine ? Kernels::EngineCopies : Kernels::ThreadsCopy,
                       .machine = findMachine(target.name),
                       .architecture = target.architecture,
                       .exact_architecture = target.exact_architecture,
                       .ptx = target.ptx});
  return entries;
}

const std::vector<TargetEntry> &targetEntries() {
  static const std::vector<TargetEntry> entries = allTargets();
  return entries;
}

const TargetEntry &entryOf(Target target) { return targetEntries()[static_cast<size_t>(target)]; }

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
