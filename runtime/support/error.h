// Failure inside the runtime: a status of algrt.h with a sentence that says what to do.
#pragma once

#include "runtime/algrt.h"

#include <stdexcept>
#include <string>

namespace algrt {

class Error : public std::runtime_error {
public:
  Error(algrt_status status, const std::string &message) : std::runtime_error(message), status_(status) {}
  algrt_status status() const { return status_; }

private:
  algrt_status status_;
};

// Whether what failed is that this machine has no device, driver or kernel for the request.
constexpr bool isAbsence(algrt_status status) {
  return status == ALGRT_UNSUPPORTED || status == ALGRT_NO_DRIVER || status == ALGRT_NO_DEVICE ||
         status == ALGRT_WRONG_ARCHITECTURE;
}

} // namespace algrt
