#include "algebras/structure/local_indices.h"

#include "algebras/linear/integer_factors.h"
#include "algebras/rational_flint.h"
#include "algebras/structure/maximal_order.h"
#include "algebras/structure/real_places.h"

#include <flint/fmpq_mat.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

namespace algebras {

namespace {

Matrix traceForm(const Lattice &lattice) {
  ProductOperator product(lattice.table());
  return product.bilinear(product.traces());
}

class Finder {
public:
  Finder(Lattice &lattice, const Matrix &one, const Polynomial &center, int64_t degree)
      : lattice_(lattice), one_(one), center_(center), degree_(degree) {}

  LocalIndices run() {
    std::set<Rational> primes = badPrimes();
    makeOrder(lattice_, one_);
    lattice_.reduce();
    for (const Rational &prime : primes) {
      std::optional<int64_t> p = prime.toInteger();
      if (!p || *p >= int64_t{1} << 62) {
        result_.complete = false;
        continue;
      }
      Matrix before = lattice_.elements();
      std::map<int64_t, int64_t> counts;
      for (int64_t index : maximizeAt(lattice_, static_cast<uint64_t>(*p), degree_))
        ++counts[index];
      int64_t index_there = 1;
      for (const auto &[index, count] : counts) {
        add(index, count, prime.toString());
        index_there = std::lcm(index_there, index);
      }
      if (index_there > 1)
        result_.primes.push_back({static_cast<uint64_t>(*p), index_there, lattice_.elements()});
      if (!(lattice_.elements() == before))
        lattice_.reduce();
    }
    addRealPlaces();
    if (result_.complete && degree_ == 2 && ramified_ % 2 != 0)
      throw std::logic_error("localIndices: an odd number of ramified places");
    for (const auto &[index, places] : named_)
      result_.places +=
          fmt::format("{}{} at {}", result_.places.empty() ? "" : "; ", index, fmt::join(places, ", "));
    return std::move(result_);
  }

private:
  // Where the lattice is closed, and its discriminant a unit, it is a maximal order with index 1.
  std::set<Rational> badPrimes() {
    Matrix form = traceForm(lattice_);
    Rational discriminant;
    fmpq_mat_det(FlintAccess::get(discriminant), form.rational());
    if (discriminant.isZero())
      throw std::logic_error("localIndices: not a semisimple algebra");
    std::set<Rational> result;
    for (const Rational &value :
         {lattice_.denominator(), discriminant.numerator(), discriminant.denominator()}) {
      std::optional<std::vector<PrimePower>> factors = factorInteger(value);
      result_.complete = result_.complete && factors;
      if (factors)
        for (const PrimePower &power : *factors)
          result.insert(power.prime);
    }
    return result;
  }

  void addRealPlaces() {
    int64_t difference = realRoots(center_) * degree_ - signature(traceForm(lattice_));
    if (difference < 0 || difference % (2 * degree_) != 0 || (degree_ % 2 != 0 && difference != 0))
      throw std::logic_error("localIndices: a signature that no algebra of this degree has");
    add(2, difference / (2 * degree_), "infinity");
  }

  void add(int64_t index, int64_t count, const std::string &place) {
    if (index == 1 || count == 0)
      return;
    ramified_ += count;
    result_.common_multiple = std::lcm(result_.common_multiple, index);
    named_[index].push_back(count == 1 ? place : fmt::format("{} ({} places)", place, count));
  }

  Lattice &lattice_;
  const Matrix &one_;
  const Polynomial &center_;
  int64_t degree_, ramified_ = 0;
  std::map<int64_t, std::vector<std::string>> named_; // index -> places
  LocalIndices result_;
};

} // namespace

LocalIndices localIndices(Lattice &lattice, const Matrix &one, const Polynomial &center, int64_t degree) {
  return Finder(lattice, one, center, degree).run();
}

} // namespace algebras
