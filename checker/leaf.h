// What the certificate of one table proves; the numbers in brackets are the sections of docs/certificates.md.
#pragma once

#include "checker/input.h"

#include <optional>

namespace checker {

struct Simple { // a simple algebra: its dimension, that of its centre, and n if it is M(n) over its centre
                // (0: not known)
  std::int64_t dimension, center, degree;
  auto operator<=>(const Simple &) const = default;
};

struct Facts {
  std::int64_t dimension = 0, nonzeros = 0, rank_upper = 0;
  bool associative = true, unital = true, commutative = true;
  bool arrow = false, chain = false; // e_i J e_j, e_i J e_j J e_l not zero for some i != j != l [9]
  std::optional<std::int64_t> center;
  std::vector<std::int64_t> layers;          // dim rad^s / rad^(s+1)
  std::map<Simple, std::int64_t> components; // of A/rad, with their numbers; empty where nothing is claimed
};

// A number below 2^63; or {"n", "base", "factors"} by Pocklington's theorem: a^(n-1) = 1 modulo n,
// a^((n-1)/q) - 1 is a unit for each prime q given, and what these primes leave of n - 1 is less than its
// root.
inline Integer provedPrime(const Json &reason) {
  if (!reason.is_object()) {
    require(isPrime(bigInteger(reason)), "not a prime below 2^63");
    return bigInteger(reason);
  }
  Integer n = bigInteger(reason.at("n")), base = bigInteger(reason.at("base")), rest = n - 1, power;
  require(n > 3, "not a prime");
  auto powerLessOne = [&](const Integer &exponent) -> Integer {
    mpz_powm(power.get_mpz_t(), base.get_mpz_t(), exponent.get_mpz_t(), n.get_mpz_t());
    return power - 1;
  };
  for (const Json &factor : list(reason.at("factors"))) {
    Integer q = provedPrime(factor);
    require(rest % q == 0 && gcd(powerLessOne((n - 1) / q), n) == 1, "a number is not proved prime");
    while (rest % q == 0) rest /= q;
  }
  require(powerLessOne(n - 1) == 0 && rest * rest < n, "a number is not proved prime");
  return n;
}

// |f(n)| = d p, where n is further than d from all roots of f, and p prime: then f is irreducible [8].
inline bool hasPrimeValue(const Element &f, const Json &reason) {
  Integer n = bigInteger(reason.at("at")), d = bigInteger(reason.at("cofactor")), value, power = 1, largest;
  Index at = 0;
  for (const auto &[s, coefficient] : f.terms) {
    for (; at < s; ++at) power *= n;
    value += coefficient * power;
    largest = std::max<Integer>(largest, abs(coefficient));
  }
  Integer roots = 2 + largest / f.terms.back().second; // Cauchy's bound on their absolute values
  return d > 0 && n > roots + d && abs(value) == d * provedPrime(reason.at("prime"));
}

class Leaf {
public:
  Leaf(const Algebra &algebra, const Json &proof) : a_(algebra), commutator_(algebra), proof_(proof) {
    for (Index slot = 0; slot < a_.dimension; ++slot) basis_.push_back({{{slot, 1}}});
    for (const Integer &value : a_.values) commutator_.values.push_back(-value);
    for (auto [i, j, k, value] : a_.constants) // x y - y x; a constant may occur twice, which adds
      commutator_.constants.push_back({j, i, k, value + static_cast<std::uint32_t>(a_.values.size())});
    commutator_.index();
  }

  Facts check() {
    facts_.dimension = a_.dimension;
    facts_.nonzeros = facts_.rank_upper = std::ssize(a_.constants);
    facts_.associative = isAssociative();
    facts_.unital = isUnital();
    facts_.commutative = std::ranges::all_of(a_.constants, [&](const Constant &constant) {
      return std::ranges::any_of(a_.constantsOf(constant.j, constant.i), [&](const Constant &other) {
        return other.k == constant.k && other.value == constant.value;
      });
    });
    if (proof_.contains("algorithm")) checkAlgorithm();
    if (!facts_.associative || !facts_.unital) return facts_;
    if (proof_.contains("center")) checkCenter();
    if (proof_.contains("radical")) {
      checkRadical();
      checkSemisimple();
      checkComponents();
      if (proof_.contains("peirce")) checkPeirce();
    }
    return facts_;
  }

private:
  Element read(const Json &value) const { return element(value, a_); }
  Element read(const char *key) const { return element(proof_.at(key), a_); }
  static auto requireIn(const Space &space, const char *otherwise) {
    return [&space, otherwise](std::size_t, std::size_t, const Element &product) {
      require(space.remainder(product).terms.empty(), otherwise);
    };
  }

