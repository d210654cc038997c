// The global memory that a launch may touch: regions of host memory, each with what the kernel may do there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace simulator {

enum class Access {
  Read,  // inputs: any write is a fault
  Write, // outputs: nothing is written at first; a byte may be written once per launch and read only by its
         // writer
  ReadWrite // like Write, but initialised
};

struct GlobalRegion {
  std::string name;
  const uint8_t *base = nullptr;
  int64_t bytes = 0;
  Access access = Access::Read;
  // Not written by the grid before this one: may be touched before griddepcontrol.wait.
  bool independent = false;
  // The thread of the launch that wrote each byte: 1 + block * threads + thread, 0 for none. Empty for
  // inputs.
  std::vector<uint32_t> writer;
};

class GlobalMemory {
public:
  // Throws std::invalid_argument for an empty region or one that overlaps another.
  void registerGlobal(std::string name, const void *base, int64_t bytes, Access access,
                      bool independent = false);

  // The same for each of `rows` rows, `stride` bytes apart, which are called "NAME row 0", "NAME row 1" and
  // so on. Nothing else may lie between them.
  void registerRows(const std::string &name, const void *base, int64_t rows, int64_t bytes, int64_t stride,
                    Access access, bool independent = false);

  // The region that holds all of [address, address + bytes), or null.
  GlobalRegion *find(const void *address, int64_t bytes);

  // Forgets who wrote what, before another launch over the same regions.
  void forgetWrites();

  // How many bytes of a region nothing wrote: outputs that the kernel missed. `name` as registered.
  int64_t neverWritten(const std::string &name) const;
  // The same of the region that begins at `base`.
  int64_t neverWrittenAt(const void *base) const;

private:
  void insert(std::vector<GlobalRegion> neighbours);

  std::vector<GlobalRegion> regions_; // sorted by base
};

} // namespace simulator
