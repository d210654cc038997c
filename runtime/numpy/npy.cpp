#include "runtime/numpy/npy.h"

#include "runtime/support/checked.h"
#include "runtime/support/file.h"

#include <cctype>
#include <cstring>

namespace algrt {

namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};

[[noreturn]] void refuse(const std::string &path, const std::string &what) {
  throw Error(ALGRT_INVALID_ARGUMENT, path + ": " + what);
}

// The header is a Python dict literal with three known keys, in any order.
class HeaderParser {
public:
  HeaderParser(std::string_view text, const std::string &path) : text_(text), path_(path) {}

  void parse() {
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr")
        type = quoted();
      else if (key == "fortran_order")
        fortran_order = boolean();
      else if (key == "shape")
        shape = tuple();
      else
        refuse(path_, "its header has an unknown key '" + key + "'");
      if (!accept(',') && peek() != '}')
        malformed();
    }
    skipSpace();
    if (position_ != text_.size() || type.empty() || !has_shape_)
      malformed();
  }

  std::string type;
  bool fortran_order = false;
  std::vector<int64_t> shape;

private:
  [[noreturn]] void malformed() { refuse(path_, "its .npy header is malformed"); }
  void skipSpace() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])))
      ++position_;
  }
  char peek() {
    skipSpace();
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c)
      return false;
    ++position_;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      malformed();
  }
  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') {
      if (quote == '[')
        refuse(path_, "holds records; save a plain array");
      malformed();
    }
    const size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos)
      malformed();
    std::string content(text_.substr(position_ + 1, end - position_ - 1));
    position_ = end + 1;
    return content;
  }
  bool boolean() {
    skipSpace();
    for (const auto &[word, value] :
         {std::pair{std::string_view("True"), true}, {std::string_view("False"), false}})
      if (text_.substr(position_, word.size()) == word) {
        position_ += word.size();
        return value;
      }
    malformed();
  }
  int64_t number() {
    int64_t value = 0;
    if (!std::isdigit(static_cast<unsigned char>(peek())))
      malformed();
    for (; position_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[position_]));
         ++position_)
      if (__builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, int64_t(text_[position_] - '0'), &value))
        refuse(path_, "a dimension in its header does not fit 64 bits");
    return value;
  }
  std::vector<int64_t> tuple() {
    std::vector<int64_t> values;
    expect('(');
    while (!accept(')')) {
      values.push_back(number());
      if (!accept(',') && peek() != ')')
        malformed();
    }
    has_shape_ = true;
    return values;
  }

  std::string_view text_;
  const std::string &path_;
  size_t position_ = 0;
  bool has_shape_ = false;
};

// The header of a file, and where its data begin.
struct Header {
  std::string type;
  std::vector<int64_t> shape;
  bool fortran_order;
  size_t data_begin;
};

Header parseHeader(std::string_view bytes, const std::string &path) {
  if (bytes.size() < 10 || bytes.substr(0, magic.size()) != magic)
    refuse(path, "is not a .npy file: write it with numpy.save");
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3)
    refuse(path, "has .npy format version " + std::to_string(version) + ", this reads 1 to 3");
  const size_t length_bytes = version == 1 ? 2 : 4;
  size_t header_size = 0;
  if (bytes.size() < 8 + length_bytes)
    refuse(path, "is truncated in its header");
  for (size_t i = 0; i < length_bytes; ++i)
    header_size |= size_t(static_cast<unsigned char>(bytes[8 + i])) << (8 * i);
  const size_t header_begin = 8 + length_bytes;
  if (header_size > bytes.size() - header_begin)
    refuse(path, "is truncated in its header");
  HeaderParser header(bytes.substr(header_begin, header_size), path);
  header.parse();
  return {std::string(header.type), header.shape, header.fortran_order, header_begin + header_size};
}

template <typename Element>
NpyArray<Element> parse(std::string_view bytes, const std::string &path, std::string_view needed_type,
                        const std::string &conversion) {
  const Header header = parseHeader(bytes, path);
  if (header.type != needed_type)
    refuse(path, "holds elements of type " + header.type + ", needs " + std::string(needed_type) +
                     ": convert it with " + conversion);
  if (header.fortran_order && header.shape.size() > 1)
    refuse(path, "is stored in Fortran order: convert it with numpy.ascontiguousarray");

  NpyArray<Element> array;
  array.shape = header.shape;
  int64_t count = 1;
  for (int64_t extent : array.shape)
    count = checkedMultiply(count, extent, path.c_str());
  const int64_t size = checkedMultiply(count, int64_t(sizeof(Element)), path.c_str());
  const size_t data_begin = header.data_begin;
  if (bytes.size() - data_begin != uint64_t(size))
    refuse(path, "holds " + std::to_string(bytes.size() - data_begin) + " bytes of data, its shape " +
                     shapeText(array.shape) + " needs " + std::to_string(size));
  array.values.resize(size_t(count));
  if (size != 0)
    std::memcpy(array.values.data(), bytes.data() + data_begin, size_t(size));
  return array;
}

template <typename Element>
std::string encode(std::span<const int64_t> shape, std::span<const Element> values, std::string_view type) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count = checkedMultiply(count, extent, "array");
  if (uint64_t(count) != values.size())
    throw Error(ALGRT_INTERNAL, "an array in .npy: " + std::to_string(values.size()) + " values for shape " +
                                    shapeText(shape));
  std::string header =
      "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': " + shapeText(shape) + ", }";
  // Data begin at a multiple of 64; the header ends with a newline.
  const size_t unpadded = magic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  std::string bytes(magic);
  bytes += '\x01';
  bytes += '\0';
  bytes += char(header.size() & 0xff);
  bytes += char(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char *>(values.data()), values.size_bytes());
  return bytes;
}

} // namespace

NpyArray<float> parseNpyFloat32(std::string_view content, const std::string &name) {
  return parse<float>(content, name, "<f4", "array.astype(numpy.float32)");
}

NpyArray<int32_t> parseNpyInt32(std::string_view content, const std::string &name) {
  return parse<int32_t>(content, name, "<i4", "array.astype(numpy.int32)");
}

NpyArray<int64_t> parseNpyIntegers(std::string_view content, const std::string &name) {
  if (parseHeader(content, name).type == "<i4") {
    const NpyArray<int32_t> narrow = parseNpyInt32(content, name);
    return {narrow.shape, {narrow.values.begin(), narrow.values.end()}};
  }
  return parse<int64_t>(content, name, "<i8", "array.astype(numpy.int64)");
}

NpyArray<int64_t> readNpyIntegers(const std::string &path) { return parseNpyIntegers(readFile(path), path); }

NpyArray<float> readNpyFloat32(const std::string &path) { return parseNpyFloat32(readFile(path), path); }

NpyArray<int32_t> readNpyInt32(const std::string &path) { return parseNpyInt32(readFile(path), path); }

std::string encodeNpy(std::span<const int64_t> shape, std::span<const float> values) {
  return encode(shape, values, "<f4");
}

void writeNpy(const std::string &path, std::span<const int64_t> shape, std::span<const float> values) {
  writeFileByRename(path, encodeNpy(shape, values));
}

void writeNpy(const std::string &path, std::span<const int64_t> shape, std::span<const int32_t> values) {
  writeFileByRename(path, encode(shape, values, "<i4"));
}

void writeNpy(const std::string &path, std::span<const int64_t> shape, std::span<const int64_t> values) {
  writeFileByRename(path, encode(shape, values, "<i8"));
}

std::string shapeText(std::span<const int64_t> shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

} // namespace algrt
