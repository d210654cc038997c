#include "runtime/support/json_text.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace algrt {

std::string terminalSafeJson(std::string json) {
  const auto control = [&](size_t at) {
    const auto byte = static_cast<unsigned char>(json[at]);
    return byte == 0x7f ||
           (byte == 0xc2 && at + 1 < json.size() && static_cast<unsigned char>(json[at + 1]) < 0xa0);
  };
  size_t at = 0;
  while (at < json.size() && !control(at))
    ++at;
  if (at == json.size()) // nearly always, and it may be large
    return json;
  std::string escaped = json.substr(0, at);
  for (; at < json.size(); ++at) {
    if (!control(at)) {
      escaped += json[at];
      continue;
    }
    at += static_cast<unsigned char>(json[at]) == 0x7f ? 0 : 1;
    char code[8];
    std::snprintf(code, sizeof code, "\\u%04x", unsigned(static_cast<unsigned char>(json[at])));
    escaped += code;
  }
  return escaped;
}

std::string jsonText(const nlohmann::ordered_json &json) {
  return terminalSafeJson(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

} // namespace algrt
