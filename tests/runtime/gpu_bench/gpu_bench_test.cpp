// Measuring on the stand-ins: their clock moves only with work, so that every time is known exactly.
#include "runtime/bench/active_work.h"
#include "tests/runtime/gpu_bench/bench_fixture.h"

namespace algrt {
namespace {

TEST_F(GpuBenchTest, TheFastestVariantRacesTheLibrarysFastestCandidate) {
  const GpuBenchCase result = measure(37);
  ASSERT_EQ(result.variants.size(), 2u);
  EXPECT_NEAR(result.variants[0].calibration_us, launch_us + 40, 1e-3);
  EXPECT_NEAR(result.variants[1].calibration_us, launch_us + 20, 1e-3);
  ASSERT_EQ(result.winners, std::vector<size_t>{1});
  ASSERT_TRUE(result.algebra && result.dense);
  // The memory that is overwritten before a flushed call takes far longer than that; none of it is in the
  // times.
  for (Timing WarmAndFlushed::*state : {&WarmAndFlushed::warm, &WarmAndFlushed::flushed}) {
    EXPECT_NEAR((result.algebra->us.*state).median, launch_us + 20, 1e-3);
    EXPECT_NEAR((result.dense->us.*state).median, 80, 1e-3);
  }
  EXPECT_NE(result.dense_library.find("candidate 2 of 3"), std::string::npos) << result.dense_library;
  EXPECT_EQ(result.verdict, "faster");
  EXPECT_EQ(result.checked_outputs, 37 * 128);
  EXPECT_TRUE(result.checked_whole);
  EXPECT_LT(result.relativeL2(), 4e-3);
  EXPECT_FALSE(result.anyWrong());
}

// What ran, as pairs of a name and how often in a row.
std::vector<std::pair<std::string, int>> runs(const std::vector<std::string> &log) {
  std::vector<std::pair<std::string, int>> runs;
  for (const std::string &name : log) {
    if (runs.empty() || runs.back().first != name)
      runs.emplace_back(name, 0);
    ++runs.back().second;
  }
  return runs;
}

TEST_F(GpuBenchTest, TrialsAlternateTwelveTimesWarmAndTwelveTimesFlushed) {
  use(test::gpuManifest(8, 8, 16, 1), {{"forward_64", 640}, {"forward_128", 390}});
  cublaslt_stand_in::reset({{500}});
  cublaslt_stand_in::onMatmul([&](int) { log.push_back("dense"); });
  const GpuBenchCase result = measure(11);
  EXPECT_EQ(result.algebra->replays, 5); // 2000 us of 400 us
  const auto ran = runs(log);
  ASSERT_GE(ran.size(), 48u);
  const size_t warm = ran.size() - 48, flushed = ran.size() - 24;
  for (size_t i = 0; i < 48; ++i)
    EXPECT_EQ(ran[warm + i].first, i % 2 == 0 ? "forward_128" : "dense") << i;
  for (size_t i = 0; i < 24; ++i) {
    EXPECT_EQ(ran[warm + i].second, 10) << i; // five untimed, five timed
    EXPECT_EQ(ran[flushed + i].second, 1) << i;
  }
  // Before every flushed call, and outside its two events, the caches are overwritten.
  const std::vector<std::string> calls = cuda_stand_in::calls();
  size_t flushes = 0;
  for (size_t i = 0; i + 4 < calls.size(); ++i)
    if (calls[i] == "cuMemsetD32Async" && calls[i + 2] == "cuGraphLaunch") {
      EXPECT_EQ(calls[i + 1], "cuEventRecord");
      EXPECT_EQ(calls[i + 3], "cuEventRecord");
      ++flushes;
    }
  EXPECT_EQ(flushes, 24u);
}

TEST_F(GpuBenchTest, CalibrationIsThreeTrialsOfTwoMillisecondsOrFortyCalls) {
  options.against_dense = false;
  use(test::gpuManifest(8, 8, 16, 1), {{"forward_64", 990}, {"forward_128", 0.5}});
  measure(11);
  const auto ran = runs(log);
  ASSERT_EQ(ran.size(), 2u);
  // Two checked runs; one before anything is captured; two to learn how long a call takes; then an untimed
  // and a timed launch of each trial.
  EXPECT_EQ(ran[0].second, 2 + 1 + 2 + 3 * 2 * 2);
  EXPECT_EQ(ran[1].second, 2 + 1 + 2 + 3 * 2 * 40 + 12 * 2 * 40 + 12);
}

// Each call one row type after the one before: a warm graph is whole rounds of them, a flushed call and the
// result that is checked at the end are of position 0.
TEST_F(GpuBenchTest, DecodingRotatesThroughAllRowTypes) {
  const int64_t width = 2, types = 8;
  use(test::gpuManifest(types, 8, 16, width), {{"forward_64", 640}, {"forward_128", 390}});
  std::vector<int32_t> offsets;
  cuda_stand_in::onLaunch([&](const cuda_stand_in::Launch &launch) {
    int32_t offset;
    std::memcpy(&offset, launch.parameters.at(2).data(), sizeof(offset));
    offsets.push_back(offset);
    cuda_stand_in::advanceClock(launch.symbol == "forward_64" ? 0.64 : 0.39);
    kernels.at(launch.symbol)->run(launch);
  });
  MeasuredDevice device(options);
  GpuBench bench(device);
  const GpuBenchCase result = bench.measure(path, 3, "decode");
  EXPECT_EQ(result.map, "decode");
  EXPECT_FALSE(result.anyWrong());
  ASSERT_TRUE(result.algebra && result.dense);
  EXPECT_EQ(result.algebra->replays, 32); // 25 calls of 80 us take 2000; these are whole rounds
  const size_t warm = 12 * 2 * size_t(result.algebra->replays), flushed = 12;
  ASSERT_GE(offsets.size(), warm + flushed);
  const auto *at = offsets.data() + offsets.size() - warm - flushed;
  for (size_t call = 0; call < warm; ++call)
    EXPECT_EQ(at[call], width * int64_t(call % types)) << call;
  for (size_t call = 0; call < flushed; ++call)
    EXPECT_EQ(at[warm + call], 0) << call;
  // Of a round of calls: three rows, of one type and the next half of the time.
  const Bundle of(Bundle::open(path));
  const ActiveWork mean = averageWork(of, 3, nullptr, true), first = averageWork(of, 3, nullptr, false);
  EXPECT_EQ(result.active_macs, mean.macs);
  EXPECT_LE(first.weight_elements, mean.weight_elements * 2);
  EXPECT_EQ(result.composition_library, "not measured");
}

struct Fault {
  const char *name;
  std::function<void(test::HostKernel &)> install;
  const char *words;
};

TEST_F(GpuBenchTest, WrongVariantsAreNotTimedAndSaySo) {
  const Fault faults[] = {
      {"wrong everywhere",
       [](test::HostKernel &kernel) {
         kernel.fault = [](int64_t, int64_t, float right) { return right + 1; };
       },
       "of 4736 checked outputs are wrong"},
      {"an element unwritten",
       [](test::HostKernel &kernel) {
         kernel.forgets = [](int64_t row, int64_t column) { return row == 36 && column == 127; };
       },
       "1 of 4736 outputs were not written"},
      {"wrong in one block off the diagonal",
       [](test::HostKernel &kernel) {
         kernel.fault = [](int64_t row, int64_t column, float right) {
           return row % 8 == 2 && column / 16 == 5 ? -right : right;
         };
       },
       "(type 2, output group 5, off the diagonal)"},
  };
  for (const Fault &fault : faults) {
    use(test::gpuManifest(8, 8, 16, 1));
    fault.install(*kernels.at("forward_128"));
    const GpuBenchCase result = measure(37);
    EXPECT_TRUE(result.anyWrong());
    EXPECT_NE(result.variants[1].failure.find(fault.words), std::string::npos) << result.variants[1].failure;
    EXPECT_EQ(result.variants[1].calibration_us, 0) << fault.name;
    // The other one is right and wins.
    ASSERT_EQ(result.winners, std::vector<size_t>{0});
    EXPECT_NEAR(result.algebra->us.warm.median, launch_us + 40, 1e-3);
    // All wrong: no times, not even of the library.
    fault.install(*kernels.at("forward_64"));
    const GpuBenchCase none = measure(37);
    EXPECT_FALSE(!none.winners.empty() || none.algebra || none.dense);
  }
}

TEST_F(GpuBenchTest, AnOffsetThatAKernelMisreadsIsFound) {
  kernels.at("forward_128")->fault = [this](int64_t, int64_t, float right) { return shifted ? 0 : right; };
  cuda_stand_in::onLaunch([this](const cuda_stand_in::Launch &launch) {
    int32_t offset;
    std::memcpy(&offset, launch.parameters.at(2).data(), sizeof(offset));
    shifted = offset != 0;
    kernels.at(launch.symbol)->run(launch);
  });
  const GpuBenchCase result = measure(37);
  EXPECT_NE(result.variants[1].failure.find("with row 0 at position 5"), std::string::npos)
      << result.variants[1].failure;
  EXPECT_EQ(result.winners, std::vector<size_t>{0});
}

TEST_F(GpuBenchTest, AResultThatBreaksUnderReplayHasNoTime) {
  int launches = 0;
  kernels.at("forward_128")->fault = [&](int64_t row, int64_t column, float right) {
    launches += row == 0 && column == 0;
    return launches > 500 && row == 3 ? 0 : right;
  };
  const GpuBenchCase result = measure(37);
  EXPECT_GT(launches, 500);
  EXPECT_NE(result.variants[1].failure.find("after the timed trials"), std::string::npos)
      << result.variants[1].failure;
  EXPECT_FALSE(result.algebra || !result.winners.empty());
  EXPECT_TRUE(result.anyWrong());
}

TEST_F(GpuBenchTest, IntervalsSlotsAndF32Outputs) {
  nlohmann::ordered_json wide = test::gpuManifest(4, 8, 16, 3);
  for (nlohmann::ordered_json &kernel : wide["kernels"])
    kernel["output"] = "f32";
  for (const nlohmann::ordered_json &manifest :
       {test::gpuManifest(4, 8, 16, 3), test::gpuSlotManifest(), wide}) {
    use(manifest);
    const GpuBenchCase result = measure(29);
    EXPECT_FALSE(result.anyWrong()) << result.variants[0].failure;
    EXPECT_TRUE(result.algebra && result.dense);
    const double y_bytes = manifest["kernels"][0]["output"] == "f32" ? 4 : 2;
    const Layer &layer = bundle->layer();
    MeasuredDevice device(options);
    GpuBench bench(device);
    EXPECT_NEAR(
        result.floor_bytes_us,
        1e6 *
            (2.0 * double(29 * layer.k + layer.k * layer.weightColumns()) + y_bytes * double(29 * layer.n)) /
            device.lookedAt().copy_bytes_per_second,
        1e-9);
  }
}

TEST_F(GpuBenchTest, RatesAreOfTheBestSizeAndTheBestCandidate) {
  MeasuredDevice device(options);
  GpuBench bench(device);
  // The stand-in moves 4e9 bytes per millisecond; a copy counts twice.
  EXPECT_NEAR(device.lookedAt().copy_bytes_per_second / 8e12, 1, 1e-2);
  EXPECT_NEAR(device.lookedAt().dense_macs_per_second, 32.0 * 32 * 32 / 80e-6, 1e3);
  EXPECT_EQ(device.lookedAt().dense_library, "cuBLASLt 13.2.3");
  const GpuBenchCase result = bench.measure(path, 37);
  EXPECT_NEAR(result.floor_us, std::max(result.floor_macs_us, result.floor_bytes_us), 1e-12);
  // This product's own dense rate is higher than that of the small square, so it counts.
  EXPECT_NEAR(result.floor_macs_us, 80.0 * double(result.active_macs) / double(result.dense_macs), 1e-3);
}

TEST_F(GpuBenchTest, UploadsAreThereForStreamsThatWaitForNoOther) {
  const GpuDevice device(0);
  const GpuStream stream(device);
  GpuMemory memory(device, 64, "a test");
  const std::vector<char> sent(64, 'x');
  std::vector<char> seen(64);
  memory.upload(sent.data());
  ASSERT_EQ(device.driver().memcpyDtoHAsync(seen.data(), memory.address(), 64, stream.get()),
            cuda::Result::Success);
  EXPECT_EQ(seen, sent);
}

TEST_F(GpuBenchTest, WithoutTheLibraryThereIsNoDenseTime) {
  ::setenv("ALGRT_CUBLASLT", "/nonexistent/libcublasLt.so", 1);
  const GpuReport absent = report({37});
  EXPECT_FALSE(absent.cases[0].result.dense);
  EXPECT_TRUE(absent.cases[0].result.algebra);
  EXPECT_EQ(absent.cases[0].result.verdict, "not compared");
  EXPECT_EQ(toJson(absent)["cases"][0]["dense_us"], nullptr);
  EXPECT_NE(gpuText({toJson(absent)}).find("no cuBLASLt: /nonexistent/libcublasLt.so"), std::string::npos);
}

TEST_F(GpuBenchTest, RefusedAndWrongCandidatesAreNoBaseline) {
  cublaslt_stand_in::reset({{10, 0, false, 15}, {50}});
  EXPECT_NEAR(measure(37).dense->us.warm.median, 50, 1e-3);
  cublaslt_stand_in::reset({{10, 0, true}});
  const GpuBenchCase wrong = measure(37);
  EXPECT_FALSE(wrong.dense);
  EXPECT_NE(wrong.dense_library.find("computes something else"), std::string::npos) << wrong.dense_library;
  cublaslt_stand_in::reset({{10, size_t(1) << 20}}); // more workspace than there is
  EXPECT_NE(measure(37).dense_library.find("no candidate"), std::string::npos);
}

TEST_F(GpuBenchTest, WithoutADriverOrADevice) {
  ::setenv("ALGRT_CUDA_DRIVER", "/nonexistent/libcuda.so.1", 1);
  try {
    measure(37);
    ADD_FAILURE() << "measured";
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), ALGRT_NO_DRIVER);
  }
  TableMatch match;
  match.bundle_path = path;
  std::string why_not;
  EXPECT_FALSE(measuresOnGpu("", {match}, 0, why_not));
  EXPECT_NE(why_not.find("/nonexistent/libcuda.so.1"), std::string::npos) << why_not;
  EXPECT_TRUE(measuresOnGpu("sm_90a", {match}, 0, why_not));
  EXPECT_FALSE(measuresOnGpu("cpu", {match}, 0, why_not));
  EXPECT_THROW(measuresOnGpu("sm_90b", {match}, 0, why_not), Error);
  ::setenv("ALGRT_CUDA_DRIVER", CUDA_STAND_IN, 1);
  EXPECT_TRUE(measuresOnGpu("", {match}, 0, why_not));
  EXPECT_FALSE(measuresOnGpu("", {match}, 1, why_not));
  cuda_stand_in::reset({cuda_stand_in::DeviceSpec{.capability = 80}});
  EXPECT_FALSE(measuresOnGpu("", {match}, 0, why_not));
  EXPECT_NE(why_not.find("9.0"), std::string::npos) << why_not;
}

