#include "algebras/expression/syntax.h"

#include "algebras/expression/cursor.h"
#include "algebras/poset/poset.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

namespace algebras::detail {

namespace {

constexpr int maximum_depth = 100;
constexpr const char *atoms = "the algebras are Q(n), path(n), D(n), M(n), T(n), graph(file), table(file), "
                              "quiver(arrows), path_algebra(graph, n), poset(file)";

class Parser {
public:
  Parser(std::string_view text, const ExpressionOptions &options)
      : text_(text), options_(options), cursor_(text, options) {}

  Syntax run() {
    if (cursor_.atEnd())
      cursor_.fail(cursor_.offset(), "the expression is empty", atoms);
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
    size_t start = (cursor_.peek(), cursor_.offset());
    if (cursor_.take('(')) {
      if (++depth_ > maximum_depth)
        cursor_.fail(start, fmt::format("parentheses nested deeper than {}", maximum_depth));
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
    if (word == "quiver")
      return quiver(std::move(result));
    if (word == "path_algebra")
      return pathAlgebra(std::move(result));
    if (word == "poset")
      return poset(std::move(result));
    if (word != "Q" && word != "path" && word != "D" && word != "M" && word != "T")
      refuse(word, start);
    result.family = word[0];
    result.number = size(word);
    return result;
  }

  // "(n)" after the name of a family.
  int64_t size(std::string_view family) {
    cursor_.require('(', fmt::format("after '{}'", family));
    size_t place = (cursor_.peek(), cursor_.offset());
    int64_t number = cursor_.integer("the size");
    if (number < 1)
      cursor_.fail(place, "the size has to be at least 1");
    cursor_.require(')', "after the size");
    return number;
  }

  [[noreturn]] void refuse(std::string_view word, size_t start) {
    if (word.empty() && cursor_.atEnd())
      cursor_.fail(start, "an algebra is missing at the end", atoms);
    if (word.empty())
      cursor_.fail(start, "an algebra is needed here", atoms);
    cursor_.fail(start, fmt::format("'{}' is not an algebra", word.substr(0, 80)), atoms);
  }

  std::string resolve(const std::string &name) const {
    std::filesystem::path path(name);
    return path.is_absolute() ? name : (std::filesystem::path(options_.base_directory) / path).string();
  }

  // Runs `read`; an error without a line of its own points at the expression instead.
  template <typename Read> auto reading(size_t place, Read read) {
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
    size_t place = (cursor_.peek(), cursor_.offset());
    if (isInlineGraph(place)) {
      result.graph = reading(result.offset, [&] { return inlineGraph().graph; });
    } else {
      std::string name = cursor_.fileName();
      result.graph = reading(place, [&] { return readGraphFile(resolve(name)); });
    }
    cursor_.require(')', "after the graph");
    return result;
  }

  // "3; ..." : digits and a semicolon.
  bool isInlineGraph(size_t at) const {
    size_t digits = at;
    while (digits < text_.size() && std::isdigit(static_cast<unsigned char>(text_[digits])))
      ++digits;
    size_t sign = text_.find_first_not_of(" \t\r\n", digits);
    return digits > at && sign != std::string_view::npos && text_[sign] == ';';
  }

  struct InlineGraph {
    Graph graph;
    std::optional<int64_t> last; // a number after the edges that is no edge
  };

  // "3; 0->1, 1->2", and with a number at the end where that may follow.
  InlineGraph inlineGraph(bool may_end_in_number = false) {
    int64_t vertices = cursor_.integer("the number of vertices");
    cursor_.require(';', "after the number of vertices");
    std::vector<Graph::Edge> edges;
    std::optional<int64_t> last;
    bool goes_on = may_end_in_number ? cursor_.take(',') || cursor_.peek() != ')' : cursor_.peek() != ')';
    for (; goes_on; goes_on = !last && cursor_.take(',')) {
      int64_t source = cursor_.integer(may_end_in_number ? "an edge, or the bound" : "the source of an edge");
      if (cursor_.takeWord("->"))
        edges.emplace_back(source, cursor_.integer("the target of an edge"));
      else if (may_end_in_number)
        last = source;
      else
        cursor_.fail(cursor_.offset(), "'->' is missing in this edge");
    }
    return {makeGraph(vertices, std::move(edges)), last};
  }

  Syntax quiver(Syntax result) {
    result.kind = Syntax::Kind::Quiver;
    cursor_.require('(', "after 'quiver'");
    result.quiver = quiverText(cursor_);
    if (cursor_.take(',')) {
      size_t place = (cursor_.peek(), cursor_.offset());
      if (!cursor_.takeWord("relations"))
        cursor_.fail(place, "'relations=' is missing here",
                     "as in quiver(\"a:1->2, b:2->3\", relations=\"a*b\")");
      cursor_.require('=', "after 'relations'");
      result.relations = relationsText(cursor_, *result.quiver);
    }
    cursor_.require(')', "after the quiver");
    return result;
  }

  // A graph in any notation: Q(n), path(n), D(n), graph(...), "3; 0->1", a file, and where quivers are meant
  // quiver(...). Leaves the cursor behind it.
  void graphArgument(Syntax &result, bool is_path_algebra) {
    size_t place = (cursor_.peek(), cursor_.offset());
    if (isInlineGraph(place)) {
      InlineGraph read = reading(place, [&] { return inlineGraph(is_path_algebra); });
      result.graph = read.graph;
      if (read.last)
        result.number = *read.last;
      return;
    }
    Cursor ahead = cursor_;
    std::string_view word = ahead.word();
    bool is_call = ahead.peek() == '(';
    if (is_call && (word == "Q" || word == "path" || word == "D")) {
      cursor_.word();
      result.family = word[0];
      int64_t n = size(word);
      result.notation = fmt::format("{}({})", word, n);
      reading(place, [&] {
        if (is_path_algebra)
          result.quiver = word == "Q"      ? completeQuiver(n)
                          : word == "path" ? pathQuiver(n)
                                           : discreteQuiver(n);
        else
          result.graph = familyGraph(word[0], n);
        return 0;
      });
    } else if (is_call && word == "graph") {
      cursor_.word();
      result.graph = graph({}).graph;
    } else if (is_call && word == "quiver" && is_path_algebra) {
      cursor_.word();
      Syntax inner = quiver({});
      if (!inner.relations.empty())
        cursor_.fail(place, "path_algebra takes a quiver without relations",
                     "add the relations that bound the length of paths to those of the quiver");
      result.quiver = std::move(inner.quiver);
      result.notation = fmt::format("quiver(\"{}\")", result.quiver->text());
    } else if (is_call && !word.empty()) {
      cursor_.fail(
          place, fmt::format("'{}' is not a graph", word.substr(0, 80)),
          is_path_algebra
              ? "a graph is Q(n), path(n), D(n), graph(...), quiver(\"a:1->2\"), 3; 0->1, 1->2 or a file"
              : "a relation is path(n), graph(...), 3; 0->1, 1->2 or a file");
    } else {
      std::string name = cursor_.fileName(is_path_algebra ? ',' : ')');
      result.graph = reading(place, [&] { return readGraphFile(resolve(name)); });
    }
  }

  Graph familyGraph(char family, int64_t n) {
    if (n > Poset::maximum_size) // before the edges are written down
      throw InputError(
          fmt::format("a poset of {} elements is too large: the limit is {}", n, Poset::maximum_size));
    std::vector<Graph::Edge> edges;
    if (family == 'p')
      for (int64_t vertex = 0; vertex + 1 < n; ++vertex)
        edges.emplace_back(vertex, vertex + 1);
    if (family == 'Q' && n > 1)
      edges = {{0, 1}, {1, 0}}; // enough for the cycle that is refused
    return makeGraph(n, std::move(edges));
  }

  Syntax pathAlgebra(Syntax result) {
    result.kind = Syntax::Kind::PathAlgebra;
    result.number = -1;
    cursor_.require('(', "after 'path_algebra'");
    graphArgument(result, true);
    if (result.graph) {
      result.notation = result.graph->expression();
      result.quiver = reading(result.offset, [&] { return quiverOfGraph(*result.graph); });
    }
    if (result.number < 0) {
      cursor_.require(',', "after the graph: path_algebra(graph, n) has the paths with fewer than n arrows");
      size_t place = (cursor_.peek(), cursor_.offset());
      result.number = cursor_.integer("the bound n");
      if (result.number < 1)
        cursor_.fail(place,
                     "the bound has to be at least 1: the paths with fewer arrows than that are the basis");
    }
    cursor_.require(')', "after the bound");
    return result;
  }

  Syntax poset(Syntax result) {
    result.kind = Syntax::Kind::Poset;
    cursor_.require('(', "after 'poset'");
    graphArgument(result, false);
    cursor_.require(')', "after the relation");
    return result;
  }

  Syntax table(Syntax result) {
    result.kind = Syntax::Kind::Table;
    cursor_.require('(', "after 'table'");
    size_t place = (cursor_.peek(), cursor_.offset());
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
