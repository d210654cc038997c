// A library of CUDA's that may or may not be there: the newest of its versions that can be opened.
#pragma once

#include "runtime/bench/dynamic_library.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace algrt {

struct CudaLibraryName {
  std::string title;    // "cuBLAS"
  std::string file;     // "libcublas.so"
  std::string variable; // of the environment: names a file instead
  std::string create;   // the function behind Functions::create
};

template <typename Functions> struct CudaLibrary {
  Functions functions;
  void *handle; // the caller's, to be given back with the library's own function
};

// `findAll(library, functions)` fills the functions and returns the name of one that is missing, or nothing.
// Nothing where there is no such library, or it is not the one; `problem` then says why, for people.
template <typename Functions, typename FindAll>
std::optional<CudaLibrary<Functions>> openCudaLibrary(const CudaLibraryName &name, FindAll find_all,
                                                      std::string &problem) {
  std::vector<std::string> files = {name.file + ".13", name.file + ".12", name.file};
  if (const char *chosen = std::getenv(name.variable.c_str()); chosen != nullptr && *chosen != '\0')
    files = {chosen};
  problem = "no " + name.title + ": ";
  for (const std::string &file : files) {
    const DynamicLibrary library(file.c_str());
    if (!library) {
      problem += (&file == &files.front() ? "" : "; ") + library.error();
      continue;
    }
    CudaLibrary<Functions> opened{};
    if (const std::string missing = find_all(library, opened.functions); !missing.empty()) {
      problem = "no " + name.title + ": " + file + " has no function " + missing;
      return std::nullopt;
    }
    if (const int status = opened.functions.create(&opened.handle); status != 0) {
      problem = "no " + name.title + ": " + name.create + " of " + file + " failed with status " +
                std::to_string(status);
      return std::nullopt;
    }
    return opened;
  }
  problem += "; name one with the environment variable " + name.variable;
  return std::nullopt;
}

} // namespace algrt
