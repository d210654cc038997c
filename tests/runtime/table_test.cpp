#include "runtime/bench/table.h"

#include "runtime/support/error.h"
#include "runtime/support/file.h"
#include "tests/runtime/shapes.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace algrt {
namespace {

std::string tableFile(const std::string &text) {
  const std::string path = testing::TempDir() + "algrt_table.csv";
  writeFileByRename(path, text);
  return path;
}

TEST(Table, ReadsColumnsInAnyOrderAndIgnoresOthers) {
  const std::vector<TableRow> rows = readTable(tableFile(
      "q,case,map,m,k,n,paper_us\r\n32,\"a, \"\"b\"\"\",forward,2048,20,30,75.7\r\n\n5,c,ffn,1,2,3,\n"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "a, \"b\"");
  EXPECT_EQ(rows[0].q, 32);
  EXPECT_EQ(rows[0].m, 2048);
  EXPECT_EQ(rows[1].map, "ffn");
  EXPECT_EQ(rows[1].line, 4);
  EXPECT_EQ(rows[1].row_types, "");
  EXPECT_EQ(readTable(tableFile("m,k,n,q,row_types\n1,2,3,4,interval(7)\n"))[0].row_types, "interval(7)");
  EXPECT_EQ(readTable(tableFile("m,k,n,q\n1,2,3,4\n"))[0].map, "forward");
}

TEST(Table, PublishedFiguresAreKeptWhereThereAreAny) {
  const std::vector<TableRow> rows =
      readTable(tableFile("m,k,n,q,paper_dense_us,paper_algebra_us,paper_speedup_warm,paper_speedup_"
                          "flushed\n1,2,3,4,75.7,24.9,3.04,\n"));
  EXPECT_EQ(rows[0].published.dense_us, 75.7);
  EXPECT_EQ(rows[0].published.algebra_us, 24.9);
  EXPECT_EQ(rows[0].published.speedup_warm, 3.04);
  EXPECT_EQ(rows[0].published.speedup_flushed, std::nullopt);
  EXPECT_EQ(readTable(tableFile("m,k,n,q\n1,2,3,4\n"))[0].published.dense_us, std::nullopt);
}

TEST(Table, WhatTheCostModelExpectsIsKept) {
  const std::vector<TableRow> rows = readTable(tableFile("m,k,n,q,predicted_us\n1,2,3,4,31.25\n1,2,3,4,\n"));
  EXPECT_EQ(rows[0].predicted_us, 31.25);
  EXPECT_EQ(rows[1].predicted_us, std::nullopt);
}

TEST(Table, RowsAreDividedAmongExpertsWhereTheTableSaysSo) {
  const std::vector<TableRow> rows = readTable(tableFile("m,k,n,q,experts\n1,2,3,4,16\n1,2,3,4,\n"));
  EXPECT_EQ(rows[0].experts, 16);
  EXPECT_EQ(rows[1].experts, 0);
  EXPECT_EQ(readTable(tableFile("m,k,n,q\n1,2,3,4\n"))[0].experts, 0);
}

TEST(Table, MistakesAreNamedWithTheirLine) {
  const std::pair<const char *, const char *> wrong[] = {
      {"m,k,n\n1,2,3\n", ":1: has no column q"},
      {"m,k,n,q\n1,2,3\n", ":2: has 3 cells"},
      {"m,k,n,q\n1,2,3,4\n1,2,x,4\n", ":3: column n is 'x'"},
      {"m,k,n,q\n0,2,3,4\n", "column m is '0'"},
      {"m,k,n,q\n1,2,3,99999999999999999999\n", "column q"},
      {"m,k,n,q\n1,2,\"3,4\n", "quote"},
      {"m,k,n,q,paper_dense_us\n1,2,3,4,fast\n", ":2: column paper_dense_us is 'fast'"},
      {"m,k,n,q,predicted_us\n1,2,3,4,soon\n", ":2: column predicted_us is 'soon'"},
      {"m,k,n,q,experts\n1,2,3,4,many\n", ":2: column experts is 'many'"},
      {"m,k,n,q,experts\n1,2,3,4,0\n", "column experts is '0'"},
      {"m,k,n,q,paper_dense_us\n1,2,3,4,-1\n", "needs a number above 0"},
      {"", "is empty"},
  };
  for (const auto &[text, words] : wrong)
    try {
      readTable(tableFile(text));
      ADD_FAILURE() << text;
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  EXPECT_THROW(readTable("/nonexistent.csv"), Error);
}

TEST(Table, RowsFindTheirBundles) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "algrt_match";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const char *name : {"cyclic_f32", "cyclic_bf16", "slots_f32"})
    writeFileByRename(folder / (std::string(name) + ".alg"), test::bundleOf(test::shape(name)));
  writeFileByRename(folder / "notes.txt", "not a bundle, and not looked at");
  const auto match = [&](const char *map, int64_t k, int64_t n, int64_t q, std::optional<std::string> dtype,
                         const char *row_types = "") {
    TableRow row;
    row.row_types = row_types;
    row.map = map;
    row.m = 4;
    row.k = k;
    row.n = n;
    row.q = q;
    const std::vector<TableMatch> matches = matchTable({row}, folder, dtype);
    EXPECT_EQ(matches.size(), 1u);
    return matches.front();
  };
  EXPECT_EQ(match("forward", 20, 30, 5, {}).bundle_path, folder / "cyclic_f32.alg");
  EXPECT_EQ(match("forward", 20, 30, 5, {}, "cyclic").bundle_path, folder / "cyclic_f32.alg");
  EXPECT_NE(match("forward", 20, 30, 5, {}, "interval(7)").skipped.find("row_types=interval(7)"),
            std::string::npos);
  EXPECT_EQ(match("forward", 24, 15, 3, "bf16").bundle_path, folder / "cyclic_bf16.alg");
  EXPECT_NE(match("forward", 24, 15, 3, "f32").skipped.find("no bundle"), std::string::npos);
  EXPECT_NE(match("forward", 20, 30, 6, {}).skipped.find("q=6"), std::string::npos);
  EXPECT_EQ(match("decode", 20, 30, 5, {}).bundle_path, folder / "cyclic_f32.alg");
  for (const char *map : {"dx", "dw", "training"}) // written by hand, without gradients
    EXPECT_NE(match(map, 20, 30, 5, {}).skipped.find(std::string("no bundle with kernels of ") + map),
              std::string::npos);
  // Layers are no networks, which tests/device/network_table_test.cpp has.
  EXPECT_NE(match("ffn", 20, 30, 5, {}).skipped.find("no bundle with kernels of ffn and k=20, n=30, q=5"),
            std::string::npos);
  EXPECT_NE(match("attention", 20, 30, 5, {}).skipped.find("map attention is not supported"),
            std::string::npos);
  writeFileByRename(folder / "broken.alg", "ALGCTLB\n");
  EXPECT_THROW(match("forward", 20, 30, 5, {}), Error);
}

} // namespace
} // namespace algrt
