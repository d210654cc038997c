// Calls whose rows are divided among experts: many networks of a program's kind, each with weights of its own
// and with consecutive rows, or those of a list.
#pragma once

#include "runtime/api/program_call.h"
#include "runtime/cpu/row_source.h"

#include <functional>

namespace algrt {

// Where the rows of a call of one network are in the call that it is a part of.
struct NetworkRows {
  int64_t first_row = 0; // of rows that follow one another, which row 0 is
  // Of rows in a list, [rows]: where each is, for steps that count positions. Else null.
  const algrt_named_tensor *positions = nullptr;
  ExpertStarts experts = {}; // on a device
};
// Of such a call, in the place of its tensors, those of a call of one network.
using RunNetwork = std::function<void(const ProgramCall &call, const NetworkRows &rows)>;

// Runs `run` for each expert that has rows, one after another, with its rows and its weights; on a CUDA
// device once, with all rows, where the experts begin, and the weights of the first one.
// `options.expert_starts` is given. Throws Error(ALGRT_INVALID_ARGUMENT) naming the tensor for what
// algrt_run_options does not allow, and Error(ALGRT_UNSUPPORTED) for programs whose rows cannot be divided.
void runExperts(const Program &program, const algrt_named_tensor *tensors, int64_t count,
                const algrt_run_options &options, const RunNetwork &run);

} // namespace algrt
