// Which staged schedules are looked at: all tiles that there are instructions for, and why some of them are
// not worth more than a look.
#include "compiler/schedule/group_order.h"
#include "compiler/schedule/panels.h"
#include "compiler/schedule/rules.h"
#include "compiler/schedule/staged.h"

#include "algebras/error.h"
#include "runtime/gpu_kernel_abi.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace compiler {
namespace {

// Whom a rule binds: who copies, and what is computed.
constexpr unsigned product_by_threads = 1, gradient_by_threads = 2, product_by_engine = 4,
                   gradient_by_engine = 8, by_threads = product_by_threads | gradient_by_threads,
                   by_engine = product_by_engine | gradient_by_engine,
                   products = product_by_threads | product_by_engine;

struct Candidate {
  const StagedProblem &problem;
  const StagedSchedule &s; ///< the schedule

  /// Of an input group and of an output group.
  int64_t k() const { return problem.layer.in.widest(); }
  int64_t n() const { return problem.layer.out.widest(); }
  int64_t rowBlocks() const { return (k() + s.rows - 1) / s.rows; }
  int64_t columnBlocks() const { return (n() + s.columns - 1) / s.columns; }
};

// What is legal and would multiply zeros, spill, or be written twice. How deep a step of a gradient of the
// weight matrix may be depends on the rows of the batch, and is for the cost to say.
const Rule<Candidate> waste[] = {
    // Where tiles may have no steps, which blocks of dW and lists of the pieces of unequal groups may not,
    // and one turn fills the ring, LLVM writes its group of copies once for tiles with steps and once for
    // those without, which is correct, and more code than the gates for machine code let pass.
    {by_threads, "two stages",
     [](const Candidate &c) {
       const algebras::Layer &layer = c.problem.layer;
       return when(c.s.stages == 2 &&
                       (c.problem.weight_gradient || !layer.in.isEqual() || !layer.out.isEqual()),
                   "2 stages: a ring that is filled by one turn is written twice");
     }},
    {gradient_by_threads, "higher than a group",
     [](const Candidate &c) {
       return when(c.s.rows > 16 && c.s.rows / 2 >= c.k(),
                   "{} rows: an input group has {} features, the rest would be zeros", c.s.rows, c.k());
     }},
    {gradient_by_engine, "higher than a group",
     [](const Candidate &c) {
       return when(c.s.rows - 64 >= c.k(),
                   "{} rows: an input group has {} features, and all that a warpgroup has of them would be "
                   "zeros",
                   c.s.rows, c.k());
     }},
    // A tile may be wider than its group where that makes its panels wider, which are copied faster; not
    // where a whole panel would be zeros.
    {by_engine, "wider than a group",
     [](const Candidate &c) {
       return when(c.s.columns - panelBytes(c.s.columns, 2) / 2 >= c.n(),
                   "{} columns: an output group has {}, and a panel would be zeros", c.s.columns, c.n());
     }},
    // 48 deep is one stage of 64 with zeros, or three of 16: both are worth a look.
    {products, "deeper than a group",
     [](const Candidate &c) {
       return when(c.s.depth > 16 && c.s.depth / 2 >= c.k(),
                   "a depth of {}: an input group has {}, the rest would be zeros", c.s.depth, c.k());
     }},
    {by_threads, "wider than a group",
     [](const Candidate &c) {
       return when(c.s.columns > 16 && c.s.columns - 16 >= c.n(),
                   "{} columns: an output group has {}, the rest would be zeros", c.s.columns, c.n());
     }},
    {by_threads, "single elements",
     [](const Candidate &c) {
       const StagedSchedule whole = completed(c.problem, c.s);
       const int64_t copies = copiesOfThread(whole, c.problem.weights());
       return when(whole.vector == 1 && copies > most_single_copies,
                   "{} single elements for a thread to copy in a stage: beyond {} they may not all find "
                   "registers",
                   copies, most_single_copies);
     }},
    {product_by_engine, "wider than a group",
     [](const Candidate &c) {
       return when(c.s.cluster_columns > c.columnBlocks(),
                   "a cluster of {}x{} blocks: an output group has {} blocks of {} columns", c.s.cluster_rows,
                   c.s.cluster_columns, c.columnBlocks(), c.s.columns);
     }},
    {gradient_by_engine, "wider than a group",
     [](const Candidate &c) {
       return when(c.s.cluster_rows > c.rowBlocks() || c.s.cluster_columns > c.columnBlocks(),
                   "a cluster of {}x{} blocks: a block of the weight matrix has {} of {} features and {} of "
                   "{} columns",
                   c.s.cluster_rows, c.s.cluster_columns, c.rowBlocks(), c.s.rows, c.columnBlocks(),
                   c.s.columns);
     }},
};

/// Collects what is looked at.
class Look {
public:
  explicit Look(const StagedProblem &problem) : problem_(problem) {
    const algebras::Lift &lift = problem.layer.lift;
    if (problem.weight_gradient) {
      const std::vector<double> types = typesByRank(lift);
      long_groups_ = types.size() > 1 ? longRanks(types) : 0;
    } else if (lift.isTransposed()) { // a product's groups differ less than a gradient's
      long_groups_ = longestFirst(lift);
    }
  }

