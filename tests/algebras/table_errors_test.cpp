// Every refusal of a table file names the place of the guilty entry.
#include "algebras/error.h"
#include "algebras/table/table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace {

using namespace algebras;

struct Refusal {
  std::string message, hint;
  int64_t line = 0, column = 0;
};

Refusal refusalOf(const std::string &text) {
  try {
    parseTable(text, "t.json");
  } catch (const InputError &error) {
    EXPECT_TRUE(error.where()) << error.what();
    EXPECT_EQ(error.where()->file, "t.json");
    return {error.what(), error.hint(), error.where()->line, error.where()->column};
  }
  return {"accepted", "", 0, 0};
}

// `marked` has a ^ before the byte that the caret has to point at; it is taken out.
void expectRefused(std::string marked, const std::string &message) {
  SCOPED_TRACE(marked);
  size_t place = marked.find('^');
  ASSERT_NE(place, std::string::npos);
  marked.erase(place, 1);
  SourceLocation expected = locate(marked, place, "t.json");
  Refusal refusal = refusalOf(marked);
  EXPECT_NE(refusal.message.find(message), std::string::npos) << refusal.message;
  EXPECT_EQ(refusal.line, expected.line);
  EXPECT_EQ(refusal.column, expected.column);
}

TEST(TableErrors, Coefficients) {
  for (auto [value, message] : std::initializer_list<std::pair<const char *, const char *>>{
           {"^\"1/0\"", "constants[1][3]: '1/0' has denominator zero"},
           {"^\"-3/000\"", "denominator zero"},
           {"^\"0/0\"", "denominator zero"},
           {"^\"\"", "'' is not a rational number"},
           {"^\"-\"", "is not a rational number"},
           {"^\"/2\"", "is not a rational number"},
           {"^\"1/\"", "is not a rational number"},
           {"^\"1/-2\"", "is not a rational number"},
           {"^\"--1\"", "is not a rational number"},
           {"^\" 1\"", "is not a rational number"},
           {"^\"1 \"", "is not a rational number"},
           {"^\"1.5\"", "is not a rational number"},
           {"^\"0x10\"", "is not a rational number"},
           {"^\"1e3\"", "is not a rational number"},
           {"^\"nan\"", "is not a rational number"},
           {"^\"1/2/3\"", "is not a rational number"},
           {"^\"1\\\"\\\\\"", "is not a rational number"},
           {"^\"\xd9\xa1\"", "is not a rational number"},
           {"^0.5", "constants[1][3] is 0.5; a string \"num/den\" or an integer is needed"},
           {"^1e2", "constants[1][3] is 1e2;"},
           {"^-0.0", "constants[1][3] is -0.0;"},
           {"^null", "constants[1][3] is null;"},
           {"^true", "constants[1][3] is true;"},
           {"^[1,2]", "constants[1][3] is a list; a string"},
           {"^{\"a\":1}", "constants[1][3] is an object; a string"},
           {"^1e999", "a number is too large"},
           {"^99999999999999999999.5", "constants[1][3] is 99999999999999999999.5;"},
       })
    for (const char *blank : {"", " ", "\n\t"})
      expectRefused(
          fmt::format("{{\"dimension\":2,\"constants\":[[0,0,0,1],\n[0,1,1,{}{}{}]]}}", blank, value, blank),
          message);
}

TEST(TableErrors, Indices) {
  for (auto [value, message] : std::initializer_list<std::pair<const char *, const char *>>{
           {"^2", "constants[1][1] is 2; the dimension is 2: indices count from 0 to 1"},
           {"^-1", "constants[1][1] is -1; the dimension is 2"},
           {"^2147483648", "indices count from 0 to 1"},
           {"^9223372036854775807", "indices count from 0 to 1"},
           {"^-9223372036854775808", "indices count from 0 to 1"},
           {"^9223372036854775808", "constants[1][1] is 9223372036854775808, which does not fit in 64 bits"},
           {"^18446744073709551616", "which does not fit in 64 bits"},
           {"^-9223372036854775809", "which does not fit in 64 bits"},
           {"^1.0", "constants[1][1] is 1.0; an integer is needed"},
           {"^\"1\"", "constants[1][1] is \"1\"; an integer is needed"},
           {"^null", "an integer is needed"},
           {"^false", "an integer is needed"},
           {"^[]", "constants[1][1] is a list; an integer is needed"},
           {"^{}", "constants[1][1] is an object; an integer is needed"},
       })
    for (bool dimension_last : {false, true})
      expectRefused(fmt::format("{{{}\"constants\":[[0,0,0,1],\n  [0, {}, 1, \"1\"]]{}}}",
                                dimension_last ? "" : "\"dimension\":2,", value,
                                dimension_last ? ",\"dimension\":2" : ""),
                    message);
}

