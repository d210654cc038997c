#include "compiler/spec/closest.h"

#include <array>
#include <gtest/gtest.h>

namespace {

constexpr std::array<std::string_view, 5> kWords = {"in", "out", "dtype", "row_types", "in_groups"};

TEST(Closest, FindsTypingErrors) {
  EXPECT_EQ(compiler::closest("dtpye", kWords), "dtype");
  EXPECT_EQ(compiler::closest("row-types", kWords), "row_types");
  EXPECT_EQ(compiler::closest("rowtypes", kWords), "row_types");
  EXPECT_EQ(compiler::closest("inn", kWords), "in");
  EXPECT_EQ(compiler::closest("uot", kWords), "out");
}

TEST(Closest, OffersNothingFarAway) {
  EXPECT_EQ(compiler::closest("banana", kWords), std::nullopt);
  EXPECT_EQ(compiler::closest("", kWords), std::nullopt);
  EXPECT_EQ(compiler::closest("xy", kWords), std::nullopt);
  EXPECT_EQ(compiler::closest(std::string(1000000, 'd'), kWords), std::nullopt);
}

} // namespace
