// Supports by formulas and as products, against their definitions; and the descriptions that do not fit.
#include "runtime/bundle/bundle.h"

#include "runtime/bundle/json_fields.h"
#include "runtime/bundle/writer.h"
#include "runtime/support/error.h"
#include "tests/runtime/shapes.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <tuple>

namespace algrt {
namespace {

Layer layerOf(Lift lift, int64_t types, std::vector<int64_t> widths) {
  Layer layer{};
  layer.lift = lift;
  layer.types = types;
  layer.in_groups = layer.weight_rows = layer.out_groups = std::move(widths);
  for (int64_t width : layer.in_groups)
    layer.k = layer.n += width;
  return layer;
}

// The terms of each (type, output group), and what the manifest and a section say about them.
struct Factor {
  int64_t types, groups;
  std::vector<std::vector<Term>> slots;
  nlohmann::json json;
  std::string section;
};

Factor formula(const std::string &kind, int64_t groups) {
  Factor factor{kind == "full" ? 1 : groups, groups, {}, {{"kind", kind}, {"groups", groups}}, {}};
  for (int64_t type = 0; type < factor.types; ++type)
    for (int64_t group = 0; group < groups; ++group) {
      std::vector<Term> &terms = factor.slots.emplace_back();
      for (int64_t k = 0; k < groups; ++k)
        if (kind == "full" || (kind == "complete" && (k == type || k == group)) ||
            (kind == "triangular" && type <= k && k <= group) ||
            (kind == "diagonal" && type == k && k == group))
          terms.push_back({int32_t(k), int32_t(k), 1.0});
    }
  return factor;
}

// In the row lift terms name one group twice.
Factor table(std::mt19937 &random, Lift lift, size_t number) {
  const int64_t groups = 1 + int64_t(random() % 3);
  Factor factor{lift == Lift::Rows ? 1 + int64_t(random() % 3) : 1, groups, {}, {}, {}};
  const double coefficients[] = {1, -1, 0.25, -1.0 / 3};
  for (int64_t slot = 0; slot < factor.types * groups; ++slot) {
    std::vector<Term> &terms = factor.slots.emplace_back();
    for (int32_t input = 0; input < groups; ++input)
      for (int32_t weight_row = 0; weight_row < groups; ++weight_row)
        if (random() % 2 && (lift == Lift::Slots || input == weight_row))
          terms.push_back({input, weight_row, coefficients[random() % 4]});
  }
  factor.json = {{"kind", "table"}, {"section", "terms-" + std::to_string(number)}};
  factor.section = encodeTerms(factor.types, groups, factor.slots);
  return factor;
}

Support read(const std::vector<Factor> &factors, const Layer &layer) {
  nlohmann::json json = {{"kind", "product"}, {"factors", nlohmann::json::array()}};
  for (const Factor &factor : factors)
    json["factors"].push_back(factor.json);
  const auto section_of = [&](const std::string &name) -> std::string_view {
    const auto found = std::find_if(factors.begin(), factors.end(), [&](const Factor &factor) {
      return factor.json.contains("section") && factor.json["section"] == name;
    });
    return found->section;
  };
  return Support::parse(parseSupportDescription(JsonFields(json, "support"), layer), section_of, layer);
}

// Terms by their places.
using Places = std::map<std::pair<int64_t, int64_t>, double>;

Places productOf(const std::vector<Factor> &factors, int64_t type, int64_t group) {
  Places product{{{0, 0}, 1.0}};
  int64_t types = 1, groups = 1;
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
    const size_t slot =
        size_t(type / types % factor->types * factor->groups + group / groups % factor->groups);
    Places next;
    for (const auto &[place, coefficient] : product)
      for (const Term &term : factor->slots[slot])
        next[{term.input_group * groups + place.first, term.weight_row * groups + place.second}] =
            term.coefficient * coefficient;
    product = next;
    types *= factor->types;
    groups *= factor->groups;
  }
  return product;
}

void expectProduct(const std::vector<Factor> &factors, const Support &support, const Layer &layer) {
  TermStorage storage; // used again for every slot
  for (int64_t type = 0; type < layer.types; ++type) {
    int64_t count = 0, macs = 0;
    for (int64_t group = 0; group < int64_t(layer.out_groups.size()); ++group) {
      const std::span<const Term> terms = support.terms(type, group, storage);
      Places actual;
      for (const Term &term : terms) {
        actual[{term.input_group, term.weight_row}] = term.coefficient;
        macs += layer.in_groups[size_t(term.input_group)] * layer.out_groups[size_t(group)];
      }
      EXPECT_EQ(actual, productOf(factors, type, group)) << type << ", " << group;
      EXPECT_EQ(actual.size(), terms.size());
      EXPECT_TRUE(std::is_sorted(terms.begin(), terms.end(), [](const Term &a, const Term &b) {
        return std::tie(a.input_group, a.weight_row) < std::tie(b.input_group, b.weight_row);
      }));
      count += int64_t(terms.size());
    }
    EXPECT_EQ(support.countOfType(type), count);
    EXPECT_EQ(support.rowMacs(layer, type), macs);
  }
}

TEST(Support, FormulasAreTheirDefinitions) {
  for (const char *kind : {"complete", "triangular", "diagonal", "full"})
    for (int64_t groups : {1, 2, 5}) {
      const Factor factor = formula(kind, groups);
      SCOPED_TRACE(factor.json.dump());
      std::vector<int64_t> widths;
      for (int64_t group = 0; group < groups; ++group)
        widths.push_back(group % 3 + 1);
      const Layer layer = layerOf(Lift::Rows, factor.types, widths);
      const nlohmann::json json = {{"kind", kind}};
      const auto none = [](const std::string &) -> std::string_view { return {}; };
      expectProduct({factor},
                    Support::parse(parseSupportDescription(JsonFields(json, "support"), layer), none, layer),
                    layer);
    }
}

TEST(Support, ProductsAreExpandedAsTheyAreDefined) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const Lift lift = round % 3 == 0 ? Lift::Slots : Lift::Rows;
    std::vector<Factor> factors;
    int64_t types = 1, groups = 1;
    for (size_t count = 1 + random() % 4; factors.size() < count;) {
      static const char *const kinds[] = {"complete", "triangular", "diagonal", "full"};
      factors.push_back(lift == Lift::Slots || random() % 2
                            ? table(random, lift, factors.size())
                            : formula(kinds[random() % 4], 1 + int64_t(random() % 3)));
      types *= factors.back().types;
      groups *= factors.back().groups;
    }
    std::vector<int64_t> widths(static_cast<size_t>(groups), 3);
    if (lift == Lift::Rows && random() % 2)
      for (int64_t &width : widths)
        width = 1 + int64_t(random() % 4);
    const Layer layer = layerOf(lift, types, widths);
    expectProduct(factors, read(factors, layer), layer);
  }
}

