// The search for short bilinear algorithms.
#pragma once

#include "algebras/rank/bilinear_algorithm.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace algebras {

struct SearchProgress {
  double seconds = 0; // since the search began
  int64_t least = 0;  // products of the shortest algorithm so far, over any field that was searched
  std::string what;   // which searcher found it and where it stands
};

struct SearchOptions {
  double seconds = 10;
  uint64_t seed = 1;
  int threads = 2;
  int64_t lower = 0;                                    // a proved lower bound: the search ends there
  std::function<bool()> interrupted;                    // asked often; may be empty
  std::function<void(const SearchProgress &)> progress; // called from the searching threads, one at a time
};

struct SearchResult {
  BilinearAlgorithm algorithm; // verified, and shorter than what was known; or what was known
  bool improved = false;
  std::string method;             // of the improvement: "flip graph over GF(2)", ...
  std::vector<std::string> notes; // what each searcher came to
};

// Why nothing can be searched for: the field or the dimension. Empty when something can.
std::string whyNotSearched(const Table &table);

// Over GF(2) and GF(3) walks in the flip graph, every second one from the products of the table itself, the
// others from `known`. Over Q alternating least squares, and walks over GF(2) whose finds are lifted. Each
// thread has a random sequence of its own, which depends on the seed alone; how far they come depends on the
// time. Everything that comes back has been verified by findMismatch.
SearchResult searchAlgorithm(const Table &table, const BilinearAlgorithm &known,
                             const SearchOptions &options);

} // namespace algebras
