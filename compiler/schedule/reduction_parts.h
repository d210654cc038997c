// What the costs of vector reductions have in common, whatever the number of layers. Cycles and instructions
// are assumptions, to be calibrated on a device.
#pragma once

#include "compiler/schedule/schedule.h"

namespace compiler::reduction_parts {

/// From a block of the weight matrix to the next one that a part reads, until its numbers are there; the
/// first one is part of what a launch takes, as it is for kernels with a ring.
inline constexpr double cycles_per_block = 300;
/// The sums of slices: shuffles, two barriers and the stores.
inline constexpr double cycles_per_part = 250;
/// Sectors, in which the second-level cache hands out memory.
inline constexpr double sector_bytes = 32;

/// Registers of a thread with so many products: of rows, and of vectors on their way.
double registersOf(const ReductionSchedule &schedule, double products);

/// One layer's products by blocks `depth` deep, of so many weight matrices, which slices divide.
class LayerOfSlices {
public:
  LayerOfSlices(const ReductionSchedule &schedule, double depth, double weights);

  /// Of a slice, pieces of the depth one after the other.
  double rounds() const { return rounds_; }
  /// Of all threads of a block.
  double bytesInFlight() const;
  /// Of all warps: blocks that are read, and of rows the terms that they are multiplied in. What is read of a
  /// weight matrix becomes f32 once for all rows that read it together.
  double instructions(double reads, double terms_of_rows) const;
  /// Of all warps, for the sums of slices that share one.
  double instructionsOfSums() const;

private:
  double rows_, vector_, lanes_, slices_, warps_, pieces_, rounds_, weights_;
};

} // namespace compiler::reduction_parts
