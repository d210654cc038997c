#include "runtime/cpu/features.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sstream>

namespace algrt {
namespace {

// The kernel's own list, under its own names, where there is one.
std::vector<std::string> kernelFlags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("flags", 0) == 0) {
      std::istringstream words(line.substr(line.find(':') + 1));
      return {std::istream_iterator<std::string>(words), {}};
    }
  return {};
}

TEST(Features, AgreeWithTheOperatingSystem) {
  const std::vector<std::string> flags = kernelFlags();
  if (flags.empty())
    GTEST_SKIP() << "no flags in /proc/cpuinfo";
  const std::pair<const char *, const char *> names[] = {
      {"avx", "avx"},           {"avx2", "avx2"},
      {"fma", "fma"},           {"f16c", "f16c"},
      {"bmi", "bmi1"},          {"bmi2", "bmi2"},
      {"avx512f", "avx512f"},   {"avx512bw", "avx512bw"},
      {"avx512vl", "avx512vl"}, {"avx512dq", "avx512dq"},
      {"sse4.2", "sse4_2"},     {"avx512bf16", "avx512_bf16"},
      {"lzcnt", "abm"},         {"movbe", "movbe"},
      {"avxvnni", "avx_vnni"},  {"avx512vnni", "avx512_vnni"},
      {"popcnt", "popcnt"},     {"gfni", "gfni"},
      {"amx-tile", "amx_tile"}, {"avx512fp16", "avx512_fp16"},
  };
  for (const auto &[ours, theirs] : names)
    EXPECT_EQ(cpuHasFeature(ours), std::find(flags.begin(), flags.end(), theirs) != flags.end()) << ours;
}

TEST(Features, UnknownNamesAreMissing) {
  EXPECT_EQ(missingCpuFeatures({"sse2", "warp-drive"}), std::vector<std::string>{"warp-drive"});
  EXPECT_FALSE(cpuHasFeature(""));
}

TEST(Features, LevelFollowsFromFeatures) {
  const std::string level = cpuLevel();
  EXPECT_EQ(level == "x86-64-v4",
            cpuHasFeature("avx512bw") && cpuHasFeature("avx512vl") && cpuHasFeature("fma"));
  const std::vector<std::string> all = cpuFeatures();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_TRUE(missingCpuFeatures(all).empty());
}

} // namespace
} // namespace algrt
