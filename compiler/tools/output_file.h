// A file that is there whole or not at all, or standard output in its place.
#pragma once

#include "runtime/support/unfinished_file.h"

#include <memory>
#include <string>
#include <string_view>

namespace CLI {
class Option;
}

namespace compiler {

// What is written; bytes that are no text are not written to a terminal.
enum class Contents { Text, Binary };

// The place that `-o FILE` names:
//   -, /dev/stdout        standard output, as /dev/stderr and /dev/fd/N are what they name
//   a device              written in place; not one of blocks, which is a disk
//   a pipe                written in place, if somebody reads it
//   everything else       a temporary file next to it, which commit renames into place
// It is opened at once, so that a place that cannot be written is found before the work starts. Without a
// commit nothing is left behind.
class OutputFile {
public:
  // Throws Failure with the reason when the folder does not exist or cannot be written, or `path` is a
  // folder, a pipe without a reader or a disk; UsageError where binary contents would go to a terminal.
  explicit OutputFile(std::string path, Contents contents = Contents::Text);
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  // Writes everything, syncs, renames. Throws Failure.
  void commit(std::string_view bytes);

  // The two halves of commit, for files that belong together: nothing is renamed before all are written.
  void write(std::string_view bytes);
  void rename();

  // Whether there is nothing to rename: a device, a pipe or a stream of this process.
  bool inPlace() const { return unfinished_ == nullptr; }
  // Whether it is standard output, where a report would be in the way: that goes to stderr then.
  bool isStandardOutput() const { return standard_output_; }

private:
  friend void commitBoth(OutputFile &, std::string_view, OutputFile &, std::string_view);
  bool openStream();
  bool openInPlace();
  [[noreturn]] void fail(int error) const;

  std::string path_;                                  // as messages call it
  std::unique_ptr<algrt::UnfinishedFile> unfinished_; // null in place
  int descriptor_ = -1;                               // in place
  bool standard_output_ = false;
};

// Commits two files of which neither is of use without the other: both are replaced, or both are as before.
// Throws Failure.
void commitBoth(OutputFile &first, std::string_view first_bytes, OutputFile &second,
                std::string_view second_bytes);

// Onto standard output as they are: programs and scripts, which hold no names. Throws algrt::Error.
void writeOutput(std::string_view bytes);

// Makes an option name a file to write: it refuses the empty name, as wrong usage.
CLI::Option *outputFile(CLI::Option *option);

// Whether `-o` gave standard output its name.
bool namesStandardOutput(const std::string &path);

// Whether two paths name one file, of which the first would be lost when the second is written. Spellings of
// its folder do not matter. Devices and pipes keep nothing, so that they may have both.
bool nameOneFile(const std::string &first, const std::string &second);

} // namespace compiler
