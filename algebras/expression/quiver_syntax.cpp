#include "algebras/expression/quiver_syntax.h"

#include "algebras/graph/vertex_order.h"

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <optional>

namespace algebras::detail {

namespace {

bool beginsWithDigit(const std::string &name) {
  return std::isdigit(static_cast<unsigned char>(name.front()));
}

std::string requireName(Cursor &cursor, const char *what) {
  cursor.peek();
  size_t start = cursor.offset();
  std::string name(cursor.name());
  if (name.empty())
    cursor.fail(start,
                fmt::format("{} is missing: a name of letters, digits and underscores is needed here", what));
  return name;
}

class QuiverReader {
public:
  explicit QuiverReader(Cursor &cursor) : cursor_(cursor) {}

  Quiver run() {
    size_t start = (cursor_.peek(), cursor_.offset());
    cursor_.require('"', "before the arrows");
    if (cursor_.peek() != '"')
      do
        item();
      while (cursor_.take(','));
    cursor_.require('"', "after the arrows");
    if (names_.empty())
      cursor_.fail(start, "a quiver needs at least one vertex", "for example \"a:1->2, b:2->3\"");
    std::vector<int64_t> order = vertexOrder(names_), place(names_.size());
    std::vector<std::string> sorted(names_.size());
    for (size_t index = 0; index < order.size(); ++index) {
      place[order[index]] = static_cast<int64_t>(index);
      sorted[index] = names_[order[index]];
    }
    for (Arrow &arrow : arrows_) {
      arrow.source = place[arrow.source];
      arrow.target = place[arrow.target];
    }
    return Quiver(std::move(sorted), std::move(arrows_));
  }

private:
  void item() {
    size_t start = (cursor_.peek(), cursor_.offset());
    std::string name = requireName(cursor_, "an arrow or a vertex");
    if (cursor_.peek() == '-')
      cursor_.fail(start, fmt::format("this arrow from {} has no name", name), "write it as in a:1->2");
    if (!cursor_.take(':')) {
      vertex(name);
      return;
    }
    if (beginsWithDigit(name))
      cursor_.fail(start, fmt::format("'{}' cannot be the name of an arrow: it begins with a digit", name),
                   "relations could not tell it from a number");
    if (!arrow_names_.insert({name, arrows_.size()}).second)
      cursor_.fail(start, fmt::format("two arrows are called {}", name), "give each its own name");
    int64_t source = vertex(requireName(cursor_, "the source of an arrow"));
    cursor_.peek();
    if (!cursor_.takeWord("->"))
      cursor_.fail(cursor_.offset(), "'->' is missing in this arrow");
    int64_t target = vertex(requireName(cursor_, "the target of an arrow"));
    arrows_.push_back({name, source, target});
  }

  int64_t vertex(const std::string &name) {
    auto [place, is_new] = vertices_.try_emplace(name, static_cast<int64_t>(names_.size()));
    if (is_new)
      names_.push_back(name);
    return place->second;
  }

  Cursor &cursor_;
  std::vector<std::string> names_; // of vertices, as they are mentioned
  std::map<std::string, int64_t> vertices_;
  std::map<std::string, size_t> arrow_names_;
  std::vector<Arrow> arrows_;
};

class RelationReader {
public:
  RelationReader(Cursor &cursor, const Quiver &quiver) : cursor_(cursor), quiver_(quiver) {
    for (int64_t arrow = 0; arrow < quiver.arrowCount(); ++arrow)
      arrows_.emplace(quiver.arrow(arrow).name, arrow);
    for (int64_t vertex = 0; vertex < quiver.vertexCount(); ++vertex)
      vertices_.emplace(quiver.vertexName(vertex), vertex);
  }

  std::vector<RelationSyntax> run() {
    std::vector<RelationSyntax> result;
    cursor_.require('"', "before the relations");
    if (cursor_.peek() != '"')
      do
        result.push_back(relation());
      while (cursor_.take(','));
    if (cursor_.peek() != '"')
      cursor_.fail(cursor_.offset(), "'+', '-', '*', ',' or the closing quote is missing in the relations");
    cursor_.require('"', "after the relations");
    return result;
  }

private:
  // A path under way: where it starts and ends, and its arrows.
  struct Path {
    int64_t source, target;
    Word word;
  };

  RelationSyntax relation() {
    RelationSyntax result;
    result.offset = (cursor_.peek(), cursor_.offset());
    bool is_right_side = false;
    term(result, cursor_.take('-'));
    for (;;) {
      if (cursor_.take('+')) {
        term(result, is_right_side);
      } else if (cursor_.take('-')) {
        term(result, !is_right_side);
      } else if (!is_right_side && cursor_.take('=')) {
        is_right_side = true;
        term(result, !cursor_.take('-'));
      } else {
        return result;
      }
    }
  }

