#include "tests/schedule/hopper_walk.h"

#include "compiler/schedule/panels.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace schedule_test {

using namespace compiler;

namespace {

struct Segment {
  int64_t type = 0, rows = 0;
};

// Row by row: phases of a cycle, or runs of equal types.
std::vector<Segment> segmentsOf(const algebras::Layer &layer, int64_t m) {
  std::vector<Segment> segments;
  if (layer.row_types.kind() == algebras::RowTypes::Kind::Interval) {
    int64_t before = -1;
    for (int64_t row = 0; row < m; ++row) {
      const int64_t run = row / layer.row_types.width();
      if (run != before)
        segments.push_back({run % layer.lift.types(), 0});
      before = run;
      ++segments.back().rows;
    }
    return segments;
  }
  segments.resize(static_cast<size_t>(std::min(m, layer.lift.types())));
  for (int64_t row = 0; row < m; ++row) {
    Segment &segment = segments[static_cast<size_t>(row % layer.lift.types())];
    segment.type = row % layer.lift.types();
    ++segment.rows;
  }
  return segments;
}

// What one step brings and multiplies: rows that there are, and how many types' room they have.
struct Step {
  int64_t rows, types;
  int64_t blocks = 1; // of rows, which come whole
  bool held = false;  // the rows are there already
};

// The steps of a tile for one piece of the depth.
std::vector<Step> stepsOf(const algebras::Layer &layer, const StagedSchedule &schedule,
                          const std::vector<Segment> &parts, int64_t row, int64_t group) {
  auto rows_of = [&](const Segment &segment) {
    return std::clamp<int64_t>(segment.rows - row, 0, schedule.rows);
  };
  std::vector<Step> steps;
  const bool holds = schedule.stationary_groups > 0;
  if (schedule.types == 1 && !holds) {
    steps.resize(layer.lift.terms(parts[0].type, group).size(), {rows_of(parts[0]), 1, 1});
    return steps;
  }
  // W(j, j) for all at once, W(i, j) for each type but j.
  Step all{0, schedule.types, static_cast<int64_t>(parts.size())};
  for (const Segment &segment : parts) {
    all.rows += rows_of(segment);
    if (segment.type != group)
      steps.push_back({rows_of(segment), 1, 1, holds});
  }
  steps.push_back(all);
  return steps;
}

// Tile by tile. Blocks (a, b) of a cluster: each copies part a of the depth of its block of W, and part b of
// its rows of X, and gets all of them. Where blocks divide a tile, block `rank` takes its share of the steps.
class Walker {
public:
  Walker(const algebras::Layer &layer, const StagedSchedule &schedule, algebras::DataType output)
      : layer_(layer), schedule_(schedule), result_bytes_(output == algebras::DataType::F32 ? 4 : 2),
        processors_(schedule.cluster() * schedule.split_k > 2 ? 128 : 132) {}

  Walk walk(int64_t m);

private:
  void tile(const std::vector<Segment> &parts, int64_t row, int64_t group, int64_t column, int64_t a,
            int64_t b, int64_t rank);
  // All that block `rank` does while the sums of a type's own group stay.
  void walkOverGroups(const Segment &segment, int64_t row, int64_t column, int64_t a, int64_t b,
                      int64_t rank);
  // Bytes that a row of a group has from there on in one step.
  double bytesOfStep(int64_t step) const {
    return static_cast<double>(2 * std::min(schedule_.depth, k_ - step));
  }

