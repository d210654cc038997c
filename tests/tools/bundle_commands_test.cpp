// run, inspect and bench on bundles with kernels written by hand.
#include "runtime/bundle/bundle.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/numpy/npy.h"
#include "runtime/reference/compare.h"
#include "runtime/reference/reference.h"
#include "tests/runtime/fused.h"
#include "tests/runtime/shapes.h"
#include "tests/tools/outcome.h"
#include "tests/tools/temporary_folder.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace {

std::string bundle(const TemporaryFolder &folder, const std::string &name) {
  return folder.write(name + ".alg", algrt::test::bundleOf(algrt::test::shape(name)));
}

TEST(Run, EveryShapeOnRandomData) {
  TemporaryFolder folder;
  for (const algrt::test::Shape &shape : algrt::test::shapes()) {
    SCOPED_TRACE(shape.name);
    std::string file = bundle(folder, shape.name);
    for (const char *weights : {"--packed", "--no-packed"}) {
      Outcome outcome = algctl({"run", file, "--m", "23", "--check", "--json", weights});
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      nlohmann::json report = nlohmann::json::parse(outcome.out);
      EXPECT_EQ(report["check"]["passed"], true);
      EXPECT_EQ(report["check"]["rows"], 23);
      EXPECT_EQ(report["packed"], weights == std::string("--packed"));
    }
  }
}

