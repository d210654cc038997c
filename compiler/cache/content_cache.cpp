#include "compiler/cache/content_cache.h"

#include "compiler/cache/cache_key.h"
#include "compiler/cache/entry_file.h"
#include "compiler/process/failure.h"
#include "runtime/support/error.h"
#include "runtime/support/file.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <sys/stat.h>
#include <system_error>

namespace compiler {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_line = "algctl cache entry 1\n";
constexpr size_t digits_of_key = 64;
/// A writer that takes longer than that is no more.
constexpr std::chrono::hours longest_write(1);
/// Whether others read the folder is said by its own mode alone; nobody else writes there, whatever the
/// user's mask is.
constexpr mode_t folder_mode = 0700, subfolder_mode = 0755, entry_mode = 0644;

std::string hashOf(std::string_view what, std::string_view value) {
  return CacheKey().add("what", what).add("value", value).digits();
}

bool isKey(std::string_view text) {
  return text.size() == digits_of_key && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The parts of an entry's file; `fault` says why they are not to be used.
struct Parts {
  std::string_view key, what, hash, value;
  std::string fault;
};

/// Splits without looking at the value.
Parts split(std::string_view bytes) {
  Parts parts;
  if (!bytes.starts_with(first_line)) {
    parts.fault = "does not begin as an entry does";
    return parts;
  }
  bytes.remove_prefix(first_line.size());
  for (std::string_view *line : {&parts.key, &parts.what, &parts.hash}) {
    const size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      parts.fault = "ends within its first lines";
      return parts;
    }
    *line = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
  }
  parts.value = bytes;
  return parts;
}

Parts checked(std::string_view bytes, const std::string &key) {
  Parts parts = split(bytes);
  if (!parts.fault.empty())
    return parts;
  if (parts.key != key)
    parts.fault = "is the entry of another key";
  else if (parts.hash != hashOf(parts.what, parts.value))
    parts.fault = "its hash is not that of its value";
  return parts;
}

/// The key that a file's place stands for; empty where it is no entry's.
std::string keyOf(const fs::path &file) {
  const std::string key = file.parent_path().filename().string() + file.filename().string();
  return isKey(key) ? key : "";
}

/// Whether a file is what a writer of an entry renames in the end: the entry's name and a suffix of its own.
bool isUnfinished(const fs::path &file) {
  const std::string name = file.filename().string();
  const size_t digits = digits_of_key - 2;
  return name.size() > digits && name[digits] == '.' &&
         isKey(file.parent_path().filename().string() + name.substr(0, digits));
}

/// Everything below the folder that is no folder. Other processes may remove any of it at any time.
void forEachFile(const fs::path &folder, const std::function<void(const fs::path &)> &visit) {
  std::error_code error;
  if (!fs::exists(folder, error))
    return;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end; it.increment(error)) {
    std::error_code gone;
    if (it->symlink_status(gone).type() != fs::file_type::directory && !gone)
      visit(it->path());
    if (error)
      break;
  }
  if (error)
    throw Failure("the cache " + folder.string() + " cannot be read: " + error.message());
}

std::string within(const fs::path &folder, const fs::path &file) {
  return file.lexically_relative(folder).string();
}

/// Makes the folder of an entry, as far as it is not there.
std::error_code makeFolders(const fs::path &folder, const fs::path &subfolder) {
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  for (const auto &[made, mode] : {std::pair(folder, folder_mode), std::pair(subfolder, subfolder_mode)})
    if (!error && ::mkdir(made.c_str(), mode) != 0 && errno != EEXIST)
      error.assign(errno, std::generic_category());
  return error;
}

fs::path variable(const char *name) {
  const char *value = std::getenv(name);
  return value != nullptr ? value : "";
}

} // namespace

fs::path ContentCache::fileOf(const std::string &key) const {
  return folder_ / key.substr(0, 2) / key.substr(2);
}

std::string ContentCache::reasonToDistrust() const { return reasonToDistrustFolder(folder_); }

std::optional<std::string> ContentCache::load(const std::string &key) const {
  const EntryFile file(folder_, key.substr(0, 2), key.substr(2));
  if (!file.fault().empty())
    return std::nullopt;
  const std::string bytes = file.read(file.size());
  const Parts parts = checked(bytes, key);
  if (!parts.fault.empty())
    return std::nullopt;
  file.touch();
  return std::string(parts.value);
}

