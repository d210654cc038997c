#include "runtime/bundle/signature.h"

#include "runtime/support/error.h"

#include <algorithm>
#include <vector>

#if ALGRT_HAS_SODIUM
#include <sodium.h>
#endif

namespace algrt {

std::string toText(const KeyId &id) {
  std::string text;
  for (size_t i = id.size(); i-- > 0;) // a little-endian number
    for (const int shift : {4, 0})
      text += "0123456789ABCDEF"[id[i] >> shift & 15];
  return text;
}

#if ALGRT_HAS_SODIUM

namespace {

constexpr std::string_view untrusted_prefix = "untrusted comment:", trusted_prefix = "trusted comment: ";
// How signatures and keys begin: "Ed" for keys and for signatures of whole files, "ED" for those of hashes.
constexpr std::string_view plain_algorithm = "Ed", hashed_algorithm = "ED";

[[noreturn]] void refuse(const std::string &what) { throw Error(ALGRT_UNTRUSTED, what); }

[[noreturn]] void refuseKey(const std::string &what) { throw Error(ALGRT_INVALID_ARGUMENT, what); }

// Without their ends; an end at the end of the text begins no other line.
std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Exactly so many bytes of base64, or false.
bool decode(std::string_view text, uint8_t *bytes, size_t size) {
  size_t decoded = 0;
  const char *end = nullptr;
  return sodium_base642bin(bytes, size, text.data(), text.size(), nullptr, &decoded, &end,
                           sodium_base64_VARIANT_ORIGINAL) == 0 &&
         decoded == size && end == text.data() + text.size();
}

struct PackedKey {
  char algorithm[2];
  KeyId id;
  std::array<uint8_t, crypto_sign_PUBLICKEYBYTES> key;
};
struct PackedSignature {
  char algorithm[2];
  KeyId id;
  std::array<uint8_t, crypto_sign_BYTES> signature;
};
static_assert(sizeof(PackedKey) == 42 && sizeof(PackedSignature) == 74, "minisign's formats");

bool isVerified(const std::array<uint8_t, 64> &signature, const uint8_t *message, size_t size,
                const PublicKey &key) {
  return crypto_sign_verify_detached(signature.data(), message, size, key.key.data()) == 0;
}

} // namespace

bool knowsSignatures() { return true; }

PublicKey parsePublicKey(std::string_view text) {
  const std::vector<std::string_view> lines = linesOf(text);
  const bool commented = !lines.empty() && lines[0].starts_with(untrusted_prefix);
  PackedKey packed;
  if (lines.size() != (commented ? 2 : 1) ||
      !decode(lines.back(), reinterpret_cast<uint8_t *>(&packed), sizeof(packed)) ||
      std::string_view(packed.algorithm, 2) != plain_algorithm)
    refuseKey("is not a public key of minisign");
  return {packed.id, packed.key};
}

Signature parseSignature(std::string_view text) {
  const std::vector<std::string_view> lines = linesOf(text);
  PackedSignature packed;
  if (lines.size() != 4 || !lines[0].starts_with(untrusted_prefix) ||
      !decode(lines[1], reinterpret_cast<uint8_t *>(&packed), sizeof(packed)) ||
      !lines[2].starts_with(trusted_prefix))
    refuse("is not a signature of minisign");
  const std::string_view algorithm(packed.algorithm, 2);
  if (algorithm == plain_algorithm)
    refuse("is in the older of minisign's formats: sign it again, without -l");
  Signature signature{packed.id, packed.signature, {}, std::string(lines[2].substr(trusted_prefix.size()))};
  if (algorithm != hashed_algorithm ||
      !decode(lines[3], signature.of_comment.data(), signature.of_comment.size()))
    refuse("is not a signature of minisign");
  return signature;
}

void verifySignature(const PublicKey &key, const Signature &signature, std::string_view bytes) {
  if (sodium_init() < 0)
    throw Error(ALGRT_UNSUPPORTED, "libsodium cannot be initialised");
  if (signature.id != key.id)
    refuse("is signed by key " + toText(signature.id) + ", not by " + toText(key.id));
  std::array<uint8_t, crypto_generichash_BYTES_MAX> hash;
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(),
                     nullptr, 0);
  if (!isVerified(signature.of_hash, hash.data(), hash.size(), key))
    refuse("is not what key " + toText(key.id) + " signed: the signature does not match it");
  std::string commented(signature.of_hash.begin(), signature.of_hash.end());
  commented += signature.trusted_comment;
  if (!isVerified(signature.of_comment, reinterpret_cast<const uint8_t *>(commented.data()), commented.size(),
                  key))
    refuse("is signed by key " + toText(key.id) + ", but the comment of its signature is not");
}

#else

namespace {

[[noreturn]] void refuse() {
  throw Error(ALGRT_UNSUPPORTED, "this runtime was built without libsodium and cannot verify signatures");
}

} // namespace

bool knowsSignatures() { return false; }

PublicKey parsePublicKey(std::string_view) { refuse(); }

Signature parseSignature(std::string_view) { refuse(); }

void verifySignature(const PublicKey &, const Signature &, std::string_view) { refuse(); }

#endif

} // namespace algrt
