// What kernels of two layers would cost on a machine whose copy engine brings their blocks.
#include "compiler/schedule/engine_parts.h"
#include "compiler/schedule/staged_chained.h"

#include <algorithm>
#include <cmath>

namespace compiler {

// Cycles of issuing what is stored of a hidden sum, beside its maps. And cycles until sums can be read behind
// the last product, or products begin behind a map. Assumptions.
static constexpr double cycles_of_rounding = 1, cycles_per_wait = 100, waits_of_chunk = 2;
// Fitted to 75 kernels that were measured on an H100, and right for as many and others on an H200
// (benchmarks/results/2026-11-27-network-schedules.csv, tests/schedule/measured_networks_test.cpp): the part
// that is shorter, moving data or computing, hides behind the other by two thirds.
static constexpr double exposed_of_layers = 0.35;
// What the second-level cache sends to these kernels, beside what it was fitted to send to those of one
// layer: 8.3 TB/s, as in the probes (benchmarks/probes). Fitted.
static constexpr double cache_beside_one_layer = 1.2;
// Of X what still comes from memory where weights leave the cache first. Fitted.
static constexpr double rows_from_memory = 0.6;
// Cycles until rows of a type of the next input group are there, where they come into the only stage that
// there is for them once the last ones are done with.
static constexpr double cycles_of_row_stage = 700;
// Cycles until the second layer's blocks of the next chunk are there, where they are asked for when this
// chunk's have been multiplied. Fitted to networks of 2560 x 9728 on an H200.
static constexpr double cycles_until_next_blocks = 1400;
// What a schedule has to save to be trusted: each time that its steps are half as deep, since a loop issues
// more beside its products then, and each time that its cluster is doubled, as in kernels of one layer.
static constexpr double half_depth = 0.05, doubled_cluster = 0.02;

StagedChainedCosts::StagedChainedCosts(const StagedChainedProblem &problem, int64_t m,
                                       const GpuMachine &machine)
    : first_(projectionWork(problem.first, m, algebras::DataType::BF16)),
      last_(projectionWork(problem.last, m, problem.output)), output_(problem.output),
      map_cycles_(static_cast<double>(problem.first.fused.map_cycles)),
      edges_of_type_((static_cast<double>(problem.last.lift.termCount()) / last_.types - 1) / 2),
      machine_(machine) {}

Floor StagedChainedCosts::floor() const {
  return {(first_.x_bytes + first_.weight_bytes + last_.weight_bytes + last_.y_bytes) /
              machine_.memory_bytes_per_us,
          (first_.macs + last_.macs) / machine_.denseMacsPerUs()};
}

/// Of rows, each of one type.
static double countSegments(const ProjectionWork &work) {
  double segments = 0;
  for (const EqualSegments &kind : work.segments)
    segments += kind.count;
  return segments;
}

namespace {
/// Of one block of rows: what one term of a hidden group takes, and one of an output group.
struct TermOfLayers {
  double multiplied, read; ///< cycles of the tensor cores, bytes that they read of shared memory
  double sent, received;   ///< bytes of its weight blocks, and of the boxes in which they come
};
} // namespace

/// Bytes of weights that come from memory once more: blocks of rows of a type follow each other, and types.
static double rereadWeights(const ProjectionWork &work, double row_blocks, double together,
                            const GpuMachine &machine) {
  using engine_parts::lost;
  const double segments = countSegments(work);
  const double of_segment = std::max(1.0, ceilDivide(row_blocks / segments, together));
  return segments * (of_segment - 1) * work.type_bytes * lost(work.type_bytes, machine) +
         std::max(0.0, segments * work.type_bytes - work.weight_bytes) * lost(work.type_bytes, machine);
}

/// Moving data, the longer of memory and what arrives, beside computing, the longer of what shared memory and
/// the tensor cores take: the longer of both sides, and what does not hide behind it of the other.
static void addTwoSides(Cost &cost, const CostPart &memory, const CostPart &arrives, const CostPart &shared,
                        const engine_parts::TensorTime &tensor, double uneven) {
  cost.busy = {memory, arrives, shared, {"tensor", tensor.all(), uneven}};
  cost.arithmetic = {{"products", tensor.products},
                     {"padding", tensor.padding},
                     {"feeding", tensor.feeding},
                     {"store", tensor.store}};
  const auto longer = [](const CostPart &a, const CostPart &b) -> const CostPart & {
    return a.us * a.uneven >= b.us * b.uneven ? a : b;
  };
  const CostPart &moving = longer(cost.busy[0], cost.busy[1]),
                 &computing = longer(cost.busy[3], cost.busy[2]);
  const CostPart &bound = longer(moving, computing), &other = &bound == &moving ? computing : moving;
  const double tail = bound.us * (bound.uneven - 1), unhidden = exposed_of_layers * other.us * other.uneven;
  cost.bound_by = bound.name;
  cost.sum = {{bound.name, bound.us}, {"tail", tail}, {"unhidden", unhidden}};
  cost.all = bound.us + tail + unhidden;
}

namespace {

/// The numbers of a schedule, and how often its tiles do what.
struct Turns {
  Turns(const StagedChainedSchedule &schedule, const ProjectionWork &first, const ProjectionWork &last,
        double edges_of_type)
      : rows(static_cast<double>(schedule.rows)), hidden(static_cast<double>(schedule.hidden)),
        depth(static_cast<double>(schedule.depth)), types(static_cast<double>(schedule.types)),
        cluster(static_cast<double>(schedule.cluster_types)),
        warpgroups(static_cast<double>(schedule.warpgroups())),
        parts(static_cast<double>(schedule.ping_pong)),
        groups_of_turn(static_cast<double>(schedule.stationary_groups)), chunks(ceilDivide(first.n, hidden)),
        steps(ceilDivide(first.k, depth)), columns(ceilDivide(last.n, 16) * 16) {
    const double types_together = types * cluster;
    double blocks = 0;
    for (const EqualSegments &kind : first.segments) {
      row_blocks += kind.count * ceilDivide(kind.rows, rows);
      blocks += ceilDivide(kind.count, types_together) * cluster * ceilDivide(kind.rows, rows);
    }
    tiles = blocks * last.groups;
    turns = blocks * ceilDivide(last.groups, groups_of_turn);
    // Of a type's rows one output group is its own, which reads one hidden group. A tile of one type passes
    // over the other; one of several types goes through both, since they are another type's, as are those of
    // a cluster, whose blocks wait for each other.
    others = types_together > 1 ? tiles : row_blocks * edges_of_type;
    only_own = types_together > 1 ? 0 : row_blocks;
    own_turns = turns * types;
    x_times = own_turns + types * others;
  }

