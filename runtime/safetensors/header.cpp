#include "runtime/safetensors/header.h"

#include "runtime/support/error.h"
#include "runtime/support/json_scan.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>

namespace algrt {

void refuseFile(const std::string &file, const std::string &what) {
  throw Error(ALGRT_INVALID_ARGUMENT, file + ": " + what);
}

namespace {

using nlohmann::json;

constexpr size_t most_dimensions = 32;

// Lists are bounded and a key that comes twice is noticed before anything is stored: the document is an
// object of objects, of which some fields are lists.
class HeaderScan : public JsonScan {
public:
  explicit HeaderScan(const std::string &file) : JsonScan(tensor_depth + 1), file_(file) {}

private:
  void foundObject() override {
    if (depth() >= tensor_depth)
      refuseFile(file_, "its safetensors header is nested too deeply");
    keys_[depth()].clear();
  }
  void foundList() override {
    if (depth() > tensor_depth)
      refuseFile(file_, "its safetensors header is nested too deeply");
    list_length_ = 0;
  }
  void foundScalar() override {
    if (depth() > tensor_depth && ++list_length_ > most_dimensions)
      refuseFile(file_, "its safetensors header has a list of more than " + std::to_string(most_dimensions) +
                            " numbers");
  }
  void foundKey(const std::string &name) override {
    if (!keys_[depth() - 1].insert(name).second)
      refuseFile(file_, "its safetensors header has " + quotedTensorName(name) + " twice");
  }

