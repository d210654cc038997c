// Calls whose rows are divided among experts: many networks of a program's kind, each with consecutive rows
// and weights of its own.
#pragma once

#include "runtime/api/program_call.h"
#include "runtime/cpu/row_source.h"

#include <functional>

namespace algrt {

// Of such a call, in the place of its tensors, those of a call of one network whose row 0 is the call's row
// `first_row`.
using RunNetwork =
    std::function<void(const ProgramCall &call, int64_t first_row, const ExpertStarts &experts)>;

// Runs `run` for each expert that has rows, one after another, with its rows and its weights; on a CUDA
// device once, with all rows, where the experts begin, and the weights of the first one.
// `options.expert_starts` is given. Throws Error(ALGRT_INVALID_ARGUMENT) naming the tensor for what
// algrt_run_options does not allow, and Error(ALGRT_UNSUPPORTED) for programs whose rows cannot be divided.
void runExperts(const Program &program, const algrt_named_tensor *tensors, int64_t count,
                const algrt_run_options &options, const RunNetwork &run);

} // namespace algrt