TEST_F(GpuBenchTest, BundlesForAnotherDeviceAreSkippedWithTheReason) {
  cuda_stand_in::reset({cuda_stand_in::DeviceSpec{.capability = 80}});
  const GpuReport other = report({37});
  EXPECT_TRUE(other.cases.empty());
  ASSERT_EQ(other.skipped.size(), 1u);
  EXPECT_NE(other.skipped[0].skipped.find("9.0"), std::string::npos) << other.skipped[0].skipped;
}

TEST_F(GpuBenchTest, ForeignProcessesAreReported) {
  const unsigned own = unsigned(::getpid());
  const GpuReport alone = report({37});
  EXPECT_TRUE(alone.machine.company.before.empty() && alone.machine.company.after.empty());
  EXPECT_NE(gpuText({toJson(alone)}).find("none before, none after"), std::string::npos);
  EXPECT_EQ(toJson(alone)["machine"]["clocks"]["multiprocessor_mhz"], 1755);

  nvml_stand_in::reset({{7}, {7, own}, {7, 8, own}});
  const GpuReport crowded = report({37});
  EXPECT_EQ(crowded.machine.company.before, std::vector<int64_t>{7});
  EXPECT_EQ(crowded.machine.company.after, (std::vector<int64_t>{7, 8}));
  EXPECT_NE(
      gpuText({toJson(alone), toJson(crowded)}).find("OTHER PROCESSES USED THE DEVICE: 1 before, 2 after"),
      std::string::npos);

  ::setenv("ALGRT_NVML", "/nonexistent/libnvidia-ml.so.1", 1);
  const GpuReport unknown = report({37});
  EXPECT_EQ(toJson(unknown)["machine"]["other_processes_after"], nullptr);
  EXPECT_NE(gpuText({toJson(unknown)}).find("not checked: NVML is absent"), std::string::npos);
  nvml_stand_in::reset({});
}

