// The names and numbers are those of cublas_api.h (cuBLAS documentation, "Using the cuBLAS API").
#include "runtime/bench/gpu/cublas.h"

#include "runtime/bench/gpu/cuda_library.h"
#include "runtime/support/error.h"

#include <limits>
#include <map>
#include <tuple>

namespace algrt {

namespace {

constexpr int success = 0;
constexpr int type_bf16 = 14;   // cudaDataType
constexpr int compute_f32 = 68; // cublasComputeType_t
constexpr int not_transposed = 0;
constexpr int default_algorithm = -1; // cublasGemmAlgo_t

// The functions used, by their names in the library; pointers to its types are plain, as in cublaslt.cpp.
struct Functions {
  int (*create)(void **);
  int (*destroy)(void *);
  int (*version)(void *, int *);
  int (*set_stream)(void *, void *stream);
  int (*set_workspace)(void *, void *workspace, size_t bytes);
  int (*batched)(void *, int transa, int transb, int m, int n, int k, const void *alpha, const void *const *a,
                 int a_type, int lda, const void *const *b, int b_type, int ldb, const void *beta,
                 void *const *c, int c_type, int ldc, int count, int compute, int algorithm);
  // Null before 12.5.
  int (*grouped)(void *, const int *transa, const int *transb, const int *m, const int *n, const int *k,
                 const void *alpha, const void *const *a, int a_type, const int *lda, const void *const *b,
                 int b_type, const int *ldb, const void *beta, void *const *c, int c_type, const int *ldc,
                 int groups, const int *group_sizes, int compute);
};

// The name of a function that is missing; empty if all are there.
std::string findAll(const DynamicLibrary &library, Functions &f) {
  std::string missing;
  const auto find = [&](const char *name, auto &function) {
    if (!library.find(name, function) && missing.empty())
      missing = name;
  };
  find("cublasCreate_v2", f.create);
  find("cublasDestroy_v2", f.destroy);
  find("cublasGetVersion_v2", f.version);
  find("cublasSetStream_v2", f.set_stream);
  find("cublasSetWorkspace_v2", f.set_workspace);
  find("cublasGemmBatchedEx", f.batched);
  library.find("cublasGemmGroupedBatchedEx", f.grouped);
  return missing;
}

void require(int status, const char *what) {
  if (status != success)
    throw Error(ALGRT_INTERNAL, std::string("cuBLAS: ") + what + " failed with status " +
                                    std::to_string(status) + " (cublasStatus_t)");
}

int asInt(int64_t value) {
  if (value > std::numeric_limits<int>::max())
    throw Error(ALGRT_UNSUPPORTED,
                "a size of " + std::to_string(value) + " elements is too large for cuBLAS's 32 bits");
  return int(value);
}

// Blocks of one shape and coefficient in a round. The library stores matrices by columns: it is asked for
// y^T = w^T x^T, so its m is the columns, its n the rows, its A the weight matrix and its B is x.
struct ShapeGroup {
  int m, n, k;
  float alpha;
  std::vector<const void *> a, b;
  std::vector<void *> c;
};

using Round = std::vector<ShapeGroup>;

// A round's three lists of pointers on the device, group after group.
struct DevicePointers {
  GpuMemory memory;
  uint64_t a, b, c;
};

struct Plan {
  int x_stride, w_stride, y_stride;
  std::vector<Round> rounds;
  std::vector<std::unique_ptr<DevicePointers>> pointers; // of each round
  int64_t gemms;
};

Round groupByShape(const BlockRound &round, const GpuBlockOperands &operands) {
  std::map<std::tuple<int64_t, int64_t, int64_t, double>, ShapeGroup> groups;
  for (const BlockGemm &gemm : round) {
    ShapeGroup &group = groups
                            .try_emplace({gemm.columns, gemm.rows, gemm.depth, gemm.coefficient},
                                         ShapeGroup{asInt(gemm.columns),
                                                    asInt(gemm.rows),
                                                    asInt(gemm.depth),
                                                    float(gemm.coefficient),
                                                    {},
                                                    {},
                                                    {}})
                            .first->second;
    group.a.push_back(reinterpret_cast<const void *>(operands.w + 2 * uint64_t(gemm.w)));
    group.b.push_back(reinterpret_cast<const void *>(operands.x + 2 * uint64_t(gemm.x)));
    group.c.push_back(reinterpret_cast<void *>(operands.y + 2 * uint64_t(gemm.y)));
  }
  Round result;
  for (auto &[shape, group] : groups)
    result.push_back(std::move(group));
  return result;
}

std::unique_ptr<DevicePointers> upload(const GpuDevice &device, const Round &round) {
  std::vector<const void *> all;
  for (const ShapeGroup &group : round)
    all.insert(all.end(), group.a.begin(), group.a.end());
  const uint64_t bytes = all.size() * sizeof(void *);
  for (const ShapeGroup &group : round)
    all.insert(all.end(), group.b.begin(), group.b.end());
  for (const ShapeGroup &group : round)
    all.insert(all.end(), group.c.begin(), group.c.end());
  auto pointers = std::unique_ptr<DevicePointers>(
      new DevicePointers{GpuMemory(device, 3 * bytes, "the pointers of blocks"), 0, 0, 0});
  pointers->memory.upload(all.data());
  pointers->a = pointers->memory.address();
  pointers->b = pointers->a + bytes;
  pointers->c = pointers->b + bytes;
  return pointers;
}

std::shared_ptr<const Plan> makePlan(const GpuDevice &device, const BlockProduct &product,
                                     const GpuBlockOperands &operands) {
  auto plan = std::make_shared<Plan>(Plan{
      asInt(product.x_stride), asInt(product.w_stride), asInt(product.y_stride), {}, {}, product.gemms()});
  for (const BlockRound &round : product.rounds) {
    plan->rounds.push_back(groupByShape(round, operands));
    plan->pointers.push_back(upload(device, plan->rounds.back()));
  }
  return plan;
}

class Composition : public GpuDenseProduct {
public:
  Composition(const Functions &functions, void *library, std::shared_ptr<const Plan> plan,
              const GpuWorkspace &workspace)
      : functions(functions), library(library), plan(std::move(plan)), workspace_(workspace) {}

