// Numbers and elements in JSON. What has the wrong form proves nothing, and is refused like a wrong number.
#pragma once

#include "checker/algebra.h"

#include <nlohmann/json.hpp>

namespace checker {

using Json = nlohmann::json;

inline Json parseJson(const std::string &text) { // the depth bounds every recursion of the checker
  return Json::parse(text, [](int depth, Json::parse_event_t, const Json &) {
    require(depth <= 256, "nested more than 256 deep");
    return true;
  });
}
inline Index integer(const Json &value, Index least, Index most) {
  require(value.is_number_integer() && value >= least && value <= most, "an integer is missing or out of range");
  return value;
}
inline mpq_class rational(const Json &value) { // an integer or a string "-3/2"
  mpq_class result;
  const std::string text = value.is_number_integer() ? value.dump() : value.get<std::string>();
  require(result.set_str(text, 10) == 0 && result.get_den() != 0, "a number like \"-3/2\" is needed");
  result.canonicalize();
  return result;
}
inline Integer commonDenominator(const Json &value) { // of all numbers in it
  Integer result = 1;
  if (value.is_string() && value.get_ref<const std::string &>().find('/') != std::string::npos)
    result = rational(value).get_den();
  for (const Json &member : value)
    if (value.is_structured()) result = lcm(result, commonDenominator(member));
  return result;
}
inline Integer number(const Json &value, const Integer &denominator = 1, const Integer &characteristic = 0) {
  const mpq_class result = rational(value) * denominator;
  require(result.get_den() == 1, "an integer is needed");
  require(characteristic == 0 || (result >= 0 && result < characteristic), "not one of 0, ..., p-1");
  return result.get_num();
}
inline Element element(const Json &value, Index dimension, const Integer &denominator, const Integer &characteristic) {
  if (value.is_number())
    return {{integer(value, 0, dimension - 1), denominator}}; // a slot; or [[slot, coefficient], ...]
  Element result;
  for (const Json &term : value) {
    const Index slot = integer(term.at(0), result.empty() ? 0 : result.rbegin()->first + 1, dimension - 1);
    result[slot] = number(term.at(1), denominator, characteristic);
    require(term.size() == 2 && result[slot] != 0, "[slot, coefficient], not zero, is needed");
  }
  return result;
}
inline Element element(const Json &value, const Algebra &a) {
  return element(value, a.dimension, a.common, a.characteristic);
}
inline Elements elements(const Json &value, const Algebra &algebra) { // {"from": s, "to": t} is b_s, ..., b_t
  Elements result;
  for (const Json &entry : value) {
    const bool range = entry.is_object();
    if (!range) result.push_back(element(entry, algebra));
    const Index last = range ? integer(entry.at("to"), 0, algebra.dimension - 1) : 0;
    for (Index s = range ? integer(entry.at("from"), 0, last) : 1; s <= last; ++s)
      result.push_back({{s, algebra.common}});
  }
  return result;
}

} // namespace checker
