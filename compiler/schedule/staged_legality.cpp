// What makes a staged schedule illegal: rules, of which those of one kind of kernels count on those before.
#include "compiler/schedule/group_order.h"
#include "compiler/schedule/rules.h"
#include "compiler/schedule/staged.h"
#include "compiler/schedule/work.h"
#include "runtime/bundle/kernel_parameters.h"
#include "runtime/gpu_kernel_abi.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {
namespace {

// Whom a rule binds: who copies, and of the copy engine what is computed.
constexpr unsigned threads = 1, engine_product = 2, engine_gradient = 4,
                   engine = engine_product | engine_gradient, all = threads | engine;

constexpr int64_t most_warps = 16, most_tile_side = 256, most_cluster = 8;
// Each block of a cluster loads a part of what it shares: whole periods of 8 rows of the swizzle.
constexpr int64_t cluster_period = 8;

struct Case {
  const StagedProblem &problem;
  const StagedSchedule &s; ///< the schedule

  const algebras::Layer &layer() const { return problem.layer; }
  bool isTransposed() const { return layer().lift.isTransposed(); }
  bool onM() const { return s.rows_on == RowSide::M; }
  const char *width() const { return onM() ? "columns" : "rows"; }
  bool tooManyWarpgroups() const { return s.warpgroupsOfTile() > most_warpgroups; }
  bool hasStationarySums() const { return problem.hasStationarySums(s); }
  /// What is shared where a tile shares types or rows, or what stays.
  std::string shared() const {
    return s.types > 1           ? fmt::format("{} types in a tile", s.types)
           : hasStationarySums() ? "stationary sums"
                                 : "stationary rows";
  }
  int64_t stages() const { return stagesThatFit(problem, s); }
  int64_t bytes() const { return stageBytes(s, problem.productsOfStep(s)); }