TEST(OtherProcesses, OurOwnMayHaveAnotherNumber) {
  EXPECT_EQ(otherProcesses({}, {5}, 5), std::vector<int64_t>());
  EXPECT_EQ(otherProcesses({3}, {3, 5}, 5), std::vector<int64_t>{3});
  EXPECT_EQ(otherProcesses({3}, {3, 900}, 5), std::vector<int64_t>{3});
  EXPECT_EQ(otherProcesses({3}, {3}, 5), std::vector<int64_t>{3});
  EXPECT_EQ(otherProcesses({}, {8, 900}, 5).size(), 1u);
}

TEST_F(GpuBenchTest, AFailingDeviceEndsTheRunButKeepsWhatWasMeasured) {
  std::vector<size_t> sizes;
  saved = [&](const GpuReport &so_far) {
    sizes.push_back(so_far.cases.size());
    cuda_stand_in::failCall("cuMemcpyDtoH_v2", 1, cuda::Result::IllegalAddress);
    cuda_stand_in::failCall("cuCtxSynchronize", 2, cuda::Result::IllegalAddress);
  };
  const GpuReport failed = report({37, 38, 39});
  EXPECT_EQ(sizes, std::vector<size_t>{1});
  EXPECT_EQ(failed.cases.size(), 1u);
  EXPECT_NE(failed.aborted.find("38 rows"), std::string::npos) << failed.aborted;
  EXPECT_NE(gpuText({toJson(failed)}).find("ABORTED: case, 38 rows"), std::string::npos);
}

