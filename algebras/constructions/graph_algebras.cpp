// Q(n), Q_G, path(n) and D(n): vertices on the diagonal, edges off it, edge times edge vanishes.
#include "algebras/checked.h"
#include "algebras/constructions.h"
#include "algebras/constructions/construction.h"
#include "algebras/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace algebras {

namespace {

using detail::MatrixConstruction;
using Kind = Algebra::Kind;

void requirePositive(int64_t n, const char *family) {
  if (n < 1)
    throw InputError(fmt::format("{}({}): the size has to be at least 1", family, n));
}

// B(i,j) = {i, j} wherever position (i,j) exists (paper, eq. graph-product-edge).
class GraphLike : public MatrixConstruction {
public:
  using MatrixConstruction::MatrixConstruction;

  std::vector<int64_t> support(int64_t i, int64_t j) const override {
    if (i == j)
      return {i};
    if (!slotAt({i, j}))
      return {};
    return {std::min(i, j), std::max(i, j)};
  }
  std::string slotName(int64_t slot) const override {
    Position where = position(slot);
    if (where.row == where.column)
      return "e" + vertexName(where.row);
    return fmt::format("a{}_{}", vertexName(where.row), vertexName(where.column));
  }
  virtual std::string vertexName(int64_t vertex) const { return fmt::format("{}", vertex); }
};

class CompleteGraph final : public GraphLike {
public:
  CompleteGraph(int64_t n, int64_t dimension, int64_t nonzeros, Field field)
      : GraphLike(Kind::CompleteGraph, field, dimension, nonzeros), n_(n) {
    setName(fmt::format("Q({})", n));
  }
  int64_t parameter() const override { return n_; }
  int64_t positions() const override { return n_; }
  Position position(int64_t slot) const override { return {slot / n_, slot % n_}; }
  std::optional<int64_t> slotAt(Position where) const override { return where.row * n_ + where.column; }

private:
  int64_t n_;
};

class PathGraph final : public GraphLike {
public:
  PathGraph(int64_t n, int64_t dimension, int64_t nonzeros, Field field)
      : GraphLike(Kind::Path, field, dimension, nonzeros), n_(n) {
    setName(fmt::format("path({})", n));
  }
  int64_t parameter() const override { return n_; }
  int64_t positions() const override { return n_; }
  Position position(int64_t slot) const override { return {slot / 2, slot / 2 + slot % 2}; }
  std::optional<int64_t> slotAt(Position where) const override {
    if (where.column != where.row && where.column != where.row + 1)
      return std::nullopt;
    return where.row + where.column;
  }

private:
  int64_t n_;
};

class Coordinates final : public GraphLike {
public:
  Coordinates(int64_t n, Field field) : GraphLike(Kind::Coordinates, field, n, n), n_(n) {
    setName(fmt::format("D({})", n));
  }
  int64_t parameter() const override { return n_; }
  int64_t positions() const override { return n_; }
  Position position(int64_t slot) const override { return {slot, slot}; }
  std::optional<int64_t> slotAt(Position where) const override {
    return where.row == where.column ? std::optional(where.row) : std::nullopt;
  }

private:
  int64_t n_;
};

class ExplicitGraph final : public GraphLike {
public:
  ExplicitGraph(Graph graph, Field field)
      : GraphLike(Kind::Graph, field, graph.vertexCount() + graph.edgeCount(),
                  graph.vertexCount() + 2 * graph.edgeCount()),
        graph_(std::move(graph)) {
    constexpr int64_t spelled_out = 32;
    setName(graph_.edgeCount() <= spelled_out
                ? graph_.expression()
                : fmt::format("graph({} vertices, {} edges)", graph_.vertexCount(), graph_.edgeCount()));
  }
  std::string expression() const override { return graph_.expression(); }
  int64_t parameter() const override { return graph_.vertexCount(); }
  const Graph *graph() const override { return &graph_; }
  int64_t positions() const override { return graph_.vertexCount(); }
  std::string vertexName(int64_t vertex) const override { return graph_.vertexName(vertex); }

  // Row i holds its vertex and the out-edges of i, by column: slots edgesBefore(i) + i and following.
  Position position(int64_t slot) const override {
    int64_t low = 0, high = positions(); // the last row that starts at or before the slot
    while (high - low > 1) {
      int64_t middle = low + (high - low) / 2;
      (rowStart(middle) <= slot ? low : high) = middle;
    }
    int64_t k = slot - rowStart(low), diagonal = edgesLeftOf(low, low);
    if (k == diagonal)
      return {low, low};
    return {low, graph_.successor(low, k < diagonal ? k : k - 1)};
  }
  std::optional<int64_t> slotAt(Position where) const override {
    int64_t k = edgesLeftOf(where.row, where.column);
    if (where.row == where.column)
      return rowStart(where.row) + k;
    if (!graph_.hasEdge(where.row, where.column))
      return std::nullopt;
    return rowStart(where.row) + k + (where.column > where.row);
  }

private:
  int64_t rowStart(int64_t row) const { return row + graph_.edgesBefore(row); }
  // Out-edges of `row` whose target is smaller than `column`.
  int64_t edgesLeftOf(int64_t row, int64_t column) const {
    int64_t low = 0, high = graph_.edgesBefore(row + 1) - graph_.edgesBefore(row);
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (graph_.successor(row, middle) < column)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  Graph graph_;
};

} // namespace

Algebra completeGraph(int64_t n, Field field) {
  requirePositive(n, "Q");
  std::string what = fmt::format("the dimension of Q({})", n);
  int64_t dimension = checkedMultiply(n, n, what);
  int64_t nonzeros = checkedMultiply(n, checkedMultiply(2, n, what) - 1, what);
  return Algebra(std::make_shared<CompleteGraph>(n, dimension, nonzeros, field));
}

Algebra graphAlgebra(Graph graph, Field field) {
  return Algebra(std::make_shared<ExplicitGraph>(std::move(graph), field));
}

Algebra path(int64_t n, Field field) {
  requirePositive(n, "path");
  std::string what = fmt::format("the number of products of path({})", n);
  int64_t nonzeros = checkedMultiply(3, n, what) - 2;
  return Algebra(std::make_shared<PathGraph>(n, 2 * n - 1, nonzeros, field));
}

Algebra coordinates(int64_t n, Field field) {
  requirePositive(n, "D");
  return Algebra(std::make_shared<Coordinates>(n, field));
}

} // namespace algebras
