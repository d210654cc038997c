// The numbers are those of cublasLt.h (cuBLAS documentation, "Using the cuBLASLt API").
#include "tests/runtime/cublaslt_stand_in/control.h"

#include "runtime/numeric/bfloat16.h"
#include "tests/runtime/cuda_stand_in/state.h"
#include "tests/runtime/cuda_stand_in/work.h"
#include "tests/runtime/gpu_bench/column_product.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <vector>

namespace algrt::cublaslt_stand_in {
namespace {

constexpr int success = 0, not_initialized = 1, invalid_value = 7, execution_failed = 13, not_supported = 15;
constexpr int f32 = 0, bf16 = 14, compute_f32 = 68;
constexpr int32_t epilogue_default = 1, epilogue_bias = 4, epilogue_sums_of_a = 256;

struct Operation {
  int compute, scale;
  bool transposed_a = false, transposed_b = false;
  int32_t epilogue = 1; // CUBLASLT_EPILOGUE_DEFAULT
  const uint16_t *bias = nullptr;
};
struct Layout {
  int type;
  uint64_t rows, columns;
  int64_t leading_dimension;
};
struct Preference {
  uint64_t workspace_bytes = 0;
  uint32_t alignment[4] = {256, 256, 256, 256}; // the documentation's defaults, of A, B, C and D
};
struct Algorithm {
  uint64_t mark;
  uint32_t candidate, transposed; // bit 0: A, bit 1: B
  uint64_t m, n, k;
  uint32_t alignment_a, alignment_b, alignment_d, epilogue, unused[2];
};
static_assert(sizeof(Algorithm) == 64, "cublasLtMatmulAlgo_t");
struct HeuristicResult {
  Algorithm algorithm;
  size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};
constexpr uint64_t mark = 0x73746e642d696eull;

struct State {
  std::vector<Candidate> candidates;
  std::vector<std::string> violations;
  std::set<const void *> live;
  std::set<int> loaded; // candidates whose code is on the device
  std::function<void(int)> callback;
  std::set<Product> products;
};
State &state() {
  static State instance;
  return instance;
}

int refuse(const char *function, const std::string &what, int status = invalid_value) {
  state().violations.push_back(std::string(function) + ": " + what);
  return status;
}

template <typename Object> int create(void **out, Object object) {
  *out = new Object(object);
  state().live.insert(*out);
  return success;
}

template <typename Object> int destroy(const char *function, void *object) {
  if (state().live.erase(object) == 0)
    return refuse(function, "no such object");
  delete static_cast<Object *>(object);
  return success;
}

bool alive(const void *object) { return state().live.contains(object); }

size_t elementBytes(int type) { return type == f32 ? 4 : 2; }

// What a matrix is to the product.
Layout seen(Layout layout, bool transposed) {
  if (transposed)
    std::swap(layout.rows, layout.columns);
  return layout;
}

uint32_t transpositions(const Operation &operation) {
  return (operation.transposed_a ? 1u : 0u) | (operation.transposed_b ? 2u : 0u);
}

// A, B and D of D = op(A) op(B), all by columns.
const char *shapeFault(const Operation &operation, const Layout &stored_a, const Layout &stored_b,
                       const Layout &d) {
  const Layout a = seen(stored_a, operation.transposed_a), b = seen(stored_b, operation.transposed_b);
  if (operation.compute != compute_f32 || operation.scale != f32)
    return "sums or scales that are not f32";
  if (a.type != bf16 || b.type != bf16 || (d.type != bf16 && d.type != f32))
    return "types that no product here has";
  if (a.columns != b.rows || a.rows != d.rows || b.columns != d.columns)
    return "shapes that do not fit together";
  return nullptr;
}

size_t bytesOf(const Layout &layout) {
  return ((layout.columns - 1) * uint64_t(layout.leading_dimension) + layout.rows) *
         elementBytes(layout.type);
}

bool isAligned(const void *pointer, const Layout &layout, uint64_t alignment) {
  return reinterpret_cast<uintptr_t>(pointer) % alignment == 0 &&
         uint64_t(layout.leading_dimension) * elementBytes(layout.type) % alignment == 0;
}

// The transpose by compact columns.
std::vector<uint16_t> transpose(const uint16_t *matrix, const Layout &layout) {
  std::vector<uint16_t> result(layout.rows * layout.columns);
  for (uint64_t column = 0; column < layout.columns; ++column)
    for (uint64_t row = 0; row < layout.rows; ++row)
      result[column + row * layout.columns] = matrix[row + column * uint64_t(layout.leading_dimension)];
  return result;
}

void multiply(const Operation &operation, const uint16_t *a, Layout a_layout, const uint16_t *b,
              Layout b_layout, void *d, const Layout &d_layout, bool wrong, bool wrong_sums) {
  std::vector<uint16_t> turned_a, turned_b;
  if (operation.transposed_a) {
    turned_a = transpose(a, a_layout);
    a = turned_a.data();
    a_layout = {bf16, a_layout.columns, a_layout.rows, int64_t(a_layout.columns)};
  }
  if (operation.transposed_b) {
    turned_b = transpose(b, b_layout);
    b = turned_b.data();
    b_layout = {bf16, b_layout.columns, b_layout.rows, int64_t(b_layout.columns)};
  }
  for (uint64_t row = 0; row < d_layout.rows && operation.epilogue == epilogue_sums_of_a; ++row) {
    double sum = 0;
    for (uint64_t depth = 0; depth < a_layout.columns; ++depth)
      sum += double(fromBfloat16(a[row + depth * uint64_t(a_layout.leading_dimension)]));
    const_cast<uint16_t *>(operation.bias)[row] = toBfloat16(float(sum) + (wrong_sums ? 1.0f : 0.0f));
  }
  std::vector<float> sums(d_layout.rows);
  for (uint64_t column = 0; column < d_layout.columns; ++column) {
    test::columnProduct(a, a_layout.leading_dimension, b + column * uint64_t(b_layout.leading_dimension),
                        int64_t(d_layout.rows), int64_t(a_layout.columns), sums.data());
    for (uint64_t row = 0; row < d_layout.rows; ++row) {
      const float bias = operation.epilogue == epilogue_bias ? fromBfloat16(operation.bias[row]) : 0;
      const float sum = sums[row] + bias + (wrong ? 1.0f : 0.0f);
      const uint64_t at = row + column * uint64_t(d_layout.leading_dimension);
      if (d_layout.type == f32)
        static_cast<float *>(d)[at] = sum;
      else
        static_cast<uint16_t *>(d)[at] = toBfloat16(sum);
    }
  }
}

} // namespace

void reset(std::vector<Candidate> candidates) {
  state().candidates = std::move(candidates);
  state().violations.clear();
  state().callback = nullptr;
  state().loaded.clear();
  state().products.clear();
}
std::vector<std::string> violations() { return state().violations; }
std::set<Product> products() { return state().products; }
int liveObjects() { return int(state().live.size()); }
void onMatmul(std::function<void(int candidate)> callback) { state().callback = std::move(callback); }

} // namespace algrt::cublaslt_stand_in

