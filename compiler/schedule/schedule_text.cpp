#include "compiler/schedule/schedule_text.h"

#include "algebras/error.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace compiler {
namespace {

/// Whether all of the text is one number.
bool readNumber(std::string_view text, std::int64_t &value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool readValue(std::string_view text, const ScheduleField &field) {
  if (!field.words.empty()) {
    const auto found = std::find(field.words.begin(), field.words.end(), text);
    *field.value = found - field.words.begin();
    return found != field.words.end();
  }
  if (!field.second)
    return readNumber(text, *field.value);
  const std::size_t cross = text.find('x');
  return cross != std::string_view::npos && readNumber(text.substr(0, cross), *field.value) &&
         readNumber(text.substr(cross + 1), *field.second);
}

std::string wanted(const ScheduleField &field) {
  if (!field.words.empty())
    return fmt::format("one of {}", fmt::join(field.words, ", "));
  return field.second ? "of the form 2x4" : "a number";
}

} // namespace

void readSchedule(std::string_view text, std::span<const ScheduleField> fields, std::string_view hint) {
  auto bad = [&](const std::string &what) {
    return algebras::InputError(fmt::format("schedule '{}': {}", text, what)).hint(std::string(hint));
  };
  std::vector<const ScheduleField *> seen;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      throw bad(fmt::format("'{}' is not of the form name=number", item));
    const std::string_view name = item.substr(0, equals), value = item.substr(equals + 1);
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const ScheduleField &candidate) { return candidate.name == name; });
    if (field == fields.end())
      throw bad(fmt::format("nothing in it is called '{}'", name));
    if (std::find(seen.begin(), seen.end(), &*field) != seen.end())
      throw bad(fmt::format("'{}' is given twice", name));
    seen.push_back(&*field);
    if (!readValue(value, *field))
      throw bad(fmt::format("'{}' is not {}", value, wanted(*field)));
    if (comma == std::string_view::npos)
      return;
    rest.remove_prefix(comma + 1);
  }
}

} // namespace compiler
