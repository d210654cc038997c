#include "runtime/bundle/json_fields.h"

#include "runtime/support/error.h"

namespace algrt {

using nlohmann::json;

namespace {

std::string indexed(const std::string &path, size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

[[noreturn]] void refuse(const std::string &path, const std::string &what) {
  throw Error(ALGRT_BAD_BUNDLE, "manifest: " + path + " " + what);
}

int64_t readInteger(const json &value, const std::string &path, int64_t least, int64_t most) {
  if (!value.is_number_integer())
    refuse(path, std::string("is a ") + value.type_name() + ", not an integer of 64 bits");
  bool too_large = value.is_number_unsigned() && value.get<uint64_t>() > uint64_t(INT64_MAX);
  if (too_large || value.get<int64_t>() < least || value.get<int64_t>() > most)
    refuse(path, "is " + value.dump() + ", not in " + std::to_string(least) + ".." + std::to_string(most));
  return value.get<int64_t>();
}

std::string readString(const json &value, const std::string &path) {
  if (!value.is_string())
    refuse(path, std::string("is a ") + value.type_name() + ", not a string");
  return value.get<std::string>();
}

} // namespace

JsonFields::JsonFields(const json &object, std::string path) : object_(&object), path_(std::move(path)) {
  if (!object.is_object())
    refuse(path_.empty() ? "the document" : path_,
           std::string("is a ") + object.type_name() + ", not an object");
}

std::string JsonFields::pathOf(const char *key) const { return path_.empty() ? key : path_ + "." + key; }

void JsonFields::fail(const char *key, const std::string &what) const { refuse(pathOf(key), what); }

bool JsonFields::has(const char *key) const { return object_->contains(key); }

const json &JsonFields::value(const char *key) const {
  auto found = object_->find(key);
  if (found == object_->end())
    fail(key, "is missing");
  return *found;
}

std::string JsonFields::string(const char *key) const { return readString(value(key), pathOf(key)); }

std::string JsonFields::uniqueName(std::set<std::string> &names) const {
  const std::string name = string("name");
  if (name.empty())
    fail("name", "is empty");
  if (name.find('\0') != std::string::npos)
    fail("name", "has a zero byte");
  if (!names.insert(name).second)
    fail("name", "'" + name + "' is used twice");
  return name;
}

int64_t JsonFields::integer(const char *key, int64_t least, int64_t most) const {
  return readInteger(value(key), pathOf(key), least, most);
}

bool JsonFields::boolean(const char *key) const {
  const json &found = value(key);
  if (!found.is_boolean())
    fail(key, std::string("is a ") + found.type_name() + ", not true or false");
  return found.get<bool>();
}

std::vector<int64_t> JsonFields::integers(const char *key, int64_t least) const {
  const json &list = value(key);
  if (!list.is_array())
    fail(key, "is not a list");
  std::vector<int64_t> result;
  for (size_t i = 0; i < list.size(); ++i)
    result.push_back(readInteger(list[i], indexed(pathOf(key), i), least, INT64_MAX));
  return result;
}

std::vector<std::string> JsonFields::strings(const char *key) const {
  const json &list = value(key);
  if (!list.is_array())
    fail(key, "is not a list");
  std::vector<std::string> result;
  for (size_t i = 0; i < list.size(); ++i)
    result.push_back(readString(list[i], indexed(pathOf(key), i)));
  return result;
}

std::vector<JsonFields::Scalar> JsonFields::scalars(const char *key) const {
  const json &list = value(key);
  if (!list.is_array())
    fail(key, "is not a list");
  std::vector<Scalar> result;
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].is_string())
      result.emplace_back(readString(list[i], indexed(pathOf(key), i)));
    else
      result.emplace_back(readInteger(list[i], indexed(pathOf(key), i), INT64_MIN, INT64_MAX));
  return result;
}

std::vector<std::string> JsonFields::names() const {
  std::vector<std::string> result;
  for (const auto &[name, inner] : object_->items())
    result.push_back(name);
  return result;
}

JsonFields JsonFields::object(const char *key) const { return JsonFields(value(key), pathOf(key)); }

std::vector<JsonFields> JsonFields::objects(const char *key) const {
  const json &list = value(key);
  if (!list.is_array())
    fail(key, "is not a list");
  std::vector<JsonFields> result;
  for (size_t i = 0; i < list.size(); ++i)
    result.emplace_back(list[i], indexed(pathOf(key), i));
  return result;
}

} // namespace algrt
