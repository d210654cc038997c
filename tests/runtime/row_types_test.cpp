#include "runtime/cpu/row_types.h"

#include "runtime/support/error.h"

#include <gtest/gtest.h>

namespace algrt {
namespace {

Layer layerOf(int64_t types, int64_t width) {
  Layer layer{};
  layer.types = types;
  layer.row_types = width == 0 ? RowTypesKind::explicit_types : RowTypesKind::interval;
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
  EXPECT_EQ(longestType(layerOf(32, 1), 64, INT64_MAX - 64), 2);
  EXPECT_THROW(longestType(layerOf(32, 1), 65, INT64_MAX - 64), Error);
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

} // namespace
} // namespace algrt
