// Random programs as text: chains of contractions, maps and reductions over every kind of view.
#pragma once

#include "algebras/lift.h"

#include <random>
#include <string>

namespace program_test {

/// How rows get their types in the row lift.
enum class Schedule { Cyclic, Interval, Explicit };

/// A function `forward` of tensors over an algebra (an expression that is associative), whose arguments are
/// named. It has at least two contractions; maps with residuals, biases, row scales and numbers; root mean
/// squares and maxima.
std::string randomProgram(std::mt19937 &random, const std::string &algebra, algebras::Lift::Kind kind,
                          Schedule schedule);

} // namespace program_test
