// What kernels of two layers for few rows would cost: bytes, loads in flight, instructions, waits one after
// another.
#include "compiler/schedule/chained_reduction.h"
#include "compiler/schedule/reduction_parts.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/targets.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace compiler {

// All of these are fitted to 60 kernels for one row that were measured on an H100
// (benchmarks/results/2026-11-27-network-schedules.csv). In cycles: from a block of a weight matrix to
// the next one; the sums of slices, which two layers also hand on; and where blocks of a cluster add up a
// result, which takes two meetings of all their threads, and reads from one another.
static constexpr double cycles_per_block_of_layers = 450, cycles_per_part_of_layers = 600,
                        cycles_of_cluster = 1100;
// How many blocks of clusters of three and more have a multiprocessor of their own at once: 32 clusters of
// four took two rounds, as many of three took one.
static constexpr double blocks_of_large_clusters = 120;
// Cycles of issuing for each instruction that is counted: those of addresses, and of waiting for one another.
static constexpr double cycles_per_instruction = 2;
// Registers of a thread beside those of one layer: addresses of both.
static constexpr double registers_of_second_layer = 40;

namespace {
/// A block of a weight matrix by its row, input group and output group.
using BlockName = std::tuple<int64_t, int64_t, int64_t>;
} // namespace

/// How often blocks are read: once where all rows multiply by one, else once for each row that does.
static double timesRead(const std::map<BlockName, int64_t> &readers, int64_t rows) {
  double times = 0;
  for (const auto &[block, count] : readers)
    times += count == rows ? 1 : static_cast<double>(count);
  return times;
}

ReadBlocks readBlocks(const StagedChainedProblem &problem, int64_t rows) {
  const algebras::Lift &lift = problem.last.lift;
  const bool interval = problem.last.row_types.kind() == algebras::RowTypes::Kind::Interval;
  const int64_t width = interval ? problem.last.row_types.width() : 1;
  constexpr int64_t looked_at = 64;
  const int64_t pairs = lift.types() * lift.outputGroups(), step = (pairs + looked_at - 1) / looked_at;
  ReadBlocks mean;
  double count = 0;
  for (int64_t pair = 0; pair < pairs; pair += step, ++count) {
    const int64_t first_type = pair / lift.outputGroups(), group = pair % lift.outputGroups();
    std::map<BlockName, int64_t> of_last;
    std::vector<std::map<BlockName, int64_t>> of_first;
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t type = (first_type + row / width) % lift.types();
      // The kernel goes through a complete graph's diagonal block first.
      const auto terms = lift.terms(type, group);
      std::vector<std::pair<int64_t, int64_t>> named;
      for (const bool diagonal : {true, false})
        for (const auto &term : terms)
          if (diagonal == (!lift.completeGraph() || term.weight_row == group))
            named.emplace_back(term.weight_row, term.input_group);
      of_first.resize(std::max(of_first.size(), named.size()));
      for (size_t ordinal = 0; ordinal < named.size(); ++ordinal) {
        const auto [weight_row, input_group] = named[ordinal];
        ++of_last[{weight_row, input_group, group}];
        for (const auto &term : problem.first.lift.terms(type, input_group))
          ++of_first[ordinal][{term.weight_row, term.input_group, input_group}];
      }
    }
    mean.last += timesRead(of_last, rows);
    for (const auto &readers : of_first)
      mean.first += timesRead(readers, rows);
    mean.terms += static_cast<double>(of_first.size());
  }
  return {mean.first / count, mean.last / count, mean.terms / count};
}

ChainedReductionCosts::ChainedReductionCosts(const StagedChainedProblem &problem, int64_t m,
                                             const GpuMachine &machine, int64_t experts)
    : problem_(problem), networks_(m, experts),
      first_(projectionWork(problem.first, networks_.rows, algebras::DataType::BF16)),
      last_(projectionWork(problem.last, networks_.rows, problem.output)), machine_(machine) {}

double ChainedReductionCosts::bytes() const {
  return static_cast<double>(networks_.count) *
         (first_.x_bytes + first_.weight_bytes + last_.weight_bytes + last_.y_bytes);
}

Floor ChainedReductionCosts::floor() const {
  return {bytes() / machine_.memory_bytes_per_us,
          static_cast<double>(networks_.count) * (first_.macs + last_.macs) / machine_.denseMacsPerUs()};
}

