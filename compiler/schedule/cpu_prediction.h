// What the CPU's cost model expects of a call, to stand beside what is measured.
#ifndef ALGCTL_COMPILER_SCHEDULE_CPU_PREDICTION_H
#define ALGCTL_COMPILER_SCHEDULE_CPU_PREDICTION_H

#include "algebras/layer.h"
#include "runtime/bundle/map.h"

#include <cstdint>

namespace compiler {

/// Microseconds of one map of the layer on `m` rows with the cheapest schedule, on `threads` cores of this
/// machine's level at 3 GHz that all have work to the end. With `packed`, from a packed bank; that is of the
/// map forward alone. The model has round numbers for every machine, whatever memory it has.
double predictCpu(const algebras::Layer &layer, algrt::Map map, bool packed, std::int64_t m, int threads);

} // namespace compiler

#endif