TEST(TableErrors, Entries) {
  for (auto [entries, message] : std::initializer_list<std::pair<const char *, const char *>>{
           {"[0,0,0,1],^[0,1,1]", "constants[1] is [0,1,1]; [i, j, k, \"num/den\"] is needed"},
           {"[0,0,0,1],^[]", "constants[1] is []; [i, j, k"},
           {"[0,0,0,1],[0,1,1,1,^1]", "constants[1] has more than four parts"},
           {"[0,0,0,1],[0,1,1,1,^[]]", "constants[1] has more than four parts"},
           {"[0,0,0,1],^5", "constants[1] is 5; [i, j, k"},
           {"[0,0,0,1],^\"0,1,1,1\"", "constants[1] is \"0,1,1,1\"; [i, j, k"},
           {"[0,0,0,1],^null", "constants[1] is null;"},
           {"[0,0,0,1],^{\"i\":0}", "constants[1] is an object;"},
           {"[0,0,0,1],\n[0,1,1,1],\n ^[0,0,0,2]",
            "constant [0, 0, 0] is given twice; the first time in line 1, column 29"},
           {"[0,0,0,0],^[0,0,0,1]", "is given twice"}, // a zero is an entry, too
           {"[1,1,1,1],[0,0,0,1],^[1,1,1,1],[1,1,1,1]", "constant [1, 1, 1] is given twice"},
           {"[0,0,0,1],^,[0,1,1,1]", "not JSON"},
           {"[0,0,0,1],^]", "not JSON"},
       })
    expectRefused(fmt::format("{{\"dimension\":2,\"constants\":[{}]}}", entries), message);
}

TEST(TableErrors, PrimeFields) {
  expectRefused("{\"field\":^\"GF(6)\",\"dimension\":1,\"constants\":[]}", "GF(6): 6 is not prime");
  expectRefused("{\"dimension\":1,\"constants\":[],\n\"field\": ^\"GF(1)\"}", "1 is not prime");
  for (const char *field :
       {"GF(0)", "GF(9)", "GF(4)", "GF(9223372036854775809)", "GF(99999999999999999999999)", "GF()", "GF(-7)",
        "GF(7", "gf(7)", "R", "", "GF(7) ", "GF(2147483649)", "Q\\u0000"})
    expectRefused(fmt::format("{{\"field\":^\"{}\",\"dimension\":1,\"constants\":[]}}", field), "");
  // Strong pseudoprimes and Carmichael numbers.
  for (const char *field : {"GF(561)", "GF(3215031751)", "GF(3825123056546413051)", "GF(341550071728321)"})
    expectRefused(fmt::format("{{\"field\":^\"{}\",\"dimension\":1,\"constants\":[]}}", field),
                  "is not prime");
  for (bool field_last : {false, true})
    expectRefused(fmt::format("{{{}\"dimension\":1,\"constants\":[[0,0,0,^\"3/14\"]]{}}}",
                              field_last ? "" : "\"field\":\"GF(7)\",",
                              field_last ? ",\"field\":\"GF(7)\"" : ""),
                  "3/14 has no value in GF(7): 7 divides its denominator");
  expectRefused("{\"field\":\"GF(2)\",\"dimension\":2,\"constants\":[],\"identity\":[1,^\"1/2\"]}",
                "1/2 has no value in GF(2)");
  // 7/14 is 1/2.
  EXPECT_EQ(refusalOf(R"json({"field":"GF(7)","dimension":1,"constants":[[0,0,0,"7/14"]]})json").message,
            "accepted");
  EXPECT_EQ(
      refusalOf(R"json({"field":"GF(9223372036854775783)","dimension":1,"constants":[[0,0,0,"-1"]]})json")
          .message,
      "accepted");
}

