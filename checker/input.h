// Reading the certificate. What has the wrong form proves nothing, and is refused like a wrong number.
#pragma once

#include "checker/algebra.h"

#include <nlohmann/json.hpp>
#include <set>

namespace checker {

using Json = nlohmann::json;

inline Json parseJson(const std::string &text) { // std::runtime_error unless it is JSON with distinct keys
  std::vector<std::set<std::string>> keys;
  if (text.find('\0') != std::string::npos) throw std::runtime_error("not JSON: it holds a zero byte");
  return Json::parse(text, [&](int depth, Json::parse_event_t event, Json &value) {
    if (depth > 256) throw std::runtime_error("nested more than 256 deep");
    if (event == Json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == Json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      throw std::runtime_error("key \"" + value.get<std::string>() + "\" occurs twice in one object");
    return true;
  });
}

inline const Json &list(const Json &value) {
  require(value.is_array(), "a list is needed");
  return value;
}

inline std::int64_t integer(const Json &value, std::int64_t least, std::int64_t most) {
  require(value.is_number_integer() && value >= least && value <= most, "an integer is missing or out of range");
  return value;
}

inline mpq_class number(const Json &value,
                        std::uint64_t p = 0) { // an integer or a string "-3/2"; p: of GF(p)
  mpq_class result;
  std::string text = value.is_string() ? value.get<std::string>() : value.is_number_integer() ? value.dump() : "";
  require(!text.empty() && result.set_str(text, 10) == 0 && result.get_den() != 0, "a number like \"-3/2\" is needed");
  result.canonicalize();
  require(p == 0 || (result.get_den() == 1 && result >= 0 && result < Integer(p)), "not one of 0, ..., p-1");
  return result;
}

inline Integer bigInteger(const Json &value) {
  require(number(value).get_den() == 1, "an integer is needed");
  return number(value).get_num();
}

// BPSW, which GMP's test begins with, has no pseudoprimes below 2^64.
inline bool isPrime(const Integer &n) {
  return n > 1 && mpz_sizeinbase(n.get_mpz_t(), 2) < 64 && mpz_probab_prime_p(n.get_mpz_t(), 25) > 0;
}

inline Element element(const Json &value, const Algebra &algebra) { // a slot, or [[slot, coefficient], ...]
  if (value.is_number()) return {{{integer(value, 0, algebra.dimension - 1), 1}}};
  std::vector<std::pair<Index, mpq_class>> terms;
  Element result;
  for (const Json &entry : list(value)) {
    std::int64_t least = terms.empty() ? 0 : terms.back().first + 1;
    terms.emplace_back(integer(entry.at(0), least, algebra.dimension - 1), number(entry.at(1), algebra.characteristic));
    require(entry.size() == 2 && terms.back().second != 0, "[slot, coefficient], not zero, is needed");
    result.denominator = lcm(result.denominator, terms.back().second.get_den());
  }
  for (const auto &[slot, coefficient] : terms)
    result.terms.emplace_back(slot, coefficient.get_num() * (result.denominator / coefficient.get_den()));
  return result;
}

inline Elements elements(const Json &value, const Algebra &algebra) { // {"from": s, "to": t} is b_s, ..., b_t
  Elements result;
  for (const Json &entry : list(value))
    if (!entry.is_object())
      result.push_back(element(entry, algebra));
    else
      for (std::int64_t slot = integer(entry.at("from"), 0, algebra.dimension - 1),
                        last = integer(entry.at("to"), slot, algebra.dimension - 1);
           slot <= last; ++slot)
        result.push_back({{{slot, 1}}});
  return result;
}

} // namespace checker