std::string refusal(const std::vector<Factor> &factors, const Layer &layer) {
  try {
    read(factors, layer);
  } catch (const Error &error) {
    return error.what();
  }
  return "accepted";
}

TEST(Support, ProductsThatDoNotFitAreRefused) {
  const Layer layer = layerOf(Lift::Rows, 4, {1, 1, 1, 1});
  const Factor two = formula("complete", 2);
  const auto containing = [](const std::string &word, const std::string &message) {
    EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  EXPECT_EQ(refusal({two, two}, layer), "accepted");
  containing("do not agree", refusal({two}, layer));
  containing("do not agree", refusal({two, two, two}, layer));
  containing("do not agree", refusal({two, formula("full", 2)}, layer));
  containing("groups", refusal({two, formula("complete", 5)}, layer));
  containing("factors", refusal({}, layer));
  containing("kind", refusal({two, {2, 2, {}, {{"kind", "cubic"}, {"groups", 2}}, {}}}, layer));
  containing("kind", refusal({two, {2, 2, {}, {{"kind", "product"}, {"factors", {}}}, {}}}, layer));
  containing("no use", refusal({two, two}, layerOf(Lift::Slots, 4, {1, 1, 1, 1})));

  // Row groups of the weight matrix have to be as high as what they are multiplied with is wide.
  Layer uneven = layer;
  uneven.weight_rows = {1, 1, 2, 1};
  containing("bank_rows", refusal({two, two}, uneven));

  const auto table_of = [](std::vector<Term> terms, int64_t groups = 2) {
    Factor factor{1, groups, {}, {{"kind", "table"}, {"section", "terms-0"}}, {}};
    factor.slots.resize(size_t(groups));
    factor.slots[0] = std::move(terms);
    factor.section = encodeTerms(1, groups, factor.slots);
    return factor;
  };
  const Layer pair = layerOf(Lift::Rows, 2, {2, 2, 2, 2});
  EXPECT_EQ(refusal({two, table_of({{0, 0, 1}, {1, 1, -1}})}, pair), "accepted");
  EXPECT_EQ(refusal({two, table_of({{0, 1, 1}})}, pair), "accepted");
  containing("input group 2", refusal({two, table_of({{2, 0, 1}})}, pair));
  containing("weight row group -1", refusal({two, table_of({{0, -1, 1}})}, pair));
  containing("ascend", refusal({two, table_of({{1, 1, 1}, {0, 0, 1}})}, pair));
  containing("ascend", refusal({two, table_of({{1, 1, 1}, {1, 1, 1}})}, pair));
  containing("finite", refusal({two, table_of({{0, 0, std::numeric_limits<double>::infinity()}})}, pair));
  const Factor large = table_of({{0, 0, 1e200}});
  containing("more than a double", refusal({large, large}, layerOf(Lift::Rows, 1, {2, 2, 2, 2})));
  // Input groups and weight rows of different widths may meet.
  containing("bank_rows", refusal({two, table_of({{0, 1, 1}})}, layerOf(Lift::Rows, 2, {2, 1, 2, 2})));
  Factor damaged = table_of({{0, 0, 1}});
  damaged.section.pop_back();
  containing("bytes", refusal({two, damaged}, pair));
}

// 2^24 groups of 2^24 terms each could be described in a few bytes, but for the list of the groups.
TEST(Support, SlotsOfProductsAreBounded) {
  std::vector<Term> terms;
  for (int32_t input = 0; input < 16; ++input)
    for (int32_t weight_row = 0; weight_row < 16; ++weight_row)
      terms.push_back({input, weight_row, 1.0});
  Factor dense{
      1, 16, std::vector<std::vector<Term>>(16, terms), {{"kind", "table"}, {"section", "terms-0"}}, {}};
  dense.section = encodeTerms(1, 16, dense.slots);
  const auto message = [&](size_t factors) {
    return refusal(std::vector<Factor>(factors, dense),
                   layerOf(Lift::Slots, 1, std::vector<int64_t>(size_t(1) << 4 * factors, 1)));
  };
  EXPECT_EQ(message(3), "accepted");
  EXPECT_NE(message(4).find("at most"), std::string::npos) << message(4);
}

TEST(Support, BundlesWithProductsAreReadBack) {
  nlohmann::ordered_json manifest = test::manifestOf(test::shape("cyclic_f32"));
  const size_t groups = manifest["layer"]["in_groups"].size();
  manifest["support"] = {
      {"kind", "product"},
      {"factors", {{{"kind", "full"}, {"groups", 1}}, {{"kind", "complete"}, {"groups", groups}}}}};
  const Bundle product = Bundle::parse(test::bundleOf(test::shape("cyclic_f32"), manifest)),
               complete = Bundle::parse(test::bundleOf(test::shape("cyclic_f32")));
  TermStorage a, b;
  for (int64_t type = 0; type < complete.layer().types; ++type)
    for (int64_t group = 0; group < int64_t(groups); ++group) {
      const auto actual = product.support().terms(type, group, a),
                 expected = complete.support().terms(type, group, b);
      ASSERT_EQ(actual.size(), expected.size());
      for (size_t i = 0; i < actual.size(); ++i)
        EXPECT_EQ(actual[i].input_group, expected[i].input_group);
    }
  manifest["support"]["factors"][0] = {{"kind", "table"}, {"section", "code"}};
  EXPECT_THROW(test::bundleOf(test::shape("cyclic_f32"), manifest), Error);
}

} // namespace
} // namespace algrt
