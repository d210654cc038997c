// The algebra as an attribute: its syntax, the facts that it states, and what it refuses.
#include "algebras/error.h"
#include "algebras/expression.h"
#include "dialects/alg/alg.h"
#include "mlir/IR/DialectImplementation.h"
#include <algorithm>

using namespace mlir;
using namespace alg;

namespace {

/// What may follow the expression in the source. Facts that are not written are not checked.
struct Statement {
  std::optional<algebras::Field> field;
  bool allow_nonassociative = false;
  std::optional<bool> associative, unital;
  struct Rank {
    std::optional<int64_t> lower, upper;
  };
  std::optional<Rank> rank;
};

} // namespace

static ParseResult parseBool(AsmParser &parser, std::optional<bool> &value) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseEqual() || parser.parseKeyword(&word))
    return failure();
  if (word != "true" && word != "false")
    return parser.emitError(loc) << "expected true or false, found '" << word << "'";
  value = word == "true";
  return success();
}

/// An integer, or `?` for a bound that is not known.
static ParseResult parseBound(AsmParser &parser, std::optional<int64_t> &bound) {
  if (succeeded(parser.parseOptionalQuestion()))
    return success();
  return parser.parseInteger(bound.emplace());
}

static ParseResult parseField(AsmParser &parser, std::optional<algebras::Field> &field) {
  std::string text;
  SMLoc loc;
  if (parser.parseEqual())
    return failure();
  loc = parser.getCurrentLocation();
  if (parser.parseString(&text))
    return failure();
  try {
    field = algebras::Field::parse(text);
  } catch (const algebras::InputError &error) {
    return parser.emitError(loc) << error.what();
  }
  return success();
}

static ParseResult parseEntry(AsmParser &parser, Statement &statement) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef key;
  if (parser.parseKeyword(&key))
    return failure();
  if (key == "field")
    return parseField(parser, statement.field);
  if (key == "associative")
    return parseBool(parser, statement.associative);
  if (key == "unital")
    return parseBool(parser, statement.unital);
  if (key == "allow_nonassociative") {
    statement.allow_nonassociative = true;
    return success();
  }
  if (key == "rank") {
    Statement::Rank &rank = statement.rank.emplace();
    return failure(parser.parseEqual() || parser.parseLSquare() || parseBound(parser, rank.lower) ||
                   parser.parseComma() || parseBound(parser, rank.upper) || parser.parseRSquare());
  }
  return parser.emitError(loc)
         << "'" << key
         << "' is not known of an algebra; there are field, associative, unital, rank and "
            "allow_nonassociative";
}

static std::string spell(std::optional<bool> value) { return !value ? "unknown" : *value ? "true" : "false"; }

static std::string spell(std::optional<int64_t> lower, std::optional<int64_t> upper) {
  auto bound = [](std::optional<int64_t> value) { return value ? std::to_string(*value) : std::string("?"); };
  return "[" + bound(lower) + ", " + bound(upper) + "]";
}

/// That every fact which the source states is the one that is derived.
static LogicalResult checkFacts(const Statement &statement, const algebras::Facts &facts,
                                function_ref<InFlightDiagnostic()> error) {
  auto disagree = [&](StringRef fact, const std::string &stated, const std::string &derived) {
    return error() << fact << " is stated as " << stated << ", but " << derived << " is derived";
  };
  if (statement.associative && statement.associative != facts.associative)
    return disagree("associative", spell(statement.associative), spell(facts.associative));
  if (statement.unital && statement.unital != facts.unital)
    return disagree("unital", spell(statement.unital), spell(facts.unital));
  if (statement.rank &&
      (statement.rank->lower != facts.rank_lower || statement.rank->upper != facts.rank_upper))
    return disagree("rank", spell(statement.rank->lower, statement.rank->upper),
                    spell(facts.rank_lower, facts.rank_upper));
  return success();
}

/// The JSON of a table and the strings of a quiver are full of double quotes, which MLIR's strings escape. In
/// print they are single ones, unless the text itself contains some. The text keeps its length.
static std::string withSingleQuotes(StringRef text) {
  std::string result = text.str();
  if (!text.contains('\''))
    std::replace(result.begin(), result.end(), '"', '\'');
  return result;
}

static std::string withDoubleQuotes(StringRef text) {
  std::string result = text.str();
  if ((text.contains("table({") || text.contains("quiver('")) && !text.contains('"'))
    std::replace(result.begin(), result.end(), '\'', '"');
  return result;
}

