#include "runtime/bundle/sha256.h"

#include <gtest/gtest.h>

namespace algrt {
namespace {

std::string hashOf(std::string_view message, size_t step = SIZE_MAX) {
  Sha256 hash;
  for (size_t at = 0; at < message.size(); at += std::min(step, message.size() - at))
    hash.update(message.data() + at, std::min(step, message.size() - at));
  return toHex(hash.finish());
}

// FIPS 180-4 examples and NIST's long message.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(hashOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hashOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hashOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hashOf(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesOfAnySizeGiveTheSame) {
  std::string message;
  for (int i = 0; i < 300; ++i)
    message += char(i * 7);
  const std::string whole = hashOf(message);
  for (size_t step = 1; step < 140; ++step)
    EXPECT_EQ(hashOf(message, step), whole) << step;
}

} // namespace
} // namespace algrt
