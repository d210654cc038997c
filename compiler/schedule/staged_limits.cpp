// What a staged schedule takes of a machine: shared memory, registers, copies; and which layers the copy
// engine can address.
#include "compiler/schedule/staged.h"

#include "algebras/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace compiler {

// Strides of a tensor map are multiples of 16 bytes.
static constexpr int64_t tensor_map_granule = 16;

bool copyEngineTakes(const algebras::Layer &layer) {
  constexpr int64_t step = tensor_map_granule / 2;
  return coefficientsOf(layer.lift) != Coefficients::General && layer.in.isEqual() && layer.out.isEqual() &&
         layer.row_types.kind() != algebras::RowTypes::Kind::Explicit && layer.in.width(0) % step == 0 &&
         layer.out.width(0) % step == 0;
}

void requireHopperLayer(const algebras::Layer &layer) {
  if (copyEngineTakes(layer))
    return;
  const auto why_not = [&]() -> std::string {
    if (coefficientsOf(layer.lift) == Coefficients::General)
      return "kernels whose blocks the copy engine moves multiply by coefficients +1 and -1 only";
    if (!layer.in.isEqual() || !layer.out.isEqual())
      return "the copy engine finds groups of one width only, by tensor maps";
    if (layer.row_types.kind() == algebras::RowTypes::Kind::Explicit)
      return "the copy engine finds rows of a type at one distance only, by tensor maps";
    // X is addressed group by group, and so is W. An f32 result asks for less than W does.
    const bool input = layer.in.width(0) * 2 % tensor_map_granule != 0;
    const int64_t width = (input ? layer.in : layer.out).width(0);
    return fmt::format(
        "{} groups of {} features are {} bytes wide, and tensor maps address multiples of {} bytes",
        input ? "input" : "output", width, width * 2, tensor_map_granule);
  };
  throw algebras::InputError(why_not()).hint(
      "let the threads copy: leave the schedule to cost, or write one with warps=, as "
      "rows=64,columns=64,depth=32,stages=4,warps=2x2");
}

int64_t widestVector(const algebras::Layer &layer) {
  int64_t vector = 8;
  for (const algebras::Groups *groups : {&layer.in, &layer.out})
    for (int64_t group = 0; group < (groups->isEqual() ? 1 : groups->count()); ++group)
      vector = std::gcd(vector, groups->width(group));
  return vector;
}

int64_t copiesOfThread(const StagedSchedule &schedule, int64_t weights) {
  const int64_t of_all = schedule.vector * schedule.threads();
  return ((schedule.rows + weights * schedule.columns) * schedule.depth + of_all - 1) / of_all;
}

HopperRegisters hopperRegisters(int64_t warpgroups) {
  // 65536 registers for 256 to 640 threads. The assembler counts on what threads start with, 255, 168, 128 or
  // 96: the others need a little more than that, and a load may have what they leave.
  constexpr int64_t multiply[] = {240, 224, 144, 104};
  return {56, multiply[std::clamp<int64_t>(warpgroups, 1, most_warpgroups) - 1]};
}

int64_t piecesOfResults(int64_t columns, int64_t operations) {
  int64_t piece = areLongMaps(operations) ? widest_piece_of_results / 2 : widest_piece_of_results;
  while (columns % piece != 0)
    piece /= 2;
  return piece;
}

int64_t stageBytes(const StagedSchedule &schedule, int64_t weight_blocks) {
  return roundUp(schedule.types * schedule.rows * schedule.depth * 2, slot_period) +
         weight_blocks * roundUp(schedule.depth * schedule.columns * 2, slot_period);
}

int64_t stagingBytes(const StagedSchedule &schedule, algebras::DataType output) {
  auto staging = [&](int64_t parts) {
    return schedule.warpgroups() *
           roundUp(64 * schedule.instructionWidth() / parts * byteWidth(output), slot_period);
  };
  // Where only long tiles are divided, or only stationary sums, others are stored whole.
  const bool some_whole =
      schedule.split_k > 1 && (schedule.longest_first > 0 || schedule.stationary_groups > 0);
  return staging(schedule.split_k) + (some_whole ? staging(1) : 0);
}

int64_t reductionBytes(const StagedSchedule &schedule) {
  return schedule.warpgroups() * 64 * (schedule.instructionWidth() / schedule.split_k) *
         (schedule.split_k - 1) * 4;
}

int64_t stationaryBytes(const StagedProblem &problem, const StagedSchedule &schedule) {
  if (schedule.stationary_groups == 0 || problem.hasStationarySums(schedule))
    return 0;
  return schedule.types * schedule.rows * roundUp(problem.layer.in.width(0), schedule.depth) * 2;
}

int64_t stagesThatFit(const StagedProblem &problem, const StagedSchedule &schedule) {
  const int64_t stage = stageBytes(schedule, problem.productsOfStep(schedule));
  if (schedule.isForThreads())
    return std::min(most_ampere_stages, ampere_shared_bytes / stage);
  const int64_t left = hopper_shared_bytes - reserved_shared_bytes - reductionBytes(schedule) -
                       stagingBytes(schedule, problem.output) - stationaryBytes(problem, schedule);
  return std::clamp<int64_t>(left / stage, 0, most_stages);
}

StagedSchedule completed(const StagedProblem &problem, StagedSchedule schedule) {
  if (schedule.stages == 0)
    schedule.stages = std::min(schedule.isForThreads() ? usual_ampere_stages : most_stages,
                               stagesThatFit(problem, schedule));
  if (schedule.isForThreads() && schedule.vector == 0)
    schedule.vector = widestVector(problem.layer);
  return schedule;
}

} // namespace compiler
