// How long the busiest of several workers takes where turns are of two lengths.
#pragma once

#include <algorithm>
#include <cmath>

namespace compiler {

/// The long ones come first.
struct UnequalTurns {
  double long_turns, long_time;
  double short_turns, short_time;

  double total() const { return long_turns * long_time + short_turns * short_time; }
  /// Of so many workers, dealt to as kernels deal them (compiler/targets/thread_block/turn_order.h): who has
  /// one long turn less than others takes short ones meanwhile, so that all end within one short turn, unless
  /// the long ones alone take longer.
  double busiest(double workers) const {
    const double of_long = std::ceil(long_turns / workers) * long_time;
    const double one_after_the_other = of_long + std::ceil(short_turns / workers) * short_time;
    return std::max(of_long, std::min(one_after_the_other, total() / workers + short_time));
  }
};

/// Tiles that are dealt out in the order of their numbers, from fast to slow: column block, group, row block,
/// segment; or with the group the slowest. The group of a segment's own type is the long one.
struct NumberedTiles {
  double types = 1, groups = 1, segments = 0, rows = 1, columns = 1;
  bool groups_outside = false;

  /// Long tiles of the worker that gets most of them: numbers that lie a multiple of the workers apart meet.
  double mostLongOf(double workers) const;
};

} // namespace compiler
