#include "compiler/tools/array_file.h"

#include "runtime/safetensors/safetensors.h"

#include <string_view>

namespace compiler {

ArrayName parseArrayName(const std::string &text) {
  constexpr std::string_view ending = ".safetensors", ending_and_colon = ".safetensors:";
  if (size_t found = text.find(ending_and_colon); found != std::string::npos)
    return {text.substr(0, found + ending.size()), text.substr(found + ending_and_colon.size()), true};
  return {text, "", text.ends_with(ending)};
}

algrt::NpyArray<float> readFloat32Array(const std::string &text) {
  ArrayName name = parseArrayName(text);
  if (!name.safetensors)
    return algrt::readNpyFloat32(name.file);
  auto file = algrt::Safetensors::open(name.file);
  const algrt::SafetensorsEntry &tensor = file.find(name.tensor);
  return {tensor.shape, file.readFloat32(tensor)};
}

algrt::NpyArray<int32_t> readInt32Array(const std::string &text) {
  ArrayName name = parseArrayName(text);
  if (!name.safetensors)
    return algrt::readNpyInt32(name.file);
  auto file = algrt::Safetensors::open(name.file);
  const algrt::SafetensorsEntry &tensor = file.find(name.tensor);
  return {tensor.shape, file.readInt32(tensor)};
}

algrt::NpyArray<int64_t> readIntegerArray(const std::string &text) {
  ArrayName name = parseArrayName(text);
  if (!name.safetensors)
    return algrt::readNpyIntegers(name.file);
  auto file = algrt::Safetensors::open(name.file);
  const algrt::SafetensorsEntry &tensor = file.find(name.tensor);
  return {tensor.shape, file.readIntegers(tensor)};
}

} // namespace compiler
