// What the certificate of one table proves; the numbers in brackets are the sections of docs/certificates.md.
#pragma once

#include "checker/irreducible.h"

namespace checker {

struct Simple { // a simple algebra: its dimension, that of its centre, and n if it is M(n) over its centre (0: not
                // known)
  Index dimension, center, degree;
  auto operator<=>(const Simple &) const = default;
};
struct Facts {
  Integer dimension = 0, nonzeros = 0, rank_upper = 0, center = 0; // center: its dimension, 0 if it is not claimed
  bool associative = true, unital = true, commutative = true;
  bool arrow = false, chain = false;    // e_i J e_j, e_i J e_j J e_l not zero for some i != j != l [9]
  Element layers;                       // s: dim rad^s / rad^(s+1)
  std::map<Simple, Integer> components; // of A/rad, with their numbers; empty where nothing is claimed
};

class Leaf {
public:
  Leaf(const Algebra &algebra, const Json &proof) : a_(algebra), proof_(proof) {}

  Facts check() {
    facts_.dimension = n_;
    for (Index s = 0; s < n_; ++s) facts_.commutative &= a_.multiplication(kCommutator, {{s, 1}}).empty();
    facts_.nonzeros = facts_.rank_upper = a_.constants; // a product for each
    facts_.associative = isAssociative();
    facts_.unital = isUnital();
    if (proof_.contains("algorithm")) checkAlgorithm();
    if (!facts_.associative || !facts_.unital) return facts_;
    if (proof_.contains("center")) checkCenter();
    if (!proof_.contains("radical")) return facts_;
    checkRadical();
    checkSemisimple();
    checkComponents();
    if (proof_.contains("peirce")) checkPeirce();
    return facts_;
  }

private:
  Element read(const char *key) const { return element(proof_.at(key), a_); }
  Element times(const Element &x, const Element &y) const { return apply(a_.multiplication(kLeft, x), y, p_); }
  // g x, x g or g x - x g (or its negative) for the generators g, where it is not 0.
  Operator multiples(Side side_of_g, const Element &x) const {
    return a_.multiplication(Side(-side_of_g), x, &generators_);
  }
  void requireMultiples(Side side_of_g, const Element &x, const Space &inside, const char *otherwise) const {
    for (const auto &[g, product] : multiples(side_of_g, x)) require(inside.contains(product), otherwise);
  }
  // Adds to `space` what an element generates under multiplication by A, modulo an ideal; whether that is anything new.
  bool generate(Space &space, const Element &element, const std::vector<Side> &sides, const Space &ideal) const {
    const Index before = space.dimension();
    for (Elements queue{element}; !queue.empty();) {
      const Element rest = space.insert(ideal.remainder(queue.back()));
      queue.pop_back();
      for (Side side : sides)
        for (auto &[g, product] : multiples(side, rest)) queue.push_back(product);
    }
    return space.dimension() > before;
  }

  // [2] By a witness not; or the generators, slots, lie in the middle nucleus. They are all slots if none are given.
  bool isAssociative() {
    claim = "associative";
    if (proof_.contains("witness")) {
      const Elements w = elements(proof_.at("witness"), a_);
      require(w.size() == 4, "four slots are needed");
      Element difference = times(times(w[0], w[1]), w[2]);
      addProduct(difference, times(w[0], times(w[1], w[2])), -1);
      require(reduced(difference, p_).contains(w[3].begin()->first), "the witness is none");
      return false;
    }
    const bool given = proof_.contains("generators");
    generators_.assign(n_, !given);
    for (const Json &slot : proof_.value("generators", Json::array())) generators_[integer(slot, 0, n_ - 1)] = true;
    Space words(q_);
    for (Index g = 0; given && g < n_; ++g)
      if (generators_[g]) generate(words, {{g, 1}}, {kLeft}, zero_);
    require(!given || words.dimension() == n_, "the generators are not shown to generate");
    for (Index x = 0; x < n_; x += 128) requireMiddleNucleus(x, std::min(n_, x + 128));
    return true;
  }
  // (x g) y = x (g y) for generators g, basis elements y, and x from first to last, all at once: as digits of integers
  // to the base 2^w, which is more than a digit's absolute value.
  void requireMiddleNucleus(Index first, Index last) const {
    Integer bound = p_;
    for (const auto &[text, value] : a_.values) bound = std::max<Integer>(bound, abs(value));
    bound *= 2 * n_ * bound;
    const std::size_t w = mpz_sizeinbase(bound.get_mpz_t(), 2);
    Operator packed; // b_m -> sum of x b_m
    for (Index x = first; x < last; ++x)
      for (const Constant &c : a_.by_left[x]) packed[c.j][c.k] += *c.value << (x - first) * w;
    std::map<std::pair<Index, Index>, Element> sums; // by g and y
    for (const auto &[m, image] : packed) {
      for (const auto &[s, digits] : generators_[m] ? image : Element())
        for (const Constant &c : a_.by_left[s]) addProduct(sums[{m, c.j}][c.k], digits, *c.value);
      for (const Constant &c : a_.by_output[m]) // over GF(p) no digit becomes negative
        if (generators_[c.i]) addProduct(sums[{c.i, c.j}], image, p_ - *c.value);
    }
    for (auto &[place, sum] : sums)
      for (auto &[k, digits] : sum)
        for (; digits != 0; digits >>= w)
          require(p_ != 0 && Integer(digits & ((Integer(1) << w) - 1)) % p_ == 0, "(x g) y and x (g y) differ");
  }

