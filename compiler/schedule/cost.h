// What a kernel would cost: how long each part of a machine is busy, and what that adds up to. The kinds of
// kernels say how busy which parts are; how they hide behind one another, what the last wave adds and how it
// is shown is the same for all.
#pragma once

#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

namespace compiler {

/// A part of the time, and what it is spent on. In microseconds, on a CPU in cycles of one core until a
/// ranking converts it.
struct CostPart {
  std::string_view name; ///< of static storage
  double us;
  /// How much longer it keeps the busiest processor busy than all on average, where that differs.
  double uneven = 1;
};

struct Cost {
  /// How long each part of the machine would be busy if nothing else held it up.
  std::vector<CostPart> busy;
  /// What the last of these is made of, where it is several things.
  std::vector<CostPart> arithmetic;
  /// What adds up to the total: the part of `busy` that bounds, by its name, and what comes on top.
  std::vector<CostPart> sum;
  std::string_view bound_by; ///< a name of `busy`

  double tiles = 0; ///< of the result, those without rows left out
  double turns =
      0; ///< what a block takes at a time: tiles, shares of them, or where rows are held walks over groups
  double waves = 0; ///< turns for each processor: 1.5 take as long as 2

  double total() const { return all; }
  /// What bounds, without what comes on top.
  double bound() const { return (*this)[bound_by]; }
  /// A part by its name: of `busy`, of `arithmetic` or of the sum; 0 for one that is not there.
  double operator[](std::string_view name) const;
  /// How much longer the busiest processor takes, of a part of `busy`.
  double uneven(std::string_view name) const;

  /// The same with every time multiplied.
  Cost scaled(double factor) const;

  double all = 0; ///< the sum
};

/// What comes on top of the longest part where parts run side by side, as on a GPU.
struct OnTop {
  double launch = 0;
  double grouping = 0; ///< where rows come from a list: making it
  /// Whether it is what the busiest processor takes that decides which part bounds and what it hides; else
  /// what all take on average, and the busiest one is counted of the part that bounds alone.
  bool busiest_decides = false;
  /// What a schedule has to save to be trusted, as a part of everything behind the launch.
  std::optional<double> caution = std::nullopt;
};

/// Adds up `busy`: the longest, what the busiest processor takes longer ("tail"), and what the second and
/// third longest do not hide behind it ("unhidden").
void addSideBySide(Cost &cost, const OnTop &on_top);

/// Adds up `busy` where one thing is done after the other, as on a CPU. In the last round some workers have
/// nothing to do: all takes `uneven` times as long as if they had ("idle").
void addInTurn(Cost &cost, double uneven);

/// The smallest multiple of `step` that is `value` or more.
inline int64_t roundUp(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

/// So many steps that together are `value` or more.
inline double ceilDivide(double value, double step) { return std::ceil(value / step); }

/// Least time that bytes and arithmetic allow on a device, in microseconds.
struct Floor {
  double memory = 0, tensor = 0;
  double longest() const { return memory > tensor ? memory : tensor; }
  const char *by() const { return memory >= tensor ? "memory" : "arithmetic"; }
};

} // namespace compiler
