// The operators as PyTorch sees them, on its stable C++ interface: one binary for PyTorch 2.10 and later and
// for every version of Python. Fakes and gradients are registered by the package (algctl/operators.py).
#include "python/operators/errors.h"
#include "python/operators/program.h"
#include "python/operators/projection.h"

#include <torch/csrc/stable/library.h>

#include <algorithm>
#include <thread>

namespace algctl_torch {
namespace {

// What the runtime does on a CPU in several threads, it does by PyTorch's pool: two pools beside each other
// would compete for the processors.
void onThreadsOfPyTorch(void *, int32_t count, void (*run)(void *, int32_t), void *task) {
  torch::stable::parallel_for(0, count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      run(task, int32_t(i));
  });
}

std::string setThreadPool() {
  // The pool may grow later; each call says how many threads it may use.
  int32_t most = std::max<int32_t>(threads(), int32_t(std::thread::hardware_concurrency()));
  check(algrt_set_thread_pool(onThreadsOfPyTorch, nullptr, std::max<int32_t>(1, most)));
  return algrt_version();
}

} // namespace
} // namespace algctl_torch

using namespace algctl_torch;

STABLE_TORCH_LIBRARY(algctl, library) {
  library.def("set_thread_pool() -> str");
  library.def("open(str path) -> str");
  library.def("open_bytes(Tensor bytes) -> str");
  library.def("set_folder(str folder) -> ()");
  library.def("describe(str bundle) -> str");
  library.def("terms(str bundle) -> (Tensor, Tensor)");
  library.def("prepare(str bundle, int device) -> ()");
  library.def("pack(Tensor weight, str bundle) -> int");
  library.def("free(int packed) -> ()");
  library.def("packed_bytes(int packed) -> int");
  library.def(
      "projection(Tensor x, Tensor weight, Tensor? bias, Tensor? positions, Tensor? types, SymInt p0, "
      "str bundle) -> Tensor");
  library.def(
      "projection_packed(Tensor x, int packed, Tensor? bias, Tensor? positions, Tensor? types, SymInt p0, "
      "str bundle) -> Tensor");
  library.def(
      "projection_dx(Tensor dy, Tensor weight, Tensor? positions, Tensor? types, SymInt p0, str bundle) "
      "-> Tensor");
  library.def("projection_dw(Tensor x, Tensor dy, Tensor? positions, Tensor? types, SymInt p0, str bundle, "
              "ScalarType dtype) -> (Tensor, Tensor)");
  // Of run the package has the implementation: it chooses the program that run_program then runs.
  library.def("run(Tensor[] operands, Tensor? positions, SymInt p0, str bundle, str program) -> Tensor[]");
  library.def(
      "run_program(Tensor[] operands, Tensor? positions, SymInt p0, str bundle, str program) -> Tensor[]");
  library.def(
      "run_experts(Tensor[] operands, Tensor expert_starts, Tensor? positions, SymInt p0, str bundle, "
      "str program, Tensor? expert_rows=None) -> Tensor[]");
}

STABLE_TORCH_LIBRARY_IMPL(algctl, CompositeExplicitAutograd, library) {
  library.impl("set_thread_pool", TORCH_BOX(&setThreadPool));
  library.impl("open", TORCH_BOX(&openBundle));
  library.impl("open_bytes", TORCH_BOX(&openBundleBytes));
  library.impl("set_folder", TORCH_BOX(&setFolder));
  library.impl("describe", TORCH_BOX(&describe));
  library.impl("terms", TORCH_BOX(&terms));
  library.impl("prepare", TORCH_BOX(&prepare));
  library.impl("pack", TORCH_BOX(&packWeights));
  library.impl("free", TORCH_BOX(&freeWeights));
  library.impl("packed_bytes", TORCH_BOX(&packedBytes));
}

STABLE_TORCH_LIBRARY_IMPL(algctl, CPU, library) {
  library.impl("projection", TORCH_BOX(&projectionForward));
  library.impl("projection_packed", TORCH_BOX(&projectionForwardPacked));
  library.impl("projection_dx", TORCH_BOX(&projectionDx));
  library.impl("projection_dw", TORCH_BOX(&projectionDw));
  library.impl("run_program", TORCH_BOX(&runProgram));
  library.impl("run_experts", TORCH_BOX(&runExperts));
}

STABLE_TORCH_LIBRARY_IMPL(algctl, CUDA, library) {
  library.impl("projection", TORCH_BOX(&projectionForward));
  library.impl("projection_dx", TORCH_BOX(&projectionDx));
  library.impl("projection_dw", TORCH_BOX(&projectionDw));
  library.impl("run_program", TORCH_BOX(&runProgram));
  library.impl("run_experts", TORCH_BOX(&runExperts));
}
