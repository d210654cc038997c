#include "algebras/invariants/comparison.h"

#include "algebras/invariants/pair_off.h"
#include "algebras/invariants/proofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace algebras {

namespace {

constexpr const char *unknown = "not known";
constexpr size_t most_shown = 12;

std::string listText(const std::vector<int64_t> &values) {
  std::vector<int64_t> shown(values.begin(), values.begin() + std::min(values.size(), most_shown));
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  return values.size() > most_shown ? text + fmt::format(", ... ({} in all)", values.size()) : text;
}

// "M(2)", "a field of degree 2", "dimension 4 over its centre".
std::string componentText(const Field &field, const ComponentType &type) {
  std::string center =
      type.center_degree == 1 ? field.name() : fmt::format("a field of degree {}", type.center_degree);
  if (!type.isSplitOverCenter())
    return fmt::format("dimension {} over {}{}{}", type.dimension / type.center_degree, center,
                       type.matrix_degree == 1 ? ", a division algebra"
                       : type.matrix_degree
                           ? fmt::format(", degree {} over a division algebra", *type.matrix_degree)
                           : "",
                       type.local_indices.empty() ? "" : " of local indices " + type.local_indices);
  return *type.matrix_degree == 1 ? center : fmt::format("M({}) over {}", *type.matrix_degree, center);
}

std::string componentsText(const Field &field, const std::vector<ComponentType> &components) {
  std::vector<std::pair<std::string, int64_t>> counts;
  for (const ComponentType &type : components) {
    std::string text = componentText(field, type);
    if (counts.empty() || counts.back().first != text)
      counts.emplace_back(text, 0);
    ++counts.back().second;
  }
  std::vector<std::string> parts;
  for (const auto &[text, count] : counts)
    parts.push_back(count == 1 ? text : fmt::format("{} x {}", count, text));
  return fmt::format("{}", fmt::join(parts, ", "));
}

int64_t arrowCount(const PeirceQuiver &quiver) {
  int64_t total = 0;
  for (const auto &[pair, count] : quiver.arrows())
    total += count;
  return total;
}

// "4 vertices, 12 arrows", with the sizes of the components where they are not all 1.
std::string quiverText(const PeirceQuiver &quiver) {
  std::string text = fmt::format("{} vertices, {} arrows", quiver.vertexCount(), arrowCount(quiver));
  return quiver.isBasic()
             ? text
             : text + fmt::format(", of the basic algebra of dimension {}", quiver.basicDimension());
}

// How often each value occurs: "4 x 0, 12 x 1".
std::string cartanText(const PeirceQuiver &quiver) {
  std::map<int64_t, int64_t> counts;
  auto matrix = quiver.cartanMatrix();
  counts[0] = quiver.vertexCount() * quiver.vertexCount() - static_cast<int64_t>(matrix.size());
  for (const auto &[pair, value] : matrix)
    ++counts[value];
  std::vector<std::string> parts;
  for (auto [value, count] : counts)
    if (count > 0)
      parts.push_back(fmt::format("{} x {}", count, value));
  return "entries " + fmt::format("{}", fmt::join(parts, ", "));
}

std::string layersText(const PeirceQuiver &quiver) {
  std::vector<int64_t> totals;
  for (const auto &layer : quiver.layers) {
    totals.push_back(0);
    for (const auto &[pair, count] : layer)
      totals.back() += count;
  }
  return listText(totals);
}

class Comparer {
public:
  Comparer(const Algebra &left, const Algebra &right)
      : left_(left), right_(right), left_values_(measure(left)), right_values_(measure(right)) {}

  Comparison run() {
    const Facts &left = left_values_.facts, &right = right_values_.facts;
    same_field_ = left.field == right.field;
    add("field", left.field.name(), right.field.name(), !same_field_,
        fmt::format("the fields are {} and {}", left.field.name(), right.field.name()));
    numbers("dimension", left.dimension, right.dimension);
    flags("associative", left.associative, right.associative);
    flags("unital", left.unital, right.unital);
    flags("commutative", left.commutative, right.commutative);
    if (left.radical_series || right.radical_series)
      radicalSeries();
    if (left_values_.components || right_values_.components)
      components();
    numbers("dimension of the centre", left.center_dimension, right.center_dimension);
    if (left_values_.center && right_values_.center)
      center();
    if (left_values_.annihilators && right_values_.annihilators) {
      numbers("right annihilator of the radical", left_values_.annihilators->right,
              right_values_.annihilators->right);
      numbers("left annihilator of the radical", left_values_.annihilators->left,
              right_values_.annihilators->left);
    }
    if (left_values_.peirce || right_values_.peirce)
      peirce();
    conclude();
    return std::move(result_);
  }

private:
  void add(std::string name, std::string left, std::string right, bool differs, std::string reason = {}) {
    if (differs) {
      if (reason.empty())
        reason = fmt::format("{}: {} against {}", name, left, right);
      result_.reasons.push_back(std::move(reason));
    }
    result_.invariants.push_back({std::move(name), std::move(left), std::move(right), differs});
  }

