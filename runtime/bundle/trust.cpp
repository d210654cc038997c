#include "runtime/bundle/trust.h"

#include "runtime/support/error.h"
#include "runtime/support/file.h"

#include <cstdlib>
#include <filesystem>
#include <mutex>

namespace algrt {

namespace {

// Comments are at most 8 KiB of it; what is longer is something else.
constexpr uint64_t longest_signature = 16384, longest_key = 4096;

std::mutex configured_mutex;
std::optional<PublicKey> configured_key;

std::string readShortFile(const std::string &path, uint64_t most, const char *what) {
  const InputFile file(path);
  if (file.size() > most)
    throw Error(ALGRT_INVALID_ARGUMENT, path + ": is not a " + what + " of minisign: it has " +
                                            std::to_string(file.size()) + " bytes");
  return file.read(0, file.size());
}

PublicKey readKey(const std::string &key_or_path) {
  if (!knowsSignatures())
    return parsePublicKey(key_or_path); // throws, saying why
  if (key_or_path.empty())
    throw Error(ALGRT_INVALID_ARGUMENT, "is empty: give a public key of minisign or a file of one");
  try {
    return parsePublicKey(key_or_path);
  } catch (const Error &) {
    // no key: the name of a file
  }
  try {
    return parsePublicKey(readShortFile(key_or_path, longest_key, "public key"));
  } catch (const Error &error) {
    if (error.status() == ALGRT_IO_ERROR)
      throw Error(error.status(),
                  std::string("is neither a public key of minisign nor a file of one: ") + error.what());
    throw Error(error.status(), key_or_path + " " + error.what());
  }
}

[[noreturn]] void refuseUnsigned(const PublicKey &key, const std::string &reason) {
  throw Error(ALGRT_UNTRUSTED,
              "is not signed, and bundles have to be signed by key " + toText(key.id) + reason);
}

VerifiedSignature check(const PublicKey &key, std::string_view bytes, std::string_view text) {
  Signature signature;
  try {
    signature = parseSignature(text);
  } catch (const Error &error) {
    throw Error(error.status(), std::string("its signature ") + error.what());
  }
  verifySignature(key, signature, bytes);
  return {signature.id, signature.trusted_comment};
}

} // namespace

void setPublicKey(const std::optional<std::string> &key_or_path) {
  std::optional<PublicKey> key;
  if (key_or_path)
    key = readKey(*key_or_path);
  const std::lock_guard lock(configured_mutex);
  configured_key = key;
}

std::optional<PublicKey> requiredKey() {
  {
    const std::lock_guard lock(configured_mutex);
    if (configured_key)
      return configured_key;
  }
  const char *variable = std::getenv(public_key_variable);
  if (variable == nullptr)
    return std::nullopt;
  try {
    return readKey(variable);
  } catch (const Error &error) {
    throw Error(error.status(), std::string(public_key_variable) + ": " + error.what());
  }
}

std::optional<VerifiedSignature> requireTrust(std::string_view bytes, std::string_view signature) {
  const std::optional<PublicKey> key = requiredKey();
  if (!key)
    return std::nullopt;
  if (signature.empty())
    refuseUnsigned(*key, "");
  if (signature.size() > longest_signature)
    throw Error(ALGRT_UNTRUSTED, "its signature is not one of minisign: it has " +
                                     std::to_string(signature.size()) + " bytes");
  return check(*key, bytes, signature);
}

std::optional<VerifiedSignature> requireTrustOfFile(std::string_view bytes, const std::string &path) {
  const std::optional<PublicKey> key = requiredKey();
  if (!key)
    return std::nullopt;
  std::string signature;
  try {
    signature = readShortFile(path + std::string(signature_suffix), longest_signature, "signature");
  } catch (const Error &error) {
    refuseUnsigned(*key, std::string(": ") + error.what());
  }
  return check(*key, bytes, signature);
}

std::string describeSignature(const std::string &path) {
  const std::string file = path + std::string(signature_suffix);
  std::error_code unreadable;
  if (!std::filesystem::exists(file, unreadable))
    return "none";
  try {
    return "by key " + toText(parseSignature(readShortFile(file, longest_signature, "signature")).id) +
           ", not verified: no public key is configured";
  } catch (const Error &error) {
    return std::string("not verified, and not to be read: ") + error.what();
  }
}

} // namespace algrt
