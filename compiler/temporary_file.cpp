#include "compiler/temporary_file.h"

#include "compiler/failure.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace compiler {

TemporaryFile::TemporaryFile(const std::string &suffix) {
  llvm::SmallString<128> made;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("algctl", suffix, made))
    throw Failure("cannot make a temporary file: " + error.message());
  path = made.str().str();
}

TemporaryFile::~TemporaryFile() { llvm::sys::fs::remove(path); }

void TemporaryFile::write(const std::string &bytes) const {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream << bytes;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    throw Failure("cannot write " + path + ": " + error.message());
}

std::string TemporaryFile::read() const {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    throw Failure("cannot read " + path + ": " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

} // namespace compiler