  void enqueue(void *stream) const override {
    require(functions.set_stream(library, stream), "cublasSetStream");
    // After the stream, which takes the workspace away; one of ours, because a capture may not allocate.
    require(functions.set_workspace(library, reinterpret_cast<void *>(workspace_.address), workspace_.bytes),
            "cublasSetWorkspace");
    for (size_t round = 0; round < plan->rounds.size(); ++round)
      enqueueRound(plan->rounds[round], *plan->pointers[round], round == 0 ? 0.0f : 1.0f);
  }

protected:
  virtual void enqueueRound(const Round &round, const DevicePointers &pointers, float beta) const = 0;

  const Functions &functions;
  void *library;
  std::shared_ptr<const Plan> plan;

private:
  GpuWorkspace workspace_;
};

const void *const *inputs(uint64_t list) { return reinterpret_cast<const void *const *>(list); }
void *const *outputs(uint64_t list) { return reinterpret_cast<void *const *>(list); }

class Batched : public Composition {
public:
  Batched(const Functions &functions, void *library, const std::shared_ptr<const Plan> &plan,
          const GpuWorkspace &workspace, const std::string &version)
      : Composition(functions, library, plan, workspace) {
    size_t calls = 0;
    for (const Round &round : plan->rounds)
      calls += round.size();
    name_ = "cuBLAS " + version + ", " + std::to_string(plan->gemms) + " products in " +
            std::to_string(calls) + " batched calls";
  }
  std::string name() const override { return name_; }

private:
  void enqueueRound(const Round &round, const DevicePointers &pointers, float beta) const override {
    uint64_t done = 0;
    for (const ShapeGroup &group : round) {
      require(functions.batched(library, not_transposed, not_transposed, group.m, group.n, group.k,
                                &group.alpha, inputs(pointers.a + done), type_bf16, plan->w_stride,
                                inputs(pointers.b + done), type_bf16, plan->x_stride, &beta,
                                outputs(pointers.c + done), type_bf16, plan->y_stride, int(group.a.size()),
                                compute_f32, default_algorithm),
              "cublasGemmBatchedEx");
      done += group.a.size() * sizeof(void *);
    }
  }
  std::string name_;
};

class Grouped : public Composition {
public:
  Grouped(const Functions &functions, void *library, const std::shared_ptr<const Plan> &plan,
          const GpuWorkspace &workspace, const std::string &version)
      : Composition(functions, library, plan, workspace),
        name_("cuBLAS " + version + ", " + std::to_string(plan->gemms) + " products in " +
              std::to_string(plan->rounds.size()) + " grouped calls") {
    for (size_t i = 0; i < plan->rounds.size(); ++i) {
      Arrays &arrays = rounds_[&plan->rounds[i]];
      for (const ShapeGroup &group : plan->rounds[i]) {
        arrays.transpose.push_back(not_transposed);
        arrays.m.push_back(group.m);
        arrays.n.push_back(group.n);
        arrays.k.push_back(group.k);
        arrays.lda.push_back(plan->w_stride);
        arrays.ldb.push_back(plan->x_stride);
        arrays.ldc.push_back(plan->y_stride);
        arrays.sizes.push_back(int(group.a.size()));
        arrays.alpha.push_back(group.alpha);
        arrays.beta.push_back(i == 0 ? 0.0f : 1.0f);
      }
    }
  }
  std::string name() const override { return name_; }

private:
  // Lists in host memory, one number for each group. They live as long as graphs that captured the call.
  struct Arrays {
    std::vector<int> transpose, m, n, k, lda, ldb, ldc, sizes;
    std::vector<float> alpha, beta;
  };
  void enqueueRound(const Round &round, const DevicePointers &pointers, float) const override {
    const Arrays &arrays = rounds_.at(&round);
    require(functions.grouped(library, arrays.transpose.data(), arrays.transpose.data(), arrays.m.data(),
                              arrays.n.data(), arrays.k.data(), arrays.alpha.data(), inputs(pointers.a),
                              type_bf16, arrays.lda.data(), inputs(pointers.b), type_bf16, arrays.ldb.data(),
                              arrays.beta.data(), outputs(pointers.c), type_bf16, arrays.ldc.data(),
                              int(round.size()), arrays.sizes.data(), compute_f32),
            "cublasGemmGroupedBatchedEx");
  }
  std::map<const Round *, Arrays> rounds_;
  std::string name_;
};

class Library : public Cublas {
public:
  // Takes over the library's handle.
  Library(const Functions &functions, void *handle) : f_(functions), handle_(handle) {}
  ~Library() override { f_.destroy(handle_); }