using namespace algrt::cublaslt_stand_in;

#define STAND_IN extern "C" __attribute__((visibility("default")))

STAND_IN int cublasLtCreate(void **handle) { return create(handle, 'h'); }
STAND_IN int cublasLtDestroy(void *handle) { return destroy<char>("cublasLtDestroy", handle); }
STAND_IN size_t cublasLtGetVersion() { return 130203; }

STAND_IN int cublasLtMatmulDescCreate(void **operation, int compute, int scale) {
  return create(operation, Operation{compute, scale});
}
STAND_IN int cublasLtMatmulDescDestroy(void *operation) {
  return destroy<Operation>("cublasLtMatmulDescDestroy", operation);
}

STAND_IN int cublasLtMatmulDescSetAttribute(void *object, int attribute, const void *value, size_t bytes) {
  const char *const me = "cublasLtMatmulDescSetAttribute";
  if (!alive(object))
    return refuse(me, "no such operation");
  Operation &operation = *static_cast<Operation *>(object);
  if (attribute == 8 && bytes == sizeof(operation.bias)) { // CUBLASLT_MATMUL_DESC_BIAS_POINTER
    std::memcpy(&operation.bias, value, bytes);
    return success;
  }
  if ((attribute != 3 && attribute != 4 && attribute != 7) || bytes != sizeof(int32_t))
    return refuse(me, "an attribute of another size, or one that is not known");
  int32_t wanted;
  std::memcpy(&wanted, value, sizeof(wanted));
  if (attribute == 7) { // CUBLASLT_MATMUL_DESC_EPILOGUE
    if (wanted != epilogue_default && wanted != epilogue_bias && wanted != epilogue_sums_of_a)
      return refuse(me, "an epilogue that no product here has");
    operation.epilogue = wanted;
    return success;
  }
  if (wanted != 0 && wanted != 1) // CUBLAS_OP_N, CUBLAS_OP_T
    return refuse(me, "an operation on a matrix that no product here has");
  (attribute == 3 ? operation.transposed_a : operation.transposed_b) = wanted == 1;
  return success;
}

