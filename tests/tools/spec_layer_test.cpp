// Specs with their layers, as commands load them: files, expressions, options that override.
#include "compiler/spec/spec_options.h"

#include "algebras/error.h"
#include "compiler/spec/usage_error.h"
#include "tests/tools/temporary_folder.h"

#include <gtest/gtest.h>

namespace {

using compiler::loadSpec;
using compiler::Spec;
using compiler::SpecOptions;

SpecOptions options(const std::string &spec, int64_t in = 0, int64_t out = 0) {
  SpecOptions result;
  result.spec = spec;
  if (in != 0)
    result.in = in;
  if (out != 0)
    result.out = out;
  return result;
}

std::string messageOf(const SpecOptions &given) {
  try {
    loadSpec(given);
  } catch (const algebras::InputError &error) {
    return error.render();
  }
  ADD_FAILURE() << "the spec is accepted";
  return {};
}

TEST(LoadSpec, ABareExpressionHasNoLayer) {
  Spec spec = loadSpec(options("Q(2)^2"));
  EXPECT_EQ(spec.algebra->dimension(), 16);
  EXPECT_FALSE(spec.layer.has_value());
  EXPECT_THROW(compiler::requireLayer(spec), compiler::UsageError);
}

TEST(LoadSpec, OptionsMakeALayer) {
  SpecOptions given = options("Q(2)^2", 768, 1536);
  given.row_types = "interval(192)";
  given.dtype = "bf16";
  Spec spec = loadSpec(given);
  ASSERT_TRUE(spec.layer.has_value());
  EXPECT_EQ(spec.layer->in.count(), 4);
  EXPECT_EQ(spec.layer->in.width(0), 192);
  EXPECT_EQ(spec.layer->out.total(), 1536);
  EXPECT_EQ(spec.layer->dtype, algebras::DataType::BF16);
  EXPECT_EQ(spec.layer->row_types.toString(), "interval(192)");
  EXPECT_EQ(spec.layer->lift.kind(), algebras::Lift::Kind::Rows);
}

TEST(LoadSpec, ABiasIsThereWhereItIsAskedFor) {
  TemporaryFolder folder;
  folder.write("with.toml", "[algebra]\nproduct = \"Q(2)\"\n[layer]\nin = 8\nout = 8\nbias = true\n");
  EXPECT_FALSE(loadSpec(options("Q(2)", 8, 8)).layer->bias);
  EXPECT_TRUE(loadSpec(options(folder.path("with.toml"))).layer->bias);
  SpecOptions given = options(folder.path("with.toml"));
  given.bias = false;
  EXPECT_FALSE(loadSpec(given).layer->bias);
  given = options("Q(2)", 8, 8);
  given.bias = true;
  EXPECT_TRUE(loadSpec(given).layer->bias);
}

TEST(LoadSpec, UnequalGroups) {
  SpecOptions given = options("Q(3)");
  given.in_groups = {5, 7, 11};
  given.out = 30;
  Spec spec = loadSpec(given);
  EXPECT_EQ(spec.layer->in.total(), 23);
  EXPECT_EQ(spec.layer->in.width(2), 11);
  given.in_groups = {5, 7};
  EXPECT_NE(messageOf(given).find("--in-groups: there are 2 groups here, but the algebra has 3"),
            std::string::npos);
  given.in_groups = {5, 7, 0};
  messageOf(given);
  given.in_groups = {5, 7, 11};
  given.in = 24;
  EXPECT_NE(messageOf(given).find("the groups cover 23 features, but '--in' is 24"), std::string::npos);
}

TEST(LoadSpec, ATableGetsTheSlotLift) {
  TemporaryFolder folder;
  std::string table =
      folder.write("t.json", R"({"dimension":2,"constants":[[0,0,0,"1"],[0,1,1,"1"],[1,0,1,"1"]]})");
  Spec spec = loadSpec(options(table, 8, 6));
  EXPECT_EQ(spec.layer->lift.kind(), algebras::Lift::Kind::Slots);
  SpecOptions rows = options(table, 8, 6);
  rows.lift = "rows";
  messageOf(rows);
}

TEST(LoadSpec, FilesOfEachKind) {
  TemporaryFolder folder;
  EXPECT_EQ(loadSpec(options(folder.write("g.dot", "digraph { 0 -> 1 }"))).algebra->dimension(), 3);
  EXPECT_EQ(loadSpec(options(folder.write("g.gv", "digraph { 0 -> 1 }"))).algebra->dimension(), 3);
  EXPECT_EQ(loadSpec(options(folder.write(
                         "g.graphml",
                         R"(<?xml version="1.0"?><graphml><graph edgedefault="directed"><node id="a"/>)"
                         R"(<node id="b"/><edge source="a" target="b"/></graph></graphml>)")))
                .algebra->dimension(),
            3);
  messageOf(options(folder.path("absent.toml")));
  messageOf(options(folder.path("absent.dot")));
  messageOf(options(folder.path("absent.json")));
  // A file with a foreign name is said to be one, instead of an error about the syntax of expressions.
  EXPECT_NE(messageOf(options(folder.write("spec.yaml", "a: 1"))).find("not a kind of file"),
            std::string::npos);
}

TEST(LoadSpec, TheCommandLineOverridesTheFile) {
  TemporaryFolder folder;
  std::string file = folder.write(
      "s.toml", "[algebra]\nproduct = \"Q(2)\"\n[layer]\nin_groups = [3, 5]\nout = 4\ndtype = \"f32\"\n");
  EXPECT_EQ(loadSpec(options(file)).layer->in.total(), 8);
  SpecOptions given = options(file, 64);
  given.dtype = "bf16";
  given.field = "GF(5)";
  Spec spec = loadSpec(given);
  EXPECT_EQ(spec.layer->in.total(), 64);
  EXPECT_TRUE(spec.layer->in.isEqual());
  EXPECT_EQ(spec.layer->out.total(), 4);
  EXPECT_EQ(spec.layer->dtype, algebras::DataType::BF16);
  EXPECT_EQ(spec.algebra->field().name(), "GF(5)");
}

TEST(LoadSpec, MissingWidths) {
  TemporaryFolder folder;
  EXPECT_THROW(loadSpec(options("Q(2)", 64, 0)), compiler::UsageError);
  std::string file = folder.write("s.toml", "[algebra]\nproduct = \"Q(2)\"\n[layer]\nout = 4\n");
  EXPECT_NE(messageOf(options(file)).find("s.toml:3:1: error: [layer] has no 'in'"), std::string::npos);
  file = folder.write("e.toml", "[algebra]\nproduct = \"Q(2)\"\n[layer]\n");
  EXPECT_NE(messageOf(options(file)).find("[layer] has no 'in'"), std::string::npos);
}

TEST(LoadSpec, BadValuesPointAtTheirPlace) {
  TemporaryFolder folder;
  auto layer = [&](const std::string &lines) {
    return messageOf(options(folder.write("s.toml", "[algebra]\nproduct = \"Q(4)\"\n[layer]\n" + lines)));
  };
  EXPECT_NE(layer("in = 0\nout = 8\n").find("s.toml:4:6: error: a layer needs a width of at least 1"),
            std::string::npos);
  EXPECT_NE(layer("in = -4\nout = 8\n").find("s.toml:4:6"), std::string::npos);
  EXPECT_NE(layer("in = 8\nout = 0\n").find("s.toml:5:7"), std::string::npos);
  // Four groups do not divide ten features: the way out is named.
  EXPECT_NE(layer("in = 10\nout = 8\n").find("s.toml:4:6"), std::string::npos);
  EXPECT_NE(layer("in = 10\nout = 8\n").find("group"), std::string::npos);
  EXPECT_NE(layer("in = 8\nout = 8\ndtype = \"f16\"\n").find("s.toml:6:9"), std::string::npos);
  EXPECT_NE(layer("in = 8\nout = 8\nrow_types = \"cyclical\"\n").find("s.toml:6:13"), std::string::npos);
  EXPECT_NE(layer("in = 8\nout = 8\nrow_types = \"interval(0)\"\n").find("s.toml:6:13"), std::string::npos);
  EXPECT_NE(layer("in = 8\nout = 8\nlift = \"row\"\n").find("s.toml:6:8"), std::string::npos);
  EXPECT_NE(layer("in = 8\nout = 8\nkind = \"ffn\"\n").find("projection is what exists"), std::string::npos);
  EXPECT_NE(layer("in = 8\nout = 8\nkind = \"attention\"\n").find("s.toml:6:8"), std::string::npos);
  EXPECT_NE(layer("in = 8\nout = 8\nkind = \"projektion\"\n").find("did you mean \"projection\"?"),
            std::string::npos);
  // K times N beyond 64 bits.
  EXPECT_NE(layer("in = 4000000000000000000\nout = 4000000000000000000\n").find("64 bits"),
            std::string::npos);
}

TEST(RequireCompilable, PrimeFieldsAreForVerification) {
  SpecOptions given = options("Q(2)", 8, 8);
  EXPECT_NO_THROW(compiler::requireCompilable(loadSpec(given)));
  given.field = "GF(7)";
  EXPECT_THROW(compiler::requireCompilable(loadSpec(given)), algebras::InputError);
}

TEST(RequireCompilable, NonassociativeTablesNeedPermission) {
  TemporaryFolder folder;
  // b0 b0 = b1, b1 b0 = b0: (b0 b0) b0 = b0 but b0 (b0 b0) = b0 b1 = 0.
  std::string table = folder.write("t.json", R"({"dimension":2,"constants":[[0,0,1,"1"],[1,0,0,"1"]]})");
  SpecOptions given = options(table, 8, 8);
  EXPECT_THROW(compiler::requireCompilable(loadSpec(given)), algebras::InputError);
  given.allow_nonassociative = true;
  EXPECT_NO_THROW(compiler::requireCompilable(loadSpec(given)));
  std::string file = folder.write(
      "s.toml", "[algebra]\ntable = \"t.json\"\nallow_nonassociative = true\n[layer]\nin = 8\nout = 8\n");
  EXPECT_NO_THROW(compiler::requireCompilable(loadSpec(options(file))));
}

} // namespace