  // [2] By a witness not; or generators lie in the middle nucleus and their words span, or the whole basis
  // lies there.
  bool isAssociative() {
    claim = "associative";
    if (proof_.contains("witness")) {
      Elements w = elements(proof_.at("witness"), a_);
      a_.addProduct(a_.multiply(w.at(0), w.at(1)), w.at(2), 1);
      a_.addProduct(w.at(0), a_.multiply(w.at(1), w.at(2)), -1);
      bool differs = false;
      for (const auto &[slot, value] : a_.take().terms)
        differs = differs || (slot == w.at(3).terms.at(0).first && w.size() == 4);
      require(differs, "the witness is none");
      return false;
    }
    Elements words = elements(proof_.value("generators", Json::array()), a_);
    for (const Element &g : words.empty() ? basis_ : words) requireMiddleNucleus(g);
    if (words.empty()) return true;
    Rank rank(a_.characteristic);
    std::int64_t generators = std::ssize(words);
    for (const Json &word : list(proof_.at("words")))
      words.push_back(a_.multiply(words[integer(word.at(0), 0, std::ssize(words) - 1)],
                                  words[integer(word.at(1), 0, generators - 1)]));
    for (const Element &word : words) rank.insert(word);
    require(rank.get() == basis_.size() && words.size() == basis_.size(), "the words are not a basis");
    return true;
  }
  // (b_i g) b_j = b_i (g b_j), wherever there are constants for a side.
  void requireMiddleNucleus(const Element &g) const {
    std::map<Index, Element> left, right;
    std::vector<std::pair<Index, Index>> pairs;
    for (Index i : a_.leftFactors(g))
      for (const auto &[m, value] : (left[i] = a_.multiply(basis_[i], g)).terms)
        for (const Constant &constant : a_.row(m))
          if (pairs.empty() || pairs.back() != std::pair(i, constant.j)) pairs.emplace_back(i, constant.j);
    for (const auto &[m, value] : g.terms)
      for (const Constant &constant : a_.row(m)) right.try_emplace(constant.j);
    for (auto &[j, product] : right)
      for (const auto &[m, value] : (product = a_.multiply(g, basis_[j])).terms)
        for (Index i : a_.leftFactors(basis_[m])) pairs.emplace_back(i, j);
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    for (auto [i, j] : pairs) {
      a_.addProduct(left[i], basis_[j], 1);
      a_.addProduct(basis_[i], right[j], -1);
      require(a_.take().terms.empty(), "(x g) y and x (g y) differ");
    }
  }

  // [3] u b_j = b_j = b_j u; or equations (u b_s)_k = [s = k] and (b_s u)_k = [s = k] that add up to 0 = c, c
  // not 0.
  bool isUnital() {
    claim = "unital";
    if (proof_.contains("identity")) {
      const Element u = read("identity");
      for (const Element &b : basis_)
        for (bool left : {true, false}) {
          a_.addProduct(left ? u : b, left ? b : u, 1);
          a_.add(b, -u.denominator * a_.scale);
          require(a_.take().terms.empty(), "the identity is none");
        }
      return true;
    }
    std::map<Index, mpq_class> form; // in the coefficients of u; the right side at -1
    for (const Json &equation : list(proof_.at("no_identity"))) {
      bool left = equation.at(0) == "left";
      std::int64_t s = integer(equation.at(1), 0, a_.dimension - 1), k = integer(equation.at(2), 0, a_.dimension - 1);
      mpq_class weight = number(equation.at(3), a_.characteristic);
      for (auto [i, j, l, value] : a_.constants)
        if (l == k && (left ? j : i) == s) form[left ? i : j] += weight * a_.values[value] / a_.scale;
      form[-1] += s == k ? weight : 0;
    }
    for (const auto &[slot, sum] : form)
      require((slot == -1) != (a_.characteristic ? sum.get_num() % Integer(a_.characteristic) == 0 : sum == 0),
              "no contradiction between the equations for an identity");
    return false;
  }