  const algebras::Layer &layer_;
  const StagedSchedule &schedule_;
  const double result_bytes_;
  const int64_t processors_;
  const int64_t k_ = layer_.in.width(0), n_ = layer_.out.width(0);
  Walk sum_;
  std::map<int64_t, double> received_, cycles_, stores_; // of each processor
  std::map<int64_t, int64_t> tiles_;
  void orderedTiles(const std::vector<Segment> &segments, int64_t longest);
  std::optional<int64_t> dealt_to_; // where tiles are not dealt out in turn
  bool divided_ = true;             // whether `split` blocks share the tile
};

void Walker::tile(const std::vector<Segment> &parts, int64_t row, int64_t group, int64_t column, int64_t a,
                  int64_t b, int64_t rank) {
  // The rows of a transposed weight matrix's blocks are columns.
  const bool transposed = layer_.lift.isTransposed();
  const int64_t x_panel = panelBytes(schedule_.depth, 2),
                w_panel = transposed ? x_panel : panelBytes(schedule_.columns, 2);
  const int64_t x_part = schedule_.rows / schedule_.cluster_columns,
                w_part = (transposed ? schedule_.columns : schedule_.depth) / schedule_.cluster_rows;
  const int64_t split = divided_ ? schedule_.split_k : 1;
  const bool holds = schedule_.stationary_groups > 0;
  const bool begins = !holds || (group % schedule_.stationary_groups == 0 && column == 0);
  sum_.turns += begins;
  const int64_t processor = dealt_to_.value_or((sum_.turns - 1) % processors_);
  sum_.tiles += rank == 0;
  const int64_t columns = std::clamp<int64_t>(n_ - column, 0, schedule_.columns);
  // What is left of a group for its last block of columns is multiplied by instructions of its width, and
  // panels beyond it are not copied; a box of a transposed weight matrix comes whole.
  int64_t multiplied = schedule_.columns, copied = schedule_.columns;
  if (const int64_t left = n_ % schedule_.columns;
      left != 0 && columns < schedule_.columns && schedule_.rows_on == RowSide::M && schedule_.split_k == 1) {
    multiplied = (left + 7) / 8 * 8;
    if (!transposed)
      while (copied - w_panel / 2 >= left)
        copied -= w_panel / 2;
  }
  double tile_received = 0, tile_cycles = 0,
         tile_stores = 530 + 600 * std::log2(schedule_.cluster() * schedule_.split_k) +
                       static_cast<double>(schedule_.types * schedule_.rows * multiplied) * result_bytes_ /
                           64 / static_cast<double>(split);
  sum_.port_bytes += 2 * static_cast<double>(schedule_.types * schedule_.rows * multiplied) * result_bytes_ /
                     static_cast<double>(split);
  // What it gets of the others' sums comes at 16 bytes in a cycle, and is read at 128.
  if (split > 1)
    tile_stores += 1200 + static_cast<double>(4 * schedule_.rows * schedule_.columns / split * (split - 1)) *
                              (1.0 / 16 + 1.0 / 128);
  if (holds && begins) {
    // The rows change, and nothing goes on meanwhile.
    tile_stores += 1500;
    for (const Segment &part : parts)
      for (int64_t step = 0; step < k_; step += schedule_.depth) {
        tile_received += static_cast<double>(2 * schedule_.rows * schedule_.depth);
        sum_.sent += static_cast<double>(std::min(schedule_.rows, part.rows - row)) * bytesOfStep(step);
      }
  }
  const std::vector<Step> steps = stepsOf(layer_, schedule_, parts, row, group);
  const int64_t pieces = (k_ + schedule_.depth - 1) / schedule_.depth,
                all = static_cast<int64_t>(steps.size()) * pieces;
  int64_t number = 0;
  for (const Step &one : steps)
    for (int64_t step = 0; step < k_; step += schedule_.depth) {
      // The first blocks have one step more where there is a rest.
      const int64_t each_has = all / split, have_more = all % split,
                    mine = rank * each_has + std::min(rank, have_more);
      const bool is_mine = number >= mine && number < mine + each_has + (rank < have_more);
      ++number;
      if (!is_mine)
        continue;
      const int64_t depth = std::min(schedule_.depth, k_ - step);
      const int64_t loaded_types = one.held ? 0 : one.types;
      const double w_row = transposed ? bytesOfStep(step) : static_cast<double>(2 * columns);
      const int64_t w_rows = transposed ? columns : depth;
      if (!one.held) {
        tile_received += static_cast<double>(2 * one.blocks * schedule_.rows * schedule_.depth);
        sum_.sent += static_cast<double>(schedule_.cluster_columns == 1
                                             ? one.rows
                                             : std::clamp<int64_t>(one.rows - b * x_part, 0, x_part)) *
                     bytesOfStep(step);
      }
      tile_received += static_cast<double>(2 * schedule_.depth * copied);
      sum_.sent += static_cast<double>(std::clamp<int64_t>(w_rows - a * w_part, 0, w_part)) * w_row;
      const bool on_n = schedule_.rows_on == RowSide::N;
      const int64_t instructions =
          (on_n ? schedule_.columns : one.types * schedule_.rows) / 64 * ((depth + 15) / 16);
      const auto other_side = static_cast<double>(on_n ? schedule_.rows : multiplied);
      // Each reads 64 and what is on the other side, 16 deep.
      sum_.port_bytes += static_cast<double>(instructions) * 2 * 16 * (64 + other_side);
      const double each = std::max(other_side / 2, 16 + other_side / 4);
      const int64_t copies = loaded_types * schedule_.depth * 2 / x_panel +
                             (transposed ? schedule_.depth : copied) * 2 / w_panel;
      const double bank_conflicts = x_panel == 128 && w_panel == 128 ? 1 : 1.05;
      tile_cycles += (std::max(static_cast<double>(instructions) * each, 24.0 * static_cast<double>(copies)) +
                      (schedule_.cluster() > 1 ? 60 : 0)) *
                     bank_conflicts;
      sum_.useful_macs += static_cast<double>(one.rows * depth * columns);
      sum_.filled += 2 * static_cast<double>(schedule_.depth * (loaded_types * schedule_.rows + copied));
      ++sum_.steps;
    }
  received_[processor] += tile_received;
  cycles_[processor] += tile_cycles;
  stores_[processor] += tile_stores;
  ++tiles_[processor];
}

void Walker::walkOverGroups(const Segment &segment, int64_t row, int64_t column, int64_t a, int64_t b,
                            int64_t rank) {
  const int64_t processor = sum_.turns++ % processors_, panel = panelBytes(schedule_.depth, 2);
  const int64_t row_part = schedule_.rows / schedule_.cluster_columns,
                column_part = schedule_.columns / schedule_.cluster_rows;
  const int64_t rows = std::clamp<int64_t>(segment.rows - row, 0, schedule_.rows),
                columns = std::clamp<int64_t>(n_ - column, 0, schedule_.columns);
  const bool on_n = schedule_.rows_on == RowSide::N;
  const int64_t of_64 = on_n ? schedule_.columns : schedule_.rows,
                other_side = on_n ? schedule_.rows : schedule_.columns;
  const double stored = static_cast<double>(schedule_.rows * schedule_.columns) * result_bytes_;
  double received = 0, cycles = 0, stores = 0;
  const int64_t groups = layer_.lift.outputGroups();
  for (int64_t group = rank * schedule_.stationary_groups;
       group < std::min(groups, (rank + 1) * schedule_.stationary_groups); ++group) {
    ++sum_.tiles;
    const bool is_own = group == segment.type;
    for (int64_t step = 0; step < k_; step += schedule_.depth) {
      received += static_cast<double>(2 * schedule_.depth * (schedule_.rows + 2 * schedule_.columns));
      sum_.sent += bytesOfStep(step) *
                   static_cast<double>(std::clamp<int64_t>(rows - b * row_part, 0, row_part) +
                                       2 * std::clamp<int64_t>(columns - a * column_part, 0, column_part));
      const int64_t depth = std::min(schedule_.depth, k_ - step);
      const int64_t instructions = 2 * of_64 / 64 * ((depth + 15) / 16);
      sum_.port_bytes += static_cast<double>(instructions * 2 * 16 * (64 + other_side));
      const auto side = static_cast<double>(other_side);
      const double copies = static_cast<double>(3 * 2 * schedule_.depth) / static_cast<double>(panel);
      cycles +=
          (std::max(static_cast<double>(instructions) * std::max(side / 2, 16 + side / 4), 24 * copies) +
           (schedule_.cluster() > 1 ? 60 : 0)) *
          (panel == 128 ? 1 : 1.05);
      sum_.useful_macs += static_cast<double>((is_own ? 1 : 2) * rows * depth * columns);
      sum_.filled += static_cast<double>(2 * schedule_.depth * (schedule_.rows + 2 * schedule_.columns));
      ++sum_.steps;
    }
    stores += 530 + 600 * std::log2(schedule_.cluster()) + (is_own ? 0 : stored / 64);
    sum_.port_bytes += is_own ? 0 : 2 * stored;
  }
  const auto split = static_cast<double>(schedule_.split_k);
  stores += 530 + 600 * std::log2(static_cast<double>(schedule_.cluster()) * split) + stored / 64 / split;
  sum_.port_bytes += 2 * stored / split;
  if (schedule_.split_k > 1)
    stores += 1200 + stored / result_bytes_ * 4 / split * (split - 1) * (1.0 / 16 + 1.0 / 128);
  received_[processor] += received;
  cycles_[processor] += cycles;
  stores_[processor] += stores;
  ++tiles_[processor];
}

// Long tiles in turn, each to all blocks of a cluster; then every short one to whoever is the first to be
// done.
void Walker::orderedTiles(const std::vector<Segment> &segments, int64_t longest) {
  const int64_t clusters = processors_ / schedule_.split_k, groups = layer_.lift.outputGroups();
  int64_t number = 0;
  for (const bool is_long : {true, false})
    for (const Segment &segment : segments) {
      std::vector<int64_t> order(static_cast<size_t>(groups));
      std::iota(order.begin(), order.end(), int64_t{0});
      std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        const size_t of_a = layer_.lift.terms(segment.type, a).size(),
                     of_b = layer_.lift.terms(segment.type, b).size();
        return of_a != of_b ? of_a > of_b : a < b;
      });
      divided_ = is_long;
      for (int64_t rank = is_long ? 0 : schedule_.longest_first;
           rank < (is_long ? schedule_.longest_first : groups); ++rank)
        for (int64_t row = 0; row < std::min(longest, segment.rows); row += schedule_.rows)
          for (int64_t column = 0; column < n_; column += schedule_.columns, ++number)
            for (int64_t block = 0; block < (is_long ? schedule_.split_k : 1); ++block) {
              int64_t least = number % clusters * schedule_.split_k + block;
              if (!is_long)
                for (int64_t one = 0; one < clusters * schedule_.split_k; ++one)
                  if (cycles_[one] + stores_[one] < cycles_[least] + stores_[least])
                    least = one;
              dealt_to_ = least;
              tile({segment}, row, order[static_cast<size_t>(rank)], column, 0, 0, block);
            }
    }
}

