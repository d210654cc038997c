// The syntax tree of an expression: fields are agreed on only when all tables have been read.
#pragma once

#include "algebras/algebra.h"
#include "algebras/expression.h"
#include "algebras/expression/quiver_syntax.h"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace algebras::detail {

struct Syntax {
  enum class Kind { Family, Graph, Table, Quiver, PathAlgebra, Poset, Sum, Product, Power };
  Kind kind = Kind::Family;
  size_t offset = 0;            // where errors about this node point
  char family = 'Q';            // Q, p(ath), D, M, T
  int64_t number = 0;           // the size of a family, the exponent of a power, the bound of a path algebra
  std::optional<Graph> graph;   // of a Graph, and of a Poset
  std::optional<Quiver> quiver; // of a Quiver, and of a PathAlgebra
  std::string notation;         // of a PathAlgebra: how its quiver is written, "Q(3)"
  std::vector<RelationSyntax> relations; // of a Quiver
  std::optional<Table> table;            // of a Table
  std::vector<Syntax> operands;          // of Sum, Product and Power
};

// Reads files on the way. InputError as parseExpression says.
Syntax parseSyntax(std::string_view text, const ExpressionOptions &options);

} // namespace algebras::detail
