#include "compiler/cache/compilation_cache.h"

#include "compiler/cache/build_identity.h"

#include <charconv>

namespace compiler {
namespace {

/// A number of the first line of a kernel's value, and what follows it.
std::optional<uint64_t> takeNumber(std::string_view &bytes, char end) {
  uint64_t number = 0;
  const auto [after, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), number);
  if (error != std::errc() || after == bytes.data() + bytes.size() || *after != end)
    return std::nullopt;
  bytes.remove_prefix(static_cast<size_t>(after + 1 - bytes.data()));
  return number;
}

} // namespace

CacheKey CompilationCache::key(const std::string &kind) {
  CacheKey key;
  key.add("kind", kind).add("compiler", buildIdentity());
  return key;
}

std::optional<std::string> CompilationCache::load(const CacheKey &key) const {
  if (buildIdentity().empty())
    return std::nullopt;
  return contents_.load(key.digits());
}

std::string CompilationCache::store(const CacheKey &key, const std::string &what,
                                    const std::string &value) const {
  if (buildIdentity().empty())
    return "compiled kernels are not kept: this program was linked without a build identifier (--build-id), "
           "and another build's kernels could be taken for its own";
  if (const std::string reason = contents_.reasonToDistrust(); !reason.empty())
    return "compiled kernels are neither taken from the cache " + contents_.folder().string() +
           " nor put there: it " + reason + ", and who can write a cache decides what its users run";
  const std::string fault = contents_.store(key.digits(), what, value);
  return fault.empty() ? "" : "compiled kernels are not kept for the next time: " + fault;
}

// "<registers> <bytes of PTX>\n", PTX, cubin.
std::optional<KernelCode> CompilationCache::loadKernel(const CacheKey &key) const {
  const std::optional<std::string> value = load(key);
  if (!value)
    return std::nullopt;
  std::string_view bytes = *value;
  const std::optional<uint64_t> registers = takeNumber(bytes, ' ');
  const std::optional<uint64_t> ptx = registers ? takeNumber(bytes, '\n') : std::nullopt;
  if (!ptx || *ptx > bytes.size())
    return std::nullopt;
  return KernelCode{std::string(bytes.substr(0, *ptx)), std::string(bytes.substr(*ptx)),
                    static_cast<int64_t>(*registers)};
}

std::string CompilationCache::storeKernel(const CacheKey &key, const std::string &what,
                                          const KernelCode &code) const {
  return store(key, what,
               std::to_string(code.registers) + " " + std::to_string(code.ptx.size()) + "\n" + code.ptx +
                   code.cubin);
}

} // namespace compiler