Walk Walker::walk(int64_t m) {
  const std::vector<Segment> segments = segmentsOf(layer_, m);
  int64_t longest = 0;
  for (const Segment &segment : segments)
    longest = std::max(longest, segment.rows);
  if (schedule_.longest_first > 0)
    orderedTiles(segments, longest);
  for (size_t segment = 0; schedule_.longest_first == 0 && segment < segments.size();
       segment += static_cast<size_t>(schedule_.types))
    for (int64_t row = 0; row < longest; row += schedule_.rows * schedule_.cluster_rows) {
      // Segments that have no such rows take part in nothing.
      std::vector<Segment> parts;
      for (size_t part = segment;
           part < std::min(segments.size(), segment + static_cast<size_t>(schedule_.types)); ++part)
        if (segments[part].rows > row)
          parts.push_back(segments[part]);
      if (parts.empty())
        continue;
      const bool walks = layer_.lift.isTransposed() && schedule_.stationary_groups > 0;
      for (int64_t group = 0; group < (walks ? 1 : layer_.lift.outputGroups()); ++group)
        for (int64_t column = 0; column < n_; column += schedule_.columns * schedule_.cluster_columns)
          for (int64_t a = 0; a < schedule_.cluster_rows; ++a)
            for (int64_t b = 0; b < schedule_.cluster_columns; ++b)
              for (int64_t rank = 0; rank < schedule_.split_k; ++rank)
                if (walks)
                  walkOverGroups(parts[0], row + a * schedule_.rows, column + b * schedule_.columns, a, b,
                                 rank);
                else
                  tile(parts, row + a * schedule_.rows, group, column + b * schedule_.columns, a, b, rank);
    }
  for (const auto &[processor, bytes] : received_) {
    sum_.received += bytes;
    sum_.port_bytes += bytes;
    sum_.busiest_received = std::max(sum_.busiest_received, bytes);
  }
  // Each of the parts that take turns has its share of the tiles, and multiplies when no other does; the last
  // tile's store comes behind all products.
  int64_t most_tiles = 0;
  for (const auto &[processor, count] : tiles_)
    most_tiles = std::max(most_tiles, count);
  auto together = [&](double multiplying, double storing) {
    if (schedule_.ping_pong == 1)
      return multiplying + storing;
    return std::max(multiplying + storing / static_cast<double>(most_tiles),
                    (multiplying + storing) / static_cast<double>(schedule_.ping_pong));
  };
  for (const auto &[processor, time] : cycles_) {
    sum_.multiplying += time;
    sum_.stores += stores_.at(processor);
    sum_.busiest_cycles = std::max(sum_.busiest_cycles, together(time, stores_.at(processor)));
  }
  sum_.cycles = together(sum_.multiplying, sum_.stores);
  return sum_;
}

} // namespace

Walk walk(const algebras::Layer &layer, const StagedSchedule &schedule, algebras::DataType output,
          int64_t m) {
  return Walker(layer, schedule, output).walk(m);
}

} // namespace schedule_test
