// The TOML form of a spec: what is read, and where and how faults are reported.
#include "compiler/spec/toml_spec.h"

#include "tests/tools/spec_errors.h"
#include "tests/tools/temporary_folder.h"

#include <gtest/gtest.h>

namespace {

compiler::TomlSpec parse(const std::string &text, const std::string &folder = ".") {
  compiler::TomlSpecOptions options;
  options.file = "a.toml";
  options.base_directory = folder;
  return compiler::parseTomlSpec(text, options);
}

TEST(TomlSpec, ReadsAProduct) {
  compiler::TomlSpec spec = parse("[algebra]\nproduct = \"Q(3) * M(2)\"\n");
  EXPECT_EQ(spec.algebra->dimension(), 36);
  EXPECT_EQ(spec.algebra->field().name(), "Q");
  EXPECT_FALSE(spec.allow_nonassociative);
  EXPECT_FALSE(spec.layer.any());
}

TEST(TomlSpec, ReadsAnInlineGraph) {
  compiler::TomlSpec spec = parse("[algebra]\nvertices = 3\nedges = [[0, 1], [1, 2]]\nfield = \"GF(7)\"\n");
  EXPECT_EQ(spec.algebra->dimension(), 5);
  EXPECT_EQ(spec.algebra->field().name(), "GF(7)");
  EXPECT_EQ(parse("[algebra]\nvertices = 4\n").algebra->dimension(), 4);
}

TEST(TomlSpec, ReadsFilesRelativeToTheSpec) {
  TemporaryFolder folder;
  folder.write("g.dot", "digraph { a -> b; b -> c }");
  folder.write("t.json",
               R"({"name":"dual","dimension":2,"constants":[[0,0,0,"1"],[0,1,1,"1"],[1,0,1,"1"]]})");
  EXPECT_EQ(parse("[algebra]\ngraph = \"g.dot\"", folder.path("")).algebra->dimension(), 5);
  EXPECT_EQ(parse("[algebra]\ntable = \"t.json\"", folder.path("")).algebra->dimension(), 2);
  EXPECT_EQ(parse("[algebra]\nproduct = \"graph(g.dot)^2\"", folder.path("")).algebra->dimension(), 25);
}

TEST(TomlSpec, ReadsEveryKeyOfALayer) {
  compiler::TomlSpec spec =
      parse("[algebra]\nproduct = \"Q(2)\"\nallow_nonassociative = true\n[layer]\nkind = \"projection\"\n"
            "in_groups = [5, 3]\nout = 12\ndtype = \"bf16\"\nrow_types = \"interval(4)\"\nlift = \"rows\"\n"
            "bias = true\n");
  EXPECT_TRUE(spec.allow_nonassociative);
  EXPECT_EQ(spec.layer.in_groups->value, (std::vector<int64_t>{5, 3}));
  EXPECT_EQ(spec.layer.out->value, 12);
  EXPECT_EQ(spec.layer.dtype->value, "bf16");
  EXPECT_EQ(spec.layer.row_types->value, "interval(4)");
  EXPECT_EQ(spec.layer.lift->value, "rows");
  EXPECT_TRUE(spec.layer.bias->value);
}

TEST(TomlSpec, UnknownKeysAreRefusedWithASuggestionAtTheirPlace) {
  expectError("[algebra]\nprodcut = \"Q(2)\"\n", 2, 1, "did you mean 'product'?");
  expectError("[algebra]\nproduct = \"Q(2)\"\n[layer]\nin = 4\n  dytpe = \"f32\"\n", 5, 3,
              "did you mean 'dtype'?");
  expectError("[algebra]\nproduct = \"Q(2)\"\n[layers]\nin = 4\n", 3, 2, "did you mean 'layer'?");
  expectError("[algebra]\nproduct = \"Q(2)\"\nin = 4\n", 3, 1, "'in' belongs in [layer]");
  expectError("product = \"Q(2)\"\n", 1, 1, "'product' belongs in [algebra]");
  expectError("[algebra]\nproduct = \"Q(2)\"\nzzzzzz = 4\n", 3, 1, "known keys: product, graph");
}

TEST(TomlSpec, ErrorsShowTheLineAndACaret) {
  auto error = errorOf("[algebra]\nprodcut = \"Q(2)\"\n");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->render(), "a.toml:2:1: error: unknown key 'prodcut' in [algebra]\nprodcut = \"Q(2)\"\n^\n"
                             "hint: did you mean 'product'?");
}

TEST(TomlSpec, WhatIsNestedTooDeepHasAPlace) {
  std::string key;
  for (int part = 0; part < 33; ++part)
    key += part == 0 ? "a" : ".a";
  expectError("[algebra]\n" + key + " = 1\n", 2, 64, "a key of more parts than 32");
  expectError("[algebra]\nproduct = " + std::string(33, '[') + "\n", 2, 43,
              "brackets are nested deeper than 32");
  // Neither strings nor comments nest, whatever quotes are in them.
  const std::string deep(40, '['), dots(40, '.');
  for (const std::string &string :
       std::vector<std::string>{"\"" + deep + "\\\"" + deep + "\"", "'" + deep + "\\'",
                                "'''" + deep + "'''''", "\"\"\"\n" + deep + "\"\"" + dots + "\"\"\"\"\""})
    expectError("[algebra]\nvertices = " + string + " # " + deep + dots + "\n", 2, 12, "");
}

