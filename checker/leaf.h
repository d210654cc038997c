// What the certificate of one table proves; the numbers in brackets are the sections of docs/certificates.md.
#pragma once

#include "checker/irreducible.h"

namespace checker {
using Simple = std::array<Index, 3>; // an algebra's dimension, its centre's, and r if it is M_r of a division algebra
struct Facts {                       // (0 if that is not claimed)
  Index dimension = 0, nonzeros = 0, rank_upper = 0, center = 0; // center: its dimension, 0 if it is not claimed
  bool associative = true, commutative = true, left_identity = true, right_identity = true;
  Index chain = 0;                    // 1: e_i J e_j is not 0, 2: e_i J e_j J e_l is not, for some i != j != l [9]
  std::map<Index, Index> layers;      // s -> dim J^s / J^(s+1)
  std::map<Simple, Index> components; // of A/J, with their numbers; empty where nothing is claimed
  bool unital() const { return left_identity && right_identity; }
};

class Leaf {
public:
  Leaf(const Algebra &algebra, const Json &proof) : a_(algebra), proof_(proof) {}

  Facts check() {
    facts_.dimension = n_;
    facts_.nonzeros = facts_.rank_upper = a_.nonzeros; // a product for each
    facts_.commutative = a_.left == a_.right;
    facts_.associative = isAssociative();
    facts_.left_identity = hasIdentity(true);
    facts_.right_identity = hasIdentity(false);
    if (proof_.contains("algorithm")) checkAlgorithm(proof_.at("algorithm"));
    if (!facts_.associative || !facts_.unital()) return facts_;
    claim = "center_dimension";
    if (proof_.contains("center")) facts_.center = centerDimension(a_, n_, elements(proof_["center"], n_, p_));
    if (!proof_.contains("radical")) return facts_;
    checkRadical();
    checkSemisimple();
    checkComponents();
    if (proof_.contains("peirce")) checkPeirce();
    return facts_;
  }

private:
  Element read(const Json &value) const { return element(value, n_, p_); }
  // [2] By a witness not; or (x g) y = x (g y) for all slots.
  bool isAssociative() const {
    claim = "associative";
    if (proof_.contains("witness")) {
      const auto [i, j, k, l] = proof_.at("witness").get<std::array<Index, 4>>();
      Operator left = a_.left.at(i), middle = a_.left.at(j);
      Element difference = apply(a_.right.at(k), left[j], p_);
      addProduct(difference, apply(left, middle[k], p_), -1);
      require(reduced(difference, p_).contains(l), "the witness is none");
      return false;
    }
    for (Index g = 0; g < n_; ++g) {
      std::map<std::pair<Index, Index>, Element> sums; // by x and y
      for (const auto &[x, xg] : a_.right[g])
        for (const auto &[m, coefficient] : xg)
          for (const auto &[y, image] : a_.left[m]) addProduct(sums[{x, y}], image, coefficient);
      for (const auto &[y, gy] : a_.left[g])
        for (const auto &[m, coefficient] : gy)
          for (const auto &[x, image] : a_.right[m]) addProduct(sums[{x, y}], image, -coefficient);
      for (const auto &[place, sum] : sums) require(reduced(sum, p_).empty(), "(x g) y and x (g y) differ");
    }
    return true;
  }
  // [3] u b_j = m b_j for a left identity; or equations (u b_s)_k = [s = k] that add up to 0 = c, c not 0.
  bool hasIdentity(bool left) {
    claim = "unital";
    const Json &proof = proof_.contains("identity") ? proof_ : proof_.at(left ? "left" : "right");
    if (proof.contains("identity")) {
      identity_ = read(proof.at("identity"));
      const Operator times_u = a_.times(left ? a_.left : a_.right, identity_);
      multiple_ = times_u.at(0).at(0);
      Operator expected;
      for (Index j = 0; j < n_; ++j) expected[j] = {{j, multiple_}};
      require(times_u == expected, "the identity is none");
      return true;
    }
    Element form; // in the coefficients of u; the right side at -1
    for (const Json &equation : proof) {
      const Index s = integer(equation.at(0), 0, n_ - 1), k = integer(equation.at(1), 0, n_ - 1);
      const Integer weight = number(equation.at(2), p_);
      for (const auto &[i, image] : left ? a_.right[s] : a_.left[s])
        if (image.contains(k)) form[i] += weight * image.at(k);
      if (s == k) form[-1] += weight;
    }
    form = reduced(form, p_);
    require(form.size() == 1 && form.contains(-1), "no contradiction between the equations for an identity");
    return false;
  }
  // [4] scale * x y = sum of alpha(x) beta(y) gamma.
  void checkAlgorithm(const Json &algorithm) {
    claim = "rank_upper";
    std::vector<Operator> sums(n_);
    for (const Json &entry : algorithm.at("products")) {
      const std::vector<Element> f = elements(entry, n_, p_);
      for (const auto &[i, x] : f.at(0))
        for (const auto &[j, y] : f.at(1)) addProduct(sums[i][j], f.at(2), x * y);
    }
    for (Index i = 0; i < n_; ++i) {
      for (const auto &[j, image] : a_.left[i]) addProduct(sums[i][j], image, -number(algorithm.at("scale"), p_));
      for (const auto &[j, sum] : sums[i]) require(reduced(sum, p_).empty(), "the algorithm computes another product");
    }
    facts_.rank_upper = algorithm.at("products").size();
  }
  // [5] The elements are central in a and independent, and b_s x = x b_s for all s leaves no more dimensions for x.
  Index centerDimension(const Algebra &a, Index dimension, const std::vector<Element> &central) const {
    Operator independent, brackets, equations;
    for (const Element &z : central) {
      require(addRow(independent, z, q_), "central elements depend on each other");
      require(a.times(a.left, z) == a.times(a.right, z), "an element is not central");
    }
    for (Index s = 0; s < n_; ++s) // brackets by t and k; the last slot leads, which keeps those of graphs sparse
      for (int sign : {1, -1})
        for (const auto &[t, image] : sign > 0 ? a.left[s] : a.right[s])
          for (const auto &[k, coefficient] : image) brackets[t * n_ + k][-s] += sign * coefficient;
    for (const auto &[place, equation] : brackets)
      if (dimension > std::ssize(central)) dimension -= addRow(equations, equation, q_);
    require(dimension == std::ssize(central), "the centre may be larger");
    return dimension;
  }
  // [6] J_s, spanned by slots of level s and more, is an ideal, J_s J_t lies in J_(s+t), and J_1 J_s spans J_(s+1).
  void checkRadical() {
    claim = "radical_series";
    const Json &layers = proof_.at("radical");
    for (size_t s = 0; s < layers.size(); ++s)
      for (Index slot : slots(layers[s], n_)) require(std::exchange(level_[slot], s + 1) == 0, "a slot twice");
    std::vector<bool> spanned(n_);
    for (Index i = 0; i < n_; ++i)
      for (const auto &[j, image] : a_.left[i]) {
        std::vector<Index> top; // what does not lie deeper
        for (const auto &[k, value] : image) {
          require(level_[k] >= level_[i] + level_[j], "a product is not in the power of the radical where it belongs");
          if (level_[k] == level_[i] + level_[j]) top.push_back(k);
          if (level_[k] == 0) top_.add(i, j, k, value);
        }
        if (level_[i] == 1 && level_[j] > 0 && top.size() == 1) spanned[top[0]] = true;
      }
    for (Index s = 0; s < n_; ++s) {
      require(level_[s] < 2 || spanned[s], "the products do not span the next power");
      ++facts_.layers[level_[s]];
    }
    require(facts_.layers.size() == layers.size() + 1, "a layer is empty");
  }
  // [7] With any w, the form tr(z -> x y z w) on A/J vanishes on nilpotent ideals: not degenerate, it allows none.
  void checkSemisimple() {
    claim = "radical_dimension";
    const Json w = proof_.contains("form") && p_ != 0 ? proof_.at("form") : Json();
    const Operator times_w = top_.times(top_.right, w.is_null() ? identity_ : read(w));
    Operator form;
    for (Index i = 0; i < n_; ++i)
      for (const auto &[z, image] : top_.left[i]) trace_[i][0] += apply(times_w, image, p_)[z];
    for (const Operator &left : top_.left) {
      Element values; // of the form at b_i and b_j, by j
      for (const auto &[j, image] : left) values[j] = apply(trace_, image, p_)[0];
      addRow(form, values, q_);
    }
    require(std::ssize(form) == facts_.layers[0], "the form is degenerate");
  }
  // [8] Modulo J, slots span A e for central idempotents e with sum 1, so that A/J is the product of these. The centre
  // of each has a field F[z_1, ...], and that of A/J is no larger than these together.
  void checkComponents() {
    claim = "simple_components";
    std::vector<char> placed(n_); // slots
    std::vector<Element> central;
    for (const Json &entry : proof_.at("components")) {
      const std::vector<Index> own = slots(entry.is_object() ? entry.at("slots") : entry, n_);
      Element e;
      Operator projection;
      for (Index s : own) {
        require(level_[s] == 0 && !std::exchange(placed[s], true), "a slot is in the radical or in two components");
        if (identity_.contains(s)) e[s] = identity_[s];
        projection[s] = {{s, multiple_}};
      }
      require(top_.times(top_.left, e) == projection, "components multiply into each other");
      const Index size = std::ssize(own), center = addField(entry, e, central);
      Index n = 1, r = 1, index = 1; // M_r of a division algebra, of a degree that is a multiple of index
      while (n * n * center < size) ++n;
      if (a_.times(a_.left, e) == a_.times(a_.right, e)) blocks_.push_back(n);
      if (entry.contains("nilpotent")) {
        const Operator times_x = top_.times(top_.left, read(entry.at("nilpotent")));
        for (e = apply(times_x, e, p_); !e.empty(); e = apply(times_x, e, p_))
          require(++r <= n, "an element is not nilpotent");
      }
      for (const Json &place : entry.contains("division") ? entry.at("division") : Json::array())
        index = std::lcm(index, localIndex(projection, n, center, place));
      ++facts_.components[{size, center, p_ != 0 ? n : r * index == n ? r : 0}];
    }
    require(std::count(placed.begin(), placed.end(), true) == facts_.layers[0], "a slot is in no component");
    centerDimension(top_, facts_.layers[0], central);
  }
  // Adds the monomials in z_1, z_2, ..., times e, to `central`. They span a field: the polynomials of the z, each with
  // coefficients in the monomials before, by exponent * their number + monomial, are irreducible.
  Index addField(const Json &component, const Element &e, std::vector<Element> &central) const {
    std::vector<Element> tower, monomials = {e};
    for (const Json &step : component.contains("center") ? component.at("center") : Json::array()) {
      const Index count = std::ssize(monomials);
      tower.push_back(element(step.at("polynomial"), n_ + 1, p_));
      const auto [last, leading] = tower.back().empty() ? std::pair<const Index, Integer>() : *tower.back().rbegin();
      require(last > 0 && last % count == 0 && leading == 1, "a polynomial is not monic");
      const Operator times_z = top_.times(top_.left, read(step.at("element")));
      for (Index at = 0; at <= last - count; ++at) monomials.push_back(apply(times_z, monomials[at], p_));
      Element sum;
      for (const auto &[place, coefficient] : tower.back()) addProduct(sum, monomials[place], coefficient);
      require(reduced(sum, p_).empty(), "the polynomial of a centre does not vanish");
      const Json primes = p_ == 0 ? step.at("irreducible") : Json::array({{{"modulo", p_.get_str()}}});
      require(isIrreducible(tower, primes), "a polynomial may factor");
      monomials.resize(last);
    }
    central.insert(central.end(), monomials.begin(), monomials.end());
    return std::ssize(monomials);
  }
  // A divisor of the index of the simple algebra onto which `projection` goes, n^2-dimensional over its centre: that of
  // a completion, at a real place, where the form of [7] tells, or at a prime, where an order has a principal radical.
  Index localIndex(const Operator &projection, Index n, Index center, const Json &place) const {
    const std::vector<Element> basis = elements(place.at("basis"), n_, 0);
    require(basis.size() == projection.size(), "the elements are no basis");
    for (const Element &x : basis) require(apply(projection, x, 0).size() == x.size(), "an element from outside");
    if (!place.contains("modulo")) { // the basis is orthogonal for the form, and that of the centre comes first
      Index signature = 0, real_places = 0;
      for (Index i = 0; i < std::ssize(basis); ++i) {
        const Operator left = top_.times(top_.left, basis[i]);
        require(i >= center || left == top_.times(top_.right, basis[i]), "an element is not central");
        for (Index j = 0, sign = 0; j <= i; ++j, signature += sign, real_places += i < center ? sign : 0) {
          sign = sgn(apply(trace_, apply(left, basis[j], 0), 0)[0]);
          require((sign != 0) == (i == j), "a basis is not orthogonal");
        }
      }
      return signature < n * real_places ? 2 : 1;
    }
    const Algebra order = readAlgebra(place, 0);
    requireHomomorphism(order, top_, basis, number(place.at("scale")));
    Algebra residue(number(place.at("modulo")), order.dimension);
    require(isPrime(residue.characteristic), "a modulus is not prime");
    for (Index i = 0; i < order.dimension; ++i)
      for (const auto &[j, image] : order.left[i])
        for (const auto &[k, value] : reduced(image, residue.characteristic)) residue.add(i, j, k, value);
    Leaf modulo(residue, place.at("proof"));
    const Index radical = order.dimension - modulo.check().layers[0];
    claim = "simple_components";
    const Element x = element(place.at("uniformizer"), order.dimension, 0);
    for (const auto &[slot, c] : reduced(x, modulo.p_)) require(modulo.level_[slot] > 0, "not in the radical");
    const Operator times_x = order.times(order.left, x);
    Operator ideal;
    for (const auto &[j, image] : times_x) addRow(ideal, image, modulo.p_);
    Element multiple = modulo.identity_; // of p
    for (auto &[slot, c] : multiple) c *= -modulo.p_;
    addProduct(multiple, apply(times_x, element(place.at("cofactor"), order.dimension, 0), 0), 1);
    require(std::ssize(ideal) == radical && reduced(multiple, modulo.p_ * modulo.p_).empty(), "it is not generated");
    Index index = 1;
    for (Index matrices : modulo.blocks_) index = std::lcm(index, n / matrices);
    return index;
  }
  // [9] All components are F, and b_i x b_j is not in J^2, or b_i x b_j y b_l not in J^3, x and y in J.
  void checkPeirce() {
    claim = "rank_lower";
    for (const auto &[simple, count] : facts_.components) require(simple[0] == 1, "a component is not F");
    const std::vector<Index> chain = proof_.at("peirce"); // i, j or i, j, l, and between them slots x, y of J
    Element rest = {{chain.at(0), 1}};
    for (size_t at = 0; at < chain.size(); ++at) {
      const Index level = level_.at(chain[at]);
      require(at % 2 == 0 ? level == 0 && (at < 2 || chain[at - 2] != chain[at]) : level > 0, "these are no chain");
      if (at > 0) rest = apply(a_.right[chain[at]], rest, p_);
    }
    std::erase_if(rest, [&](const auto &term) { return level_[term.first] > std::ssize(chain) / 2; });
    require(chain.size() % 2 == 1 && !rest.empty(), "the product lies in a higher power");
    facts_.chain = chain.size() / 2;
  }

  const Algebra &a_;
  const Json &proof_;
  const Index n_ = a_.dimension;
  const Integer p_ = a_.characteristic, q_ = p_ != 0 ? p_ : rank_prime; // q: for ranks
  std::vector<Index> level_ = std::vector<Index>(n_); // of slots: J_s is spanned by those of level s and more
  Algebra top_ = Algebra(p_, n_);                     // A/J
  Element identity_;
  Integer multiple_; // b_j -> identity_ b_j is this multiple of the identity
  Facts facts_;
  Operator trace_;            // b_i -> the trace of z -> b_i z w modulo J [7]
  std::vector<Index> blocks_; // matrix degrees of the components, modulo J, of direct factors of A
};
} // namespace checker
