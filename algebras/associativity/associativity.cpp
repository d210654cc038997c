// For every first index i, the coefficients D[j,k,l] of (b_i b_j) b_k - b_i (b_j b_k) are gathered from the
// pairs of constants that meet, sorted, and summed.
//
// Where those pairs are many, second indices j of a generating set are enough. The middle nucleus
//     N = { b : (a b) c = a (b c) for all a, c }
// of any algebra is a subspace closed under products: for b, b' in N
//     (a (b b')) c = ((a b) b') c = (a b) (b' c) = a (b (b' c)) = a ((b b') c),
// by b, b', b and b' in turn. So if a set that generates the algebra lies in N, then N is everything, and the
// table is associative.
#include "algebras/associativity.h"

#include "algebras/associativity/dense.h"
#include "algebras/associativity/scaled_table.h"
#include "algebras/associativity/sparse_pairs.h"
#include "algebras/linear/echelon.h"
#include "algebras/structure/generators.h"
#include "algebras/structure/product_operator.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace algebras {

namespace {

template <typename Number> struct Difference {
  int64_t j, k, l;
  Number value;
};

template <typename Number> using Differences = std::vector<Difference<Number>>;

// The first (j,k,l) whose sum is not zero.
template <typename Arithmetic>
const Difference<typename Arithmetic::Number> *
firstNonzero(Differences<typename Arithmetic::Number> &differences, const Arithmetic &arithmetic) {
  auto key = [](const auto &d) { return std::tie(d.j, d.k, d.l); };
  std::sort(differences.begin(), differences.end(),
            [&](const auto &a, const auto &b) { return key(a) < key(b); });
  for (size_t first = 0; first < differences.size();) {
    typename Arithmetic::Number sum = differences[first].value;
    size_t next = first + 1;
    for (; next < differences.size() && key(differences[next]) == key(differences[first]); ++next)
      sum = arithmetic.add(sum, differences[next].value);
    if (!arithmetic.isZero(sum))
      return &differences[first];
    first = next;
  }
  return nullptr;
}

template <typename Arithmetic> class Search {
public:
  using Number = typename Arithmetic::Number;
  using Entry = typename ScaledTable<Arithmetic>::Entry;

  Search(const Table &table, Arithmetic arithmetic)
      : table_(table, std::move(arithmetic)), dimension_(table.dimension()) {}

  std::optional<Witness> run() {
    for (int64_t i : table_.firstIndices()) {
      size_t work = meetings(i);
      bool one_second_at_a_time = isDense(work) || work > at_once;
      if (std::optional<Witness> witness =
              one_second_at_a_time ? searchRowBySecond(i, isDense(work)) : searchRow(i))
        return witness;
    }
    return std::nullopt;
  }

  // The same for some second indices alone. Any witness has one of these if the slots generate the algebra.
  std::optional<Witness> runSeconds(const std::vector<int64_t> &seconds) {
    for (int64_t i : table_.firstIndices())
      for (int64_t j : seconds) {
        bool is_dense = isDense(meetings(i));
        if (std::optional<Witness> found =
                is_dense ? denseWitness(table_.row(i), i, j) : sparseWitness(table_.row(i), i, j))
          return found;
      }
    return std::nullopt;
  }

  // The first witness with this first index.
  std::optional<Witness> runFirst(int64_t i) { return searchRowBySecond(i, isDense(meetings(i))); }

private:
  static constexpr size_t at_once = size_t{1} << 22;

  // Enough meetings to pay for a matrix of sums for every second index.
  bool isDense(size_t meetings) const {
    constexpr int64_t largest_matrix = 1024;
    auto n = static_cast<size_t>(dimension_);
    return dimension_ <= largest_matrix && meetings >= n * n * n / 4;
  }

  size_t meetings(int64_t i) const {
    size_t count = 0;
    for (const Entry &left : table_.row(i))
      count += table_.row(left.k).size() + table_.into(left.j).size();
    return count;
  }

  std::optional<Witness> searchRow(int64_t i) {
    differences_.clear();
    for (const Entry &left : table_.row(i)) {
      for (const Entry &right : table_.row(left.k)) // (b_i b_j) b_k
        differences_.push_back({left.j, right.j, right.k, product(left, right)});
      for (const Entry &inner : table_.into(left.j)) // b_i (b_j b_k), where b_j b_k has a part in left.j
        differences_.push_back({inner.i, inner.j, left.k, table_.arithmetic().negate(product(left, inner))});
    }
    return witness(i);
  }

  // The same sums with one second index at a time: less memory, and for dense tables a matrix instead of a
  // sort.
  std::optional<Witness> searchRowBySecond(int64_t i, bool is_dense) {
    std::span<const Entry> row = table_.row(i);
    std::vector<int64_t> seconds = table_.firstIndices();
    for (const Entry &left : row)
      seconds.push_back(left.j);
    std::sort(seconds.begin(), seconds.end());
    seconds.erase(std::unique(seconds.begin(), seconds.end()), seconds.end());
    for (int64_t j : seconds)
      if (std::optional<Witness> found = is_dense ? denseWitness(row, i, j) : sparseWitness(row, i, j))
        return found;
    return std::nullopt;
  }

  // Calls take(k, l, value) for each part of D[j,k,l].
  template <typename Take> void visit(std::span<const Entry> row, int64_t j, Take take) const {
    for (const Entry &left : withSecond(row, j))
      for (const Entry &right : table_.row(left.k))
        take(right.j, right.k, product(left, right));
    for (const Entry &inner : table_.row(j))
      for (const Entry &left : withSecond(row, inner.k))
        take(inner.j, left.k, table_.arithmetic().negate(product(left, inner)));
  }

  std::optional<Witness> sparseWitness(std::span<const Entry> row, int64_t i, int64_t j) {
    differences_.clear();
    visit(row, j,
          [&](int64_t k, int64_t l, Number value) { differences_.push_back({j, k, l, std::move(value)}); });
    return witness(i);
  }

  std::optional<Witness> denseWitness(std::span<const Entry> row, int64_t i, int64_t j) {
    sums_.assign(dimension_ * dimension_, Number());
    visit(row, j, [&](int64_t k, int64_t l, const Number &value) {
      Number &sum = sums_[k * dimension_ + l];
      sum = table_.arithmetic().add(sum, value);
    });
    auto found = std::find_if(sums_.begin(), sums_.end(),
                              [&](const Number &sum) { return !table_.arithmetic().isZero(sum); });
    if (found == sums_.end())
      return std::nullopt;
    int64_t place = found - sums_.begin();
    return Witness{i, j, place / dimension_, place % dimension_};
  }

  static std::span<const Entry> withSecond(std::span<const Entry> row, int64_t j) {
    auto begin = std::lower_bound(row.begin(), row.end(), j,
                                  [](const Entry &e, int64_t index) { return e.j < index; });
    auto end =
        std::upper_bound(begin, row.end(), j, [](int64_t index, const Entry &e) { return index < e.j; });
    return {begin, end};
  }

  Number product(const Entry &left, const Entry &right) const {
    return table_.arithmetic().multiply(left.value, right.value);
  }

  std::optional<Witness> witness(int64_t i) {
    const auto *found = firstNonzero(differences_, table_.arithmetic());
    return found ? std::optional(Witness{i, found->j, found->k, found->l}) : std::nullopt;
  }

  ScaledTable<Arithmetic> table_;
  int64_t dimension_;
  Differences<Number> differences_;
  std::vector<Number> sums_; // D[j,k,l] at k * dimension + l
};

// Calls use(search) with a search in the cheapest exact arithmetic.
template <typename Use> std::optional<Witness> withSearch(const Table &table, Use use) {
  if (!table.field().isRationals())
    return use(Search(table, PrimeArithmetic{table.field().characteristic()}));
  if (std::optional<IntegerScale> scale = smallIntegers(table))
    return use(Search(table, WordArithmetic{*scale}));
  return use(Search(table, LongArithmetic{integerScale(table)}));
}

// How many pairs of constants meet in a triple product.
double pairs(const Table &table) {
  std::vector<double> rows(table.dimension()), outputs(table.dimension());
  for (const Constant &constant : table.constants()) {
    ++rows[constant.i];
    ++outputs[constant.k];
  }
  double result = 0;
  for (const Constant &constant : table.constants())
    result += rows[constant.k] + outputs[constant.j];
  return result;
}

// The first witness with the first slot that a test at random points finds failing; `known` is one that fails
// for sure.
std::optional<Witness> witnessOf(const Table &table, int64_t known) {
  int64_t first = firstFailing(table, known);
  return withSearch(table, [&](auto search) { return search.runFirst(first); });
}

// The difference that the witness names, summed up exactly.
Rational difference(const Table &table, const Witness &witness) {
  auto constant = [&](int64_t i, int64_t j, int64_t k) {
    const std::span<const Constant> row = table.row(i);
    auto found =
        std::lower_bound(row.begin(), row.end(), std::pair(j, k),
                         [](const Constant &c, const auto &place) { return std::pair(c.j, c.k) < place; });
    return found != row.end() && found->j == j && found->k == k ? found->value : Rational(0);
  };
  Rational sum(0);
  for (const Constant &first : table.row(witness.i)) {
    if (first.j == witness.j) // (b_i b_j) b_k
      sum += first.value * constant(first.k, witness.k, witness.l);
    if (first.k == witness.l) // b_i (b_j b_k)
      sum += -(first.value * constant(witness.j, witness.k, first.j));
  }
  return table.field().reduce(sum);
}

// A witness of a dense table over Q, looked for modulo a prime that divides no denominator: what differs
// there differs over Q, and residues are of one word whatever the constants are. Where the residues are
// associative nothing has been shown.
std::optional<Associativity> differentResidues(const Table &table) {
  uint64_t p = 0;
  std::optional<Table> image;
  while (!image)
    image = ProductOperator::modulo(table, p = nextModulus(p));
  const int64_t n = table.dimension(), first = firstFailing(*image, n);
  if (first == n)
    return std::nullopt;
  const std::optional<Witness> witness = Search(*image, PrimeArithmetic{p}).runFirst(first);
  if (!witness || difference(table, *witness).isZero())
    throw std::logic_error("a difference modulo a prime is none");
  return Associativity{witness, 0, p};
}

bool isDense(const Table &table) {
  constexpr int64_t largest_dense = 512;
  const int64_t n = table.dimension();
  return n <= largest_dense && table.nonzeros() >= n * n * n / 8;
}

std::optional<Witness> examineAllPairs(const Table &table) {
  std::optional<SparsePairs> pairs = searchSparsePairs(table);
  if (!pairs)
    return withSearch(table, [](auto search) { return search.run(); });
  std::vector<int64_t> candidates = pairs->not_examined;
  if (pairs->first_failing)
    candidates.insert(std::lower_bound(candidates.begin(), candidates.end(), *pairs->first_failing),
                      *pairs->first_failing);
  if (candidates.empty())
    return std::nullopt;
  return withSearch(table, [&](auto search) -> std::optional<Witness> {
    for (int64_t i : candidates)
      if (std::optional<Witness> witness = search.runFirst(i))
        return witness;
    return std::nullopt;
  });
}

} // namespace

Associativity examineAssociativity(const Table &table) {
  constexpr double many_pairs = 1 << 22;
  constexpr int64_t largest_closure = 2048;
  int64_t n = table.dimension();
  constexpr int64_t least_dense = 8; // below, exact arithmetic takes no time
  if (table.field().isRationals() && n >= least_dense && isDense(table))
    if (std::optional<Associativity> shown = differentResidues(table))
      return *shown;
  if (n > largest_closure || pairs(table) <= many_pairs)
    return {examineAllPairs(table), 0};
  if (isDense(table)) {
    Matrix elements = generatingElements(table);
    std::optional<int64_t> failing = findFailing(table, elements);
    return {failing ? witnessOf(table, *failing) : std::nullopt, elements.rows()};
  }
  if (auto seconds = generatingSlots(table, n / 4)) {
    std::optional<Witness> witness =
        withSearch(table, [&](auto search) { return search.runSeconds(*seconds); });
    if (witness)
      witness = witnessOf(table, witness->i);
    return {witness, static_cast<int64_t>(seconds->size())};
  }
  return {examineAllPairs(table), 0};
}

std::optional<Witness> findNonassociative(const Table &table) { return examineAssociativity(table).witness; }

} // namespace algebras
