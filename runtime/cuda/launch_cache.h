// The last launches of a bundle on a device, for calls that repeat one: no kernel is chosen for them, no grid
// is counted and no tensor map is encoded.
#pragma once

#include "runtime/bundle/fusion.h"
#include "runtime/cuda/prepared_launch.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace algrt::cuda {

// The numbers that a launch is prepared from. What lies at an address is not one of them: memory that has
// been freed and taken again for something else is the same launch where all numbers are the same.
class LaunchKey {
public:
  LaunchKey() {} // not the compiler's, which would set all numbers to 0 first
  // Throws Error(ALGRT_INTERNAL) beyond what any call has.
  void add(uint64_t number);
  void add(const Operand &operand);

  std::span<const uint64_t> numbers() const { return std::span(numbers_).first(count_); }
  size_t hash() const;

private:
  // Of a fused layer two for each operand, of any other fewer than these 16 in all.
  static constexpr size_t most_numbers = 16 + 2 * 3 * size_t(most_fused);

  std::array<uint64_t, most_numbers> numbers_; // those from count_ on have no value
  size_t count_ = 0;
};

// All functions may be called by many threads at once.
class LaunchCache {
public:
  // Of a model that calls one bundle for every layer, each with weights of its own, several hundred are in
  // use.
  static constexpr size_t usual_capacity = 1024;

  // The launch of these numbers if it is among the last: allocates nothing.
  std::shared_ptr<const PreparedLaunch> find(const LaunchKey &key);
  // Where there are too many, those go that have not been used for longest; who holds one keeps it.
  void insert(const LaunchKey &key, std::shared_ptr<const PreparedLaunch> launch);

  size_t size() const;
  // 0 remembers nothing.
  void setCapacity(size_t capacity);

private:
  struct Entry {
    size_t hash;
    std::vector<uint64_t> numbers;
    std::shared_ptr<const PreparedLaunch> launch;
  };

  void shrink(size_t most); // mutex_ is held

  mutable std::mutex mutex_;
  size_t capacity_ = usual_capacity;
  std::list<Entry> entries_; // last used first
  // By hash: of two launches that have the same one only the later is kept.
  std::unordered_map<size_t, std::list<Entry>::iterator> places_;
};

} // namespace algrt::cuda
