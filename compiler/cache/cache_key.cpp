#include "compiler/cache/cache_key.h"

namespace compiler {

static void addCounted(algrt::Sha256 &hash, std::string_view text) {
  // Counted, so that "ab" + "c" is not "a" + "bc".
  const std::string count = std::to_string(text.size()) + ":";
  hash.update(count.data(), count.size());
  hash.update(text.data(), text.size());
}

CacheKey &CacheKey::add(std::string_view name, std::string_view value) {
  addCounted(hash_, name);
  addCounted(hash_, value);
  return *this;
}

std::string CacheKey::digits() const {
  algrt::Sha256 copy = hash_;
  return algrt::toHex(copy.finish());
}

} // namespace compiler
