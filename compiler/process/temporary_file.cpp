#include "compiler/process/temporary_file.h"

#include "compiler/process/failure.h"
#include "compiler/process/temporary_folder.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace compiler {

TemporaryFile::TemporaryFile(const std::string &suffix) : path_(newTemporaryName(suffix)) { write(""); }

TemporaryFile::~TemporaryFile() { ::unlink(path_.c_str()); }

void TemporaryFile::write(const std::string &bytes) const {
  errno = 0;
  std::ofstream stream(path_, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream)
    throw Failure("cannot write " + path_ + ": " + std::strerror(errno));
}

std::string TemporaryFile::read() const {
  errno = 0;
  std::ifstream stream(path_, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad())
    throw Failure("cannot read " + path_ + ": " + std::strerror(errno));
  return bytes;
}

} // namespace compiler