Cost ChainedReductionCosts::operator()(const ChainedReductionSchedule &schedule) {
  using namespace reduction_parts;
  const int64_t rows_read = std::min(networks_.rows, schedule.rows);
  auto known = reads_.find(rows_read);
  if (known == reads_.end())
    known = reads_.emplace(rows_read, readBlocks(problem_, rows_read)).first;
  const ReadBlocks &reads = known->second;

  const double cluster = static_cast<double>(schedule.cluster),
               share = static_cast<double>(shareOfBlock(problem_.first, schedule)),
               hidden = static_cast<double>(schedule.hidden), columns = static_cast<double>(schedule.columns);
  const double rows = static_cast<double>(schedule.rows), row_blocks = ceilDivide(first_.rows(), rows),
               parts = static_cast<double>(networks_.count) * row_blocks * last_.groups,
               blocks = parts * cluster, rows_of_part = first_.rows() / row_blocks;
  // What a block goes through one after the other: columns of its share, and of the result.
  const double hidden_turns = ceilDivide(share, hidden), turns_of_result = ceilDivide(last_.n, columns);

  // Blocks whose share begins behind the hidden group's end have nothing to read.
  const double shares = first_.n / share, bytes_of_sector = sector_bytes / 2;
  const double first_bytes = first_.weights * reads.first * first_.k *
                             (2 * first_.n + shares * hidden_turns * bytes_of_sector),
               last_bytes = reads.last * first_.n * (2 * last_.n + turns_of_result * bytes_of_sector),
               x_bytes = cluster * hidden_turns * rows_of_part * reads.terms * first_.terms *
                         (2 * first_.k + bytes_of_sector);
  const double registers =
      std::min<double>(registers_of_thread, std::max(registersOf(schedule.first(), first_.weights),
                                                     registersOf(schedule.last(), 1)) +
                                                registers_of_second_layer);
  const double together = machine_.blocksTogether(static_cast<double>(schedule.threads()), registers,
                                                  static_cast<double>(sharedBytes(problem_, schedule)));
  const double multiprocessors = cluster > 2
                                     ? std::min(machine_.multiprocessorsIn(cluster), blocks_of_large_clusters)
                                     : machine_.multiprocessorsIn(cluster);
  const double working = std::min(together, blocks / multiprocessors);
  auto slow_down = [&](double in_flight) { // where too little is on its way
    return std::max<double>(1.0, machine_.bytes_in_flight / (working * in_flight));
  };
  const LayerOfSlices of_first(schedule.first(), first_.k, first_.weights),
      of_last(schedule.last(), share, 1);
  const double loads = parts *
                       ((first_bytes + x_bytes) * slow_down(of_first.bytesInFlight()) +
                        last_bytes * slow_down(of_last.bytesInFlight())) /
                       machine_.cache_bytes_per_us;

  // Threads go through all rows of a part, also where the batch has fewer.
  const double terms_of_rows = rows * reads.terms;
  const double instructions =
      hidden_turns * (of_first.instructions(reads.first, terms_of_rows * first_.terms) +
                      reads.terms * of_first.instructionsOfSums()) +
      turns_of_result * (of_last.instructions(reads.last, terms_of_rows) + of_last.instructionsOfSums());
  const double issue = blocks * instructions / machine_.issues_per_cycle / (multiprocessors * machine_.clock);

  // The block that comes first waits for memory in what a launch takes. Blocks on one multiprocessor wait
  // side by side, but issue one after the other.
  const double waits = std::max(0.0, hidden_turns * reads.first * of_first.rounds() +
                                         turns_of_result * reads.last * of_last.rounds() - 1) *
                           cycles_per_block_of_layers +
                       hidden_turns * reads.terms * cycles_per_part_of_layers +
                       turns_of_result * (cluster > 1 ? cycles_of_cluster : cycles_per_part_of_layers) +
                       std::ceil(working) * cycles_per_instruction * instructions / machine_.issues_per_cycle;
  const double waves = std::max(1.0, ceilDivide(blocks, multiprocessors * together));
  const double latency = waves * waits / machine_.clock;

  const double memory = bytes() / machine_.memory_bytes_per_us;
  const double busiest = ceilDivide(blocks, multiprocessors) * multiprocessors;
  Cost cost;
  cost.tiles = cost.turns = parts;
  cost.waves = blocks / multiprocessors;
  cost.busy = {
      {"memory", memory}, {"loads", loads}, {"issue", issue, busiest / blocks}, {"latency", latency}};
  addSideBySide(cost, {.launch = machine_.launch_us + machine_.clusterStart(cluster)});
  return cost;
}

std::optional<ChainedReductionChoice> chooseChainedReduction(const StagedChainedProblem &problem,
                                                             std::string_view target, int64_t m,
                                                             int64_t vector, int64_t experts) {
  ChainedReductionCosts costs(problem, m, *entryOf(targetNamed(target)).machine, experts);
  std::optional<ChainedReductionChoice> best;
  for (const ChainedReductionSchedule &candidate : considerChainedReductions(problem, target, vector))
    if (Cost cost = costs(candidate); !best || cost.total() < best->cost.total())
      best = ChainedReductionChoice{candidate, std::move(cost)};
  return best;
}

} // namespace compiler
