// What this CPU can do, under the names that GCC and Clang use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace algrt {

// Whether the CPU has the feature and the operating system saves its registers. False for unknown names.
bool cpuHasFeature(std::string_view name);

// All features of this machine that the runtime knows by name, sorted.
std::vector<std::string> cpuFeatures();

// Those of `needed` that this machine lacks.
std::vector<std::string> missingCpuFeatures(const std::vector<std::string> &needed);

// The highest of "x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64" that the machine offers whole.
std::string cpuLevel();

} // namespace algrt
