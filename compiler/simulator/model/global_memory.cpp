#include "compiler/simulator/model/global_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace simulator {

void GlobalMemory::registerGlobal(std::string name, const void *base, int64_t bytes, Access access,
                                  bool independent) {
  if (!base || bytes <= 0)
    throw std::invalid_argument(fmt::format("global region '{}' is empty", name));
  GlobalRegion region{std::move(name), static_cast<const uint8_t *>(base), bytes, access, independent, {}};
  if (access != Access::Read)
    region.writer.assign(size_t(bytes), 0);
  auto after = std::upper_bound(regions.begin(), regions.end(), region.base,
                                [](const uint8_t *at, const GlobalRegion &other) { return at < other.base; });
  if ((after != regions.end() && after->base < region.base + bytes) ||
      (after != regions.begin() && (after - 1)->base + (after - 1)->bytes > region.base))
    throw std::invalid_argument(fmt::format("global region '{}' overlaps another", region.name));
  regions.insert(after, std::move(region));
}

GlobalRegion *GlobalMemory::find(const void *address, int64_t bytes) {
  const auto *at = static_cast<const uint8_t *>(address);
  auto after = std::upper_bound(regions.begin(), regions.end(), at,
                                [](const uint8_t *at, const GlobalRegion &other) { return at < other.base; });
  if (after == regions.begin())
    return nullptr;
  GlobalRegion &region = *(after - 1);
  // Compared as lengths: the sum of an arbitrary address and a length may wrap.
  const int64_t before = at - region.base;
  return before <= region.bytes && bytes <= region.bytes - before ? &region : nullptr;
}

void GlobalMemory::forgetWrites() {
  for (GlobalRegion &region : regions)
    std::fill(region.writer.begin(), region.writer.end(), 0);
}

int64_t GlobalMemory::neverWritten(const std::string &name) const {
  for (const GlobalRegion &region : regions)
    if (region.name == name)
      return std::count(region.writer.begin(), region.writer.end(), 0u);
  throw std::invalid_argument(fmt::format("no global region '{}'", name));
}

} // namespace simulator
