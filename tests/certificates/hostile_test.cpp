// Certificates made to do harm, and the program's exit codes.
#include "tests/certificates/samples.h"

#include "algebras/expression.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>

namespace {

using nlohmann::json;
using testing_support::certificateOf;
using testing_support::refusal;

struct Outcome {
  int code;
  std::string out, err;
};

std::string read(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// In the folder of this process: the tests use the same file names, and run side by side.
Outcome algcheck(const std::string &arguments) {
  std::filesystem::current_path(testing::TempDir());
  int status = std::system(fmt::format("'{}' {} > out.txt 2> err.txt", ALGCHECK, arguments).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("out.txt"), read("err.txt")};
}

Outcome algcheckText(const std::string &text) {
  std::filesystem::current_path(testing::TempDir());
  std::ofstream("certificate.json") << text;
  return algcheck("certificate.json");
}

TEST(Program, ExitCodes) {
  json certificate = certificateOf(algebras::parseExpression("Q(3)"));
  Outcome accepted = algcheckText(certificate.dump());
  EXPECT_EQ(accepted.code, 0) << accepted.err;
  EXPECT_NE(accepted.out.find("accepted"), std::string::npos);
  EXPECT_NE(accepted.out.find("\"radical_dimension\": 6"), std::string::npos) << accepted.out;

  certificate["claims"]["maximal_ideals"] = 4;
  Outcome refused = algcheckText(certificate.dump());
  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(refused.err, "certificate.json: refused: maximal_ideals: the certificate proves another value\n");
  EXPECT_EQ(refused.out, "");

  EXPECT_EQ(algcheck("").code, 2);
  EXPECT_EQ(algcheck("one two").code, 2);
  Outcome absent = algcheck("absent.json");
  EXPECT_EQ(absent.code, 1);
  EXPECT_EQ(absent.err, "absent.json: cannot be read\n");
  EXPECT_EQ(algcheckText("").code, 1);
  EXPECT_EQ(algcheckText("{").code, 1);
  EXPECT_EQ(algcheckText("{}").code, 3);
  EXPECT_EQ(algcheckText("[]").code, 3);
}

// A name that a terminal would obey is printed as text.
TEST(Program, NamesAreText) {
  const std::string name = "\033[31mred.json";
  EXPECT_EQ(algcheck("'" + name + "'").err, "?[31mred.json: cannot be read\n");
  std::ofstream(name) << certificateOf(algebras::parseExpression("Q(2)")).dump();
  EXPECT_EQ(algcheck("'" + name + "'").out.substr(0, 24), "?[31mred.json: accepted\n");
}

// Whoever doubts the engine reads the checker instead: in one sitting.
TEST(Program, IsShort) {
  int64_t lines = 0;
  for (const auto &entry : std::filesystem::directory_iterator(ALGCTL_SOURCE_DIR "/checker"))
    if (entry.path().extension() == ".h" || entry.path().extension() == ".cpp") {
      std::string text = read(entry.path());
      lines += std::count(text.begin(), text.end(), '\n');
    }
  EXPECT_GT(lines, 100);
  EXPECT_LT(lines, 650);
}

TEST(Hostile, Nesting) {
  std::string deep(100000, '[');
  EXPECT_EQ(algcheckText(deep).code, 1);
  EXPECT_EQ(algcheckText(deep + std::string(100000, ']')).code, 1);
  json node = certificateOf(algebras::parseExpression("D(1)"));
  for (int depth = 0; depth < 100; ++depth)
    node["algebra"] = {{"kind", "tensor"}, {"factors", {node["algebra"]}}};
  EXPECT_EQ(refusal(node), std::nullopt);
}

// A component that is zero would raise the number of maximal ideals, and lower the bounds on the rank.
TEST(Hostile, AComponentThatIsZero) {
  json certificate = certificateOf(algebras::parseExpression("M(2)"));
  certificate["algebra"]["proof"]["components"].push_back(json::array());
  json &claims = certificate["claims"];
  claims["simple_components"].push_back({{"dimension", 0},
                                         {"center_degree", 1},
                                         {"matrix_degree", 1},
                                         {"division_dimension", 0},
                                         {"count", 1}});
  std::swap(claims["simple_components"][0], claims["simple_components"][1]);
  claims["maximal_ideals"] = 2;
  for (const char *bound : {"alder_strassen", "rank_lower"})
    claims[bound] = 6;
  EXPECT_EQ(refusal(certificate), "simple_components: central elements depend on each other");
}

TEST(Hostile, Sizes) {
  json certificate = certificateOf(algebras::parseExpression("Q(2)"));
  json table = certificateOf(testing_support::knownTables().front());
  for (const json &n :
       {json(int64_t{1} << 62), json(1 << 23), json(-1), json(0), json(1.5), json("2"), json(1e300)}) {
    json changed = table;
    changed["algebra"]["dimension"] = n;
    changed["algebra"]["constants"] = json::array();
    EXPECT_TRUE(refusal(changed)) << n;
    changed = certificate;
    changed["algebra"]["rows"][1] = {0, n}; // the last one, beyond the others
    EXPECT_TRUE(refusal(changed)) << n;
  }
  for (const char *kind : {"graph", "matrices"}) { // each row is allowed, all of them are too many
    json rows;
    for (int i = 0; i < 3000; ++i)
      rows.push_back({0, 2999});
    certificate["algebra"]["kind"] = kind;
    json changed = certificate;
    changed["algebra"]["rows"] = rows;
    EXPECT_TRUE(refusal(changed)->starts_with("algebra:")) << kind;
  }
  certificate["algebra"]["kind"] = "graph";
  certificate["algebra"] = {{"kind", "tensor"}, {"factors", {certificate["algebra"]}}};
  certificate["algebra"]["factors"][0]["power"] = 64;
  EXPECT_EQ(refusal(certificate), "algebra: a number leaves 62 bits");
  certificate["algebra"]["factors"][0]["power"] = 1 << 30;
  EXPECT_TRUE(refusal(certificate));
}

TEST(Hostile, Fields) {
  json certificate = certificateOf(algebras::parseExpression("Q(2)"));
  for (const char *field :
       {"GF(4)", "GF(1)", "GF(0)", "GF(-7)", "GF()", "GF(7", "R", "", "GF(18446744073709551557)",
        "GF(340282366920938463463374607431768211507)", "GF(561)"}) {
    certificate["field"] = field;
    ASSERT_TRUE(refusal(certificate)) << field;
    EXPECT_TRUE(refusal(certificate)->starts_with("field:")) << *refusal(certificate);
  }
}

TEST(Hostile, WrongTypesEverywhere) {
  json certificate = certificateOf(algebras::parseExpression("T(3)"));
  json proof = certificate["algebra"]["proof"];
  for (const json &value : {json(), json(true), json("x"), json(-1), json(1.5), json::array(), json::object(),
                            json::array({json::array()}), json::array({json::object()}), json({0, 99}),
                            json({1, 0}), json({0, 0, 0}), json({0, 3, 2, 5})})
    for (const auto &[key, member] : proof.items()) {
      json changed = certificate;
      changed["algebra"]["proof"][key] = value;
      refusal(changed); // neither crashes nor throws anything else
    }
}

TEST(Hostile, TablesThatAreNone) {
  json certificate = certificateOf(testing_support::knownTables().front());
  json &constants = certificate["algebra"]["constants"];
  json original = constants;
  for (const json &entry :
       {json({0, 0, 0, "1/0"}), json({0, 0, 0, "x"}), json({0, 0, 0, ""}), json({0, 0, 0, 0}),
        json({0, 0, 9, 1}), json({-1, 0, 0, 1}), json({0, 0, 0}), json({0, 0, 0, 1, 1}), json(original[0])}) {
    constants = original;
    constants.push_back(entry);
    EXPECT_TRUE(refusal(certificate)) << entry;
  }
}

} // namespace
