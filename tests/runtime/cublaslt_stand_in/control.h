// A cuBLASLt without a GPU, for tests: the functions that the measurements use, on the memory and the streams
// of the stand-in driver. It checks the arguments of every call as the library documents them and multiplies
// on the host.
//
// A test links this library for the functions below and has the runtime open the same file through
// ALGRT_CUBLASLT.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace algrt::cublaslt_stand_in {

// What the heuristics propose, best guess first, for every product.
struct Candidate {
  double microseconds = 100; // on the device's clock
  size_t workspace_bytes = 0;
  bool wrong = false;      // computes something else
  int status = 0;          // of cublasLtMatmul with it
  bool wrong_sums = false; // of A, where they are asked for
};

void reset(std::vector<Candidate> candidates);
// Every call so far that the documentation forbids, in words.
std::vector<std::string> violations();
// The products that ran, row-major as the caller sees them: y = x w, m x k times k x n, and what lay
// transposed.
struct Product {
  uint64_t m, k, n;
  bool x_transposed, w_transposed;
  auto operator<=>(const Product &) const = default;
};
std::set<Product> products();
// Library objects that are still alive.
int liveObjects();
// Called when a product runs, with the candidate's index.
void onMatmul(std::function<void(int candidate)> callback);

} // namespace algrt::cublaslt_stand_in