  void atThreads(int64_t vector);
  void atProducts();
  void atGradients();

  std::vector<Considered<StagedSchedule>> considered;

private:
  /// Whether it is a candidate.
  bool at(StagedSchedule schedule);
  void atClusters(const StagedSchedule &single);
  void atVariants(const StagedSchedule &single);
  void atStationarySums(const StagedSchedule &tile);
  std::vector<StagedSchedule> productTiles() const;

  const StagedProblem &problem_;
  int64_t long_groups_ = 0; ///< that stand out
};

bool Look::at(StagedSchedule schedule) {
  const unsigned kind = problem_.weight_gradient
                            ? schedule.isForThreads() ? gradient_by_threads : gradient_by_engine
                        : schedule.isForThreads() ? product_by_threads
                                                  : product_by_engine;
  MaybeRefusal refused = refusal(problem_, schedule);
  // Legal products of the copy engine are listed with the stages that fit, also where they are a waste.
  if (!refused && kind == product_by_engine)
    schedule = completed(problem_, schedule);
  if (!refused)
    refused = firstBroken(std::span<const Rule<Candidate>>(waste), kind, Candidate{problem_, schedule});
  if (!refused)
    schedule = completed(problem_, schedule);
  considered.push_back({schedule, refused});
  return !refused;
}

/// Tiles whose long groups come first, where there are such: it costs nothing.
void Look::atThreads(int64_t vector) {
  constexpr std::pair<int64_t, int64_t> arrangements[] = {{2, 2}, {2, 4}, {4, 2}, {1, 4},
                                                          {4, 1}, {1, 2}, {2, 1}, {1, 1}};
  for (const int64_t depth : {32, 64, 16})
    for (const int64_t rows : {64, 128, 32, 16})
      for (int64_t columns = 256; columns >= 16; columns -= 16)
        for (const auto &[warp_rows, warp_columns] : arrangements)
          for (const int64_t stages : {4, 3, 2}) {
            StagedSchedule schedule =
                StagedSchedule::ofThreads(rows, columns, depth, stages, warp_rows, warp_columns, vector);
            schedule.longest_first = long_groups_;
            at(schedule);
          }
}

/// The same tile where the sums of a type's own group stay while blocks go through the groups of dY, of which
/// each has a share.
void Look::atStationarySums(const StagedSchedule &tile) {
  const int64_t groups = problem_.layer.lift.completeGraph().value_or(0);
  for (const int64_t split : {1, 2, 4, 8}) {
    if (split > groups)
      break;
    StagedSchedule stationary = tile;
    stationary.split_k = split;
    stationary.stationary_groups = (groups + split - 1) / split;
    if (at(stationary) && split == 1)
      atClusters(StagedSchedule(considered.back().schedule));
  }
}

/// Tiles of all sizes, and where two parts of their warpgroups can take turns, one for each part.
std::vector<StagedSchedule> Look::productTiles() const {
  std::vector<StagedSchedule> all;
  const auto add = [&](const StagedSchedule &tile) {
    all.push_back(tile);
    if (tile.sharesTypes() || 2 * tile.warpgroupsOfTile() > most_warpgroups)
      return;
    all.push_back(tile);
    all.back().ping_pong = 2;
  };
  // Only types of a complete graph share anything: blocks of the weight matrix in a tile of several types,
  // and rows that stay for so many groups, or for fewer where that gives more processors something to do.
  struct Rows {
    int64_t rows, types, stationary_groups = 0;
  };
  std::vector<Rows> shapes = {{128, 1}, {64, 1}, {192, 1}, {256, 1}};
  if (!problem_.layer.lift.isTransposed()) {
    const int64_t complete = problem_.layer.lift.completeGraph().value_or(0);
    for (const Rows &several : {Rows{64, 2}, {64, 3}, {64, 4}, {128, 2}})
      if (several.types <= complete)
        shapes.push_back(several);
    const std::vector<Rows> coming = shapes;
    for (const int64_t groups : {2, 4, 8, 16, 32})
      if (groups <= complete)
        for (const Rows &rows : coming)
          shapes.push_back({rows.rows, rows.types, groups});
  }
  for (const int64_t depth : {64, 32, 16}) {
    for (const Rows &shape : shapes)
      for (int64_t columns = 256; columns >= 16; columns -= 16) {
        StagedSchedule tile{shape.rows, columns, depth};
        tile.types = shape.types;
        tile.stationary_groups = shape.stationary_groups;
        add(tile);
      }
    // Few rows fill side N of an instruction, many fill side M as well.
    for (const int64_t rows : {8, 16, 24, 32, 48, 64, 96, 128})
      for (const int64_t columns : {256, 192, 128, 64}) {
        StagedSchedule tile{rows, columns, depth};
        tile.rows_on = RowSide::N;
        add(tile);
      }
  }
  return all;
}

/// Clusters of up to 4 blocks, which every device that runs clusters runs without leaving many processors
/// over, of a candidate of single blocks.
void Look::atClusters(const StagedSchedule &single) {
  for (const auto &[rows, columns] : {std::pair(2, 1), {4, 1}, {1, 2}, {1, 4}, {2, 2}}) {
    StagedSchedule cluster = single;
    cluster.cluster_rows = rows;
    cluster.cluster_columns = columns;
    // A cluster that cannot be cannot be in another order either.
    if (!at(cluster) || long_groups_ == 0 || cluster.sharesTypes())
      continue;
    cluster.longest_first = long_groups_;
    at(cluster);
  }
}

/// What is looked at beside a candidate of single blocks: clusters; splits, which are for few tiles, so that
/// it matters little in which order they come; and where some groups are long, these first, with splits that
/// are of them alone.
void Look::atVariants(const StagedSchedule &single) {
  atClusters(single);
  const auto divided = [&](int64_t split, int64_t ordered) {
    StagedSchedule schedule = single;
    schedule.split_k = split;
    schedule.longest_first = ordered;
    schedule.stages = 0; // of which fewer fit, or more
    at(schedule);
  };
  if (single.ping_pong == 1 && single.outer == OuterAxis::Types)
    for (const int64_t split : {2, 4, 8})
      divided(split, 0);
  if (long_groups_ > 0)
    for (const int64_t split : {1, 2, 4, 8})
      if (split == 1 || single.ping_pong == 1)
        divided(split, long_groups_);
}

void Look::atProducts() {
  const bool has_own_groups =
      problem_.layer.lift.isTransposed() && problem_.layer.lift.completeGraph().value_or(0) > 1;
  for (const StagedSchedule &tile : productTiles()) {
    for (const OuterAxis outer : {OuterAxis::Types, OuterAxis::Groups}) {
      StagedSchedule schedule = tile;
      schedule.outer = outer;
      if (at(schedule) && !schedule.sharesTypes())
        atVariants(StagedSchedule(considered.back().schedule));
    }
    if (has_own_groups && tile.ping_pong == 1)
      atStationarySums(tile);
  }
}

/// Tiles of all sizes, clusters of them, splits, and where some blocks of the weight matrix sum up more types
/// than others these first, which costs nothing.
void Look::atGradients() {
  for (const int64_t depth : {64, 32, 16})
    for (const int64_t rows : {64, 128, 192, 256})
      for (int64_t columns = 256; columns >= 16; columns -= 16)
        for (const int64_t ping_pong : {1, 2}) {
          StagedSchedule tile{rows, columns, depth};
          tile.ping_pong = ping_pong;
          tile.longest_first = long_groups_;
          if (tile.warpgroups() > most_warpgroups)
            continue;
          at(tile);
          for (const auto &[across_rows, across_columns] :
               {std::pair(2, 1), {1, 2}, {2, 2}, {4, 1}, {1, 4}}) {
            StagedSchedule cluster = tile;
            cluster.cluster_rows = across_rows;
            cluster.cluster_columns = across_columns;
            at(cluster);
          }
          for (const int64_t split : {2, 4, 8}) {
            StagedSchedule divided = tile;
            divided.split_k = split;
            if (ping_pong == 1)
              at(divided);
          }
        }
}

} // namespace

