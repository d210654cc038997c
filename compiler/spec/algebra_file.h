// Algebras out of the files and expressions that a spec may name.
#ifndef ALGCTL_COMPILER_SPEC_ALGEBRA_FILE_H
#define ALGCTL_COMPILER_SPEC_ALGEBRA_FILE_H

#include "algebras/algebra.h"
#include "algebras/expression.h"
#include "compiler/spec/layer_fields.h"

#include <optional>
#include <string>

namespace compiler {

enum class SpecFileKind { Toml, Dot, Graphml, Table, None };

// What the name of a file says it holds; None for everything that is read as an expression.
SpecFileKind specFileKind(const std::string &name);

// The graph algebra of a .dot, .gv or .graphml file, over Q unless a field is given.
algebras::Algebra readGraphAlgebra(const std::string &path, const std::optional<algebras::Field> &field);

// The algebra of a table file. A given field must be that of the file.
algebras::Algebra readTableAlgebra(const std::string &path, const std::optional<algebras::Field> &field);

// The algebra of an expression. When `field_given` is false, an expression whose only tables are over GF(p) is over GF(p).
algebras::Algebra parseProduct(const Given<std::string> &expression, algebras::ExpressionOptions options,
                               bool field_given);

} // namespace compiler

#endif
