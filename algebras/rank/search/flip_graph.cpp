#include "algebras/rank/search/flip_graph.h"

#include <utility>

namespace algebras::rank {

namespace {

constexpr int starts = 64;           // products for which another with a common factor is looked for
constexpr int attempts = 400;        // to find two products without one
constexpr int64_t patience = 50'000; // steps without progress before products are split
constexpr size_t most_above_best = 2;

template <typename Vector> void normalise(Term<Vector> &term) {
  for (Vector &factor : term.factors)
    term.sign *= factor.normalise();
}

template <typename Vector> Vector signedFactor(const Term<Vector> &term, int place) {
  return term.sign > 0 ? term.factors[place] : -term.factors[place];
}

template <typename Vector> bool isZero(const Term<Vector> &term) {
  return term.factors[0].isZero() || term.factors[1].isZero() || term.factors[2].isZero();
}

template <typename Vector> int agreements(const Term<Vector> &x, const Term<Vector> &y) {
  return (x.factors[0] == y.factors[0]) + (x.factors[1] == y.factors[1]) + (x.factors[2] == y.factors[2]);
}

} // namespace

template <typename Vector>
FlipGraph<Vector>::FlipGraph(Terms start, uint64_t seed)
    : terms_(std::move(start)), state_((seed + 1) * 0x9E3779B97F4A7C15ull | 1) {
  for (Term<Vector> &term : terms_)
    normalise(term);
  reduce();
  best_ = terms_;
}

// xorshift: the walk needs speed, not quality.
template <typename Vector> uint64_t FlipGraph<Vector>::random() {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return state_;
}

template <typename Vector> bool FlipGraph<Vector>::shrinksWith(size_t changed) const {
  if (isZero(terms_[changed]))
    return true;
  for (size_t other = 0; other < terms_.size(); ++other)
    if (other != changed && agreements(terms_[other], terms_[changed]) >= 2)
      return true;
  return false;
}

template <typename Vector> void FlipGraph<Vector>::reduce() {
  for (bool changed = true; changed;) {
    changed = false;
    std::erase_if(terms_, [](const Term<Vector> &term) { return isZero(term); });
    for (size_t i = 0; i < terms_.size() && !changed; ++i)
      for (size_t j = i + 1; j < terms_.size() && !changed; ++j) {
        if (agreements(terms_[i], terms_[j]) < 2)
          continue;
        int place = 0; // the one that may differ
        while (place < 2 && terms_[i].factors[place] == terms_[j].factors[place])
          ++place;
        terms_[i].factors[place] = signedFactor(terms_[i], place) + signedFactor(terms_[j], place);
        terms_[i].sign = 1;
        normalise(terms_[i]);
        terms_[j] = terms_.back();
        terms_.pop_back();
        changed = true;
      }
  }
}

template <typename Vector> bool FlipGraph<Vector>::flip() {
  size_t count = terms_.size();
  if (count < 2)
    return false;
  for (int attempt = 0; attempt < starts; ++attempt) {
    // From a random product on, the next one that shares the factor at a random place.
    uint64_t bits = random();
    size_t i = (bits & 0xffffff) % count, start = (bits >> 24 & 0xffffff) % count, j = count;
    int place = static_cast<int>((bits >> 48) % 3);
    const Vector shared = terms_[i].factors[place];
    for (size_t step = 0; step < count; ++step) {
      size_t other = start + step < count ? start + step : start + step - count;
      if (other != i && terms_[other].factors[place] == shared) {
        j = other;
        break;
      }
    }
    if (j == count)
      continue;
    int p = (place + 1) % 3, q = (place + 2) % 3;
    if (bits >> 60 & 1)
      std::swap(p, q);
    bool minus = bits >> 61 & 1;
    // s u v w + s' u v' w' = s u (v + l v') w + u v' (s' w' - l s w)
    Vector moved = signedFactor(terms_[i], q);
    terms_[i].factors[p] = terms_[i].factors[p] + (minus ? -terms_[j].factors[p] : terms_[j].factors[p]);
    terms_[j].factors[q] = signedFactor(terms_[j], q) + (minus ? moved : -moved);
    terms_[j].sign = 1;
    normalise(terms_[i]);
    normalise(terms_[j]);
    if (shrinksWith(i) || shrinksWith(j))
      reduce();
    return true;
  }
  return false;
}

template <typename Vector> void FlipGraph<Vector>::split() {
  size_t count = terms_.size();
  if (count < 2)
    return;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    uint64_t bits = random();
    size_t i = (bits & 0xffffff) % count, j = (bits >> 24 & 0xffffff) % count;
    if (i == j || agreements(terms_[i], terms_[j]) > 0)
      continue;
    int a = static_cast<int>((bits >> 48) % 3), b = (a + 1) % 3, c = (a + 2) % 3;
    // a b c + a' b' c' = a (b + b') c + a b' (c' - c) + (a' - a) b' c', with the signs at c.
    const Term<Vector> first = terms_[i], second = terms_[j];
    Vector c_first = signedFactor(first, c), c_second = signedFactor(second, c);
    Term<Vector> x, y, z;
    x.factors[a] = y.factors[a] = first.factors[a];
    x.factors[b] = first.factors[b] + second.factors[b];
    x.factors[c] = c_first;
    y.factors[b] = z.factors[b] = second.factors[b];
    y.factors[c] = c_second + -c_first;
    z.factors[a] = second.factors[a] + -first.factors[a];
    z.factors[c] = c_second;
    for (Term<Vector> *term : {&x, &y, &z})
      normalise(*term);
    terms_[i] = x;
    terms_[j] = y;
    terms_.push_back(z);
    reduce();
    return;
  }
}

template <typename Vector> bool FlipGraph<Vector>::recordBest() {
  if (terms_.size() >= best_.size())
    return false;
  best_ = terms_;
  last_progress_ = step_;
  return true;
}

template <typename Vector> bool FlipGraph<Vector>::walk(int64_t steps) {
  bool shorter = false;
  for (int64_t end = step_ + steps; step_ < end; ++step_) {
    size_t before = terms_.size();
    bool moved = flip();
    if (terms_.size() < before)
      last_progress_ = step_;
    shorter = recordBest() || shorter;
    if (moved && step_ - last_progress_ <= patience)
      continue;
    last_progress_ = step_;
    if (terms_.size() < best_.size() + most_above_best)
      split();
    else
      terms_ = best_;
    shorter = recordBest() || shorter;
  }
  return shorter;
}

template class FlipGraph<BinaryVector>;
template class FlipGraph<TernaryVector>;

} // namespace algebras::rank
