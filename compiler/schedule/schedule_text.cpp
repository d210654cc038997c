// The text form of schedules. The entries of a kind are listed once, for reading and for writing.
#include "compiler/schedule/schedule.h"

#include "algebras/error.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <utility>
#include <vector>

namespace compiler {
namespace {

using Words = std::span<const std::string_view>;
constexpr std::string_view outer_axes[] = {"types", "groups"}, sides[] = {"m", "n"},
                           accesses[] = {"packed", "copied", "direct"}, units[] = {"vectors", "amx"};

// What every schedule of the kind says comes through `always`, what most leave as it is through `other`: a
// number, two of them written as 2x4, or a word that stands for a value of an enumeration.
template <class Visitor> void visitEntries(StagedSchedule &schedule, Visitor &visitor) {
  visitor.always("rows", schedule.rows);
  visitor.always("columns", schedule.columns);
  visitor.always("depth", schedule.depth);
  visitor.always("stages", schedule.stages);
  if (schedule.isForThreads()) {
    visitor.always("warps", schedule.warp_rows, schedule.warp_columns);
    visitor.always("vector", schedule.vector);
  } else {
    visitor.other("types", schedule.types);
    visitor.other("cluster", schedule.cluster_rows, schedule.cluster_columns);
    visitor.other("stationary", schedule.stationary_groups);
    visitor.other("outer", schedule.outer, Words(outer_axes));
    visitor.other("rows_on", schedule.rows_on, Words(sides));
    visitor.other("ping_pong", schedule.ping_pong);
    visitor.other("split_k", schedule.split_k);
  }
  visitor.other("longest_first", schedule.longest_first);
}

template <class Visitor> void visitEntries(StagedChainedSchedule &schedule, Visitor &visitor) {
  visitor.always("rows", schedule.rows);
  visitor.always("hidden", schedule.hidden);
  visitor.always("depth", schedule.depth);
  visitor.always("stages", schedule.stages, schedule.next_stages);
  visitor.always("stationary", schedule.stationary_groups);
  visitor.other("types", schedule.types);
  visitor.other("row_stages", schedule.row_stages);
  visitor.other("cluster_types", schedule.cluster_types);
  visitor.other("evict_first", schedule.evict_first);
  visitor.other("overlap", schedule.overlap);
  visitor.other("ping_pong", schedule.ping_pong);
}

template <class Visitor> void visitEntries(ReductionSchedule &schedule, Visitor &visitor) {
  visitor.always("reduce", schedule.slices);
  visitor.always("rows", schedule.rows);
  visitor.always("columns", schedule.columns);
  visitor.always("vector", schedule.vector);
}

template <class Visitor> void visitEntries(ChainedReductionSchedule &schedule, Visitor &visitor) {
  visitor.always("reduce", schedule.slices);
  visitor.always("rows", schedule.rows);
  visitor.always("hidden", schedule.hidden);
  visitor.always("columns", schedule.columns);
  visitor.always("vector", schedule.vector);
  visitor.other("cluster", schedule.cluster);
}

template <class Visitor> void visitEntries(CpuSchedule &schedule, Visitor &visitor) {
  visitor.always("weights", schedule.weights, Words(accesses));
  visitor.always("types", schedule.types);
  visitor.always("rows", schedule.rows);
  visitor.always("register_rows", schedule.register_rows);
  visitor.always("register_columns", schedule.register_columns);
  visitor.other("unit", schedule.unit, Words(units));
}

template <class Visitor> void visitEntries(CpuGradientSchedule &schedule, Visitor &visitor) {
  visitor.always("features", schedule.features);
  visitor.always("columns", schedule.columns);
  visitor.always("rows", schedule.rows);
  visitor.always("register_features", schedule.register_features);
  visitor.always("register_columns", schedule.register_columns);
  visitor.other("unit", schedule.unit, Words(units));
}

// How one is written, where somebody has to be told.
constexpr std::string_view
    engine_hint =
        "write a schedule as rows=128,columns=96,depth=64,stages=3, followed by what else is wanted of "
        "types=2,cluster=2x1,stationary=8,outer=groups,rows_on=n,ping_pong=2,split_k=2,longest_first=1; what "
        "is left out keeps its default, and stages=0 takes as many as fit",
    threads_hint =
        "write a schedule as rows=64,columns=128,depth=32,stages=4,warps=2x2,vector=8, for unequal groups "
        "also longest_first=1; what is left out keeps its default, stages=0 takes what fits, and vector=0 "
        "the widest that the layer allows",
    chained_hint =
        "write a schedule of two layers as rows=64,hidden=64,depth=64,stages=4x2,stationary=8, followed by "
        "what else is wanted of types=2,row_stages=1,cluster_types=2,evict_first=1,overlap=1,ping_pong=2; "
        "what is left out keeps its default, and stages=0x2 takes as many as fit",
    chained_reduction_hint =
        "write a schedule of two layers for few rows as reduce=16,rows=4,hidden=64,columns=64,vector=8, "
        "followed by cluster=4 where blocks divide the hidden groups; what is left out keeps its default, "
        "and "
        "vector=0 takes the widest that the layers allow",
    reduction_hint = "write a schedule of vector reductions as reduce=32,rows=4,columns=64,vector=8; what is "
                     "left out keeps its default, and vector=0 takes the widest that the layer allows";

/// A schedule of the same kind that says nothing.
template <class Kind> Kind usual(const Kind &) { return {}; }
StagedSchedule usual(const StagedSchedule &schedule) {
  return schedule.isForThreads() ? StagedSchedule::ofThreads() : StagedSchedule{};
}

/// Writes entries, those that most leave as they are only where they are not as in `usual`.
class Writer {
public:
  template <class... Value> void always(std::string_view name, const Value &...value) {
    entries_.push_back({name, text(value...), false});
  }
  template <class... Value> void other(std::string_view name, const Value &...value) {
    entries_.push_back({name, text(value...), true});
  }
  std::string beside(const Writer &usual) const {
    std::string all;
    for (size_t i = 0; i < entries_.size(); ++i)
      if (!entries_[i].may_be_left_out || entries_[i].value != usual.entries_[i].value)
        all += fmt::format("{}{}={}", all.empty() ? "" : ",", entries_[i].name, entries_[i].value);
    return all;
  }

private:
  struct Entry {
    std::string_view name;
    std::string value;
    bool may_be_left_out;
  };
  static std::string text(int64_t value) { return std::to_string(value); }
  static std::string text(int64_t first, int64_t second) { return fmt::format("{}x{}", first, second); }
  template <class Enumeration> static std::string text(Enumeration value, Words words) {
    return std::string(words[static_cast<size_t>(value)]);
  }
  std::vector<Entry> entries_;
};

/// No kernel has more rows in a tile, stages or anything else. Sizes are products of some of these numbers,
/// and so none leaves 64 bits before the rules of legality have looked at it.
constexpr int64_t most_of_anything = 65536;

/// Puts the value of one entry where it belongs, and says what is wrong with it.
class Reader {
public:
  Reader(std::string_view name, std::string_view value) : name_(name), value_(value) {}

