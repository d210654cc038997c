// Groebner bases of ideals in path algebras: the rewriting rules that decide when two paths are equal.
#pragma once

#include "algebras/quiver/leading_words.h"
#include "algebras/quiver/relation.h"

#include <cstdint>
#include <vector>

namespace algebras {

// A reduced Groebner basis in the length-lexicographic order: every rule rewrites its largest path, whose
// coefficient is 1, and no rule's largest path is part of a path of another rule.
class RewritingRules {
public:
  // Of the ideal that the relations span. Coefficients are elements of the field, relations not zero.
  // Completion (Buchberger's criterion for paths: overlaps of leading words) always stops when the quotient
  // is finite-dimensional. InputError when it has not stopped after most_steps rewriting steps or at
  // most_rules rules.
  static RewritingRules complete(const Quiver &quiver, const std::vector<Relation> &relations,
                                 const Field &field);

  const std::vector<Relation> &rules() const { return rules_; }
  const WordSet &leadingWords() const { return leading_words_; }
  // False for the vertices whose idempotent is zero; the arrows that touch them are zero as well.
  const std::vector<bool> &aliveVertices() const { return alive_; }
  // Every rule says that a path is zero: then a product of paths is a path or zero.
  bool isMonomial() const;
  // The paths of every rule have one length: then the algebra is graded by length.
  bool isHomogeneous() const;
  // A rule rewrites to an idempotent: then the arrows do not span a nilpotent ideal.
  bool usesIdempotents() const;

  // The same element as a combination of paths that no rule rewrites.
  PathSum normalForm(const PathSum &sum) const;

  static constexpr int64_t most_steps = int64_t{1} << 20;
  static constexpr int64_t most_rules = int64_t{1} << 12; // not counting paths that are zero

private:
  friend class Completion;
  RewritingRules(const Quiver &quiver, const Field &field)
      : field_(field), alive_(quiver.vertexCount(), true) {}

  Field field_;
  std::vector<Relation> rules_;
  WordSet leading_words_;
  std::vector<bool> alive_;
};

} // namespace algebras
