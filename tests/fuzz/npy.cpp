// .npy files from hostile hands: an array as large as its shape says, or an Error.
#include "runtime/numpy/npy.h"
#include "runtime/support/error.h"

#include <cstdint>
#include <cstdlib>

namespace {

template <typename Element>
void tryToParse(algrt::NpyArray<Element> (*parse)(std::string_view, const std::string &),
                std::string_view bytes) {
  try {
    const algrt::NpyArray<Element> array = parse(bytes, "fuzz");
    int64_t elements = 1;
    for (int64_t extent : array.shape)
      elements *= extent;
    if (array.values.size() != size_t(elements) || array.values.size() * sizeof(Element) > bytes.size())
      std::abort();
  } catch (const algrt::Error &) {
    // refused with a reason: that is the other right answer
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  tryToParse(algrt::parseNpyFloat32, bytes);
  tryToParse(algrt::parseNpyInt32, bytes);
  return 0;
}