TEST(TableErrors, Dimensions) {
  for (auto [value, message] : std::initializer_list<std::pair<const char *, const char *>>{
           {"^0", "dimension 0: it has to be at least 1"},
           {"^-0", "dimension 0: it has to be at least 1"},
           {"^-1", "dimension -1: it has to be at least 1"},
           {"^9223372036854775808", "dimension is 9223372036854775808, which does not fit in 64 bits"},
           {"^99999999999999999999", "dimension is 99999999999999999999, which does not fit in 64 bits"},
           {"^-99999999999999999999", "which does not fit in 64 bits"},
           {"^1.0", "dimension is 1.0; an integer is needed"},
           {"^1e1", "dimension is 1e1; an integer is needed"},
           {"^\"4\"", "dimension is \"4\"; an integer is needed"},
           {"^null", "dimension is null; an integer is needed"},
           {"^true", "an integer is needed"},
           {"^[4]", "dimension is a list; an integer is needed"},
           {"^{}", "dimension is an object; an integer is needed"},
           {"^1e999", "a number is too large"},
           {"^00", ""},
           {"^+4", "not JSON"},
           {"^NaN", "not JSON"},
       }) {
    SCOPED_TRACE(value);
    std::string marked = fmt::format("{{\"constants\":[],\"dimension\": {}}}", value);
    if (std::string(message).empty() || std::string(message) == "not JSON")
      EXPECT_NE(refusalOf(marked.erase(marked.find('^'), 1)).message, "accepted");
    else
      expectRefused(marked, message);
  }
  // What a file claims costs nothing.
  for (const char *large : {"2147483647", "2147483648", "4294967296", "9223372036854775807"}) {
    Table table = parseTable(fmt::format("{{\"dimension\":{},\"constants\":[[0,0,0,1]]}}", large), "t.json");
    EXPECT_EQ(fmt::format("{}", table.dimension()), large);
  }
}

TEST(TableErrors, Identities) {
  expectRefused(R"json({"dimension":2,"constants":[],"identity":^["1"]})json",
                "the identity has 1 coefficients");
  expectRefused(R"json({"dimension":2,"constants":[],"identity":^[]})json",
                "the identity has 0 coefficients");
  expectRefused(R"json({"identity":["1","0",^"0"],"dimension":2,"constants":[]})json",
                "the identity has 3 coefficients");
  expectRefused(R"json({"identity":^["1","0"],"dimension":2147483648,"constants":[]})json",
                "the dimension is 2147483648");
  expectRefused(R"json({"dimension":2,"constants":[],"identity":["1",^"1/0"]})json",
                "identity[1]: '1/0' has denominator");
  expectRefused(R"json({"dimension":2,"constants":[],"identity":["1",^null]})json", "identity[1] is null;");
  expectRefused(R"json({"dimension":2,"constants":[],"identity":["1",^[0]]})json", "identity[1] is a list;");
  expectRefused(R"json({"dimension":2,"constants":[],"identity":^"1"})json", "identity is \"1\"; a list");
  expectRefused(R"json({"dimension":2,"constants":[],"identity":^{}})json", "identity is an object; a list");
  expectRefused(R"json({"dimension":2,"constants":[],"identity":^true})json", "identity is true; a list");
  EXPECT_EQ(refusalOf(R"json({"dimension":1,"constants":[],"identity":null})json").message, "accepted");
  // A claim that is wrong is found later; its place is kept.
  Table table = parseTable("{\"dimension\":1,\"constants\":[[0,0,0,1]],\n \"identity\": [2]}", "t.json");
  ASSERT_TRUE(table.identityPlace());
  EXPECT_EQ(table.identityPlace()->line, 2);
  EXPECT_EQ(table.identityPlace()->column, 14);
}

