#include "compiler/spec/text_file.h"

#include "algebras/error.h"
#include "algebras/utf8.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace compiler {

std::string readTextFile(const std::string &path, int64_t largest_bytes) {
  std::error_code status;
  const std::filesystem::file_status found = std::filesystem::status(path, status);
  if (std::filesystem::is_directory(found))
    throw algebras::InputError(fmt::format("{} is a folder, not a file", path));
  // A pipe may have nobody who writes, and a device no end.
  if (std::filesystem::exists(found) && !std::filesystem::is_regular_file(found))
    throw algebras::InputError(fmt::format("{} is not a regular file", path));
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    throw algebras::InputError(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  std::string text;
  char buffer[1 << 14];
  while (stream.read(buffer, sizeof buffer) || stream.gcount() > 0) {
    text.append(buffer, static_cast<size_t>(stream.gcount()));
    if (static_cast<int64_t>(text.size()) > largest_bytes)
      throw algebras::InputError(fmt::format(
          "{} is larger than {} bytes, which no spec is: is it the right file?", path, largest_bytes));
  }
  if (stream.bad())
    throw algebras::InputError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  algebras::requireUtf8(text, path);
  return text;
}

} // namespace compiler
