// Dense matrix products of the libraries that the machine has, opened at run time.
#pragma once

#include "runtime/bundle/manifest.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace algrt {

// y = x w, where x is m x k and w is k x n; all row-major and compact. What is transposed lies as its
// transpose does: x as k x m, w as n x k.
struct DenseOperands {
  int64_t m, k, n;
  ElementType type;
  const void *x, *w;
  void *y;
  bool x_transposed = false, w_transposed = false;
  bool w_stays = true; // the same in every call, so that a library may pack it ahead
};

// One product, prepared: run() does nothing but compute.
class DenseProduct {
public:
  virtual ~DenseProduct() = default;
  // Throws Error(ALGRT_UNSUPPORTED) where only now it turns out that the library does not do that here.
  virtual void run() = 0;
  virtual std::string name() const = 0;
};

// A library with its products for given operands.
class DenseLibrary {
public:
  virtual ~DenseLibrary() = default;
  virtual std::string name() const = 0;
  // Empty where the library cannot do that type or size, or not on this processor.
  virtual std::vector<std::unique_ptr<DenseProduct>> products(const DenseOperands &operands) = 0;
};

// Null where the library is absent; `found` then says why, otherwise which version it is.
std::unique_ptr<DenseLibrary> openOpenblas(int threads, std::string &found);
std::unique_ptr<DenseLibrary> openOnednn(int threads, std::string &found);

class DenseLibraries {
public:
  explicit DenseLibraries(int threads);
  // Others in their place.
  explicit DenseLibraries(std::vector<std::unique_ptr<DenseLibrary>> libraries);
  // Whether there is any, whatever it can do.
  bool any() const { return !libraries_.empty(); }
  const std::vector<std::string> &found() const { return found_; }

  // The fastest of all products for these operands, by a few trial runs each; null if there is none.
  std::unique_ptr<DenseProduct> fastest(const DenseOperands &operands);

  // Multiply-accumulates per second on square matrices that fit no cache; 0 if no library does that type.
  double macsPerSecond(ElementType type);

private:
  std::vector<std::string> found_;
  std::vector<std::unique_ptr<DenseLibrary>> libraries_;
};

} // namespace algrt
