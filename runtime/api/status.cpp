#include "runtime/api/boundary.h"

#include <string>

#define ALGRT_TEXT_OF(number) #number
#define ALGRT_TEXT(number) ALGRT_TEXT_OF(number)

namespace algrt {

namespace {

thread_local std::string last_error;

} // namespace

int fail(int status, const char *message) noexcept {
  try {
    last_error = message;
  } catch (const std::bad_alloc &) {
    last_error.clear(); // no memory even for the message: the status alone has to do
  }
  return status;
}

void requireNotNull(const void *pointer, const char *name) {
  if (pointer == nullptr)
    throw Error(ALGRT_INVALID_ARGUMENT, std::string(name) + " is null");
}

} // namespace algrt

const char *algrt_version(void) {
  return ALGRT_TEXT(ALGRT_VERSION_MAJOR) "." ALGRT_TEXT(ALGRT_VERSION_MINOR) "." ALGRT_TEXT(
      ALGRT_VERSION_PATCH);
}

const char *algrt_last_error(void) { return algrt::last_error.c_str(); }

const char *algrt_status_name(int status) {
  switch (status) {
  case ALGRT_OK:
    return "ALGRT_OK";
  case ALGRT_INVALID_ARGUMENT:
    return "ALGRT_INVALID_ARGUMENT";
  case ALGRT_IO_ERROR:
    return "ALGRT_IO_ERROR";
  case ALGRT_BAD_BUNDLE:
    return "ALGRT_BAD_BUNDLE";
  case ALGRT_NEWER_FORMAT:
    return "ALGRT_NEWER_FORMAT";
  case ALGRT_UNSUPPORTED:
    return "ALGRT_UNSUPPORTED";
  case ALGRT_OUT_OF_MEMORY:
    return "ALGRT_OUT_OF_MEMORY";
  case ALGRT_WORKSPACE_TOO_SMALL:
    return "ALGRT_WORKSPACE_TOO_SMALL";
  case ALGRT_NO_DRIVER:
    return "ALGRT_NO_DRIVER";
  case ALGRT_NO_DEVICE:
    return "ALGRT_NO_DEVICE";
  case ALGRT_WRONG_ARCHITECTURE:
    return "ALGRT_WRONG_ARCHITECTURE";
  case ALGRT_NOT_PREPARED:
    return "ALGRT_NOT_PREPARED";
  case ALGRT_DEVICE_ERROR:
    return "ALGRT_DEVICE_ERROR";
  case ALGRT_UNTRUSTED:
    return "ALGRT_UNTRUSTED";
  case ALGRT_INTERNAL:
    return "ALGRT_INTERNAL";
  }
  return "unknown status";
}
