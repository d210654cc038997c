#include "runtime/bundle/writer.h"

#include "runtime/bundle/bundle.h"
#include "runtime/bundle/format.h"
#include "runtime/bundle/hash.h"
#include "runtime/support/file.h"

#include <cstring>
#include <nlohmann/json.hpp>

namespace algrt {

namespace {

template <typename Integer> void writeAt(std::string &bytes, size_t offset, Integer value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
}

std::string manifestText(nlohmann::ordered_json manifest, const std::vector<SectionContent> &sections,
                         uint64_t first_offset) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  uint64_t offset = first_offset;
  for (const SectionContent &section : sections) {
    list.push_back(
        {{"name", section.name}, {"kind", section.kind}, {"offset", offset}, {"size", section.bytes.size()}});
    offset = format::alignUp(offset + section.bytes.size());
  }
  manifest["sections"] = std::move(list);
  return manifest.dump(2) + "\n";
}

} // namespace

std::string encodeBundle(const nlohmann::ordered_json &manifest,
                         const std::vector<SectionContent> &sections) {
  nlohmann::ordered_json whole = manifest;
  whole["format"] = format::version;
  // The offsets' digits are part of the manifest's length: a larger first offset never makes the manifest
  // shorter, so that this ends.
  uint64_t first_offset = format::header_size;
  std::string text = manifestText(whole, sections, first_offset);
  while (format::alignUp(format::header_size + text.size()) > first_offset) {
    first_offset = format::alignUp(format::header_size + text.size());
    text = manifestText(whole, sections, first_offset);
  }

  std::string bytes(format::header_size, '\0');
  bytes += text;
  bytes.resize(size_t(first_offset), '\0');
  for (const SectionContent &section : sections) {
    bytes += section.bytes;
    bytes.resize(size_t(format::alignUp(bytes.size())), '\0');
  }
  std::memcpy(bytes.data(), format::magic.data(), format::magic.size());
  writeAt(bytes, format::version_offset, format::version);
  writeAt(bytes, format::manifest_size_offset, uint64_t(text.size()));
  writeAt(bytes, format::file_size_offset, uint64_t(bytes.size()));
  const Sha256Digest digest = bundleHash(bytes);
  std::memcpy(bytes.data() + format::hash_offset, digest.data(), digest.size());
  Bundle::parse(bytes);
  return bytes;
}

void writeBundle(const std::string &path, const nlohmann::ordered_json &manifest,
                 const std::vector<SectionContent> &sections) {
  writeFileByRename(path, encodeBundle(manifest, sections));
}

} // namespace algrt