  std::string version() const override {
    // 130100 is 13.1.0; before 13, 120501 is 12.5.1.
    int number = 0;
    require(f_.version(handle_, &number), "cublasGetVersion");
    return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
           std::to_string(number % 100);
  }

  std::vector<std::unique_ptr<GpuDenseProduct>> compositions(const GpuDevice &device,
                                                             const BlockProduct &product,
                                                             const GpuBlockOperands &operands,
                                                             const GpuWorkspace &workspace) override {
    const std::shared_ptr<const Plan> plan = makePlan(device, product, operands);
    std::vector<std::unique_ptr<GpuDenseProduct>> ways;
    ways.push_back(std::make_unique<Batched>(f_, handle_, plan, workspace, version()));
    if (f_.grouped != nullptr)
      ways.push_back(std::make_unique<Grouped>(f_, handle_, plan, workspace, version()));
    return ways;
  }

private:
  const Functions f_;
  void *handle_;
};

} // namespace

std::unique_ptr<Cublas> Cublas::open(std::string &found) {
  const CudaLibraryName name{"cuBLAS", "libcublas.so", "ALGRT_CUBLAS", "cublasCreate"};
  const auto library = openCudaLibrary<Functions>(name, findAll, found);
  if (!library)
    return nullptr;
  auto opened = std::make_unique<Library>(library->functions, library->handle);
  found = "cuBLAS " + opened->version();
  return opened;
}

} // namespace algrt
