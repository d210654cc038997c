// Arguments of the API's functions: structures of several versions, and counts.
#pragma once

#include "runtime/algrt.h"
#include "runtime/api/boundary.h"
#include "runtime/support/error.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace algrt {

[[noreturn]] void refuse(const std::string &what);

// "1 expert", "3 experts".
std::string countText(int64_t count, const std::string &what);

// Throws unless value is 0 or more.
void checkCount(const char *name, int64_t value);

// The caller may have been compiled against an older, shorter structure, or a newer one of which it uses
// nothing new. `shortest` is the size of the first version; `initial` has the defaults; `name` is that of the
// function's parameter.
template <typename Args>
Args readArguments(const Args *given, size_t shortest, Args initial, const char *init,
                   const char *name = "args") {
  requireNotNull(given, name);
  const size_t size = given->struct_size;
  // So large a structure is none, but memory that was never set; reading all of it would leave the caller's.
  constexpr size_t longest = 4096;
  if (size < shortest || size > longest)
    refuse(std::string(name) + ": struct_size is " + std::to_string(size) + "; start from " + init + "()");
  std::memcpy(&initial, given, std::min(size, sizeof(initial)));
  const unsigned char *bytes = reinterpret_cast<const unsigned char *>(given);
  for (size_t i = sizeof(initial); i < size; ++i)
    if (bytes[i] != 0)
      throw Error(ALGRT_UNSUPPORTED, std::string(name) +
                                         ": a field is set that this runtime does not know: update the "
                                         "runtime");
  return initial;
}

} // namespace algrt
