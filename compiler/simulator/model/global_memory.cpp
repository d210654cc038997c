#include "compiler/simulator/model/global_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace simulator {

namespace {
bool begins(const uint8_t *at, const GlobalRegion &region) { return at < region.base; }

GlobalRegion regionOf(std::string name, const void *base, int64_t bytes, Access access, bool independent) {
  if (!base || bytes <= 0)
    throw std::invalid_argument(fmt::format("global region '{}' is empty", name));
  GlobalRegion region{std::move(name), static_cast<const uint8_t *>(base), bytes, access, independent, {}};
  if (access != Access::Read)
    region.writer.assign(size_t(bytes), 0);
  return region;
}
} // namespace

void GlobalMemory::registerGlobal(std::string name, const void *base, int64_t bytes, Access access,
                                  bool independent) {
  std::vector<GlobalRegion> one;
  one.push_back(regionOf(std::move(name), base, bytes, access, independent));
  insert(std::move(one));
}

void GlobalMemory::registerRows(const std::string &name, const void *base, int64_t rows, int64_t bytes,
                                int64_t stride, Access access, bool independent) {
  if (stride < bytes)
    throw std::invalid_argument(fmt::format("rows of global region '{}' overlap", name));
  std::vector<GlobalRegion> all;
  all.reserve(size_t(rows));
  for (int64_t row = 0; row < rows; ++row)
    all.push_back(regionOf(fmt::format("{} row {}", name, row),
                           static_cast<const uint8_t *>(base) + row * stride, bytes, access, independent));
  if (!all.empty())
    insert(std::move(all));
}

// All at once: one after the other would move those behind them as often as there are rows.
void GlobalMemory::insert(std::vector<GlobalRegion> neighbours) {
  const GlobalRegion &first = neighbours.front(), &last = neighbours.back();
  auto after = std::upper_bound(regions_.begin(), regions_.end(), first.base, begins);
  if ((after != regions_.end() && after->base < last.base + last.bytes) ||
      (after != regions_.begin() && (after - 1)->base + (after - 1)->bytes > first.base))
    throw std::invalid_argument(fmt::format("global region '{}' overlaps another", first.name));
  regions_.insert(after, std::make_move_iterator(neighbours.begin()),
                  std::make_move_iterator(neighbours.end()));
}

GlobalRegion *GlobalMemory::find(const void *address, int64_t bytes) {
  const auto *at = static_cast<const uint8_t *>(address);
  auto after = std::upper_bound(regions_.begin(), regions_.end(), at, begins);
  if (after == regions_.begin())
    return nullptr;
  GlobalRegion &region = *(after - 1);
  // Compared as lengths: the sum of an arbitrary address and a length may wrap.
  const int64_t before = at - region.base;
  return before <= region.bytes && bytes <= region.bytes - before ? &region : nullptr;
}

void GlobalMemory::forgetWrites() {
  for (GlobalRegion &region : regions_)
    std::fill(region.writer.begin(), region.writer.end(), 0);
}

int64_t GlobalMemory::neverWritten(const std::string &name) const {
  for (const GlobalRegion &region : regions_)
    if (region.name == name)
      return std::count(region.writer.begin(), region.writer.end(), 0u);
  throw std::invalid_argument(fmt::format("no global region '{}'", name));
}

int64_t GlobalMemory::neverWrittenAt(const void *base) const {
  const auto *at = static_cast<const uint8_t *>(base);
  auto after = std::upper_bound(regions_.begin(), regions_.end(), at, begins);
  if (after == regions_.begin() || (after - 1)->base != at)
    throw std::invalid_argument("no global region begins there");
  return std::count((after - 1)->writer.begin(), (after - 1)->writer.end(), 0u);
}

} // namespace simulator
