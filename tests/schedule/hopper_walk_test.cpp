// The cost of a Hopper schedule against a walk over every tile, step and piece of a row that its kernel
// copies.
#include "algebras/expression.h"
#include "compiler/schedule/h200.h"
#include "compiler/schedule/hopper_schedule.h"
#include "compiler/schedule/panels.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <optional>

namespace {

using namespace compiler;

algebras::Layer layerOf(const std::string &expression, std::int64_t k, std::int64_t n, std::int64_t width = 0,
                        bool slots = false) {
  const algebras::Algebra algebra = algebras::parseExpression(expression);
  const algebras::Lift lift = slots ? algebras::Lift::slots(algebra) : algebras::Lift::rows(algebra);
  algebras::Layer layer =
      algebras::makeLayer(lift, k * lift.inputGroups(), n * lift.outputGroups(), algebras::DataType::BF16);
  layer.row_types =
      width ? algebras::RowTypes::interval(lift.types(), width) : algebras::RowTypes::cyclic(lift.types());
  layer.validate();
  return layer;
}

struct Line {
  std::int64_t type = 0, rows = 0;
};

// Row by row: phases of a cycle, or runs of equal types.
std::vector<Line> linesOf(const algebras::Layer &layer, std::int64_t m) {
  std::vector<Line> lines;
  if (layer.row_types.kind() == algebras::RowTypes::Kind::Interval) {
    std::int64_t before = -1;
    for (std::int64_t row = 0; row < m; ++row) {
      const std::int64_t run = row / layer.row_types.width();
      if (run != before)
        lines.push_back({run % layer.lift.types(), 0});
      before = run;
      ++lines.back().rows;
    }
    return lines;
  }
  lines.resize(static_cast<std::size_t>(std::min(m, layer.lift.types())));
  for (std::int64_t row = 0; row < m; ++row) {
    Line &line = lines[static_cast<std::size_t>(row % layer.lift.types())];
    line.type = row % layer.lift.types();
    ++line.rows;
  }
  return lines;
}

// Bytes of full rows that copying `width` bytes from `begin` on of a row of `extent` bytes is worth: pieces
// of a panel each, 32 bytes on top for each of them, in units in which a piece of 128 bytes costs 128.
double rowCost(std::int64_t begin, std::int64_t width, std::int64_t extent, std::int64_t panel) {
  double bytes = 0;
  for (std::int64_t piece = begin; piece < begin + width; piece += panel)
    if (const std::int64_t inside = std::min(piece + panel, extent) - piece; inside > 0)
      bytes += static_cast<double>(inside + 32) * 0.8;
  return bytes;
}

struct Walk {
  double sent = 0;                                 // from the cache
  double received = 0, cycles = 0;                 // of all processors
  double busiest_received = 0, busiest_cycles = 0; // of the one that has most of it
  double useful_macs = 0;
  double multiplying = 0, stores = 0; // cycles of one and of the other
  double filled = 0, steps = 0;       // bytes of slots that are asked for
  std::int64_t tiles = 0, turns = 0;
};

// What one step brings and multiplies: rows that there are, and how many types' room they have.
struct Step {
  std::int64_t rows, types;
  bool held = false; // the rows are there already
};

// The steps of a tile for one piece of the depth.
std::vector<Step> stepsOf(const algebras::Layer &layer, const HopperSchedule &schedule,
                          const std::vector<Line> &parts, std::int64_t row, std::int64_t group) {
  auto rowsOf = [&](const Line &line) { return std::clamp<std::int64_t>(line.rows - row, 0, schedule.rows); };
  std::vector<Step> steps;
  const bool holds = schedule.held_groups > 0;
  if (schedule.types == 1 && !holds) {
    steps.resize(layer.lift.terms(parts[0].type, group).size(), {rowsOf(parts[0]), 1});
    return steps;
  }
  // W(j, j) for all at once, W(i, j) for each type but j.
  Step all{0, schedule.types};
  for (const Line &line : parts) {
    all.rows += rowsOf(line);
    if (line.type != group)
      steps.push_back({rowsOf(line), 1, holds});
  }
  steps.push_back(all);
  return steps;
}

// Tile by tile. Blocks (a, b) of a cluster: each copies part a of the depth of its block of W, and part b of
// its rows of X, and gets all of them. Where blocks divide a tile, block `rank` takes its share of the steps.
class Walker {
public:
  Walker(const algebras::Layer &layer, const HopperSchedule &schedule, HopperOutput output)
      : layer(layer), schedule(schedule), result_bytes(output == HopperOutput::F32 ? 4 : 2),
        processors(schedule.cluster() * schedule.split > 2 ? 128 : 132) {}