TEST(TableErrors, Keys) {
  expectRefused(R"json({"dimension":1,"constants":[],^"identiy":[]})json",
                "key \"identiy\" means nothing in a table");
  expectRefused(R"json({"dimension":1,"constants":[],^"":0})json", "key \"\" means nothing");
  expectRefused(R"json({"dimension":1,"constants":[],^"Dimension":1})json",
                "key \"Dimension\" means nothing");
  expectRefused("{\"dimension\":1,\n^\"dimension\":2,\"constants\":[]}", "key \"dimension\" is given twice");
  expectRefused(R"json({"constants":[],"dimension":1,^"constants":[]})json",
                "key \"constants\" is given twice");
  expectRefused(R"json({"comment":[],"dimension":1,^"comment":0})json", "key \"comment\" is given twice");
  expectRefused(R"json({"dimension":1,^"dim\u0065nsion":1,"constants":[]})json", "given twice");
  expectRefused(R"json({"constants":[]^})json", "key \"dimension\" is missing");
  expectRefused(R"json({"dimension":1^})json", "key \"constants\" is missing");
  expectRefused("{\n^}", "key \"dimension\" is missing");
  expectRefused(R"json({"name":^7,"dimension":1,"constants":[]})json", "name is 7; a string is needed");
  expectRefused(R"json({"name":^null,"dimension":1,"constants":[]})json", "name is null; a string");
  expectRefused(R"json({"name":^["a"],"dimension":1,"constants":[]})json", "name is a list; a string");
  expectRefused(R"json({"name":^"a\u001b[31m","dimension":1,"constants":[]})json", "control character");
  expectRefused("{\"name\":^\"" + std::string(70000, 'n') + "\",\"dimension\":1,\"constants\":[]}",
                "70000 bytes long");
  expectRefused(R"json({"field":^7,"dimension":1,"constants":[]})json",
                "field is 7; \"Q\" or \"GF(p)\" is needed");
  expectRefused(R"json({"field":^{"p":7},"dimension":1,"constants":[]})json", "field is an object;");
  expectRefused(R"json({"constants":^{},"dimension":1})json", "constants is an object; a list of");
  expectRefused(R"json({"constants":^"x","dimension":1})json", "constants is \"x\"; a list of");
  expectRefused(R"json({"constants":^null,"dimension":1})json", "constants is null; a list of");
  // Notes are not looked into.
  EXPECT_EQ(
      refusalOf(R"json({"expect":{"a":[[{"a":1,"a":{}}]],"constants":[[9]]},"dimension":1,"source":[[[]]],
                          "reason":null,"constants":[],"comment":{"identity":[1,2,3]}})json")
          .message,
      "accepted");
}

TEST(TableErrors, Documents) {
  for (const char *text : {"^[]", "^1", "^\"{}\"", "^null", " \n^[[0,0,0,1]]"})
    expectRefused(text, "a table is a JSON object");
  expectRefused("^", "not JSON");
  for (const char *text :
       {"{", "{}}", "{} {}", "{\"dimension\":1,\"constants\":[]} x", "{\"dimension\":1,\"constants\":[],}",
        "{\"dimension\" 1}", "{dimension:1}", "{'dimension':1}", "// x\n{}",
        "{\"dimension\":1,\"constants\":[[0,0,0,\"1]]}", "\xff", "{\"name\":\"\xff\"}", "{\"name\":\"\\x\"}",
        "{\"name\":\"\\ud800\"}", "{\"name\":\"a\nb\"}", "\xef\xbb", "   ", "{\"constants\":[[0,0,0,01]]}"})
    EXPECT_EQ(refusalOf(text).message.substr(0, 8), "not JSON") << text;
  std::string good = R"json({"dimension":1,"constants":[[0,0,0,"1"]]})json";
  EXPECT_EQ(refusalOf("\xef\xbb\xbf" + good + " \r\n").message, "accepted"); // with a byte order mark
  EXPECT_EQ(refusalOf(good + '\0').column, 42);
  EXPECT_EQ(refusalOf(good + '\0' + "left over").message, "not JSON: byte 0x00 cannot stand here");
  EXPECT_EQ(refusalOf(std::string("\0", 1)).column, 1);
  // Every prefix is refused.
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(refusalOf(good.substr(0, length)).message, "accepted") << length;
  // Brackets by the million.
  EXPECT_EQ(refusalOf(std::string(1000000, '[')).message, "a table is a JSON object");
  EXPECT_EQ(refusalOf("{\"comment\":" + std::string(1000000, '[')).message.substr(0, 8), "not JSON");
  EXPECT_EQ(refusalOf("{\"comment\":" + std::string(1000000, '[') + std::string(1000000, ']') +
                      ",\"dimension\":1,\"constants\":[]}")
                .message,
            "accepted");
}

