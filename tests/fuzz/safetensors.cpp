// safetensors files from hostile hands: whatever the bytes, the reader answers with tensors that lie in them
// or with an Error.
#include "runtime/safetensors/safetensors.h"
#include "runtime/support/error.h"

#include <cstdlib>
#include <string_view>

namespace {

void tryToRead(std::string_view bytes) {
  try {
    const algrt::Safetensors file("fuzz", bytes.size(), [bytes](uint64_t offset, uint64_t size) {
      if (offset > bytes.size() || size > bytes.size() - offset)
        std::abort(); // the checks let something through
      return std::string(bytes.substr(offset, size));
    });
    for (const algrt::SafetensorsEntry &tensor : file.tensors()) {
      if (&file.find(tensor.name) != &tensor && !tensor.name.empty())
        std::abort();
      const size_t elements = size_t(tensor.elements());
      if (tensor.dtype == "I32" && file.readInt32(tensor).size() != elements)
        std::abort();
      const bool floats = tensor.dtype == "F32" || tensor.dtype == "BF16" || tensor.dtype == "F16";
      if (floats && file.readFloat32(tensor).size() != elements)
        std::abort();
    }
  } catch (const algrt::Error &) {
    // refused with a reason: that is the other right answer
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  tryToRead(bytes);
  // With a length that is in order: all of it is the header, or what ends with the first "}}".
  for (size_t header : {size, bytes.find("}}") + 2}) {
    if (header > size || header < 2)
      continue;
    std::string repaired;
    for (int i = 0; i < 8; ++i)
      repaired += char(uint64_t(header) >> (8 * i));
    tryToRead(repaired.append(bytes));
  }
  return 0;
}
