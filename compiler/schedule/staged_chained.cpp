// Schedules of kernels of two layers: which layers, which schedules, and which are looked at.
#include "compiler/schedule/staged_chained.h"

#include "compiler/schedule/rules.h"
#include "compiler/schedule/staged.h"
#include "compiler/schedule/targets.h"

#include <algorithm>
#include <array>
#include <utility>

namespace compiler {

int64_t StagedChainedProblem::mostTermsOf(const algebras::Lift &lift) {
  constexpr int64_t of_complete_graph = 2;
  if (lift.completeGraph() && !lift.isTransposed())
    return std::min(lift.types(), of_complete_graph);
  int64_t most = 1;
  for (int64_t type = 0; type < lift.types(); ++type)
    for (int64_t group = 0; group < lift.outputGroups(); ++group)
      most = std::max(most, lift.termCount(type, group));
  return most;
}

namespace {

constexpr int64_t most_columns = 256; // of an instruction, and of a box
constexpr int64_t swizzle_period = 8; // rows
constexpr int64_t line_columns = 64;  // bf16 in a line of the second-level cache

struct Case {
  const StagedChainedProblem &problem;
  const StagedChainedSchedule &s;

  int64_t inputWidth() const { return problem.first.in.width(0); }
  int64_t hiddenWidth() const { return problem.first.out.width(0); }
  int64_t outputWidth() const { return tileColumns(problem.last); }
  int64_t weights() const { return problem.first.fused.weights; }
  int64_t chunks() const { return (hiddenWidth() + s.hidden - 1) / s.hidden; }

  /// Of a stage of either ring; of the rows of X of one group; of the hidden group that stays; of the result.
  int64_t stageBytes() const { return weights() * roundUp(2 * s.depth * s.hidden, slot_period); }
  int64_t nextStageBytes() const { return roundUp(2 * s.hidden * outputWidth(), slot_period); }
  int64_t tileRows() const { return s.types * s.rows; }
  int64_t rowsBytes() const {
    return roundUp(inputWidth(), s.depth) / s.depth * roundUp(2 * tileRows() * s.depth, slot_period);
  }
  int64_t keptBytes() const { return chunks() * roundUp(2 * tileRows() * s.hidden, slot_period); }
  int64_t stagingBytes() const {
    return s.warpgroupsOfTile() * roundUp(64 * outputWidth() * byteWidth(problem.output), slot_period);
  }
  /// Sums that one of two warpgroups leaves for the other.
  int64_t partialBytes() const {
    return s.ping_pong > 1 ? roundUp(4 * tileRows() * outputWidth(), slot_period) : 0;
  }
  /// Rows of the types' own groups stay, those of other groups come and go.
  int64_t besideRings() const {
    return (1 + s.row_stages) * rowsBytes() + keptBytes() + stagingBytes() + partialBytes();
  }
  int64_t stagesThatFit() const {
    const int64_t left =
        hopper_shared_bytes - reserved_shared_bytes - besideRings() - s.next_stages * nextStageBytes();
    return std::clamp<int64_t>(left / stageBytes(), 0, most_stages);
  }
  /// A step takes a stage for the group's own term and one for each type's; where there are several steps,
  /// those of the step before are still being read.
  int64_t stagesOfStep() const { return 1 + s.types; }
  int64_t stepsOfChunk() const { return (inputWidth() + s.depth - 1) / s.depth; }
  /// Where two warpgroups take chunks in turn there is room for one of each, so that they multiply by one
  /// while the other comes.
  int64_t leastStages() const {
    return s.ping_pong > 1 ? s.ping_pong * stagesOfStep() * stepsOfChunk()
                           : stagesOfStep() * (inputWidth() > s.depth ? 2 : 1);
  }
  int64_t leastNextStages() const { return std::max<int64_t>(2, s.ping_pong * stagesOfStep()); }

  /// Whether blocks of a layer's weights have lines of the cache to themselves.
  bool firstOfWholeLines() const { return hiddenWidth() % line_columns == 0 && s.hidden % line_columns == 0; }
  bool lastOfWholeLines() const { return problem.last.out.width(0) % line_columns == 0; }