  // [3] u b_j = b_j = b_j u; or equations (u b_s)_k = [s = k] and (b_s u)_k = [s = k] that add up to 0 = c, c not 0.
  bool isUnital() {
    claim = "unital";
    if (proof_.contains("identity")) {
      Operator left = a_.multiplication(kLeft, read("identity")), right = a_.multiplication(kRight, read("identity"));
      for (Index j = 0; j < n_; ++j)
        require(left[j] == Element{{j, a_.common * a_.scale}} && left[j] == right[j], "the identity is none");
      return true;
    }
    Element form; // in the coefficients of u; the right side at -1
    for (const Json &equation : proof_.at("no_identity")) {
      const bool left = equation.at(0) == "left";
      const Index s = integer(equation.at(1), 0, n_ - 1), k = integer(equation.at(2), 0, n_ - 1);
      const Integer weight = number(equation.at(3), a_.common, p_);
      for (const Constant &c : left ? a_.by_right[s] : a_.by_left[s])
        if (c.k == k) addProduct(form[left ? c.i : c.j], weight, *c.value);
      if (s == k) addProduct(form[-1], weight, a_.scale);
    }
    form = reduced(form, p_);
    require(form.size() == 1 && form.contains(-1), "no contradiction between the equations for an identity");
    return false;
  }

  // [4] x y = sum of alpha(x) beta(y) gamma.
  void checkAlgorithm() {
    claim = "rank_upper";
    std::map<std::pair<Index, Index>, Element> sums;
    for (const std::vector<Constant> &row : a_.by_left)
      for (const Constant &c : row) sums[{c.i, c.j}][c.k] = -*c.value * a_.common * a_.common * a_.common;
    for (const Json &product : proof_.at("algorithm")) {
      const Elements f = elements(product, a_);
      require(f.size() == 3, "[alpha, beta, gamma] is needed");
      for (const auto &[i, x] : f[0])
        for (const auto &[j, y] : f[1]) addProduct(sums[{i, j}], f[2], x * y * a_.scale);
    }
    for (auto &[place, sum] : sums) require(reduced(sum, p_).empty(), "the algorithm computes another product");
    facts_.rank_upper = proof_.at("algorithm").size();
  }

  // [5] Elements commute with the generators and are independent; there are no more.
  void checkCenter() {
    claim = "center_dimension";
    Space center(q_);
    const Elements elements = checker::elements(proof_.at("center"), a_);
    for (const Element &z : elements) require(!center.insert(z).empty(), "central elements depend on each other");
    requireCenter(elements, center.dimension(), zero_);
    facts_.center = center.dimension();
  }
  // Modulo an ideal, the elements are central, and g x - x g = 0 for all g leaves at most that dimension for x.
  void requireCenter(const Elements &elements, Index dimension, const Space &ideal) const {
    for (const Element &z : elements) requireMultiples(kCommutator, z, ideal, "an element is not central");
    Operator equations; // for x, by g and k; the last slot leads, which keeps those of graph algebras sparse
    for (Index s = 0; s < n_; ++s)
      if (!ideal.leads(s))
        for (const auto &[g, bracket] : multiples(kCommutator, {{s, 1}}))
          for (const auto &[k, coefficient] : ideal.remainder(bracket)) equations[g * n_ + k][-s] = coefficient;
    Space independent(q_);
    for (const auto &[place, equation] : equations)
      if (independent.dimension() + dimension + ideal.dimension() < n_) independent.insert(equation);
    require(independent.dimension() + dimension + ideal.dimension() >= n_, "the centre may be larger");
  }