TEST_F(GpuBenchTest, ACaseWithoutRoomIsSkipped) {
  const GpuReport tight = report({37, 40'000'000, 38});
  EXPECT_EQ(tight.cases.size(), 2u);
  ASSERT_EQ(tight.skipped.size(), 1u);
  EXPECT_NE(tight.skipped[0].skipped.find("measure fewer rows"), std::string::npos)
      << tight.skipped[0].skipped;
}

TEST_F(GpuBenchTest, TheReportHasTheContractsKeysAndThePublishedFigures) {
  GpuReport one = report({37});
  one.cases[0].row.published = {75.5, 24.5, 3.25, 2.75};
  const nlohmann::ordered_json json = toJson(one);
  for (const char *key :
       {"m", "k", "n", "q", "map", "target", "dtype", "algebra_us", "dense_us", "speedup", "floor_us",
        "floor_over_algebra", "max_rel_error", "algebra_flushed_us", "variant", "tile", "variants"})
    EXPECT_TRUE(json["cases"][0].contains(key)) << key;
  EXPECT_EQ(json["cases"][0]["variant"], "forward-128");
  EXPECT_EQ(json["cases"][0]["tile"]["rows"], 128);
  EXPECT_EQ(json["cases"][0]["variants"].size(), 2u);
  const std::string text = gpuText({json, json});
  for (const char *cell : {"24.5", "75.5", "3.25x", "2.75x", "30.0 ±0.0", "128x16x8, 4 stages"})
    EXPECT_NE(text.find(cell), std::string::npos) << cell << "\n" << text;
  EXPECT_THROW(gpuText({nlohmann::ordered_json::object()}), Error);
}

