// How a Hopper schedule is written.
#include "compiler/schedule/hopper_schedule.h"
#include "compiler/schedule/schedule_text.h"

#include <fmt/format.h>

namespace compiler {

std::string toString(HopperOutput output) { return output == HopperOutput::BF16 ? "bf16" : "f32"; }

algebras::DataType dataType(HopperOutput output) {
  return output == HopperOutput::BF16 ? algebras::DataType::BF16 : algebras::DataType::F32;
}

static constexpr std::string_view outer_axes[] = {"types", "groups"}, sides[] = {"m", "n"};

HopperSchedule parseHopperSchedule(std::string_view text) {
  HopperSchedule schedule;
  std::int64_t outer = 0, rows_on = 0;
  const ScheduleField fields[] = {{"rows", &schedule.rows},
                                  {"columns", &schedule.columns},
                                  {"depth", &schedule.depth},
                                  {"stages", &schedule.stages},
                                  {"types", &schedule.types},
                                  {"cluster", &schedule.cluster_rows, &schedule.cluster_columns},
                                  {"hold", &schedule.held_groups},
                                  {"outer", &outer, nullptr, outer_axes},
                                  {"rows_on", &rows_on, nullptr, sides},
                                  {"turns", &schedule.turns},
                                  {"split", &schedule.split},
                                  {"long", &schedule.long_groups}};
  readSchedule(
      text, fields,
      "write a schedule as rows=128,columns=96,depth=64,stages=3, followed by what else is wanted of "
      "types=2,cluster=2x1,hold=8,outer=groups,rows_on=n,turns=2,split=2,long=1; what is left out keeps its "
      "default, "
      "and stages=0 takes as many as fit");
  schedule.outer = static_cast<OuterAxis>(outer);
  schedule.rows_on = static_cast<RowSide>(rows_on);
  return schedule;
}

std::string toString(const HopperSchedule &schedule) {
  std::string text = fmt::format("rows={},columns={},depth={},stages={}", schedule.rows, schedule.columns,
                                 schedule.depth, schedule.stages);
  // What most schedules leave as it is.
  if (schedule.types != 1)
    text += fmt::format(",types={}", schedule.types);
  if (schedule.cluster() != 1)
    text += fmt::format(",cluster={}x{}", schedule.cluster_rows, schedule.cluster_columns);
  if (schedule.held_groups != 0)
    text += fmt::format(",hold={}", schedule.held_groups);
  if (schedule.outer != OuterAxis::Types)
    text += fmt::format(",outer={}", outer_axes[static_cast<int>(schedule.outer)]);
  if (schedule.rows_on != RowSide::M)
    text += fmt::format(",rows_on={}", sides[static_cast<int>(schedule.rows_on)]);
  if (schedule.turns != 1)
    text += fmt::format(",turns={}", schedule.turns);
  if (schedule.split != 1)
    text += fmt::format(",split={}", schedule.split);
  if (schedule.long_groups != 0)
    text += fmt::format(",long={}", schedule.long_groups);
  return text;
}

} // namespace compiler
