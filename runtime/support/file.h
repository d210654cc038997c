// Whole files: read at once, written by rename.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace algrt {

// The bytes of a regular file. Throws Error(ALGRT_IO_ERROR) naming the path and the system's reason. What is
// no regular file, a pipe, a device or a folder, is refused at once: nothing waits for somebody to write to
// it.
std::string readFile(const std::string &path);

// The same, read in parts: for files of which only a part is needed, or whose beginning says whether the rest
// is.
class InputFile {
public:
  explicit InputFile(const std::string &path);
  ~InputFile();
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  // As it was when the file was opened.
  uint64_t size() const { return size_; }
  // Exactly `size` bytes from `offset` on; an error where the file ends before that.
  std::string read(uint64_t offset, uint64_t size) const;

private:
  std::string path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

// Writes a temporary file in the same folder, syncs it and renames it onto path: readers see the old file or
// the new one, never half. On failure the temporary file is removed, and by removeUnfinishedFiles
// (unfinished_file.h) where a program calls it. The file has the mode that the user's mask leaves of `mode`.
// Throws Error(ALGRT_IO_ERROR).
void writeFileByRename(const std::string &path, std::string_view contents, mode_t mode = 0666);

} // namespace algrt
