#include "runtime/cuda/terms_table.h"

#include "runtime/cuda/operand_view.h"
#include "runtime/support/checked.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace algrt::cuda {

namespace {

constexpr int64_t most_int32 = std::numeric_limits<int32_t>::max();
constexpr int32_t negative = std::numeric_limits<int32_t>::min(); // bit 31 of a bank row

[[noreturn]] void refuse(const std::string &what) { throw Error(ALGRT_UNSUPPORTED, what); }

float scaleOf(const Term &term) {
  const float scale = float(term.coefficient);
  if (!std::isfinite(scale))
    refuse("a term has the coefficient " + std::to_string(term.coefficient) + ", which is beyond f32");
  return scale;
}

// The terms of one (type, output group) as the kernel counts groups.
std::vector<Term> termsOf(const Support &support, int64_t type, int64_t group, int64_t joined) {
  std::array<Term, 2> storage;
  std::vector<Term> terms;
  // Groups that are one to the kernel enter together, block for block: the first of each speaks for all.
  for (const Term &term : support.terms(type, group * joined, storage))
    if (term.input_group % joined == 0 && term.bank_row % joined == 0)
      terms.push_back(
          {int32_t(term.input_group / joined), int32_t(term.bank_row / joined), term.coefficient});
  return terms;
}

void appendSigned(std::vector<int32_t> &words, const Term &term) {
  if (term.coefficient != 1 && term.coefficient != -1)
    refuse("a term has the coefficient " + std::to_string(term.coefficient) +
           ", the kernel knows 1 and -1: compile it for scaled terms");
  words.insert(words.end(),
               {term.input_group, term.coefficient < 0 ? term.bank_row | negative : term.bank_row});
}

void appendScaled(std::vector<int32_t> &words, const Term &term) {
  words.insert(words.end(), {term.input_group, term.bank_row, std::bit_cast<int32_t>(scaleOf(term))});
}

// Those of a type, group after group. Transposed, a term that takes group k to group j takes j to k, by block
// (j, k) of the transposed bank or, in the slot lift, by its own block; so they stay ascending.
std::vector<std::vector<Term>> termsOfType(const Layer &layer, const GpuKernel &kernel,
                                           const Support &support, int64_t type, int64_t groups) {
  const int64_t joined = int64_t(layer.out_groups.size()) / groups;
  std::vector<std::vector<Term>> lists(static_cast<size_t>(groups));
  for (int64_t group = 0; group < groups; ++group) {
    std::vector<Term> terms = termsOf(support, type, group, joined);
    if (kernel.map == Map::forward) {
      lists[size_t(group)] = std::move(terms);
      continue;
    }
    for (const Term &term : terms)
      lists[size_t(term.input_group)].push_back(
          {int32_t(group), layer.lift == Lift::slots ? term.bank_row : int32_t(group), term.coefficient});
  }
  return lists;
}

// The groups of each type, most terms first, among equals by their number. The counts are the table's own.
void appendOrder(std::vector<int32_t> &table, int64_t types, int64_t groups) {
  std::vector<int32_t> order(static_cast<size_t>(groups));
  for (int64_t type = 0; type < types; ++type) {
    const int32_t *starts = table.data() + type * groups;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return starts[a + 1] - starts[a] > starts[b + 1] - starts[b];
    });
    table.insert(table.end(), order.begin(), order.end());
  }
}

} // namespace

std::vector<int32_t> termsTable(const Layer &layer, const GpuKernel &kernel, const Support &support) {
  const int64_t groups = kernelShape(layer, kernel).out_groups;
  const int64_t slots = checkedMultiply(layer.types, groups, "terms table: slots");
  std::vector<int32_t> starts = {0}, words;
  int64_t count = 0;
  std::vector<std::vector<Term>> lists;
  for (int64_t slot = 0; slot < slots; ++slot) {
    if (slot % groups == 0)
      lists = termsOfType(layer, kernel, support, slot / groups, groups);
    std::vector<Term> &terms = lists[size_t(slot % groups)];
    if (kernel.scaled)
      std::sort(terms.begin(), terms.end(), [](const Term &a, const Term &b) {
        return std::tuple(scaleOf(a), a.input_group, a.bank_row) <
               std::tuple(scaleOf(b), b.input_group, b.bank_row);
      });
    for (const Term &term : terms)
      kernel.scaled ? appendScaled(words, term) : appendSigned(words, term);
    count += int64_t(terms.size());
    if (count > most_int32)
      refuse("the layer has more terms than 32 bits count");
    starts.push_back(int32_t(count));
  }
  starts.insert(starts.end(), words.begin(), words.end());
  if (kernel.tile.long_groups > 0)
    appendOrder(starts, layer.types, groups);
  return starts;
}

} // namespace algrt::cuda