  // [4] x y = sum of alpha(x) beta(y) gamma.
  void checkAlgorithm() {
    claim = "rank_upper";
    std::map<std::tuple<Index, Index, Index>, mpq_class> sums;
    for (auto [i, j, k, value] : a_.constants) sums[{i, j, k}] = mpq_class(a_.values[value]) / a_.scale;
    for (const Json &product : list(proof_.at("algorithm"))) {
      Elements f = elements(product, a_);
      mpq_class denominator = f.at(0).denominator * f.at(1).denominator * f.at(2).denominator;
      for (const auto &[i, x] : f[0].terms)
        for (const auto &[j, y] : f[1].terms)
          for (const auto &[k, z] : f[2].terms) sums[{i, j, k}] -= x * y * z / denominator;
    }
    for (const auto &[place, sum] : sums)
      require(a_.characteristic ? sum.get_num() % Integer(a_.characteristic) == 0 : sum == 0,
              "the bilinear algorithm computes another product");
    facts_.rank_upper = std::ssize(proof_.at("algorithm"));
  }

  // [5] Elements commute with the basis and are independent; there are no more.
  void checkCenter() {
    claim = "center_dimension";
    Elements center = elements(proof_.at("center"), a_);
    Rank rank(a_.characteristic);
    for (const Element &z : center) rank.insert(z);
    require(rank.get() == center.size(), "the central elements are not independent");
    requireCenter(center, center.size(), Space(a_, {}), 0);
    facts_.center = std::ssize(center);
  }
  // In the quotient by an ideal, the elements are central, and [x, b_s] = 0 for all s leaves a space of
  // dimension at most `most` for x.
  void requireCenter(const Elements &elements, std::size_t most, const Space &ideal,
                     std::size_t ideal_dimension) const {
    commutator_.products(basis_, elements, requireIn(ideal, "an element is not central"));
    Rank equations(a_.characteristic);
    for (Index s = 0; s < a_.dimension && equations.get() + most + ideal_dimension < basis_.size(); ++s) {
      std::map<Index, Element> by_output;
      for (Index i : commutator_.leftFactors(basis_[s]))
        if (!ideal.leads(i))
          for (const auto &[k, value] : ideal.remainder(commutator_.multiply(basis_[i], basis_[s])).terms)
            by_output[k].terms.emplace_back(i, value);
      for (const auto &[k, equation] : by_output) equations.insert(equation);
    }
    require(equations.get() + most + ideal_dimension >= basis_.size(), "the centre may be larger");
  }

  // [6] J_1 is an ideal; J_s J_1 lies in J_(s+1) and spans it; the last is 0. So J_1 is nilpotent, J_s its power.
  void checkRadical() {
    claim = "radical_series";
    for (const Json &power : list(proof_.at("radical"))) powers_.push_back(elements(power, a_));
    while (powers_.size() < 3 || !powers_.end()[-2].empty()) powers_.emplace_back(); // 0, twice at least
    for (const Elements &power : powers_) spaces_.emplace_back(a_, power);
    facts_.layers.push_back(a_.dimension - std::ssize(powers_[0]));
    a_.products(basis_, powers_[0], requireIn(spaces_[0], "the radical is not a left ideal"));
    a_.products(powers_[0], basis_, requireIn(spaces_[0], "the radical is not a right ideal"));
    for (std::size_t s = 0; !powers_[s].empty(); ++s) {
      require(powers_[s].size() > powers_[s + 1].size(), "the powers of the radical do not descend");
      facts_.layers.push_back(std::ssize(powers_[s]) - std::ssize(powers_[s + 1]));
      Rank rank(a_.characteristic);
      for (const Element &row : powers_[s + 1])
        require(spaces_[s].remainder(row).terms.empty(), "a power is not inside the one before");
      for (const Element &row : powers_[s + 2]) rank.insert(row);
      Elements rows; // those that are in J_(s+1), too, have products with J_1 that span J_(s+2): the next step
      for (const Element &row : powers_[s])
        if (!spaces_[s + 1].hasRow(row)) rows.push_back(row);
      a_.products(rows, powers_[0], [&](std::size_t, std::size_t, const Element &product) {
        require(spaces_[s + 1].remainder(product).terms.empty(), "a product is not in the next power");
        if (rank.get() < powers_[s + 1].size()) rank.insert(product);
      });
      require(rank.get() == powers_[s + 1].size(), "the products do not span the next power");
    }
  }

