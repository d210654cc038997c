#include "algebras/error.h"
#include "algebras/graph/graph.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace algebras;
using Edges = std::vector<Graph::Edge>;

std::vector<std::string> names(const Graph &graph) {
  std::vector<std::string> result;
  for (int64_t vertex = 0; vertex < graph.vertexCount(); ++vertex)
    result.push_back(graph.vertexName(vertex));
  return result;
}
using Names = std::vector<std::string>;

Graph dot(std::string_view text) { return parseDot(text, "g.dot"); }

std::string dotError(std::string_view text) {
  try {
    dot(text);
  } catch (const InputError &error) {
    return error.render();
  }
  return "no error";
}

TEST(Graph, EdgesAreCanonical) {
  Graph graph = makeGraph(4, {{2, 1}, {0, 3}, {0, 1}});
  EXPECT_EQ(graph.edges(), (Edges{{0, 1}, {0, 3}, {2, 1}}));
  EXPECT_TRUE(graph.hasEdge(0, 3));
  EXPECT_FALSE(graph.hasEdge(3, 0));
  EXPECT_EQ(graph.weakComponents(), 1);
  EXPECT_EQ(makeGraph(4, {{2, 1}}).weakComponents(), 3);
  EXPECT_EQ(graph.expression(), "graph(4; 0->1, 0->3, 2->1)");
  EXPECT_EQ(makeGraph(2, {}).expression(), "graph(2;)");
  EXPECT_TRUE(makeGraph(2, {{0, 1}, {1, 0}}).isComplete());
}

TEST(Graph, RefusesWhatIsNoGraph) {
  EXPECT_THROW(makeGraph(0, {}), InputError);
  EXPECT_THROW(makeGraph(-1, {}), InputError);
  EXPECT_THROW(makeGraph(2, {{0, 0}}), InputError);
  EXPECT_THROW(makeGraph(2, {{0, 1}, {0, 1}}), InputError);
  EXPECT_THROW(makeGraph(2, {{0, 2}}), InputError);
  EXPECT_THROW(makeGraph(2, {{-1, 0}}), InputError);
  EXPECT_THROW(makeGraph(INT64_MAX, {}), InputError);
}