  double rows, hidden, depth, types, cluster, warpgroups, parts, groups_of_turn;
  double chunks, steps;  ///< of a hidden group's columns, of an input group's features
  double columns;        ///< of a tile, whole panels
  double row_blocks = 0; ///< of one type each
  double tiles, turns;
  double others;    ///< tiles of groups that are not the type's own, or not all its own
  double only_own;  ///< tiles that pass over the other hidden group
  double own_turns; ///< hidden groups that stay, of one type each
  double x_times;   ///< rows of X of one type and one input group that are brought
};

/// What a tile does with the weight blocks of both layers.
struct LayersOfTile {
  LayersOfTile(const Turns &turns, const ProjectionWork &first, const ProjectionWork &last) {
    using namespace engine_parts;
    const double rows = turns.rows, hidden = turns.hidden, chunks = turns.chunks;
    // Of one type's rows. That gate and up are one product, whose instructions are twice as wide, is not
    // counted: the measured kernels in which they are do not show it where chunks are narrow.
    of_hidden = {first.weights * chunks * productCycles(rows, hidden, first.k),
                 first.weights * chunks * operandBytes(rows, hidden, first.k),
                 first.weights * 2 * first.k * first.n,
                 first.weights * 2 * turns.steps * turns.depth * chunks * hidden};
    of_output = {productCycles(rows, turns.columns, first.n), operandBytes(rows, turns.columns, first.n),
                 2 * first.n * last.n, 2 * chunks * hidden * turns.columns};
    const double of_types = 2 * turns.types * turns.others;
    hidden_products = turns.own_turns + of_types;
    output_products = of_types + turns.only_own;
    // A block comes once for all types of a tile where it is the output group's own, else once for each.
    const double brought = (1 + turns.types) * turns.others;
    hidden_blocks = turns.own_turns + brought;
    output_blocks = brought + turns.only_own;
  }

