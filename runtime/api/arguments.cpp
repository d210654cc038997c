#include "runtime/api/arguments.h"

namespace algrt {

void refuse(const std::string &what) { throw Error(ALGRT_INVALID_ARGUMENT, what); }

void checkCount(const char *name, int64_t value) {
  if (value < 0)
    refuse(std::string(name) + " is " + std::to_string(value) + ", needs 0 or more");
}

} // namespace algrt
