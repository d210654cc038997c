// Reading a bundle: the container around manifest and sections.
#pragma once

#include "runtime/bundle/manifest.h"
#include "runtime/bundle/support.h"

#include <memory>

namespace algrt {

class Bundle {
public:
  // Throws Error: ALGRT_IO_ERROR, ALGRT_BAD_BUNDLE (not a bundle, truncated, damaged, malformed) or
  // ALGRT_NEWER_FORMAT. The message begins with the path.
  static Bundle open(const std::string &path);

  enum class HashCheck { verify, skip };
  // `skip` believes the hash: for fuzzing what lies behind it.
  static Bundle parse(std::string bytes, HashCheck check = HashCheck::verify);

  const Manifest &manifest() const { return manifest_; }
  const Layer &layer() const { return manifest_.layer; }
  const Support &support() const { return support_; }
  const std::string &manifestText() const { return manifest_text_; }
  // The bytes of a section of the manifest.
  std::string_view section(const SectionEntry &entry) const;
  // The proof of what the manifest says about the algebra, JSON for algcheck. Throws Error ALGRT_BAD_BUNDLE where
  // the bundle has none.
  std::string_view certificate() const;
  // Lower-case hexadecimal SHA-256 as stored in the header.
  const std::string &hash() const { return hash_; }

private:
  std::shared_ptr<const std::string> bytes_;
  std::string manifest_text_;
  std::string hash_;
  Manifest manifest_;
  Support support_;
};

} // namespace algrt
