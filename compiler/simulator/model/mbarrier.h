// mbarrier objects as the copies see them; the instructions are in mbarrier.cpp.
#pragma once

#include "compiler/simulator/model/multiprocessor.h"

namespace simulator {

// The initialised mbarrier at `where`, whose initialisation is ordered before the thread that runs. Faults
// otherwise.
Mbarrier &findMbarrier(Multiprocessor &model, const Multiprocessor::Shared &where);
// The same for a use by the async proxy: its initialisation must have been fenced before.
Mbarrier &findMbarrierForAsync(Multiprocessor &model, const Multiprocessor::Shared &where);
// Counts `bytes` more to come (or, negative, to have come) and `arrivals`; completes the phase when nothing
// is missing.
void updateMbarrier(Multiprocessor &model, Mbarrier &barrier, int32_t arrivals, int64_t bytes);

} // namespace simulator