TEST(TomlSpec, SyntaxErrorsHaveAPlace) {
  expectError("[algebra\nproduct = 1\n", 1, 9, "error");
  expectError("[algebra]\nproduct = \"Q(2)\n", 2, 16, "error");
  expectError("[algebra]\nproduct = \"Q(2)\"\nproduct = \"Q(3)\"\n", 3, 11, "redefine");
  expectError("[algebra]\nvertices = 99999999999999999999\n", 2, 32, "64 bits");
  expectError("\xff\xfe", 1, 1, "utf-8");
  expectError("[\x01", 1, 2, "error");
}

TEST(TomlSpec, ColumnsCountBytesBehindOtherLetters) {
  // The two-byte letter takes one column in the reader and two in our places.
  expectError("[algebra]\n\"\u00e9\" = 1\n", 2, 1, "unknown key");
  expectError("[algebra]\nedges = [[0, 1], \"\u00e9\", 7]\nvertices = 3\n", 2, 18, "pairs of integers");
}

TEST(TomlSpec, LettersBeyondAsciiOutsideStringsAreErrors) {
  // U+02D9 and others that the library's table of white space has no row for.
  expectError("[algebra]\nab\u02d9 = 1\n", 2, 3, "error");
  expectError("\u00e9 = 1\n", 1, 1, "error");
  expectError("[algebra]\nproduct = \"\"\"\\ \u02d9\"\"\"\n", 2, 16, "line-ending");
}

TEST(TomlSpec, WrongTypesAreRefused) {
  expectError("[algebra]\nproduct = 3\n", 2, 11, "'product' must be a string, but this is an integer");
  expectError("[algebra]\nproduct = \"Q(2)\"\n[layer]\nin = \"64\"\n", 4, 6,
              "'in' must be an integer, but this is a string");
  expectError("[algebra]\nproduct = \"Q(2)\"\n[layer]\nin = 64.0\n", 4, 6, "a number with a fraction");
  expectError("[algebra]\nproduct = \"Q(2)\"\n[layer]\nin_groups = [1, true]\n", 4, 17,
              "an array of integers");
  expectError("[algebra]\nproduct = \"Q(2)\"\nallow_nonassociative = 1\n", 3, 24, "true or false");
  expectError("[algebra]\nvertices = 3\nedges = [[0, 1, 2]]\n", 3, 10, "pairs of integers");
  expectError("algebra = 1\n", 1, 11, "'algebra' must be a table");
}

TEST(TomlSpec, ExactlyOneAlgebraIsNeeded) {
  expectError("", 1, 1, "no [algebra]");
  expectError("[algebra]\n", 1, 1, "does not say which algebra");
  expectError("[algebra]\nproduct = \"Q(2)\"\nvertices = 2\n", 1, 1, "more than one algebra");
  expectError("[algebra]\nedges = [[0, 1]]\n", 2, 1, "'edges' without 'vertices'");
}

TEST(TomlSpec, FaultsOfAnInlineGraphPointAtTheEdge) {
  expectError("[algebra]\nvertices = 0\n", 2, 12, "at least one vertex");
  expectError("[algebra]\nvertices = 3\nedges = [[0, 1], [2, 2]]\n", 3, 18, "loop");
  expectError("[algebra]\nvertices = 3\nedges = [[0, 1], [1, 2], [0, 1]]\n", 3, 26, "twice");
  expectError("[algebra]\nvertices = 3\nedges = [[0, 3]]\n", 3, 10, "count from 0 to 2");
  expectError("[algebra]\nvertices = 3\nedges = [[-1, 0]]\n", 3, 10, "vertex -1");
  expectError("[algebra]\nvertices = 9000000000000000000\n", 2, 12, "");
}

TEST(TomlSpec, FaultsOfAnExpressionPointIntoTheFile) {
  // The place is that of the unknown name, inside the string.
  expectError("[algebra]\nproduct = \"Q(2) * R(3)\"\n", 2, 19, "");
  // With an escape in the string the error points at the string.
  expectError("[algebra]\nproduct = \"Q(2)\\t* R(3)\"\n", 2, 11, "");
}

TEST(TomlSpec, FaultsOfOtherValuesPointAtThem) {
  expectError("[algebra]\nproduct = \"Q(2)\"\nfield = \"GF(6)\"\n", 3, 9, "");
  expectError("[algebra]\nproduct = \"Q(2)\"\nfield = \"R\"\n", 3, 9, "");
  expectError("[algebra]\ngraph = \"absent.dot\"\n", 2, 9, "there is no file absent.dot");
  expectError("[algebra]\ngraph = \"\"\n", 2, 9, "names no file");
}

TEST(TomlSpec, AFieldThatContradictsTheTableIsRefused) {
  TemporaryFolder folder;
  folder.write("t.json", R"json({"name":"one","field":"GF(5)","dimension":1,"constants":[[0,0,0,"1"]]})json");
  expectError("[algebra]\ntable = \"t.json\"\nfield = \"Q\"\n", 2, 9, "is a table over GF(5), not Q",
              folder.path(""));
  EXPECT_EQ(parse("[algebra]\ntable = \"t.json\"\n", folder.path("")).algebra->field().name(), "GF(5)");
}

} // namespace
