#include "runtime/bundle/writer.h"

#include "runtime/bundle/bundle.h"
#include "runtime/bundle/format.h"
#include "runtime/bundle/hash.h"
#include "runtime/support/error.h"
#include "runtime/support/file.h"

#include <cstring>
#include <nlohmann/json.hpp>

namespace algrt {

namespace {

template <typename Integer> void writeAt(std::string &bytes, size_t offset, Integer value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
}

// Where in the document a string is not UTF-8, which JSON does not hold; empty where all are.
std::string notUtf8(const nlohmann::ordered_json &value, const std::string &path) {
  if (value.is_string() && value.dump(-1, ' ', false, nlohmann::json::error_handler_t::ignore) !=
                               value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
    return path;
  for (const auto &[key, element] : value.items())
    if (value.is_structured()) {
      const std::string place = value.is_array() ? path + "[" + key + "]"
                                : path.empty()   ? key
                                                 : path + "." + key;
      if (std::string found = notUtf8(element, place); !found.empty())
        return found;
    }
  return "";
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
  return manifest.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace

std::string encodeBundle(const nlohmann::ordered_json &manifest,
                         const std::vector<SectionContent> &sections) {
  if (const std::string path = notUtf8(manifest, ""); !path.empty())
    throw Error(ALGRT_INVALID_ARGUMENT, "manifest: " + path + " is not in UTF-8");
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
