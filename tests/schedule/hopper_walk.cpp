#include "tests/schedule/hopper_walk.h"

#include "compiler/schedule/panels.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace schedule_test {

using namespace compiler;

namespace {

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

// What one step brings and multiplies: rows that there are, and how many types' room they have.
struct Step {
  std::int64_t rows, types;
  bool held = false; // the rows are there already
};

// The steps of a tile for one piece of the depth.
std::vector<Step> stepsOf(const algebras::Layer &layer, const StagedSchedule &schedule,
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
  Walker(const algebras::Layer &layer, const StagedSchedule &schedule, algebras::DataType output)
      : layer(layer), schedule(schedule), result_bytes(output == algebras::DataType::F32 ? 4 : 2),
        processors(schedule.cluster() * schedule.split > 2 ? 128 : 132) {}

  Walk walk(std::int64_t m);

private:
  void tile(const std::vector<Line> &parts, std::int64_t row, std::int64_t group, std::int64_t column,
            std::int64_t a, std::int64_t b, std::int64_t rank);
  double xCost(std::int64_t step) const {
    return rowCost(2 * step, 2 * schedule.depth, 2 * k, panelBytes(schedule.depth, 2));
  }

  const algebras::Layer &layer;
  const StagedSchedule &schedule;
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
      std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        const std::size_t of_a = layer.lift.terms(line.type, a).size(),
                          of_b = layer.lift.terms(line.type, b).size();
        return of_a != of_b ? of_a > of_b : a < b;
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

} // namespace

Walk walk(const algebras::Layer &layer, const StagedSchedule &schedule, algebras::DataType output,
          std::int64_t m) {
  return Walker(layer, schedule, output).walk(m);
}

} // namespace schedule_test
