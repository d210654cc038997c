// The three maps of a projection with the arguments of their functions in algrt.h, wherever the tensors are:
// steps of programs, and what algrt_forward, algrt_dx and algrt_dw are. They throw Error.
#pragma once

#include "runtime/api/handles.h"
#include "runtime/cpu/row_source.h"
#include "runtime/cuda/row_grouping.h"

namespace algrt {

// What a map has of the program that it is a step of; nothing outside of one.
struct PlaceInProgram {
  ExpertStarts experts = {};        // on a device: weights and bias are those of the first expert then
  cuda::HeldLists *lists = nullptr; // of rows, in the workspace that the steps share
  bool behind_step = false;         // the kernel may begin early where it can: mayBeginEarly of the program
};

void runForward(const LoadedProjection &projection, const algrt_forward_args &args,
                const PlaceInProgram &place = {});
void runDx(const LoadedProjection &projection, const algrt_dx_args &args, const PlaceInProgram &place = {});
void runDw(const LoadedProjection &projection, const algrt_dw_args &args, const PlaceInProgram &place = {});

// Bytes of workspace with which any of them has enough for m rows on so many threads, divided among up to so
// many experts; with 0 there is one network.
size_t workspaceBytes(const LoadedProjection &projection, int64_t m, int32_t threads, int64_t experts = 0);

} // namespace algrt
