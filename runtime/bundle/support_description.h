// What the manifest says about the terms of a layer (docs/bundle.md): a kind that follows from indices, a
// table in a section, or a product of such.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace algrt {

class JsonFields;
struct Layer;

// The terms of one (type i, output group j) of n groups, each with coefficient 1 and weight row = input
// group:
enum class SupportKind {
  Complete,   // i and j: the complete graph, Q(n)
  Triangular, // i, i + 1, ..., j where i <= j, else none: T(n)
  Diagonal,   // i where i = j, else none: D(n)
  Full,       // all, of the one type that there is: M(n)
  Table       // whatever a section lists
};

const char *name(SupportKind kind);

struct SupportFactor {
  SupportKind kind = SupportKind::Complete;
  int64_t groups = 0;  // not of a table, which states its own
  std::string section; // of a table
};

// Of a tensor product: types, groups and weight rows are tuples, the first factor the major one, terms are
// tuples of the factors' terms, and coefficients multiply. One factor stands for itself.
struct SupportDescription {
  std::vector<SupportFactor> factors;
  bool is_product =
      false; // as written: each factor then has as many input groups and weight rows as output groups
};

// Reads the manifest's "support". What it says of sizes is compared with the layer where the sections are
// there (Support::parse). Throws Error(ALGRT_BAD_BUNDLE) naming the key.
SupportDescription parseSupportDescription(const JsonFields &fields, const Layer &layer);

} // namespace algrt
