// The names and numbers are those of cublasLt.h (cuBLAS documentation, "Using the cuBLASLt API").
#include "runtime/bench/gpu/cublaslt.h"

#include "runtime/bench/gpu/cuda_library.h"
#include "runtime/support/error.h"

#include <cstdio>

namespace algrt {

namespace {

constexpr int success = 0, not_supported = 15;
constexpr int type_f32 = 0, type_bf16 = 14; // cudaDataType
constexpr int compute_f32 = 68;             // cublasComputeType_t
constexpr int operation_of_a = 3, operation_of_b = 4, epilogue = 7,
              bias_pointer = 8; // cublasLtMatmulDescAttributes_t
constexpr int32_t epilogue_bias = 4,
                  epilogue_sums_of_a = 256; // cublasLtEpilogue_t: a vector as long as D's columns
constexpr int32_t transposed = 1;           // cublasOperation_t
constexpr int preference_most_workspace = 1;
constexpr int preference_alignment[] = {5, 6, 7, 8}; // of A, B, C and D

struct Algorithm {
  uint64_t data[8];
};
struct HeuristicResult {
  Algorithm algorithm;
  size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(HeuristicResult) == 96, "cublasLtMatmulHeuristicResult_t");

// The functions used, by their names in the library. Pointers to types of the library are plain: types of
// ours would be others to a sanitizer that compares the types of functions.
struct Functions {
  int (*create)(void **);
  int (*destroy)(void *);
  size_t (*version)();
  int (*operation_create)(void **, int compute, int scale);
  int (*operation_set)(void *, int attribute, const void *value, size_t bytes);
  int (*operation_destroy)(void *);
  int (*layout_create)(void **, int type, uint64_t rows, uint64_t columns, int64_t leading_dimension);
  int (*layout_destroy)(void *);
  int (*preference_create)(void **);
  int (*preference_set)(void *, int attribute, const void *value, size_t bytes);
  int (*preference_destroy)(void *);
  int (*heuristic)(void *, void *operation, void *a, void *b, void *c, void *d, void *preference,
                   int requested, void *results, int *returned);
  int (*matmul)(void *, void *operation, const void *alpha, const void *a, void *a_layout, const void *b,
                void *b_layout, const void *beta, const void *c, void *c_layout, void *d, void *d_layout,
                const void *algorithm, void *workspace, size_t workspace_bytes, void *stream);
};

// The name of a function that is missing; empty if all are there.
std::string findAll(const DynamicLibrary &library, Functions &f) {
  std::string missing;
  const auto find = [&](const char *name, auto &function) {
    if (!library.find(name, function) && missing.empty())
      missing = name;
  };
  find("cublasLtCreate", f.create);
  find("cublasLtDestroy", f.destroy);
  find("cublasLtGetVersion", f.version);
  find("cublasLtMatmulDescCreate", f.operation_create);
  find("cublasLtMatmulDescSetAttribute", f.operation_set);
  find("cublasLtMatmulDescDestroy", f.operation_destroy);
  find("cublasLtMatrixLayoutCreate", f.layout_create);
  find("cublasLtMatrixLayoutDestroy", f.layout_destroy);
  find("cublasLtMatmulPreferenceCreate", f.preference_create);
  find("cublasLtMatmulPreferenceSetAttribute", f.preference_set);
  find("cublasLtMatmulPreferenceDestroy", f.preference_destroy);
  find("cublasLtMatmulAlgoGetHeuristic", f.heuristic);
  find("cublasLtMatmul", f.matmul);
  return missing;
}

void require(int status, const char *what) {
  if (status != success)
    throw Error(ALGRT_INTERNAL, std::string("cuBLASLt: ") + what + " failed with status " +
                                    std::to_string(status) + " (cublasStatus_t)");
}

// Owns one of the library's objects.
class Handle {
public:
  explicit Handle(int (*destroy)(void *)) : destroy_(destroy) {}
  ~Handle() {
    if (value_ != nullptr)
      destroy_(value_);
  }
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  void **out() { return &value_; }
  void *get() const { return value_; }

private:
  int (*destroy_)(void *);
  void *value_ = nullptr;
};

// Elements of a row as it lies.
int64_t rowOfX(const GpuDenseOperands &o) { return o.x_transposed ? o.m : o.k; }
int64_t rowOfW(const GpuDenseOperands &o) { return o.w_transposed ? o.k : o.n; }

// The library stores matrices by columns, and a row-major matrix is the transpose of a column-major one:
// it is asked for y^T = w^T x^T, where A = w^T is n x k, B = x^T is k x m and D = y^T is n x m. What lies
// transposed it is told to transpose.
struct Problem {
  Problem(const Functions &f, const GpuDenseOperands &o)
      : operation(f.operation_destroy), a(f.layout_destroy), b(f.layout_destroy), d(f.layout_destroy),
        operands(o) {
    require(f.operation_create(operation.out(), compute_f32, type_f32), "cublasLtMatmulDescCreate");
    const uint64_t m = uint64_t(o.m), k = uint64_t(o.k), n = uint64_t(o.n);
    const int output = o.output == ElementType::F32 ? type_f32 : type_bf16;
    if (o.w_transposed)
      require(f.operation_set(operation.get(), operation_of_a, &transposed, sizeof(transposed)),
              "the transposition of w");
    if (o.x_transposed)
      require(f.operation_set(operation.get(), operation_of_b, &transposed, sizeof(transposed)),
              "the transposition of x");
    if (o.bias != 0)
      addEpilogue(f, epilogue_bias, o.bias);
    if (o.column_sums != 0) // of w: over the depth of A, which is w^T
      addEpilogue(f, epilogue_sums_of_a, o.column_sums);
    require(f.layout_create(a.out(), type_bf16, o.w_transposed ? k : n, o.w_transposed ? n : k, rowOfW(o)),
            "the layout of w");
    require(f.layout_create(b.out(), type_bf16, o.x_transposed ? m : k, o.x_transposed ? k : m, rowOfX(o)),
            "the layout of x");
    require(f.layout_create(d.out(), output, n, m, o.n), "the layout of y");
  }