  /// Registers that a thread starts with.
  int64_t registers() const {
    return std::min(registers_of_thread, registers_of_multiprocessor / s.threads() / 8 * 8);
  }
  int64_t registersNeeded() const;
  /// What ptxas wants for so many products of tensor cores, beside whose sums it has addresses and counters.
  int64_t registersOfProducts(int64_t products) const {
    constexpr int64_t beside_sums = 26;
    return products * s.instructionWidth() / 2 + beside_sums;
  }
  /// Of several results, behind the products: a piece of each, of the elements that their maps read, and of
  /// what these compute alike. Blocks that divide sums have no smaller pieces than their parts. Fitted to
  /// ptxas 12.9.
  int64_t registersOfResults() const {
    const algebras::Fused &fused = layer().fused;
    const bool long_maps = areLongMaps(fused.map_operations);
    // Where blocks divide long tiles alone, the sums of the others are mapped as a whole.
    const int64_t divided_by = long_maps && s.longest_first > 0 ? 1 : s.split_k;
    const int64_t piece = s.split_k > 1 ? s.instructionWidth() / divided_by
                                        : piecesOfResults(s.instructionWidth(), fused.map_operations);
    const int64_t alike = long_maps ? 3 : 1;
    return fused.results == 1 ? 0 : (fused.results + fused.element_operands + alike) * piece / 2;
  }
  /// Rows of X and of the other operand that blocks of a cluster share.
  int64_t rowsByColumns() const { return problem.weight_gradient ? s.depth : s.rows; }
  int64_t rowsByRows() const {
    // Rows of a block of the weight matrix are its depth, or its columns where it is transposed.
    return !problem.weight_gradient && isTransposed() ? s.columns : s.depth;
  }
  std::string whyNoOrderOfGroups() const {
    return problem.weight_gradient ? whyNoWeightOrder(layer().lift, s.longest_first)
                                   : whyNoOrder(layer().lift, s.longest_first);
  }
  /// What beside the ring takes shared memory, in words.
  std::string beside() const;
};

/// For the copies of a thread in one stage, which ptxas issues side by side, each with its address and its
/// mask. Fitted to ptxas 12.9 for sm_80 and sm_120.
int64_t registersOfCopies(int64_t copies, int64_t vector) {
  const int64_t few = std::max<int64_t>(0, 2 * (copies - 8));
  return vector == 1 ? few : std::max(few, 5 * (copies - 16));
}

/// What a product of rows from a list, or from joined runs, adds: the list, and for each copy of such a row
/// the row's own address. Fitted to ptxas 13.0 for sm_80 and sm_90a, by the schedules that spilled a word
/// without it; gradients of the weight matrix, which copy rows of both operands, did not.
int64_t registersOfScatteredRows(const StagedSchedule &schedule) {
  constexpr int64_t beside = 4, of_copy = 3;
  const int64_t of_all = schedule.vector * schedule.threads();
  return beside + of_copy * ((schedule.rows * schedule.depth + of_all - 1) / of_all);
}

int64_t Case::registersNeeded() const {
  // Its sums, of every weight matrix, and twice where they are scaled, the operands of one instruction depth,
  // and its copies; beside them addresses of the copies and the place in the walk. What is within the limit
  // does not spill, unless it copies more than most_single_copies.
  constexpr int64_t beside_fragments = 56;
  StagedSchedule whole = s;
  if (whole.vector == 0)
    whole.vector = widestVector(layer());
  const int64_t warp_rows = whole.rows / whole.warp_rows, warp_columns = whole.columns / whole.warp_columns;
  const int64_t sums = warp_rows * warp_columns / 32 * problem.weights();
  const bool scaled = problem.coefficients == Coefficients::General;
  const bool scattered =
      !problem.weight_gradient &&
      (layer().row_types.kind() == algebras::RowTypes::Kind::Explicit || joinedRun(layer().row_types) > 0);
  // Of several results all but one wait, beside the elements that maps read and what the maps compute alike.
  // Fitted to ptxas 12.9, with the gradients of gate and up.
  const algebras::Fused &fused = layer().fused;
  const int64_t alike = areLongMaps(fused.map_operations) ? 1 : 0;
  const int64_t of_results =
      fused.results > 1 ? (fused.results + fused.element_operands - 1 + alike) * sums / problem.weights() : 0;
  return sums * (scaled ? 2 : 1) + of_results + warp_rows / 16 * 4 + warp_columns / 8 * 2 + beside_fragments +
         registersOfCopies(copiesOfThread(whole, problem.weights()), whole.vector) +
         (scattered ? registersOfScatteredRows(whole) : 0);
}

std::string Case::beside() const {
  std::string text = fmt::format("{} bytes for the result", stagingBytes(s, problem.output));
  if (const int64_t held = stationaryBytes(problem, s); held > 0)
    text = fmt::format("{} bytes of stationary rows and {}", held, text);
  if (s.split_k > 1)
    text = fmt::format("{} bytes of others' sums and {}", reductionBytes(s), text);
  return text;
}

bool isOneOf(int64_t value, std::initializer_list<int64_t> allowed) {
  return std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

using C = const Case &;

const Rule<Case> rules[] = {
    // Tiles that the tensor cores have instructions for, in as many warps as a block has.
    {threads, "long groups", [](C c) { return c.whyNoOrderOfGroups(); }},
    {threads, "warps",
     [](C c) {
       const bool positive = c.s.warp_rows >= 1 && c.s.warp_columns >= 1;
       return when(!positive || c.s.warp_rows > most_warps || c.s.warp_columns > most_warps ||
                       c.s.warps() > most_warps,
                   "{}x{} warps: a block has 1 to {}", c.s.warp_rows, c.s.warp_columns, most_warps);
     }},
    {threads, "rows",
     [](C c) {
       return when(c.s.rows < 16 || c.s.rows > most_tile_side || c.s.rows % (16 * c.s.warp_rows) != 0,
                   "{} rows: a tile has up to {}, a multiple of 16 for each of {} rows of warps", c.s.rows,
                   most_tile_side, c.s.warp_rows);
     }},
    {threads, "columns",
     [](C c) {
       return when(
           c.s.columns < 16 || c.s.columns > most_tile_side || c.s.columns % 16 != 0 ||
               c.s.columns % (8 * c.s.warp_columns) != 0,
           "{} columns: a tile has up to {}, a multiple of 16, and of 8 for each of {} columns of warps",
           c.s.columns, most_tile_side, c.s.warp_columns);
     }},
    {engine_gradient, "types",
     [](C c) {
       return when(c.s.types != 1 || c.s.stationary_groups != 0,
                   "types or stationary rows in a gradient of the weight matrix: its tiles have features and "
                   "columns, and sum up whatever types there are");
     }},
    {engine_gradient, "rows",
     [](C c) {
       return when(!c.onM(),
                   "features on side N: threads add to dW row by row, which sums that are transposed "
                   "do not have");
     }},
    {engine, "rows",
     [](C c) {
       return when(!c.onM() && (c.s.rows < 8 || c.s.rows > 256 || c.s.rows % 8 != 0),
                   "{} rows on side N: a tile has 8 to 256, a multiple of 8", c.s.rows);
     }},
    {engine, "columns",
     [](C c) {
       return when(!c.onM() && (c.s.columns < 64 || c.s.columns % 64 != 0 || c.tooManyWarpgroups()),
                   "{} columns on side M: a tile has 64 for each of 1 to {} warpgroups", c.s.columns,
                   most_warpgroups);
     }},
    {engine, "rows",
     [](C c) {
       return when(!c.onM() && c.s.sharesTypes() && !c.hasStationarySums(),
                   "rows on side N: warpgroups are dealt out by columns there, "
                   "so that a tile has one type and holds no rows");
     }},
    {engine, "rows",
     [](C c) {
       return when(c.onM() && (c.s.rows < 64 || c.s.rows % 64 != 0 || c.tooManyWarpgroups()),
                   "{} rows{}: a tile has 64 for each of 1 to {} warpgroups", c.s.rows,
                   when(c.s.types != 1, " of {} types", c.s.types), most_warpgroups);
     }},
    {engine, "columns",
     [](C c) {
       return when(c.onM() && (c.s.columns < 16 || c.s.columns > 256 || c.s.columns % 16 != 0),
                   "{} columns: a tile has 16 to 256, a multiple of 16", c.s.columns);
     }},
    {engine, "products",
     [](C c) {
       // Of a launch, in bytes: a tensor map of each weight matrix, those of X and Y, two each at most, and
       // numbers; and what maps read and further results are stored by, without an engine.
       constexpr int64_t most = algrt::most_parameter_bytes, of_map = algrt_tensor_map_bytes, numbers = 64,
                         of_plain_map = 64;
       const algebras::Fused &fused = c.layer().fused;
       const int64_t bytes = of_map * (fused.weights + 4) + numbers +
                             of_plain_map * (fused.element_operands + fused.row_operands + fused.results - 1);
       return when(bytes > most, "{} products: a launch has {} bytes of parameters, and their maps take {}",
                   fused.weights, most, bytes);
     }},
    {engine, "ping_pong",
     [](C c) {
       return when(c.s.ping_pong < 1 || c.s.warpgroups() > most_warpgroups,
                   "ping_pong={} with {} warpgroups each: {} warpgroups multiply at most", c.s.ping_pong,
                   c.s.warpgroupsOfTile(), most_warpgroups);
     }},
    {all, "depth",
     [](C c) {
       return when(!isOneOf(c.s.depth, {16, 32, 64}),
                   "a depth of {}: a stage is one swizzled panel of X deep, 16, 32 or 64", c.s.depth);
     }},
    {threads, "vector",
     [](C c) {
       return when(
           !isOneOf(c.s.vector, {0, 1, 2, 4, 8}),
           "vectors of {}: threads copy 1, 2, 4 or 8 elements at a time, or 0 for as many as the layer "
           "allows",
           c.s.vector);
     }},
    {threads, "vector",
     [](C c) {
       const int64_t widest = widestVector(c.layer());
       return when(
           c.s.vector > widest,
           "vectors of {}: input groups of {} and output groups of {} features are multiples of {} at "
           "most",
           c.s.vector, c.layer().in.widest(), c.layer().out.widest(), widest);
     }},
    {threads, "registers",
     [](C c) {
       return when(c.registersNeeded() > c.registers(),
                   "{} x {} sums for {}x{} warps take about {} registers of a thread, which has {}", c.s.rows,
                   c.s.columns, c.s.warp_rows, c.s.warp_columns, c.registersNeeded(), c.registers());
     }},
    // ptxas holds every single instruction to the registers that a thread has when the block starts, before
    // the
    // partitions deal them out anew, and the whole partition to what it gets then.
    {engine, "registers",
     [](C c) {
       const int64_t needed = c.registersOfProducts(1);
       return when(needed > c.registers(),
                   "{} {}: a product takes {} registers of a thread for its sums and beside them, but {} "
                   "threads start with {} each",
                   c.s.instructionWidth(), c.width(), needed, c.s.threads(), c.registers());
     }},
    {engine, "registers",
     [](C c) {
       const int64_t products = c.problem.productsOfStep(c.s),
                     needed = c.registersOfProducts(products) + c.registersOfResults(),
                     there = hopperRegisters(c.s.warpgroups()).multiply;
       return when(
           needed > there,
           "{} {}: {} products take {} registers of a thread for their sums and beside them, but those "
           "that multiply get {}",
           c.s.instructionWidth(), c.width(), products, needed, there);
     }},

    // What only kernels of one product, of one result, or of one type in a tile do so far.
    {engine_product, "fusion",
     [](C c) {
       const algebras::Fused &fused = c.layer().fused;
       return when((fused.weights > 1 || fused.results > 1 || fused.mapsReadRows()) && c.s.sharesTypes(),
                   "{} for several products, several results, or maps that read rows: no kernel has both yet",
                   c.s.types > 1 ? "tiles of several types" : c.shared());
     }},
    {engine_product, "fusion",
     [](C c) {
       const int64_t weights = c.layer().fused.weights;
       return when(weights > 1 && c.s.split_k > 1,
                   "split_k={} of {} products: blocks exchange the sums of one", c.s.split_k, weights);
     }},
    {engine_product, "fusion",
     [](C c) {
       const int64_t results = c.layer().fused.results;
       return when(results > 1 && !c.onM(),
                   "rows on side N for {} results: the further ones are written by threads that have rows of "
                   "the sums",
                   results);
     }},
    {engine_product, "ping_pong",
     [](C c) {
       return when(c.s.ping_pong > 1 && c.s.sharesTypes(),
                   "ping-pong with tiles of several types, stationary rows or stationary sums: no kernel has "
                   "both yet");
     }},
    {engine_product, "types",
     [](C c) { return when(c.s.types < 1, "{} types: a tile has at least one", c.s.types); }},
    {engine_product, "terms",
     [](C c) {
       return when(c.s.sharesTypes() && !c.layer().lift.completeGraph(),
                   "{}: only of a complete graph it is known which blocks types share and which rows groups "
                   "share",
                   c.shared());
     }},
    {engine_product, "terms",
     [](C c) {
       return when(c.s.types > 1 && c.isTransposed(),
                   "{} types in a tile of a gradient of X: no kernel shares blocks of the transposed weight "
                   "matrix among types; stationary= lets the sums of a type's own group stay, and each block "
                   "of dY come once",
                   c.s.types);
     }},
    {engine_product, "types",
     [](C c) {
       const int64_t types = c.layer().lift.completeGraph().value_or(0);
       return when(c.s.types > 1 && c.s.types > types, "{} types in a tile: there are {}", c.s.types, types);
     }},
    {engine_product, "stationary groups",
     [](C c) {
       const int64_t groups = c.layer().lift.outputGroups();
       return when(c.s.stationary_groups > groups, "stationary={}: there are {} groups",
                   c.s.stationary_groups, groups);
     }},
    {engine_product, "cluster",
     [](C c) {
       return when(c.s.cluster() > 1 && c.s.sharesTypes() && !c.hasStationarySums(),
                   "a cluster whose tiles have several types or stationary rows: no kernel has both yet");
     }},
    {engine_product, "stationary groups",
     [](C c) {
       return when(c.s.stationary_groups < 0,
                   "stationary={}: groups for which rows of X, or sums of dX, stay, or 0",
                   c.s.stationary_groups);
     }},
    {engine, "cluster",
     [](C c) {
       return when(!isOneOf(c.s.cluster_rows, {1, 2, 4}) || !isOneOf(c.s.cluster_columns, {1, 2, 4}),
                   "a cluster of {}x{} blocks: 1, 2 or 4 in each direction", c.s.cluster_rows,
                   c.s.cluster_columns);
     }},
    {engine, "cluster",
     [](C c) {
       return when(c.s.cluster() > most_cluster, "a cluster of {}x{} blocks: at most {} run together",
                   c.s.cluster_rows, c.s.cluster_columns, most_cluster);
     }},
    {engine, "cluster",
     [](C c) {
       const bool gradient = c.problem.weight_gradient;
       return when(c.rowsByColumns() / c.s.cluster_columns % cluster_period != 0 ||
                       c.rowsByRows() / c.s.cluster_rows % cluster_period != 0,
                   "a cluster of {}x{} blocks: {} rows of {} and {} of {} cannot be loaded in parts that are "
                   "multiples of {}",
                   c.s.cluster_rows, c.s.cluster_columns, c.rowsByColumns(), gradient ? "a step of X" : "X",
                   c.rowsByRows(), gradient ? "a step of dY" : "the weight matrix", cluster_period);
     }},
    // A box has whole runs that are joined, or a part of one.
    {engine, "rows",
     [](C c) {
       const int64_t run = joinedRun(c.layer().row_types);
       auto divides = [&](int64_t box) { return run == 0 || box % run == 0 || run % box == 0; };
       const int64_t box = c.rowsByColumns() / c.s.cluster_columns;
       return when(!divides(box) || (c.problem.weight_gradient && !divides(c.s.depth / c.s.cluster_rows)),
                   "{} rows: row types have runs of {}, of which a copy brings some or a part of one", box,
                   run);
     }},

    // The order of tiles, and blocks that divide them.
    {engine, "long groups", [](C c) { return c.whyNoOrderOfGroups(); }},
    {engine_product, "long groups",
     [](C c) {
       return when(c.s.longest_first != 0 && c.s.sharesTypes(),
                   "long groups, with tiles of several types, stationary rows or stationary sums: no kernel "
                   "has both yet");
     }},
    {engine, "split_k",
     [](C c) {
       return when(!isOneOf(c.s.split_k, {1, 2, 4, 8}), "split_k={}: 1, 2, 4 or 8 blocks own a tile together",
                   c.s.split_k);
     }},
    {engine, "split_k",
     [](C c) {
       return when(c.s.split_k > 1 && c.s.types > 1,
                   "a split of tiles of several types: no kernel has both yet");
     }},
    {engine, "split_k",
     [](C c) {
       return when(c.s.split_k > 1 && c.s.stationary_groups > 0 && !c.hasStationarySums(),
                   "a split with stationary rows: they are for a block that takes all steps of a tile");
     }},
    {engine_product, "stationary groups",
     [](C c) {
       return when(c.hasStationarySums() && c.layer().in.count() < 2,
                   "stationary sums of a single group: no other is gone through while they stay");
     }},
    // The sums are complete when the blocks of one cluster have gone through all groups.
    {engine_product, "stationary groups",
     [](C c) {
       const int64_t groups = c.layer().in.count(), each = (groups + c.s.split_k - 1) / c.s.split_k;
       return when(c.hasStationarySums() && c.s.stationary_groups != each,
                   "stationary={} in a gradient of X, with split_k={}: sums stay for all {} groups of dY, {} "
                   "for each block",
                   c.s.stationary_groups, c.s.split_k, groups, each);
     }},
    {engine, "split_k",
     [](C c) {
       return when(
           c.s.split_k > 1 && c.s.cluster() > 1,
           "a split in a cluster of {}x{}: its blocks take other steps, and would copy nothing for each "
           "other",
           c.s.cluster_rows, c.s.cluster_columns);
     }},
    {engine, "split_k",
     [](C c) {
       return when(
           c.s.split_k > 1 && c.s.ping_pong > 1,
           "a split with ping-pong: each part would exchange sums of its own; no kernel has both yet");
     }},
    // Each block stores a part: whole pieces of 8 of the sums that a thread holds, whole panels of the
    // result.
    {engine, "split_k",
     [](C c) {
       const int64_t step = c.onM() ? 16 : 8;
       return when(c.s.split_k > 1 && c.s.instructionWidth() % (c.s.split_k * step) != 0,
                   "split_k={}: {} {} have no {} equal parts that are multiples of {}", c.s.split_k,
                   c.s.instructionWidth(), c.width(), c.s.split_k, step);
     }},

    // The ring.
    {threads, "stages",
     [](C c) {
       return when(c.s.stages < 0 || c.s.stages == 1 || c.s.stages > most_ampere_stages,
                   "{} stages: a ring has 2 to {}, or 0 for as many as are useful", c.s.stages,
                   most_ampere_stages);
     }},
    {threads, "shared memory",
     [](C c) {
       const int64_t wanted = std::max<int64_t>(2, c.s.stages);
       return when(wanted > c.stages(), "{} stages of {} bytes exceed the {} bytes of shared memory; {} fit",
                   wanted, c.bytes(), ampere_shared_bytes, c.stages());
     }},
    {engine, "shared memory",
     [](C c) {
       if (c.stages() >= 2)
         return std::string();
       return fmt::format("two stages of {} bytes and {} do not fit the {} bytes of shared memory", c.bytes(),
                          c.beside(), hopper_shared_bytes);
     }},
    {engine, "stages",
     [](C c) {
       return when(c.s.stages < 0 || c.s.stages == 1,
                   "{} stages: a ring needs at least 2, or 0 for as many as fit", c.s.stages);
     }},
    {engine, "shared memory",
     [](C c) {
       if (c.s.stages <= c.stages())
         return std::string();
       return fmt::format("{} stages of {} bytes and {} exceed the {} bytes of shared memory; {} fit",
                          c.s.stages, c.bytes(), c.beside(), hopper_shared_bytes, c.stages());
     }},
};

} // namespace

MaybeRefusal refusal(const StagedProblem &problem, const StagedSchedule &schedule) {
  const unsigned kind = schedule.isForThreads()   ? threads
                        : problem.weight_gradient ? engine_gradient
                                                  : engine_product;
  return firstBroken(std::span<const Rule<Case>>(rules), kind, Case{problem, schedule});
}

std::string whyIllegal(const StagedProblem &problem, const StagedSchedule &schedule) {
  return reasonOf(refusal(problem, schedule));
}

} // namespace compiler
