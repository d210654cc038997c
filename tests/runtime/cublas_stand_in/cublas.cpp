// The numbers are those of cublas_api.h (cuBLAS documentation, "Using the cuBLAS API").
#include "tests/runtime/cublas_stand_in/control.h"

#include "runtime/numeric/bfloat16.h"
#include "tests/runtime/cuda_stand_in/state.h"
#include "tests/runtime/cuda_stand_in/work.h"
#include "tests/runtime/gpu_bench/column_product.h"

#include <cstring>
#include <set>
#include <utility>
#include <vector>

namespace algrt::cublas_stand_in {
namespace {

constexpr int success = 0, not_initialized = 1, invalid_value = 7, execution_failed = 13, not_supported = 15;
constexpr int bf16 = 14, compute_f32 = 68, default_algorithm = -1;

struct State {
  Behaviour behaviour;
  std::vector<std::string> violations;
  std::set<const void *> live;
  std::set<std::string> loaded; // functions whose code is on the device
  std::function<void(const std::string &, int64_t)> callback;
  int64_t products = 0; // queued so far
};
State &state() {
  static State instance;
  return instance;
}

struct Handle {
  void *stream = nullptr;
  uintptr_t workspace = 0;
  size_t workspace_bytes = 0;
};

int refuse(const std::string &function, const std::string &what, int status = invalid_value) {
  state().violations.push_back(function + ": " + what);
  return status;
}

// C = alpha A B + beta C by columns, for the pointers from `first` on.
struct Batch {
  int m, n, k, lda, ldb, ldc, count;
  float alpha, beta;
};

struct Range {
  uintptr_t begin, end;
};

Range rangeOf(const void *matrix, int64_t rows, int64_t columns, int64_t leading_dimension) {
  const auto begin = reinterpret_cast<uintptr_t>(matrix);
  return {begin, begin + 2 * size_t((columns - 1) * leading_dimension + rows)};
}

const char *shapeFault(const Batch &batch) {
  if (batch.m < 1 || batch.n < 1 || batch.k < 1 || batch.count < 1)
    return "a product of nothing";
  if (batch.lda < batch.m || batch.ldb < batch.k || batch.ldc < batch.m)
    return "columns that are longer than their distance";
  return nullptr;
}

// The pointers are read when the work runs, as the device does.
void multiply(const Batch &batch, const void *const *as, const void *const *bs, void *const *cs,
              int64_t number) {
  for (int i = 0; i < batch.count; ++i, ++number) {
    if (number == state().behaviour.forgets)
      continue;
    const auto *a = static_cast<const uint16_t *>(as[i]);
    const auto *b = static_cast<const uint16_t *>(bs[i]);
    auto *c = static_cast<uint16_t *>(cs[i]);
    std::vector<float> sums(size_t(batch.m));
    for (int column = 0; column < batch.n; ++column) {
      // With alpha 0 no operand is read.
      test::columnProduct(a, batch.lda, b + int64_t(column) * batch.ldb, batch.m,
                          batch.alpha == 0 ? 0 : batch.k, sums.data());
      for (int row = 0; row < batch.m; ++row) {
        uint16_t &out = c[row + int64_t(column) * batch.ldc];
        out = toBfloat16(batch.alpha * sums[size_t(row)] +
                         (batch.beta == 0 ? 0 : batch.beta * fromBfloat16(out)));
      }
    }
  }
}

// Elements of all C of one call, column by column: none may be written twice, and with beta 0 none is read.
const char *overlapFault(const std::vector<Batch> &batches, void *const *cs) {
  std::set<uintptr_t> written;
  for (const Batch &batch : batches)
    for (int i = 0; i < batch.count; ++i, ++cs)
      for (int64_t column = 0; column < batch.n; ++column)
        for (int64_t row = 0; row < batch.m; ++row)
          if (!written.insert(reinterpret_cast<uintptr_t>(*cs) + 2 * size_t(row + column * batch.ldc)).second)
            return "two products write the same element, in no order";
  return nullptr;
}

const char *pointerFault(const std::vector<Batch> &batches, const void *const *as, const void *const *bs,
                         void *const *cs) {
  size_t count = 0;
  for (const Batch &batch : batches)
    count += size_t(batch.count);
  for (const void *list :
       {static_cast<const void *>(as), static_cast<const void *>(bs), static_cast<const void *>(cs)})
    if (!cuda_stand_in::isDeviceMemory(uintptr_t(list), count * sizeof(void *)))
      return "a list of pointers that is not on the device";
  for (const Batch &batch : batches)
    for (int i = 0; i < batch.count; ++i, ++as, ++bs, ++cs)
      for (const Range &range :
           {rangeOf(*as, batch.m, batch.k, batch.lda), rangeOf(*bs, batch.k, batch.n, batch.ldb),
            rangeOf(*cs, batch.m, batch.n, batch.ldc)})
        if (!cuda_stand_in::isDeviceMemory(range.begin, range.end - range.begin))
          return "a matrix that is not within one allocation of the device";
  return nullptr;
}

int run(const std::string &function, Handle &handle, const std::vector<Batch> &batches, const void *const *as,
        const void *const *bs, void *const *cs, double microseconds, int status) {
  for (const Batch &batch : batches)
    if (const char *fault = shapeFault(batch))
      return refuse(function, fault);
  if (const char *fault = pointerFault(batches, as, bs, cs))
    return refuse(function, fault, execution_failed);
  if (const char *fault = overlapFault(batches, cs))
    return refuse(function, fault);
  if (handle.workspace_bytes == 0)
    return refuse(function, "no workspace after the stream was set: a capture would have to allocate one");
  if (status != success)
    return status;
  auto *const stream = static_cast<cuda::Stream>(handle.stream);
  cuda::CaptureStatus capture{};
  if (cuda::cuStreamIsCapturing(stream, &capture) != cuda::Result::Success)
    return execution_failed;
  if (state().loaded.insert(function).second && capture != cuda::CaptureStatus::None)
    return refuse(function, "loads code, which a capture forbids: call it once before", execution_failed);
  int64_t total = 0;
  for (const Batch &batch : batches)
    total += batch.count;
  const int64_t first = std::exchange(state().products, state().products + total);
  const auto work = [=] {
    int64_t done = 0;
    for (const Batch &batch : batches) {
      multiply(batch, as + done, bs + done, cs + done, (first + done));
      done += batch.count;
    }
    if (state().callback)
      state().callback(function, done);
  };
  return cuda_stand_in::enqueueWork(function.c_str(), stream, 1e-3 * microseconds, work) ==
                 cuda::Result::Success
             ? success
             : execution_failed;
}

} // namespace

void reset(const Behaviour &behaviour) {
  state().behaviour = behaviour;
  state().violations.clear();
  state().loaded.clear();
  state().callback = nullptr;
  state().products = 0;
}
std::vector<std::string> violations() { return state().violations; }
int liveHandles() { return int(state().live.size()); }
void onProducts(std::function<void(const std::string &, int64_t)> callback) {
  state().callback = std::move(callback);
}

} // namespace algrt::cublas_stand_in