  void addEpilogue(const Functions &f, int32_t kind, uint64_t address) {
    const void *const vector = reinterpret_cast<const void *>(address);
    require(f.operation_set(operation.get(), epilogue, &kind, sizeof(kind)), "an epilogue with a bias");
    require(f.operation_set(operation.get(), bias_pointer, &vector, sizeof(vector)), "the epilogue's vector");
  }

  Handle operation, a, b, d;
  GpuDenseOperands operands;
};

class Product : public GpuDenseProduct {
public:
  Product(const Functions &functions, void *library, std::shared_ptr<const Problem> problem,
          const Algorithm &algorithm, const GpuWorkspace &workspace, std::string name)
      : f_(functions), library_(library), problem_(std::move(problem)), algorithm_(algorithm),
        workspace_(workspace), name_(std::move(name)) {}

  void enqueue(void *stream) const override {
    const float one = 1, zero = 0;
    const Problem &p = *problem_;
    void *const y = reinterpret_cast<void *>(p.operands.y);
    require(f_.matmul(library_, p.operation.get(), &one, reinterpret_cast<const void *>(p.operands.w),
                      p.a.get(), reinterpret_cast<const void *>(p.operands.x), p.b.get(), &zero, y, p.d.get(),
                      y, p.d.get(), &algorithm_, reinterpret_cast<void *>(workspace_.address),
                      workspace_.bytes, stream),
            "cublasLtMatmul");
  }
  std::string name() const override { return name_; }

private:
  const Functions &f_;
  void *library_;
  std::shared_ptr<const Problem> problem_;
  Algorithm algorithm_;
  GpuWorkspace workspace_; // what this algorithm needs of it
  std::string name_;
};

// The largest power of two up to 256 that divides all that decides how the rows of a matrix lie.
uint32_t alignmentOf(uint64_t address, uint64_t row_bytes) {
  const uint64_t bits = address | row_bytes | 256;
  return uint32_t(bits & ~(bits - 1));
}

class Library : public CublasLt {
public:
  // Takes over the library's handle.
  Library(const Functions &functions, void *handle) : f_(functions), handle_(f_.destroy) {
    *handle_.out() = handle;
  }

  std::string version() const override {
    // 130100 is 13.1.0.
    const size_t number = f_.version();
    return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
           std::to_string(number % 100);
  }

  std::vector<std::unique_ptr<GpuDenseProduct>> candidates(const GpuDenseOperands &o,
                                                           const GpuWorkspace &workspace, int most) override {
    const auto problem = std::make_shared<const Problem>(f_, o);
    Handle preference(f_.preference_destroy);
    require(f_.preference_create(preference.out()), "cublasLtMatmulPreferenceCreate");
    const auto prefer = [&](int attribute, const auto &value) {
      require(f_.preference_set(preference.get(), attribute, &value, sizeof(value)),
              "cublasLtMatmulPreferenceSetAttribute");
    };
    prefer(preference_most_workspace, workspace.bytes);
    const uint64_t output_bytes = uint64_t(elementBytes(o.output));
    const uint32_t y_alignment = alignmentOf(o.y, uint64_t(o.n) * output_bytes);
    const uint32_t alignments[] = {alignmentOf(o.w, uint64_t(rowOfW(o)) * 2),
                                   alignmentOf(o.x, uint64_t(rowOfX(o)) * 2), y_alignment, y_alignment};
    for (int i = 0; i < 4; ++i)
      prefer(preference_alignment[i], alignments[i]);

    std::vector<HeuristicResult> results(static_cast<size_t>(most));
    int returned = 0;
    const int status =
        f_.heuristic(handle_.get(), problem->operation.get(), problem->a.get(), problem->b.get(),
                     problem->d.get(), problem->d.get(), preference.get(), most, results.data(), &returned);
    if (status == not_supported)
      return {};
    require(status, "cublasLtMatmulAlgoGetHeuristic");
    std::vector<std::unique_ptr<GpuDenseProduct>> products;
    for (int i = 0; i < returned; ++i) {
      const HeuristicResult &result = results[size_t(i)];
      if (result.state != success || result.workspace_bytes > workspace.bytes)
        continue;
      char name[128];
      std::snprintf(name, sizeof(name), "cuBLASLt %s, candidate %d of %d, %.1f MB workspace%s",
                    version().c_str(), i + 1, returned, double(result.workspace_bytes) / 1e6,
                    o.bias != 0          ? ", which adds the bias"
                    : o.column_sums != 0 ? ", which sums the gradient of the bias"
                                         : "");
      products.push_back(std::make_unique<Product>(f_, handle_.get(), problem, result.algorithm,
                                                   GpuWorkspace{workspace.address, result.workspace_bytes},
                                                   name));
    }
    return products;
  }

private:
  const Functions f_;
  Handle handle_;
};

} // namespace

std::unique_ptr<CublasLt> CublasLt::open(std::string &found) {
  const CudaLibraryName name{"cuBLASLt", "libcublasLt.so", "ALGRT_CUBLASLT", "cublasLtCreate"};
  const auto library = openCudaLibrary<Functions>(name, findAll, found);
  if (!library)
    return nullptr;
  auto opened = std::make_unique<Library>(library->functions, library->handle);
  found = "cuBLASLt " + opened->version();
  return opened;
}

} // namespace algrt
