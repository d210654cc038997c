#include "runtime/bundle/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace algrt {

namespace {

// Fractional parts of the cube roots of the first 64 primes.
constexpr std::array<uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t bigEndian(const uint8_t *bytes) {
  return uint32_t(bytes[0]) << 24 | uint32_t(bytes[1]) << 16 | uint32_t(bytes[2]) << 8 | uint32_t(bytes[3]);
}

} // namespace

void Sha256::compress(const uint8_t *block) {
  std::array<uint32_t, 64> schedule;
  for (int i = 0; i < 16; ++i)
    schedule[i] = bigEndian(block + 4 * i);
  for (int i = 16; i < 64; ++i) {
    uint32_t a = schedule[i - 15], b = schedule[i - 2];
    uint32_t small0 = std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3);
    uint32_t small1 = std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10);
    schedule[i] = schedule[i - 16] + small0 + schedule[i - 7] + small1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int i = 0; i < 64; ++i) {
    uint32_t big1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    uint32_t choice = (e & f) ^ (~e & g);
    uint32_t first = h + big1 + choice + round_constants[i] + schedule[i];
    uint32_t big0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + big0 + majority;
  }
  const std::array<uint32_t, 8> change = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i)
    state_[i] += change[i];
}

void Sha256::update(const void *bytes, size_t size) {
  const uint8_t *input = static_cast<const uint8_t *>(bytes);
  message_bytes_ += size;
  if (pending_size_ != 0) {
    size_t taken = std::min(size, pending_.size() - pending_size_);
    std::memcpy(pending_.data() + pending_size_, input, taken);
    pending_size_ += taken;
    input += taken;
    size -= taken;
    if (pending_size_ < pending_.size())
      return;
    compress(pending_.data());
    pending_size_ = 0;
  }
  for (; size >= pending_.size(); input += pending_.size(), size -= pending_.size())
    compress(input);
  if (size != 0)
    std::memcpy(pending_.data(), input, size);
  pending_size_ = size;
}

Sha256Digest Sha256::finish() {
  const uint64_t message_bits = message_bytes_ * 8;
  const uint8_t one = 0x80, zero = 0;
  update(&one, 1);
  while (pending_size_ != 56)
    update(&zero, 1);
  std::array<uint8_t, 8> length;
  for (int i = 0; i < 8; ++i)
    length[i] = uint8_t(message_bits >> (56 - 8 * i));
  update(length.data(), length.size());
  Sha256Digest digest;
  for (int i = 0; i < 32; ++i)
    digest[i] = uint8_t(state_[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

std::string toHex(const Sha256Digest &digest) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

} // namespace algrt
