#include "algebras/read_file.h"

#include "algebras/error.h"
#include "algebras/utf8.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace algebras {

std::string readInputFile(const std::string &path) {
  constexpr uintmax_t maximum_size = uintmax_t{1} << 30;
  SourceLocation where{path, 0, 0, {}};
  std::error_code code;
  std::filesystem::file_status status = std::filesystem::status(path, code);
  if (status.type() == std::filesystem::file_type::not_found)
    throw InputError("no such file", where);
  if (code)
    throw InputError(fmt::format("cannot be opened: {}", code.message()), where);
  if (status.type() != std::filesystem::file_type::regular)
    throw InputError("not a regular file", where);
  uintmax_t size = std::filesystem::file_size(path, code);
  if (code)
    throw InputError(fmt::format("cannot be opened: {}", code.message()), where);
  if (size > maximum_size)
    throw InputError("larger than 1 GiB", where);
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    throw InputError(fmt::format("cannot be opened: {}", std::strerror(errno)), where);
  std::string content(size, '\0');
  stream.read(content.data(), static_cast<std::streamsize>(size));
  if (stream.gcount() != static_cast<std::streamsize>(size))
    throw InputError("ended before its size", where);
  requireUtf8(content, path);
  return content;
}

} // namespace algebras
