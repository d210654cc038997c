#include "runtime/cpu/features.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

namespace algrt {

namespace {

// What the operating system must save for a feature's registers to survive a context switch.
enum class Registers { Sse, Avx, Avx512, Amx };

enum Output { Eax, Ebx, Ecx, Edx };

struct Feature {
  std::string_view name;
  uint32_t leaf, subleaf;
  Output output;
  int bit;
  Registers registers;
};

// Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E.
constexpr Feature features[] = {
    {"sse3", 1, 0, Ecx, 0, Registers::Sse},
    {"pclmul", 1, 0, Ecx, 1, Registers::Sse},
    {"ssse3", 1, 0, Ecx, 9, Registers::Sse},
    {"fma", 1, 0, Ecx, 12, Registers::Avx},
    {"cx16", 1, 0, Ecx, 13, Registers::Sse},
    {"sse4.1", 1, 0, Ecx, 19, Registers::Sse},
    {"sse4.2", 1, 0, Ecx, 20, Registers::Sse},
    {"movbe", 1, 0, Ecx, 22, Registers::Sse},
    {"popcnt", 1, 0, Ecx, 23, Registers::Sse},
    {"aes", 1, 0, Ecx, 25, Registers::Sse},
    {"avx", 1, 0, Ecx, 28, Registers::Avx},
    {"f16c", 1, 0, Ecx, 29, Registers::Avx},
    {"sse", 1, 0, Edx, 25, Registers::Sse},
    {"sse2", 1, 0, Edx, 26, Registers::Sse},
    {"bmi", 7, 0, Ebx, 3, Registers::Sse},
    {"avx2", 7, 0, Ebx, 5, Registers::Avx},
    {"bmi2", 7, 0, Ebx, 8, Registers::Sse},
    {"avx512f", 7, 0, Ebx, 16, Registers::Avx512},
    {"avx512dq", 7, 0, Ebx, 17, Registers::Avx512},
    {"avx512ifma", 7, 0, Ebx, 21, Registers::Avx512},
    {"avx512cd", 7, 0, Ebx, 28, Registers::Avx512},
    {"sha", 7, 0, Ebx, 29, Registers::Sse},
    {"avx512bw", 7, 0, Ebx, 30, Registers::Avx512},
    {"avx512vl", 7, 0, Ebx, 31, Registers::Avx512},
    {"avx512vbmi", 7, 0, Ecx, 1, Registers::Avx512},
    {"avx512vbmi2", 7, 0, Ecx, 6, Registers::Avx512},
    {"gfni", 7, 0, Ecx, 8, Registers::Sse},
    {"vaes", 7, 0, Ecx, 9, Registers::Avx},
    {"vpclmulqdq", 7, 0, Ecx, 10, Registers::Avx},
    {"avx512vnni", 7, 0, Ecx, 11, Registers::Avx512},
    {"avx512bitalg", 7, 0, Ecx, 12, Registers::Avx512},
    {"avx512vpopcntdq", 7, 0, Ecx, 14, Registers::Avx512},
    {"avx512vp2intersect", 7, 0, Edx, 8, Registers::Avx512},
    {"amx-bf16", 7, 0, Edx, 22, Registers::Amx},
    {"avx512fp16", 7, 0, Edx, 23, Registers::Avx512},
    {"amx-tile", 7, 0, Edx, 24, Registers::Amx},
    {"amx-int8", 7, 0, Edx, 25, Registers::Amx},
    {"avxvnni", 7, 1, Eax, 4, Registers::Avx},
    {"avx512bf16", 7, 1, Eax, 5, Registers::Avx512},
    {"crc32", 1, 0, Ecx, 20, Registers::Sse},
    {"xsave", 1, 0, Ecx, 26, Registers::Sse},
    {"rdrnd", 1, 0, Ecx, 30, Registers::Sse},
    {"fsgsbase", 7, 0, Ebx, 0, Registers::Sse},
    {"invpcid", 7, 0, Ebx, 10, Registers::Sse},
    {"rdseed", 7, 0, Ebx, 18, Registers::Sse},
    {"adx", 7, 0, Ebx, 19, Registers::Sse},
    {"clflushopt", 7, 0, Ebx, 23, Registers::Sse},
    {"clwb", 7, 0, Ebx, 24, Registers::Sse},
    {"rdpid", 7, 0, Ecx, 22, Registers::Sse},
    {"movdiri", 7, 0, Ecx, 27, Registers::Sse},
    {"movdir64b", 7, 0, Ecx, 28, Registers::Sse},
    {"xsaveopt", 0xd, 1, Eax, 0, Registers::Sse},
    {"xsavec", 0xd, 1, Eax, 1, Registers::Sse},
    {"xsaves", 0xd, 1, Eax, 3, Registers::Sse},
    {"sse4a", 0x80000001u, 0, Ecx, 6, Registers::Sse},
    {"mwaitx", 0x80000001u, 0, Ecx, 29, Registers::Sse},
    {"clzero", 0x80000008u, 0, Ebx, 0, Registers::Sse},
    {"wbnoinvd", 0x80000008u, 0, Ebx, 9, Registers::Sse},
    {"sahf", 0x80000001u, 0, Ecx, 0, Registers::Sse},
    {"lzcnt", 0x80000001u, 0, Ecx, 5, Registers::Sse},
    {"prfchw", 0x80000001u, 0, Ecx, 8, Registers::Sse},
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
  if (registers == Registers::Sse)
    return true;
  constexpr uint32_t osxsave = 1u << 27;
  if ((cpuid(1, 0)[Ecx] & osxsave) == 0)
    return false;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  // XCR0: 1 SSE, 2 AVX, 5..7 the AVX-512 state, 17..18 the tiles.
  const uint32_t needed = registers == Registers::Avx      ? 0x6u
                          : registers == Registers::Avx512 ? 0xe6u
                                                           : 0x60006u;
  return (low & needed) == needed;
}

// Linux gives the registers of the tiles to processes that ask for them alone, since they make the frames of
// signals larger. It refuses where a thread's stack for signals is too small for these.
bool systemGives(Registers registers) {
  if (registers != Registers::Amx)
    return true;
#if defined(__linux__)
  constexpr long request_permission = 0x1023, tile_data = 18; // Linux, Documentation/arch/x86/xstate.rst
  static const bool given = syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
  return given;
#else
  return false;
#endif
}

bool hasFeature(const Feature &feature) {
  return (cpuid(feature.leaf, feature.subleaf)[feature.output] >> feature.bit & 1u) != 0 &&
         systemSaves(feature.registers);
}

#else

bool systemGives(Registers) { return false; }

bool hasFeature(const Feature &) { return false; }

#endif

// Of all features. Asked once: on a virtual machine the instruction traps, and takes some twenty
// microseconds.
const std::array<bool, std::size(features)> &presentFeatures() {
  static const auto present = [] {
    std::array<bool, std::size(features)> found{};
    std::transform(std::begin(features), std::end(features), found.begin(), hasFeature);
    return found;
  }();
  return present;
}

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
  const auto *found = std::find_if(std::begin(features), std::end(features),
                                   [&](const Feature &feature) { return feature.name == name; });
  return found != std::end(features) && presentFeatures()[size_t(found - std::begin(features))] &&
         systemGives(found->registers);
}

std::vector<std::string> cpuFeatures() {
  std::vector<std::string> present;
  for (size_t i = 0; i < std::size(features); ++i)
    if (presentFeatures()[i])
      present.emplace_back(features[i].name);
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
