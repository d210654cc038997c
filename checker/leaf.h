// What the certificate of one table proves; the numbers in brackets are the sections of docs/certificates.md.
#pragma once

#include "checker/irreducible.h"

namespace checker {
using Simple = std::array<Index, 3>; // an algebra's dimension, its centre's, and n if it is M(n) over that, or 0
struct Facts {
  Index dimension = 0, nonzeros = 0, rank_upper = 0, center = 0; // center: its dimension, 0 if it is not claimed
  bool associative = true, unital = true, commutative = true;
  Index chain = 0;                    // 1: e_i J e_j is not 0, 2: e_i J e_j J e_l is not, for some i != j != l [9]
  std::map<Index, Index> layers;      // s -> dim J^s / J^(s+1)
  std::map<Simple, Index> components; // of A/J, with their numbers; empty where nothing is claimed
};

class Leaf {
public:
  Leaf(const Algebra &algebra, const Json &proof) : a_(algebra), proof_(proof) {}

  Facts check() {
    facts_.dimension = n_;
    facts_.nonzeros = facts_.rank_upper = a_.nonzeros; // a product for each
    facts_.commutative = a_.left == a_.right;
    facts_.associative = isAssociative();
    facts_.unital = isUnital();
    if (proof_.contains("algorithm")) checkAlgorithm(proof_.at("algorithm"));
    if (!facts_.associative || !facts_.unital) return facts_;
    claim = "center_dimension";
    if (proof_.contains("center")) facts_.center = centerDimension(elements(proof_["center"], n_, p_), kMostSlots);
    if (!proof_.contains("radical")) return facts_;
    checkRadical();
    checkSemisimple();
    checkComponents();
    if (proof_.contains("peirce")) checkPeirce();
    return facts_;
  }

private:
  Element read(const Json &value) const { return element(value, n_, p_); }
  Operator times(const std::vector<Operator> &side, const Element &x, Index level) const { // modulo J_level
    Operator result = a_.times(side, x);
    for (auto &[j, image] : result) std::erase_if(image, [&](const auto &term) { return level_[term.first] >= level; });
    std::erase_if(result, [](const auto &entry) { return entry.second.empty(); });
    return result;
  }

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

