// Files that are written beside the place where they are to appear.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace algrt {

// A name that is removed with removeUnfinishedFiles for as long as this lives. Threads may make and drop any
// number of them at the same time.
class NameToRemove {
public:
  explicit NameToRemove(std::string_view name);
  ~NameToRemove();
  NameToRemove(const NameToRemove &) = delete;
  NameToRemove &operator=(const NameToRemove &) = delete;

private:
  std::atomic<char *> *place_;
};

// A new file whose name is `path`, a dot and six random letters and digits, with the mode that the user's
// mask leaves of `mode`. It is gone with the object unless it was renamed.
class UnfinishedFile {
public:
  // Where no file can be made, descriptor() is below 0 and errno says why.
  explicit UnfinishedFile(const std::string &path, mode_t mode = 0666);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile &) = delete;
  UnfinishedFile &operator=(const UnfinishedFile &) = delete;

  int descriptor() const { return descriptor_; }
  const std::string &name() const { return name_; }
  // Writes all of it. False where that fails, and errno says why.
  bool write(std::string_view bytes);
  // Moves it to `path`. False where that fails, and errno says why.
  bool rename(const std::string &path);

private:
  std::string name_;
  NameToRemove registered_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

// Removes what all threads have not finished. For the handler of a signal that ends the program: it calls
// nothing that may not be called there. A library installs no such handler; programs may.
void removeUnfinishedFiles() noexcept;

} // namespace algrt
