// Images of code from hostile hands: whatever the bytes, names and records that are read out of them lie in
// them.
#include "runtime/bundle/code_symbols.h"
#include "runtime/support/elf.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view image(reinterpret_cast<const char *>(data), size);
  const auto inside = [&](std::string_view part) {
    return part.empty() ||
           (part.data() >= image.data() && part.data() + part.size() <= image.data() + image.size());
  };
  const algrt::CodeSymbols symbols = algrt::readSymbols(image);
  for (const std::string_view kernel : symbols.kernels)
    if (!inside(kernel))
      std::abort();
  for (const auto &[name, words] : symbols.records)
    if (!inside(name) || words.size() > 512)
      std::abort();
  if (const std::optional<algrt::Elf> elf = algrt::Elf::read(image))
    (void)elf->holdsItsSegments();
  return 0;
}
