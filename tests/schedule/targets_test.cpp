// The list of targets, and the machines that their schedules are ranked for.
#include "compiler/schedule/targets.h"

#include "runtime/bundle/gpu_kernel.h"

#include <gtest/gtest.h>
#include <set>
#include <stdexcept>

namespace {

using namespace compiler;

TEST(Targets, AreFoundByNameAndByEnumerator) {
  std::set<std::string> names;
  for (size_t row = 0; row < targetEntries().size(); ++row) {
    const TargetEntry &entry = targetEntries()[row];
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(targetNamed(entry.name), static_cast<Target>(row));
    EXPECT_EQ(&entryOf(static_cast<Target>(row)), &entry);
    EXPECT_EQ(findTarget(entry.name), &entry);
  }
  EXPECT_EQ(toString(Target::Cpu), "cpu");
  EXPECT_EQ(toString(Target::Sm80), "sm_80");
  EXPECT_EQ(toString(Target::Sm90a), "sm_90a");
  EXPECT_EQ(findTarget("sm_70"), nullptr);
  EXPECT_THROW(targetNamed("sm_70"), std::out_of_range);
  EXPECT_THROW(machineOf("cpu"), std::out_of_range);
}

TEST(Targets, ThatAreGpusHaveMachinesAndAreKnownToTheRuntime) {
  for (const TargetEntry &entry : targetEntries()) {
    SCOPED_TRACE(entry.name);
    EXPECT_EQ(entry.isGpu(), algrt::isGpuTarget(entry.name));
    EXPECT_EQ(entry.isGpu(), entry.machine != nullptr);
    if (!entry.isGpu())
      continue;
    EXPECT_EQ(&machineOf(entry.name), entry.machine);
    EXPECT_GE(entry.architecture, 80);
    EXPECT_STRNE(entry.ptx, "");
    // Blocks that the copy engine moves need what only such machines have.
    if (entry.kernels == Kernels::EngineCopies) {
      EXPECT_GT(entry.machine->engine_latency_us, 0);
      EXPECT_GT(entry.machine->cluster_bytes_per_cycle, 0);
      EXPECT_LE(entry.machine->multiprocessors_of_large_clusters, entry.machine->multiprocessors);
    }
  }
  EXPECT_TRUE(usualGpuTarget().isGpu());
}

// What was measured on a device is marked so, and nothing else is: the figures that one has still to be asked
// for.
TEST(Machines, SayWhereTheirFiguresAreFrom) {
  EXPECT_EQ(h200_machine.memory_bytes_per_us.origin, Figure::Origin::Measured);
  EXPECT_EQ(h200_machine.dense_clock.origin, Figure::Origin::Measured);
  EXPECT_NEAR(2 * h200_machine.denseMacsPerUs(), 790e6, 1);
  for (const Figure &figure : {h200_machine.cache_bytes_per_us, h200_machine.port_bytes_per_us,
                               h200_machine.engine_latency_us, h200_machine.launch_us})
    EXPECT_EQ(figure.origin, Figure::Origin::Measured) << figure.value;
  for (const Figure &figure :
       {a100_machine.cache_bytes_per_us, a100_machine.port_bytes_per_us, a100_machine.launch_us})
    EXPECT_EQ(figure.origin, Figure::Origin::Assumed) << figure.value;
  EXPECT_NE(a100_machine.engine_latency_us.origin, Figure::Origin::Measured);
  for (const GpuMachine &machine : {a100_machine, h200_machine}) {
    EXPECT_EQ(machine.multiprocessors.origin, Figure::Origin::Published) << machine.name;
    for (const Figure &figure :
         {machine.clock, machine.cache_bytes, machine.memory_latency, machine.bytes_in_flight})
      EXPECT_EQ(figure.origin, Figure::Origin::Assumed) << machine.name << ", " << figure.value;
    for (const Figure &figure :
         {machine.multiprocessors_of_large_clusters, machine.macs_per_cycle, machine.dense_macs_per_cycle,
          machine.shared_bytes_per_cycle, machine.cluster_bytes_per_cycle, machine.issues_per_cycle,
          machine.shared_bytes, machine.registers, machine.most_threads, machine.most_blocks})
      EXPECT_NE(figure.origin, Figure::Origin::Measured) << machine.name << ", " << figure.value;
  }
  EXPECT_NE(a100_machine.memory_bytes_per_us.origin, Figure::Origin::Measured);
  EXPECT_NE(a100_machine.dense_clock.origin, Figure::Origin::Measured);
}

} // namespace