std::string ContentCache::store(const std::string &key, const std::string &what,
                                std::string_view value) const {
  if (const std::string reason = reasonToDistrust(); !reason.empty())
    return folder_.string() + " " + reason;
  if (const std::error_code error = makeFolders(folder_, fileOf(key).parent_path()))
    return folder_.string() + ": " + error.message();
  std::string line = what;
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::string bytes(first_line);
  bytes.append(key)
      .append("\n")
      .append(line)
      .append("\n")
      .append(hashOf(line, value))
      .append("\n")
      .append(value);
  // A pipe or a link in its place is no entry and no output that somebody asked for: an entry replaces it.
  std::error_code unknown;
  if (const fs::file_status there = fs::symlink_status(fileOf(key), unknown);
      fs::exists(there) && !fs::is_regular_file(there) && !fs::is_directory(there))
    fs::remove(fileOf(key), unknown);
  try {
    algrt::writeFileByRename(fileOf(key), bytes, entry_mode);
  } catch (const algrt::Error &failure) {
    // The same words for every entry: they become one note.
    const std::string text = failure.what(), path = fileOf(key).string();
    return folder_.string() + (text.starts_with(path) ? text.substr(path.size()) : ": " + text);
  }
  return {};
}

std::vector<ContentCache::Entry> ContentCache::list() const {
  std::vector<Entry> entries;
  forEachFile(folder_, [&](const fs::path &file) {
    Entry entry{keyOf(file), "", 0, {}};
    if (entry.key.empty())
      return;
    std::error_code gone;
    entry.last_used = fs::last_write_time(file, gone);
    if (gone)
      return;
    const EntryFile opened(folder_, entry.key.substr(0, 2), entry.key.substr(2));
    if (opened.isAbsent()) // by now
      return;
    entry.bytes = opened.fault().empty() ? opened.size() : fs::file_size(file, gone);
    if (gone)
      entry.bytes = 0; // a pipe, say
    if (const std::string head = opened.fault().empty() ? opened.read(4096) : ""; split(head).fault.empty())
      entry.what = split(head).what;
    entries.push_back(entry);
  });
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return a.last_used != b.last_used ? a.last_used > b.last_used : a.key < b.key;
  });
  return entries;
}

std::vector<ContentCache::Fault> ContentCache::verify() const {
  if (const std::string reason = reasonToDistrust(); !reason.empty())
    return {{".", reason}};
  std::vector<Fault> faults;
  forEachFile(folder_, [&](const fs::path &file) {
    const std::string key = keyOf(file), name = within(folder_, file);
    if (isUnfinished(file)) // perhaps of a writer at work
      return;
    if (key.empty()) {
      faults.push_back({name, "is no entry"});
      return;
    }
    const EntryFile opened(folder_, key.substr(0, 2), key.substr(2));
    if (opened.isAbsent()) // by now
      return;
    const std::string bytes = opened.fault().empty() ? opened.read(opened.size()) : "";
    const std::string fault = opened.fault().empty() ? checked(bytes, key).fault : opened.fault();
    if (!fault.empty())
      faults.push_back({name, fault});
  });
  std::sort(faults.begin(), faults.end(), [](const Fault &a, const Fault &b) { return a.file < b.file; });
  return faults;
}

ContentCache::Collected ContentCache::collect(const Limits &limits) const {
  if (const std::string reason = reasonToDistrust(); !reason.empty())
    throw Failure("the cache " + folder_.string() + " " + reason + ": nothing is removed from it");
  Collected result;
  const Time now = Time::clock::now();
  const auto remove = [&](const fs::path &file) {
    std::error_code error;
    const bool gone = fs::remove(file, error) || !error; // by us or by another process
    if (!gone)
      result.faults.push_back({within(folder_, file), error.message()});
    return gone;
  };
  forEachFile(folder_, [&](const fs::path &file) {
    std::error_code error;
    if (isUnfinished(file) && now - fs::last_write_time(file, error) > longest_write && !error)
      result.leftovers += remove(file);
  });
  std::vector<Entry> entries = list();
  for (const Entry &entry : entries)
    result.kept_bytes += entry.bytes;
  result.kept = entries.size();
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const bool too_much = limits.bytes && result.kept_bytes > *limits.bytes;
    const bool too_old = limits.since_use && now - entry->last_used > *limits.since_use;
    if (!too_much && !too_old)
      break;
    if (!remove(fileOf(entry->key)))
      continue;
    result.removed.push_back(*entry);
    --result.kept;
    result.kept_bytes -= entry->bytes;
  }
  return result;
}

fs::path kernelCacheFolder() {
  if (const fs::path given = variable("ALGCTL_CACHE"); !given.empty())
    return given / "kernels";
  if (const fs::path given = variable("XDG_CACHE_HOME"); !given.empty())
    return given / "algctl" / "kernels";
  if (const fs::path home = variable("HOME"); !home.empty())
    return home / ".cache" / "algctl" / "kernels";
  return {};
}

} // namespace compiler
