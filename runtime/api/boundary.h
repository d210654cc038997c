// Where C++ ends: exceptions become statuses, messages become the thread's last error.
#pragma once

#include "runtime/support/error.h"

#include <exception>
#include <new>
#include <stdexcept>

namespace algrt {

// Keeps the sentence for algrt_last_error and returns the status.
int fail(int status, const char *message) noexcept;

// Runs body, which throws on failure.
template <typename Body> int guarded(Body &&body) noexcept {
  try {
    body();
    return ALGRT_OK;
  } catch (const Error &error) {
    return fail(error.status(), error.what());
  } catch (const std::bad_alloc &) {
    return fail(ALGRT_OUT_OF_MEMORY, "out of memory");
  } catch (const std::length_error &) {
    return fail(ALGRT_OUT_OF_MEMORY, "out of memory: a size is beyond what a container can hold");
  } catch (const std::exception &error) {
    return fail(ALGRT_INTERNAL, error.what());
  }
}

// Throws Error(ALGRT_INVALID_ARGUMENT) "<name> is null".
void requireNotNull(const void *pointer, const char *name);

} // namespace algrt