  template <class... Place> void always(std::string_view entry, Place &&...place) {
    if (entry != name_)
      return;
    found = true;
    wrong = read(place...);
  }
  template <class... Place> void other(std::string_view entry, Place &&...place) { always(entry, place...); }

  bool found = false;
  std::string wrong; ///< what is wanted instead; empty for a value that has been read

private:
  /// Whether all of the text is one number that a schedule can have.
  static bool readNumber(std::string_view text, int64_t &number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && number <= most_of_anything &&
           number >= -most_of_anything;
  }
  std::string read(int64_t &number) const {
    return readNumber(value_, number) ? "" : fmt::format("a number up to {}", most_of_anything);
  }
  std::string read(int64_t &first, int64_t &second) const {
    const size_t cross = value_.find('x');
    const bool two = cross != std::string_view::npos && readNumber(value_.substr(0, cross), first) &&
                     readNumber(value_.substr(cross + 1), second);
    return two ? "" : fmt::format("of the form 2x4, with numbers up to {}", most_of_anything);
  }
  template <class Enumeration> std::string read(Enumeration &place, Words words) const {
    const auto at = std::find(words.begin(), words.end(), value_);
    if (at == words.end())
      return fmt::format("one of {}", fmt::join(words, ", "));
    place = static_cast<Enumeration>(at - words.begin());
    return "";
  }
  std::string_view name_, value_;
};

/// What entries were called before, in texts that scripts have. They are read, and never written.
constexpr std::pair<std::string_view, std::string_view> former_names[] = {
    {"hold", "stationary"}, {"turns", "ping_pong"}, {"split", "split_k"}, {"long", "longest_first"}};

std::string_view currentName(std::string_view name) {
  for (const auto &[former, current] : former_names)
    if (name == former)
      return current;
  return name;
}

/// Whether one of the entries of a text is called so.
bool names(std::string_view text, std::string_view entry) {
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    if (text.substr(at, end - at).starts_with(entry) && text.substr(at + entry.size()).starts_with('='))
      return true;
    at = end + 1;
  }
  return false;
}

} // namespace

