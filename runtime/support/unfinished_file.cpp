#include "runtime/support/unfinished_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <unistd.h>

namespace algrt {

namespace {

// Places are used again and never freed, so that a handler can walk them at any time. Whoever takes a name
// out of its place owns it: a handler cannot free, so what it takes stays allocated until the program ends.
struct Place {
  std::atomic<char *> name;
  Place *next;
};
std::atomic<Place *> places = nullptr;

std::atomic<char *> *keep(char *name) {
  for (Place *place = places.load(); place != nullptr; place = place->next)
    if (char *none = nullptr; place->name.compare_exchange_strong(none, name))
      return &place->name;
  auto *place = new Place{name, places.load()};
  while (!places.compare_exchange_weak(place->next, place)) {
  }
  return &place->name;
}

std::string beside(const std::string &path) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::string name = path + ".";
  for (int i = 0; i < 6; ++i)
    name += letters[random() % letters.size()];
  return name;
}

std::string unusedNameBeside(const std::string &path) {
  // The file is only made when its name is known to removeUnfinishedFiles: the name has to be free before.
  std::string name = beside(path);
  for (int attempt = 0; attempt < 100 && ::access(name.c_str(), F_OK) == 0; ++attempt)
    name = beside(path);
  return name;
}

} // namespace

NameToRemove::NameToRemove(std::string_view name) {
  char *copy = new char[name.size() + 1];
  std::memcpy(copy, name.data(), name.size());
  copy[name.size()] = '\0';
  place_ = keep(copy);
}

NameToRemove::~NameToRemove() { delete[] place_->exchange(nullptr); }

void removeUnfinishedFiles() noexcept {
  for (Place *place = places.load(); place != nullptr; place = place->next)
    if (const char *name = place->name.exchange(nullptr); name != nullptr)
      (void)::unlink(name);
}

// mkstemp would make a private file, and the mask cannot be asked for without changing it, for other threads
// too.
UnfinishedFile::UnfinishedFile(const std::string &path, mode_t mode)
    : name_(unusedNameBeside(path)), registered_(name_),
      descriptor_(::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)) {}

UnfinishedFile::~UnfinishedFile() {
  if (descriptor_ < 0)
    return;
  ::close(descriptor_);
  if (!renamed_)
    ::unlink(name_.c_str());
}

bool UnfinishedFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    bytes.remove_prefix(size_t(written));
  }
  return true;
}

bool UnfinishedFile::rename(const std::string &path) {
  renamed_ = std::rename(name_.c_str(), path.c_str()) == 0;
  return renamed_;
}

} // namespace algrt
