#include "algebras/checked.h"
#include "algebras/error.h"
#include "algebras/field.h"
#include "algebras/rational.h"

#include <gtest/gtest.h>

#include <random>

namespace {

using namespace algebras;

TEST(Rational, ParsesAndPrintsInLowestTerms) {
  EXPECT_EQ(Rational::parse("6/4").toString(), "3/2");
  EXPECT_EQ(Rational::parse("-6/4").toString(), "-3/2");
  EXPECT_EQ(Rational::parse("+7").toString(), "7");
  EXPECT_EQ(Rational::parse("0/5").toString(), "0");
  std::string large(60, '9');
  EXPECT_EQ(Rational::parse(large + "/1").toString(), large);
  for (const char *bad : {"", "-", "1/", "/2", "1/0", "1.5", "1e3", " 1", "1 ", "1/-2", "0x1", "1/2/3"})
    EXPECT_THROW(Rational::parse(bad), InputError) << bad;
}

TEST(Rational, ArithmeticAgreesWithFractionsOfWords) {
  std::mt19937 random(3);
  auto draw = [&] { return static_cast<int64_t>(random() % 201) - 100; };
  for (int round = 0; round < 500; ++round) {
    int64_t a = draw(), b = 1 + std::abs(draw()), c = draw(), d = 1 + std::abs(draw());
    Rational x(a, b), y(c, d);
    EXPECT_EQ(x + y, Rational(a * d + c * b, b * d));
    EXPECT_EQ(x - y, Rational(a * d - c * b, b * d));
    EXPECT_EQ(x * y, Rational(a * c, b * d));
    if (c != 0)
      EXPECT_EQ(x / y, Rational(a * d, b * c));
    EXPECT_EQ(x < y, a * d < c * b);
    EXPECT_DOUBLE_EQ(x.toDouble(), static_cast<double>(a) / static_cast<double>(b));
  }
}

TEST(Rational, CopiesAndMovesLargeValues) {
  Rational large = Rational::parse(std::string(50, '7'));
  Rational copy = large, moved = std::move(large);
  EXPECT_EQ(copy, moved);
  copy = copy * copy;
  EXPECT_NE(copy, moved);
  EXPECT_FALSE(copy.toInteger());
  EXPECT_EQ(Rational(INT64_MIN).toInteger(), INT64_MIN);
}

TEST(Field, OnlyPrimesHaveFields) {
  EXPECT_EQ(Field::parse("Q"), Field());
  EXPECT_EQ(Field::parse("GF(7)").name(), "GF(7)");
  EXPECT_EQ(Field::parse("GF(9223372036854775783)").characteristic(),
            9223372036854775783u); // the largest below 2^63
  for (const char *bad : {"", "R", "GF()", "GF(0)", "GF(1)", "GF(4)", "GF(-7)", "GF(7", "gf(7)",
                          "GF(9223372036854775837)", "GF(99999999999999999999999)", "GF(561)"})
    EXPECT_THROW(Field::parse(bad), InputError) << bad;
}

TEST(Field, ReducesFractions) {
  Field seven = Field::prime(7);
  EXPECT_EQ(seven.reduce(Rational(1, 2)), Rational(4));
  EXPECT_EQ(seven.reduce(Rational(-1)), Rational(6));
  EXPECT_EQ(seven.multiply(Rational(5), Rational(3)), Rational(1));
  EXPECT_EQ(seven.add(Rational(5), Rational(3)), Rational(1));
  EXPECT_THROW(seven.reduce(Rational(1, 14)), InputError);
  EXPECT_EQ(Field().reduce(Rational(1, 2)), Rational(1, 2));
}

TEST(Checked, OverflowIsRefused) {
  EXPECT_EQ(checkedMultiply(INT64_MAX, 1, "x"), INT64_MAX);
  EXPECT_THROW(checkedMultiply(INT64_MAX, 2, "x"), InputError);
  EXPECT_THROW(checkedAdd(INT64_MAX, 1, "x"), InputError);
  EXPECT_EQ(checkedPower(2, 62, "x"), int64_t{1} << 62);
  EXPECT_THROW(checkedPower(2, 63, "x"), InputError);
  EXPECT_EQ(checkedPower(1, INT64_MAX, "x"), 1);
  EXPECT_THROW(checkedNarrow(static_cast<__int128>(INT64_MAX) + 1, "x"), InputError);
}

TEST(Rational, Residues) {
  EXPECT_EQ(Rational(-3).residue(7), 4u);
  EXPECT_EQ(Rational(1, 2).residue(7), 4u);
  EXPECT_EQ(Rational(14, 3).residue(7), 0u);
  EXPECT_FALSE(Rational(3, 14).residue(7));
  EXPECT_EQ(Rational(1, 2).residue(9223372036854775783u), 4611686018427387892u);
  EXPECT_EQ(Rational::parse("100000000000000000000/3").residue(5), 0u);
  EXPECT_EQ(Rational::parse("1/100000000000000000000").residue(3), 1u);
}

TEST(InputError, RendersPlaceAndCaret) {
  InputError error("wrong", locate("one\n\ttwo\nthree", 6, "f.txt"));
  error.hint("mend it");
  EXPECT_EQ(error.render(), "f.txt:2:3: error: wrong\n\ttwo\n\t ^\nhint: mend it");
  EXPECT_EQ(InputError("plain").render(), "error: plain");
  // A column past a very long line still shows its neighbourhood.
  std::string text(5000, 'x');
  std::string rendered = InputError("far", locate(text, 4000, "f")).render();
  EXPECT_LT(rendered.size(), 400u);
}

} // namespace