  // [6] The J_s are ideals, J_s J_1 lies in J_(s+1) and spans it, and the last is 0: J_s is a power of J_1, nilpotent.
  void checkRadical() {
    claim = "radical_series";
    std::vector<Elements> powers;
    for (const Json &power : proof_.at("radical")) powers.push_back(elements(power, a_));
    const Index length = std::ssize(powers);
    powers.resize(length + 2); // 0
    for (const Elements &power : powers) radical_.emplace_back(p_, a_.common, power);
    facts_.layers[0] = n_ - radical_[0].dimension();
    Space generated(q_); // modulo J_2, by the elements that are chosen to generate J_1
    Elements generating;
    Operator columns;            // of the rows of each J_s that are not in J_(s+1): slot -> number of the row -> entry
    std::vector<Index> power_of; // row
    for (Index s = 0; s < length; ++s) {
      facts_.layers[s + 1] = radical_[s].dimension() - radical_[s + 1].dimension();
      for (const Element &row : powers[s + 1])
        require(radical_[s].contains(row), "a power is not inside the one before");
      for (const Element &row : powers[s]) {
        if (radical_[s + 1].contains(row)) continue;
        for (Side side : {kLeft, kRight})
          requireMultiples(side, row, radical_[s], "a power of the radical is not an ideal");
        if (s == 0 && generate(generated, row, {kLeft, kRight}, radical_[1])) generating.push_back(row);
        for (const auto &[slot, entry] : row) columns[slot][std::ssize(power_of)] = entry;
        power_of.push_back(s);
      }
    }
    require(length == 0 || generated.dimension() == facts_.layers[1], "the radical may need more generators");
    std::vector<Space> spanned(length, Space(q_)); // modulo J_(s+2), by products, which lie in J_(s+1)
    for (const Element &h : generating) {
      Operator products; // of the rows by h
      for (const auto &[slot, image] : a_.multiplication(kRight, h))
        for (const auto &[row, entry] : columns[slot]) addProduct(products[row], image, entry);
      for (const auto &[row, product] : products) {
        require(radical_[power_of[row] + 1].contains(reduced(product, p_)), "a product is not in the next power");
        generate(spanned[power_of[row]], product, {kRight}, radical_[power_of[row] + 2]);
      }
    }
    for (Index s = 0; s < length; ++s)
      require(facts_.layers[s + 1] > 0 &&
                  spanned[s].dimension() + radical_[s + 2].dimension() == radical_[s + 1].dimension(),
              "the products do not span the next power");
  }

  // [7] With any w, the form tr(z -> x y z w) on A/J vanishes on nilpotent ideals: not degenerate, it allows none.
  void checkSemisimple() {
    claim = "radical_dimension";
    const Operator times_w = a_.multiplication(kRight, read(proof_.contains("form") ? "form" : "identity"));
    Element trace; // of z -> b_i z w
    for (Index l = 0; l < n_; ++l) {
      Element image = apply(times_w, radical_[0].remainder({{l, 1}}), p_);
      for (const Constant &c : a_.by_output[l])
        if (image.contains(c.j)) addProduct(trace[c.i], *c.value, image[c.j]);
    }
    Space form(q_);
    for (const std::vector<Constant> &row : a_.by_left) {
      Element values; // of the form at b_i and b_j, by j
      for (const Constant &c : row) addProduct(values[c.j], trace[c.k], *c.value);
      form.insert(values);
    }
    require(form.dimension() == facts_.layers[0], "the form is degenerate");
  }

