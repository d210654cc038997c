// A file that is there whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace compiler {

// Opens a temporary file next to `path` at once, so that a place that cannot be written is found before the
// work starts, and renames it into place on commit. Without a commit nothing is left behind.
class OutputFile {
public:
  // Throws Failure with the reason when the folder does not exist or cannot be written, or `path` is a
  // folder.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  // Writes everything, syncs, renames. Throws Failure.
  void commit(std::string_view bytes);

  // The two halves of commit, for files that belong together: nothing is renamed before all are written.
  void write(std::string_view bytes);
  void rename();

  // Whether `path` is a device or pipe, which is written in place.
  bool inPlace() const { return temporary.empty(); }

private:
  friend void commitBoth(OutputFile &, std::string_view, OutputFile &, std::string_view);

  std::string path;
  std::string temporary;
  int descriptor = -1;
};

// Commits two files of which neither is of use without the other: both are replaced, or both are as before.
// Throws Failure.
void commitBoth(OutputFile &first, std::string_view first_bytes, OutputFile &second,
                std::string_view second_bytes);

// Throws Failure unless a file can be put at `path`. For results that another library writes by rename.
void requireWritable(const std::string &path);

// To `path`, or to standard output when it is empty or "-".
void writeOutput(const std::string &path, std::string_view bytes);

} // namespace compiler
