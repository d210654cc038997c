// The three maps of a projection with the arguments of their functions in algrt.h, wherever the tensors are:
// steps of programs, and what algrt_forward, algrt_dx and algrt_dw are. They throw Error.
#pragma once

#include "runtime/api/handles.h"
#include "runtime/cpu/row_source.h"
#include "runtime/cuda/row_grouping.h"

namespace algrt {

// On a device rows may be divided among experts: weights and bias are those of the first one then. Steps that
// share a workspace pass what lists of rows it holds; null: none.
void runForward(const LoadedProjection &projection, const algrt_forward_args &args,
                const ExpertStarts &experts = {}, cuda::HeldLists *lists = nullptr);
void runDx(const LoadedProjection &projection, const algrt_dx_args &args, cuda::HeldLists *lists = nullptr);
void runDw(const LoadedProjection &projection, const algrt_dw_args &args, cuda::HeldLists *lists = nullptr);

// Bytes of workspace with which any of them has enough for m rows on so many threads, divided among up to so
// many experts; with 0 there is one network.
size_t workspaceBytes(const LoadedProjection &projection, int64_t m, int32_t threads, int64_t experts = 0);

} // namespace algrt
