#include "compiler/spec/algebra_file.h"

#include "algebras/constructions.h"
#include "algebras/expression.h"
#include "algebras/graph/graph.h"
#include "algebras/table/table.h"

#include <fmt/format.h>

namespace compiler {
namespace {

constexpr const char *expression_place = "<expression>";

// An error inside the expression, moved to where the expression stands in its file. Strings with escapes, or
// over several lines, have no simple correspondence of columns: there the error points at the string.
algebras::SourceLocation moveInto(const algebras::SourceLocation &inside,
                                  const Given<std::string> &expression) {
  algebras::SourceLocation where = *expression.where;
  size_t begin = static_cast<size_t>(where.column); // one past the opening quote, from 0
  if (where.text.compare(std::min(begin, where.text.size()), expression.value.size(), expression.value) ==
          0 &&
      inside.line <= 1)
    where.column += inside.column;
  return where;
}

} // namespace

SpecFileKind specFileKind(const std::string &name) {
  if (name.ends_with(".toml"))
    return SpecFileKind::Toml;
  if (name.ends_with(".dot") || name.ends_with(".gv") || name.ends_with(".graphml"))
    return SpecFileKind::Graph;
  if (name.ends_with(".json"))
    return SpecFileKind::Table;
  if (name.ends_with(".mlir"))
    return SpecFileKind::Program;
  return SpecFileKind::None;
}

algebras::Algebra readGraphAlgebra(const std::string &path, const std::optional<algebras::Field> &field) {
  return algebras::graphAlgebra(algebras::readGraphFile(path), field.value_or(algebras::Field()));
}

algebras::Algebra readTableAlgebra(const std::string &path, const std::optional<algebras::Field> &field) {
  algebras::Table table = algebras::readTableFile(path);
  if (field && *field != table.field())
    throw algebras::InputError(
        fmt::format("{} is a table over {}, not {}", path, table.field().name(), field->name()))
        .hint("leave the field out, or change \"field\" in the table file");
  return algebras::tableAlgebra(std::move(table));
}

algebras::Algebra parseProduct(const Given<std::string> &expression, const std::string &base_directory,
                               const std::optional<algebras::Field> &field) {
  algebras::ExpressionOptions options;
  options.base_directory = base_directory;
  options.field = field;
  options.file = expression_place;
  try {
    return algebras::parseExpression(expression.value, options);
  } catch (const algebras::InputError &error) {
    if (!expression.where || (error.where() && error.where()->file != expression_place))
      throw;
    algebras::SourceLocation where = error.where() ? moveInto(*error.where(), expression) : *expression.where;
    algebras::InputError moved(error.what(), where);
    moved.hint(error.hint());
    throw moved;
  }
}

} // namespace compiler
