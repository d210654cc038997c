// A folder of results that are found again by what they were made of (docs/compiler.md, "The cache").
//
// An entry is one file, <folder>/<first two digits of its key>/<the others>:
//
//     algctl cache entry 1 \n <key> \n <what it is> \n <SHA-256 of the rest and of what it is> \n <value>
//
// Entries are written beside their place and renamed, so that any number of processes may share a folder: who
// reads sees a whole entry or none, and of two who write the same key the later wins, with the same bytes.
//
// Who can write an entry decides what is run by whoever takes it. So a folder and its entries are used only
// where they belong to this user or to root and nobody else can write them (compiler/process/trust.h); hashes
// tell damage from what was stored, not one writer from another.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace compiler {

class ContentCache {
public:
  using Time = std::filesystem::file_time_type;

  struct Entry {
    std::string key;  ///< 64 hexadecimal digits
    std::string what; ///< as store() was told; empty where the entry is damaged
    uint64_t bytes = 0;
    Time last_used;
  };
  struct Fault {
    std::string file; ///< within the folder
    std::string reason;
  };
  /// What collect() may leave. Absent limits do not limit.
  struct Limits {
    std::optional<uint64_t> bytes;                          ///< of all entries together
    std::optional<std::chrono::duration<double>> since_use; ///< since an entry was last used
  };
  struct Collected {
    std::vector<Entry> removed; ///< in the order in which they went: the least recently used first
    uint64_t leftovers = 0;     ///< files of writers that did not get to their end
    uint64_t kept = 0, kept_bytes = 0;
    std::vector<Fault> faults; ///< what could not be removed
  };

  /// Neither reads nor makes the folder.
  explicit ContentCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  const std::filesystem::path &folder() const { return folder_; }

  /// Why nothing of the folder is used: "belongs to user 1001". Empty where it may be, and where there is
  /// none.
  std::string reasonToDistrust() const;

  /// The value; nothing where there is no entry, where it cannot be read, where others may have written it
  /// and where it is damaged. Marks the entry as used where the folder can be written.
  std::optional<std::string> load(const std::string &key) const;
  /// Puts a value in; `what` is one line for people. The reason where that is not possible, otherwise empty.
  /// A folder that has to be made is this user's alone.
  std::string store(const std::string &key, const std::string &what, std::string_view value) const;

  /// The entries, the most recently used first; none where there is no folder. Throws Failure where the
  /// folder is there and cannot be read.
  std::vector<Entry> list() const;
  /// Reads every entry: what is damaged, what others may have written, and what is no entry. Of a folder that
  /// is not to be trusted only that.
  std::vector<Fault> verify() const;
  /// Removes what the limits do not allow, and what writers left behind more than an hour ago. Throws Failure
  /// where the folder cannot be read or is not to be trusted.
  Collected collect(const Limits &limits) const;

private:
  std::filesystem::path fileOf(const std::string &key) const;

  std::filesystem::path folder_;
};

/// Where algctl keeps compiled kernels: "kernels" in $ALGCTL_CACHE, $XDG_CACHE_HOME/algctl or
/// ~/.cache/algctl, the first of them whose variable is set; empty where none is.
std::filesystem::path kernelCacheFolder();

} // namespace compiler
