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

} // namespace algrt