STAND_IN int cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows, uint64_t columns,
                                        int64_t leading_dimension) {
  if (rows == 0 || columns == 0 || leading_dimension < int64_t(rows))
    return refuse("cublasLtMatrixLayoutCreate", "columns that are longer than their distance, or nothing");
  return create(layout, Layout{type, rows, columns, leading_dimension});
}
STAND_IN int cublasLtMatrixLayoutDestroy(void *layout) {
  return destroy<Layout>("cublasLtMatrixLayoutDestroy", layout);
}

STAND_IN int cublasLtMatmulPreferenceCreate(void **preference) { return create(preference, Preference{}); }
STAND_IN int cublasLtMatmulPreferenceDestroy(void *preference) {
  return destroy<Preference>("cublasLtMatmulPreferenceDestroy", preference);
}
STAND_IN int cublasLtMatmulPreferenceSetAttribute(void *object, int attribute, const void *value,
                                                  size_t bytes) {
  const char *const me = "cublasLtMatmulPreferenceSetAttribute";
  if (!alive(object))
    return refuse(me, "no such preference");
  Preference &preference = *static_cast<Preference *>(object);
  if (attribute == 1 && bytes == sizeof(uint64_t)) {
    std::memcpy(&preference.workspace_bytes, value, bytes);
    return success;
  }
  if (attribute < 5 || attribute > 8 || bytes != sizeof(uint32_t))
    return refuse(me, "an attribute of another size, or one that is not known");
  uint32_t alignment;
  std::memcpy(&alignment, value, bytes);
  if (alignment == 0 || (alignment & (alignment - 1)) != 0)
    return refuse(me, "an alignment that is no power of two");
  preference.alignment[attribute - 5] = alignment;
  return success;
}

STAND_IN int cublasLtMatmulAlgoGetHeuristic(void *handle, void *operation, void *a, void *b, void *c, void *d,
                                            void *preference, int requested, void *results, int *returned) {
  const char *const me = "cublasLtMatmulAlgoGetHeuristic";
  for (const void *object : {handle, operation, a, b, c, d, preference})
    if (!alive(object))
      return refuse(me, "an object that does not exist", not_initialized);
  if (requested < 1 || results == nullptr || returned == nullptr)
    return refuse(me, "no room for results");
  const Layout &la = *static_cast<Layout *>(a), &lb = *static_cast<Layout *>(b),
               &ld = *static_cast<Layout *>(d);
  const Operation &op = *static_cast<Operation *>(operation);
  if (const char *fault = shapeFault(op, la, lb, ld))
    return refuse(me, fault);
  const Preference &wanted = *static_cast<Preference *>(preference);
  *returned = 0;
  for (size_t i = 0; i < state().candidates.size() && *returned < requested; ++i)
    if (state().candidates[i].workspace_bytes <= wanted.workspace_bytes)
      static_cast<HeuristicResult *>(results)[(*returned)++] = {{mark,
                                                                 uint32_t(i),
                                                                 transpositions(op),
                                                                 ld.columns,
                                                                 ld.rows,
                                                                 seen(la, op.transposed_a).columns,
                                                                 wanted.alignment[0],
                                                                 wanted.alignment[1],
                                                                 wanted.alignment[3],
                                                                 uint32_t(op.epilogue),
                                                                 {}},
                                                                state().candidates[i].workspace_bytes,
                                                                success,
                                                                1,
                                                                {}};
  return *returned == 0 ? not_supported : success;
}

