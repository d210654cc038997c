// Any text either is a bilinear algorithm, and then prints one that reads back equal, or is an InputError
// with a place.
#include "algebras/rank/algorithm_json.h"

#include "algebras/error.h"

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace {

using namespace algebras;

void require(bool condition) {
  if (!condition)
    std::abort();
}

std::optional<AlgorithmFile> parse(std::string_view text) {
  try {
    return parseAlgorithm(text, "fuzz.json");
  } catch (const InputError &error) {
    error.render();
    require(error.where() && error.where()->line >= 1 && error.where()->column >= 1);
    return std::nullopt;
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::optional<AlgorithmFile> file = parse({reinterpret_cast<const char *>(data), size});
  if (!file)
    return 0;
  AlgorithmFile again = parseAlgorithm(printAlgorithm(*file), "again.json");
  require(again.dimension == file->dimension && again.field == file->field);
  require(again.products == file->products);
  return 0;
}
