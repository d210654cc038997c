// How a schedule of sm_80 is written.
#include "compiler/schedule/ampere_schedule.h"

#include "algebras/error.h"

#include <charconv>
#include <fmt/format.h>

namespace compiler {
namespace {

struct Field {
  std::string_view name;
  std::int64_t *value;
  std::int64_t *second = nullptr; ///< of a field written as 2x4
  bool seen = false;
};

/// Whether all of the text is one number.
bool readNumber(std::string_view text, std::int64_t &value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool read(std::string_view text, const Field &field) {
  if (!field.second)
    return readNumber(text, *field.value);
  const std::size_t cross = text.find('x');
  return cross != std::string_view::npos && readNumber(text.substr(0, cross), *field.value) &&
         readNumber(text.substr(cross + 1), *field.second);
}

} // namespace

AmpereSchedule parseAmpereSchedule(std::string_view text) {
  AmpereSchedule schedule;
  Field fields[] = {{"rows", &schedule.rows},
                    {"columns", &schedule.columns},
                    {"depth", &schedule.depth},
                    {"stages", &schedule.stages},
                    {"warps", &schedule.warp_rows, &schedule.warp_columns},
                    {"vector", &schedule.vector}};
  auto bad = [&](const std::string &what) {
    return algebras::InputError(fmt::format("schedule '{}': {}", text, what))
        .hint(
            "write a schedule as rows=64,columns=128,depth=32,stages=4,warps=2x2,vector=8; what is left out "
            "keeps its default, stages=0 takes what fits, and vector=0 the widest that the layer allows");
  };
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      throw bad(fmt::format("'{}' is not of the form name=number", item));
    const std::string_view name = item.substr(0, equals), value = item.substr(equals + 1);
    Field *field = nullptr;
    for (Field &candidate : fields)
      if (candidate.name == name)
        field = &candidate;
    if (!field)
      throw bad(fmt::format("nothing in it is called '{}'", name));
    if (field->seen)
      throw bad(fmt::format("'{}' is given twice", name));
    field->seen = true;
    if (!read(value, *field))
      throw bad(fmt::format("'{}' is not {}", value, field->second ? "of the form 2x4" : "a number"));
    if (comma == std::string_view::npos)
      return schedule;
    rest.remove_prefix(comma + 1);
  }
}

bool isForThreads(std::string_view schedule) {
  return schedule.find("warps=") != std::string_view::npos ||
         schedule.find("vector=") != std::string_view::npos;
}

std::string toString(const AmpereSchedule &schedule) {
  return fmt::format("rows={},columns={},depth={},stages={},warps={}x{},vector={}", schedule.rows,
                     schedule.columns, schedule.depth, schedule.stages, schedule.warp_rows,
                     schedule.warp_columns, schedule.vector);
}

} // namespace compiler
