// How schedules are written: numbers by their names, "rows=64,warps=2x4,outer=groups".
#ifndef ALGCTL_COMPILER_SCHEDULE_SCHEDULE_TEXT_H
#define ALGCTL_COMPILER_SCHEDULE_SCHEDULE_TEXT_H

#include <cstdint>
#include <span>
#include <string_view>

namespace compiler {

/// One entry of a schedule and where its value goes.
struct ScheduleField {
  std::string_view name;
  std::int64_t *value;
  std::int64_t *second = nullptr;               ///< of an entry that is written as 2x4
  std::span<const std::string_view> words = {}; ///< of an entry that is one of these; the value is its place
};

/// Reads a text into the fields; what it does not name stays as it is. Throws algebras::InputError with
/// `hint` for what is no entry, not among the fields or given twice.
void readSchedule(std::string_view text, std::span<const ScheduleField> fields, std::string_view hint);

} // namespace compiler

#endif