  // [7] With any w, the form tr(z -> x y z w) on A/J vanishes on nilpotent ideals: not degenerate, it allows
  // none.
  void checkSemisimple() {
    claim = "radical_dimension";
    const Element w = read(proof_.contains("form") ? "form" : "identity");
    std::vector<Integer> trace(a_.dimension); // of z -> b_i z w, times a common denominator
    std::vector<std::map<Index, Integer>> image;
    for (const Element &b : basis_) {
      Element product = a_.multiply(spaces_[0].remainder(b), w);
      image.emplace_back(product.terms.begin(), product.terms.end());
    }
    for (auto [i, j, l, value] : a_.constants)
      if (auto found = image[l].find(j); found != image[l].end()) trace[i] += a_.values[value] * found->second;
    Rank form(a_.characteristic);
    for (Index i = 0; i < a_.dimension; ++i) {
      for (auto [row, j, l, value] : a_.row(i)) a_.add(j, trace[l], a_.values[value]);
      form.insert(a_.take());
    }
    require(form.get() + powers_[0].size() == basis_.size(), "the form is degenerate");
  }

  // [8] Modulo J: orthogonal idempotents e with sum 1. The dimensions of the e A e add up, so that nothing is between
  // them. The centre of each has a field F[z], and that of the quotient is no larger than these together.
  void checkComponents() {
    claim = "simple_components";
    const Json &entries = list(proof_.at("components"));
    const Element one = read("identity");
    Integer denominator = one.denominator;
    for (const Json &entry : entries) {
      idempotents_.push_back(read(entry.is_object() ? entry.at("idempotent") : entry));
      denominator = lcm(denominator, idempotents_.back().denominator);
    }
    a_.add(one, -denominator / one.denominator);
    for (const Element &e : idempotents_) a_.add(e, denominator / e.denominator);
    require(spaces_[0].remainder(a_.take()).terms.empty(), "the idempotents do not add up to 1");
    a_.products(idempotents_, idempotents_, [&](std::size_t u, std::size_t v, const Element &product) {
      require(u == v || spaces_[0].remainder(product).terms.empty(), "two idempotents are not orthogonal");
    });
    Rank all(a_.characteristic);
    std::vector<std::int64_t> dimensions(entries.size());
    a_.products(idempotents_, basis_, [&](std::size_t c, std::size_t, const Element &product) {
      std::size_t before = all.get();
      all.insert(spaces_[0].remainder(a_.multiply(product, idempotents_[c])));
      dimensions[c] += static_cast<std::int64_t>(all.get() - before);
    });
    require(all.get() + powers_[0].size() == basis_.size(), "the components do not add up to the quotient");
    Elements centers;
    std::int64_t center = 0;
    for (std::size_t c = 0; c < entries.size(); ++c) {
      Simple simple{dimensions[c], 1, 0};
      if (entries[c].contains("polynomial")) {
        centers.push_back(read(entries[c].at("center")));
        simple.center = fieldDegree(entries[c], idempotents_[c], centers.back());
      }
      std::int64_t degree = 1;
      while (degree * degree < simple.dimension / simple.center) ++degree;
      bool split = degree == 1 || a_.characteristic != 0 || entries[c].contains("nilpotent");
      if (degree > 1 && entries[c].contains("nilpotent"))
        requireNilpotent(read(entries[c].at("nilpotent")), idempotents_[c], degree);
      center += simple.center;
      simple.degree = split ? degree : 0;
      ++facts_.components[simple];
    }
    requireCenter(centers, center, spaces_[0], powers_[0].size());
  }
  // x^d = 0 but not x^(d-1), for some x in a simple component of dimension d^2 over its centre: it is M(d).
  void requireNilpotent(const Element &x, const Element &e, std::int64_t degree) const {
    Element power = e;
    for (std::int64_t d = 1; d <= degree; ++d) {
      power = spaces_[0].remainder(a_.multiply(a_.multiply(a_.multiply(power, e), x), e));
      require(power.terms.empty() == (d == degree), "an element is not nilpotent of the right index");
    }
  }
  // The degree of f, where f(z) = 0 and f is irreducible: by a value, or modulo a prime q, where y -> y^q on F_q[z] is
  // injective and fixes only the constants.
  std::int64_t fieldDegree(const Json &component, const Element &e, const Element &z) const {
    Algebra exponents;
    exponents.characteristic = a_.characteristic;
    exponents.dimension = a_.dimension + 1;
    const Element f = element(component.at("polynomial"), exponents);
    const Index degree = f.terms.empty() ? 0 : f.terms.back().first;
    require(degree > 1 && f.terms.back().second == f.denominator, "a monic polynomial of degree 2 or more is needed");
    std::map<Index, Integer> coefficients(f.terms.begin(), f.terms.end());
    Element value;
    for (Index s = degree; s >= 0; --s) { // Horner's scheme, times f's denominator
      value = spaces_[0].remainder(a_.multiply(value, z));
      a_.add(value, e.denominator);
      a_.add(e, coefficients[s] * value.denominator);
      value = a_.take(value.denominator * e.denominator);
    }
    require(spaces_[0].remainder(value).terms.empty(), "the polynomial of a centre does not vanish");
    const Json reason = component.value("irreducible", Json::object());
    if (a_.characteristic == 0 && !reason.contains("modulo")) {
      require(hasPrimeValue(f, reason), "the polynomial of a centre is not shown to be irreducible");
      return degree;
    }
    Algebra b = a_; // modulo q
    b.characteristic = a_.characteristic ? a_.characteristic : integer(reason.at("modulo"), 2, INT64_MAX);
    require(isPrime(Integer(b.characteristic)), "a modulus is not prime");
    Integer q(b.characteristic), inverse;
    auto reduce = [&](const Element &x) {
      bool unit = mpz_invert(inverse.get_mpz_t(), x.denominator.get_mpz_t(), q.get_mpz_t()) != 0;
      require(unit, "a modulus divides a denominator");
      b.add(x, inverse);
      return b.take();
    };
    reduce({{}, b.scale});
    for (Integer &constant : b.values) constant = constant * inverse % q;
    b.scale = 1;
    Elements rows;
    for (const Element &row : powers_[0]) rows.push_back(reduce(row));
    Space radical(b, rows);
    auto times = [&](const Element &x, const Element &y) { return radical.remainder(b.multiply(x, y)); };
    Rank images(b.characteristic), differences(b.characteristic);
    Element power = radical.remainder(reduce(e)), image = power, frobenius = power, base = reduce(z);
    require(f.denominator % q != 0, "a modulus divides a denominator");
    for (Integer exponent = q; exponent > 0; exponent /= 2, base = times(base, base))
      if (exponent % 2 == 1) frobenius = times(frobenius, base);
    for (Index s = 0; s < degree; ++s, power = times(power, reduce(z)), image = times(image, frobenius)) {
      images.insert(image);
      b.add(image, 1);
      b.add(power, -1);
      differences.insert(b.take());
    }
    require(images.get() == static_cast<std::size_t>(degree) && differences.get() + 1 == images.get(),
            "a centre is not shown to be a field");
    return degree;
  }