  Walk walk(std::int64_t m);

private:
  void tile(const std::vector<Line> &parts, std::int64_t row, std::int64_t group, std::int64_t column,
            std::int64_t a, std::int64_t b, std::int64_t rank);
  double xCost(std::int64_t step) const {
    return rowCost(2 * step, 2 * schedule.depth, 2 * k, panelBytes(schedule.depth, 2));
  }

  const algebras::Layer &layer;
  const HopperSchedule &schedule;
  const double result_bytes;
  const std::int64_t processors;
  const std::int64_t k = layer.in.width(0), n = layer.out.width(0);
  Walk sum;
  std::map<std::int64_t, double> received, cycles, stores; // of each processor
  std::map<std::int64_t, std::int64_t> tiles;
  void orderedTiles(const std::vector<Line> &lines, std::int64_t longest);
  std::optional<std::int64_t> dealt_to; // where tiles are not dealt out in turn
  bool divided = true;                  // whether `split` blocks share the tile
};

void Walker::tile(const std::vector<Line> &parts, std::int64_t row, std::int64_t group, std::int64_t column,
                  std::int64_t a, std::int64_t b, std::int64_t rank) {
  // The rows of a transposed bank's blocks are columns.
  const bool transposed = layer.lift.isTransposed();
  const std::int64_t x_panel = panelBytes(schedule.depth, 2),
                     w_panel = transposed ? x_panel : panelBytes(schedule.columns, 2);
  const std::int64_t x_part = schedule.rows / schedule.cluster_columns,
                     w_part = (transposed ? schedule.columns : schedule.depth) / schedule.cluster_rows;
  const std::int64_t split = divided ? schedule.split : 1;
  const bool holds = schedule.held_groups > 0;
  const bool begins = !holds || (group % schedule.held_groups == 0 && column == 0);
  sum.turns += begins;
  const std::int64_t processor = dealt_to.value_or((sum.turns - 1) % processors);
  sum.tiles += rank == 0;
  const std::int64_t columns = std::clamp<std::int64_t>(n - column, 0, schedule.columns);
  double tile_received = 0, tile_cycles = 0,
         tile_stores = 600 + static_cast<double>(schedule.types * schedule.rows * schedule.columns) *
                                 result_bytes / 64 / static_cast<double>(split);
  // What it gets of the others' sums comes at 16 bytes in a cycle, and is read at 128.
  if (split > 1)
    tile_stores += 1200 + static_cast<double>(4 * schedule.rows * schedule.columns / split * (split - 1)) *
                              (1.0 / 16 + 1.0 / 128);
  if (holds && begins) {
    // The rows change, and nothing goes on meanwhile.
    tile_stores += 1500;
    double rows = 0;
    for (const Line &part : parts)
      for (std::int64_t step = 0; step < k; step += schedule.depth)
        rows += static_cast<double>(std::min(schedule.rows, part.rows - row)) * xCost(step);
    tile_received += rows;
    sum.sent += rows;
  }
  const std::vector<Step> steps = stepsOf(layer, schedule, parts, row, group);
  const std::int64_t pieces = (k + schedule.depth - 1) / schedule.depth,
                     all = static_cast<std::int64_t>(steps.size()) * pieces;
  std::int64_t number = 0;
  for (const Step &one : steps)
    for (std::int64_t step = 0; step < k; step += schedule.depth) {
      // The first blocks have one step more where there is a rest.
      const std::int64_t each_has = all / split, have_more = all % split,
                         mine = rank * each_has + std::min(rank, have_more);
      const bool is_mine = number >= mine && number < mine + each_has + (rank < have_more);
      ++number;
      if (!is_mine)
        continue;
      const std::int64_t depth = std::min(schedule.depth, k - step);
      const std::int64_t loaded_types = one.held ? 0 : one.types;
      const double w_row =
          transposed ? xCost(step) : rowCost(2 * column, 2 * schedule.columns, 2 * n, w_panel);
      const std::int64_t w_rows = transposed ? columns : depth;
      if (!one.held) {
        tile_received += static_cast<double>(one.rows) * xCost(step);
        sum.sent += static_cast<double>(schedule.cluster_columns == 1
                                            ? one.rows
                                            : std::clamp<std::int64_t>(one.rows - b * x_part, 0, x_part)) *
                    xCost(step);
      }
      tile_received += static_cast<double>(w_rows) * w_row;
      sum.sent += static_cast<double>(std::clamp<std::int64_t>(w_rows - a * w_part, 0, w_part)) * w_row;
      const bool on_n = schedule.rows_on == RowSide::N;
      const std::int64_t instructions =
          (on_n ? schedule.columns : one.types * schedule.rows) / 64 * ((depth + 15) / 16);
      const auto other_side = static_cast<double>(on_n ? schedule.rows : schedule.columns);
      const double each = std::max(other_side / 2, 16 + other_side / 4);
      const std::int64_t copies = loaded_types * schedule.depth * 2 / x_panel +
                                  (transposed ? schedule.depth : schedule.columns) * 2 / w_panel;
      const double bank_conflicts = x_panel == 128 && w_panel == 128 ? 1 : 1.05;
      tile_cycles += (std::max(static_cast<double>(instructions) * each, 24.0 * static_cast<double>(copies)) +
                      (schedule.cluster() > 1 ? 50 : 30)) *
                     bank_conflicts;
      sum.useful_macs += static_cast<double>(one.rows * depth * columns);
      sum.filled +=
          2 * static_cast<double>(schedule.depth * (loaded_types * schedule.rows + schedule.columns));
      ++sum.steps;
    }
  received[processor] += tile_received;
  cycles[processor] += tile_cycles;
  stores[processor] += tile_stores;
  ++tiles[processor];
}

// Long tiles in turn, each to all blocks of a cluster; then every short one to whoever is the first to be
// done.
void Walker::orderedTiles(const std::vector<Line> &lines, std::int64_t longest) {
  const std::int64_t clusters = processors / schedule.split, groups = layer.lift.outputGroups();
  std::int64_t number = 0;
  for (const bool is_long : {true, false})
    for (const Line &line : lines) {
      std::vector<std::int64_t> order(static_cast<std::size_t>(groups));
      std::iota(order.begin(), order.end(), std::int64_t{0});
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return layer.lift.terms(line.type, a).size() > layer.lift.terms(line.type, b).size();
      });
      divided = is_long;
      for (std::int64_t rank = is_long ? 0 : schedule.long_groups;
           rank < (is_long ? schedule.long_groups : groups); ++rank)
        for (std::int64_t row = 0; row < std::min(longest, line.rows); row += schedule.rows)
          for (std::int64_t column = 0; column < n; column += schedule.columns, ++number)
            for (std::int64_t block = 0; block < (is_long ? schedule.split : 1); ++block) {
              std::int64_t least = number % clusters * schedule.split + block;
              if (!is_long)
                for (std::int64_t one = 0; one < clusters * schedule.split; ++one)
                  if (cycles[one] + stores[one] < cycles[least] + stores[least])
                    least = one;
              dealt_to = least;
              tile({line}, row, order[static_cast<std::size_t>(rank)], column, 0, 0, block);
            }
    }
}

