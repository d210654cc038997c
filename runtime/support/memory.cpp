#include "runtime/support/memory.h"

#include "runtime/support/error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <sys/resource.h>

namespace algrt {

namespace {

using Bytes = std::optional<uint64_t>;

Bytes least(Bytes a, Bytes b) { return a && b ? std::min(*a, *b) : a ? a : b; }

uint64_t difference(uint64_t limit, uint64_t used) { return limit > used ? limit - used : 0; }

// Nothing for "max", and for a file that is not there.
Bytes numberIn(const std::string &path) {
  std::ifstream file(path);
  std::string word;
  if (!(file >> word))
    return {};
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() ? Bytes(number) : Bytes();
}

// The number behind `key`, which ends with a colon in /proc, and does not in the files of control groups.
Bytes fieldIn(const std::string &path, const std::string &key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    uint64_t number = 0;
    if (words >> word >> number && word == key)
      return number;
  }
  return {};
}

Bytes kibibytesIn(const std::string &path, const std::string &key) {
  const Bytes number = fieldIn(path, key);
  return number && *number <= UINT64_MAX / 1024 ? Bytes(*number * 1024) : Bytes();
}

struct GroupFiles {
  const char *limit, *usage, *inactive, *active;
};
constexpr GroupFiles version1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
                              "total_active_file"};
constexpr GroupFiles version2{"memory.max", "memory.current", "inactive_file", "active_file"};

// What the group in that folder leaves of its limit.
Bytes leftInGroup(const std::string &folder, const GroupFiles &files) {
  const Bytes limit = numberIn(folder + "/" + files.limit), usage = numberIn(folder + "/" + files.usage);
  if (!limit || !usage)
    return {};
  const std::string statistics = folder + "/memory.stat";
  const uint64_t pages =
      fieldIn(statistics, files.inactive).value_or(0) + fieldIn(statistics, files.active).value_or(0);
  return difference(*limit, difference(*usage, pages));
}

// Of a group and all those above it. In a container the path may be one of the host, which is not to be seen:
// then only the root of what is mounted counts.
Bytes leftInGroups(const std::string &mount, std::string path, const GroupFiles &files) {
  Bytes left = leftInGroup(mount, files);
  while (path.size() > 1) {
    left = least(left, leftInGroup(mount + path, files));
    path.erase(path.rfind('/'));
  }
  return left;
}

// Of the lines "4:cpu,memory:/user" (version 1) and "0::/user" (version 2).
Bytes leftByGroups(const std::string &root) {
  Bytes left;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':'), second = line.find(':', first == line.npos ? first : first + 1);
    if (second == line.npos || line.compare(second + 1, 1, "/") != 0)
      continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",",
                      path = line.substr(second + 1);
    if (controllers == ",,")
      left = least(left, leftInGroups(root + "/sys/fs/cgroup", path, version2));
    else if (controllers.find(",memory,") != controllers.npos)
      left = least(left, leftInGroups(root + "/sys/fs/cgroup/memory", path, version1));
  }
  return left;
}

// Nothing where there is no such limit.
Bytes leftOf(decltype(RLIMIT_AS) resource, const char *used) {
  struct rlimit limit;
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return {};
  return difference(limit.rlim_cur, kibibytesIn("/proc/self/status", used).value_or(0));
}

} // namespace

std::optional<uint64_t> memoryOfSystem(const std::string &root) {
  return least(kibibytesIn(root + "/proc/meminfo", "MemAvailable:"), leftByGroups(root));
}

std::optional<uint64_t> availableMemory() {
  return least(memoryOfSystem(""), least(leftOf(RLIMIT_AS, "VmSize:"), leftOf(RLIMIT_DATA, "VmData:")));
}

std::string byteText(uint64_t bytes) {
  constexpr std::array<const char *, 6> units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  const std::string exact = std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  if (bytes < 1024)
    return exact;
  double number = double(bytes) / 1024;
  size_t unit = 0;
  for (; number >= 1024; number /= 1024)
    ++unit;
  char text[32];
  std::snprintf(text, sizeof text, " (%.1f %s)", number, units[unit]);
  return exact + text;
}

void requireMemory(uint64_t bytes, const std::string &what) {
  const Bytes available = availableMemory();
  if (available && bytes > *available)
    throw Error(ALGRT_OUT_OF_MEMORY, what + " takes " + byteText(bytes) + ", and there are " +
                                         byteText(*available) + " of memory left");
}

} // namespace algrt