  // [9] All components are the ground field, and e_i x e_j is not in J^2, or e_i x e_j y e_l not in J^3, x and y in J.
  void checkPeirce() {
    claim = "rank_lower";
    const Json &chain = list(proof_.at("peirce")); // [i, x, j] or [i, x, j, y, l]
    require(chain.size() == 3 || chain.size() == 5, "[i, x, j] or [i, x, j, y, l] is needed");
    require(facts_.components == std::map<Simple, std::int64_t>{{{1, 1, 1}, std::ssize(idempotents_)}},
            "a component is not the ground field");
    auto end = [&](std::size_t at) { return integer(chain[at], 0, std::ssize(idempotents_) - 1); };
    Element product = idempotents_[end(0)];
    for (std::size_t at = 1; at < chain.size(); at += 2) {
      const Element arrow = read(chain[at]);
      require(end(at - 1) != end(at + 1), "neighbouring idempotents are the same");
      require(spaces_[0].remainder(arrow).terms.empty(), "an element is not in the radical");
      product = a_.multiply(a_.multiply(product, arrow), idempotents_[end(at + 1)]);
    }
    require(!spaces_[chain.size() / 2].remainder(product).terms.empty(), "the product lies in a higher power");
    facts_.arrow = true;
    facts_.chain = chain.size() == 5;
  }

  const Algebra &a_;
  Algebra commutator_;
  const Json &proof_;
  Elements basis_, idempotents_;
  std::vector<Elements> powers_; // of the radical
  std::vector<Space> spaces_;
  Facts facts_;
};

} // namespace checker