using namespace algrt::cublas_stand_in;

#define STAND_IN extern "C" __attribute__((visibility("default")))

STAND_IN int cublasCreate_v2(void **handle) {
  *handle = new Handle;
  state().live.insert(*handle);
  return success;
}

STAND_IN int cublasDestroy_v2(void *handle) {
  if (state().live.erase(handle) == 0)
    return refuse("cublasDestroy", "no such handle", not_initialized);
  delete static_cast<Handle *>(handle);
  return success;
}

STAND_IN int cublasGetVersion_v2(void *handle, int *version) {
  if (!state().live.contains(handle))
    return refuse("cublasGetVersion", "no such handle", not_initialized);
  *version = 130203;
  return success;
}

STAND_IN int cublasSetStream_v2(void *handle, void *stream) {
  if (!state().live.contains(handle))
    return refuse("cublasSetStream", "no such handle", not_initialized);
  // "resets the cuBLAS library workspace to the default workspace pool"
  *static_cast<Handle *>(handle) = {stream, 0, 0};
  return success;
}

STAND_IN int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes) {
  if (!state().live.contains(handle))
    return refuse("cublasSetWorkspace", "no such handle", not_initialized);
  const auto address = reinterpret_cast<uintptr_t>(workspace);
  if (address % 256 != 0 || !algrt::cuda_stand_in::isDeviceMemory(address, bytes))
    return refuse("cublasSetWorkspace", "memory that is not on the device or not 256-byte aligned");
  static_cast<Handle *>(handle)->workspace = address;
  static_cast<Handle *>(handle)->workspace_bytes = bytes;
  return success;
}

STAND_IN int cublasGemmBatchedEx(void *handle, int transa, int transb, int m, int n, int k, const void *alpha,
                                 const void *const *a, int a_type, int lda, const void *const *b, int b_type,
                                 int ldb, const void *beta, void *const *c, int c_type, int ldc, int count,
                                 int compute, int algorithm) {
  const char *const me = "batched";
  if (!state().live.contains(handle))
    return refuse(me, "no such handle", not_initialized);
  if (transa != 0 || transb != 0)
    return refuse(me, "a transposed operand, which no product here has");
  if (a_type != bf16 || b_type != bf16 || c_type != bf16 || compute != compute_f32 ||
      algorithm != default_algorithm)
    return refuse(me, "types or an algorithm that no product here has", not_supported);
  Batch batch{m, n, k, lda, ldb, ldc, count, 0, 0};
  std::memcpy(&batch.alpha, alpha, sizeof(batch.alpha));
  std::memcpy(&batch.beta, beta, sizeof(batch.beta));
  return run(me, *static_cast<Handle *>(handle), {batch}, a, b, c, state().behaviour.batched_microseconds,
             state().behaviour.batched_status);
}

STAND_IN int cublasGemmGroupedBatchedEx(void *handle, const int *transa, const int *transb, const int *m,
                                        const int *n, const int *k, const void *alpha, const void *const *a,
                                        int a_type, const int *lda, const void *const *b, int b_type,
                                        const int *ldb, const void *beta, void *const *c, int c_type,
                                        const int *ldc, int groups, const int *group_sizes, int compute) {
  const char *const me = "grouped";
  if (!state().live.contains(handle))
    return refuse(me, "no such handle", not_initialized);
  if (groups < 1)
    return refuse(me, "no groups");
  if (a_type != bf16 || b_type != bf16 || c_type != bf16 || compute != compute_f32)
    return refuse(me, "types that no product here has", not_supported);
  std::vector<Batch> batches;
  for (int i = 0; i < groups; ++i) {
    if (transa[i] != 0 || transb[i] != 0)
      return refuse(me, "a transposed operand, which no product here has");
    Batch batch{m[i], n[i], k[i], lda[i], ldb[i], ldc[i], group_sizes[i], 0, 0};
    std::memcpy(&batch.alpha, static_cast<const float *>(alpha) + i, sizeof(batch.alpha));
    std::memcpy(&batch.beta, static_cast<const float *>(beta) + i, sizeof(batch.beta));
    batches.push_back(batch);
  }
  return run(me, *static_cast<Handle *>(handle), batches, a, b, c, state().behaviour.grouped_microseconds,
             state().behaviour.grouped_status);
}
