// JSON as tools print it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace algrt {

// Indented, a key to a line, with a new line at the end. What is not UTF-8 - names of files may be anything -
// becomes the replacement character; what would control a terminal is escaped.
std::string jsonText(const nlohmann::ordered_json &json);

// The text of JSON with those control characters escaped that a library leaves alone, because JSON does not
// ask for it: U+007F to U+009F, which can stand in strings alone.
std::string terminalSafeJson(std::string json);

} // namespace algrt
