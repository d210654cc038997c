#include "runtime/cpu/shared_object.h"

#include "runtime/support/elf.h"
#include "runtime/support/error.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

namespace algrt {

namespace {

#if defined(__x86_64__)
constexpr Elf64_Half this_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half this_machine = EM_AARCH64;
#else
constexpr Elf64_Half this_machine = EM_NONE;
#endif

void checkElf(std::string_view bytes, const std::string &name) {
  const std::optional<Elf> elf = Elf::read(bytes);
  if (!elf)
    throw Error(ALGRT_BAD_BUNDLE, "section '" + name + "' is not a shared object");
  if (elf->machine() != this_machine)
    throw Error(ALGRT_UNSUPPORTED, "section '" + name + "' is code for another CPU (ELF machine " +
                                       std::to_string(elf->machine()) + ", this one is " +
                                       std::to_string(this_machine) +
                                       "): compile the bundle for this machine");
  if (!elf->holdsItsSegments())
    throw Error(ALGRT_BAD_BUNDLE,
                "section '" + name + "' is cut off: code that is to be loaded lies behind its end");
}

void writeAll(int descriptor, std::string_view bytes, const std::string &name) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      throw Error(ALGRT_OUT_OF_MEMORY,
                  "section '" + name + "': cannot be copied into memory: " + strerror(errno));
    bytes.remove_prefix(size_t(written));
  }
}

} // namespace

SharedObject::SharedObject(std::string_view bytes, std::string name) : name_(std::move(name)) {
  checkElf(bytes, name_);
  descriptor_ = ::memfd_create("algctl-kernels", MFD_CLOEXEC);
  if (descriptor_ < 0)
    throw Error(ALGRT_OUT_OF_MEMORY, "section '" + name_ + "': no memory file: " + std::strerror(errno));
  try {
    writeAll(descriptor_, bytes, name_);
    const std::string path = "/proc/self/fd/" + std::to_string(descriptor_);
    handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr)
      throw Error(ALGRT_BAD_BUNDLE, "section '" + name_ + "' does not load: " + ::dlerror());
  } catch (const Error &) {
    ::close(descriptor_);
    throw;
  }
}

SharedObject::~SharedObject() {
  ::dlclose(handle_);
  // Not before: the loader knows libraries by path, and a second bundle whose file got the same number would
  // be given this one's code.
  ::close(descriptor_);
}

void *SharedObject::symbol(const std::string &symbol) const {
  void *address = ::dlsym(handle_, symbol.c_str());
  if (address == nullptr)
    throw Error(ALGRT_BAD_BUNDLE, "section '" + name_ + "' has no symbol '" + symbol + "'");
  return address;
}

} // namespace algrt
