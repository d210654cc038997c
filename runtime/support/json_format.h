// The form of what tools print as JSON.
#pragma once

namespace algrt {

// What they print as "format". It grows where a key goes or means something else, not where one comes
// (docs/json.md).
inline constexpr int json_format = 3;

} // namespace algrt
