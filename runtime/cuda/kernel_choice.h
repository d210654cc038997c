// Which of a bundle's kernels computes a call on a device. Knows no driver; choosing is arithmetic and
// allocates nothing unless it fails.
#pragma once

#include "runtime/bundle/manifest.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/operand_limits.h"

#include <cstddef>
#include <string>
#include <vector>

namespace algrt::cuda {

// A product, as far as kernels differ in what they take.
struct ProductRequest {
  Operands operands;
  int64_t m;  // rows of X and Y, above 0
  int64_t p0; // absolute position of row 0
  ElementType output;
  bool dependent_launch = false;
  Map map = Map::Forward;
  bool listed = false; // rows are grouped by a row list
  // Every row has a position on the device, which kernels of vector reductions read without a list.
  bool positions = false;
};

class KernelChoice {
public:
  // Kernels and layer must outlive this object.
  KernelChoice(const std::vector<Kernel> &kernels, const Layer &layer, const DeviceProperties &device);

  // The index of the kernel to use. Among those of the map that write such a Y, run on the device and can be
  // given the operands, in this order:
  //   - the device's own architecture before older ones, and of these the newest,
  //   - tensor maps before plain maps, and of these the most elements at a time,
  //   - `best_for_rows` nearest to m: the quotient of m and the nearer end, 1 within; kernels that say
  //   nothing last,
  //   - the first in the manifest.
  // Kernels of vector reductions count as of the kind of the others: those that move single elements as such
  // of their architecture, those that move more as the best of it. Of a call with positions the best of them
  // and the best that takes a list compare by their rows.
  // Throws Error that says of every kernel why it cannot be used: ALGRT_UNSUPPORTED (none writes that type),
  // ALGRT_WRONG_ARCHITECTURE (none runs on the device), or what speaks against the first of those that do.
  // Throws what checkRows and viewOperands throw for calls that no kernel can take.
  size_t choose(const ProductRequest &request) const;

private:
  struct Candidate {
    size_t index; // in the manifest
    KernelShape shape;
    int64_t moved; // elements at a time; by the copy engine, more than by any thread
  };

  const GpuKernel &gpu(const Candidate &candidate) const { return *kernels_[candidate.index].gpu; }
  const Candidate *bestAmong(const ProductRequest &request, bool (*takes)(const GpuKernel &kernel)) const;
  // Whether the lists of a call of experts, and the tiles of a kernel that finds rows in them, can be
  // counted.
  bool listsFit(const GpuKernel &kernel, const ProductRequest &request) const;
  bool isOfWorseKind(const Candidate &one, const Candidate &other) const;
  [[noreturn]] void refuse(const ProductRequest &request) const;

  const std::vector<Kernel> &kernels_;
  const Layer &layer_;
  DeviceProperties device_;
  std::vector<Candidate> candidates_; // that run on the device, best kind first
};

} // namespace algrt::cuda
