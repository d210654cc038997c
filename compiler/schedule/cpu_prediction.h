// What the CPU's cost model expects of a call, to stand beside what is measured.
#pragma once

#include "algebras/layer.h"
#include "runtime/bundle/map.h"

#include <cstdint>

namespace compiler {

/// Microseconds of one map of the layer on `m` rows with the cheapest schedule, on `threads` cores of this
/// machine's level at 3 GHz that all have work to the end. With `packed`, from a packed weight matrix; that
/// is of the map forward alone. The model has round numbers for every machine, whatever memory it has.
double predictCpu(const algebras::Layer &layer, algrt::Map map, bool packed, int64_t m, int threads);

} // namespace compiler
