#include "compiler/spec/closest.h"

#include <array>
#include <gtest/gtest.h>

namespace {

constexpr std::array<std::string_view, 5> words = {"in", "out", "dtype", "row_types", "in_groups"};

TEST(Closest, FindsTypingErrors) {
  EXPECT_EQ(compiler::closest("dtpye", words), "dtype");
  EXPECT_EQ(compiler::closest("row-types", words), "row_types");
  EXPECT_EQ(compiler::closest("rowtypes", words), "row_types");
  EXPECT_EQ(compiler::closest("inn", words), "in");
  EXPECT_EQ(compiler::closest("uot", words), "out");
}

TEST(Closest, OffersNothingFarAway) {
  EXPECT_EQ(compiler::closest("banana", words), std::nullopt);
  EXPECT_EQ(compiler::closest("", words), std::nullopt);
  EXPECT_EQ(compiler::closest("xy", words), std::nullopt);
  EXPECT_EQ(compiler::closest(std::string(1000000, 'd'), words), std::nullopt);
}

} // namespace
