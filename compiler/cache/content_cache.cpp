#include "compiler/cache/content_cache.h"

#include "compiler/cache/cache_key.h"
#include "compiler/failure.h"
#include "runtime/support/error.h"
#include "runtime/support/file.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <system_error>

namespace compiler {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_line = "algctl cache entry 1\n";
constexpr std::size_t digits_of_key = 64;
/// A writer that takes longer than that is no more.
constexpr std::chrono::hours longest_write(1);

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
    const std::size_t end = bytes.find('\n');
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
  const std::size_t digits = digits_of_key - 2;
  return name.size() > digits && name[digits] == '.' &&
         isKey(file.parent_path().filename().string() + name.substr(0, digits));
}

/// Every file below the folder. Other processes may remove any of them at any time.
void forEachFile(const fs::path &folder, const std::function<void(const fs::path &)> &visit) {
  std::error_code error;
  if (!fs::exists(folder, error))
    return;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end; it.increment(error)) {
    std::error_code gone;
    if (it->is_regular_file(gone))
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

fs::path variable(const char *name) {
  const char *value = std::getenv(name);
  return value != nullptr ? value : "";
}

} // namespace

fs::path ContentCache::fileOf(const std::string &key) const {
  return folder_ / key.substr(0, 2) / key.substr(2);
}

std::optional<std::string> ContentCache::load(const std::string &key) const {
  std::string bytes;
  try {
    bytes = algrt::readFile(fileOf(key));
  } catch (const algrt::Error &) { // absent, or as good as
    return std::nullopt;
  }
  const Parts parts = checked(bytes, key);
  if (!parts.fault.empty())
    return std::nullopt;
  std::error_code read_only;
  fs::last_write_time(fileOf(key), Time::clock::now(), read_only);
  return std::string(parts.value);
}

std::string ContentCache::store(const std::string &key, const std::string &what,
                                std::string_view value) const {
  std::error_code error;
  fs::create_directories(fileOf(key).parent_path(), error);
  if (error)
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
  try {
    algrt::writeFileByRename(fileOf(key), bytes);
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
    entry.bytes = fs::file_size(file, gone);
    if (!gone)
      entry.last_used = fs::last_write_time(file, gone);
    if (gone)
      return;
    try {
      const algrt::InputFile opened(file);
      const std::string head = opened.read(0, std::min<std::uint64_t>(opened.size(), 4096));
      if (const Parts parts = split(head); parts.fault.empty())
        entry.what = parts.what;
    } catch (const algrt::Error &) { // removed by another process: listed as it was
    }
    entries.push_back(entry);
  });
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return a.last_used != b.last_used ? a.last_used > b.last_used : a.key < b.key;
  });
  return entries;
}

std::vector<ContentCache::Fault> ContentCache::verify() const {
  std::vector<Fault> faults;
  forEachFile(folder_, [&](const fs::path &file) {
    const std::string key = keyOf(file), name = within(folder_, file);
    if (isUnfinished(file)) // perhaps of a writer at work
      return;
    if (key.empty()) {
      faults.push_back({name, "is no entry"});
      return;
    }
    try {
      if (const std::string bytes = algrt::readFile(file), fault = checked(bytes, key).fault; !fault.empty())
        faults.push_back({name, fault});
    } catch (const algrt::Error &error) {
      if (fs::exists(file))
        faults.push_back({name, error.what()});
    }
  });
  std::sort(faults.begin(), faults.end(), [](const Fault &a, const Fault &b) { return a.file < b.file; });
  return faults;
}

ContentCache::Collected ContentCache::collect(const Limits &limits) const {
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