TEST(Run, FilesInAndOut) {
  TemporaryFolder folder;
  std::string file = bundle(folder, "cyclic_f32");
  const algrt::test::Shape &shape = algrt::test::shape("cyclic_f32");
  std::vector<int64_t> x_shape{7, shape.k()}, w_shape{shape.k(), shape.n()};
  std::vector<float> x(static_cast<size_t>(7 * shape.k())), w(static_cast<size_t>(shape.k() * shape.n()));
  for (size_t index = 0; index < x.size(); ++index)
    x[index] = std::sin(static_cast<float>(index));
  for (size_t index = 0; index < w.size(); ++index)
    w[index] = std::cos(static_cast<float>(index));
  algrt::writeNpy(folder.path("x.npy"), x_shape, std::span<const float>(x));
  algrt::writeNpy(folder.path("w.npy"), w_shape, std::span<const float>(w));
  Outcome outcome = algctl({"run", file, "--x", folder.path("x.npy"), "--w", folder.path("w.npy"), "-o",
                            folder.path("y.npy"), "--offset", "3"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;

  algrt::NpyArray<float> y = algrt::readNpyFloat32(folder.path("y.npy"));
  EXPECT_EQ(y.shape, (std::vector<int64_t>{7, shape.n()}));
  // Row r has type (r + 3) mod groups; output group j of type i sums the input groups i and j.
  for (int64_t row = 0; row < 7; ++row) {
    int64_t type = (row + 3) % shape.groups;
    for (int64_t column = 0; column < shape.n(); ++column) {
      double expected = 0;
      for (int64_t k = 0; k < shape.k(); ++k)
        if (k / shape.in == type || k / shape.in == column / shape.out)
          expected += static_cast<double>(x[row * shape.k() + k]) * w[k * shape.n() + column];
      EXPECT_NEAR(y.values[row * shape.n() + column], expected, 1e-4);
    }
  }
}

TEST(Run, TensorsOutOfASafetensorsFile) {
  TemporaryFolder folder;
  std::string file = bundle(folder, "explicit_f32");
  const algrt::test::Shape &shape = algrt::test::shape("explicit_f32");
  // The same numbers as .npy, and as bf16 and F32 tensors: small integers, which bf16 holds exactly.
  std::vector<int64_t> x_shape{3, shape.k()}, w_shape{shape.k(), shape.n()}, types_shape{3};
  std::vector<float> x, w;
  std::vector<int32_t> types{2, 0, 1};
  std::string x_bytes, w_bytes;
  for (int64_t index = 0; index < 3 * shape.k(); ++index) {
    x.push_back(static_cast<float>(index % 5));
    uint16_t bits = algrt::toBfloat16(x.back());
    x_bytes.append(reinterpret_cast<const char *>(&bits), sizeof(bits));
  }
  for (int64_t index = 0; index < shape.k() * shape.n(); ++index)
    w.push_back(static_cast<float>(index % 7));
  w_bytes.assign(reinterpret_cast<const char *>(w.data()), w.size() * sizeof(float));
  std::string types_bytes(reinterpret_cast<const char *>(types.data()), types.size() * sizeof(int32_t));
  algrt::writeNpy(folder.path("x.npy"), x_shape, std::span<const float>(x));
  algrt::writeNpy(folder.path("w.npy"), w_shape, std::span<const float>(w));
  algrt::writeNpy(folder.path("t.npy"), types_shape, std::span<const int32_t>(types));

  size_t x_end = x_bytes.size(), w_end = x_end + w_bytes.size(), end = w_end + types_bytes.size();
  nlohmann::json header{
      {"x:0", {{"dtype", "BF16"}, {"shape", x_shape}, {"data_offsets", {0, x_end}}}},
      {"w", {{"dtype", "F32"}, {"shape", w_shape}, {"data_offsets", {x_end, w_end}}}},
      {"types", {{"dtype", "I32"}, {"shape", types_shape}, {"data_offsets", {w_end, end}}}}};
  std::string text = header.dump();
  uint64_t length = text.size();
  std::string model =
      folder.write("model.safetensors", std::string(reinterpret_cast<const char *>(&length), 8) + text +
                                            x_bytes + w_bytes + types_bytes);
  Outcome plain = algctl({"run", file, "--x", folder.path("x.npy"), "--w", folder.path("w.npy"), "--types",
                          folder.path("t.npy"), "-o", folder.path("plain.npy")});
  ASSERT_EQ(plain.code, 0) << plain.err;
  Outcome tensors = algctl({"run", file, "--x", model + ":x:0", "--w", model + ":w", "--types",
                            model + ":types", "-o", folder.path("tensors.npy")});
  ASSERT_EQ(tensors.code, 0) << tensors.err;
  EXPECT_EQ(algrt::readNpyFloat32(folder.path("tensors.npy")).values,
            algrt::readNpyFloat32(folder.path("plain.npy")).values);

  expectFailure(algctl({"run", file, "--x", model}), 1, "has 3 tensors");
  expectFailure(algctl({"run", file, "--x", model + ":y"}), 1, "has no tensor \"y\"");
  expectFailure(algctl({"run", file, "--x", model + ":w"}), 1, model + ":w has shape");
  expectFailure(algctl({"run", file, "--x", model + ":types"}), 1, "type I32, needs F32");
}

TEST(Run, AFailureLeavesNoFile) {
  TemporaryFolder folder;
  std::string file = bundle(folder, "cyclic_f32");
  std::vector<int64_t> shape{2, 3};
  std::vector<float> values(6);
  algrt::writeNpy(folder.path("x.npy"), shape, std::span<const float>(values));
  size_t files = folder.fileCount();
  expectFailure(algctl({"run", file, "--x", folder.path("x.npy"), "-o", folder.path("y.npy")}), 1,
                "has shape (2, 3)");
  expectFailure(algctl({"run", file, "--m", "3", "-o", folder.path("absent/y.npy")}), 1, "cannot write");
  expectFailure(algctl({"run", file, "--m", "3", "--map", "dx", "-o", folder.path("y.npy")}), 1,
                "no kernel for map dx");
  expectFailure(algctl({"run", file, "-o", folder.path("y.npy")}), 2, "--m");
  expectFailure(algctl({"run", file, "--m", "3", "--packed", "--no-packed"}), 2, "packed");
  EXPECT_EQ(folder.fileCount(), files);
}

TEST(Run, DamageIsFound) {
  TemporaryFolder folder;
  std::string bytes = algrt::test::bundleOf(algrt::test::shape("cyclic_f32"));
  expectFailure(algctl({"run", folder.write("short.alg", bytes.substr(0, bytes.size() - 1)), "--m", "3"}), 1,
                "short.alg");
  bytes[bytes.size() / 2] ^= 4;
  for (const char *command : {"run", "inspect", "bench"}) {
    std::vector<std::string> words{command, folder.write("flipped.alg", bytes)};
    if (std::string(command) != "inspect")
      words.insert(words.end(), {"--m", "3"});
    expectFailure(algctl(words), 1, "flipped.alg");
  }
}

TEST(Run, ACpuWithoutTheFeaturesIsFour) {
  TemporaryFolder folder;
  const algrt::test::Shape &shape = algrt::test::shape("cyclic_f32");
  nlohmann::ordered_json manifest = algrt::test::manifestOf(shape);
  for (auto &kernel : manifest["kernels"])
    kernel["features"] = {"avx9000"};
  std::string file = folder.write("far.alg", algrt::test::agreeingBundleOf(shape, manifest));
  expectFailure(algctl({"run", file, "--m", "3"}), 4, "avx9000");
  Outcome outcome = algctl({"inspect", file});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("does not run here: this CPU lacks avx9000"), std::string::npos) << outcome.out;
}

TEST(Inspect, JsonHasManifestAndObstacles) {
  TemporaryFolder folder;
  Outcome outcome = algctl({"inspect", bundle(folder, "interval_f32"), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  nlohmann::json report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report["layer"]["row_types"]["kind"], "interval");
  EXPECT_EQ(report["sha256"].get<std::string>().size(), 64u);
  ASSERT_FALSE(report["kernels"].empty());
  EXPECT_EQ(report["kernels"][0]["runs_here"], true);
  EXPECT_TRUE(report["kernels"][0]["obstacle"].is_null());
}

TEST(Inspect, TextSaysHowEveryKernelWorks) {
  TemporaryFolder folder;
  const algrt::test::Shape &shape = algrt::test::shape("cyclic_bf16");
  nlohmann::ordered_json manifest = algrt::test::manifestOf(shape);
  auto &kernel = manifest["kernels"][0];
  ASSERT_EQ(kernel["weights"], "packed");
  kernel["features"] = {"avx9000", "sse"};
  kernel["types_per_task"] = 1;
  kernel["rows_per_task"] = 96;
  kernel["register_tile"] = {13, 32};
  kernel["scratch_bytes"] = 3 << 19;
  Outcome outcome = algctl({"inspect", folder.write("bundle.alg", algrt::test::bundleOf(shape, manifest))});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char *words :
       {"96 rows of 1 row type", "13 rows x 32 columns", "1.5 MiB (1572864 bytes) per thread",
        "packed weights", "avx9000 sse", "up to 2 rows per row type"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << " is not in\n" << outcome.out;
}

// What show prints of a graph is found again: which features and which row type are which vertex.
TEST(Inspect, NamesGroupsAndTypes) {
  TemporaryFolder folder;
  const algrt::test::Shape &shape = algrt::test::shape("cyclic_f32");
  nlohmann::ordered_json manifest = algrt::test::manifestOf(shape);
  std::vector<std::string> names;
  for (int64_t group = 0; group < shape.groups; ++group)
    names.push_back("vertex " + std::to_string(7 * group));
  manifest["layer"]["group_names"] = names;
  manifest["layer"]["type_names"] = names;
  const std::string file = folder.write("named.alg", algrt::test::bundleOf(shape, manifest));
  const Outcome text = algctl({"inspect", file}), json = algctl({"inspect", file, "--json"});
  ASSERT_EQ(text.code, 0) << text.err;
  const std::string inputs = std::to_string(shape.in) + ".." + std::to_string(2 * shape.in - 1),
                    outputs = std::to_string(shape.out) + ".." + std::to_string(2 * shape.out - 1);
  EXPECT_NE(text.out.find(fmt::format("  {:>8}  {:>16}  {:>16}  vertex 7\n", 1, inputs, outputs)),
            std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find(fmt::format("  {:>8}  vertex 7\n", 1)), std::string::npos) << text.out;
  EXPECT_EQ(nlohmann::json::parse(json.out)["layer"]["group_names"][1], "vertex 7");
  // Names that do not fit the layer are not taken for ones.
  for (const nlohmann::ordered_json &odd :
       {nlohmann::ordered_json(7), nlohmann::ordered_json({"a"}), nlohmann::ordered_json({1, 2, 3})}) {
    manifest["layer"]["group_names"] = manifest["layer"]["type_names"] = odd;
    const Outcome outcome =
        algctl({"inspect", folder.write("odd.alg", algrt::test::bundleOf(shape, manifest))});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find("inputs"), std::string::npos) << outcome.out;
  }
}

TEST(Inspect, SaysWhatProgramsAreMadeOf) {
  TemporaryFolder folder;
  const nlohmann::ordered_json manifest = algrt::test::fusedManifest(algrt::test::shape("cyclic_f32"));
  const std::string file = folder.write("both.alg", algrt::test::fusedBundle(manifest, "no code"));
  const Outcome text = algctl({"inspect", file}), json = algctl({"inspect", file, "--json"});
  ASSERT_EQ(text.code, 0) << text.err;
  for (const char *line :
       {"    reads             x [M, 20] f32\n", "    reads             gate [20, 30] f32, weight\n",
        "    reads             factor [M] f32\n", "    reads             alpha [1] f32, in CPU memory\n",
        "    writes            g [M, 30] f32\n", "    step              forward of forward_0: ",
        "w = gate, w2 = up", "\nProjection forward_0\n  20 -> 30, f32, lift rows, 5 row types, cyclic\n",
        "  fused         2 products\n", "    reads             scale f32 for each column\n",
        "    reads             factor f32 for each row\n",
        "    reads             residual f32 for each element\n",
        "    reads             alpha f32 for the call\n", "    writes            result 2 f32\n",
        "\nKernels of projection forward_0, best first\n", "section 'code' has no symbol 'forward_packed'"})
    EXPECT_NE(text.out.find(line), std::string::npos) << line << "\nin\n" << text.out;
  EXPECT_EQ(text.out.find("\nLayer\n"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("\nKernels, best first\n"), std::string::npos) << text.out;
  const auto printed = nlohmann::json::parse(json.out);
  EXPECT_FALSE(printed.contains("layer") || printed.contains("kernels")) << json.out;
  EXPECT_EQ(printed["projections"][0]["layer"]["fused"]["weights"], 2);
  EXPECT_EQ(printed["projections"][0]["kernels"][1]["runs_here"], false);
}

TEST(Bench, BothFormsSayHowToRepeatThem) {
  TemporaryFolder folder;
  std::string file = bundle(folder, "cyclic_f32");
  std::vector<std::string> words{"bench", file,        "--m",  "3",           "--trials",
                                 "1",     "--against", "none", "--flush-mib", "1"};
  std::string command = "algctl";
  for (const std::string &word : words)
    command += " " + word;
  Outcome text = algctl(words);
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("reproduce: " + command + "\n"), std::string::npos) << text.out;
  words.push_back("--json");
  Outcome json = algctl(words);
  ASSERT_EQ(json.code, 0) << json.err;
  EXPECT_EQ(nlohmann::json::parse(json.out)["command"], command + " --json");
}

} // namespace