std::vector<Considered<StagedSchedule>> considerStaged(const StagedProblem &problem, Copies copies,
                                                       int64_t vector) {
  Look look(problem);
  if (copies == Copies::Threads)
    look.atThreads(vector);
  else if (problem.weight_gradient)
    look.atGradients();
  else
    look.atProducts();
  return std::move(look.considered);
}

StagedCosts::StagedCosts(const StagedProblem &problem, int64_t m, const GpuMachine &machine)
    : output_(problem.output), machine_(machine) {
  if (problem.weight_gradient)
    work_ = weightGradientWork(problem.layer, m, output_);
  else if (problem.experts > 0)
    work_ = projectionWork(problem.layer, RowsOfNetworks(m, problem.experts), output_);
  else
    work_ = projectionWork(problem.layer, m, output_);
}

Cost StagedCosts::operator()(const StagedSchedule &schedule) const {
  return std::visit(
      [&](const auto &what) {
        return schedule.isForThreads() ? threadsCost(what, schedule, output_, machine_)
                                       : engineCost(what, schedule, output_, machine_);
      },
      work_);
}

Floor StagedCosts::floor() const {
  return std::visit([&](const auto &what) { return floorOf(what, machine_); }, work_);
}

bool numbersTiles(const StagedProblem &problem, int64_t m, const StagedSchedule &schedule) {
  const algebras::Layer &layer = problem.layer;
  const auto blocks = [](int64_t size, int64_t of_block) {
    return std::ceil(double(size) / double(of_block));
  };
  return problem.experts == 0 || static_cast<double>(layer.lift.types()) *
                                         static_cast<double>(problem.experts) * blocks(m, schedule.rows) *
                                         static_cast<double>(layer.out.count()) *
                                         blocks(layer.out.widest(), schedule.columns) <=
                                     static_cast<double>(algrt_most_gpu_rows);
}