/// The place of an error within the quoted expression that starts at `quote`.
static SMLoc placeOf(const algebras::InputError &error, SMLoc quote, StringRef text) {
  // Escapes move what follows them: only plain strings keep their columns.
  bool plain = StringRef(quote.getPointer() + 1, text.size()) == text;
  if (!error.where() || error.where()->line != 1 || error.where()->column < 1 || !plain)
    return quote;
  return SMLoc::getFromPointer(quote.getPointer() + error.where()->column);
}

Attribute AlgebraAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  std::string text;
  Statement statement;
  if (parser.parseString(&text))
    return {};
  while (succeeded(parser.parseOptionalComma()))
    if (parseEntry(parser, statement))
      return {};
  if (parser.parseGreater())
    return {};
  std::optional<DerivedAlgebra> derived;
  try {
    derived.emplace(algebras::parseExpression(withDoubleQuotes(text), {.field = statement.field}));
  } catch (const algebras::InputError &error) {
    InFlightDiagnostic diagnostic = parser.emitError(placeOf(error, loc, text)) << error.what();
    if (!error.hint().empty())
      diagnostic.attachNote() << error.hint();
    return {};
  }
  auto error = [&] { return parser.emitError(loc); };
  if (failed(checkFacts(statement, derived->facts(), error)))
    return {};
  bool allow = statement.allow_nonassociative && derived->facts().associative != true;
  return parser.getChecked<AlgebraAttr>(loc, parser.getContext(), *derived, allow);
}

void AlgebraAttr::print(AsmPrinter &printer) const {
  const algebras::Facts &facts = getFacts();
  printer << '<';
  printer.printString(withSingleQuotes(getText()));
  if (!getAlgebra().field().isRationals())
    printer << ", field = \"" << getAlgebra().field().name() << '"';
  if (facts.associative)
    printer << ", associative = " << spell(facts.associative);
  if (facts.unital)
    printer << ", unital = " << spell(facts.unital);
  if (facts.rank_lower || facts.rank_upper)
    printer << ", rank = " << spell(facts.rank_lower, facts.rank_upper);
  if (getAllowNonassociative())
    printer << ", allow_nonassociative";
  printer << '>';
}

LogicalResult AlgebraAttr::verify(function_ref<InFlightDiagnostic()> error, DerivedAlgebra derived,
                                  bool allow_nonassociative) {
  const algebras::Facts &facts = derived.facts();
  if (facts.associative == true || allow_nonassociative)
    return success();
  InFlightDiagnostic diagnostic = error();
  diagnostic << "the algebra '" << facts.name << "' is not associative";
  if (const std::optional<algebras::Witness> &w = facts.witness)
    diagnostic << ": (b" << w->i << " b" << w->j << ") b" << w->k << " and b" << w->i << " (b" << w->j << " b"
               << w->k << ") differ in the coefficient of b" << w->l;
  diagnostic << "; allow_nonassociative lets it pass, without composition and fusion";
  return diagnostic;
}

AlgebraAttr AlgebraAttr::get(MLIRContext *context, const algebras::Algebra &algebra,
                             bool allow_nonassociative) {
  DerivedAlgebra derived(algebra);
  bool allow = allow_nonassociative && derived.facts().associative != true;
  return get(context, derived, allow);
}

AlgebraAttr AlgebraAttr::getChecked(function_ref<InFlightDiagnostic()> error, MLIRContext *context,
                                    const algebras::Algebra &algebra, bool allow_nonassociative) {
  DerivedAlgebra derived(algebra);
  bool allow = allow_nonassociative && derived.facts().associative != true;
  return getChecked(error, context, derived, allow);
}

StringRef AlgebraAttr::getText() const { return getDerived().text(); }

const algebras::Algebra &AlgebraAttr::getAlgebra() const { return getDerived().algebra(); }

const algebras::Facts &AlgebraAttr::getFacts() const { return getDerived().facts(); }

const algebras::Lift *AlgebraAttr::getLift(algebras::Lift::Kind kind) const {
  return getDerived().lift(kind);
}

const algebras::Lift *AlgebraAttr::getTransposedLift(algebras::Lift::Kind kind) const {
  return getDerived().transposedLift(kind);
}

bool AlgebraAttr::isAssociative() const { return getFacts().associative == true; }
