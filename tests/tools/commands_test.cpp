// The commands that need no bundle, from the command line to the exit code.
#include "tests/tools/outcome.h"
#include "tests/tools/temporary_folder.h"

#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

TEST(CommandLine, WrongUsageIsTwo) {
  EXPECT_EQ(algctl({}).code, 2);
  expectFailure(algctl({"verfy", "Q(2)"}), 2, "unknown command 'verfy': did you mean verify?");
  expectFailure(algctl({"verify", "Q(2)", "--jsn"}), 2, "unknown option '--jsn': did you mean --json?");
  expectFailure(algctl({"verify"}), 2, "SPEC");
  expectFailure(algctl({"verify", "Q(2)", "Q(3)"}), 2, "unexpected argument 'Q(3)'");
  expectFailure(algctl({"cost", "Q(2)", "--in", "many", "--out", "4", "--m", "1"}), 2, "--in");
  expectFailure(algctl({"cost", "Q(2)", "--in", "99999999999999999999", "--out", "4", "--m", "1"}), 2,
                "--in");
  expectFailure(algctl({"cost", "Q(2)", "--in", "4", "--out", "4", "--dtype", "f16", "--m", "1"}), 2,
                "--dtype");
  expectFailure(algctl({"cost", "Q(2)", "--m", "1"}), 2, "--in and --out");
  expectFailure(algctl({"cost", "Q(2)", "--in", "4", "--m", "1"}), 2, "--out");
  expectFailure(algctl({"show", "Q(2)", "--format=png"}), 2, "--format");
  expectFailure(algctl({"completion", "tcsh"}), 2, "SHELL");
  // The misspelt option comes before the one that is missing because of it.
  expectFailure(algctl({"cost", "Q(2)", "--in", "4", "--out", "4", "--rows", "1"}), 2,
                "unknown option '--rows'");
  expectFailure(algctl({"run", "up.alg", "--m", "2", "--seed", "-1"}), 2,
                "--seed: Value -1 not in range 0 to 9223372036854775807");
}