/// The candidates but for those that cannot number their tiles, where others can.
static std::vector<Considered<StagedSchedule>> candidatesFor(const StagedProblem &problem, Copies copies,
                                                             int64_t m, int64_t vector) {
  auto considered = considerStaged(problem, copies, vector);
  const auto too_many = [&](const Considered<StagedSchedule> &one) {
    return !one.refusal && !numbersTiles(problem, m, one.schedule);
  };
  if (std::ranges::any_of(considered, [&](const auto &one) { return !one.refusal && !too_many(one); }))
    std::erase_if(considered, too_many);
  return considered;
}

algebras::InputError noSchedule(const algebras::Layer &layer, const std::string &reason) {
  if (layer.fused.weights == 1)
    return algebras::InputError(reason);
  algebras::InputError error(fmt::format("{} products in one kernel: {}", layer.fused.weights, reason));
  error.hint("--fuse nothing gives every operation a kernel of its own");
  return error;
}

std::optional<StagedSchedule> findStaged(const StagedProblem &problem, Copies copies, int64_t m,
                                         const GpuMachine &machine, int64_t vector) {
  const auto considered = candidatesFor(problem, copies, m, vector);
  const StagedSchedule *best = cheapest(considered, StagedCosts(problem, m, machine));
  return best ? std::optional(*best) : std::nullopt;
}

StagedSchedule chooseStaged(const StagedProblem &problem, Copies copies, int64_t m, const GpuMachine &machine,
                            int64_t vector) {
  if (copies == Copies::Engine)
    requireHopperLayer(problem.layer);
  const auto considered = candidatesFor(problem, copies, m, vector);
  // The smallest tile of each kind comes last, and is a candidate for every layer, but for a vector that the
  // layer does not allow and for very many weight matrices.
  const StagedSchedule *best = cheapest(considered, StagedCosts(problem, m, machine));
  if (!best)
    throw noSchedule(problem.layer, considered.back().refusal->reason);
  return *best;
}

} // namespace compiler
