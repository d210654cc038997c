// Machine code out of a bundle's section, loaded without a temporary file.
#pragma once

#include <string>
#include <string_view>

namespace algrt {

class SharedObject {
public:
  // `name` is used in messages. Throws Error(ALGRT_UNSUPPORTED) for code of another CPU,
  // Error(ALGRT_BAD_BUNDLE) if it is no shared object or does not load.
  SharedObject(std::string_view bytes, std::string name);
  ~SharedObject();
  SharedObject(const SharedObject &) = delete;
  SharedObject &operator=(const SharedObject &) = delete;

  // Throws Error(ALGRT_BAD_BUNDLE) if there is no such symbol.
  void *symbol(const std::string &symbol) const;

private:
  std::string name_;
  int descriptor_ = -1;
  void *handle_ = nullptr;
};

} // namespace algrt