TEST(Dot, IntegersAreSortedAsIntegers) {
  std::string text = "digraph { ";
  for (int vertex = 11; vertex > 0; --vertex)
    text += std::to_string(vertex) + " -> " + std::to_string(vertex - 1) + "; ";
  Graph graph = dot(text + "}");
  EXPECT_EQ(names(graph), (Names{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"}));
  EXPECT_TRUE(graph.hasEdge(11, 10));
  EXPECT_EQ(names(dot("digraph { 3; -2; 10; -10; 007 }")), (Names{"-10", "-2", "3", "007", "10"}));
  // One name that is no integer, and the file's order stays.
  EXPECT_EQ(names(dot("digraph { 10; 9; x }")), (Names{"10", "9", "x"}));
}

TEST(Dot, NamesKeepTheOrderOfTheFile) {
  Graph graph = dot("digraph g { zeta -> alpha; mid -> zeta; \"alpha\" -> mid }");
  EXPECT_EQ(names(graph), (Names{"zeta", "alpha", "mid"}));
  EXPECT_EQ(graph.edges(), (Edges{{0, 1}, {1, 2}, {2, 0}}));
}

TEST(Dot, Oddities) {
  EXPECT_EQ(names(dot("// b\n# a\nstrict digraph \"n\" { /* c -> d */ b [label=\"x -> y\"]; a;;; }")),
            (Names{"b", "a"}));
  EXPECT_EQ(names(dot("digraph { \"a \\\" q\" -> \"x\" + \"y\" }")), (Names{"a \" q", "xy"}));
  EXPECT_EQ(names(dot("digraph { \xC3\xA9t\xC3\xA9 -> <b<i>x</i>> }")),
            (Names{"\xC3\xA9t\xC3\xA9", "<b<i>x</i>>"}));
  EXPECT_EQ(
      names(dot("DiGraph { node [shape=box]; rankdir = LR; graph [a=b]; edge [c=d][e=f]; p:n:w -> q:s }")),
      (Names{"p", "q"}));
  EXPECT_EQ(dot("digraph { a -> {b c} -> d }").edges(), (Edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
  EXPECT_EQ(dot("digraph { subgraph s { b; c } a -> subgraph s }").edges(), (Edges{{2, 0}, {2, 1}}));
  EXPECT_EQ(dot("strict digraph { a -> b; a -> b }").edges(), (Edges{{0, 1}}));
  EXPECT_EQ(dot("digraph { a -> b -> c -> a }").edgeCount(), 3);
  EXPECT_EQ(names(dot("\xEF\xBB\xBF"
                      "digraph { a }")),
            (Names{"a"}));
  EXPECT_EQ(names(dot("digraph { \"graph\" -> \"node\"; \"\" }")), (Names{"graph", "node", ""}));
}

TEST(Dot, ErrorsSayWhereAndWhatToDo) {
  EXPECT_EQ(dotError("graph { a -- b }"),
            "g.dot:1:1: error: an undirected graph; a graph algebra needs directions\ngraph { a -- b }\n^\n"
            "hint: write 'digraph', with '->' for each edge");
  EXPECT_EQ(dotError("digraph {\n  a -> b\n  b -> b\n}"),
            "g.dot:3:8: error: edge b -> b is a self-loop; a graph algebra has none\n  b -> b\n       ^\n"
            "hint: leave it out: every vertex has its idempotent already");
  EXPECT_NE(dotError("digraph { a -> b\n a -> b }").find("g.dot:2:7: error: edge a -> b is given twice"),
            std::string::npos);
  EXPECT_NE(dotError("digraph { a -- b }").find("g.dot:1:13: error: '--' is an undirected edge"),
            std::string::npos);
  EXPECT_NE(dotError("digraph { a [x=\"y] }").find("1:16: error: this string is not closed"),
            std::string::npos);
  EXPECT_NE(dotError("digraph { a /* }").find("this comment is not closed"), std::string::npos);
  EXPECT_NE(dotError("digraph { }").find("a graph without vertices"), std::string::npos);
  EXPECT_NE(dotError("digraph {\n a -> b").find("g.dot:1:9: error: this '{' is not closed"),
            std::string::npos);
  EXPECT_NE(dotError("digraph {\n a -> {b").find("g.dot:2:7: error: this '{' is not closed"),
            std::string::npos);
  EXPECT_NE(dotError("digraph { a -> }").find("g.dot:1:16: error: a vertex is missing here, after '->'"),
            std::string::npos);
  EXPECT_NE(dotError("digraph { a -> -> b }").find("g.dot:1:16: error: a vertex is missing"),
            std::string::npos);
  EXPECT_NE(dotError("digraph { a; -> b }").find("g.dot:1:14: error: no vertex stands before this '->'"),
            std::string::npos);
  EXPECT_NE(dotError("digraph { a } digraph { b }").find("g.dot:1:15: error: the graph ends before this"),
            std::string::npos);
  for (const char *bad :
       {"", "junk", "digraph", "digraph {", "digraph { a -> }", "digraph { a } b", "digraph { -> a }",
        "digraph { a } digraph { b }", "digraph { a b -> ; }", "digraph { ] }", "digraph { a = }",
        "digraph { a [b }", "digraph { subgraph -> b }", "digraph { edge -> b }", "digraph { a : }",
        "digraph { a -> {b -> b} }", "digraph { {a b} -> {b c} }"})
    EXPECT_NE(dotError(bad).find("error: "), std::string::npos) << bad;
}

TEST(Dot, HostileSizesAreRefused) {
  std::string nested = "digraph { ";
  for (int depth = 0; depth < 100000; ++depth)
    nested += "{";
  EXPECT_NE(dotError(nested).find("nested deeper than 100"), std::string::npos);
  std::string wide = "digraph { {";
  for (int vertex = 0; vertex < 5000; ++vertex)
    wide += std::to_string(vertex) + " ";
  wide += "} -> {";
  for (int vertex = 5000; vertex < 10000; ++vertex)
    wide += std::to_string(vertex) + " ";
  EXPECT_NE(dotError(wide + "} }").find("more than"), std::string::npos);
}

std::string graphml(const std::string &inside, const std::string &direction = "edgedefault=\"directed\"") {
  return "<?xml version=\"1.0\"?><graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"><graph " +
         direction + ">" + inside + "</graph></graphml>";
}

TEST(Graphml, ReadsNodesInOrder) {
  Graph graph =
      parseGraphml(graphml("<node id=\"b\"><data key=\"d9\">x</data></node><edge source=\"b\" target=\"a\"/>"
                           "<!-- <node id=\"no\"/> --><node id=\"a\"/>"),
                   "g.graphml");
  EXPECT_EQ(names(graph), (Names{"b", "a"}));
  EXPECT_EQ(graph.edges(), (Edges{{0, 1}}));
  EXPECT_EQ(names(parseGraphml(graphml("<node id=\"10\"/><node id=\"9\"/>"), "g")), (Names{"9", "10"}));
  EXPECT_EQ(names(parseGraphml(graphml("<node id=\"a &amp; b\"/>"), "g")), (Names{"a & b"}));
}

TEST(Graphml, Errors) {
  auto message = [](const std::string &text) -> std::string {
    try {
      parseGraphml(text, "g.graphml");
    } catch (const InputError &error) {
      return error.render();
    }
    return "no error";
  };
  const std::string nodes = "<node id=\"a\"/><node id=\"b\"/>";
  EXPECT_NE(message(graphml(nodes, "edgedefault=\"undirected\"")).find("undirected graph"),
            std::string::npos);
  EXPECT_NE(message(graphml(nodes, "")).find("does not say whether edges are directed"), std::string::npos);
  EXPECT_NE(message(graphml(nodes + "<edge source=\"a\" target=\"a\"/>")).find("self-loop"),
            std::string::npos);
  EXPECT_NE(message(graphml(nodes + "<edge source=\"a\" target=\"z\"/>")).find("no node 'z'"),
            std::string::npos);
  EXPECT_NE(
      message(graphml(nodes + "<edge source=\"a\" target=\"b\" directed=\"false\"/>")).find("undirected"),
      std::string::npos);
  EXPECT_NE(message(graphml(nodes + "<edge source=\"a\" target=\"b\"/><edge source=\"a\" target=\"b\"/>"))
                .find("twice"),
            std::string::npos);
  EXPECT_NE(message(graphml(nodes + nodes)).find("declared twice"), std::string::npos);
  EXPECT_NE(message(graphml(nodes + "<edge target=\"a\"/>")).find("edge number 1 has no source"),
            std::string::npos);
  EXPECT_NE(message(graphml("<node/>")).find("has no id"), std::string::npos);
  EXPECT_NE(message(graphml("")).find("without vertices"), std::string::npos);
  EXPECT_NE(message("<graphml>\n<graph>\n<x y></graphml>").find("g.graphml:3:1: error: not well-formed XML"),
            std::string::npos);
  EXPECT_NE(message("<a/>").find("no <graphml> element"), std::string::npos);
  EXPECT_NE(message("").find("error: "), std::string::npos);
  std::string deep;
  for (int depth = 0; depth < 100000; ++depth)
    deep += "<a>";
  EXPECT_NE(message(deep).find("nested deeper than 100"), std::string::npos);
}

TEST(GraphFile, MissingAndUnknown) {
  EXPECT_THROW(readGraphFile("/nonexistent/g.dot"), InputError);
  EXPECT_THROW(readGraphFile("/dev/zero.txt"), InputError);
  EXPECT_THROW(readDotFile("/dev/zero"), InputError);
}

} // namespace
