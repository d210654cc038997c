#include "compiler/tools/program_schedules.h"

#include "algebras/coarsest.h"
#include "compiler/schedule/experts.h"
#include "compiler/schedule/layers_choice.h"
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/targets.h"
#include "compiler/tools/expert_division.h"
#include "compiler/tools/program_text.h"
#include "compiler/tools/ranking_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

using Json = nlohmann::ordered_json;

// One kernel of a program, with the schedules that are shown of it.
struct KernelSchedules {
  std::string program, kernel, computes, machine, floor_by;
  int64_t rows = 0; // of what stands in the place of the batch
  double floor_us = 0;
  size_t legal = 0;
  std::vector<std::string> schedules;
  std::vector<Cost> costs;

  void add(const std::string &schedule, const Cost &cost, int64_t most) {
    ++legal;
    if (static_cast<int64_t>(costs.size()) >= most)
      return;
    schedules.push_back(schedule);
    costs.push_back(cost);
  }
  std::vector<ScheduleLine> lines() const {
    std::vector<ScheduleLine> all;
    for (size_t i = 0; i < costs.size(); ++i)
      all.push_back({schedules[i], &costs[i]});
    return all;
  }
};

/// Those of one step, which is a product.
KernelSchedules schedulesOfStep(const ProgramPlan &plan, const std::string &program,
                                const algrt::ProgramStep &step, const ProgramSchedulesView &view) {
  const KernelSource &kernel = plan.kernels[step.projection];
  KernelSchedules made;
  const int64_t rows = made.rows = step.rows.value_or(view.m);
  made.program = program;
  made.kernel = kernel.projection;
  made.computes = stepText(plan, step);
  if (kernel.next) {
    const StagedChainedProblem problem{algebras::coarsest(kernel.layer), algebras::coarsest(*kernel.next),
                                       kernel.results.front()};
    const GpuMachine &machine = *entryOf(targetNamed(view.target)).machine;
    const bool one_network = view.experts == 0;
    const Floor floor = one_network ? StagedChainedCosts(problem, rows, machine).floor()
                                    : floorOfExperts(problem, view.target, rows, view.experts);
    made.machine = machine.name;
    made.floor_us = floor.longest();
    made.floor_by = floor.by();
    for (const LayersChoice &one :
         rankLayers(problem, view.target, {rows, /*placed=*/!one_network, view.experts}))
      made.add(toString(one.schedule), one.cost, view.most);
  } else {
    const Ranking ranking =
        view.experts > 0
            ? rankForExperts(kernel.layer, view.target, rows, view.experts, kernel.results.front())
            : rankMap(kernel.layer, step.map, view.target, rows, kernel.results.front());
    made.machine = ranking.machine;
    made.floor_us = ranking.floor_us;
    made.floor_by = ranking.floor_by;
    for (const RankedSchedule &one : ranking.legal)
      made.add(toString(one.schedule), one.cost, view.most);
  }
  return made;
}

std::vector<KernelSchedules> schedulesOf(const ProgramPlan &plan, const ProgramSchedulesView &view) {
  std::vector<KernelSchedules> all;
  for (const algrt::Program &program : plan.programs)
    for (const algrt::ProgramStep &step : program.steps)
      if (!step.elementwise)
        all.push_back(atPlaceOf(plan.kernels[step.projection],
                                [&] { return schedulesOfStep(plan, program.name, step, view); }));
  return all;
}

} // namespace

std::string programSchedulesText(const ProgramPlan &plan, const ProgramSchedulesView &view) {
  std::string text;
  for (const KernelSchedules &one : schedulesOf(plan, view))
    text +=
        fmt::format("{}{} of {}, M = {}{}: {}\n{}: predicted microseconds on {}; bytes and arithmetic need "
                    "{:.2f} at least ({})\n\n{}\n{} legal\n",
                    text.empty() ? "" : "\n", one.kernel, one.program, one.rows, dividedText(view.experts),
                    one.computes, view.target, one.machine, one.floor_us, one.floor_by,
                    scheduleTable(one.lines(), one.legal, one.floor_us), one.legal);
  return text;
}

Json programSchedulesJson(const ProgramPlan &plan, const ProgramSchedulesView &view) {
  Json kernels = Json::array();
  for (const KernelSchedules &one : schedulesOf(plan, view)) {
    Json schedules = Json::array();
    for (const ScheduleLine &line : one.lines())
      schedules.push_back(scheduleJson(line, one.floor_us));
    kernels.push_back({{"program", one.program},
                       {"kernel", one.kernel},
                       {"computes", one.computes},
                       {"m", one.rows},
                       {"target", view.target},
                       {"machine", one.machine},
                       {"floor_us", one.floor_us},
                       {"floor_by", one.floor_by},
                       {"legal", one.legal},
                       {"schedules", schedules}});
    if (view.experts > 0)
      kernels.back()["experts"] = view.experts;
  }
  return {{"kernels", kernels}};
}

} // namespace compiler
