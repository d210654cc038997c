// minisign's public keys and signatures (https://jedisct1.github.io/minisign/): Ed25519 over the BLAKE2b hash
// of a file, and over that and a comment. The cryptography is libsodium's; a runtime that was built without
// it says so.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace algrt {

inline constexpr std::string_view signature_suffix = ".minisig"; // behind the name of what is signed

using KeyId = std::array<uint8_t, 8>;

// As minisign prints it: "E7620F1842B4E81F".
std::string toText(const KeyId &id);

struct PublicKey {
  KeyId id{};
  std::array<uint8_t, 32> key{};
};

struct Signature {
  KeyId id{};
  std::array<uint8_t, 64> of_hash{}, of_comment{};
  std::string trusted_comment; // of whoever signed; to be believed once it is verified
};

// Whether this runtime can do any of what follows.
bool knowsSignatures();

// All that follows throws Error(ALGRT_UNSUPPORTED) where it cannot.

// "RWQ..." or the content of a file that minisign -G wrote. Throws Error(ALGRT_INVALID_ARGUMENT) where it is
// neither.
PublicKey parsePublicKey(std::string_view text);

// The content of a file that minisign -S wrote. Throws Error(ALGRT_UNTRUSTED) saying what is wrong with it.
Signature parseSignature(std::string_view text);

// Throws Error(ALGRT_UNTRUSTED) unless that key signed those bytes and the comment.
void verifySignature(const PublicKey &key, const Signature &signature, std::string_view bytes);

} // namespace algrt
