#include "runtime/bench/dense.h"

#include "runtime/bench/stopwatch.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/support/aligned_buffer.h"
#include "runtime/support/error.h"

#include <algorithm>
#include <limits>

namespace algrt {

namespace {

// The best of a few runs, after one that pays for thread pools and page faults.
double bestTime(DenseProduct &product, int runs) {
  product.run();
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < runs; ++i)
    best = std::min(best, microsecondsOf([&] { product.run(); }));
  return best;
}

// Ones: denormals or NaN could make a library slow.
AlignedBuffer onesOf(ElementType type, int64_t count) {
  AlignedBuffer buffer(size_t(count * elementBytes(type)));
  if (type == ElementType::F32)
    std::fill_n(reinterpret_cast<float *>(buffer.data()), count, 1.0f);
  else
    std::fill_n(reinterpret_cast<uint16_t *>(buffer.data()), count, toBfloat16(1.0f));
  return buffer;
}

} // namespace

DenseLibraries::DenseLibraries(int threads) {
  for (auto open : {openOnednn, openOpenblas}) {
    std::string found;
    if (std::unique_ptr<DenseLibrary> library = open(threads, found))
      libraries_.push_back(std::move(library));
    found_.push_back(found);
  }
}

DenseLibraries::DenseLibraries(std::vector<std::unique_ptr<DenseLibrary>> libraries)
    : libraries_(std::move(libraries)) {
  for (const std::unique_ptr<DenseLibrary> &library : libraries_)
    found_.push_back(library->name());
}

std::unique_ptr<DenseProduct> DenseLibraries::fastest(const DenseOperands &operands) {
  std::unique_ptr<DenseProduct> best;
  double best_time = std::numeric_limits<double>::infinity();
  for (const std::unique_ptr<DenseLibrary> &library : libraries_)
    for (std::unique_ptr<DenseProduct> &product : library->products(operands))
      try {
        if (double time = bestTime(*product, 3); time < best_time) {
          best_time = time;
          best = std::move(product);
        }
      } catch (const Error &error) {
        if (error.status() != ALGRT_UNSUPPORTED)
          throw;
      }
  return best;
}

double DenseLibraries::macsPerSecond(ElementType type) {
  constexpr int64_t size = 2048;
  const AlignedBuffer x = onesOf(type, size * size), w = onesOf(type, size * size),
                      y = onesOf(type, size * size);
  std::unique_ptr<DenseProduct> product = fastest({size, size, size, type, x.data(), w.data(), y.data()});
  if (!product)
    return 0;
  return double(size) * size * size / (bestTime(*product, 5) * 1e-6);
}

} // namespace algrt
