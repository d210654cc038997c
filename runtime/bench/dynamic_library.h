// A library that may or may not be there.
#pragma once

#include <dlfcn.h>
#include <string>

namespace algrt {

class DynamicLibrary {
public:
  explicit DynamicLibrary(const char *file) : handle_(::dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr)
      error_ = ::dlerror();
  }
  // Never closed: these libraries keep threads that would return into unmapped code.
  DynamicLibrary(const DynamicLibrary &) = delete;
  DynamicLibrary &operator=(const DynamicLibrary &) = delete;

  explicit operator bool() const { return handle_ != nullptr; }
  const std::string &error() const { return error_; }

  // Sets `function` to the symbol, in the library or what it depends on; false (and null) if there is none.
  template <typename Function> bool find(const char *symbol, Function *&function) const {
    function = handle_ == nullptr ? nullptr : reinterpret_cast<Function *>(::dlsym(handle_, symbol));
    return function != nullptr;
  }

private:
  void *handle_;
  std::string error_;
};

} // namespace algrt