TEST(CommandLine, HelpTeachesByExample) {
  for (const char *command :
       {"verify", "show", "compare", "cost", "inspect", "run", "bench", "doctor", "completion"}) {
    Outcome outcome = algctl({command, "--help"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.out.find("Example"), std::string::npos) << command;
    EXPECT_NE(outcome.out.find(std::string("algctl ") + command), std::string::npos) << command;
  }
  EXPECT_EQ(algctl({"--version"}).out.substr(0, 7), "algctl ");
}

TEST(Verify, PrintsTheContractsObject) {
  Outcome outcome = algctl({"verify", "Q(2)^2", "--json"});
  EXPECT_EQ(outcome.code, 0);
  nlohmann::json facts = nlohmann::json::parse(outcome.out);
  for (const char *key : {"name",
                          "field",
                          "dimension",
                          "nonzeros",
                          "associative",
                          "unital",
                          "commutative",
                          "identity",
                          "center_dimension",
                          "radical_dimension",
                          "radical_series",
                          "simple_components",
                          "maximal_ideals",
                          "alder_strassen",
                          "rank_lower",
                          "rank_lower_rule",
                          "rank_upper",
                          "rank_upper_rule",
                          "rank_exact",
                          "active_products",
                          "types",
                          "groups",
                          "dense_products",
                          "fraction"})
    EXPECT_TRUE(facts.contains(key)) << key;
  EXPECT_EQ(facts["dimension"], 16);
  EXPECT_EQ(facts["radical_series"], nlohmann::json({12, 4, 0}));
}

TEST(Verify, ExitsWithThreeAndAWitness) {
  TemporaryFolder folder;
  std::string table = folder.write("t.json", R"({"dimension":2,"constants":[[0,0,1,"1"],[1,0,0,"1"]]})");
  Outcome outcome = algctl({"verify", table, "--json"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["associative"], false);
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["witness"].size(), 4u);
  EXPECT_NE(outcome.err.find("neither associative nor unital"), std::string::npos);
  std::string zero = folder.write("z.json", R"({"dimension":1,"constants":[]})");
  EXPECT_EQ(algctl({"verify", zero}).code, 3);
}

// Where a layer is expected to be slower than dense, the command for the dense one stands below.
TEST(Cost, BesideTheDenseProjection) {
  auto with = [](std::vector<std::string> words) {
    words.insert(words.begin(),
                 {"cost", "Q(16)", "--in", "2048", "--out", "6144", "--dtype", "bf16", "--dense"});
    return algctl(words);
  };
  nlohmann::json json = nlohmann::json::parse(with({"--m", "2048", "--json"}).out);
  EXPECT_EQ(json["rows"].size(), 12u);
  EXPECT_EQ(json["rows"].back()["m"], 2048);
  EXPECT_GT(json["rows"].back()["times_dense"], 1.0);
  bool slower = false;
  for (const nlohmann::json &row : json["rows"])
    slower = slower || row["times_dense"] < 1.0;
  EXPECT_EQ(slower, !json["slower_than_dense"].empty());
  const std::string command = R"x(algctl compile "Q(1)" --in 2048 --out 6144 --dtype bf16 --target=sm_90a)x";
  EXPECT_EQ(json["dense_command"], command);
  Outcome text = with({"--m", "2048"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.out.find(command) != std::string::npos, slower) << text.out;
  text = with({"--m", "1", "--target", "cpu", "--map", "dx"});
  EXPECT_NE(text.out.find("gradient of X"), std::string::npos) << text.out;
  expectFailure(with({"--m", "0"}), 2, "--m must be at least 1, got 0");
}

// As first typed, without a target or a type: one is taken for the other, and the output says so.
TEST(Cost, TakesATargetForTheTypeAndATypeForTheTarget) {
  auto with = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"cost", "Q(4)", "--in", "256", "--out", "512", "--m", "4"});
    return algctl(words);
  };
  for (const char *how : {"--dense", "--schedules"}) {
    const Outcome plain = with({how}), half = with({how, "--dtype", "bf16"}),
                  gpu = with({how, "--target", "sm_80"}),
                  both = with({how, "--dtype", "bf16", "--target", "cpu"});
    for (const Outcome &outcome : {plain, half, gpu, both})
      EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(plain.out.find("f32 to f32"), std::string::npos) << plain.out;
    EXPECT_NE(plain.out.find("no --target: cpu, for a layer in f32, as layers without --dtype are\ncpu:"),
              std::string::npos)
        << plain.out;
    EXPECT_NE(half.out.find("no --target: sm_90a, for a layer in bf16\nsm_90a:"), std::string::npos)
        << half.out;
    EXPECT_NE(gpu.out.find("no --dtype: bf16, in which kernels of sm_80 compute\nsm_80:"), std::string::npos)
        << gpu.out;
    EXPECT_EQ(both.out.find("no --"), std::string::npos) << both.out;
    EXPECT_EQ(nlohmann::json::parse(with({how, "--json"}).out)["note"],
              "no --target: cpu, for a layer in f32, as layers without --dtype are");
    EXPECT_TRUE(nlohmann::json::parse(with({how, "--target", "cpu", "--json"}).out)["note"].is_null());
  }
  TemporaryFolder folder;
  const std::string spec =
      folder.write("s.toml", "[algebra]\nproduct = \"Q(2)\"\n[layer]\nin = 64\nout = 64\ndtype = \"f32\"\n");
  expectFailure(algctl({"cost", spec, "--m", "1", "--dense", "--target", "sm_80"}), 1, "dtype bf16");
}

