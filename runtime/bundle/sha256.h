// SHA-256 (FIPS 180-4), so that the runtime needs no crypto library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace algrt {

using Sha256Digest = std::array<uint8_t, 32>;

class Sha256 {
public:
  void update(const void *bytes, size_t size);
  // Ends the message; the object must not be used afterwards.
  Sha256Digest finish();

private:
  void compress(const uint8_t *block);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending_{};
  size_t pending_size_ = 0;
  uint64_t message_bytes_ = 0;
};

// Lower-case hexadecimal digits.
std::string toHex(const Sha256Digest &digest);

} // namespace algrt