TEST(TableErrors, GiganticCoefficients) {
  auto table = [](const std::string &value) {
    return "{\"dimension\":1,\"constants\":[[0,0,0," + value + "]]}";
  };
  std::string digits(900000, '7');
  EXPECT_EQ(parseTable(table("\"" + digits + "\""), "t").constants()[0].value.toString(), digits);
  EXPECT_EQ(parseTable(table("\"-1/" + digits + "\""), "t").constants()[0].value.toString(), "-1/" + digits);
  EXPECT_EQ(parseTable(table("123456789012345678901234567890"), "t").constants()[0].value.toString(),
            "123456789012345678901234567890");
  EXPECT_EQ(parseTable(table("-18446744073709551616"), "t").constants()[0].value.toString(),
            "-18446744073709551616");
  EXPECT_EQ(parseTable(table("18446744073709551615"), "t").constants()[0].value.toString(),
            "18446744073709551615");
  Refusal longer = refusalOf(table("\"" + std::string(1000001, '1') + "\""));
  EXPECT_EQ(longer.message, "constants[0][3] is 1000001 characters long; the limit is 1000000");
  EXPECT_EQ(longer.column, 36);
  EXPECT_EQ(refusalOf(table(std::string(400, '1'))).message, "a number is too large");
  EXPECT_EQ(refusalOf(table(std::string(400, '1'))).column, 36);
  // Messages stay short.
  std::string bad = refusalOf(table("\"" + digits + "x\"")).message;
  EXPECT_LT(bad.size(), 200u) << bad;
  EXPECT_LT(refusalOf(table("\"" + digits)).message.size(), 300u);
  EXPECT_LT(refusalOf("{\"field\":\"GF(7)\",\"dimension\":1,\"constants\":[[0,0,0,\"1/7" +
                      std::string(9000, '0') + "\"]]}")
                .message.size(),
            250u);
}

TEST(TableErrors, LongLinesShowTheirPart) {
  std::string text = "{\"dimension\":100000,\"constants\":[";
  for (int slot = 0; slot < 100000; ++slot)
    text += fmt::format("[{},0,{},\"1\"],", slot, slot);
  text += "[7,0,7,\"2\"]]}";
  try {
    parseTable(text, "t.json");
    FAIL();
  } catch (const InputError &error) {
    EXPECT_EQ(static_cast<size_t>(error.where()->column), text.rfind("[7,0,7") + 1);
    std::string shown = error.render();
    EXPECT_LT(shown.size(), 600u);
    // The caret stands under the bracket of the second entry.
    size_t line = shown.find('\n') + 1, caret = shown.find('\n', line) + 1;
    size_t column = shown.find('^', caret) - caret;
    EXPECT_EQ(shown.substr(line + column, 12), "[7,0,7,\"2\"]]");
  }
}

// A fault put into a table at random is found at its place, whatever the order of keys.
TEST(TableErrors, RandomFaultsAreFoundWhereTheyAre) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    int64_t dimension = 1 + random() % 6, entries = 1 + random() % 12;
    int64_t guilty = random() % entries;
    int fault = random() % 4;
    std::string constants = "\"constants\":[";
    int64_t written = 0;
    std::string marked_entry, message;
    for (int64_t i = 0; i < dimension && written < entries; ++i)
      for (int64_t j = 0; j < dimension && written < entries; ++j, ++written) {
        std::string separator = written ? (random() % 2 ? "," : " ,\n  ") : "";
        std::string slots = fmt::format("{},{},{}", i, j, random() % dimension);
        if (written != guilty)
          constants += fmt::format("{}[{},{}]", separator, slots, 1 + random() % 5);
        else if (fault == 0)
          constants += fmt::format("{}[{},^\"1/0\"]", separator, slots);
        else if (fault == 1)
          constants += fmt::format("{}[{},{},^{},1]", separator, i, j, dimension + random() % 3);
        else if (fault == 2)
          constants += fmt::format("{}[{},1],^[{},2]", separator, slots, slots);
        else
          constants += fmt::format("{}[{},^\"1/{}\"]", separator, slots, 5 * (1 + random() % 9));
      }
    if (written <= guilty)
      continue;
    constants += "]";
    std::vector<std::string> keys = {constants, fmt::format("\"dimension\": {}", dimension),
                                     "\"field\":\"GF(5)\"", "\"comment\":{\"constants\":[[0,0,0,\"1/0\"]]}"};
    std::shuffle(keys.begin(), keys.end(), random);
    static constexpr const char *messages[] = {"denominator zero", "indices count from", "given twice",
                                               "divides its denominator"};
    expectRefused(fmt::format("{{{},\n{},{},{}}}", keys[0], keys[1], keys[2], keys[3]), messages[fault]);
  }
}

} // namespace