  static constexpr size_t tensor_depth = 2; // of what is in a tensor's object
  const std::string &file_;
  // Of the document, and of the tensor that is being read.
  std::unordered_set<std::string> keys_[tensor_depth];
  size_t list_length_ = 0;
};

json parseDocument(std::string_view header, const std::string &file) {
  if (const std::string fault = HeaderScan(file).fault(header); !fault.empty())
    refuseFile(file, "its safetensors header " + fault);
  return json::parse(header);
}

std::optional<uint64_t> bitsPerElement(std::string_view dtype) {
  static constexpr std::pair<std::string_view, uint64_t> known[] = {
      {"BOOL", 8},    {"U8", 8},   {"I8", 8},      {"F8_E4M3", 8}, {"F8_E5M2", 8},
      {"F8_E8M0", 8}, {"F4", 4},   {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U16", 16},
      {"I16", 16},    {"F16", 16}, {"BF16", 16},   {"U32", 32},    {"I32", 32},
      {"F32", 32},    {"U64", 64}, {"I64", 64},    {"F64", 64},    {"C64", 64}};
  for (const auto &[name, bits] : known)
    if (name == dtype)
      return bits;
  return std::nullopt;
}

// Reads one tensor's object; every message names the tensor.
class EntryParser {
public:
  EntryParser(const std::string &name, const json &object, const std::string &file)
      : name_(name), object_(object), file_(file) {}

  SafetensorsEntry parse(uint64_t data_size) const {
    if (!object_.is_object())
      fail("is not an object");
    SafetensorsEntry entry;
    entry.name = name_;
    const json &dtype = field("dtype");
    if (!dtype.is_string())
      fail("its dtype is not a string");
    entry.dtype = dtype.get<std::string>();
    constexpr size_t longest_dtype = 32;
    const auto part_of_a_name = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    if (entry.dtype.empty() || entry.dtype.size() > longest_dtype ||
        !std::all_of(entry.dtype.begin(), entry.dtype.end(), part_of_a_name))
      fail("its dtype is not the name of a type");
    for (uint64_t extent : numbers("shape")) {
      if (extent > uint64_t(INT64_MAX))
        fail("a dimension does not fit 64 bits: " + std::to_string(extent));
      entry.shape.push_back(int64_t(extent));
    }
    const std::vector<uint64_t> offsets = numbers("data_offsets");
    if (offsets.size() != 2)
      fail("its data_offsets are " + std::to_string(offsets.size()) + " numbers, not 2");
    entry.begin = offsets[0];
    entry.end = offsets[1];
    if (entry.begin > entry.end)
      fail("its data_offsets [" + std::to_string(entry.begin) + ", " + std::to_string(entry.end) +
           "] end before they begin");
    if (entry.end > data_size)
      fail("its data end at byte " + std::to_string(entry.end) + ", but the file has only " +
           std::to_string(data_size) + " bytes of data: it is truncated");
    checkSize(entry);
    return entry;
  }

private:
  [[noreturn]] void fail(const std::string &what) const {
    refuseFile(file_, "tensor " + quotedTensorName(name_) + ": " + what);
  }

  const json &field(const char *key) const {
    const auto found = object_.find(key);
    if (found == object_.end())
      fail(std::string("has no ") + key);
    return *found;
  }

  std::vector<uint64_t> numbers(const char *key) const {
    const json &list = field(key);
    if (!list.is_array())
      fail(std::string("its ") + key + " is not a list");
    std::vector<uint64_t> values;
    for (const json &value : list) {
      if (!value.is_number_unsigned())
        fail(std::string("its ") + key + " has " + (value.is_number() ? value.dump() : value.type_name()) +
             ", which is not a whole number of 64 bits");
      values.push_back(value.get<uint64_t>());
    }
    return values;
  }

  void checkSize(const SafetensorsEntry &entry) const {
    int64_t elements = 1;
    for (int64_t extent : entry.shape)
      if (__builtin_mul_overflow(elements, extent, &elements))
        fail("the product of its shape does not fit 64 bits");
    const std::optional<uint64_t> bits = bitsPerElement(entry.dtype);
    if (!bits)
      return;
    uint64_t size;
    if (__builtin_mul_overflow(uint64_t(elements), *bits, &size))
      fail("its size does not fit 64 bits");
    if (size % 8 != 0 || size / 8 != entry.end - entry.begin)
      fail("has " + std::to_string(entry.end - entry.begin) + " bytes of data, its " +
           std::to_string(elements) + " elements of type " + entry.dtype + " need " +
           std::to_string(size / 8 + (size % 8 != 0)));
  }

  const std::string &name_;
  const json &object_;
  const std::string &file_;
};

void requireMetadata(const json &metadata, const std::string &file) {
  if (!metadata.is_object() ||
      !std::all_of(metadata.begin(), metadata.end(), [](const json &value) { return value.is_string(); }))
    refuseFile(file, "its __metadata__ are not strings");
}

// A byte that belongs to two tensors or to none is a mistake of the writer, or hides something.
void requireCover(const std::vector<SafetensorsEntry> &sorted, uint64_t data_size, const std::string &file) {
  uint64_t position = 0;
  const std::string *before = nullptr;
  for (const SafetensorsEntry &entry : sorted) {
    if (entry.begin < position)
      refuseFile(file, "tensors " + quotedTensorName(*before) + " and " + quotedTensorName(entry.name) +
                           " overlap");
    if (entry.begin > position)
      refuseFile(file, "bytes " + std::to_string(position) + " to " + std::to_string(entry.begin) +
                           " of the data belong to no tensor");
    position = entry.end;
    before = &entry.name;
  }
  if (position != data_size)
    refuseFile(file, "has " + std::to_string(data_size) + " bytes of data, its tensors are " +
                         std::to_string(position));
}

} // namespace

int64_t SafetensorsEntry::elements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::string quotedTensorName(const std::string &name) {
  return json(name).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<SafetensorsEntry> parseSafetensorsHeader(std::string_view header, uint64_t data_size,
                                                     const std::string &file) {
  const json document = parseDocument(header, file);
  if (!document.is_object())
    refuseFile(file, "its safetensors header is not an object");
  std::vector<SafetensorsEntry> entries;
  for (const auto &[name, object] : document.items())
    if (name == "__metadata__")
      requireMetadata(object, file);
    else
      entries.push_back(EntryParser(name, object, file).parse(data_size));
  std::sort(entries.begin(), entries.end(), [](const SafetensorsEntry &a, const SafetensorsEntry &b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  requireCover(entries, data_size, file);
  return entries;
}

} // namespace algrt
