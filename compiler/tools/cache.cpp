// algctl cache: what earlier compilations left on this machine.
#include "compiler/tools/commands.h"

#include "compiler/cache/content_cache.h"
#include "compiler/process/failure.h"
#include "compiler/process/temporary_folder.h"
#include "compiler/spec/integer_option.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

constexpr int64_t kept_by_default = int64_t{1} << 30;
constexpr size_t shown_digits = 16; // of a key: enough to tell entries apart

struct CacheCommand {
  bool json = false;
  int64_t keep_bytes = kept_by_default;
  double older_than_days = 0;
  bool has_keep_bytes = false, has_older_than = false;
};

ContentCache openCache() {
  const std::filesystem::path folder = kernelCacheFolder();
  if (folder.empty())
    throw Failure("there is no place for a cache: set ALGCTL_CACHE, XDG_CACHE_HOME or HOME");
  return ContentCache(folder);
}

// "2026-11-21T15:04:05Z"
std::string utc(ContentCache::Time time) {
  const auto system = std::chrono::file_clock::to_sys(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(
                         std::chrono::time_point_cast<std::chrono::system_clock::duration>(system))));
}

nlohmann::ordered_json asJson(const std::vector<ContentCache::Entry> &entries) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ContentCache::Entry &entry : entries)
    list.push_back({{"key", entry.key},
                    {"what", entry.what},
                    {"bytes", entry.bytes},
                    {"last_used", utc(entry.last_used)}});
  return list;
}

nlohmann::ordered_json asJson(const std::vector<ContentCache::Fault> &faults) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ContentCache::Fault &fault : faults)
    list.push_back({{"file", fault.file}, {"reason", fault.reason}});
  return list;
}

int listEntries(const CacheCommand &command) {
  const ContentCache cache = openCache();
  const std::vector<ContentCache::Entry> entries = cache.list();
  uint64_t bytes = 0;
  for (const ContentCache::Entry &entry : entries)
    bytes += entry.bytes;
  if (command.json) {
    const nlohmann::ordered_json json = {
        {"folder", cache.folder().string()}, {"bytes", bytes}, {"entries", asJson(entries)}};
    printJson(json);
    return ExitCode::Done;
  }
  for (const ContentCache::Entry &entry : entries)
    printText(fmt::format("{}  {:>10}  {}  {}\n", entry.key.substr(0, shown_digits), entry.bytes,
                          utc(entry.last_used),
                          entry.what.empty() ? "(damaged, or not to be trusted: cache verify)" : entry.what));
  printText(fmt::format("{}: {} entries, {} bytes\n", cache.folder().string(), entries.size(), bytes));
  return ExitCode::Done;
}

int verifyEntries(const CacheCommand &command) {
  const ContentCache cache = openCache();
  const std::vector<ContentCache::Fault> faults = cache.verify();
  if (command.json) {
    const nlohmann::ordered_json json = {
        {"folder", cache.folder().string()}, {"entries", cache.list().size()}, {"faults", asJson(faults)}};
    printJson(json);
  } else {
    for (const ContentCache::Fault &fault : faults)
      printText(fmt::format("{}: {}\n", fault.file, fault.reason));
    printText(fmt::format("{}: {} entries, {} faults\n", cache.folder().string(), cache.list().size(),
                          faults.size()));
  }
  if (faults.empty())
    return ExitCode::Done;
  printError("some entries are damaged or not to be trusted; they are passed over, and made anew when they "
             "are needed");
  return ExitCode::VerificationFailed;
}

int collectEntries(const CacheCommand &command) {
  ContentCache::Limits limits;
  if (command.has_keep_bytes || !command.has_older_than)
    limits.bytes = static_cast<uint64_t>(command.keep_bytes);
  if (command.has_older_than)
    limits.since_use = std::chrono::duration<double>(command.older_than_days * 86400);
  const ContentCache cache = openCache();
  const size_t temporary_folders = removeAbandonedTemporaryFolders();
  const ContentCache::Collected collected = cache.collect(limits);
  if (command.json) {
    const nlohmann::ordered_json json = {{"folder", cache.folder().string()},
                                         {"removed", asJson(collected.removed)},
                                         {"leftovers", collected.leftovers},
                                         {"temporary_folders", temporary_folders},
                                         {"kept", collected.kept},
                                         {"kept_bytes", collected.kept_bytes},
                                         {"faults", asJson(collected.faults)}};
    printJson(json);
  } else {
    printText(fmt::format("{}: {} entries removed, {} kept, {} bytes\n", cache.folder().string(),
                          collected.removed.size(), collected.kept, collected.kept_bytes));
    if (temporary_folders > 0)
      printText(
          fmt::format("temporary folders of processes that were killed: {} removed\n", temporary_folders));
  }
  for (const ContentCache::Fault &fault : collected.faults)
    printError(fmt::format("{} cannot be removed: {}", fault.file, fault.reason));
  return collected.faults.empty() ? ExitCode::Done : ExitCode::Failed;
}

} // namespace

void addCache(CLI::App &app, Session &session) {
  auto command = std::make_shared<CacheCommand>();
  CLI::App *sub = app.add_subcommand("cache", "Look after the kernels that earlier compilations left");
  sub->require_subcommand(1);
  const auto add = [&](const char *name, const char *help, int (*work)(const CacheCommand &)) {
    CLI::App *action = sub->add_subcommand(name, help);
    action->add_flag("--json", command->json, "one JSON object instead of text");
    action->callback([&session, command, work] { session.run = [command, work] { return work(*command); }; });
    return action;
  };
  add("ls", "List the entries, the most recently used first", listEntries);
  add("verify",
      "Read every entry, compare it with its hash, and ask who can write it; exit code 3 if one is not used",
      verifyEntries);
  CLI::App *gc =
      add("gc", "Remove the least recently used entries, and what killed processes left here and in $TMPDIR",
          collectEntries);
  CLI::Option *keep = wholeNumber(gc->add_option("--keep-bytes", command->keep_bytes,
                                                 "what may stay, in all (without an option 1 GiB)"))
                          ->check(CLI::NonNegativeNumber)
                          ->type_name("N");
  CLI::Option *older = gc->add_option("--older-than", command->older_than_days,
                                      "remove what has not been used for so many days")
                           ->check([](const std::string &text) {
                             double days = -1;
                             const char *end = text.data() + text.size();
                             const auto read = std::from_chars(text.data(), end, days);
                             return read.ec == std::errc() && read.ptr == end && days >= 0 && days < 1e9
                                        ? std::string()
                                        : "'" + text + "' is no number of days";
                           })
                           ->type_name("DAYS");
  gc->parse_complete_callback([command, keep, older] {
    command->has_keep_bytes = keep->count() > 0;
    command->has_older_than = older->count() > 0;
  });
  sub->footer(
      R"help(The folder is "kernels" in $ALGCTL_CACHE, $XDG_CACHE_HOME/algctl or ~/.cache/algctl. Entries are found by the
hash of the program that they were compiled from, of the build of algctl and of the assembler's version, so that none
is ever out of date; --no-cache at compile, emit and bench passes over them.

A cache is code: whoever can write an entry decides what those run who take it. So the folder is made for its user
alone, and one that does not belong to you or to root, or that others can write, is passed over with a warning. Such an
entry counts as absent; cache verify names it. To share a
cache, let root own it and others read it (chmod -R go=rX): it is then read and not added to.

Examples:
  algctl cache ls
  algctl cache gc --keep-bytes 100000000
  algctl cache gc --older-than 30)help");
}

} // namespace compiler