  double multiplied() const {
    return hidden_products * of_hidden.multiplied + output_products * of_output.multiplied;
  }

  TermOfLayers of_hidden, of_output;
  double hidden_products, output_products; ///< terms that are multiplied
  double hidden_blocks, output_blocks;     ///< weight blocks that are brought
};

/// Bytes that arrive in shared memory, and in which time.
struct Arrivals {
  Arrivals(const Turns &turns, const LayersOfTile &layers, const StagedChainedSchedule &schedule,
           const ProjectionWork &first, const GpuMachine &machine) {
    using namespace engine_parts;
    // Rows of X come once for a turn, and once for every other group. What blocks of a cluster share the
    // cache sends once.
    const double cluster = turns.cluster, sent_again = turns.others * (1 - 1 / cluster);
    const double sent = turns.x_times * first.rows() / turns.row_blocks * 2 * first.k +
                        (layers.hidden_blocks - sent_again) * layers.of_hidden.sent +
                        (layers.output_blocks - sent_again) * layers.of_output.sent;
    received = turns.x_times * turns.rows * 2 * turns.steps * turns.depth +
               layers.hidden_blocks * layers.of_hidden.received +
               layers.output_blocks * layers.of_output.received;
    const double in_flight =
        static_cast<double>(schedule.stages - 1) * first.weights * 2 * turns.depth * turns.hidden +
        static_cast<double>(schedule.next_stages - 1) * 2 * turns.hidden * turns.columns;
    takes_in = takesIn(in_flight, machine);
    // One thread issues the copies, one for each panel; a type's own blocks are as many boxes as a cluster
    // has blocks.
    const auto boxes = [&](double blocks) { return turns.others + (blocks - turns.others) * cluster; };
    const double copies = turns.chunks * (boxes(layers.hidden_blocks) * first.weights * turns.steps * 2 *
                                              turns.hidden / panelOf(schedule.hidden) +
                                          boxes(layers.output_blocks) * 2 * turns.columns /
                                              panelOf(static_cast<int64_t>(turns.columns))) +
                          turns.x_times * turns.steps;
    us = std::max({sent / (cache_beside_one_layer * machine.cache_bytes_per_us), received / takes_in,
                   copies * cycles_per_copy / (machine.multiprocessors * machine.dense_clock)});
  }

