// Algebras out of the files and expressions that a spec may name.
#pragma once

#include "algebras/algebra.h"
#include "compiler/spec/given.h"

#include <optional>
#include <string>

namespace compiler {

enum class SpecFileKind { Toml, Graph, Table, Program, None };

// What the name of a file says it holds; None for everything that is read as an expression.
SpecFileKind specFileKind(const std::string &name);

// The graph algebra of a .dot, .gv or .graphml file, over Q unless a field is given.
algebras::Algebra readGraphAlgebra(const std::string &path, const std::optional<algebras::Field> &field);

// The algebra of a table file. InputError when a field is given and the file has another.
algebras::Algebra readTableAlgebra(const std::string &path, const std::optional<algebras::Field> &field);

// The algebra of an expression. Where the expression stands in a file, errors point into the file.
algebras::Algebra parseProduct(const Given<std::string> &expression, const std::string &base_directory,
                               const std::optional<algebras::Field> &field);

} // namespace compiler
