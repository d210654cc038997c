// Isomorphisms between finite coloured structures: graphs, multiplication tables.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

// Elements 0..n-1 with colours, and ordered triples of elements with colours; a pair repeats its second
// element. Colours mean the same in two structures that are matched.
struct ColouredStructure {
  struct Triple {
    int64_t first, second, third;
    uint64_t colour;
  };
  std::vector<uint64_t> colours; // of the elements
  std::vector<Triple> triples;   // no two with the same three elements
};

struct Matching {
  enum class Verdict {
    Found,  // `image` is a bijection that carries colours and triples over, checked one by one
    None,   // there is none, proved
    GaveUp, // the search was too long
  };
  Verdict verdict = Verdict::GaveUp;
  std::vector<int64_t> image; // element of the left structure -> of the right one
};

// Colour refinement with individualisation: colours that any isomorphism respects are refined until they no
// longer change; then an element is given a colour of its own, and all candidates for its image are tried.
// `budget` counts triples looked at.
Matching match(const ColouredStructure &left, const ColouredStructure &right,
               int64_t budget = int64_t{1} << 28);

// A colour from several numbers.
uint64_t mixColour(uint64_t seed, uint64_t value);

} // namespace algebras