  double received, takes_in, us;
};

/// Cycles that warpgroups are busy, or wait, in one chunk and at the end of a tile. A warpgroup multiplies,
/// maps and multiplies again, one after the other, with other warpgroups between.
struct ChunkTimes {
  ChunkTimes(const Turns &turns, const LayersOfTile &layers, const StagedChainedSchedule &schedule,
             const ProjectionWork &last, double bytes_of_result, double map_cycles,
             const GpuMachine &machine) {
    using namespace engine_parts;
    const double types = turns.types, chunks = turns.chunks, parts = turns.parts,
                 warpgroups = turns.warpgroups;
    maps = (map_cycles + cycles_of_rounding) * 64 * turns.hidden / (32 * machine.issues_per_cycle);
    // Warpgroups that take chunks in turn have that many each, the first one perhaps one more.
    const double most_chunks = ceilDivide(chunks, parts), least_chunks = std::floor(chunks / parts);
    auto in_turn = [&](double products) { return products + maps + waits_of_chunk * cycles_per_wait; };
    auto chunk = [&](double products) { // of all types of a tile
      if (parts > 1)
        return std::max({products, maps, most_chunks / chunks * in_turn(products)});
      return std::max({products, warpgroups * maps, in_turn(products / warpgroups)});
    };
    of_own = chunk(types * layers.of_hidden.multiplied / chunks);
    // Of a group other than the type's own, of one chunk.
    const double made = 2 * types * layers.of_hidden.multiplied / chunks;
    multiplied_again = 2 * types * layers.of_output.multiplied / chunks;
    of_other = chunk(made + multiplied_again);
    if (schedule.overlap) {
      // Maps run beside the second layer's products of the chunk before, but for the first chunk's, and only
      // what comes behind the longer of both waits.
      const double of_next =
          std::max({made + multiplied_again, warpgroups * maps,
                    made / warpgroups + std::max(multiplied_again / warpgroups, maps) + cycles_per_wait});
      of_other = ((chunks - 1) * of_next + chunk(made) + multiplied_again) / chunks;
    }
    sums = types * turns.rows * last.n;
    written = sums * bytes_of_result;
    end_of_tile = endOfTile(turns.cluster) + 2 * written / machine.shared_bytes_per_cycle;
    if (parts > 1) {
      // The first one leaves its sums to the second one and goes on, while that one adds them up and stores.
      const double together = 4 * sums / machine.shared_bytes_per_cycle + cycles_per_wait,
                   of_chunk = in_turn(made + multiplied_again);
      of_other = std::max(of_other, std::max(most_chunks * of_chunk + together,
                                             least_chunks * of_chunk + together + end_of_tile) /
                                        chunks);
    }
    // Where the second layer's ring has no room for the next chunk's blocks, these are asked for when this
    // one's have been multiplied, and come while the next chunk is made.
    if (schedule.next_stages <= 1 + schedule.types)
      of_other = std::max(of_other, cycles_until_next_blocks + multiplied_again / types);
  }

