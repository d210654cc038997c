// What random layers are made of.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace simulator_test {

/// Draws numbers that are the same on every machine.
class Draw {
public:
  explicit Draw(uint64_t seed) : engine_(seed) {}
  int64_t below(int64_t end) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(end)); }
  template <typename T> const T &one(const std::vector<T> &of) {
    return of[static_cast<size_t>(below(static_cast<int64_t>(of.size())))];
  }

private:
  std::mt19937_64 engine_;
};

struct Algebra {
  std::string expression;
  int64_t in, out; // groups
  std::string lift = "rows";
};
inline const std::vector<Algebra> algebras_of_all_kinds = {
    {"Q(1)", 1, 1},
    {"Q(2)", 2, 2},
    {"Q(3)", 3, 3},
    {"Q(5)", 5, 5},
    {"path(3)", 3, 3},
    {"T(4)", 4, 4},
    {"Q(2)^2", 4, 4},
    {"Q(3)*T(2)", 6, 6},
    {"M(2)", 4, 4, "slots"},
    {ALGCTL_SOURCE_DIR "/tests/simulator/kernels/Inputs/quaternions.json", 4, 4, "slots"},
};

} // namespace simulator_test
