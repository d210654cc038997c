#include "runtime/cuda/launch_cache.h"

#include "runtime/support/error.h"

#include <algorithm>
#include <utility>

namespace algrt::cuda {

void LaunchKey::add(uint64_t number) {
  if (count_ == most_numbers)
    throw Error(ALGRT_INTERNAL, "a launch has more operands than a fused layer can have");
  numbers_[count_++] = number;
}

void LaunchKey::add(const Operand &operand) {
  add(operand.address);
  add(uint64_t(operand.leading_dimension));
}

size_t LaunchKey::hash() const {
  constexpr uint64_t odd = 0x9e3779b97f4a7c15; // 2^64 over the golden ratio
  uint64_t hash = count_;
  for (const uint64_t number : numbers()) {
    hash = (hash ^ number) * odd;
    hash ^= hash >> 32; // addresses differ in their upper bits, which a product does not bring down
  }
  return hash;
}

std::shared_ptr<const PreparedLaunch> LaunchCache::find(const LaunchKey &key) {
  const size_t hash = key.hash();
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(hash);
  if (place == places_.end() || !std::ranges::equal(place->second->numbers, key.numbers()))
    return nullptr;
  entries_.splice(entries_.begin(), entries_, place->second);
  return place->second->launch;
}

void LaunchCache::insert(const LaunchKey &key, std::shared_ptr<const PreparedLaunch> launch) {
  const std::span<const uint64_t> numbers = key.numbers();
  std::list<Entry> made;
  made.push_back({key.hash(), {numbers.begin(), numbers.end()}, std::move(launch)});
  const std::lock_guard lock(mutex_);
  if (capacity_ == 0)
    return;
  // An iterator into a list stays what it is when its element moves to another list.
  const auto [place, is_new] = places_.try_emplace(made.front().hash, made.begin());
  if (!is_new)
    entries_.erase(std::exchange(place->second, made.begin()));
  entries_.splice(entries_.begin(), made);
  shrink(capacity_);
}

size_t LaunchCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

void LaunchCache::setCapacity(size_t capacity) {
  const std::lock_guard lock(mutex_);
  capacity_ = capacity;
  shrink(capacity);
}

void LaunchCache::shrink(size_t most) {
  while (entries_.size() > most) {
    places_.erase(entries_.back().hash);
    entries_.pop_back();
  }
}

} // namespace algrt::cuda
