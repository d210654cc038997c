// OpenBLAS through its C interface. The declarations are ours: its headers need not be installed.
#include "runtime/bench/dense.h"
#include "runtime/bench/dynamic_library.h"

#include <climits>

namespace algrt {

namespace {

using Sgemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                   const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
constexpr int row_major = 101, no_transpose = 111, transpose = 112;

class Product : public DenseProduct {
public:
  Product(Sgemm *sgemm, const DenseOperands &operands, std::string name)
      : sgemm_(sgemm), operands_(operands), name_(std::move(name)) {}
  void run() override {
    const int m = int(operands_.m), k = int(operands_.k), n = int(operands_.n);
    const bool x_transposed = operands_.x_transposed, w_transposed = operands_.w_transposed;
    sgemm_(row_major, x_transposed ? transpose : no_transpose, w_transposed ? transpose : no_transpose, m, n,
           k, 1.0f, static_cast<const float *>(operands_.x), x_transposed ? m : k,
           static_cast<const float *>(operands_.w), w_transposed ? k : n, 0.0f,
           static_cast<float *>(operands_.y), n);
  }
  std::string name() const override { return name_; }

private:
  Sgemm *sgemm_;
  DenseOperands operands_;
  std::string name_;
};

class Openblas : public DenseLibrary {
public:
  explicit Openblas(int threads) : library_("libopenblas.so.0") {
    if (!library_) {
      found_ = "OpenBLAS: not found (" + library_.error() + ")";
      return;
    }
    void (*set_threads)(int);
    char *(*config)();
    if (!library_.find("cblas_sgemm", sgemm_) || !library_.find("openblas_set_num_threads", set_threads)) {
      sgemm_ = nullptr;
      found_ = "OpenBLAS: libopenblas.so.0 lacks cblas_sgemm or openblas_set_num_threads";
      return;
    }
    set_threads(threads);
    found_ = "OpenBLAS";
    if (library_.find("openblas_get_config", config)) {
      // "OpenBLAS 0.3.21 NO_AFFINITY ...": name and version.
      const std::string text = config();
      found_ = text.substr(0, text.find(' ', text.find(' ') + 1));
    }
  }
  bool usable() const { return sgemm_ != nullptr; }
  std::string name() const override { return found_; }
  std::vector<std::unique_ptr<DenseProduct>> products(const DenseOperands &operands) override {
    std::vector<std::unique_ptr<DenseProduct>> products;
    const bool fits = operands.m <= INT_MAX && operands.k <= INT_MAX && operands.n <= INT_MAX;
    if (operands.type == ElementType::F32 && fits)
      products.push_back(std::make_unique<Product>(sgemm_, operands, found_ + " sgemm"));
    return products;
  }

private:
  DynamicLibrary library_;
  Sgemm *sgemm_ = nullptr;
  std::string found_;
};

} // namespace

std::unique_ptr<DenseLibrary> openOpenblas(int threads, std::string &found) {
  auto library = std::make_unique<Openblas>(threads);
  found = library->name();
  if (!library->usable())
    return nullptr;
  return library;
}

} // namespace algrt
