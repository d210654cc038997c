#include "runtime/bundle/hash.h"

#include "runtime/bundle/format.h"

namespace algrt {

Sha256Digest bundleHash(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes.data(), format::hash_offset);
  hash.update(bytes.data() + format::header_size, bytes.size() - format::header_size);
  return hash.finish();
}

} // namespace algrt
