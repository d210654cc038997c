#include "runtime/api/arguments.h"

namespace algrt {

void refuse(const std::string &what) { throw Error(ALGRT_INVALID_ARGUMENT, what); }

std::string countText(int64_t count, const std::string &what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void checkCount(const char *name, int64_t value) {
  if (value < 0)
    refuse(std::string(name) + " is " + std::to_string(value) + ", needs 0 or more");
}

} // namespace algrt
