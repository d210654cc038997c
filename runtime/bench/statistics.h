// From samples to a median with its spread, and to a verdict.
#pragma once

#include "runtime/bench/bench.h"

namespace algrt {

// Median and quartiles (linear interpolation between order statistics). Needs at least one sample.
Timing summarise(std::vector<double> microseconds);

// "same" where the ranges between the quartiles meet: the difference is inside the noise. Otherwise "faster"
// or "slower", seen from `algebra`.
std::string verdict(const Timing &algebra, const Timing &dense);

} // namespace algrt