Walk Walker::walk(std::int64_t m) {
  const std::vector<Line> lines = linesOf(layer, m);
  std::int64_t longest = 0;
  for (const Line &line : lines)
    longest = std::max(longest, line.rows);
  if (schedule.long_groups > 0)
    orderedTiles(lines, longest);
  for (std::size_t line = 0; schedule.long_groups == 0 && line < lines.size();
       line += static_cast<std::size_t>(schedule.types))
    for (std::int64_t row = 0; row < longest; row += schedule.rows * schedule.cluster_rows) {
      // Lines that have no such rows take part in nothing.
      std::vector<Line> parts;
      for (std::size_t part = line;
           part < std::min(lines.size(), line + static_cast<std::size_t>(schedule.types)); ++part)
        if (lines[part].rows > row)
          parts.push_back(lines[part]);
      if (parts.empty())
        continue;
      for (std::int64_t group = 0; group < layer.lift.outputGroups(); ++group)
        for (std::int64_t column = 0; column < n; column += schedule.columns * schedule.cluster_columns)
          for (std::int64_t a = 0; a < schedule.cluster_rows; ++a)
            for (std::int64_t b = 0; b < schedule.cluster_columns; ++b)
              for (std::int64_t rank = 0; rank < schedule.split; ++rank)
                tile(parts, row + a * schedule.rows, group, column + b * schedule.columns, a, b, rank);
    }
  for (const auto &[processor, bytes] : received) {
    sum.received += bytes;
    sum.busiest_received = std::max(sum.busiest_received, bytes);
  }
  // Each of the parts that take turns has its share of the tiles, and multiplies when no other does; the last
  // tile's store comes behind all products.
  std::int64_t most_tiles = 0;
  for (const auto &[processor, count] : tiles)
    most_tiles = std::max(most_tiles, count);
  auto together = [&](double multiplying, double storing) {
    if (schedule.turns == 1)
      return multiplying + storing;
    return std::max(multiplying + storing / static_cast<double>(most_tiles),
                    (multiplying + storing) / static_cast<double>(schedule.turns));
  };
  for (const auto &[processor, time] : cycles) {
    sum.multiplying += time;
    sum.stores += stores.at(processor);
    sum.busiest_cycles = std::max(sum.busiest_cycles, together(time, stores.at(processor)));
  }
  sum.cycles = together(sum.multiplying, sum.stores);
  return sum;
}

