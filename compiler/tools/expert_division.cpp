#include "compiler/tools/expert_division.h"

#include "compiler/process/failure.h"

#include <fmt/format.h>
#include <limits>
#include <random>

namespace compiler {

std::string dividedText(int64_t experts) {
  return experts == 0 ? "" : fmt::format(" divided among {} expert{}", experts, experts == 1 ? "" : "s");
}

ExpertDivision randomDivision(int64_t m, int64_t experts, uint64_t seed) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (m > most || experts > most)
    throw Failure(fmt::format("{} are more than starts of experts count, which have 32 bits",
                              m > most ? fmt::format("{} rows", m) : fmt::format("{} experts", experts)));
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

namespace {

// What part of a tensor an expert has: elements from one on.
struct Part {
  size_t first, count;
};

Part partOf(const algrt::Program &program, std::string_view tensor, size_t elements,
            const ExpertDivision &division, int64_t expert) {
  const algrt::ProgramOperand *operand = program.findOperand(tensor);
  if (operand != nullptr && operand->role == algrt::OperandRole::Weight) {
    const size_t own = elements / static_cast<size_t>(division.experts());
    return {static_cast<size_t>(expert) * own, own};
  }
  // What steps hand on has rows.
  if (operand != nullptr && operand->shape[0].symbol.empty())
    return {0, elements};
  const auto all_rows = static_cast<size_t>(division.starts.back());
  const size_t width = all_rows == 0 ? 0 : elements / all_rows;
  return {static_cast<size_t>(division.first(expert)) * width,
          static_cast<size_t>(division.rows(expert)) * width};
}

} // namespace

std::vector<double> partOfExpert(const algrt::Program &program, std::string_view tensor,
                                 const std::vector<double> &values, const ExpertDivision &division,
                                 int64_t expert) {
  const auto [first, count] = partOf(program, tensor, values.size(), division, expert);
  const auto begin = values.begin() + static_cast<ptrdiff_t>(first);
  return {begin, begin + static_cast<ptrdiff_t>(count)};
}

std::vector<ReferenceArray> evaluateExperts(const ExpertDivision &division, int64_t p0,
                                            const EvaluateExpert &evaluate) {
  std::vector<ReferenceArray> all;
  for (int64_t expert = 0; expert < division.experts(); ++expert) {
    if (division.rows(expert) == 0)
      continue;
    std::vector<ReferenceArray> own = evaluate(expert, division.rows(expert), p0 + division.first(expert));
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

ReferenceArrays
evaluateExperts(const algrt::Program &program, const ExpertDivision &division,
                const ReferenceArrays &operands, int64_t p0,
                const std::function<ReferenceArrays(const ReferenceArrays &, int64_t p0)> &evaluate) {
  std::vector<std::string> names;
  std::vector<ReferenceArray> outputs =
      evaluateExperts(division, p0, [&](int64_t expert, int64_t rows, int64_t first_position) {
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
        for (auto &[name, array] : evaluate(own, first_position)) {
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