TEST(Cost, PredictsForTheMachineThatIsNamed) {
  auto machine = [](std::vector<std::string> words) {
    words.insert(words.begin(),
                 {"cost", "Q(4)", "--in", "256", "--out", "512", "--m", "64", "--dense", "--json"});
    const Outcome outcome = algctl(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  };
  TemporaryFolder folder;
  const std::string here = folder.write("here.json", algctl({"doctor", "--json"}).out);
  const auto threads = nlohmann::json::parse(folder.read("here.json"))["cpu"]["threads"].get<int64_t>();
  EXPECT_TRUE(machine({})["machine"].get<std::string>().starts_with(
      fmt::format("{} core{} of ", threads, threads == 1 ? "" : "s")));
  EXPECT_NE(machine({})["machine"].get<std::string>().find("(this machine)"), std::string::npos);
  EXPECT_EQ(machine({"--machine", here})["rows"], machine({})["rows"]);
  const nlohmann::json one = machine({"--cores", "1"}), many = machine({"--cores", "64"});
  EXPECT_TRUE(one["machine"].get<std::string>().starts_with("1 core of ")) << one;
  EXPECT_NE(many["machine"].get<std::string>().find("(--cores)"), std::string::npos) << many;
  EXPECT_GT(one["rows"].back()["dense_us"].get<double>(), many["rows"].back()["dense_us"].get<double>());
  const std::string other =
      folder.write("other.json", R"({"cpu": {"level": "x86-64-v3", "threads": 48, "features": ["avx2"]}})");
  EXPECT_EQ(machine({"--machine", other})["machine"], "48 cores of x86-64-v3 at 3 GHz (" + other + ")");
  for (const auto &[text, words] : std::vector<std::pair<std::string, std::string>>{
           {"", "no object \"cpu\""},
           {R"({"cpu": 3})", "no object \"cpu\""},
           {R"({"cpu": {"level": 3}})", "no string \"level\""},
           {R"({"cpu": {"level": "x86-64-v4"}})", "no number \"threads\""},
           {R"({"cpu": {"level": "x86-64-v4", "threads": 4, "features": [1]}})", "no list \"features\""},
           {R"({"cpu": {"level": "x86-64-v2", "threads": 4, "features": []}})", "is of level x86-64-v2"},
           {R"({"cpu": {"level": "x86-64-v4", "threads": 0, "features": []}})", "has 0 threads"}})
    expectFailure(algctl({"cost", "Q(4)", "--in", "256", "--out", "512", "--m", "64", "--dense", "--machine",
                          folder.write("odd.json", text)}),
                  1, words);
}

TEST(Verify, WritesACertificateOrNothing) {
  TemporaryFolder folder;
  EXPECT_EQ(algctl({"verify", "Q(3)", "--certificate", folder.path("c.json")}).code, 0);
  nlohmann::json certificate = nlohmann::json::parse(folder.read("c.json"));
  EXPECT_EQ(certificate["algebra"]["kind"], "graph");
  EXPECT_EQ(certificate["claims"]["associative"], true);
  expectFailure(algctl({"verify", "Q(3)", "--certificate", folder.path("absent/c.json")}), 1, "cannot write");
  expectFailure(algctl({"verify", "R(3)", "--certificate", folder.path("d.json")}), 1, "");
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST(Verify, BadInputIsOne) {
  TemporaryFolder folder;
  expectFailure(algctl({"verify", "Q(2"}), 1, "error");
  expectFailure(algctl({"verify", "Q(0)"}), 1, "error");
  expectFailure(algctl({"verify", "Q(4000000000)^9"}), 1, "64 bits");
  expectFailure(algctl({"verify", folder.path("absent.toml")}), 1, "absent.toml");
  expectFailure(algctl({"verify", folder.write("u.dot", "graph { a -- b }")}), 1, "undirected");
  expectFailure(algctl({"verify", folder.write("l.dot", "digraph { a -> a }")}), 1, "loop");
  expectFailure(algctl({"verify", folder.write("m.dot", "digraph { a -> b; a -> b }")}), 1, "error");
  expectFailure(algctl({"verify", folder.write("b.json", "{")}), 1, "error");
  expectFailure(algctl({"verify", folder.write("x.graphml", "<graphml")}), 1, "error");
  expectFailure(algctl({"verify", "Q(2)", "--field", "GF(4)"}), 1, "prime");
}

TEST(Show, EveryFormat) {
  TemporaryFolder folder;
  const bool draws = std::system("command -v dot >/dev/null") == 0; // Graphviz
  for (const char *format : {"text", "json", "dot", "svg", "html"}) {
    if (format == std::string("svg") && !draws)
      continue;
    std::string file = folder.path(std::string("out.") + format);
    Outcome direct = algctl({"show", "Q(3)", "--format", format});
    EXPECT_EQ(direct.code, 0);
    EXPECT_EQ(algctl({"show", "Q(3)", "--format", format, "-o", file}).code, 0);
    EXPECT_EQ(folder.read(std::string("out.") + format), direct.out);
  }
  expectFailure(algctl({"show", "Q(3)", "-o", folder.path("absent/x")}), 1, "cannot write");
  std::string table =
      folder.write("t.json", R"({"dimension":2,"constants":[[0,0,1,"1"],[1,0,0,"1"]]})"); // not associative
  expectFailure(algctl({"show", table, "--format=svg"}), 1, "no graph to draw");
}

TEST(Cost, CountsTheExample) {
  Outcome outcome = algctl(
      {"cost", std::string(ALGCTL_SOURCE_DIR) + "/examples/qwen3-1.7b-up.toml", "--m", "2048", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  nlohmann::json report = nlohmann::json::parse(outcome.out);
  int64_t dense = int64_t{2048} * 2048 * 6144;
  EXPECT_EQ(report["dense_macs"], dense);
  EXPECT_EQ(report["active_macs"], dense / 1024 * 63);
  expectFailure(algctl({"cost", "Q(2)", "--in", "4", "--out", "4", "--m", "0"}), 2,
                "--m must be at least 1, got 0");
  expectFailure(algctl({"cost", "Q(2)", "--in", "4", "--out", "4", "--m", "1", "--p0", "-1"}), 2,
                "positions count from 0");
  expectFailure(algctl({"cost", "Q(3)", "--in", "4", "--out", "6", "--m", "1"}), 1, "group");
}

TEST(Cost, UnequalGroupsOnTheCommandLine) {
  Outcome outcome =
      algctl({"cost", "Q(2)", "--in-groups", "3,5", "--out-groups", "2,7", "--m", "2", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  nlohmann::json report = nlohmann::json::parse(outcome.out);
  // C_i = sum of s_j r_j + s_i (N - r_i): 41 + 3 * 7 and 41 + 5 * 2.
  EXPECT_EQ(report["active_macs"], 62 + 51);
}

TEST(CostSchedules, RanksThem) {
  const std::string up = std::string(ALGCTL_SOURCE_DIR) + "/examples/qwen3-1.7b-up.toml";
  Outcome outcome =
      algctl({"cost", up, "--m", "2048", "--schedules", "--json", "--most", "10000", "--illegal"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json ranking = nlohmann::json::parse(outcome.out);
  // (2048 x 2048 + 2048 x 6144 + 2048 x 6144) bf16 at 4.3 TB/s.
  EXPECT_NEAR(ranking["floor_us"].get<double>(), 2 * 29360128 / 4.3e6, 1e-9);
  EXPECT_EQ(ranking["floor_by"], "memory");
  EXPECT_EQ(ranking["schedules"].size(), ranking["legal"].get<size_t>());
  double before = 0;
  for (const nlohmann::json &one : ranking["schedules"]) {
    const double us = one["predicted_us"].get<double>();
    EXPECT_GE(us, before);
    before = us;
    EXPECT_NEAR(one["times_floor"].get<double>(), us / ranking["floor_us"].get<double>(), 1e-9);
    double sum = 0;
    for (const auto &[name, part] : one["sum_us"].items())
      sum += part.get<double>();
    EXPECT_NEAR(sum, us, 1e-9 * us);
    EXPECT_TRUE(one["busy_us"].contains(one["bound_by"].get<std::string>()));
  }
  size_t refused = 0;
  for (const auto &[kind, count] : ranking["refused"].items())
    refused += count.get<size_t>();
  EXPECT_EQ(refused, ranking["illegal"].size());
  EXPECT_GT(refused, 0u);
  // A type has 64 rows and a group 192 columns: tiles of pairs of types are whole.
  EXPECT_EQ(ranking["schedules"][0]["schedule"], "rows=64,columns=192,depth=64,stages=4,types=2");
}

TEST(CostSchedules, TakesResultsAndTargets) {
  auto best = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"cost", "Q(4)", "--in", "256", "--out", "1024", "--m", "512", "--schedules",
                                 "--json", "--most", "1"});
    Outcome outcome = algctl(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  };
  const nlohmann::json narrow = best({"--dtype", "bf16"}),
                       wide = best({"--dtype", "bf16", "--y-dtype", "f32"});
  EXPECT_EQ(narrow["schedules"].size(), 1u);
  EXPECT_FALSE(narrow.contains("illegal"));
  // Another 2 bytes for each of 512 x 1024 results.
  EXPECT_NEAR(wide["floor_us"].get<double>() - narrow["floor_us"].get<double>(), 2.0 * 512 * 1024 / 4.3e6,
              1e-9);
  EXPECT_EQ(best({"--target", "cpu"})["target"], "cpu");
  EXPECT_EQ(best({"--dtype", "bf16", "--target", "sm_80"})["target"], "sm_80");
  // As text, with what was left out and why.
  Outcome text = algctl({"cost", "Q(4)", "--in", "160", "--out", "160", "--dtype", "bf16", "--m", "64",
                         "--schedules", "--most", "2", "--illegal"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("(--most shows them)"), std::string::npos);
  EXPECT_NE(text.out.find("by wider than a group"), std::string::npos);
  EXPECT_NE(text.out.find("a product takes 154 registers of a thread"), std::string::npos) << text.out;
}

TEST(CostSchedules, SaysWhatIsWrong) {
  const std::vector<std::string> layer = {"cost", "Q(4)",    "--in", "256", "--out",
                                          "256",  "--dtype", "bf16", "--m", "1"};
  auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), layer.begin(), layer.end());
    return algctl(words);
  };
  expectFailure(with({"--most", "3"}), 2, "--most goes with --schedules");
  expectFailure(with({"--illegal"}), 2, "--illegal goes with --schedules");
  expectFailure(with({"--schedules", "--tile", "1,2,3"}), 2, "--tile does not go with --schedules");
  expectFailure(with({"--schedules", "--dense"}), 2, "--dense does not go with --schedules");
  expectFailure(with({"--dense", "--leaf", "1,2,3"}), 2, "--leaf does not go with --dense");
  expectFailure(with({"--dense", "--most", "3"}), 2, "--most goes with --schedules");
  expectFailure(with({"--schedules", "--most", "0"}), 2, "--most must be at least 1");
  expectFailure(with({"--schedules", "--target", "sm_70"}), 2, "there are cpu, sm_80, sm_90a");
  expectFailure(with({"--schedules", "--y-dtype", "f16"}), 2, "--y-dtype is bf16 or f32");
  expectFailure(with({"--schedules", "--target", "cpu", "--y-dtype", "f32"}), 2, "--y-dtype is for GPUs");
  expectFailure(algctl({"cost", "Q(4)", "--in", "256", "--out", "256", "--m", "1", "--schedules", "--dtype",
                        "f32", "--target", "sm_90a"}),
                1, "dtype bf16");
  expectFailure(with({"--cores", "3"}), 2, "--cores goes with --schedules or --dense");
  expectFailure(with({"--schedules", "--cores", "3"}), 2, "--cores is for the target cpu, not sm_90a");
  expectFailure(with({"--schedules", "--target", "cpu", "--cores", "0"}), 2, "--cores must be at least 1");
}

TEST(Bundles, WhatIsNoBundleIsRefused) {
  TemporaryFolder folder;
  std::string file =
      folder.write("foreign.alg", "This is not a bundle, but it is longer than a header of one is.......");
  for (const char *command : {"inspect", "run", "bench"}) {
    std::vector<std::string> words{command, file};
    if (std::string(command) != "inspect")
      words.insert(words.end(), {"--m", "4"});
    expectFailure(algctl(words), 1, file);
    words[1] = folder.path("absent.alg");
    expectFailure(algctl(words), 1, "absent.alg");
  }
  expectFailure(algctl({"run", file, "--m", "0"}), 2, "--m must be at least 1, got 0");
  expectFailure(algctl({"run", file, "--m", "4", "--offset", "-1"}), 2, "positions count from 0");
  expectFailure(algctl({"run", file, "--m", "4", "-o", folder.path("absent/y.npy")}), 1, "cannot write");
  expectFailure(algctl({"bench", "--m", "4"}), 2, "--table");
}

TEST(Doctor, KnowsThisMachine) {
  Outcome outcome = algctl({"doctor", "--json"});
  ASSERT_EQ(outcome.code, 0);
  nlohmann::json machine = nlohmann::json::parse(outcome.out);
  EXPECT_GE(machine["cpu"]["threads"].get<int>(), 1);
  EXPECT_FALSE(machine["cpu"]["level"].get<std::string>().empty());
  EXPECT_TRUE(machine["dense_libraries"].contains("OpenBLAS"));
}

// What doctor says of a target: empty where it works.
std::string reasonAgainst(const std::string &target, const compiler::Toolchain &toolchain) {
  const Outcome outcome = algctl({"doctor", "--json"}, [&] { return toolchain; });
  EXPECT_EQ(outcome.code, 0);
  const nlohmann::json machine = nlohmann::json::parse(outcome.out);
  for (const nlohmann::json &ability : machine["targets"])
    if (ability["name"] == target) {
      EXPECT_EQ(ability["works"].get<bool>(), ability["reason"] == "");
      return ability["reason"];
    }
  return "not mentioned";
}

TEST(Doctor, SaysWhichToolIsMissing) {
  const compiler::Finding linker{true, "/bin/ld.lld"}, assembler{true, "/bin/ptxas, version 12.9.86"},
      disassembler{true, "/bin/nvdisasm"}, no_assembler{false, "no assembler"},
      no_disassembler{false, "no disassembler"};
  EXPECT_EQ(reasonAgainst("cubin for sm_90a", {linker, assembler, disassembler}), "");
  EXPECT_EQ(reasonAgainst("show sass", {linker, assembler, disassembler}), "");
  EXPECT_EQ(reasonAgainst("show sass", {linker, assembler, no_disassembler}), "no disassembler");
  EXPECT_EQ(reasonAgainst("show sass", {linker, no_assembler, disassembler}), "no assembler");
  EXPECT_EQ(reasonAgainst("cubin for sm_90a", {linker, no_assembler, no_disassembler}), "no assembler");
  EXPECT_EQ(reasonAgainst("compile for sm_90a", {linker, no_assembler, no_disassembler}), "");
  const Outcome text =
      algctl({"doctor"}, [&] { return compiler::Toolchain{linker, assembler, disassembler}; });
  EXPECT_NE(text.out.find("found: /bin/ptxas, version 12.9.86"), std::string::npos) << text.out;
}

TEST(Doctor, SaysWhyNoDeviceIsReached) {
  TemporaryFolder folder;
  const std::string absent = folder.path("libcuda.so.1");
  const char *before = std::getenv("ALGRT_CUDA_DRIVER");
  const std::string saved = before ? before : "";
  setenv("ALGRT_CUDA_DRIVER", absent.c_str(), 1);
  const Outcome outcome = algctl({"doctor", "--json"});
  before ? setenv("ALGRT_CUDA_DRIVER", saved.c_str(), 1) : unsetenv("ALGRT_CUDA_DRIVER");
  const nlohmann::json machine = nlohmann::json::parse(outcome.out);
  EXPECT_FALSE(machine["gpu_driver"]["found"].get<bool>());
  EXPECT_NE(machine["gpu_driver"]["detail"].get<std::string>().find(absent), std::string::npos) << machine;
  EXPECT_TRUE(machine["gpus"].empty());
  EXPECT_FALSE(machine.contains("assembler")); // nobody asked
}

TEST(Completion, KnowsEveryCommandAndOption) {
  for (const char *shell : {"bash", "zsh", "fish"}) {
    Outcome outcome = algctl({"completion", shell});
    EXPECT_EQ(outcome.code, 0);
    for (const char *word : {"verify", "show", "doctor", "in-groups", "certificate"})
      EXPECT_NE(outcome.out.find(word), std::string::npos) << shell << " " << word;
  }
}

} // namespace