  double maps, multiplied_again; ///< of a chunk: by one warpgroup; products of the second layer
  double of_own, of_other;       ///< of a chunk of the group that stays; of one of another group
  double end_of_tile;
  double sums, written; ///< of a tile: numbers, bytes
};

} // namespace

/// Cycles that no chunk's own time has: stages that are waited for.
static double waitsForStages(const Turns &turns, const StagedChainedSchedule &schedule,
                             const GpuMachine &machine) {
  using namespace engine_parts;
  // Where the ring has no room for a chunk's blocks of all types, no type can run ahead of another: the
  // blocks of every chunk come while it waits.
  const bool all_wait =
      turns.types > 1 && static_cast<double>(schedule.stages) < (1 + turns.types) * turns.steps;
  const double starved =
      all_wait ? turns.others * turns.chunks * machine.engine_latency_us * machine.dense_clock : 0;
  // Of what a cluster shares every stage waits for the slowest block.
  const double shared_stages =
      turns.cluster > 1 ? turns.others * turns.chunks * (turns.steps + 1) * cycles_per_shared_stage : 0;
  return starved + shared_stages;
}

double StagedChainedCosts::memoryTime(const StagedChainedSchedule &schedule, double row_blocks) const {
  using namespace engine_parts;
  const auto groups_of_turn = static_cast<double>(schedule.stationary_groups);
  const double together = std::max(1.0, machine_.multiprocessors / ceilDivide(last_.groups, groups_of_turn));
  // The groups of a turn lie beside each other, and follow one another while the line that two of them share
  // is in the cache.
  auto in_lines = [&](double bytes, double width) { return inLines(bytes, groups_of_turn * width); };
  // Where no tile reads what another one's types own, that can leave the cache first, and most of X stays
  // there from the kernel that wrote it on. Intervals may have several segments of a type.
  const bool read_once = row_blocks <= std::min(countSegments(first_), first_.types);
  const double x_bytes =
      (schedule.evict_first && read_once ? rows_from_memory : 1) * in_lines(first_.x_bytes, 2 * first_.k);
  return (x_bytes + in_lines(first_.weight_bytes, 2 * first_.n) + in_lines(last_.weight_bytes, 2 * last_.n) +
          in_lines(last_.y_bytes, static_cast<double>(byteWidth(output_)) * last_.n) +
          rereadWeights(first_, row_blocks, together, machine_) +
          rereadWeights(last_, row_blocks, together, machine_)) /
         machine_.memory_bytes_per_us;
}

Cost StagedChainedCosts::operator()(const StagedChainedSchedule &schedule) const {
  using namespace engine_parts;
  const Turns turns(schedule, first_, last_, edges_of_type_);
  const LayersOfTile layers(turns, first_, last_);
  const Arrivals arrivals(turns, layers, schedule, first_, machine_);
  const ChunkTimes chunk(turns, layers, schedule, last_, static_cast<double>(byteWidth(output_)), map_cycles_,
                         machine_);

  Cost cost;
  cost.tiles = turns.tiles;
  cost.turns = turns.turns;
  const double multiprocessors = machine_.multiprocessorsIn(turns.cluster);
  cost.waves = cost.turns / multiprocessors;

  const double multiplied = layers.multiplied();
  const double busy = turns.chunks * (cost.turns * chunk.of_own + turns.others * chunk.of_other) +
                      turns.only_own * layers.of_output.multiplied +
                      waitsForStages(turns, schedule, machine_);
  const double ends = (turns.parts > 1 ? cost.tiles - turns.others : cost.tiles) * chunk.end_of_tile;
  const double in_cycles = 1 / (machine_.multiprocessors * machine_.dense_clock);
  const TensorTime tensor(multiplied, std::max(0.0, busy - multiplied), ends, 1, in_cycles, floor().tensor);

  // Rows in registers are not read.
  const double from_registers = layers.of_output.read - turns.rows * 2 * first_.n;
  const double read = layers.hidden_products * layers.of_hidden.read +
                      turns.types * turns.others * (layers.of_output.read + from_registers) +
                      turns.only_own * layers.of_output.read;
  const double kept = turns.own_turns * 2 * turns.rows * turns.chunks * turns.hidden;
  const double partial = turns.parts > 1 ? 2 * 4 * cost.tiles * chunk.sums : 0;
  const double port =
      portTime(read + arrivals.received + kept + 2 * cost.tiles * chunk.written + partial, machine_);

  const double clusters = multiprocessors / turns.cluster;
  const double uneven =
      ceilDivide(cost.turns / turns.cluster, clusters) * machine_.multiprocessors / cost.turns;
  const double busiest_takes = arrivals.received / arrivals.takes_in * uneven;
  const CostPart arrives{"loads", arrivals.us, std::max(arrivals.us, busiest_takes) / arrivals.us};
  addTwoSides(cost, {"memory", memoryTime(schedule, turns.row_blocks)}, arrives, {"shared", port, uneven},
              tensor, uneven);

  // Where chunks are multiplied behind the next one's products, the last one's follow the last that read X.
  const double behind_rows = schedule.overlap  ? chunk.multiplied_again + cycles_per_wait
                             : turns.parts > 1 ? chunk.multiplied_again + chunk.maps + cycles_per_wait
                                               : 0;
  const double row_waits = schedule.row_stages == 1
                               ? std::ceil(cost.waves) * turns.groups_of_turn *
                                     std::max(0.0, cycles_of_row_stage - behind_rows) / machine_.dense_clock
                               : 0;
  const double caution =
      (half_depth * std::max(0.0, std::log2(64 / turns.depth)) + doubled_cluster * std::log2(turns.cluster)) *
      (cost.all + row_waits);
  const double launch = machine_.launch_us + machine_.clusterStart(turns.cluster);
  cost.sum.push_back({"rows", row_waits});
  cost.sum.push_back({"caution", caution});
  cost.sum.push_back({"launch", launch});
  cost.all += row_waits + caution + launch;
  return cost;
}

} // namespace compiler
