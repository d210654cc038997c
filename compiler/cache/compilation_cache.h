// What the compiler remembers of earlier compilations, in memory nothing and on disk all.
#pragma once

#include "compiler/cache/cache_key.h"
#include "compiler/cache/content_cache.h"

#include <cstdint>
#include <optional>
#include <string>

namespace compiler {

/// What becomes of a GPU kernel's program.
struct KernelCode {
  std::string ptx;
  std::string cubin;     ///< empty where there was no assembler
  int64_t registers = 0; ///< of a thread, as the assembler says; 0 without one
};

/// Compiled code by the program that it was made of, the build of the compiler, and whatever else has a say.
/// Any number of threads may use one. A cache that cannot be written is none: nothing fails for its sake.
class CompilationCache {
public:
  explicit CompilationCache(std::filesystem::path folder) : contents_(std::move(folder)) {}

  /// The begin of a key, with the build of the compiler in it. `kind` says what the value is.
  static CacheKey key(const std::string &kind);

  std::optional<std::string> load(const CacheKey &key) const;
  /// What a user should know where the value could not be kept, otherwise empty.
  std::string store(const CacheKey &key, const std::string &what, const std::string &value) const;

  std::optional<KernelCode> loadKernel(const CacheKey &key) const;
  std::string storeKernel(const CacheKey &key, const std::string &what, const KernelCode &code) const;

private:
  ContentCache contents_;
};

} // namespace compiler
