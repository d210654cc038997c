#include "runtime/support/json_scan.h"

namespace algrt {

std::string JsonScan::fault(std::string_view text) {
  depth_ = 0;
  fault_.clear();
  // The library takes a zero byte for the end of the text and would not look at what follows.
  if (text.find('\0') != std::string_view::npos)
    return "is not JSON: it has a zero byte";
  nlohmann::json::sax_parse(text, static_cast<nlohmann::json_sax<nlohmann::json> *>(this));
  return fault_;
}

bool JsonScan::found() {
  foundScalar();
  return true;
}

bool JsonScan::enter() {
  if (++depth_ <= deepest_)
    return true;
  fault_ = "is nested more than " + std::to_string(deepest_) + " deep";
  return false;
}

bool JsonScan::start_object(size_t) {
  foundObject();
  return enter();
}

bool JsonScan::start_array(size_t) {
  foundList();
  return enter();
}

bool JsonScan::end_object() {
  --depth_;
  return true;
}

bool JsonScan::end_array() {
  --depth_;
  return true;
}

bool JsonScan::key(std::string &name) {
  foundKey(name);
  return true;
}

bool JsonScan::parse_error(size_t byte, const std::string &, const nlohmann::json::exception &error) {
  constexpr int number_out_of_range = 406;
  const std::string place = ": see byte " + std::to_string(byte) + " of it";
  if (error.id == number_out_of_range)
    fault_ = "has a number that is too large" + place;
  else if (std::string_view(error.what()).find("ill-formed UTF-8") != std::string_view::npos)
    fault_ = "is not in UTF-8" + place;
  else
    fault_ = "is not JSON" + place;
  return false;
}

} // namespace algrt
