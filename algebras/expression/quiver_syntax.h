// Quivers and relations in writing.
//
//   quiver   = [ item { "," item } ]          item = arrow ":" vertex "->" vertex | vertex
//   relations = [ relation { "," relation } ]  relation = sum [ "=" sum ]
//   sum      = [ "-" ] term { ( "+" | "-" ) term }
//   term     = [ number "*" ] factor { "*" factor } | "0"      number = digits [ "/" digits ]
//   factor   = arrow [ "^" digits ] | "e" "(" vertex ")"
//
// Names are letters, digits and underscores; those of arrows do not begin with a digit.
#pragma once

#include "algebras/expression/cursor.h"
#include "algebras/quiver/relation.h"

#include <cstdint>
#include <vector>

namespace algebras::detail {

// A relation before a field is known.
struct RelationSyntax {
  struct Term {
    size_t offset = 0;
    Rational coefficient;
    Word path;
  };
  size_t offset = 0;
  int64_t source = 0, target = 0;
  std::vector<Term> terms;
};

// Each reads a string in double quotes. InputError with a caret.
Quiver quiverText(Cursor &cursor);
std::vector<RelationSyntax> relationsText(Cursor &cursor, const Quiver &quiver);

// The relations over a field. InputError with a caret for denominators that vanish in it, and for what says 0
// = 0.
std::vector<Relation> relationsOver(const Field &field, const std::vector<RelationSyntax> &relations,
                                    const Cursor &cursor);

// Longer paths than this are not written out.
constexpr int64_t longest_written_path = 4096;

} // namespace algebras::detail