  /// Of a thread: sums of the result and of the hidden layer, those rounded, and addresses and counters.
  int64_t registersNeeded() const {
    constexpr int64_t beside = 44;
    // Rows are still being multiplied while the next ones are rounded.
    const int64_t rounded = (1 + s.overlap) * s.hidden / 4;
    return outputWidth() / 2 + weights() * s.hidden / 2 + rounded + beside;
  }
};

bool isOneOf(int64_t value, std::initializer_list<int64_t> allowed) {
  return std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

using C = const Case &;
constexpr unsigned all = 1;

const Rule<Case> rules[] = {
    {all, "rows",
     [](C c) {
       return when(c.s.types < 1 || c.s.rows < 64 || c.s.rows % 64 != 0 || c.s.warpgroups() > most_warpgroups,
                   "{} rows of {} types: a tile has 64 for each of 1 to {} warpgroups", c.s.rows, c.s.types,
                   most_warpgroups);
     }},
    {all, "types",
     [](C c) {
       return when(c.s.types < 1 || c.s.types > c.problem.last.out.count(), "{} types in a tile, of {}",
                   c.s.types, c.problem.last.out.count());
     }},
    {all, "types",
     [](C c) {
       const algebras::Fused &fused = c.problem.last.fused;
       const bool rows = fused.row_operands + fused.element_operands + c.problem.first.fused.row_operands > 0;
       return when(c.s.types > 1 && rows, "{} types in a tile, and maps that read rows: those of one type do",
                   c.s.types);
     }},
    {all, "types",
     [](C c) {
       return when((c.s.types > 1 || c.s.cluster_types > 1) && !c.problem.last.lift.completeGraph(),
                   "{} types in a tile and clusters of {}: only types of a complete graph share blocks",
                   c.s.types, c.s.cluster_types);
     }},
    {all, "row_stages",
     [](C c) {
       return when(!isOneOf(c.s.row_stages, {1, 2}),
                   "{} groups of X at a time: 1, or 2 so that one comes ahead", c.s.row_stages);
     }},
    {all, "hidden",
     [](C c) {
       return when(!isOneOf(c.s.hidden, {16, 32, 64}),
                   "{} hidden columns at a time: they are one swizzled panel wide, 16, 32 or 64", c.s.hidden);
     }},
    {all, "depth",
     [](C c) {
       const bool whole = c.s.depth == c.inputWidth() && c.s.depth % 16 == 0 && c.s.depth <= most_columns;
       return when(!isOneOf(c.s.depth, {16, 32, 64}) && !whole,
                   "a depth of {}: a stage is one swizzled panel of X deep, 16, 32 or 64, or as deep as the "
                   "input groups of {}, where these are multiples of 16 and at most {}",
                   c.s.depth, c.inputWidth(), most_columns);
     }},
    {all, "cluster_types",
     [](C c) {
       return when(!isOneOf(c.s.cluster_types, {1, 2, 4}) ||
                       c.s.cluster_types * c.s.types > c.problem.last.out.count(),
                   "clusters of {} tiles of {} types: 1, 2 or 4 tiles, of {} types in all", c.s.cluster_types,
                   c.s.types, c.problem.last.out.count());
     }},
    {all, "cluster_types",
     [](C c) {
       const int64_t parts = c.s.cluster_types * swizzle_period;
       return when(c.s.depth % parts != 0 || c.s.hidden % parts != 0,
                   "clusters of {} tiles: blocks of weights that are {} and {} rows deep cannot be loaded in "
                   "parts that are multiples of {} rows",
                   c.s.cluster_types, c.s.depth, c.s.hidden, swizzle_period);
     }},
    {all, "evict_first",
     [](C c) { return when(!isOneOf(c.s.evict_first, {0, 1}), "evict_first={}: 1, or 0", c.s.evict_first); }},
    {all, "evict_first",
     [](C c) {
       return when(c.s.evict_first == 1 && !c.firstOfWholeLines() && !c.lastOfWholeLines(),
                   "weights that leave the cache first, and groups of {} and {} columns, made {} at a time: "
                   "other blocks read their lines of {} columns, too",
                   c.hiddenWidth(), c.problem.last.out.width(0), c.s.hidden, line_columns);
     }},
    {all, "overlap",
     [](C c) { return when(!isOneOf(c.s.overlap, {0, 1}), "overlap={}: 1, or 0", c.s.overlap); }},
    {all, "overlap",
     [](C c) {
       return when(c.s.overlap == 1 && c.chunks() == 1,
                   "overlap of a hidden group's columns, {} made {} at a time: there are no next ones",
                   c.hiddenWidth(), c.s.hidden);
     }},
    {all, "ping_pong",
     [](C c) { return when(!isOneOf(c.s.ping_pong, {1, 2}), "ping_pong={}: 1, or 2", c.s.ping_pong); }},
    {all, "ping_pong",
     [](C c) {
       return when(c.s.ping_pong > 1 &&
                       (c.s.warpgroupsOfTile() > 1 || c.s.cluster_types > 1 || c.s.overlap == 1),
                   "{} warpgroups that take chunks in turn, beside other warpgroups, a cluster or overlap: "
                   "they have one tile of 64 rows",
                   c.s.ping_pong);
     }},
    {all, "ping_pong",
     [](C c) {
       return when(
           c.s.ping_pong > 1 && c.chunks() == 1,
           "{} warpgroups that take chunks in turn of a hidden group's columns, {} made {} at a time: "
           "there is one chunk",
           c.s.ping_pong, c.hiddenWidth(), c.s.hidden);
     }},
    {all, "stationary",
     [](C c) {
       return when(c.s.stationary_groups < 1 || c.s.stationary_groups > c.problem.last.out.count(),
                   "{} groups in a turn, of {}", c.s.stationary_groups, c.problem.last.out.count());
     }},
    {all, "registers",
     [](C c) {
       const int64_t has = hopperRegisters(c.s.warpgroups()).multiply;
       return when(c.registersNeeded() > has, "{} registers of a thread, of {} that {} warpgroups leave it",
                   c.registersNeeded(), has, c.s.warpgroups());
     }},
    {all, "stages",
     [](C c) {
       const int64_t least = c.leastNextStages();
       return when(c.s.next_stages < least || c.s.next_stages > most_stages,
                   "{} stages of the second layer's blocks: a step takes {}{}, and there are at most {}",
                   c.s.next_stages, least, c.s.ping_pong > 1 ? " with what the other warpgroup takes" : "",
                   most_stages);
     }},
    {all, "shared memory",
     [](C c) {
       return when(
           c.stagesThatFit() < c.leastStages(),
           "{} stages of {} bytes fit beside {} bytes for rows, the hidden group and the result and {} "
           "of the second layer's blocks: {} are needed",
           c.stagesThatFit(), c.stageBytes(), c.besideRings(), c.s.next_stages * c.nextStageBytes(),
           c.leastStages());
     }},
    {all, "stages",
     [](C c) {
       return when(c.s.stages != 0 && (c.s.stages < c.leastStages() || c.s.stages > c.stagesThatFit()),
                   "{} stages: {} to {} are possible", c.s.stages, c.leastStages(), c.stagesThatFit());
     }},
};

} // namespace

std::string whyNotChained(const StagedChainedProblem &problem, std::string_view target) {
  const TargetEntry &entry = entryOf(targetNamed(target));
  if (entry.kernels != Kernels::EngineCopies)
    return fmt::format("the kernels of {} compute one", target);
  const algebras::Layer &first = problem.first, &last = problem.last;
  if (first.dtype != algebras::DataType::BF16)
    return fmt::format("the target {} computes on bf16, and they are f32", target);
  if (!first.lift.isGraph() || !last.lift.isGraph() || first.lift.isTransposed() || last.lift.isTransposed())
    return fmt::format("on {} only products of a graph have one kernel: elsewhere several output groups read "
                       "a hidden group, which would have to stay for all of them, or be made again",
                       target);
  if (!copyEngineTakes(first) || !copyEngineTakes(last))
    return fmt::format("on {} the copy engine brings the blocks of both, and it cannot address these: groups "
                       "are multiples of 8 features, of one width, and row types cyclic or intervals",
                       target);
  if (last.fused.weights != 1 || last.fused.results != 1)
    return fmt::format("on {} the second layer computes one product and writes one result", target);
  if (first.fused.element_operands > 0)
    return fmt::format("on {} maps between the layers read no elements of another matrix", target);
  if (last.out.width(0) > most_columns)
    return fmt::format("on {} a tile has all columns of an output group, at most {}, and there are {}",
                       target, most_columns, last.out.width(0));
  if (considerStagedChained(problem).empty())
    return fmt::format("on {} no schedule of both fits shared memory and registers", target);
  return "";
}

int64_t tileColumns(const algebras::Layer &last) {
  constexpr int64_t narrowest_panel = 16;
  return roundUp(last.out.width(0), narrowest_panel);
}

MaybeRefusal refusal(const StagedChainedProblem &problem, const StagedChainedSchedule &schedule) {
  return firstBroken<Case>(rules, all, {problem, schedule});
}

StagedChainedSchedule completed(const StagedChainedProblem &problem, StagedChainedSchedule schedule) {
  if (schedule.stages == 0)
    schedule.stages = Case{problem, schedule}.stagesThatFit();
  return schedule;
}

std::vector<StagedChainedSchedule> considerStagedChained(const StagedChainedProblem &problem) {
  std::vector<StagedChainedSchedule> candidates;
  const int64_t groups = problem.last.out.count(), input = problem.first.in.width(0);
  // Stages as deep as a whole input group, too: of 80 features stages of 32 would bring 96.
  std::vector<int64_t> depths = {64, 32, 16};
  if (!isOneOf(input, {64, 32, 16}))
    depths.push_back(input);
  // Of those that are predicted alike the first is taken: with room for the next chunk's blocks.
  std::vector<std::pair<int64_t, int64_t>> stages;
  for (const int64_t row_stages : {2, 1})
    for (const int64_t next_stages : {4, 6, 5, 3, 2})
      stages.emplace_back(row_stages, next_stages);
  for (const auto &[rows, types] :
       {std::pair<int64_t, int64_t>{64, 1}, {128, 1}, {192, 1}, {256, 1}, {64, 2}, {64, 3}, {128, 2}})
    for (const int64_t hidden : {64, 32, 16})
      for (const int64_t depth : depths)
        for (const auto &[row_stages, next_stages] : stages)
          // No clusters: of the published networks all kernels with them took longer than those without.
          for (const auto &[evict_first, overlap, ping_pong] :
               {std::array<int64_t, 3>{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {0, 0, 2}, {1, 0, 2}}) {
            // Where several warpgroups multiply, each one's maps run beside the others' products.
            if ((overlap == 1 || ping_pong > 1) && types * rows > 64)
              continue;
            for (int64_t parts = 1; parts <= groups; ++parts) {
              // As many equal parts of the groups as there are turns of a block of rows.
              const int64_t stationary = (groups + parts - 1) / parts;
              if (parts > 1 && (groups + stationary - 1) / stationary != parts)
                continue;
              StagedChainedSchedule schedule{.rows = rows,
                                             .hidden = hidden,
                                             .depth = depth,
                                             .next_stages = next_stages,
                                             .stationary_groups = stationary,
                                             .types = types,
                                             .row_stages = row_stages,
                                             .evict_first = evict_first,
                                             .overlap = overlap,
                                             .ping_pong = ping_pong};
              if (!refusal(problem, schedule))
                candidates.push_back(completed(problem, schedule));
            }
          }
  return candidates;
}

std::vector<StagedChainedSchedule> considerStagedChained(const StagedChainedProblem &problem, int64_t m) {
  constexpr int64_t least_rows_of_ping_pong = 64;
  std::vector<StagedChainedSchedule> candidates = considerStagedChained(problem);
  if (m < least_rows_of_ping_pong)
    std::erase_if(candidates, [](const StagedChainedSchedule &one) { return one.ping_pong > 1; });
  return candidates;
}

} // namespace compiler