/// `kind` is a copy, since the entries are places to write to.
template <class Kind> static std::string textOf(Kind kind) {
  Kind unsaid = usual(kind);
  Writer written, left_out;
  visitEntries(kind, written);
  visitEntries(unsaid, left_out);
  return written.beside(left_out);
}

std::string toString(const Schedule &schedule) {
  return std::visit([](const auto &kind) { return textOf(kind); }, schedule);
}

std::string toString(const StagedChainedSchedule &schedule) { return textOf(schedule); }
std::string toString(const ChainedReductionSchedule &schedule) { return textOf(schedule); }

/// Reads the entries of a text into a schedule that has what is left out.
template <class Kind> static Kind parse(std::string_view text, Kind schedule, std::string_view hint) {
  auto bad = [&](const std::string &what) {
    return algebras::InputError(fmt::format("schedule '{}': {}", text, what)).hint(std::string(hint));
  };
  std::vector<std::string_view> seen;
  for (std::string_view rest = text;;) {
    const size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      throw bad(fmt::format("'{}' is not of the form name=number", item));
    const std::string_view written = item.substr(0, equals), value = item.substr(equals + 1);
    const std::string_view name = currentName(written);
    Reader reader(name, value);
    visitEntries(schedule, reader);
    if (!reader.found)
      throw bad(fmt::format("nothing in it is called '{}'", written));
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      throw bad(fmt::format("'{}' is given twice", name));
    if (!reader.wrong.empty())
      throw bad(fmt::format("'{}' is not {}", value, reader.wrong));
    seen.push_back(name);
    if (comma == std::string_view::npos)
      return schedule;
    rest.remove_prefix(comma + 1);
  }
}

StagedSchedule parseStaged(std::string_view text, Copies copies) {
  return copies == Copies::Threads ? parse(text, StagedSchedule::ofThreads(), threads_hint)
                                   : parse(text, StagedSchedule{}, engine_hint);
}

ReductionSchedule parseReduction(std::string_view text) {
  return parse(text, ReductionSchedule{}, reduction_hint);
}

StagedChainedSchedule parseStagedChained(std::string_view text) {
  return parse(text, StagedChainedSchedule{}, chained_hint);
}

ChainedReductionSchedule parseChainedReduction(std::string_view text) {
  return parse(text, ChainedReductionSchedule{}, chained_reduction_hint);
}

bool isStagedChained(std::string_view text) { return names(text, "hidden") && !names(text, "reduce"); }

bool isChainedReduction(std::string_view text) { return names(text, "hidden") && names(text, "reduce"); }

bool isReduction(std::string_view text) { return names(text, "reduce") && !names(text, "hidden"); }

Schedule parseSchedule(std::string_view text, Kernels kernels) {
  if (isReduction(text))
    return parseReduction(text);
  const bool threads = kernels == Kernels::ThreadsCopy || names(text, "warps") || names(text, "vector");
  return parseStaged(text, threads ? Copies::Threads : Copies::Engine);
}

} // namespace compiler