// Every variant by its name and what it was made for; which of them is fastest, and which the runtime takes.
TEST_F(GpuBenchTest, VariantsAreLabelledAndTheRuntimesChoiceIsNamed) {
  nlohmann::ordered_json manifest = test::gpuManifest(8, 8, 16, 1);
  manifest["kernels"][0]["best_for_rows"] = {1, 20};
  manifest["kernels"][1]["best_for_rows"] = {21, 5000};
  use(manifest);
  const nlohmann::ordered_json json = toJson(report({5, 60}));
  for (size_t i = 0; i < 2; ++i) {
    const nlohmann::ordered_json &result = json["cases"][i];
    EXPECT_EQ(result["variant"], "forward-128");
    EXPECT_EQ(result["chosen_variant"], i == 0 ? "forward-64" : "forward-128");
    ASSERT_EQ(result["variants"].size(), 2u);
    EXPECT_EQ(result["variants"][0]["kernel"], "forward-64");
    EXPECT_EQ(result["variants"][0]["best_for_rows"], (std::vector<int>{1, 20}));
    EXPECT_EQ(result["variants"][1]["kernel"], "forward-128");
    EXPECT_EQ(result["variants"][1]["copies"], "engine");
    EXPECT_TRUE(result["variants"][1]["vector"].is_null());
  }
  const std::string text = gpuText({json});
  EXPECT_NE(
      text.find("chosen: case, 5 rows: the runtime takes forward-64 (50.0 us), faster is forward-128\n"),
      std::string::npos)
      << text;
  EXPECT_EQ(text.find(" 60 rows: the runtime"), std::string::npos) << text;
}

} // namespace
} // namespace algrt
