#include "compiler/tools/expert_division.h"

#include "compiler/process/failure.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <random>

namespace compiler {

std::string dividedText(int64_t experts, std::optional<int64_t> listed) {
  if (experts == 0)
    return "";
  const std::string who = fmt::format("{} expert{}", experts, experts == 1 ? "" : "s");
  return listed ? fmt::format(", {} listed by {}", *listed, who) : " divided among " + who;
}

std::string whyNotDivided(const algrt::Program &program) {
  const std::string why = algrt::whyNoExperts(program, /*on_device=*/false);
  if (why.empty())
    return "";
  const bool gradient = std::ranges::any_of(
      program.steps, [](const auto &step) { return !step.elementwise && step.map == algrt::Map::Dw; });
  return (gradient ? "gradients are of one network, and " : "its rows are not divided among experts: ") + why;
}

static void requireCounted(int64_t m, int64_t experts) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (m > most || experts > most)
    throw Failure(fmt::format("{} are more than starts of experts count, which have 32 bits",
                              m > most ? fmt::format("{} rows", m) : fmt::format("{} experts", experts)));
}

ExpertDivision evenDivision(int64_t m, int64_t experts) {
  requireCounted(m, experts);
  ExpertDivision division;
  for (int64_t expert = 0; expert <= experts; ++expert)
    division.starts.push_back(static_cast<int32_t>(expert * m / experts));
  division.batch_rows = m;
  return division;
}

ExpertDivision randomDivision(int64_t m, int64_t experts, uint64_t seed) {
  requireCounted(m, experts);
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int64_t> any(0, experts - 1);
  std::vector<int32_t> counts(static_cast<size_t>(experts));
  for (int64_t row = 0; row < m; ++row)
    ++counts[static_cast<size_t>(any(random))];
  ExpertDivision division;
  division.starts.push_back(0);
  for (const int32_t count : counts)
    division.starts.push_back(division.starts.back() + count);
  return division;
}

ExpertDivision randomLists(int64_t m, int64_t experts, uint64_t seed) {
  std::mt19937_64 random(seed);
  // As many as there are rows, somewhat fewer or more.
  const int64_t listed =
      m == 0 ? 0 : std::uniform_int_distribution<int64_t>(m / 2 + 1, m + m / 2 + 1)(random);
  ExpertDivision division = randomDivision(listed, experts, seed + 1);
  std::uniform_int_distribution<int64_t> any(0, std::max<int64_t>(m, 1) - 1);
  division.list.emplace();
  for (int64_t entry = 0; entry < listed; ++entry)
    division.list->push_back(static_cast<int32_t>(any(random)));
  division.batch_rows = m;
  return division;
}

namespace {

// Of rows that lie one after another, `per_row` elements each, those of an expert.
std::vector<double> rowsOfExpert(const std::vector<double> &values, size_t per_row, bool by_list,
                                 const ExpertDivision &division, int64_t expert) {
  std::vector<double> own;
  for (int64_t place = division.first(expert); place < division.first(expert + 1); ++place) {
    const int64_t row = by_list ? (*division.list)[static_cast<size_t>(place)] : place;
    const auto begin = values.begin() + static_cast<ptrdiff_t>(static_cast<size_t>(row) * per_row);
    own.insert(own.end(), begin, begin + static_cast<ptrdiff_t>(per_row));
  }
  return own;
}

} // namespace

std::vector<double> partOfExpert(const algrt::Program &program, std::string_view tensor,
                                 const std::vector<double> &values, const ExpertDivision &division,
                                 int64_t expert) {
  const algrt::ProgramOperand *operand = program.findOperand(tensor);
  if (operand != nullptr && operand->role == algrt::OperandRole::Weight) {
    const size_t own = values.size() / static_cast<size_t>(division.experts());
    const auto begin = values.begin() + static_cast<ptrdiff_t>(static_cast<size_t>(expert) * own);
    return {begin, begin + static_cast<ptrdiff_t>(own)};
  }
  // What steps hand on has rows.
  if (operand != nullptr && operand->shape[0].symbol.empty())
    return values;
  const bool by_list = division.list && operand != nullptr && operand->role == algrt::OperandRole::Input;
  const int64_t rows = by_list ? division.batch_rows : division.starts.back();
  return rowsOfExpert(values, rows == 0 ? 0 : values.size() / static_cast<size_t>(rows), by_list, division,
                      expert);
}

// Where the rows of an expert are.
static ReferencePositions positionsOf(const ExpertDivision &division, int64_t expert, int64_t p0) {
  if (!division.list)
    return {p0 + division.first(expert)};
  std::vector<int64_t> positions;
  for (int64_t place = division.first(expert); place < division.first(expert + 1); ++place)
    positions.push_back(p0 + (*division.list)[static_cast<size_t>(place)]);
  return ReferencePositions(std::move(positions));
}

std::vector<ReferenceArray> evaluateExperts(const ExpertDivision &division, int64_t p0,
                                            const EvaluateExpert &evaluate) {
  std::vector<ReferenceArray> all;
  for (int64_t expert = 0; expert < division.experts(); ++expert) {
    if (division.rows(expert) == 0)
      continue;
    std::vector<ReferenceArray> own =
        evaluate(expert, division.rows(expert), positionsOf(division, expert, p0));
    if (all.empty()) {
      all = std::move(own);
      continue;
    }
    for (size_t number = 0; number < all.size(); ++number) {
      all[number].shape[0] += own[number].shape[0];
      all[number].values.insert(all[number].values.end(), own[number].values.begin(),
                                own[number].values.end());
    }
  }
  return all;
}

ReferenceArrays evaluateExperts(
    const algrt::Program &program, const ExpertDivision &division, const ReferenceArrays &operands,
    int64_t p0,
    const std::function<ReferenceArrays(const ReferenceArrays &, const ReferencePositions &positions)>
        &evaluate) {
  std::vector<std::string> names;
  std::vector<ReferenceArray> outputs =
      evaluateExperts(division, p0, [&](int64_t expert, int64_t rows, const ReferencePositions &positions) {
        ReferenceArrays own;
        for (const auto &[name, array] : operands) {
          const algrt::ProgramOperand &operand = *program.findOperand(name);
          ReferenceArray part{array.shape, partOfExpert(program, name, array.values, division, expert)};
          if (operand.role == algrt::OperandRole::Weight && part.shape.size() > operand.shape.size())
            part.shape.erase(part.shape.begin());
          else if (operand.role == algrt::OperandRole::Weight)
            part.shape[0] /= division.experts();
          else if (!operand.shape[0].symbol.empty())
            part.shape[0] = rows;
          own[name] = std::move(part);
        }
        names.clear();
        std::vector<ReferenceArray> results;
        for (auto &[name, array] : evaluate(own, positions)) {
          names.push_back(name);
          results.push_back(array);
        }
        return results;
      });
  ReferenceArrays found;
  for (size_t number = 0; number < outputs.size(); ++number)
    found[names[number]] = std::move(outputs[number]);
  return found;
}

} // namespace compiler
