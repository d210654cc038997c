// Manifests that say of a bundle's code what is not true, hashed again.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace algrt::test {

// The bundle with that manifest in the place of its own, and a hash that is right. The sections stay where
// they are: the manifest has to fit before the first of them, which one of the same content always does.
std::string withManifest(const std::string &bundle, const nlohmann::json &manifest);

struct Lie {
  nlohmann::json::json_pointer path; // of what is changed
  std::string what;                  // the change in words
  const nlohmann::json &manifest;
};

// Calls `visit` for every number, name and answer of the manifest, and each of several wrong values in its
// place: other numbers, near and far; names that stand under such a key elsewhere; other types; and nothing
// at all. What a manifest says of its algebra and of its compiler is left alone.
void forEachLie(const std::string &bundle, const std::function<void(const Lie &)> &visit);

// The kernel of the manifest that the change is about, where it is about how that is called or launched.
std::optional<size_t> kernelLiedAbout(const Lie &lie);

// Whether a runtime would call or launch that kernel of the bundle with that manifest, its hash taken for
// right.
bool wouldRun(const std::string &bundle, const nlohmann::json &manifest, size_t kernel);

// Opens the bundle, asks for all that algrt.h tells of it, and computes forward with its weights packed and
// as they are, dx and dw on the CPU, where it has kernels for that. Whatever `bytes` are, each of these calls
// ends with a sentence, or with the result of `good`, of which they are a changed copy. Both are for layers
// without a bias.
void expectRefusedOrRight(const std::string &good, const std::string &bytes, const std::string &what);

} // namespace algrt::test
