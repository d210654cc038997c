// Whose bundles are loaded: everybody's, or where a public key is configured those alone that it signed.
#pragma once

#include "runtime/bundle/signature.h"

#include <optional>

namespace algrt {

// A key in minisign's format or a file of one; it takes the place of the program's.
inline constexpr const char *public_key_variable = "ALGRT_PUBLIC_KEY";

// For all bundles that this process opens from now on. Nothing: what the environment variable says. Throws as
// parsePublicKey does, and Error(ALGRT_IO_ERROR) for a file that cannot be read.
void setPublicKey(const std::optional<std::string> &key_or_path);

// The key that bundles have to be signed by, if any. Throws where one is configured that cannot be used: that
// is never taken for none.
std::optional<PublicKey> requiredKey();

// What was verified.
struct VerifiedSignature {
  KeyId id{};
  std::string trusted_comment;
};

// Throws Error(ALGRT_UNTRUSTED) if a key is configured and did not sign those bytes; an empty `signature` is
// none. Nothing where no key is configured.
std::optional<VerifiedSignature> requireTrust(std::string_view bytes, std::string_view signature);
// The same with the signature in the file beside that one, which is read for this alone.
std::optional<VerifiedSignature> requireTrustOfFile(std::string_view bytes, const std::string &path);

// In a few words, for people: whether a signature is beside that file and whose it claims to be.
std::string describeSignature(const std::string &path);

} // namespace algrt