STAND_IN int cublasLtMatmul(void *handle, void *operation, const void *alpha, const void *a, void *a_layout,
                            const void *b, void *b_layout, const void *beta, const void *c, void *c_layout,
                            void *d, void *d_layout, const void *chosen, void *workspace,
                            size_t workspace_bytes, void *stream) {
  const char *const me = "cublasLtMatmul";
  for (const void *object : {static_cast<const void *>(handle), static_cast<const void *>(operation),
                             static_cast<const void *>(a_layout), static_cast<const void *>(b_layout),
                             static_cast<const void *>(c_layout), static_cast<const void *>(d_layout)})
    if (!alive(object))
      return refuse(me, "an object that does not exist", not_initialized);
  const Layout la = *static_cast<Layout *>(a_layout), lb = *static_cast<Layout *>(b_layout),
               ld = *static_cast<Layout *>(d_layout);
  const Operation op = *static_cast<Operation *>(operation);
  if (const char *fault = shapeFault(op, la, lb, ld))
    return refuse(me, fault);
  const Algorithm *const algorithm = static_cast<const Algorithm *>(chosen);
  if (algorithm == nullptr || algorithm->mark != mark || algorithm->candidate >= state().candidates.size() ||
      algorithm->m != ld.columns || algorithm->n != ld.rows ||
      algorithm->k != seen(la, op.transposed_a).columns || algorithm->transposed != transpositions(op) ||
      algorithm->epilogue != uint32_t(op.epilogue))
    return refuse(me, "an algorithm that the heuristics did not give for these operands");
  float one, zero;
  std::memcpy(&one, alpha, sizeof(one));
  std::memcpy(&zero, beta, sizeof(zero));
  if (one != 1 || zero != 0 || c != d || c_layout != d_layout)
    return refuse(me, "something else than D = A B");
  if (!algrt::cuda_stand_in::isDeviceMemory(uintptr_t(a), bytesOf(la)) ||
      !algrt::cuda_stand_in::isDeviceMemory(uintptr_t(b), bytesOf(lb)) ||
      !algrt::cuda_stand_in::isDeviceMemory(uintptr_t(d), bytesOf(ld)))
    return refuse(me, "a matrix that is not within one allocation of the device", execution_failed);
  if (op.epilogue != epilogue_default &&
      (ld.type != bf16 || !algrt::cuda_stand_in::isDeviceMemory(uintptr_t(op.bias), 2 * ld.rows)))
    return refuse(me, "a bias that is not on the device, or of another type than D", execution_failed);
  if (!isAligned(a, la, algorithm->alignment_a) || !isAligned(b, lb, algorithm->alignment_b) ||
      !isAligned(d, ld, algorithm->alignment_d))
    return refuse(me, "a matrix that is less aligned than the preference promised");
  const Candidate candidate = state().candidates[algorithm->candidate];
  if (workspace_bytes < candidate.workspace_bytes ||
      (candidate.workspace_bytes != 0 &&
       !algrt::cuda_stand_in::isDeviceMemory(uintptr_t(workspace), candidate.workspace_bytes)) ||
      uintptr_t(workspace) % 16 != 0)
    return refuse(me, "a workspace that is too small, not on the device or not 16-byte aligned");
  if (candidate.status != success)
    return candidate.status;
  const int index = int(algorithm->candidate);
  algrt::cuda::CaptureStatus capture{};
  if (algrt::cuda::cuStreamIsCapturing(static_cast<algrt::cuda::Stream>(stream), &capture) !=
      algrt::cuda::Result::Success)
    return execution_failed;
  if (state().loaded.insert(index).second && capture != algrt::cuda::CaptureStatus::None)
    return refuse(me, "loads code, which a capture forbids: call it once before", execution_failed);
  const auto run = [=] {
    multiply(op, static_cast<const uint16_t *>(a), la, static_cast<const uint16_t *>(b), lb, d, ld,
             candidate.wrong, candidate.wrong_sums);
    state().products.insert(
        {ld.columns, seen(la, op.transposed_a).columns, ld.rows, op.transposed_b, op.transposed_a});
    if (state().callback)
      state().callback(index);
  };
  return algrt::cuda_stand_in::enqueueWork(me, static_cast<algrt::cuda::Stream>(stream),
                                           1e-3 * candidate.microseconds, run) == algrt::cuda::Result::Success
             ? success
             : execution_failed;
}
