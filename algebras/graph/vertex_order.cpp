#include "algebras/graph/vertex_order.h"

#include <algorithm>
#include <compare>
#include <numeric>
#include <string_view>

namespace algebras {

namespace {

bool isInteger(std::string_view text) {
  if (text.starts_with('-'))
    text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Sign, and digits without leading zeros: integers of any length compare by these.
struct Integer {
  bool negative;
  std::string_view digits;

  explicit Integer(std::string_view text) : negative(text.starts_with('-')), digits(text.substr(negative)) {
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    negative = negative && !digits.empty();
  }
};

bool isLess(const Integer &left, const Integer &right) {
  if (left.negative != right.negative)
    return left.negative;
  const Integer &small = left.negative ? right : left;
  const Integer &large = left.negative ? left : right;
  if (small.digits.size() != large.digits.size())
    return small.digits.size() < large.digits.size();
  return small.digits < large.digits;
}

} // namespace

std::vector<int64_t> vertexOrder(const std::vector<std::string> &names) {
  std::vector<int64_t> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  // "1" and "01" are two vertices, and stay in the order of the file.
  if (std::all_of(names.begin(), names.end(), isInteger))
    std::sort(order.begin(), order.end(), [&](int64_t left, int64_t right) {
      Integer a(names[left]), b(names[right]);
      return isLess(a, b) || (!isLess(b, a) && left < right);
    });
  return order;
}

Graph makeNamedGraph(std::vector<std::string> names, std::vector<Graph::Edge> edges) {
  std::vector<int64_t> order = vertexOrder(names), place(names.size());
  std::vector<std::string> sorted(names.size());
  for (size_t index = 0; index < order.size(); ++index) {
    place[order[index]] = static_cast<int64_t>(index);
    sorted[index] = std::move(names[order[index]]);
  }
  for (auto &[source, target] : edges) {
    source = place[source];
    target = place[target];
  }
  auto count = static_cast<int64_t>(sorted.size());
  return makeGraph(count, std::move(edges), std::move(sorted));
}

} // namespace algebras
