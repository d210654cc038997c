#include "algebras/graph/dot_normal_form.h"

#include "algebras/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace algebras {

namespace {

using TokenKind = DotToken::Kind;

constexpr size_t maximum_depth = 100;               // Boost's reader recurses
constexpr int64_t maximum_edges = int64_t{1} << 22; // and keeps a map for every edge
constexpr int64_t saturated = int64_t{1} << 30;

// One brace level: how many vertices it mentions, and the end of an edge that waits for its other end.
struct Level {
  size_t brace = 0; // where it opens
  std::string subgraph;
  int64_t mentions = 0;
  int64_t last_size = 0;
  int64_t last_vertex = -1; // -1: the last end was a subgraph
  bool has_end = false;     // an arrow may follow
  bool after_arrow = false;
};

class Normalizer {
public:
  Normalizer(const std::vector<DotToken> &tokens, std::string_view content, const std::string &file)
      : tokens_(tokens), content_(content), file_(file) {}

  DotNormalForm run() {
    header();
    levels_.emplace_back();
    levels_.back().brace = brace_;
    while (!levels_.empty() && peek().kind != TokenKind::End)
      statementToken();
    if (!levels_.empty())
      throw InputError("this '{' is not closed", locate(content_, levels_.back().brace, file_));
    if (peek().kind != TokenKind::End)
      fail(peek(), "the graph ends before this", "a file holds one graph");
    return std::move(result_);
  }

private:
  const DotToken &peek(size_t ahead = 0) const {
    return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
  }
  bool isSign(size_t ahead, char sign) const {
    return peek(ahead).kind == TokenKind::Sign && peek(ahead).text[0] == sign;
  }
  [[noreturn]] void fail(const DotToken &token, std::string message, std::string hint = {}) const {
    throw InputError(std::move(message), locate(content_, token.offset, file_)).hint(std::move(hint));
  }
  void emit(std::string_view word) {
    result_.text += word;
    result_.text += ' ';
  }

  void header() {
    if (peek().kind == TokenKind::Strict) {
      emit("strict");
      ++position_;
    }
    if (peek().kind == TokenKind::Graph)
      fail(peek(), "an undirected graph; a graph algebra needs directions",
           "write 'digraph', with '->' for each edge");
    if (peek().kind != TokenKind::Digraph)
      fail(peek(), "a DOT file starts with 'digraph'");
    emit("digraph");
    ++position_;
    if (peek().kind == TokenKind::Identifier)
      ++position_;
    if (!isSign(0, '{'))
      fail(peek(), "'{' has to follow 'digraph' and its name");
    brace_ = peek().offset;
    emit("{");
    ++position_;
  }

  void statementToken() {
    const DotToken &token = peek();
    switch (token.kind) {
    case TokenKind::Line:
      fail(token, "'--' is an undirected edge; a graph algebra needs directions", "write '->'");
    case TokenKind::Arrow:
      if (!levels_.back().has_end)
        fail(token, "no vertex stands before this '->'", "an edge is written a -> b");
      requireNoArrow();
      levels_.back().after_arrow = true;
      emit("->");
      ++position_;
      return;
    case TokenKind::Graph:
    case TokenKind::Node:
    case TokenKind::Edge:
      requireNoArrow();
      ++position_;
      if (!isSign(0, '['))
        fail(peek(), fmt::format("an attribute list '[...]' has to follow '{}'", token.text));
      attributes();
      return;
    case TokenKind::Subgraph:
      subgraph();
      return;
    case TokenKind::Identifier:
      identifier();
      return;
    case TokenKind::Sign:
      sign();
      return;
    case TokenKind::Strict:
    case TokenKind::Digraph:
      fail(token, fmt::format("'{}' cannot stand here", token.text));
    case TokenKind::End:
      return;
    }
  }

  // Before a token that cannot be the end of an edge.
  void requireNoArrow() {
    if (levels_.back().after_arrow)
      fail(peek(), "a vertex is missing here, after '->'", "an edge is written a -> b");
  }

  void sign() {
    if (isSign(0, '{')) {
      emit("subgraph"); // Boost wants the word
      open("");
      return;
    }
    requireNoArrow();
    if (isSign(0, '}')) {
      close();
    } else if (isSign(0, '[')) {
      attributes();
    } else if (isSign(0, ';')) {
      if (!result_.text.ends_with("; ") && !result_.text.ends_with("{ "))
        emit(";");
      levels_.back().has_end = false;
      ++position_;
    } else {
      fail(peek(), fmt::format("'{}' cannot stand here", peek().text));
    }
  }

