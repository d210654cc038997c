// Short ways to ask about staged schedules of a product.
#pragma once

#include "compiler/schedule/staged.h"

#include <string>
#include <string_view>
#include <vector>

namespace schedule_test {

using compiler::Copies, compiler::StagedProblem, compiler::StagedSchedule;
using Output = algebras::DataType;

inline StagedSchedule engineSchedule(std::string_view text) {
  return compiler::parseStaged(text, Copies::Engine);
}
inline StagedSchedule threadsSchedule(std::string_view text) {
  return compiler::parseStaged(text, Copies::Threads);
}

inline std::string whyIllegal(const algebras::Layer &layer, const StagedSchedule &schedule,
                              Output output = Output::BF16) {
  return compiler::whyIllegal(StagedProblem(layer, output), schedule);
}

inline std::vector<StagedSchedule> engineCandidates(const algebras::Layer &layer, Output output) {
  return candidatesOf(considerStaged(StagedProblem(layer, output), Copies::Engine));
}
inline std::vector<StagedSchedule> threadsCandidates(const algebras::Layer &layer, int64_t vector) {
  return candidatesOf(considerStaged(StagedProblem(layer, Output::BF16), Copies::Threads, vector));
}

inline StagedSchedule chooseEngine(const algebras::Layer &layer, int64_t m, Output output,
                                   const compiler::GpuMachine &machine) {
  return chooseStaged(StagedProblem(layer, output), Copies::Engine, m, machine);
}
inline StagedSchedule chooseThreads(const algebras::Layer &layer, int64_t m, Output output, int64_t vector,
                                    const compiler::GpuMachine &machine) {
  return chooseStaged(StagedProblem(layer, output), Copies::Threads, m, machine, vector);
}

using compiler::engineCost;
inline compiler::Cost engineCost(const algebras::Layer &layer, const StagedSchedule &schedule, Output output,
                                 int64_t m) {
  return engineCost(compiler::projectionWork(layer, m, output), schedule, output, compiler::h200_machine);
}

} // namespace schedule_test
