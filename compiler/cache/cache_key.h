// The name of something by what it was made of.
#pragma once

#include "runtime/bundle/sha256.h"

#include <string>
#include <string_view>

namespace compiler {

/// SHA-256 over named ingredients, in the order in which they are added. No two lists of ingredients are
/// hashed as the same bytes. Ingredients must not hold paths or dates: a key is the same wherever it is made.
class CacheKey {
public:
  CacheKey &add(std::string_view name, std::string_view value);
  /// 64 lower-case hexadecimal digits.
  std::string digits() const;

private:
  algrt::Sha256 hash_;
};

} // namespace compiler
