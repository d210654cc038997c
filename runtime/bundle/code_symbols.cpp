#include "runtime/bundle/code_symbols.h"

#include "runtime/kernel_record.h"
#include "runtime/support/elf.h"

#include <charconv>
#include <cstring>
#include <optional>
#include <string>

namespace algrt {

namespace {

constexpr std::string_view suffix = ALGRT_RECORD_SUFFIX;
// Far above every record: what claims to be longer is none.
constexpr size_t most_bytes = 4096;

std::vector<uint64_t> words(std::string_view bytes) {
  std::vector<uint64_t> result(bytes.size() / sizeof(uint64_t));
  if (!result.empty()) // an empty symbol may have no address at all, which memcpy must not be given
    std::memcpy(result.data(), bytes.data(), result.size() * sizeof(uint64_t));
  return result;
}

bool isNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// What follows `text`, if the rest begins with that.
bool skip(std::string_view &rest, std::string_view text) {
  if (!rest.starts_with(text))
    return false;
  rest.remove_prefix(text.size());
  return true;
}

std::optional<size_t> takeNumber(std::string_view &rest) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc())
    return std::nullopt;
  rest.remove_prefix(size_t(end - rest.data()));
  return number;
}

// "[32] = {65, 76, 71}": bytes, of which those that are 0 at the end may be left out.
std::optional<std::string> takeBytes(std::string_view rest) {
  if (!skip(rest, "["))
    return std::nullopt;
  const std::optional<size_t> size = takeNumber(rest);
  if (!size || *size > most_bytes || !skip(rest, "] = {"))
    return std::nullopt;
  std::string bytes;
  do {
    const std::optional<size_t> byte = takeNumber(rest);
    if (!byte || *byte > 255 || bytes.size() == *size)
      return std::nullopt;
    bytes.push_back(char(*byte));
  } while (skip(rest, ", "));
  if (!skip(rest, "}"))
    return std::nullopt;
  bytes.resize(*size, '\0');
  return bytes;
}

CodeSymbols symbolsOfElf(const Elf &elf) {
  CodeSymbols symbols;
  elf.forEachSymbol([&](std::string_view name, std::string_view contents) {
    if (name.ends_with(suffix) && !contents.empty() && contents.size() <= most_bytes)
      symbols.records[name.substr(0, name.size() - suffix.size())] = words(contents);
    symbols.kernels.insert(name);
  });
  return symbols;
}

CodeSymbols symbolsOfPtx(std::string_view text) {
  CodeSymbols symbols;
  constexpr std::string_view entry = ".entry ";
  for (size_t at = text.find(entry); at != std::string_view::npos; at = text.find(entry, at)) {
    at += entry.size();
    size_t end = at;
    while (end < text.size() && isNameCharacter(text[end]))
      ++end;
    symbols.kernels.insert(text.substr(at, end - at));
  }
  for (size_t at = text.find(suffix); at != std::string_view::npos; at = text.find(suffix, at)) {
    if (!text.substr(at + suffix.size()).starts_with('[')) {
      at += suffix.size();
      continue;
    }
    size_t begin = at;
    while (begin > 0 && isNameCharacter(text[begin - 1]))
      --begin;
    const std::string_view name = text.substr(begin, at - begin);
    at += suffix.size();
    if (const std::optional<std::string> bytes = takeBytes(text.substr(at)))
      symbols.records[name] = words(*bytes);
  }
  return symbols;
}

} // namespace

CodeSymbols readSymbols(std::string_view image) {
  const std::optional<Elf> elf = Elf::read(image);
  return elf ? symbolsOfElf(*elf) : symbolsOfPtx(image);
}

} // namespace algrt
