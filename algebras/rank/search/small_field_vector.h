// Vectors of at most 64 entries over GF(2) and GF(3), as bit masks.
#pragma once

#include <cstdint>

namespace algebras::rank {

struct BinaryVector {
  static constexpr uint64_t characteristic = 2;
  uint64_t ones = 0;

  bool isZero() const { return ones == 0; }
  bool operator==(const BinaryVector &) const = default;
  int entry(int index) const { return static_cast<int>(ones >> index & 1); }
  void set(int index, int value) { ones |= uint64_t(value & 1) << index; }
  BinaryVector operator-() const { return *this; }
  friend BinaryVector operator+(BinaryVector x, BinaryVector y) { return {x.ones ^ y.ones}; }
  // The sign of the first nonzero entry, which is taken out.
  int normalise() { return 1; }
};

struct TernaryVector {
  static constexpr uint64_t characteristic = 3;
  uint64_t plus = 0, minus = 0; // entries 1 and -1

  bool isZero() const { return (plus | minus) == 0; }
  bool operator==(const TernaryVector &) const = default;
  int entry(int index) const {
    return static_cast<int>(plus >> index & 1) - static_cast<int>(minus >> index & 1);
  }
  void set(int index, int value) {
    plus |= uint64_t(value == 1) << index;
    minus |= uint64_t(value == -1) << index;
  }
  TernaryVector operator-() const { return {minus, plus}; }
  friend TernaryVector operator+(TernaryVector x, TernaryVector y) {
    uint64_t x_zero = ~(x.plus | x.minus), y_zero = ~(y.plus | y.minus);
    return {(x.plus & y_zero) | (x_zero & y.plus) | (x.minus & y.minus),
            (x.minus & y_zero) | (x_zero & y.minus) | (x.plus & y.plus)};
  }
  int normalise() {
    uint64_t all = plus | minus;
    if ((plus & all & -all) != 0 || all == 0)
      return 1;
    *this = -*this;
    return -1;
  }
};

} // namespace algebras::rank
