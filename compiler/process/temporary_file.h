// A file for a program that is run on the side: a linker, an assembler.
#pragma once

#include <string>

namespace compiler {

/// A file in the process's temporary folder (temporary_folder.h) that is gone when the object is. Every
/// member throws Failure with the system's reason.
class TemporaryFile {
public:
  /// An empty one.
  explicit TemporaryFile(const std::string &suffix);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  void write(const std::string &bytes) const;
  std::string read() const;
  const std::string &name() const { return path_; }

private:
  std::string path_;
};

} // namespace compiler