struct Case {
  const char *expression;
  std::int64_t k, n, m;
  HopperSchedule schedule;
  std::int64_t width = 0;
  bool slots = false;
  bool gradient = false; // of X: k and n are those of dY and dX
};

HopperSchedule onSideN(std::int64_t rows, std::int64_t columns, std::int64_t depth, std::int64_t stages) {
  HopperSchedule schedule{rows, columns, depth, stages};
  schedule.rows_on = RowSide::N;
  return schedule;
}

const std::vector<Case> &cases() {
  static const std::vector<Case> all = {
      {"Q(4)", 64, 192, 2048, {64, 192, 64, 6}},
      {"Q(4)", 40, 104, 1001, {64, 48, 64, 8}},
      {"Q(7)", 80, 304, 4097, {128, 160, 32, 6}},
      {"Q(32)", 64, 24, 2048, {64, 32, 16, 16}},
      {"T(5)", 72, 200, 640, {192, 208, 64, 3}},
      {"Q(2)^3", 64, 128, 2050, {128, 96, 64, 6}},
      {"Q(3)", 48, 200, 1000, {64, 64, 16, 16}, 96},
      {"Q(2)*Q(3)", 24, 40, 7, {64, 64, 32, 16}},
      {"M(1)", 512, 640, 333, {128, 256, 64, 3}},
      {"Q(2)", 96, 80, 257, {128, 128, 64, 4}, 0, true},
      // Rows on the instructions' other side.
      {"Q(16)", 80, 384, 500, onSideN(32, 192, 64, 9)},
      {"Q(3)", 64, 64, 20, onSideN(8, 64, 32, 16)},
      // Clusters, with rows and columns for all of their blocks and for some.
      {"Q(4)", 64, 192, 2048, {64, 96, 64, 6, 1, 2, 1}},
      {"Q(4)", 40, 104, 1001, {64, 48, 64, 8, 1, 1, 2}},
      {"Q(7)", 80, 304, 4097, {128, 160, 32, 6, 1, 2, 2}},
      {"Q(5)", 72, 200, 2500, {64, 64, 64, 3, 1, 4, 1}},
      {"Q(3)", 48, 200, 1000, {64, 64, 16, 16, 1, 1, 4}, 96},
      {"M(1)", 512, 640, 333, {128, 256, 64, 3, 1, 2, 1}},
      // Warpgroups that take turns: stores hide behind products, or the other way round.
      {"Q(4)", 64, 192, 2048, {.rows = 64, .columns = 192, .depth = 64, .stages = 5, .turns = 2}},
      {"Q(5)", 256, 128, 1600, {.rows = 128, .columns = 128, .depth = 64, .stages = 4, .turns = 2}},
      {"Q(32)", 16, 24, 2048, {.rows = 64, .columns = 32, .depth = 16, .stages = 16, .turns = 2}},
      // Blocks that divide the steps of a tile: with a rest and without, more of them than steps.
      {"Q(2)", 512, 192, 300, {.rows = 64, .columns = 192, .depth = 64, .stages = 4, .split = 2}},
      {"M(1)", 1000, 640, 333, {.rows = 128, .columns = 128, .depth = 32, .stages = 3, .split = 8}},
      {"Q(4)", 40, 104, 1001, {.rows = 64, .columns = 64, .depth = 32, .stages = 5, .split = 4}},
      // Several types in a tile: of lines of one length, of two, of as many as a tile has and of one less,
      // of runs, of more rows than a tile has.
      {"Q(8)", 64, 192, 512, {.rows = 64, .columns = 192, .depth = 64, .stages = 4, .types = 2}},
      {"Q(7)", 80, 304, 333, {.rows = 64, .columns = 112, .depth = 32, .stages = 3, .types = 4}},
      {"Q(4)", 48, 64, 250, {.rows = 64, .columns = 64, .depth = 16, .stages = 9, .types = 4}},
      {"Q(5)", 128, 96, 1603, {.rows = 128, .columns = 96, .depth = 64, .stages = 3, .types = 2}},
      {"Q(6)", 96, 80, 1000, {.rows = 64, .columns = 80, .depth = 32, .stages = 5, .types = 3}, 96},
      // Held rows: for a number of groups that divides that of all and one that does not.
      {"Q(8)", 64, 192, 4096, {.rows = 128, .columns = 96, .depth = 64, .stages = 3, .held_groups = 4}},
      {"Q(12)",
       80,
       112,
       700,
       {.rows = 64, .columns = 112, .depth = 32, .stages = 4, .types = 3, .held_groups = 5}},
      {"Q(6)",
       48,
       64,
       900,
       {.rows = 64, .columns = 64, .depth = 16, .stages = 6, .types = 2, .held_groups = 6},
       96},
      // Gradients: a bank along its depth, in clusters, too; and tiles of long groups first, all by one block
      // each or divided, with fewer of them than clusters and with more.
      {"Q(4)", 192, 64, 2048, {64, 64, 64, 6}, 0, false, true},
      {"M(1)", 512, 640, 333, {128, 128, 64, 3, 1, 2, 2}, 0, false, true},
      {"Q(16)", 384, 80, 512, onSideN(32, 128, 64, 9), 0, false, true},
      {"Q(32)",
       192,
       64,
       2048,
       {.rows = 64, .columns = 64, .depth = 64, .stages = 6, .long_groups = 1},
       0,
       false,
       true},
      {"Q(32)",
       192,
       64,
       2048,
       {.rows = 64, .columns = 64, .depth = 64, .stages = 6, .split = 4, .long_groups = 1},
       0,
       false,
       true},
      {"Q(16)",
       512,
       256,
       8192,
       {.rows = 128, .columns = 128, .depth = 64, .stages = 4, .split = 2, .long_groups = 1},
       0,
       false,
       true}};
  return all;
}

