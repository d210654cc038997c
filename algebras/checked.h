// 64-bit sizes that either fit or are refused with a sentence.
#pragma once

#include <cstdint>
#include <string_view>

namespace algebras {

// Each throws InputError("<what> does not fit in 64 bits") when the exact result is outside int64.
std::int64_t checkedAdd(std::int64_t left, std::int64_t right, std::string_view what);
std::int64_t checkedMultiply(std::int64_t left, std::int64_t right, std::string_view what);
std::int64_t checkedPower(std::int64_t base, std::int64_t exponent, std::string_view what);
std::int64_t checkedNarrow(__int128 value, std::string_view what);

} // namespace algebras
