// What a schedule of vector reductions would cost: bytes, loads in flight, instructions, waits one after
// another.
#include "compiler/schedule/reduction_parts.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/staged.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace compiler {

// Addresses, bounds and the loop around eight rows of the weight matrix.
static constexpr double instructions_per_piece = 24;
// Registers of a thread beside those for its rows, and for each row: ptxas 12.9 gives 84 to threads with one
// row and vectors of 8, 112 for two, 168 for four and 255 for eight.
static constexpr double registers_beside_rows = 56, registers_of_a_row = 28;
// Of a further weight matrix, with vectors of 8: as many as it has vectors of 16 bytes on their way.
static constexpr double registers_of_a_product = 4 * reduction_depth;

namespace reduction_parts {

double registersOf(const ReductionSchedule &schedule, double products) {
  const double vector = static_cast<double>(schedule.vector) / 8, rows = static_cast<double>(schedule.rows);
  return std::min<double>(registers_of_thread,
                          registers_beside_rows + rows * (4 + vector * (registers_of_a_row - 4)) +
                              (products - 1) * vector * (registers_of_a_product + 8 * rows));
}

LayerOfSlices::LayerOfSlices(const ReductionSchedule &schedule, double depth, double weights)
    : rows_(static_cast<double>(schedule.rows)), vector_(static_cast<double>(schedule.vector)),
      lanes_(static_cast<double>(schedule.lanes())), slices_(static_cast<double>(schedule.slices)),
      warps_(static_cast<double>(schedule.warps())),
      pieces_(ceilDivide(depth, static_cast<double>(reduction_depth))), rounds_(ceilDivide(pieces_, slices_)),
      weights_(weights) {}

double LayerOfSlices::bytesInFlight() const {
  return weights_ * lanes_ * std::min(slices_, pieces_) * static_cast<double>(reduction_depth) * 2 * vector_;
}

double LayerOfSlices::instructions(double reads, double terms_of_rows) const {
  constexpr auto depth = static_cast<double>(reduction_depth);
  const double warps = std::ceil(lanes_ * std::min(slices_, pieces_) / 32);
  const double of_block = depth + depth * vector_ + instructions_per_piece,
               of_row = depth / vector_ + depth + depth * vector_;
  return weights_ * warps * rounds_ * (reads * of_block + terms_of_rows * of_row);
}

double LayerOfSlices::instructionsOfSums() const {
  return weights_ * warps_ * rows_ * vector_ * 2 * std::log2(std::max(1.0, 32 / lanes_));
}

} // namespace reduction_parts

double commonTerms(const algebras::Layer &layer, int64_t rows) {
  const algebras::Lift &lift = layer.lift;
  // Rows of one run of an interval have one type; of a run and the next they have two.
  const bool interval = layer.row_types.kind() == algebras::RowTypes::Kind::Interval;
  const int64_t width = interval ? layer.row_types.width() : 1;
  const int64_t types = std::min(lift.types(), 1 + (rows - 1 + width / 2) / width);
  if (lift.completeGraph() && types > 1)
    return 1;
  constexpr int64_t looked_at = 64;
  const int64_t pairs = lift.types() * lift.outputGroups(), step = (pairs + looked_at - 1) / looked_at;
  double common = 0, count = 0;
  for (int64_t pair = 0; pair < pairs; pair += step, ++count) {
    const int64_t type = pair / lift.outputGroups(), group = pair % lift.outputGroups();
    auto blocks_of = [&](int64_t of) {
      std::vector<std::pair<int64_t, int64_t>> blocks;
      for (const auto &term : lift.terms(of % lift.types(), group))
        blocks.emplace_back(term.weight_row, term.input_group);
      std::sort(blocks.begin(), blocks.end());
      return blocks;
    };
    auto shared = blocks_of(type);
    for (int64_t next = 1; next < types; ++next) {
      const auto others = blocks_of(type + next);
      std::erase_if(shared, [&](const auto &block) {
        return !std::binary_search(others.begin(), others.end(), block);
      });
    }
    common += static_cast<double>(shared.size());
  }
  return common / count;
}