  void open(std::string name) {
    if (levels_.size() > maximum_depth)
      fail(peek(), fmt::format("subgraphs nested deeper than {}", maximum_depth));
    emit("{");
    Level &level = levels_.emplace_back();
    level.brace = peek().offset;
    level.subgraph = std::move(name);
    ++position_;
  }

  void close() {
    emit("}");
    ++position_;
    Level level = std::move(levels_.back());
    levels_.pop_back();
    if (levels_.empty())
      return;
    if (!level.subgraph.empty())
      subgraph_sizes_[level.subgraph] += level.mentions;
    endpoint(level.mentions, -1, 0);
  }

  void subgraph() {
    ++position_;
    emit("subgraph");
    std::string name;
    if (peek().kind == TokenKind::Identifier) {
      name = peek().text + " "; // never empty, so that a named one is told from an anonymous one
      auto index = subgraph_names_.try_emplace(name, subgraph_names_.size()).first->second;
      emit(fmt::format("\"s{}\"", index));
      ++position_;
    }
    if (isSign(0, '{'))
      open(name);
    else if (name.empty())
      fail(peek(), "a name or '{' has to follow 'subgraph'");
    else
      endpoint(subgraph_sizes_[name], -1, 0);
  }

  void identifier() {
    const DotToken &token = peek();
    if (isSign(1, '=')) { // an attribute of the graph
      if (peek(2).kind != TokenKind::Identifier)
        fail(peek(2), "a value has to follow '='");
      requireNoArrow();
      levels_.back().has_end = false;
      position_ += 3;
      return;
    }
    auto [entry, fresh] = vertices_.try_emplace(token.text, static_cast<int64_t>(result_.names.size()));
    if (fresh)
      result_.names.push_back(token.text);
    emit(fmt::format("\"{}\"", entry->second));
    ++position_;
    for (int port = 0; port < 2 && isSign(0, ':'); ++port) {
      if (peek(1).kind != TokenKind::Identifier)
        fail(peek(1), "the name of a port has to follow ':'");
      position_ += 2;
    }
    endpoint(1, entry->second, token.offset);
  }

  void attributes() {
    const DotToken &start = peek();
    levels_.back().has_end = false;
    for (++position_; !isSign(0, ']'); ++position_) {
      if (peek().kind == TokenKind::End)
        fail(start, "this attribute list is not closed");
      if (isSign(0, '[') || isSign(0, '{') || isSign(0, '}'))
        fail(peek(), fmt::format("'{}' cannot stand in an attribute list", peek().text));
    }
    ++position_;
  }

  void endpoint(int64_t size, int64_t vertex, size_t offset) {
    Level &level = levels_.back();
    size = std::min(size, saturated);
    level.mentions = std::min(level.mentions + size, saturated);
    if (level.after_arrow) {
      if (vertex >= 0 && level.last_vertex >= 0)
        result_.edge_places[{level.last_vertex, vertex}].push_back(offset);
      edges_ += level.last_size * size; // at most 2^60, checked at once
      if (edges_ > maximum_edges)
        throw InputError(fmt::format("more than {} edges", maximum_edges), SourceLocation{file_, 0, 0, {}})
            .hint("the complete graph of any size is Q(n)");
    }
    level.has_end = true;
    level.after_arrow = false;
    level.last_size = size;
    level.last_vertex = vertex;
  }

  const std::vector<DotToken> &tokens_;
  std::string_view content_;
  const std::string &file_;
  size_t position_ = 0;
  size_t brace_ = 0; // where the graph's own brace opens
  DotNormalForm result_;
  std::vector<Level> levels_;
  std::unordered_map<std::string, int64_t> vertices_;
  std::unordered_map<std::string, size_t> subgraph_names_;
  std::unordered_map<std::string, int64_t> subgraph_sizes_;
  int64_t edges_ = 0;
};

} // namespace

DotNormalForm normalizeDot(const std::vector<DotToken> &tokens, std::string_view content,
                           const std::string &file) {
  return Normalizer(tokens, content, file).run();
}

} // namespace algebras
