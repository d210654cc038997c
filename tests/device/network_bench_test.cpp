// Measuring networks without a GPU: the clock moves only with work, so that every time is known exactly.
#include "tests/device/network_fixture.h"

#include "runtime/bench/gpu/network_operands.h"
#include "runtime/numeric/bfloat16.h"

#include <gmock/gmock.h>
#include <set>

using namespace device_test;
using algrt::launch_us;
using testing::HasSubstr;
using testing::StartsWith;
using Json = nlohmann::ordered_json;

namespace {

constexpr int64_t m = 18, network_macs = 3 * network_width * network_hidden; // of a row without the algebra

double median(const algrt::GpuNetworkContender &contender) {
  return contender.times ? contender.times->us.warm.median : 0;
}

/// Blocks of a weight matrix that rows of these types multiply by, and multiplications of blocks in all.
struct Blocks {
  int64_t read = 0, multiplied = 0;
};
Blocks blocksOf(const std::string &path, const std::vector<int64_t> &types) {
  const algrt::Bundle bundle = algrt::Bundle::open(path);
  std::set<std::pair<int64_t, int64_t>> read;
  algrt::TermStorage storage;
  Blocks blocks;
  for (const int64_t type : types)
    for (int64_t group = 0; group < network_types; ++group)
      for (const algrt::Term &term : bundle.projection(0).support().terms(type, group, storage)) {
        read.emplace(int64_t{term.weight_row}, group);
        ++blocks.multiplied;
      }
  blocks.read = static_cast<int64_t>(read.size());
  return blocks;
}
constexpr int64_t block_elements = network_width * network_hidden / network_types / network_types;

class OneNetwork : public NetworkBench {
protected:
  void SetUp() override {
    NetworkBench::SetUp();
    open(writeNetwork(folder, "network"));
  }
};

TEST_F(OneNetwork, HasATimeForEveryWayToComputeIt) {
  const algrt::GpuNetworkCase result = measure(m);
  EXPECT_FALSE(result.anyWrong()) << algrt::gpuText({toJson(last)});
  EXPECT_EQ(result.checked_rows, m);
  // The kernels of the one step, and the faster of them for the program.
  ASSERT_EQ(result.variants.size(), 2U);
  EXPECT_NEAR(result.variants[0].calibration_us, launch_us + first_us, 1e-3);
  EXPECT_NEAR(result.variants[1].calibration_us, launch_us + second_us, 1e-3);
  EXPECT_EQ(result.winner, 1U) << "the winner is not the fastest kernel";
  EXPECT_EQ(result.algebra.steps, 1U);
  EXPECT_EQ(result.steps.steps, 2U);
  EXPECT_EQ(result.apart.steps, 5U);
  const double algebra_us = launch_us + second_us,
               dense_library_us = 2 * dense_us + launch_us + activation_us;
  for (algrt::Timing algrt::WarmAndFlushed::*state :
       {&algrt::WarmAndFlushed::warm, &algrt::WarmAndFlushed::flushed}) {
    const auto us = [&](const algrt::GpuNetworkContender &contender) {
      return contender.times ? (contender.times->us.*state).median : 0;
    };
    EXPECT_NEAR(us(result.algebra), algebra_us, 1e-3) << "timed with another kernel than the winner";
    EXPECT_NEAR(us(result.steps), 2 * (launch_us + step_us), 1e-3);
    EXPECT_NEAR(us(result.apart), 5 * (launch_us + apart_us), 1e-3);
    EXPECT_NEAR(us(result.dense), dense_library_us, 1e-3) << "not two products and the activation";
  }
  EXPECT_FALSE(result.each.times) << "a network that is not of experts is called once";
  for (const algrt::GpuNetworkContender *right :
       {&result.algebra, &result.steps, &result.apart, &result.dense}) {
    EXPECT_GT(right->relative_l2, 0) << "nothing was compared";
    EXPECT_LT(right->relative_l2, 1e-2);
  }
  EXPECT_THAT(result.dense_library, HasSubstr("candidate 2 of 3"));
  // gate and up as one product without the algebra, then down.
  EXPECT_TRUE(
      algrt::cublaslt_stand_in::products().contains({m, network_width, 2 * network_hidden, false, false}));
  EXPECT_TRUE(
      algrt::cublaslt_stand_in::products().contains({m, network_hidden, network_width, false, false}));

  // 18 rows: five of each of the first two types, four of each of the others. All blocks are read once.
  std::vector<int64_t> types;
  for (int64_t row = 0; row < m; ++row)
    types.push_back(row % network_types);
  const Blocks blocks = blocksOf(bundle_path, types);
  EXPECT_EQ(result.active_macs, 3 * blocks.multiplied * block_elements);
  EXPECT_EQ(result.dense_macs, m * network_macs);
  EXPECT_EQ(result.bytes, 2 * 2 * m * network_width + 2 * 3 * blocks.read * block_elements);
  EXPECT_NEAR(result.floor_bytes_us, 1e6 * double(result.bytes) / last.machine.copy_bytes_per_second, 1e-9);
  // The products of this case are faster than those of the device's rate.
  EXPECT_NEAR(result.floor_macs_us, dense_library_us * double(result.active_macs) / double(result.dense_macs),
              1e-3);
  EXPECT_EQ(result.floor_us, std::max(result.floor_bytes_us, result.floor_macs_us));
}

TEST_F(OneNetwork, IsInTheReportUnderTheNamesThatReadersKnow) {
  measure(m);
  last.networks.front().row.predicted_us = 12.5;
  last.networks.front().row.published.dense_us = 75.5;
  const Json report = toJson(last), json = report["networks"][0];
  const double algebra_us = launch_us + second_us,
               dense_library_us = 2 * dense_us + launch_us + activation_us;
  const std::pair<const char *, double> numbers[] = {
      {"algebra_us", algebra_us},
      {"algebra_flushed_us", algebra_us},
      {"steps_us", 2 * (launch_us + step_us)},
      {"apart_us", 5 * (launch_us + apart_us)},
      {"dense_us", dense_library_us},
      {"speedup_over_steps", 2 * (launch_us + step_us) / algebra_us},
      {"speedup_over_apart", 5 * (launch_us + apart_us) / algebra_us},
      {"speedup_over_dense", dense_library_us / algebra_us},
      {"speedup_over_dense_flushed", dense_library_us / algebra_us},
      {"floor_us", last.networks.front().result.floor_us},
      {"floor_over_algebra", last.networks.front().result.floor_us / algebra_us},
      {"predicted_us", 12.5},
      {"m", m},
      {"k", network_width},
      {"hidden", network_hidden},
      {"n", network_width},
      {"q", network_types},
      {"steps", 1},
      {"steps_in_layers", 2},
      {"steps_apart", 5}};
  for (const auto &[key, value] : numbers) {
    ASSERT_TRUE(json.at(key).is_number()) << key << " is " << json.at(key);
    EXPECT_NEAR(json.at(key).get<double>(), value, 1e-4 * value) << key;
  }
  for (const char *nothing : {"experts", "each_us", "speedup_over_each", "failure", "steps_failure",
                              "apart_failure", "each_failure", "dense_failure"})
    EXPECT_TRUE(json.at(nothing).is_null()) << nothing << " is " << json.at(nothing);
  EXPECT_EQ(json["case"], "the row's name");
  EXPECT_EQ(json["activation"], "silu");
  EXPECT_EQ(json["variant"], json["variants"][1]["kernel"]);
  const std::string text = algrt::gpuText({report});
  for (const char *cell : {"the row's name", "30.0 ±0.0", "75.5", "12.5"})
    EXPECT_THAT(text, HasSubstr(cell));
  EXPECT_THAT(text, Not(HasSubstr("WRONG")));
  EXPECT_THAT(text, Not(HasSubstr("experts"))) << "a column of which no row has anything";
}

TEST_F(OneNetwork, HasNoDenseTimeWithoutWhatDenseProductsNeed) {
  std::filesystem::remove(folder + "/network-activation.alg");
  const algrt::GpuNetworkCase result = measure(m);
  EXPECT_FALSE(result.dense.times || result.anyWrong());
  EXPECT_NEAR(median(result.algebra), launch_us + second_us, 1e-3);
  EXPECT_THAT(algrt::gpuText({toJson(last)}),
              HasSubstr("no dense time: the row's name, 18 rows: there is no bundle of the activation"));
  // A library that computes something else is no measure.
  open(writeNetwork(folder, "again"));
  algrt::cublaslt_stand_in::reset({{.microseconds = 80, .wrong = true}});
  const algrt::GpuNetworkCase wrong = measure(m);
  EXPECT_FALSE(wrong.dense.times) << "wrong products have a time";
  EXPECT_THAT(wrong.dense.failure, HasSubstr("relative L2 error"));
  EXPECT_TRUE(wrong.algebra.times);
}

TEST_F(OneNetwork, AKernelThatIsWrongInOneElementHasNoTimeAndIsNamed) {
  const auto wrong = [&](size_t kernel) {
    launches->spoil = [kernel](const RunningKernel &running, uint16_t *y) {
      if (running.bundle == "network.alg" && running.number == kernel)
        y[3 * network_width + 7] = algrt::toBfloat16(100);
    };
    return measure(m);
  };
  // The faster one, which the runtime does not choose.
  const algrt::GpuNetworkCase faster = wrong(1);
  EXPECT_TRUE(faster.anyWrong());
  EXPECT_THAT(faster.variants[1].failure, HasSubstr("the worst row is 3")) << "the wrong row is not named";
  EXPECT_EQ(faster.variants[1].calibration_us, 0) << "a wrong kernel was timed";
  EXPECT_EQ(faster.variants[0].failure, "");
  EXPECT_EQ(faster.winner, 0U);
  EXPECT_NEAR(median(faster.algebra), launch_us + first_us, 1e-3) << "timed with the wrong kernel";
  EXPECT_THAT(algrt::gpuText({toJson(last)}),
              HasSubstr("WRONG: the row's name, 18 rows, kernel " + faster.variants[1].name));
  // The one that the runtime chooses: the program is wrong, although another kernel is right.
  const algrt::GpuNetworkCase chosen = wrong(0);
  EXPECT_TRUE(chosen.anyWrong());
  EXPECT_THAT(chosen.variants[0].failure, HasSubstr("the worst row is 3"));
  EXPECT_THAT(chosen.algebra.failure, HasSubstr("the worst row is 3")) << "what users get is not checked";
  EXPECT_FALSE(chosen.algebra.times);
  EXPECT_TRUE(chosen.steps.times && chosen.apart.times && chosen.dense.times);
}

// Of many rows some are compared with the definition: those that are not, with what another kernel makes of
// them.
TEST_F(OneNetwork, AKernelThatIsWrongInARowThatIsNotSampledIsFound) {
  const int64_t many = 134;
  int64_t unsampled = 0;
  options.trials.evaluation_trials = options.trials.most_replays = 1;
  std::filesystem::remove(folder + "/network-apart.alg");
  {
    const algrt::Bundle bundle = algrt::Bundle::open(bundle_path);
    std::string why;
    const auto network = algrt::networkOf(bundle, *bundle.manifest().findProgram("forward"), why);
    algrt::MeasuredDevice device(options);
    const algrt::GpuNetworkOperands operands(device.device(), network.value(), {many, 0}, options.seed);
    ASSERT_EQ(operands.sampledRows().size(), 128U);
    while (std::ranges::binary_search(operands.sampledRows(), unsampled))
      ++unsampled;
  }
  const auto wrong = [&](const std::string &bundle, size_t step) {
    launches->spoil = [&, step](const RunningKernel &running, uint16_t *y) {
      if (running.bundle == bundle && running.step == step && (step > 0 || running.number == 1))
        std::fill_n(y + unsampled * network_width, network_width, algrt::toBfloat16(10));
    };
    return measure(many);
  };
  const algrt::GpuNetworkCase kernel = wrong("network.alg", 0);
  EXPECT_EQ(kernel.checked_rows, 128);
  EXPECT_THAT(kernel.variants[1].failure, HasSubstr("differs from what was right before it"));
  EXPECT_EQ(kernel.winner, 0U) << "a wrong kernel wins";
  const algrt::GpuNetworkCase steps = wrong("network-steps.alg", 1);
  EXPECT_THAT(steps.steps.failure, HasSubstr("differs from what was right before it"));
  EXPECT_FALSE(steps.steps.times);
  EXPECT_EQ(steps.winner, 1U);
}

TEST_F(OneNetwork, AnElementThatIsNotWrittenIsNamed) {
  launches->forgets = [](const RunningKernel &running, size_t element) {
    return running.bundle == "network.alg" && element == 17 * network_width + 127;
  };
  const algrt::GpuNetworkCase result = measure(m);
  for (const algrt::GpuNetworkVariant &variant : result.variants)
    EXPECT_EQ(variant.failure, "row 17, column 127 is not written");
  EXPECT_EQ(result.algebra.failure, "row 17, column 127 is not written");
  EXPECT_FALSE(result.winner || result.algebra.times) << "none of the kernels is right";
  EXPECT_TRUE(result.anyWrong());
  EXPECT_TRUE(toJson(last)["networks"][0]["algebra_us"].is_null());
  // What a right kernel wrote there before is not taken for the result of the next one.
  launches->forgets = [](const RunningKernel &running, size_t element) {
    return running.bundle == "network.alg" && running.number == 1 && element == 0;
  };
  EXPECT_EQ(measure(m).variants[1].failure, "row 0, column 0 is not written");
}

TEST_F(OneNetwork, WrongStepsHaveNoTimeAndTakeNobodyElsesAway) {
  for (const std::string wrong : {"network-steps.alg", "network-apart.alg"}) {
    launches->spoil = [&](const RunningKernel &running, uint16_t *result) {
      if (running.bundle == wrong)
        result[0] = algrt::toBfloat16(1000);
    };
    const algrt::GpuNetworkCase result = measure(m);
    const bool steps = wrong == "network-steps.alg";
    EXPECT_THAT((steps ? result.steps : result.apart).failure, HasSubstr("the worst row is 0")) << wrong;
    EXPECT_FALSE((steps ? result.steps : result.apart).times) << wrong << " was timed";
    EXPECT_EQ((steps ? result.apart : result.steps).failure, "");
    EXPECT_TRUE((steps ? result.apart : result.steps).times && result.dense.times);
    EXPECT_NEAR(median(result.algebra), launch_us + second_us, 1e-3);
    EXPECT_TRUE(result.anyWrong());
    EXPECT_THAT(algrt::gpuText({toJson(last)}), HasSubstr(steps ? "18 rows, steps: " : "18 rows, apart: "));
  }
}

TEST_F(OneNetwork, AResultThatBreaksAmongTheTrialsHasNoTime) {
  measure(m);
  const size_t all = launches->ran.size();
  // Behind the last launch that writes the result there is the activation of the dense products.
  ASSERT_EQ(launches->ran[all - 2].bundle, "network-apart.alg");
  launches->ran.clear();
  launches->spoil = [&](const RunningKernel &, uint16_t *y) {
    if (launches->ran.size() == all - 1)
      y[0] = algrt::toBfloat16(1000);
  };
  const algrt::GpuNetworkCase result = measure(m);
  EXPECT_THAT(result.algebra.failure, StartsWith("after the timed trials relative L2 error"))
      << "what the timed trials left is not compared";
  EXPECT_FALSE(result.algebra.times);
  EXPECT_TRUE(result.anyWrong());
}

class Experts : public NetworkBench {
protected:
  void SetUp() override {
    NetworkBench::SetUp();
    open(writeExperts(folder, "experts"));
  }
  static constexpr int64_t experts = 3;
};

TEST_F(Experts, HaveATimeInOneCallAndInACallForEach) {
  const int64_t rows = 10; // three, three and four of each
  const algrt::GpuNetworkCase result = measure(rows, experts);
  EXPECT_FALSE(result.anyWrong()) << algrt::gpuText({toJson(last)});
  EXPECT_EQ(result.experts, experts);
  EXPECT_GE(result.variants.size(), 2U) << "kernels of experts are not among the variants";
  EXPECT_NEAR(median(result.algebra), launch_us + second_us, 1e-3);
  EXPECT_NEAR(median(result.steps), 2 * (launch_us + step_us), 1e-3);
  EXPECT_NEAR(median(result.each), 3 * (launch_us + each_us), 1e-3) << "not one call for each expert";
  EXPECT_NEAR(median(result.dense), 3 * 2 * dense_us + launch_us + activation_us, 1e-3)
      << "not two products for each expert and one activation for all";
  EXPECT_FALSE(result.apart.times);
  // Each call is of the rows of one expert, and the products of the library are, too.
  std::set<uint64_t> begins;
  for (const RunningKernel &running : launches->ran)
    if (running.bundle == "experts-each.alg")
      begins.insert(running.argument);
  ASSERT_EQ(begins.size(), 3U);
  EXPECT_EQ(*std::next(begins.begin()) - *begins.begin(), 3U * 2 * network_width);
  EXPECT_EQ(*begins.rbegin() - *begins.begin(), 6U * 2 * network_width);
  for (const uint64_t of_each : {3, 4})
    EXPECT_TRUE(algrt::cublaslt_stand_in::products().contains(
        {of_each, network_hidden, network_width, false, false}));
  const Json json = toJson(last)["networks"][0];
  EXPECT_EQ(json["experts"], experts);
  EXPECT_NEAR(json["each_us"].get<double>(), 3 * (launch_us + each_us), 1e-3);
  EXPECT_NEAR(json["speedup_over_each"].get<double>(), 3 * (launch_us + each_us) / (launch_us + second_us),
              1e-4);
  EXPECT_TRUE(json["apart_us"].is_null());
  const std::string text = algrt::gpuText({toJson(last)});
  EXPECT_THAT(text, HasSubstr("each us"));
  EXPECT_THAT(text, HasSubstr("51.0 ±0.0"));
}

TEST_F(Experts, WithoutRowsAreNeitherCalledNorCounted) {
  const algrt::GpuNetworkCase result = measure(2, experts); // the first one has none
  EXPECT_FALSE(result.anyWrong()) << algrt::gpuText({toJson(last)});
  EXPECT_NEAR(median(result.algebra), launch_us + second_us, 1e-3);
  EXPECT_NEAR(median(result.each), 2 * (launch_us + each_us), 1e-3) << "an expert without rows is called";
  EXPECT_NEAR(median(result.dense), 2 * 2 * dense_us + launch_us + activation_us, 1e-3);
  // Of each of the other two, the blocks that its one row reads; the second row is of the second type, also
  // where it is the first one of its expert.
  const Blocks first = blocksOf(bundle_path, {0}), second = blocksOf(bundle_path, {1});
  EXPECT_NE(first.read, network_types * network_types);
  EXPECT_EQ(result.active_macs, 3 * (first.multiplied + second.multiplied) * block_elements);
  EXPECT_EQ(result.bytes, 2 * 2 * 2 * network_width + 2 * 3 * (first.read + second.read) * block_elements)
      << "weights of experts without rows, or blocks that no row reads, are in the floor";
}

TEST_F(Experts, ThatAreWrongInTheRowsOfOneAreFound) {
  launches->spoil = [](const RunningKernel &running, uint16_t *y) {
    if (running.bundle == "experts-each.alg" && running.argument != 0)
      y[0] = algrt::toBfloat16(100); // the first row of every expert
  };
  const algrt::GpuNetworkCase result = measure(10, experts);
  EXPECT_THAT(result.each.failure, HasSubstr("the worst row is "));
  EXPECT_FALSE(result.each.times);
  EXPECT_TRUE(result.algebra.times && result.steps.times);
}

} // namespace
