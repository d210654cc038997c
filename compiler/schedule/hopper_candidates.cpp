#include "compiler/schedule/hopper_schedule.h"

#include <algorithm>

namespace compiler {

std::vector<HopperSchedule> hopperCandidates(const algebras::Layer &layer, HopperOutput output) {
  // A tile wider than its group, or a stage deeper than one, only multiplies zeros.
  auto enough = [](std::int64_t extent) { return (extent + 15) / 16 * 16; };
  const std::int64_t widest = std::min<std::int64_t>(256, enough(layer.out.width(0)));
  const std::int64_t deepest =
      std::max<std::int64_t>(16, std::min<std::int64_t>(64, enough(layer.in.width(0))));
  std::vector<HopperSchedule> candidates;
  for (std::int64_t depth : {64, 32, 16})
    for (std::int64_t rows : {128, 64, 192})
      for (std::int64_t columns = widest; columns >= 16; columns -= 16) {
        // 48 deep is one stage of 64 with zeros, or three of 16: both are worth a look.
        if (depth / 2 >= deepest)
          continue;
        HopperSchedule schedule{rows, columns, depth, 0};
        if (!whyIllegal(layer, schedule, output).empty())
          continue;
        schedule.stages = stagesThatFit(schedule, output);
        candidates.push_back(schedule);
      }
  return candidates;
}

} // namespace compiler