TEST(HopperWalk, FindsTheCost) {
  for (const Case &one : cases())
    for (const HopperOutput output : {HopperOutput::BF16, HopperOutput::F32}) {
      const algebras::Layer layer =
          one.gradient ? layerOf(one.expression, one.n, one.k, one.width, one.slots).transposed()
                       : layerOf(one.expression, one.k, one.n, one.width, one.slots);
      const HopperCost cost = hopperCost(layer, one.schedule, output, one.m);
      const Walk sum = Walker(layer, one.schedule, output).walk(one.m);
      SCOPED_TRACE(std::string(one.expression) + " " + toString(one.schedule) + " " + toString(output));
      EXPECT_EQ(cost.tiles, static_cast<double>(sum.tiles));
      EXPECT_EQ(cost.turns, static_cast<double>(sum.turns));
      // A processor takes in 64 bytes in a cycle of 1755 MHz, or what it has asked for every 1.152 us; one
      // slot is multiplied from.
      const double asked = sum.filled / sum.steps * static_cast<double>(one.schedule.stages - 1);
      const double takes_in = std::min(64 * 1755.0, asked / 1.152);
      // Where a batch has fewer rows than types, or types of unequal supports unequally many rows, the cost
      // takes all types for alike.
      const double alike = one.m < 100 || one.m % layer.lift.types() ? 0.02 : 1e-9;
      EXPECT_NEAR(cost.loads, std::max(sum.sent / 5.5e6, sum.received / 132 / takes_in), alike * cost.loads);
      EXPECT_NEAR(cost.tensor(), sum.cycles / 132 / h200::tensor_clock, alike * cost.tensor());
      EXPECT_NEAR(cost.products, 2 * sum.useful_macs / 790e6, alike * cost.products);
      // The busiest processor decides. Its tiles may differ from the average.
      const double last = cost.boundBy() == HopperCost::Part::Memory ? cost.memory
                          : cost.boundBy() == HopperCost::Part::Loads
                              ? std::max(sum.sent / 5.5e6, sum.busiest_received / takes_in)
                              : sum.busiest_cycles / h200::tensor_clock;
      // The cost takes it that a gradient's long tile comes last unless it is told to come first.
      EXPECT_GE(cost.bound() + cost.tail, 0.8 * last);
      if (!one.gradient || one.schedule.long_groups > 0)
        EXPECT_LE(cost.bound() + cost.tail, 1.2 * last);
    }
}