Cost reductionCost(const ProjectionWork &work, const ReductionSchedule &schedule, double common,
                   const GpuMachine &machine, int64_t networks) {
  using namespace reduction_parts;
  const double m = work.rows(), rows = static_cast<double>(schedule.rows),
               columns = static_cast<double>(schedule.columns);
  const double row_blocks = ceilDivide(m, rows), column_blocks = ceilDivide(work.n, columns);
  const double rows_of_part = m / row_blocks;
  // What not all rows take part in each reads for itself.
  const double reads = common + rows_of_part * std::max(0.0, work.terms - common);

  const auto count = static_cast<double>(networks);
  const double parts = count * row_blocks * work.groups * column_blocks;
  const double memory =
      count * (work.x_bytes + work.weight_bytes + work.y_bytes) / machine.memory_bytes_per_us;

  // Every part reads its blocks of the weight matrix, in rows that begin anywhere, and its rows of X.
  const double weight_bytes = work.weights * reads * work.k * (2 * work.n / column_blocks + sector_bytes / 2),
               x_bytes = rows_of_part * work.terms * (2 * work.k + sector_bytes / 2);
  const double together = machine.blocksTogether(
      static_cast<double>(schedule.threads()), registersOf(schedule, work.weights),
      static_cast<double>(reductionSharedBytes(schedule, static_cast<int64_t>(work.weights))));
  const double working = std::min(together, parts / machine.multiprocessors);
  const LayerOfSlices layer(schedule, work.k, work.weights);
  const double loads = parts * (weight_bytes + x_bytes) / machine.cache_bytes_per_us *
                       std::max<double>(1.0, machine.bytes_in_flight / (working * layer.bytesInFlight()));

  const double instructions =
      layer.instructions(reads, rows_of_part * work.terms) + layer.instructionsOfSums();
  const double in_us = 1 / (machine.multiprocessors * machine.clock);
  const double issue = parts * instructions / machine.issues_per_cycle * in_us;
  // Waits: of one part one after the other, of parts that share a multiprocessor side by side.
  const double waits = std::max(0.0, reads * layer.rounds() - 1) * cycles_per_block + cycles_per_part;
  const double turns = std::max(1.0, ceilDivide(parts, machine.multiprocessors * together));
  const double latency = turns * waits / machine.clock;

  const double busiest = ceilDivide(parts, machine.multiprocessors) * machine.multiprocessors;
  Cost cost;
  cost.tiles = cost.turns = parts;
  cost.waves = parts / machine.multiprocessors;
  cost.busy = {{"memory", memory}, {"loads", loads}, {"issue", issue, busiest / parts}, {"latency", latency}};
  addSideBySide(cost, {.launch = machine.launch_us});
  return cost;
}

std::vector<Considered<ReductionSchedule>> considerReductions(const algebras::Layer &layer, int64_t vector) {
  std::vector<Considered<ReductionSchedule>> considered;
  for (const int64_t rows : {1, 2, 4, 8})
    for (const int64_t lanes : {32, 16, 8, 4, 2, 1})
      for (const int64_t threads : {64, 128, 256, 512}) {
        ReductionSchedule schedule;
        schedule.vector = vector == 0 ? widestVector(layer) : vector;
        schedule.rows = rows;
        schedule.columns = lanes * schedule.vector;
        schedule.slices = threads / lanes;
        MaybeRefusal refused = refusal(layer, schedule);
        // Half of a part's columns at least are there.
        if (!refused && schedule.columns >= 2 * layer.out.width(0) && lanes > 1)
          refused = {"columns", "half of the columns of a block and more are beyond the group"};
        considered.push_back({schedule, refused});
      }
  return considered;
}

Cost ReductionCosts::operator()(const ReductionSchedule &schedule) {
  const int64_t rows = std::min(m_, schedule.rows);
  if (!common_.contains(rows))
    common_[rows] = commonTerms(layer_, rows);
  return reductionCost(work_, schedule, common_[rows], machine_, networks_);
}

std::optional<ReductionSchedule> chooseReduction(const algebras::Layer &layer, int64_t m,
                                                 algebras::DataType output, int64_t vector,
                                                 const GpuMachine &machine, int64_t experts) {
  const RowsOfNetworks networks(m, experts);
  const ProjectionWork work = projectionWork(layer, networks.rows, output);
  const auto considered = considerReductions(layer, vector);
  const ReductionSchedule *best =
      cheapest(considered, ReductionCosts(layer, networks.rows, work, machine, networks.count));
  return best ? std::optional(*best) : std::nullopt;
}

} // namespace compiler
