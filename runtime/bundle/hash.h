// The hash over a bundle's bytes: everything but the place where the hash itself is stored.
#pragma once

#include "runtime/bundle/sha256.h"

#include <string_view>

namespace algrt {

// bytes.size() >= format::header_size.
Sha256Digest bundleHash(std::string_view bytes);

} // namespace algrt
