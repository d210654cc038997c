// Writing a bundle: used by the compiler and by tests.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace algrt {

struct SectionContent {
  std::string name; // unique
  std::string kind; // "shared-object", "terms"
  std::string bytes;
};

// The bytes of a bundle. `format` and `sections` of the manifest are filled in here (their offsets depend on
// the manifest's own length); everything else is the caller's. The result is read back with all of the
// loader's checks, so that what is written can be loaded: throws Error(ALGRT_BAD_BUNDLE) otherwise.
std::string encodeBundle(const nlohmann::ordered_json &manifest, const std::vector<SectionContent> &sections);

// The same, written to path by rename. Throws Error(ALGRT_IO_ERROR) if that fails.
void writeBundle(const std::string &path, const nlohmann::ordered_json &manifest,
                 const std::vector<SectionContent> &sections);

} // namespace algrt
