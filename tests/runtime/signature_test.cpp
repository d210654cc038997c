// Bundles that have to be signed: what minisign signed is loaded, and nothing else is.
#include "runtime/bundle/trust.h"

#include "runtime/algrt.h"
#include "runtime/bundle/bundle.h"
#include "runtime/support/error.h"
#include "runtime/support/file.h"
#include "tests/runtime/shapes.h"

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#if ALGRT_TEST_SIGNATURES
#include <sodium.h>
#endif

namespace algrt {
namespace {

const std::string data = std::string(ALGCTL_SOURCE_DIR) + "/tests/runtime/signed/";

std::pair<algrt_status, std::string> refusal(const std::function<void()> &action) {
  try {
    action();
  } catch (const Error &error) {
    return {error.status(), error.what()};
  }
  return {ALGRT_OK, ""};
}

// The process's key, for one test.
class Signatures : public testing::Test {
protected:
  void SetUp() override { forget(); }
  void TearDown() override { forget(); }
  static void forget() {
    unsetenv(public_key_variable);
    ASSERT_EQ(algrt_set_public_key(nullptr), ALGRT_OK);
  }
};

TEST_F(Signatures, WithoutAKeyNoneIsNeeded) {
  EXPECT_EQ(Bundle::open(data + "empty.bundle").layer().k, 4);
  EXPECT_FALSE(Bundle::open(data + "empty.bundle").signature());
  EXPECT_FALSE(requiredKey());
}

#if ALGRT_TEST_SIGNATURES

struct KeyPair {
  explicit KeyPair(uint8_t seed) {
    const std::vector<uint8_t> seeds(crypto_sign_SEEDBYTES, seed);
    crypto_sign_seed_keypair(key.key.data(), secret.data(), seeds.data());
    key.id = {seed, 2, 3, 4, 5, 6, 7, 8};
  }
  PublicKey key;
  std::array<uint8_t, crypto_sign_SECRETKEYBYTES> secret{};
};

template <typename Bytes> std::string base64(const std::string &begin, const Bytes &bytes) {
  const std::string whole = begin + std::string(bytes.begin(), bytes.end());
  std::string text(sodium_base64_ENCODED_LEN(whole.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const uint8_t *>(whole.data()), whole.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  return text.c_str();
}

std::string idOf(const KeyPair &pair) { return std::string(pair.key.id.begin(), pair.key.id.end()); }

std::string publicText(const KeyPair &pair) { return base64("Ed" + idOf(pair), pair.key.key); }

std::array<uint8_t, 64> signatureOf(const KeyPair &pair, const std::string &message) {
  std::array<uint8_t, 64> signature;
  crypto_sign_detached(signature.data(), nullptr, reinterpret_cast<const uint8_t *>(message.data()),
                       message.size(), pair.secret.data());
  return signature;
}

// By the format's documentation.
std::string sign(const KeyPair &pair, const std::string &bytes, const std::string &comment = "for tests",
                 const char *algorithm = "ED") {
  std::string hash(64, '\0');
  crypto_generichash(reinterpret_cast<uint8_t *>(hash.data()), hash.size(),
                     reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(), nullptr, 0);
  const std::array<uint8_t, 64> of_hash = signatureOf(pair, hash);
  return "untrusted comment: a signature\n" + base64(algorithm + idOf(pair), of_hash) +
         "\ntrusted comment: " + comment + "\n" +
         base64("", signatureOf(pair, std::string(of_hash.begin(), of_hash.end()) + comment)) + "\n";
}

int openSigned(const std::string &bytes, const std::string &signature) {
  algrt_bundle *bundle = nullptr;
  const int status = algrt_bundle_open_signed_memory(bytes.data(), bytes.size(), signature.data(),
                                                     signature.size(), &bundle);
  EXPECT_EQ(bundle == nullptr, status != ALGRT_OK);
  algrt_bundle_close(bundle);
  return status;
}

TEST_F(Signatures, OfMinisignAreVerified) {
  const std::string key_line = "RWTf7jtp8iJFiAVdofjTAA/vu6zy6K4UIVpO5DEmMFT+rMtBO5FkWGjU";
  for (const std::string &key : {data + "key.pub", key_line, key_line + "\n"}) {
    ASSERT_EQ(setenv(public_key_variable, key.c_str(), 1), 0);
    const Bundle bundle = Bundle::open(data + "empty.bundle");
    ASSERT_TRUE(bundle.signature());
    EXPECT_EQ(toText(bundle.signature()->id), "884522F2693BEEDF");
    EXPECT_EQ(bundle.signature()->trusted_comment, "a bundle without kernels");
  }
  unsetenv(public_key_variable);
  ASSERT_EQ(algrt_set_public_key(key_line.c_str()), ALGRT_OK);
  EXPECT_TRUE(Bundle::open(data + "empty.bundle").signature());
  EXPECT_EQ(openSigned(readFile(data + "empty.bundle"), readFile(data + "empty.bundle.minisig")), ALGRT_OK);
  EXPECT_EQ(openSigned(readFile(data + "empty.bundle"), readFile(data + "legacy.minisig")), ALGRT_UNTRUSTED);
  EXPECT_NE(std::string(algrt_last_error()).find("sign it again, without -l"), std::string::npos);
}

TEST_F(Signatures, TheProgramsKeyTakesThePlaceOfTheVariables) {
  const KeyPair mine(1);
  setenv(public_key_variable, (data + "key.pub").c_str(), 1);
  ASSERT_EQ(algrt_set_public_key(publicText(mine).c_str()), ALGRT_OK);
  EXPECT_EQ(refusal([] { Bundle::open(data + "empty.bundle"); }).first, ALGRT_UNTRUSTED);
  ASSERT_EQ(algrt_set_public_key(nullptr), ALGRT_OK);
  EXPECT_EQ(refusal([] { Bundle::open(data + "empty.bundle"); }).first, ALGRT_OK);
}

TEST_F(Signatures, WhatIsNotSignedIsRefused) {
  const KeyPair mine(1), other(9);
  KeyPair impostor(9); // who claims to be mine
  impostor.key.id = mine.key.id;
  const std::string bytes = test::bundleOf(test::shape("cyclic_f32")), good = sign(mine, bytes);
  ASSERT_EQ(algrt_set_public_key(publicText(mine).c_str()), ALGRT_OK);
  ASSERT_EQ(openSigned(bytes, good), ALGRT_OK) << algrt_last_error();
  std::string other_comment = good;
  other_comment[good.find("for tests")] = 'F';
  const auto part = [&](size_t lines) {
    size_t at = 0;
    while (lines-- > 0)
      at = good.find('\n', at) + 1;
    return good.substr(0, at);
  };
  std::string bad_base64 = good;
  bad_base64[good.find('\n') + 5] = '*';
  const std::pair<std::string, const char *> wrong[] = {
      {"", "is not signed, and bundles have to be signed by key 0807060504030201"},
      {sign(other, bytes), "is signed by key 0807060504030209, not by 0807060504030201"},
      {sign(impostor, bytes), "is not what key 0807060504030201 signed"},
      {sign(mine, bytes + "x"), "is not what key 0807060504030201 signed"},
      {other_comment, "but the comment of its signature is not"},
      {sign(mine, bytes, "for tests", "Ed"), "older of minisign's formats"},
      {sign(mine, bytes, "for tests", "EX"), "its signature is not a signature of minisign"},
      {part(1), "its signature is not a signature of minisign"},
      {part(2), "its signature is not a signature of minisign"},
      {part(3), "its signature is not a signature of minisign"},
      {good + "more\n", "its signature is not a signature of minisign"},
      {good.substr(1), "its signature is not a signature of minisign"},
      {bad_base64, "its signature is not a signature of minisign"},
      {std::string(20000, 'x'), "it has 20000 bytes"},
  };
  for (const auto &[signature, words] : wrong) {
    EXPECT_EQ(openSigned(bytes, signature), ALGRT_UNTRUSTED) << words;
    EXPECT_NE(std::string(algrt_last_error()).find(words), std::string::npos) << algrt_last_error();
  }
  algrt_bundle *bundle = nullptr;
  EXPECT_EQ(algrt_bundle_open_memory(bytes.data(), bytes.size(), &bundle), ALGRT_UNTRUSTED);
  EXPECT_EQ(bundle, nullptr);
}

// Nothing of a bundle is believed before its signature is: what is wrong with it is not even found out.
TEST_F(Signatures, ComeBeforeEverythingElse) {
  const KeyPair mine(1);
  std::string damaged = test::bundleOf(test::shape("cyclic_f32"));
  damaged[100] = char(damaged[100] ^ 1);
  EXPECT_EQ(openSigned(damaged, ""), ALGRT_BAD_BUNDLE);
  ASSERT_EQ(algrt_set_public_key(publicText(mine).c_str()), ALGRT_OK);
  EXPECT_EQ(openSigned(damaged, ""), ALGRT_UNTRUSTED);
  EXPECT_EQ(openSigned(damaged, sign(mine, damaged)), ALGRT_BAD_BUNDLE);
}

TEST_F(Signatures, AreBesideTheirFiles) {
  const KeyPair mine(1);
  const std::string path = testing::TempDir() + "algrt_signed.alg", beside = path + ".minisig";
  const std::string bytes = test::bundleOf(test::shape("cyclic_f32"));
  writeFileByRename(path, bytes);
  std::filesystem::remove(beside);
  EXPECT_EQ(describeSignature(path), "none");
  ASSERT_EQ(algrt_set_public_key(publicText(mine).c_str()), ALGRT_OK);
  EXPECT_EQ(refusal([&] { Bundle::open(path); }),
            std::pair(ALGRT_UNTRUSTED, path +
                                           ": is not signed, and bundles have to be signed by key "
                                           "0807060504030201: " +
                                           beside + ": cannot open: No such file or directory"));
  writeFileByRename(beside, sign(mine, bytes));
  EXPECT_EQ(refusal([&] { Bundle::open(path); }).second, "");
  ASSERT_EQ(algrt_set_public_key(nullptr), ALGRT_OK);
  EXPECT_EQ(describeSignature(path), "by key 0807060504030201, not verified: no public key is configured");
  writeFileByRename(beside, std::string(100000, ' '));
  ASSERT_EQ(algrt_set_public_key(publicText(mine).c_str()), ALGRT_OK);
  EXPECT_EQ(refusal([&] { Bundle::open(path); }).first, ALGRT_UNTRUSTED);
  writeFileByRename(beside, "not one");
  EXPECT_EQ(describeSignature(path), "not verified, and not to be read: is not a signature of minisign");
}

// A key that cannot be used is never taken for none.
TEST_F(Signatures, UnusableKeysAreErrors) {
  const std::string bytes = test::bundleOf(test::shape("cyclic_f32"));
  const std::pair<std::string, std::pair<algrt_status, const char *>> wrong[] = {
      {"", {ALGRT_INVALID_ARGUMENT, "is empty"}},
      {testing::TempDir() + "absent.pub",
       {ALGRT_IO_ERROR, "neither a public key of minisign nor a file of one"}},
      {data + "empty.bundle", {ALGRT_INVALID_ARGUMENT, "is not a public key of minisign"}},
      {data + "empty.bundle.minisig", {ALGRT_INVALID_ARGUMENT, "is not a public key of minisign"}},
      {"RWQEcXCxH1F3e8XUg", {ALGRT_IO_ERROR, "neither a public key of minisign nor a file of one"}},
      {"/dev/zero", {ALGRT_IO_ERROR, "is a device"}},
  };
  for (const auto &[key, expected] : wrong) {
    EXPECT_EQ(algrt_set_public_key(key.c_str()), expected.first) << key;
    EXPECT_TRUE(std::string(algrt_last_error()).starts_with("public_key: ")) << algrt_last_error();
    setenv(public_key_variable, key.c_str(), 1);
    const auto [status, message] = refusal([&] { Bundle::openMemory(bytes, ""); });
    EXPECT_EQ(status, expected.first) << message;
    EXPECT_NE(message.find(expected.second), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("ALGRT_PUBLIC_KEY: ")) << message;
    unsetenv(public_key_variable);
  }
  EXPECT_EQ(refusal([&] { Bundle::openMemory(bytes, ""); }).first, ALGRT_OK);
}

#else

TEST_F(Signatures, CannotBeVerifiedWithoutLibsodium) {
  EXPECT_EQ(algrt_set_public_key((data + "key.pub").c_str()), ALGRT_UNSUPPORTED);
  setenv(public_key_variable, (data + "key.pub").c_str(), 1);
  const auto [status, message] = refusal([] { Bundle::open(data + "empty.bundle"); });
  EXPECT_EQ(status, ALGRT_UNSUPPORTED);
  EXPECT_NE(message.find("built without libsodium"), std::string::npos) << message;
}

#endif

} // namespace
} // namespace algrt
