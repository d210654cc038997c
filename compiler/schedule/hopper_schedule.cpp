// How a Hopper schedule is written.
#include "compiler/schedule/hopper_schedule.h"

#include "algebras/error.h"

#include <charconv>
#include <fmt/format.h>

namespace compiler {

std::string toString(HopperOutput output) { return output == HopperOutput::BF16 ? "bf16" : "f32"; }

algebras::DataType dataType(HopperOutput output) {
  return output == HopperOutput::BF16 ? algebras::DataType::BF16 : algebras::DataType::F32;
}

HopperSchedule parseHopperSchedule(std::string_view text) {
  HopperSchedule schedule;
  struct Field {
    std::string_view name;
    std::int64_t *value;
    bool seen = false;
  } fields[] = {{"rows", &schedule.rows},
                {"columns", &schedule.columns},
                {"depth", &schedule.depth},
                {"stages", &schedule.stages}};
  auto bad = [&](const std::string &what) {
    return algebras::InputError(fmt::format("schedule '{}': {}", text, what))
        .hint("write a schedule as rows=128,columns=96,depth=64,stages=3; what is left out keeps its "
              "default, and "
              "stages=0 takes as many as fit");
  };
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      throw bad(fmt::format("'{}' is not of the form name=number", item));
    const std::string_view name = item.substr(0, equals), number = item.substr(equals + 1);
    Field *field = nullptr;
    for (Field &candidate : fields)
      if (candidate.name == name)
        field = &candidate;
    if (!field)
      throw bad(fmt::format("nothing in it is called '{}'", name));
    if (field->seen)
      throw bad(fmt::format("'{}' is given twice", name));
    field->seen = true;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), *field->value);
    if (error != std::errc() || end != number.data() + number.size())
      throw bad(fmt::format("'{}' is not a number", number));
    if (comma == std::string_view::npos)
      return schedule;
    rest.remove_prefix(comma + 1);
  }
}

std::string toString(const HopperSchedule &schedule) {
  return fmt::format("rows={},columns={},depth={},stages={}", schedule.rows, schedule.columns, schedule.depth,
                     schedule.stages);
}

} // namespace compiler