  // [8] Modulo J: central idempotents e with sum 1, so that the quotient is the product of the A e. The centre of each
  // has a field F[z], and that of the quotient is no larger than these together.
  void checkComponents() {
    claim = "simple_components";
    const Json &entries = proof_.at("components");
    Element rest = read("identity");
    for (const Json &entry : entries) {
      idempotents_.push_back(element(entry.is_object() ? entry.at("idempotent") : entry, a_));
      addProduct(rest, idempotents_.back(), -1);
    }
    require(radical_[0].contains(reduced(rest, p_)), "the idempotents do not add up to 1");
    const Index count = std::ssize(idempotents_);
    for (Index bit = 1; bit <= count; bit *= 2) { // the sum of those with this bit in their number maps them to e or 0
      Element sum;
      for (Index c = 0; c < count; ++c) addProduct(sum, idempotents_[c], c & bit ? 1 : 0);
      const Operator times_sum = a_.multiplication(kLeft, sum);
      for (Index c = 0; c < count; ++c) {
        Element product = apply(times_sum, idempotents_[c], p_);
        if (c & bit) addProduct(product, idempotents_[c], -a_.common * a_.scale);
        require(radical_[0].contains(reduced(product, p_)), "the idempotents are not orthogonal");
      }
    }
    Elements central = idempotents_;
    Integer dimension, center;
    for (Index c = 0; c < count; ++c) {
      Space component(q_);
      require(generate(component, idempotents_[c], {kLeft}, radical_[0]), "an idempotent is zero");
      Simple simple{component.dimension(), 1, 1};
      if (entries[c].contains("polynomial")) {
        central.push_back(element(entries[c].at("center"), a_));
        simple.center = fieldDegree(entries[c], idempotents_[c], central.back());
      }
      while (simple.degree * simple.degree < simple.dimension / simple.center) ++simple.degree;
      if (entries[c].contains(
              "nilpotent")) { // index d in a simple component of dimension d^2 over its centre: it is M(d)
        const Elements x = powers(element(entries[c].at("nilpotent"), a_), idempotents_[c], simple.degree);
        require(x.back().empty() && !x.end()[-2].empty(), "an element is not nilpotent of the right index");
      } else if (p_ == 0 && simple.degree > 1) {
        simple.degree = 0;
      }
      dimension += simple.dimension;
      center += simple.center;
      ++facts_.components[simple];
    }
    require(dimension == facts_.layers[0], "the components do not add up to the quotient");
    requireCenter(central, center.get_si(), radical_[0]);
  }
  // e, x e, ..., x^count e modulo J, each with the factor common^2 * scale over the one before.
  Elements powers(const Element &x, const Element &e, Index count) const {
    Elements result = {e};
    const Operator times_x = a_.multiplication(kLeft, x);
    while (std::ssize(result) <= count) result.push_back(radical_[0].remainder(apply(times_x, result.back(), p_)));
    return result;
  }
  // The degree of f, where f(z) e = 0 and f is irreducible: by a value, or modulo a prime.
  Index fieldDegree(const Json &component, const Element &e, const Element &z) const {
    const Json &polynomial = component.at("polynomial"), reason = component.value("irreducible", Json::object());
    const Integer denominator = p_ != 0 ? Integer(1) : commonDenominator(polynomial);
    const Element f = element(polynomial, n_ + 1, denominator, p_); // by exponents
    require(!f.empty() && f.rbegin()->first > 0 && f.rbegin()->second == denominator, "a polynomial is not monic");
    const Index degree = f.rbegin()->first;
    const Elements z_powers = powers(z, e, degree);
    Element value;
    Integer factor = 1;
    for (Index s = degree; s >= 0; --s, factor *= a_.common * a_.common * a_.scale)
      if (f.contains(s)) addProduct(value, z_powers[s], f.at(s) * factor);
    require(radical_[0].contains(reduced(value, p_)), "the polynomial of a centre does not vanish");
    const bool modular = p_ != 0 || reason.contains("modulo");
    const Integer q = p_ != 0 ? p_ : modular ? number(reason.at("modulo")) : Integer(0);
    require(modular ? isPrime(q) && isIrreducible(f, q) : hasPrimeValue(f, reason), "a polynomial may factor");
    return degree;
  }

  // [9] All components are the ground field, and e_i x e_j is not in J^2, or e_i x e_j y e_l not in J^3, x and y in J.
  void checkPeirce() {
    claim = "rank_lower";
    require(facts_.components == std::map<Simple, Integer>{{{1, 1, 1}, idempotents_.size()}}, "a component is not F");
    const Json &chain = proof_.at("peirce"); // [i, x, j] or [i, x, j, y, l]
    auto end = [&](std::size_t at) { return integer(chain.at(at), 0, std::ssize(idempotents_) - 1); };
    std::size_t steps = 0;
    Element product = idempotents_[end(0)];
    for (std::size_t at = 1; at < chain.size(); at += 2, ++steps) {
      const Element arrow = element(chain[at], a_);
      require(end(at - 1) != end(at + 1) && radical_[0].contains(arrow), "it is not an element between two components");
      product = times(times(product, arrow), idempotents_[end(at + 1)]);
    }
    require(!radical_[std::min(steps, radical_.size() - 1)].contains(product), "the product lies in a higher power");
    facts_.arrow = steps >= 1;
    facts_.chain = steps >= 2;
  }

  const Algebra &a_;
  const Json &proof_;
  const Index n_ = a_.dimension;
  const Integer p_ = a_.characteristic, q_ = p_ != 0 ? p_ : Integer((Integer(1) << 61) - 1); // q: for ranks
  const Space zero_{p_};
  std::vector<bool> generators_; // by slot
  std::vector<Space> radical_;   // its powers, and 0 twice
  Elements idempotents_;
  Facts facts_;
};

} // namespace checker
