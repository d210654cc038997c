// Reading typed fields out of a JSON object, with messages that name the whole key.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace algrt {

// One object and the path that leads to it, "layer" or "kernels[2]". All getters throw
// Error(ALGRT_BAD_BUNDLE).
class JsonFields {
public:
  JsonFields(const nlohmann::json &object, std::string path);

  bool has(const char *key) const;
  std::string string(const char *key) const;
  // The string "name", which is not among the names and is added to them. Names are given to callers as C
  // strings and looked up by such: they are not empty and have no zero byte.
  std::string uniqueName(std::set<std::string> &names) const;
  // An integer (no fraction, no exponent) in [least, most].
  int64_t integer(const char *key, int64_t least, int64_t most = INT64_MAX) const;
  bool boolean(const char *key) const;
  std::vector<int64_t> integers(const char *key, int64_t least) const;
  std::vector<std::string> strings(const char *key) const;
  // Numbers and texts in any order.
  using Scalar = std::variant<int64_t, std::string>;
  std::vector<Scalar> scalars(const char *key) const;
  // Of all keys.
  std::vector<std::string> names() const;
  JsonFields object(const char *key) const;
  std::vector<JsonFields> objects(const char *key) const;

  // Throws the error "<path>.<key> ...".
  [[noreturn]] void fail(const char *key, const std::string &what) const;

private:
  const nlohmann::json &value(const char *key) const;
  std::string pathOf(const char *key) const;

  const nlohmann::json *object_;
  std::string path_;
};

} // namespace algrt
