// The file of an entry, opened so that nobody but its owner and root has a say in what is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace compiler {

/// <folder>/<subfolder>/<name>, found from one opened folder to the next, each of which has to be trusted
/// (compiler/process/trust.h): a regular file, and no symbolic link below `folder`. Opening waits for
/// nothing, whatever is there.
class EntryFile {
public:
  EntryFile(const std::filesystem::path &folder, const std::string &subfolder, const std::string &name);
  ~EntryFile();
  EntryFile(const EntryFile &) = delete;
  EntryFile &operator=(const EntryFile &) = delete;

  /// Why it is not to be used; empty where it is open.
  const std::string &fault() const { return fault_; }
  bool isAbsent() const { return absent_; }

  uint64_t size() const { return size_; }
  /// Its first bytes, at most so many: fewer where the file ends or cannot be read any further.
  std::string read(uint64_t most) const;
  /// Marks it as used now, where this user may.
  void touch() const;

private:
  int open(int parent, const char *name, int flags, const std::string &called);

  int descriptor_ = -1;
  uint64_t size_ = 0;
  std::string fault_;
  bool absent_ = false;
};

/// Why nothing in a folder is to be used; empty where it may be, and where there is none.
std::string reasonToDistrustFolder(const std::filesystem::path &folder);

} // namespace compiler