  void term(RelationSyntax &relation, bool is_negative) {
    RelationSyntax::Term term{(cursor_.peek(), cursor_.offset()), Rational(1), {}};
    if (std::isdigit(static_cast<unsigned char>(cursor_.peek()))) {
      term.coefficient = cursor_.fraction("the coefficient");
      if (!cursor_.take('*')) {
        if (term.coefficient.isZero())
          return;
        cursor_.fail(term.offset, "this number stands at no path",
                     fmt::format("write it as {}*e(vertex), with the vertex it stands at",
                                 term.coefficient.toString().substr(0, 40)));
      }
    }
    std::optional<Path> path;
    do
      factor(path);
    while (cursor_.take('*'));
    if (is_negative)
      term.coefficient = -term.coefficient;
    if (relation.terms.empty()) {
      relation.source = path->source;
      relation.target = path->target;
    } else if (path->source != relation.source || path->target != relation.target) {
      cursor_.fail(term.offset,
                   fmt::format("this path runs from {} to {}, the first one of this relation from {} to {}",
                               quiver_.vertexName(path->source), quiver_.vertexName(path->target),
                               quiver_.vertexName(relation.source), quiver_.vertexName(relation.target)),
                   "a relation is a sum of paths with the same ends; put a comma between two relations");
    }
    term.path = std::move(path->word);
    relation.terms.push_back(std::move(term));
  }

  void factor(std::optional<Path> &path) {
    size_t start = (cursor_.peek(), cursor_.offset());
    std::string name = requireName(cursor_, "an arrow");
    if (name == "e" && cursor_.take('(')) {
      size_t place = (cursor_.peek(), cursor_.offset());
      std::string vertex = requireName(cursor_, "a vertex");
      auto found = vertices_.find(vertex);
      if (found == vertices_.end())
        cursor_.fail(place, fmt::format("there is no vertex {}", vertex));
      cursor_.require(')', "after the vertex");
      append(path, start, name, {found->second, found->second, {}});
      return;
    }
    auto found = arrows_.find(name);
    if (found == arrows_.end())
      cursor_.fail(start,
                   beginsWithDigit(name) ? "a number stands before its path, as in 2*a*b"
                                         : fmt::format("there is no arrow {}", name),
                   beginsWithDigit(name) ? "" : "arrows are named in the first string, as in a:1->2");
    const Arrow &arrow = quiver_.arrow(found->second);
    Path own{arrow.source, arrow.target, Word(1, static_cast<char32_t>(found->second))};
    if (cursor_.peek() == '^') {
      cursor_.take('^');
      size_t place = (cursor_.peek(), cursor_.offset());
      int64_t exponent = cursor_.integer("the exponent");
      if (exponent < 1 || exponent > longest_written_path)
        cursor_.fail(place, fmt::format("an exponent has to be between 1 and {}", longest_written_path));
      if (exponent > 1 && arrow.source != arrow.target)
        cursor_.fail(start, fmt::format("{} is no loop: its powers are no paths", name));
      own.word.assign(static_cast<size_t>(exponent), static_cast<char32_t>(found->second));
    }
    append(path, start, name, own);
  }

  void append(std::optional<Path> &path, size_t start, const std::string &name, const Path &next) {
    if (!path) {
      path = next;
      return;
    }
    if (path->target != next.source)
      cursor_.fail(start,
                   fmt::format("the path before {} ends at {}, and {} begins at {}", name,
                               quiver_.vertexName(path->target), name, quiver_.vertexName(next.source)),
                   "a*b is the path that walks a first and then b");
    if (path->word.size() + next.word.size() > static_cast<size_t>(longest_written_path))
      cursor_.fail(start, fmt::format("a path of more than {} arrows", longest_written_path));
    path->word += next.word;
    path->target = next.target;
  }

  Cursor &cursor_;
  const Quiver &quiver_;
  std::map<std::string, int64_t> arrows_, vertices_;
};

} // namespace

Quiver quiverText(Cursor &cursor) { return QuiverReader(cursor).run(); }

std::vector<RelationSyntax> relationsText(Cursor &cursor, const Quiver &quiver) {
  return RelationReader(cursor, quiver).run();
}

std::vector<Relation> relationsOver(const Field &field, const std::vector<RelationSyntax> &relations,
                                    const Cursor &cursor) {
  std::vector<Relation> result;
  for (const RelationSyntax &syntax : relations) {
    Relation relation{syntax.source, syntax.target, {}};
    for (const RelationSyntax::Term &term : syntax.terms) {
      Rational value;
      try {
        value = field.reduce(term.coefficient);
      } catch (const InputError &error) {
        cursor.fail(term.offset, error.what(), error.hint());
      }
      if (!value.isZero())
        addTerm(relation.sum, term.path, value, field);
    }
    if (relation.sum.empty())
      cursor.fail(syntax.offset, fmt::format("over {} this relation says 0 = 0", field.name()),
                  "leave it out");
    result.push_back(std::move(relation));
  }
  return result;
}

} // namespace algebras::detail
