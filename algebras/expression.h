// The expression language:
//
//   sum     = product { "+" product }         direct product
//   product = power { "*" power }             tensor product
//   power   = atom [ "^" integer ]            tensor power
//   atom    = "(" sum ")" | NAME "(" integer ")"        with NAME one of Q path D M T
//           | "graph" "(" file | count ";" [ edge { "," edge } ] ")"    edge = integer "->" integer
//           | "table" "(" file | "{" json "}" ")"
//           | "quiver" "(" arrows [ "," "relations" "=" relations ] ")"      bound quiver algebra
//           | "path_algebra" "(" shape "," integer ")"                      paths with fewer arrows than that
//           | "poset" "(" shape ")"                                         incidence algebra
//   shape   = file | count ";" edges | "graph" "(" ... ")" | Q(n) | path(n) | D(n)
//           | "quiver" "(" arrows ")"                                       in path_algebra only
//
// Arrows and relations are strings in double quotes: "a:1->2, b:2->3" (named arrows, loops and several
// between two vertices included, or lone vertices) and "a*b - 1/2*c*d, x^2" (combinations of parallel paths
// that are zero; a*b walks a first; "=" may stand in between; the idempotent of vertex 1 is e(1)):
// expression/quiver_syntax.h has the grammar. Vertices keep the order of their first mention, integers are
// sorted. A poset is the reflexive and transitive closure of any relation without cycles.
//
// A file name runs to the closing parenthesis (in path_algebra to the comma), or stands in double quotes.
#pragma once

#include "algebras/algebra.h"
#include "algebras/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace algebras {

struct ExpressionOptions {
  std::string base_directory = "."; // relative file names start here
  // Left out: the field of the tables in the expression, which must agree, or else Q.
  std::optional<Field> field;
  // Where the expression itself stands, for error messages: `line` and `column` of its first character.
  std::string file = "<expression>";
  int64_t line = 1, column = 1;
};

// InputError with a caret for everything that is wrong, sizes that overflow and nesting deeper than 100
// included.
Algebra parseExpression(std::string_view text, const ExpressionOptions &options = {});

} // namespace algebras
