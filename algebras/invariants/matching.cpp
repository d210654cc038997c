// Colours are 64-bit hashes. That two different neighbourhoods may by chance get one colour makes the search
// longer, never wrong: equal neighbourhoods get equal colours always, and what is found is checked.
#include "algebras/invariants/matching.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace algebras {

uint64_t mixColour(uint64_t seed, uint64_t value) {
  uint64_t x = seed * 0x9e3779b97f4a7c15u + value + 0x7f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

namespace {

using Colours = std::vector<uint64_t>;
using Triple = ColouredStructure::Triple;

class Search {
public:
  Search(const ColouredStructure &left, const ColouredStructure &right, int64_t budget)
      : left_(left), right_(right), budget_(budget) {
    for (const Triple &triple : right.triples)
      right_colours_.emplace(std::tuple(triple.first, triple.second, triple.third), triple.colour);
  }

  Matching run() {
    if (left_.colours.size() != right_.colours.size() || left_.triples.size() != right_.triples.size())
      return {Matching::Verdict::None, {}};
    Matching result;
    try {
      result.verdict = extend(left_.colours, right_.colours, result.image) ? Matching::Verdict::Found
                                                                           : Matching::Verdict::None;
    } catch (const OutOfBudget &) {
      result.image.clear();
    }
    return result;
  }

private:
  struct OutOfBudget {};

  static std::vector<size_t> sortedByColour(const Colours &colours) {
    std::vector<size_t> order(colours.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return std::tie(colours[a], a) < std::tie(colours[b], b); });
    return order;
  }

  static size_t classes(Colours colours) {
    std::sort(colours.begin(), colours.end());
    return static_cast<size_t>(std::unique(colours.begin(), colours.end()) - colours.begin());
  }

  Colours refineOnce(const ColouredStructure &structure, const Colours &colours) {
    budget_ -= static_cast<int64_t>(structure.triples.size() + colours.size());
    if (budget_ < 0)
      throw OutOfBudget();
    Colours sums(colours.size(), 0);
    for (const Triple &triple : structure.triples) {
      uint64_t a = colours[triple.first], b = colours[triple.second], c = colours[triple.third];
      uint64_t whole = mixColour(mixColour(mixColour(triple.colour, a), b), c);
      sums[triple.first] += mixColour(whole, 1);
      sums[triple.second] += mixColour(whole, 2);
      sums[triple.third] += mixColour(whole, 3);
    }
    for (size_t element = 0; element < colours.size(); ++element)
      sums[element] = mixColour(colours[element], sums[element]);
    return sums;
  }

  bool extend(Colours left, Colours right, std::vector<int64_t> &image) {
    for (size_t before = classes(left);;) {
      Colours next_left = refineOnce(left_, left), next_right = refineOnce(right_, right);
      size_t after = classes(next_left);
      if (classes(next_right) != after)
        return false;
      left = std::move(next_left);
      right = std::move(next_right);
      if (after == before)
        break;
      before = after;
    }
    std::vector<size_t> left_order = sortedByColour(left), right_order = sortedByColour(right);
    // The smallest class with two elements or more.
    size_t n = left.size(), begin = 0, chosen = 0, smallest = n + 1;
    for (size_t place = 0; place < n; ++place) {
      if (left[left_order[place]] != right[right_order[place]])
        return false;
      if (place + 1 < n && left[left_order[place]] == left[left_order[place + 1]])
        continue;
      size_t size = place + 1 - begin;
      if (size > 1 && size < smallest) {
        smallest = size;
        chosen = begin;
      }
      begin = place + 1;
    }
    if (smallest > n) {
      image.assign(n, 0);
      for (size_t place = 0; place < n; ++place)
        image[left_order[place]] = static_cast<int64_t>(right_order[place]);
      return isIsomorphism(image);
    }
    uint64_t own = mixColour(left[left_order[chosen]], 0x5eed);
    left[left_order[chosen]] = own;
    for (size_t candidate = chosen; candidate < chosen + smallest; ++candidate) {
      Colours trial = right;
      trial[right_order[candidate]] = own;
      if (extend(left, std::move(trial), image))
        return true;
    }
    return false;
  }

  bool isIsomorphism(const std::vector<int64_t> &image) const {
    for (size_t element = 0; element < image.size(); ++element)
      if (left_.colours[element] != right_.colours[image[element]])
        return false;
    return std::all_of(left_.triples.begin(), left_.triples.end(), [&](const Triple &triple) {
      auto found = right_colours_.find({image[triple.first], image[triple.second], image[triple.third]});
      return found != right_colours_.end() && found->second == triple.colour;
    });
  }

  const ColouredStructure &left_, &right_;
  int64_t budget_;
  std::map<std::tuple<int64_t, int64_t, int64_t>, uint64_t> right_colours_;
};

} // namespace

Matching match(const ColouredStructure &left, const ColouredStructure &right, int64_t budget) {
  return Search(left, right, budget).run();
}

} // namespace algebras
