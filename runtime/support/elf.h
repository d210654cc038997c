// Symbols of a shared object or a cubin, read out of its bytes: nothing is loaded, no code of it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace algrt {

// Views of the bytes that it was read from.
class Elf {
public:
  // Nothing where this is no little-endian ELF file of 64 bits, or its headers reach beyond its end.
  static std::optional<Elf> read(std::string_view bytes);

  uint16_t machine() const { return machine_; }

  // Whether all that the file says is loaded lies in it. A loader maps what does not, and dies touching it.
  bool holdsItsSegments() const;

  // Calls `visit` with the name of every symbol that is defined here, and with the bytes of its contents;
  // these are empty where they are not in the file. Symbols that do not hold together are passed over.
  void
  forEachSymbol(const std::function<void(std::string_view name, std::string_view contents)> &visit) const;

private:
  Elf() = default;

  std::string_view bytes_;
  uint16_t machine_ = 0;
  // Tables of the file, of so many entries, each as long as the standard says.
  std::string_view segments_, sections_;
};

} // namespace algrt
