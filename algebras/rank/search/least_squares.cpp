#include "algebras/rank/search/least_squares.h"

#include "algebras/linear/sparse_span.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

namespace algebras::rank {

namespace {

constexpr double converged = 1e-13; // of the squared error
constexpr double good = 1e-2;       // below this it is worth going on

constexpr double refitted = 1e-18; // of the squared error, so that rational entries can be told
constexpr double on_grid = 1e-6;
constexpr int largest_denominator = 24;
constexpr int most_failures = 40;

// A value that an entry is fixed at.
struct Fraction {
  int numerator = 0, denominator = 0; // denominator 0: the entry is free
  double value() const { return static_cast<double>(numerator) / denominator; }
  bool isFixed() const { return denominator > 0; }
  auto operator<=>(const Fraction &) const = default;
};

// Where entries are moved to while there is freedom left; 0, 1 and -1 before the others.
constexpr std::pair<Fraction, double> goals[] = {{{0, 1}, 1},  {{1, 1}, 1}, {{-1, 1}, 1}, {{1, 2}, 4},
                                                 {{-1, 2}, 4}, {{2, 1}, 4}, {{-2, 1}, 4}};

// The fraction of small denominator that a value is, up to rounding.
Fraction recognised(double value) {
  for (int denominator = 1; denominator <= largest_denominator; ++denominator) {
    double numerator = std::round(value * denominator);
    if (std::abs(numerator) < 1e6 && std::abs(value - numerator / denominator) < on_grid)
      return {static_cast<int>(numerator), denominator};
  }
  return {};
}

// Solves G x = b for the unknowns `free`, G symmetric positive definite, the others being given in x.
void solveFree(const std::vector<double> &gram, size_t order, const std::vector<size_t> &free,
               std::vector<double> &right, double *x, std::vector<double> &work) {
  size_t count = free.size();
  work.assign(count * count, 0);
  for (size_t s = 0; s < count; ++s)
    for (size_t t = 0; t <= s; ++t)
      work[s * count + t] = gram[free[s] * order + free[t]];
  for (size_t s = 0; s < count; ++s) // Cholesky
    for (size_t t = 0; t <= s; ++t) {
      double sum = work[s * count + t];
      for (size_t u = 0; u < t; ++u)
        sum -= work[s * count + u] * work[t * count + u];
      work[s * count + t] = s == t ? std::sqrt(std::max(sum, 1e-300)) : sum / work[t * count + t];
    }
  for (size_t s = 0; s < count; ++s) {
    for (size_t t = 0; t < s; ++t)
      right[s] -= work[s * count + t] * right[t];
    right[s] /= work[s * count + s];
  }
  for (size_t s = count; s-- > 0;) {
    for (size_t t = s + 1; t < count; ++t)
      right[s] -= work[t * count + s] * right[t];
    right[s] /= work[s * count + s];
    x[free[s]] = right[s];
  }
}

} // namespace

// Entry (i, r) of mode m: values[m][i * products + r].
struct LeastSquares::Factors {
  size_t products = 0;
  std::vector<double> values[3];
  std::vector<Fraction> fixed[2]; // of modes 0 and 1
};

LeastSquares::LeastSquares(const Table &table) : table_(table), dimension_(table.dimension()) {
  for (const Constant &constant : table.constants()) {
    double value = constant.value.toDouble();
    entries_.push_back({{constant.i, constant.j, constant.k}, value});
    norm_ += value * value;
  }
}

void LeastSquares::update(Factors &factors, int mode, double regularisation) const {
  size_t r = factors.products;
  const std::vector<double> &p = factors.values[(mode + 1) % 3], &q = factors.values[(mode + 2) % 3];
  std::vector<double> gram(r * r), right(dimension_ * r);
  for (size_t s = 0; s < r; ++s)
    for (size_t t = 0; t <= s; ++t) {
      double first = 0, second = 0;
      for (int64_t i = 0; i < dimension_; ++i) {
        first += p[i * r + s] * p[i * r + t];
        second += q[i * r + s] * q[i * r + t];
      }
      gram[s * r + t] = gram[t * r + s] = first * second;
    }
  for (size_t s = 0; s < r; ++s)
    gram[s * r + s] += regularisation;
  for (const Entry &entry : entries_) {
    double *row = &right[entry.index[mode] * r];
    const double *u = &p[entry.index[(mode + 1) % 3] * r], *v = &q[entry.index[(mode + 2) % 3] * r];
    for (size_t s = 0; s < r; ++s)
      row[s] += entry.value * u[s] * v[s];
  }
  std::vector<double> own_right, work;
  std::vector<size_t> free;
  for (int64_t i = 0; i < dimension_; ++i) {
    free.clear();
    double *x = &factors.values[mode][i * r];
    for (size_t s = 0; s < r; ++s)
      if (mode == 2 || factors.fixed[mode].empty() || !factors.fixed[mode][i * r + s].isFixed())
        free.push_back(s);
    own_right.clear();
    for (size_t s : free) {
      double value = right[i * r + s];
      if (free.size() < r)
        for (size_t t = 0; t < r; ++t)
          if (factors.fixed[mode][i * r + t].isFixed())
            value -= gram[s * r + t] * x[t];
      own_right.push_back(value);
    }
    if (!free.empty())
      solveFree(gram, r, free, own_right, x, work);
  }
}

double LeastSquares::squaredError(const Factors &factors) const {
  size_t r = factors.products;
  std::vector<double> dense(dimension_ * dimension_ * dimension_);
  for (const Entry &entry : entries_)
    dense[(entry.index[0] * dimension_ + entry.index[1]) * dimension_ + entry.index[2]] = -entry.value;
  double error = 0;
  for (int64_t i = 0; i < dimension_; ++i)
    for (int64_t j = 0; j < dimension_; ++j) {
      double *row = &dense[(i * dimension_ + j) * dimension_];
      for (size_t s = 0; s < r; ++s) {
        double both = factors.values[0][i * r + s] * factors.values[1][j * r + s];
        for (int64_t k = 0; both != 0 && k < dimension_; ++k)
          row[k] += both * factors.values[2][k * r + s];
      }
      for (int64_t k = 0; k < dimension_; ++k)
        error += row[k] * row[k];
    }
  return error;
}

bool LeastSquares::converge(Factors &factors, std::mt19937_64 &random,
                            const std::function<bool()> &stop) const {
  std::normal_distribution<double> normal;
  for (std::vector<double> &values : factors.values) {
    values.resize(dimension_ * factors.products);
    for (double &value : values)
      value = normal(random) * 0.7;
  }
  // Much regularisation keeps the coefficients small and loses products on the way; how much is right
  // differs.
  double regularisation = std::pow(10.0, -3.0 + 2.0 * std::generate_canonical<double, 53>(random));
  double checked = std::numeric_limits<double>::max();
  for (int sweep = 1; sweep <= 6000; ++sweep) {
    for (int mode = 0; mode < 3; ++mode)
      update(factors, mode, regularisation);
    regularisation = std::max(regularisation * 0.99, 1e-12);
    if (sweep % 100 != 0)
      continue;
    if (stop())
      return false;
    double error = squaredError(factors);
    if (error < converged)
      return true;
    // Slow progress far from a solution is a swamp; near one it may be patience.
    if (sweep >= 600 && error > good && error > 0.95 * checked)
      return false;
    if (sweep >= 2000 && error > 0.98 * checked)
      return false;
    checked = error;
  }
  return false;
}

// Fits the free entries again after some were fixed.
bool LeastSquares::refit(Factors &factors, const std::function<bool()> &stop) const {
  double checked = std::numeric_limits<double>::max(), regularisation = 1e-4;
  for (int sweep = 1; sweep <= 3000; ++sweep) {
    for (int mode = 0; mode < 3; ++mode)
      update(factors, mode, regularisation);
    regularisation = std::max(regularisation * 0.9, 1e-13);
    if (sweep % 20 != 0)
      continue;
    double error = squaredError(factors);
    if (error < refitted)
      return true;
    if (stop() || (sweep >= 300 && error > 0.97 * checked))
      return false;
    checked = error;
  }
  return false;
}

bool LeastSquares::round(Factors &factors, const std::function<bool()> &stop) const {
  size_t r = factors.products;
  // Of each product the largest entries of alpha and of beta become 1.
  for (int mode = 0; mode < 2; ++mode) {
    factors.fixed[mode].assign(dimension_ * r, {});
    for (size_t s = 0; s < r; ++s) {
      int64_t largest = 0;
      for (int64_t i = 1; i < dimension_; ++i)
        if (std::abs(factors.values[mode][i * r + s]) > std::abs(factors.values[mode][largest * r + s]))
          largest = i;
      double scale = factors.values[mode][largest * r + s];
      if (std::abs(scale) < 1e-9)
        return false;
      for (int64_t i = 0; i < dimension_; ++i) {
        factors.values[mode][i * r + s] /= scale;
        factors.values[2][i * r + s] *= scale;
      }
      factors.fixed[mode][largest * r + s] = {1, 1};
      factors.values[mode][largest * r + s] = 1;
    }
  }

  struct Candidate {
    double distance;
    int mode;
    size_t place;
    Fraction goal;
  };
  std::set<std::tuple<int, size_t, Fraction>> refused;
  int failures = 0;
  while (!stop()) {
    std::vector<Candidate> candidates;
    bool settled = false; // whether some entries were at small fractions already, and are fixed there
    for (int mode = 0; mode < 2; ++mode)
      for (size_t place = 0; place < factors.fixed[mode].size(); ++place) {
        if (factors.fixed[mode][place].isFixed())
          continue;
        double value = factors.values[mode][place];
        if (Fraction own = recognised(value); own.isFixed()) {
          factors.fixed[mode][place] = own;
          factors.values[mode][place] = own.value();
          settled = true;
          continue;
        }
        for (const auto &[goal, weight] : goals)
          if (!refused.contains({mode, place, goal}))
            candidates.push_back({std::abs(value - goal.value()) * weight, mode, place, goal});
      }
    if (settled) {
      if (!refit(factors, stop))
        return false;
      continue;
    }
    if (candidates.empty())
      break;
    const Candidate nearest =
        *std::min_element(candidates.begin(), candidates.end(), [](const Candidate &x, const Candidate &y) {
          return std::tie(x.distance, x.mode, x.place, x.goal) <
                 std::tie(y.distance, y.mode, y.place, y.goal);
        });
    Factors before = factors;
    factors.fixed[nearest.mode][nearest.place] = nearest.goal;
    factors.values[nearest.mode][nearest.place] = nearest.goal.value();
    if (refit(factors, stop))
      continue;
    factors = std::move(before);
    refused.insert({nearest.mode, nearest.place, nearest.goal});
    if (++failures > most_failures)
      return false;
  }
  for (const std::vector<Fraction> &fixed : factors.fixed)
    for (const Fraction &own : fixed)
      if (!own.isFixed())
        return false;
  return true;
}

std::optional<BilinearAlgorithm> LeastSquares::solveExactly(const Factors &factors) const {
  size_t r = factors.products;
  BilinearAlgorithm result(r);
  for (size_t s = 0; s < r; ++s)
    for (int mode = 0; mode < 2; ++mode)
      for (int64_t i = 0; i < dimension_; ++i) {
        const Fraction &own = factors.fixed[mode][i * r + s];
        if (own.numerator != 0)
          (mode == 0 ? result[s].alpha : result[s].beta)
              .emplace_back(i, Rational(own.numerator, own.denominator));
      }
  SparseSpan span(table_.field());
  std::vector<size_t> origin;
  for (size_t s = 0; s < r; ++s) {
    SparseVector form;
    for (const auto &[i, a] : result[s].alpha)
      for (const auto &[j, b] : result[s].beta)
        form.emplace_back(i * dimension_ + j, a * b);
    if (span.insert(form))
      origin.push_back(s);
  }
  std::vector<SparseVector> targets(dimension_);
  for (const Constant &constant : table_.constants())
    targets[constant.k].emplace_back(constant.i * dimension_ + constant.j, constant.value);
  for (int64_t k = 0; k < dimension_; ++k) {
    std::optional<SparseVector> coordinates = span.coordinates(targets[k]);
    if (!coordinates)
      return std::nullopt;
    for (const auto &[index, value] : *coordinates)
      result[origin[index]].gamma.emplace_back(k, value);
  }
  std::erase_if(result, [](const BilinearProduct &product) { return product.gamma.empty(); });
  return result;
}

std::optional<BilinearAlgorithm> LeastSquares::attempt(int64_t products, std::mt19937_64 &random,
                                                       const std::function<bool()> &stop) const {
  Factors factors;
  factors.products = static_cast<size_t>(products);
  if (!converge(factors, random, stop) || !round(factors, stop))
    return std::nullopt;
  return solveExactly(factors);
}

} // namespace algebras::rank