  // [3] u b_j = m b_j = b_j u; or equations (u b_s)_k = [s = k] and (b_s u)_k = [s = k] that add up to 0 = c, c not 0.
  bool isUnital() {
    claim = "unital";
    if (proof_.contains("identity")) {
      identity_ = read(proof_.at("identity"));
      const Operator left = a_.times(a_.left, identity_);
      multiple_ = left.at(0).at(0);
      Operator expected;
      for (Index j = 0; j < n_; ++j) expected[j] = {{j, multiple_}};
      require(left == expected && left == a_.times(a_.right, identity_), "the identity is none");
      return true;
    }
    Element form; // in the coefficients of u; the right side at -1
    for (const Json &equation : proof_.at("no_identity")) {
      const Index s = integer(equation.at(1), 0, n_ - 1), k = integer(equation.at(2), 0, n_ - 1);
      const Integer weight = number(equation.at(3), p_);
      for (const auto &[i, image] : equation.at(0) == "left" ? a_.right[s] : a_.left[s])
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

  // [5] Modulo J_level the elements are central and independent, and b_s x = x b_s for all s leaves no more for x.
  Index centerDimension(const std::vector<Element> &central, Index level) const {
    Operator independent, brackets, equations;
    for (const Element &z : central) {
      require(addRow(independent, z, q_), "central elements depend on each other");
      require(times(a_.left, z, level) == times(a_.right, z, level), "an element is not central");
    }
    Index dimension = n_;            // of the centre, at most
    for (Index s = 0; s < n_; ++s) { // brackets by t and k; the last slot leads, which keeps those of graphs sparse
      for (int sign : {1, -1})
        for (const auto &[t, image] : times(sign > 0 ? a_.left : a_.right, {{s, sign}}, level))
          for (const auto &[k, coefficient] : image) brackets[t * n_ + k][-s] += coefficient;
      dimension -= level_[s] >= level;
    }
    for (const auto &[place, equation] : brackets)
      if (dimension > std::ssize(central)) dimension -= addRow(equations, equation, q_);
    require(dimension == std::ssize(central), "the centre may be larger");
    return dimension;
  }

  // [6] J_s, spanned by slots of level s and more, is an ideal, J_s J_t lies in J_(s+t), and J_1 J_s spans J_(s+1).
  void checkRadical() {
    claim = "radical_series";
    const Json &layers = proof_.at("radical");
    for (std::size_t s = 0; s < layers.size(); ++s)
      for (Index slot : slots(layers[s], n_)) require(std::exchange(level_[slot], s + 1) == 0, "a slot twice");
    std::vector<bool> spanned(n_);
    for (Index i = 0; i < n_; ++i)
      for (const auto &[j, image] : a_.left[i]) {
        std::vector<Index> top; // what does not lie deeper
        for (const auto &[k, value] : image) {
          require(level_[k] >= level_[i] + level_[j], "a product is not in the power of the radical where it belongs");
          if (level_[k] == level_[i] + level_[j]) top.push_back(k);
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
    Operator times_w = times(a_.right, proof_.contains("form") ? read(proof_.at("form")) : identity_, 1);
    Operator trace, form; // trace: of z -> b_i z w
    for (Index i = 0; i < n_; ++i)
      for (const auto &[z, image] : a_.left[i])
        if (level_[z] == 0) trace[i][0] += apply(times_w, image, p_)[z];
    for (const Operator &left : a_.left) {
      Element values; // of the form at b_i and b_j, by j
      for (const auto &[j, image] : left) values[j] = apply(trace, image, p_)[0];
      addRow(form, values, q_);
    }
    require(std::ssize(form) == facts_.layers[0], "the form is degenerate");
  }

  // [8] Modulo J, slots span A e for central idempotents e with sum 1, so that A/J is the product of these. The centre
  // of each has a field F[z], and that of A/J is no larger than these together.
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
      require(times(a_.left, e, 1) == projection, "components multiply into each other");
      const Index size = std::ssize(own), center = entry.contains("polynomial") ? addField(entry, e, central) : 1;
      if (!entry.contains("polynomial")) central.push_back(e);
      Index n = 1;
      while (n * n * center < size) ++n;
      if (entry.contains("nilpotent")) { // of index n in a simple algebra of dimension n^2 over its centre: it is M(n)
        const Operator times_x = times(a_.left, read(entry.at("nilpotent")), 1);
        for (Index s = 1; s < n; ++s) e = apply(times_x, e, p_);
        require(!e.empty() && apply(times_x, e, p_).empty(), "an element is not nilpotent of the right index");
      }
      ++facts_.components[{size, center, p_ != 0 || n == 1 || entry.contains("nilpotent") ? n : 0}];
    }
    require(std::count(placed.begin(), placed.end(), true) == facts_.layers[0], "a slot is in no component");
    centerDimension(central, 1);
  }
  // Adds e, z e, ..., z^(m-1) e, a basis of the field F[z] e, where f(z) e = 0 for an irreducible f of degree m.
  Index addField(const Json &component, const Element &e, std::vector<Element> &central) const {
    const Element f = element(component.at("polynomial"), n_ + 1, p_); // by exponents
    require(!f.empty() && f.rbegin()->first > 0 && f.rbegin()->second == 1, "a polynomial is not monic");
    const Operator times_z = times(a_.left, read(component.at("center")), 1);
    Element sum, power = e;
    for (Index s = 0; s <= f.rbegin()->first; ++s, power = apply(times_z, power, p_)) {
      if (f.contains(s)) addProduct(sum, power, f.at(s));
      if (s < f.rbegin()->first) central.push_back(power);
    }
    require(reduced(sum, p_).empty(), "the polynomial of a centre does not vanish");
    const Json reason = p_ == 0 ? component.at("irreducible") : Json{{"modulo", p_.get_str()}};
    require(reason.contains("modulo") ? isIrreducible(f, number(reason["modulo"])) : hasPrimeValue(f, reason),
            "a polynomial may factor");
    return f.rbegin()->first;
  }

  // [9] All components are F, and b_i x b_j is not in J^2, or b_i x b_j y b_l not in J^3, x and y in J.
  void checkPeirce() {
    claim = "rank_lower";
    for (const auto &[simple, count] : facts_.components) require(simple[0] == 1, "a component is not F");
    const std::vector<Index> chain = proof_.at("peirce"); // i, j or i, j, l, and between them slots x, y of J
    Element rest = {{chain.at(0), 1}};
    for (std::size_t at = 0; at < chain.size(); ++at) {
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
  const Integer p_ = a_.characteristic, q_ = p_ != 0 ? p_ : kRankPrime; // q: for ranks
  std::vector<Index> level_ = std::vector<Index>(n_); // of slots: J_s is spanned by those of level s and more
  Element identity_;
  Integer multiple_; // b_j -> identity_ b_j is this multiple of the identity
  Facts facts_;
};
} // namespace checker
