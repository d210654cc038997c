#include "runtime/cpu/row_types.h"

#include "runtime/support/error.h"

#include <gtest/gtest.h>

namespace algrt {
namespace {

Layer layerOf(int64_t types, int64_t width) {
  Layer layer{};
  layer.types = types;
  layer.row_types = width == 0 ? RowTypesKind::ExplicitTypes : RowTypesKind::Interval;
  layer.row_type_width = width;
  return layer;
}

TEST(RowTypes, LongestTypeAgreesWithCounting) {
  for (int64_t types = 1; types <= 4; ++types)
    for (int64_t width = 1; width <= 3; ++width)
      for (int64_t p0 = 0; p0 < 15; ++p0)
        for (int64_t m = 0; m < 30; ++m) {
          std::vector<int64_t> counts(size_t(types), 0);
          for (int64_t p = p0; p < p0 + m; ++p)
            ++counts[size_t(p / width % types)];
          ASSERT_EQ(longestType(layerOf(types, width), m, p0),
                    *std::max_element(counts.begin(), counts.end()))
              << types << " " << width << " " << p0 << " " << m;
        }
}

TEST(RowTypes, PositionsNearTheLimit) {
  EXPECT_EQ(longestType(layerOf(32, 1), 65, INT64_MAX - 64), 3); // the last one is at INT64_MAX
  EXPECT_THROW(longestType(layerOf(32, 1), 66, INT64_MAX - 64), Error);
  EXPECT_EQ(longestType(layerOf(1, 1), 65, INT64_MAX - 64), 65);
  EXPECT_EQ(longestType(layerOf(3, 5), 0, INT64_MAX), 0);
  EXPECT_EQ(longestType(layerOf(3, 5), 1, INT64_MAX), 1);
  EXPECT_THROW(longestType(layerOf(3, 5), 2, INT64_MAX), Error);
}

TEST(RowTypes, SortingIsStable) {
  const std::vector<int32_t> types = {2, 0, 2, 3, 0, 2};
  std::vector<int64_t> rows(types.size()), starts(6);
  EXPECT_EQ(sortRowsByType(layerOf(5, 0), types.data(), 6, rows.data(), starts.data()), 3);
  EXPECT_EQ(rows, (std::vector<int64_t>{1, 4, 0, 2, 5, 3}));
  EXPECT_EQ(starts, (std::vector<int64_t>{0, 2, 2, 5, 6, 6}));
}

TEST(RowTypes, TypesOutOfRangeAreNamed) {
  std::vector<int64_t> rows(2), starts(4);
  for (int32_t wrong : {3, -1}) {
    const std::vector<int32_t> types = {0, wrong};
    try {
      sortRowsByType(layerOf(3, 0), types.data(), 2, rows.data(), starts.data());
      ADD_FAILURE() << "accepted " << wrong;
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find("row 1 has type " + std::to_string(wrong)), std::string::npos);
    }
  }
}

template <typename Integer> IntegerVector integers(const std::vector<Integer> &values) {
  return {values.data(), int64_t(values.size()), int64_t(sizeof(Integer))};
}

TEST(RowTypes, FollowFromPositions) {
  const std::vector<int64_t> positions = {0, 7, 6, 5, int64_t(1) << 62, 23, 24, 7};
  const std::vector<int32_t> narrow = {0, 7, 6, 5, 3, 23, 24, 7};
  for (int64_t types : {1, 2, 4})
    for (int64_t width : {1, 3, 6}) {
      const Layer layer = layerOf(types, width);
      RowSource source;
      source.kind = RowSourceKind::Positions;
      std::vector<int32_t> found(positions.size());
      source.positions = integers(positions);
      typesOfRows(layer, source, 8, found.data());
      for (size_t row = 0; row < found.size(); ++row)
        EXPECT_EQ(found[row], positions[row] / width % types);
      source.positions = integers(narrow);
      typesOfRows(layer, source, 8, found.data());
      for (size_t row = 0; row < found.size(); ++row)
        EXPECT_EQ(found[row], narrow[row] / width % types);
    }
}

// Of sequences, each of which begins anywhere and may be empty.
TEST(RowTypes, FollowFromSequences) {
  const std::vector<int64_t> starts = {0, 0, 5, 5, 6, 20}, firsts = {3, 11, 8, (int64_t(1) << 40) + 2, 17};
  for (const bool from_zero : {false, true})
    for (int64_t types : {1, 2, 4})
      for (int64_t width : {1, 3, 6}) {
        RowSource source;
        source.kind = RowSourceKind::Sequences;
        source.sequence_starts = integers(starts);
        if (!from_zero)
          source.sequence_positions = integers(firsts);
        checkRows(source, 20);
        std::vector<int32_t> found(20, -1), expected;
        typesOfRows(layerOf(types, width), source, 20, found.data());
        for (size_t s = 0; s + 1 < starts.size(); ++s)
          for (int64_t row = starts[s]; row < starts[s + 1]; ++row)
            expected.push_back(int32_t(((from_zero ? 0 : firsts[s]) + row - starts[s]) / width % types));
        EXPECT_EQ(found, expected) << types << " types of width " << width;
      }
}

void expectRefused(const RowSource &source, int64_t m, const std::string &words) {
  try {
    checkRows(source, m);
    ADD_FAILURE() << "accepted, but " << words;
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(RowTypes, PositionsBelowZeroAreNamed) {
  const std::vector<int64_t> positions = {0, 4, -3};
  RowSource source;
  source.kind = RowSourceKind::Positions;
  source.positions = integers(positions);
  expectRefused(source, 3, "positions: element 2 is -3, needs 0 or more");
}

TEST(RowTypes, SequencesCoverTheRows) {
  RowSource source;
  source.kind = RowSourceKind::Sequences;
  const struct {
    std::vector<int32_t> starts;
    const char *words;
  } cases[] = {
      {{1, 4}, "sequence_starts: element 0 is 1, needs 0"},
      {{0, 3, 2, 4}, "sequence_starts: element 2 is 2, needs 3 or more"},
      {{0, 5, 4}, "sequence_starts: element 2 is 4, needs 5 or more"},
      {{0, 3}, "sequence_starts: element 1 is 3, needs 4"},
      {{0, 5}, "sequence_starts: element 1 is 5, needs 4"},
      {{0}, "sequence_starts: element 0 is 0, needs 4"},
  };
  for (const auto &[starts, words] : cases) {
    source.sequence_starts = integers(starts);
    expectRefused(source, 4, words);
  }
  const std::vector<int64_t> starts = {0, 1, 4}, negative = {0, -1}, last = {0, INT64_MAX - 2},
                             too_far = {0, INT64_MAX - 1};
  source.sequence_starts = integers(starts);
  source.sequence_positions = integers(negative);
  expectRefused(source, 4, "sequence_positions: element 1 is -1, needs 0 or more");
  source.sequence_positions = integers(last); // three rows, the last of them at INT64_MAX
  EXPECT_NO_THROW(checkRows(source, 4));
  source.sequence_positions = integers(too_far);
  expectRefused(source, 4, "sequence_positions: element 1 is 9223372036854775806");
}

} // namespace
} // namespace algrt
