#include "runtime/bundle/bundle.h"

#include "runtime/bundle/format.h"
#include "runtime/bundle/hash.h"
#include "runtime/support/error.h"
#include "runtime/support/file.h"

#include <algorithm>
#include <cstring>

namespace algrt {

namespace {

[[noreturn]] void refuse(const std::string &what) { throw Error(ALGRT_BAD_BUNDLE, what); }

template <typename Integer> Integer readAt(std::string_view bytes, size_t offset) {
  Integer value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

void checkHash(std::string_view bytes) {
  if (std::memcmp(bundleHash(bytes).data(), bytes.data() + format::hash_offset, sizeof(Sha256Digest)) != 0)
    refuse("is damaged: its hash does not match its contents; compile it or copy it again");
}

void checkHeader(std::string_view bytes, Bundle::HashCheck check) {
  if (bytes.empty())
    refuse("is empty");
  const size_t compared = std::min(bytes.size(), format::magic.size());
  if (bytes.substr(0, compared) != format::magic.substr(0, compared))
    refuse("is not a bundle: it does not begin with the bundles' magic number");
  if (bytes.size() < format::header_size)
    refuse("is truncated: " + std::to_string(bytes.size()) + " bytes, less than a header");
  const uint32_t version = readAt<uint32_t>(bytes, format::version_offset);
  const uint64_t file_size = readAt<uint64_t>(bytes, format::file_size_offset);
  if (version > format::version) {
    // A flipped bit in the version is damage, not news from the future. Only the hash can tell.
    if (check == Bundle::HashCheck::verify)
      checkHash(bytes);
    throw Error(ALGRT_NEWER_FORMAT, "has format " + std::to_string(version) + ", this runtime reads up to " +
                                        std::to_string(format::version) + ": update the runtime");
  }
  if (bytes.size() < file_size)
    refuse("is truncated: " + std::to_string(bytes.size()) + " of " + std::to_string(file_size) + " bytes");
  if (bytes.size() > file_size)
    refuse("has " + std::to_string(bytes.size() - file_size) + " bytes after its end");
  if (check == Bundle::HashCheck::verify)
    checkHash(bytes);
  if (version == 0 || readAt<uint32_t>(bytes, format::reserved_offset) != 0)
    refuse("has a malformed header");
}

} // namespace

Bundle Bundle::open(const std::string &path) {
  std::string bytes = readFile(path);
  try {
    return parse(std::move(bytes));
  } catch (const Error &error) {
    throw Error(error.status(), path + ": " + error.what());
  }
}

Bundle Bundle::parse(std::string content, HashCheck check) {
  Bundle bundle;
  bundle.bytes_ = std::make_shared<const std::string>(std::move(content));
  const std::string_view bytes = *bundle.bytes_;
  checkHeader(bytes, check);
  const uint64_t manifest_size = readAt<uint64_t>(bytes, format::manifest_size_offset);
  if (manifest_size > bytes.size() - format::header_size)
    refuse("its manifest reaches beyond its end");
  Sha256Digest stored;
  std::memcpy(stored.data(), bytes.data() + format::hash_offset, stored.size());
  bundle.hash_ = toHex(stored);
  bundle.manifest_text_ = bytes.substr(format::header_size, size_t(manifest_size));
  const uint64_t sections_begin = format::alignUp(format::header_size + manifest_size);
  bundle.manifest_ = parseManifest(bundle.manifest_text_, sections_begin, bytes.size());
  const Layer &layer = bundle.manifest_.layer;
  if (bundle.manifest_.support == SupportKind::complete)
    bundle.support_ = Support::complete(layer.types);
  else
    bundle.support_ = Support::parseTable(
        bundle.section(*bundle.manifest_.findSection(bundle.manifest_.support_section)), layer);
  return bundle;
}

std::string_view Bundle::certificate() const {
  for (const SectionEntry &entry : manifest_.sections)
    if (entry.kind == "certificate")
      return section(entry);
  refuse("holds no certificate: it is older than those, or its algebra is too large for one; compile it again");
}

std::string_view Bundle::section(const SectionEntry &entry) const {
  return std::string_view(*bytes_).substr(size_t(entry.offset), size_t(entry.size));
}

} // namespace algrt
