// Linear combinations of parallel paths of a quiver.
#pragma once

#include "algebras/field.h"
#include "algebras/quiver/quiver.h"
#include "algebras/rational.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace algebras {

// The numbers of a path's arrows in the order in which they are walked; empty for the idempotent of a vertex.
using Word = std::u32string;

// Length first, then arrow by arrow: the order for which the largest path of a relation is rewritten.
struct LengthLexicographic {
  bool operator()(const Word &left, const Word &right) const {
    return left.size() != right.size() ? left.size() < right.size() : left < right;
  }
};

// Ascending; no zeros.
using PathSum = std::map<Word, Rational, LengthLexicographic>;

// A combination of paths from `source` to `target` that is zero in the algebra.
struct Relation {
  int64_t source = 0, target = 0;
  PathSum sum;
};

// sum += factor * value at `word`; the entry goes away when it becomes zero.
void addTerm(PathSum &sum, const Word &word, const Rational &value, const Field &field);

// "a*b - 2*c*d^2", largest path first; the idempotent of a vertex is "e(1)".
std::string pathText(const Quiver &quiver, int64_t source, const Word &word);
std::string relationText(const Quiver &quiver, const Relation &relation);

// The vertex at which a path that starts at `source` ends.
int64_t targetOf(const Quiver &quiver, int64_t source, const Word &word);

} // namespace algebras
