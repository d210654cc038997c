// Files of bilinear algorithms come back as they were, and every refusal points at what is wrong.
#include "algebras/rank/algorithm_json.h"

#include "algebras/error.h"
#include "algebras/rank/matrix_multiplication.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace {

using namespace algebras;

TEST(AlgorithmFile, ComesBackAsItWas) {
  for (const Field &field : {Field(), Field::prime(2), Field::prime(7)}) {
    AlgorithmFile file{"M(3)", "a \"rule\"", field, 9, matrixAlgorithm(field, 3)};
    AlgorithmFile again = parseAlgorithm(printAlgorithm(file), "a.json");
    EXPECT_EQ(again.products, file.products);
    EXPECT_EQ(again.field, field);
    EXPECT_EQ(again.dimension, 9);
    EXPECT_EQ(again.rule, file.rule);
    EXPECT_EQ(again.name, file.name);
  }
}

// `marked` has a ^ before the byte that the caret has to point at; it is taken out.
void expectRefused(std::string marked, const std::string &message) {
  SCOPED_TRACE(marked);
  size_t place = marked.find('^');
  ASSERT_NE(place, std::string::npos);
  marked.erase(place, 1);
  SourceLocation expected = locate(marked, place, "bad.json");
  try {
    parseAlgorithm(marked, "bad.json");
    ADD_FAILURE() << "accepted";
  } catch (const InputError &error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    ASSERT_TRUE(error.where()) << error.what();
    EXPECT_EQ(error.where()->file, "bad.json");
    EXPECT_EQ(std::pair(error.where()->line, error.where()->column),
              std::pair(expected.line, expected.column))
        << error.render();
  }
}

TEST(AlgorithmFile, Documents) {
  expectRefused("{^", "not JSON");
  expectRefused("^[]", "a JSON object");
  expectRefused("^3", "a JSON object");
  expectRefused("{\"dimension\": 1,\n \"products\": [],^}", "not JSON");
  expectRefused("{\"dimension\": 1, \"products\": []^", "not JSON");
  expectRefused(std::string("{\"dimension\": 1,^\0}", 20), "byte 0x00");
  expectRefused("{\"dimension\": 1\n^}", "\"products\" is missing");
  expectRefused("{\"products\": []^}", "\"dimension\" is missing");
  expectRefused(R"({"dimension": ^0, "products": []})", "dimension");
  expectRefused(R"({"dimension": ^-3, "products": []})", "dimension");
  expectRefused(R"({"dimension": ^18446744073709551615, "products": []})", "does not fit in 64 bits");
  expectRefused(R"({"dimension": ^"2", "products": []})", "an integer");
  expectRefused(R"({"dimension": ^[2], "products": []})", "an integer");
  expectRefused(R"({"dimension": 1, "products": ^{}})", "a list");
  expectRefused(R"({"dimension": 1, "products": ^null})", "a list");
  expectRefused(R"({"dimension": 1, ^"dimension": 1, "products": []})", "given twice");
  expectRefused(R"x({"dimension": 1, "field": ^"GF(4)", "products": []})x", "not prime");
  expectRefused(R"({"dimension": 1, "field": ^7, "products": []})", "field is 7");
  expectRefused(R"({"dimension": 1, "name": ^[], "products": []})", "a string");
  expectRefused(R"({"dimension": 1, "rule": ^"\n", "products": []})", "control character");
  expectRefused(R"({"dimension": 1, ^"colour": 1, "products": []})", "\"colour\" means nothing");
  EXPECT_NO_THROW(parseAlgorithm(
      R"({"comment": [{"alpha": 1}, []], "products": [], "dimension": 1, "source": {"a": {}}})",
      "good.json"));
}

TEST(AlgorithmFile, Products) {
  auto document = [](const std::string &products) {
    return "{\"dimension\": 2,\n \"products\": [" + products + "]}";
  };
  expectRefused(document("^7"), "products[0] is 7");
  expectRefused(document("^[]"), "products[0] is a list");
  expectRefused(document("^{\"alpha\": []}"), "products[0] has no beta");
  const std::string good = R"({"alpha": [[0, "1"]], "beta": [], "gamma": []})";
  EXPECT_NO_THROW(parseAlgorithm(document(good), "good.json"));
  expectRefused(document(good + ",\n ^{\"beta\": [], \"gamma\": []}"), "products[1] has no alpha");
  expectRefused(document("{\"alpha\": [], ^\"alpha\": []}"), "\"alpha\" is given twice");
  expectRefused(document("{^\"delta\": []}"), "\"delta\" means nothing in products[0]");
  expectRefused(document("{\"alpha\": ^1}"), "products[0].alpha is 1");
  expectRefused(document("{\"beta\": ^{}}"), "products[0].beta is an object");
}

TEST(AlgorithmFile, Terms) {
  auto one = [](const std::string &gamma, const std::string &field = "Q") {
    return "{\"dimension\": 2, \"products\": [\n{\"alpha\": [[0, \"1\"]], \"beta\": [[0, \"1\"]], "
           "\"gamma\": " +
           gamma + "}], \"field\": \"" + field + "\"}";
  };
  AlgorithmFile file = parseAlgorithm(one(R"([[1, "1/2"], [0, 3]])"), "good.json");
  EXPECT_EQ(file.products.at(0).gamma, (SparseVector{{0, Rational(3)}, {1, Rational(1, 2)}}));
  expectRefused(one(R"([[^2, "1"]])"), "products[0].gamma[0] has index 2; they count from 0 to 1");
  expectRefused(one(R"([[0, 1], [^-1, "1"]])"), "products[0].gamma[1] has index -1");
  expectRefused(one(R"([[^18446744073709551615, "1"]])"), "does not fit in 64 bits");
  expectRefused(one(R"([[^"0", "1"]])"), "an integer");
  expectRefused(one(R"([[0, ^"1/0"]])"), "denominator zero");
  expectRefused(one(R"([[0, ^0.5]])"), "products[0].gamma[0][1] is 0.5");
  expectRefused(one(R"([[0, ^null]])"), "products[0].gamma[0][1] is null");
  expectRefused(one(R"([[0, "1", ^2]])"), "more than two parts");
  expectRefused(one(R"([^[0]])"), "[index, \"num/den\"] is needed");
  expectRefused(one(R"([^3])"), "products[0].gamma[0] is 3");
  expectRefused(one(R"([^{}])"), "products[0].gamma[0] is an object");
  expectRefused(one(R"([[0, ^[]]])"), "has a list inside");
  expectRefused(one(R"([[0, "1"], [^0, "1"]])"), "names index 0 again; the first time in line 2");
  expectRefused(one(R"([[0, ^"1/3"]])", "GF(3)"), "divides its denominator");
}

} // namespace
