// Rows of tables that are networks, and the bundles that they are matched with.
#include "runtime/bench/network.h"
#include "runtime/support/file.h"
#include "tests/device/device_call.h"
#include "tests/device/network_fixture.h"

#include <gmock/gmock.h>

using namespace device_test;
using testing::HasSubstr;

namespace {

class NetworkTable : public NetworkBench {
protected:
  std::vector<algrt::TableMatch> match(const std::string &rows) {
    const std::string table = testing::TempDir() + "table.csv";
    algrt::writeFileByRename(table, "case,map,m,k,n,q,experts,row_types,dtype\n" + rows);
    return algrt::matchTable(algrt::readTable(table), folder, {});
  }
  void writeProjection() {
    compiler::CompileOptions options = networkOptions();
    options.maps = {algrt::Map::Forward};
    options.results = {algebras::DataType::BF16};
    compiler::compileBundle(specOf({.algebra = "Q(4)", .in = network_width, .out = network_hidden}),
                            folder + "/layer.alg", options);
  }
};

TEST_F(NetworkTable, RowsFindTheirNetworksAndNeverWhatIsBesideThem) {
  const std::vector<std::string> network = writeNetwork(folder, "network"),
                                 experts = writeExperts(folder, "experts");
  writeProjection();
  const std::vector<algrt::TableMatch> matches = match("one,ffn,18,128,256,4,,,\n"
                                                       "one,ffn,18,128,256,4,,cyclic,bf16\n"
                                                       "experts,ffn,10,128,256,4,3,,\n"
                                                       "deep,ffn,18,128,512,4,,,\n"
                                                       "deep,ffn,18,128,512,4,3,,\n"
                                                       "types,ffn,18,128,256,8,,,\n"
                                                       "types,ffn,18,128,256,4,,interval(4),\n"
                                                       "floats,ffn,18,128,256,4,,,f32\n"
                                                       "layer,forward,18,128,256,4,,,\n");
  ASSERT_EQ(matches.size(), 9U) << "a row was matched more than once, with what is beside its bundle";
  EXPECT_EQ(matches[0].bundle_path, network.front());
  EXPECT_EQ(matches[1].bundle_path, network.front());
  EXPECT_EQ(matches[2].bundle_path, experts.front()) << "kernels of experts are for rows of experts";
  EXPECT_EQ(matches[2].row.experts, 3);
  for (size_t row = 3; row < 8; ++row)
    EXPECT_EQ(matches[row].bundle_path, "") << matches[row].row.line;
  EXPECT_THAT(matches[3].skipped, HasSubstr("no bundle with kernels of ffn and k=128, n=512, q=4 among"));
  EXPECT_THAT(matches[4].skipped, HasSubstr("k=128, n=512, q=4, experts among"));
  EXPECT_THAT(matches[5].skipped, HasSubstr("q=8"));
  EXPECT_THAT(matches[6].skipped, HasSubstr("row_types=interval(4)"));
  EXPECT_THAT(matches[7].skipped, HasSubstr("dtype=f32"));
  EXPECT_EQ(matches[8].bundle_path, folder + "/layer.alg") << "a program was taken for a layer";
  // What the caller wants counts beside what the rows say.
  for (const algrt::TableMatch &of_floats :
       algrt::matchTable({matches[0].row, matches[1].row}, folder, "f32"))
    EXPECT_EQ(of_floats.bundle_path, "") << "a network in bf16 is not what the caller asked for";
}

TEST_F(NetworkTable, AreMeasuredAndTheRestIsSkippedWithReasons) {
  open(writeNetwork(folder, "network"));
  const algrt::GpuReport report = algrt::measureOnGpu(
      options, match("one,ffn,18,128,256,4,,,\nexperts,ffn,10,128,256,4,3,,\n"), "algbench", {});
  ASSERT_EQ(report.networks.size(), 1U);
  EXPECT_EQ(report.networks[0].result.name, "one");
  EXPECT_TRUE(report.networks[0].result.algebra.times && report.networks[0].result.steps.times);
  EXPECT_TRUE(report.cases.empty());
  ASSERT_EQ(report.skipped.size(), 1U);
  EXPECT_THAT(report.skipped[0].skipped, HasSubstr("k=128, n=256, q=4, experts"));
  // A bundle that the caller names has to have kernels of experts, too.
  algrt::TableMatch experts = report.skipped[0];
  experts.bundle_path = bundle_path;
  experts.skipped.clear();
  const algrt::GpuReport refused = algrt::measureOnGpu(options, {experts}, "algbench", {});
  ASSERT_EQ(refused.networks.size(), 1U);
  EXPECT_THAT(refused.networks[0].result.algebra.failure, HasSubstr("experts"));
  EXPECT_FALSE(refused.networks[0].result.algebra.times);
  EXPECT_TRUE(refused.networks[0].result.variants.empty());
}

TEST(Network, IsOfNothingThatDenseProductsDoNotCompute) {
  const auto refusal = [](const compiler::Spec &spec, const compiler::CompileOptions &options) {
    const algrt::Bundle bundle = algrt::Bundle::parse(compiler::compiledBundle(spec, options));
    std::string why;
    const algrt::Program *program = bundle.manifest().findProgram("forward");
    EXPECT_NE(program, nullptr);
    EXPECT_FALSE(program == nullptr || algrt::networkOf(bundle, *program, why));
    return why;
  };
  EXPECT_THAT(refusal(networkSpec(/*bias=*/true), networkOptions()),
              HasSubstr("a network takes x, gate, up, down and y"));
}

TEST_F(NetworkTable, ProgramsThatAreNoNetworksAreSkippedWithAReason) {
  writeProjection();
  compiler::compileBundle(networkSpec(/*bias=*/true), folder + "/biased.alg", networkOptions());
  EXPECT_THAT(match("biased,ffn,18,128,256,4,,,\n")[0].skipped, HasSubstr("no bundle with kernels of ffn"));
  for (const auto &[file, why] : {std::pair("layer.alg", "layer.alg: program forward takes w, "),
                                  {"biased.alg", "biased.alg: program forward takes "}}) {
    bundle_path = folder + "/" + file;
    const algrt::GpuReport report = this->report(18);
    EXPECT_TRUE(report.networks.empty()) << file;
    ASSERT_EQ(report.skipped.size(), 1U) << file;
    EXPECT_THAT(report.skipped[0].skipped, HasSubstr(why));
    EXPECT_THAT(report.skipped[0].skipped, HasSubstr("on a GPU feed-forward networks are measured"));
  }
}

} // namespace
