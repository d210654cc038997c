// How a schedule of sm_80 is written.
#include "compiler/schedule/ampere_schedule.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/schedule_text.h"

#include <fmt/format.h>

namespace compiler {

AmpereSchedule parseAmpereSchedule(std::string_view text) {
  AmpereSchedule schedule;
  const ScheduleField fields[] = {{"rows", &schedule.rows},
                                  {"columns", &schedule.columns},
                                  {"depth", &schedule.depth},
                                  {"stages", &schedule.stages},
                                  {"warps", &schedule.warp_rows, &schedule.warp_columns},
                                  {"vector", &schedule.vector},
                                  {"long", &schedule.long_groups}};
  readSchedule(text, fields,
               "write a schedule as rows=64,columns=128,depth=32,stages=4,warps=2x2,vector=8, for unequal "
               "groups also long=1; what is left "
               "out keeps its default, stages=0 takes what fits, and vector=0 the widest that the layer "
               "allows");
  return schedule;
}

bool isForThreads(std::string_view schedule) {
  return !isReduction(schedule) && (schedule.find("warps=") != std::string_view::npos ||
                                    schedule.find("vector=") != std::string_view::npos);
}

std::string toString(const AmpereSchedule &schedule) {
  std::string text = fmt::format("rows={},columns={},depth={},stages={},warps={}x{},vector={}", schedule.rows,
                                 schedule.columns, schedule.depth, schedule.stages, schedule.warp_rows,
                                 schedule.warp_columns, schedule.vector);
  if (schedule.long_groups != 0)
    text += fmt::format(",long={}", schedule.long_groups);
  return text;
}

} // namespace compiler
