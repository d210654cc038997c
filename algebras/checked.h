// 64-bit sizes that either fit or are refused with a sentence.
#pragma once

#include <cstdint>
#include <string_view>

namespace algebras {

// Each throws InputError("<what> does not fit in 64 bits") when the exact result is outside int64.
int64_t checkedAdd(int64_t left, int64_t right, std::string_view what);
int64_t checkedMultiply(int64_t left, int64_t right, std::string_view what);
int64_t checkedPower(int64_t base, int64_t exponent, std::string_view what);
int64_t checkedNarrow(__int128 value, std::string_view what);

} // namespace algebras
