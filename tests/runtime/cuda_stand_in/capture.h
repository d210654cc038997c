// What a stream does with work: run it, or note it for the graph that is being captured.
#pragma once

#include "tests/runtime/cuda_stand_in/state.h"

namespace algrt::cuda_stand_in {

// The stream's work `run`, in the current context. nullptr is the legacy default stream.
Result enqueue(const char *symbol, State &s, Stream stream, std::function<void()> run);

// A call that may not be made while a stream is being captured in a mode that forbids it to this thread (CUDA
// driver API, cuStreamBeginCapture): success, or the error with the capture invalidated.
Result requireNoCapture(const char *symbol, State &s);

} // namespace algrt::cuda_stand_in
