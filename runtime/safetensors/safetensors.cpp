#include "runtime/safetensors/safetensors.h"

#include "runtime/numeric/bfloat16.h"
#include "runtime/numeric/float16.h"
#include "runtime/numpy/npy.h"
#include "runtime/support/error.h"
#include "runtime/support/file.h"

#include <cstring>
#include <memory>

namespace algrt {

namespace {

[[noreturn]] void wrongType(const std::string &file, const SafetensorsEntry &tensor, const char *needed,
                            const char *conversion) {
  refuseFile(file, "tensor " + quotedTensorName(tensor.name) + " holds elements of type " + tensor.dtype +
                       ", needs " + needed + ": convert it with " + conversion);
}

// Element by element out of bytes that need not be aligned.
template <typename Stored, typename Element>
std::vector<Element> convert(const std::string &bytes, Element (*widen)(Stored)) {
  std::vector<Element> values(bytes.size() / sizeof(Stored));
  for (size_t i = 0; i < values.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    values[i] = widen(stored);
  }
  return values;
}

template <typename Element> Element unchanged(Element value) { return value; }

std::string listOf(const std::vector<SafetensorsEntry> &tensors) {
  constexpr size_t most_listed = 100;
  std::string text;
  for (size_t i = 0; i < tensors.size() && i < most_listed; ++i)
    text += "\n  " + quotedTensorName(tensors[i].name) + " " + tensors[i].dtype + " " +
            shapeText(tensors[i].shape);
  if (tensors.size() > most_listed)
    text += "\n  and " + std::to_string(tensors.size() - most_listed) + " more";
  return text;
}

} // namespace

Safetensors Safetensors::open(const std::string &path) {
  const auto file = std::make_shared<InputFile>(path);
  return Safetensors(path, file->size(),
                     [file](uint64_t offset, uint64_t size) { return file->read(offset, size); });
}

Safetensors::Safetensors(std::string name, uint64_t size, ReadBytes read)
    : name_(std::move(name)), read_(std::move(read)) {
  constexpr uint64_t length_bytes = 8;
  if (size < length_bytes)
    refuseFile(name_, "is not a safetensors file: it has " + std::to_string(size) + " bytes");
  uint64_t header_size = 0;
  const std::string length = read_(0, length_bytes);
  for (size_t i = 0; i < length_bytes; ++i)
    header_size |= uint64_t(static_cast<unsigned char>(length[i])) << (8 * i);
  if (header_size > most_safetensors_header_bytes)
    refuseFile(name_, "is not a safetensors file: its header would have " + std::to_string(header_size) +
                          " bytes, and " + std::to_string(most_safetensors_header_bytes) + " are the most");
  if (header_size > size - length_bytes)
    refuseFile(name_, "is not a safetensors file or is truncated: its header should have " +
                          std::to_string(header_size) + " bytes, and " + std::to_string(size - length_bytes) +
                          " follow");
  data_begin_ = length_bytes + header_size;
  tensors_ = parseSafetensorsHeader(read_(length_bytes, header_size), size - data_begin_, name_);
}

const SafetensorsEntry &Safetensors::find(const std::string &name) const {
  if (tensors_.empty())
    refuseFile(name_, "has no tensors");
  if (name.empty() && tensors_.size() == 1)
    return tensors_.front();
  if (name.empty())
    refuseFile(name_, "has " + std::to_string(tensors_.size()) + " tensors: name one as " + name_ +
                          ":TENSOR. It has" + listOf(tensors_));
  for (const SafetensorsEntry &tensor : tensors_)
    if (tensor.name == name)
      return tensor;
  refuseFile(name_, "has no tensor " + quotedTensorName(name) + ". It has" + listOf(tensors_));
}

std::string Safetensors::bytesOf(const SafetensorsEntry &tensor) const {
  return read_(data_begin_ + tensor.begin, tensor.end - tensor.begin);
}

std::vector<float> Safetensors::readFloat32(const SafetensorsEntry &tensor) const {
  if (tensor.dtype == "F32")
    return convert<float, float>(bytesOf(tensor), unchanged<float>);
  if (tensor.dtype == "BF16")
    return convert<uint16_t, float>(bytesOf(tensor), fromBfloat16);
  if (tensor.dtype == "F16")
    return convert<uint16_t, float>(bytesOf(tensor), fromFloat16);
  wrongType(name_, tensor, "F32, BF16 or F16", "tensor.to(torch.float32)");
}

std::vector<int32_t> Safetensors::readInt32(const SafetensorsEntry &tensor) const {
  if (tensor.dtype == "I32")
    return convert<int32_t, int32_t>(bytesOf(tensor), unchanged<int32_t>);
  wrongType(name_, tensor, "I32", "tensor.to(torch.int32)");
}

std::vector<int64_t> Safetensors::readIntegers(const SafetensorsEntry &tensor) const {
  if (tensor.dtype == "I64")
    return convert<int64_t, int64_t>(bytesOf(tensor), unchanged<int64_t>);
  if (tensor.dtype == "I32")
    return convert<int32_t, int64_t>(bytesOf(tensor), [](int32_t value) { return int64_t(value); });
  wrongType(name_, tensor, "I64 or I32", "tensor.to(torch.int64)");
}

} // namespace algrt
