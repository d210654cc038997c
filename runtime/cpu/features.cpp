#include "runtime/cpu/features.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace algrt {

namespace {

// What the operating system must save for a feature's registers to survive a context switch.
enum class Registers { sse, avx, avx512, amx };

enum Output { eax, ebx, ecx, edx };

struct Feature {
  std::string_view name;
  uint32_t leaf, subleaf;
  Output output;
  int bit;
  Registers registers;
};

// Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E.
constexpr Feature features[] = {
    {"sse3", 1, 0, ecx, 0, Registers::sse},
    {"pclmul", 1, 0, ecx, 1, Registers::sse},
    {"ssse3", 1, 0, ecx, 9, Registers::sse},
    {"fma", 1, 0, ecx, 12, Registers::avx},
    {"cx16", 1, 0, ecx, 13, Registers::sse},
    {"sse4.1", 1, 0, ecx, 19, Registers::sse},
    {"sse4.2", 1, 0, ecx, 20, Registers::sse},
    {"movbe", 1, 0, ecx, 22, Registers::sse},
    {"popcnt", 1, 0, ecx, 23, Registers::sse},
    {"aes", 1, 0, ecx, 25, Registers::sse},
    {"avx", 1, 0, ecx, 28, Registers::avx},
    {"f16c", 1, 0, ecx, 29, Registers::avx},
    {"sse", 1, 0, edx, 25, Registers::sse},
    {"sse2", 1, 0, edx, 26, Registers::sse},
    {"bmi", 7, 0, ebx, 3, Registers::sse},
    {"avx2", 7, 0, ebx, 5, Registers::avx},
    {"bmi2", 7, 0, ebx, 8, Registers::sse},
    {"avx512f", 7, 0, ebx, 16, Registers::avx512},
    {"avx512dq", 7, 0, ebx, 17, Registers::avx512},
    {"avx512ifma", 7, 0, ebx, 21, Registers::avx512},
    {"avx512cd", 7, 0, ebx, 28, Registers::avx512},
    {"sha", 7, 0, ebx, 29, Registers::sse},
    {"avx512bw", 7, 0, ebx, 30, Registers::avx512},
    {"avx512vl", 7, 0, ebx, 31, Registers::avx512},
    {"avx512vbmi", 7, 0, ecx, 1, Registers::avx512},
    {"avx512vbmi2", 7, 0, ecx, 6, Registers::avx512},
    {"gfni", 7, 0, ecx, 8, Registers::sse},
    {"vaes", 7, 0, ecx, 9, Registers::avx},
    {"vpclmulqdq", 7, 0, ecx, 10, Registers::avx},
    {"avx512vnni", 7, 0, ecx, 11, Registers::avx512},
    {"avx512bitalg", 7, 0, ecx, 12, Registers::avx512},
    {"avx512vpopcntdq", 7, 0, ecx, 14, Registers::avx512},
    {"avx512vp2intersect", 7, 0, edx, 8, Registers::avx512},
    {"amx-bf16", 7, 0, edx, 22, Registers::amx},
    {"avx512fp16", 7, 0, edx, 23, Registers::avx512},
    {"amx-tile", 7, 0, edx, 24, Registers::amx},
    {"amx-int8", 7, 0, edx, 25, Registers::amx},
    {"avxvnni", 7, 1, eax, 4, Registers::avx},
    {"avx512bf16", 7, 1, eax, 5, Registers::avx512},
    {"crc32", 1, 0, ecx, 20, Registers::sse},
    {"xsave", 1, 0, ecx, 26, Registers::sse},
    {"rdrnd", 1, 0, ecx, 30, Registers::sse},
    {"fsgsbase", 7, 0, ebx, 0, Registers::sse},
    {"invpcid", 7, 0, ebx, 10, Registers::sse},
    {"rdseed", 7, 0, ebx, 18, Registers::sse},
    {"adx", 7, 0, ebx, 19, Registers::sse},
    {"clflushopt", 7, 0, ebx, 23, Registers::sse},
    {"clwb", 7, 0, ebx, 24, Registers::sse},
    {"rdpid", 7, 0, ecx, 22, Registers::sse},
    {"movdiri", 7, 0, ecx, 27, Registers::sse},
    {"movdir64b", 7, 0, ecx, 28, Registers::sse},
    {"xsaveopt", 0xd, 1, eax, 0, Registers::sse},
    {"xsavec", 0xd, 1, eax, 1, Registers::sse},
    {"xsaves", 0xd, 1, eax, 3, Registers::sse},
    {"sse4a", 0x80000001u, 0, ecx, 6, Registers::sse},
    {"mwaitx", 0x80000001u, 0, ecx, 29, Registers::sse},
    {"clzero", 0x80000008u, 0, ebx, 0, Registers::sse},
    {"wbnoinvd", 0x80000008u, 0, ebx, 9, Registers::sse},
    {"sahf", 0x80000001u, 0, ecx, 0, Registers::sse},
    {"lzcnt", 0x80000001u, 0, ecx, 5, Registers::sse},
    {"prfchw", 0x80000001u, 0, ecx, 8, Registers::sse},
};

// Features that every CPU of the architecture has, or that cost no register state worth asking for.
constexpr std::string_view always_there[] = {"cx8", "fxsr", "mmx", "x87", "cmov", "64bit"};

#if defined(__x86_64__)

std::array<uint32_t, 4> cpuid(uint32_t leaf, uint32_t subleaf) {
  std::array<uint32_t, 4> registers{};
  // Fails, and leaves zeros, where the CPU does not have that leaf.
  if (__get_cpuid_count(leaf, subleaf, &registers[0], &registers[1], &registers[2], &registers[3]) == 0)
    registers.fill(0);
  return registers;
}

bool systemSaves(Registers registers) {
  if (registers == Registers::sse)
    return true;
  constexpr uint32_t osxsave = 1u << 27;
  if ((cpuid(1, 0)[ecx] & osxsave) == 0)
    return false;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  // XCR0: 1 SSE, 2 AVX, 5..7 the AVX-512 state, 17..18 the tiles.
  const uint32_t needed = registers == Registers::avx      ? 0x6u
                          : registers == Registers::avx512 ? 0xe6u
                                                           : 0x60006u;
  return (low & needed) == needed;
}

bool hasFeature(const Feature &feature) {
  return (cpuid(feature.leaf, feature.subleaf)[feature.output] >> feature.bit & 1u) != 0 &&
         systemSaves(feature.registers);
}

#else

bool hasFeature(const Feature &) { return false; }

#endif

// What each level adds to the one below (System V ABI for x86-64, section 3.1.1).
constexpr std::string_view level2[] = {"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"};
constexpr std::string_view level3[] = {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"};
constexpr std::string_view level4[] = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"};

bool hasAll(std::span<const std::string_view> names) {
  return std::all_of(names.begin(), names.end(), cpuHasFeature);
}

} // namespace

bool cpuHasFeature(std::string_view name) {
#if defined(__x86_64__)
  if (std::find(std::begin(always_there), std::end(always_there), name) != std::end(always_there))
    return true;
#endif
  for (const Feature &feature : features)
    if (feature.name == name)
      return hasFeature(feature);
  return false;
}

std::vector<std::string> cpuFeatures() {
  std::vector<std::string> present;
  for (const Feature &feature : features)
    if (hasFeature(feature))
      present.emplace_back(feature.name);
  std::sort(present.begin(), present.end());
  return present;
}

std::vector<std::string> missingCpuFeatures(const std::vector<std::string> &needed) {
  std::vector<std::string> missing;
  for (const std::string &name : needed)
    if (!cpuHasFeature(name))
      missing.push_back(name);
  return missing;
}

std::string cpuLevel() {
  if (!hasAll(level2))
    return "x86-64";
  if (!hasAll(level3))
    return "x86-64-v2";
  return hasAll(level4) ? "x86-64-v4" : "x86-64-v3";
}

} // namespace algrt
