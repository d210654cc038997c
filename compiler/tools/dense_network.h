// A feed-forward network as a model without the algebra computes it: dense products of the machine's
// libraries, gate and up as one, and the activation as a pass of its own.
#pragma once

#include "compiler/spec/swiglu.h"
#include "compiler/tools/opened_bundle.h"
#include "runtime/bench/dense.h"
#include "runtime/support/aligned_buffer.h"

#include <cstdint>
#include <memory>
#include <string>

namespace compiler {

class DenseNetwork {
public:
  // For m rows of random numbers, with the weight matrices of the network's widths. `activation` is a bundle
  // of ProgramTools::activation's program, so that both sides have the same one. The libraries' fastest
  // products are chosen by trial runs. Throws as the libraries and the runtime do.
  DenseNetwork(const Swiglu &network, int64_t m, int threads, const std::string &activation,
               algrt::DenseLibraries &libraries);
  DenseNetwork(const DenseNetwork &) = delete;

  // Whether a library multiplies the type on this processor; there is nothing to run otherwise.
  bool exists() const { return merged_ != nullptr && down_ != nullptr; }
  void run();
  // Of some rows, against sums in double precision. Throws Failure where they are wrong.
  void check() const;
  int64_t macs() const {
    return m_ * network_.in.total() * merged_width_ + m_ * hidden_ * network_.out.total();
  }
  std::string libraryName() const;

private:
  std::vector<double> row(const algrt::AlignedBuffer &matrix, int64_t number, int64_t width) const;

  const Swiglu &network_;
  const int64_t m_, hidden_, merged_width_; // of the merged product: gate beside up
  const int threads_;
  algrt::AlignedBuffer x_, merged_weights_, merged_sums_, h_, down_weights_, y_;
  OpenedBundle activation_;
  std::unique_ptr<algrt::DenseProduct> merged_, down_;
};

} // namespace compiler
