#include "algebras/expression.h"

#include "algebras/constructions.h"
#include "algebras/expression/cursor.h"
#include "algebras/expression/syntax.h"

#include <fmt/format.h>

namespace algebras {

namespace {

using detail::Syntax;

class Builder {
public:
  Builder(std::string_view text, const ExpressionOptions &options)
      : cursor_(text, options), field_(options.field) {}

  Algebra run(const Syntax &syntax) {
    agreeOnField(syntax);
    return build(syntax);
  }

private:
  void agreeOnField(const Syntax &syntax) {
    if (syntax.table) {
      if (field_ && *field_ != syntax.table->field())
        cursor_.fail(syntax.offset, fmt::format("this table is over {}, but the field is {}",
                                                syntax.table->field().name(), field_->name()));
      field_ = syntax.table->field();
    }
    for (const Syntax &operand : syntax.operands)
      agreeOnField(operand);
  }

  Algebra build(const Syntax &syntax) {
    switch (syntax.kind) {
    case Syntax::Kind::Family:
      return pointing(syntax, [&] { return family(syntax); });
    case Syntax::Kind::Graph:
      return graphAlgebra(*syntax.graph, field());
    case Syntax::Kind::Table:
      return tableAlgebra(*syntax.table);
    case Syntax::Kind::Quiver:
      return pointing(syntax, [&] {
        return quiverAlgebra(*syntax.quiver, relationsOver(field(), syntax.relations, cursor_), field());
      });
    case Syntax::Kind::PathAlgebra:
      return pointing(syntax,
                      [&] { return pathAlgebra(*syntax.quiver, syntax.number, syntax.notation, field()); });
    case Syntax::Kind::Poset:
      return pointing(syntax, [&] { return incidenceAlgebra(closeTransitively(*syntax.graph), field()); });
    case Syntax::Kind::Power: {
      Algebra base = build(syntax.operands[0]);
      return pointing(syntax, [&] { return power(base, syntax.number); });
    }
    case Syntax::Kind::Sum:
    case Syntax::Kind::Product:
      break;
    }
    Algebra result = build(syntax.operands[0]);
    for (size_t index = 1; index < syntax.operands.size(); ++index) {
      Algebra next = build(syntax.operands[index]);
      result = pointing(syntax, [&] {
        return syntax.kind == Syntax::Kind::Sum ? directProduct(result, next) : tensor(result, next);
      });
    }
    return result;
  }

  Algebra family(const Syntax &syntax) const {
    switch (syntax.family) {
    case 'Q':
      return completeGraph(syntax.number, field());
    case 'p':
      return path(syntax.number, field());
    case 'D':
      return coordinates(syntax.number, field());
    case 'M':
      return matrices(syntax.number, field());
    default:
      return triangular(syntax.number, field());
    }
  }

  template <typename Construct> Algebra pointing(const Syntax &syntax, Construct construct) const {
    try {
      return construct();
    } catch (const InputError &error) {
      if (error.where())
        throw;
      cursor_.fail(syntax.offset, error.what(), error.hint());
    }
  }

  Field field() const { return field_.value_or(Field::rationals()); }

  detail::Cursor cursor_;
  std::optional<Field> field_;
};

} // namespace

Algebra parseExpression(std::string_view text, const ExpressionOptions &options) {
  return Builder(text, options).run(detail::parseSyntax(text, options));
}

} // namespace algebras