  void numbers(const char *name, std::optional<int64_t> left, std::optional<int64_t> right) {
    auto text = [](std::optional<int64_t> value) { return value ? fmt::format("{}", *value) : unknown; };
    if (left || right)
      add(name, text(left), text(right), left && right && *left != *right);
  }

  void flags(const char *name, std::optional<bool> left, std::optional<bool> right) {
    auto text = [](std::optional<bool> value) { return !value ? unknown : *value ? "yes" : "no"; };
    add(name, text(left), text(right), left && right && *left != *right);
  }

  void radicalSeries() {
    const auto &left = left_values_.facts.radical_series, &right = right_values_.facts.radical_series;
    std::string reason;
    bool differs = left && right && *left != *right;
    if (differs) {
      size_t s = 0;
      auto at = [&](const std::vector<int64_t> &series) { return s < series.size() ? series[s] : 0; };
      while (at(*left) == at(*right))
        ++s;
      reason = fmt::format("{} has dimension {} on the left and {} on the right",
                           s == 0 ? "the radical" : fmt::format("the power rad^{} of the radical", s + 1),
                           at(*left), at(*right));
    }
    add("radical and its powers", left ? listText(*left) : unknown, right ? listText(*right) : unknown,
        differs, reason);
  }

  bool differ(const std::vector<ComponentType> &left, const std::vector<ComponentType> &right) const {
    std::optional<bool> same = pairOff(left.size(), right.size(), [&](size_t i, size_t j) {
      return sameComponent(left_.field(), left[i], right[j]);
    });
    return same_field_ && !same.value_or(true);
  }

  void components() {
    const auto &left = left_values_.components, &right = right_values_.components;
    add("simple components of A/rad", left ? componentsText(left_.field(), *left) : unknown,
        right ? componentsText(right_.field(), *right) : unknown, left && right && differ(*left, *right));
  }

  void center() {
    const CenterInvariants &left = *left_values_.center, &right = *right_values_.center;
    add("radical of the centre", listText(left.radical_series), listText(right.radical_series),
        left.radical_series != right.radical_series);
    add("components of the centre", componentsText(left_.field(), left.components),
        componentsText(right_.field(), right.components), differ(left.components, right.components));
  }

  void peirce() {
    const auto &left = left_values_.peirce, &right = right_values_.peirce;
    auto compare = [&](const char *name, std::string (*print)(const PeirceQuiver &), PeirceDetail detail,
                       const char *what) {
      std::string first = left ? print(*left) : unknown, second = right ? print(*right) : unknown;
      bool differs = same_field_ && left && right && left_.expression() != right_.expression() &&
                     matchPeirce(*left, *right, detail).verdict == Matching::Verdict::None;
      add(name, first, second, differs,
          fmt::format("no bijection of the simple components carries one {} to the other ({} against {})",
                      what, first, second));
    };
    compare("Gabriel quiver", quiverText, PeirceDetail::Arrows, "Gabriel quiver");
    compare("Cartan matrix e_i A e_j", cartanText, PeirceDetail::CartanMatrix, "Cartan matrix");
    compare("Loewy layers e_i J^s e_j", layersText, PeirceDetail::Layers, "family of Loewy layers");
  }

  void conclude() {
    if (!result_.reasons.empty()) {
      result_.verdict = Verdict::NotIsomorphic;
      return;
    }
    std::optional<IsomorphismProof> proof = proveIsomorphic(left_, left_values_, right_, right_values_);
    if (!proof)
      return;
    result_.verdict = Verdict::Isomorphic;
    result_.reasons.push_back(std::move(proof->reason));
    result_.slot_map = std::move(proof->slot_map);
  }

  const Algebra &left_, &right_;
  Invariants left_values_, right_values_;
  bool same_field_ = true;
  Comparison result_;
};

} // namespace

Comparison compare(const Algebra &left, const Algebra &right) { return Comparer(left, right).run(); }

} // namespace algebras
