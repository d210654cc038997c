#include "algebras/expression/syntax.h"

#include "algebras/expression/cursor.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

namespace algebras::detail {

namespace {

constexpr int kMaximumDepth = 100;
constexpr const char *kAtoms = "the algebras are Q(n), path(n), D(n), M(n), T(n), graph(file), table(file)";

class Parser {
public:
  Parser(std::string_view text, const ExpressionOptions &options)
      : text_(text), options_(options), cursor_(text, options) {}

  Syntax run() {
    if (cursor_.atEnd())
      cursor_.fail(cursor_.offset(), "the expression is empty", kAtoms);
    Syntax result = sum();
    if (!cursor_.atEnd()) {
      if (cursor_.peek() == ')')
        cursor_.fail(cursor_.offset(), "this ')' closes nothing");
      cursor_.fail(cursor_.offset(), "one of '+', '*' and '^' is missing here, or something is left over");
    }
    return result;
  }

private:
  Syntax sum() { return chain(Syntax::Kind::Sum, '+', &Parser::product); }
  Syntax product() { return chain(Syntax::Kind::Product, '*', &Parser::power); }

  // operand { sign operand }
  Syntax chain(Syntax::Kind kind, char sign, Syntax (Parser::*operand)()) {
    Syntax first = (this->*operand)();
    if (cursor_.peek() != sign)
      return first;
    Syntax result;
    result.kind = kind;
    result.offset = cursor_.offset();
    result.operands.push_back(std::move(first));
    while (cursor_.take(sign))
      result.operands.push_back((this->*operand)());
    return result;
  }

  Syntax power() {
    Syntax base = atom();
    if (cursor_.peek() != '^')
      return base;
    Syntax result;
    result.kind = Syntax::Kind::Power;
    result.offset = cursor_.offset();
    cursor_.take('^');
    result.number = cursor_.integer("the exponent");
    result.operands.push_back(std::move(base));
    if (cursor_.peek() == '^')
      cursor_.fail(cursor_.offset(), "a power of a power needs parentheses");
    return result;
  }

  Syntax atom() {
    std::size_t start = (cursor_.peek(), cursor_.offset());
    if (cursor_.take('(')) {
      if (++depth_ > kMaximumDepth)
        cursor_.fail(start, fmt::format("parentheses nested deeper than {}", kMaximumDepth));
      Syntax inside = sum();
      cursor_.require(')', "to close the parenthesis");
      --depth_;
      return inside;
    }
    std::string_view word = cursor_.word();
    Syntax result;
    result.offset = start;
    if (word == "graph")
      return graph(std::move(result));
    if (word == "table")
      return table(std::move(result));
    if (word != "Q" && word != "path" && word != "D" && word != "M" && word != "T")
      refuse(word, start);
    cursor_.require('(', fmt::format("after '{}'", word));
    result.family = word[0];
    std::size_t place = (cursor_.peek(), cursor_.offset());
    result.number = cursor_.integer("the size");
    if (result.number < 1)
      cursor_.fail(place, "the size has to be at least 1");
    cursor_.require(')', "after the size");
    return result;
  }

  [[noreturn]] void refuse(std::string_view word, std::size_t start) {
    if (word.empty() && cursor_.atEnd())
      cursor_.fail(start, "an algebra is missing at the end", kAtoms);
    if (word.empty())
      cursor_.fail(start, "an algebra is needed here", kAtoms);
    cursor_.fail(start, fmt::format("'{}' is not an algebra", word.substr(0, 80)), kAtoms);
  }

  std::string resolve(const std::string &name) const {
    std::filesystem::path path(name);
    return path.is_absolute() ? name : (std::filesystem::path(options_.base_directory) / path).string();
  }

  // Runs `read`; an error without a line of its own points at the expression instead.
  template <typename Read> auto reading(std::size_t place, Read read) {
    try {
      return read();
    } catch (const InputError &error) {
      if (error.where() && error.where()->line > 0)
        throw;
      std::string about = error.where() && !error.where()->file.empty() ? error.where()->file + ": " : "";
      cursor_.fail(place, about + error.what(), error.hint());
    }
  }

  Syntax graph(Syntax result) {
    result.kind = Syntax::Kind::Graph;
    cursor_.require('(', "after 'graph'");
    std::size_t place = (cursor_.peek(), cursor_.offset());
    if (isInlineGraph(place)) {
      result.graph = reading(result.offset, [&] { return inlineGraph(); });
    } else {
      std::string name = cursor_.fileName();
      result.graph = reading(place, [&] { return readGraphFile(resolve(name)); });
    }
    cursor_.require(')', "after the graph");
    return result;
  }

  // "3; ..." : digits and a semicolon.
  bool isInlineGraph(std::size_t at) const {
    std::size_t digits = at;
    while (digits < text_.size() && std::isdigit(static_cast<unsigned char>(text_[digits])))
      ++digits;
    std::size_t sign = text_.find_first_not_of(" \t\r\n", digits);
    return digits > at && sign != std::string_view::npos && text_[sign] == ';';
  }

  Graph inlineGraph() {
    std::int64_t vertices = cursor_.integer("the number of vertices");
    cursor_.require(';', "after the number of vertices");
    std::vector<Graph::Edge> edges;
    if (cursor_.peek() != ')')
      do {
        std::int64_t source = cursor_.integer("the source of an edge");
        if (!cursor_.takeWord("->"))
          cursor_.fail(cursor_.offset(), "'->' is missing in this edge");
        edges.emplace_back(source, cursor_.integer("the target of an edge"));
      } while (cursor_.take(','));
    return makeGraph(vertices, std::move(edges));
  }

  Syntax table(Syntax result) {
    result.kind = Syntax::Kind::Table;
    cursor_.require('(', "after 'table'");
    std::size_t place = (cursor_.peek(), cursor_.offset());
    if (cursor_.peek() == '{') {
      std::string_view json = cursor_.json();
      // Its own lines would count from the brace: errors point at the brace instead.
      try {
        result.table = parseTable(json, "table");
      } catch (const InputError &error) {
        cursor_.fail(place, error.what(), error.hint());
      }
    } else {
      std::string name = cursor_.fileName();
      result.table = reading(place, [&] { return readTableFile(resolve(name)); });
    }
    cursor_.require(')', "after the table");
    return result;
  }

  std::string_view text_;
  const ExpressionOptions &options_;
  Cursor cursor_;
  int depth_ = 0;
};

} // namespace

Syntax parseSyntax(std::string_view text, const ExpressionOptions &options) {
  return Parser(text, options).run();
}

} // namespace algebras::detail
