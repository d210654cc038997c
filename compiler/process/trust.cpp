#include "compiler/process/trust.h"

#include <sys/stat.h>
#include <unistd.h>

namespace compiler {

std::string reasonToDistrust(const struct stat &status) {
  if (status.st_uid != ::geteuid() && status.st_uid != 0)
    return "belongs to user " + std::to_string(status.st_uid);
  if ((status.st_mode & S_IWOTH) != 0)
    return "can be written by everybody";
  return (status.st_mode & S_IWGRP) != 0 ? "can be written by its group" : "";
}

} // namespace compiler