TEST(HopperWalk, WholeWavesOfEqualTilesHaveNoTail) {
  // 132 groups of one column block each, and one tile of rows in each of them.
  const algebras::Layer layer = layerOf("D(132)", 64, 64, 0, true);
  const HopperCost full = hopperCost(layer, {64, 64, 64, 8}, HopperOutput::BF16, 64);
  EXPECT_EQ(full.tiles, 132);
  EXPECT_EQ(full.tail, 0);
  const HopperCost two = hopperCost(layer, {64, 64, 64, 8}, HopperOutput::BF16, 65);
  EXPECT_EQ(two.waves, 2);
  EXPECT_EQ(two.tail, 0);
}

TEST(HopperCost, BanksBeyondTheCacheComeAgain) {
  // One type that multiplies 8192 x 8192: 134 MB, for 64 blocks of rows, of which 132 tiles hold three.
  const algebras::Layer dense = layerOf("M(1)", 8192, 8192);
  const HopperCost cost = hopperCost(dense, {128, 192, 64, 4}, HopperOutput::BF16, 8192);
  const double once = 2.0 * 8192 * 8192 / 4.3e6;
  EXPECT_GT(cost.memory, 4 * 3 * once);
  // A sixteenth of it stays in the cache.
  const algebras::Layer small = layerOf("M(1)", 2048, 2048);
  EXPECT_NEAR(hopperCost(small, {128, 192, 64, 4}, HopperOutput::BF16, 2048).memory,
              3 * 2.0 * 2048 * 2048 / 4.3e6, 1e-9);
  // Intervals meet a type again after all others: its blocks are gone then.
  const algebras::Layer runs = layerOf("Q(4)", 2048, 2048, 128), phases = layerOf("Q(4)", 2048, 2048);
  EXPECT_GT(hopperCost(runs, {128, 192, 64, 4}, HopperOutput::BF16, 8192).memory,
            1.5 * hopperCost(phases, {128, 192, 64, 4}, HopperOutput::BF16, 8192).memory);
  // All runs of a group one after the other need its part of the bank, 33 MB, at one time only, and their own
  // rows of X again with each of the other three groups.
  HopperSchedule groups{128, 192, 64, 4};
  groups.outer = OuterAxis::Groups;
  EXPECT_LT(hopperCost(runs, groups, HopperOutput::BF16, 8192).memory, 1.05 * (3 + 0.75) * once);
}

TEST(HopperCost, PiecesOfRowsShareSectors) {
  // 48 bytes of each group in a row of X, 80 in one of Y: with groups outside, each is fetched or written
  // together with half a sector that is another one's.
  const algebras::Layer layer = layerOf("Q(4)", 24, 40);
  HopperSchedule types{64, 48, 32, 8}, groups = types;
  groups.outer = OuterAxis::Groups;
  const double rows = 4000, beyond = rows * 4 * (16 + 16) / 4.3e6;
  EXPECT_NEAR(hopperCost(layer, groups, HopperOutput::BF16, 4000).memory -
                  hopperCost(layer, types, HopperOutput::BF16, 4000).memory,
              beyond, 1e-9);
  // Whole sectors are nobody else's.
  const algebras::Layer whole = layerOf("Q(4)", 32, 48);
  EXPECT_EQ(hopperCost(whole, groups, HopperOutput::BF16, 4000).memory,
            hopperCost(whole, types, HopperOutput::BF16, 4000).memory);
}

} // namespace
