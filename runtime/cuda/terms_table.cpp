#include "runtime/cuda/terms_table.h"

#include "runtime/cuda/operand_view.h"
#include "runtime/support/checked.h"
#include "runtime/support/memory.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace algrt::cuda {

namespace {

constexpr int32_t negative = std::numeric_limits<int32_t>::min(); // bit 31 of a weight row

[[noreturn]] void refuse(const std::string &what) { throw Error(ALGRT_UNSUPPORTED, what); }

float scaleOf(double coefficient) {
  const float scale = float(coefficient);
  if (!std::isfinite(scale))
    refuse("a term has the coefficient " + std::to_string(coefficient) + ", which is beyond f32");
  return scale;
}

void requireSign(double coefficient) {
  if (coefficient != 1 && coefficient != -1)
    refuse("a term has the coefficient " + std::to_string(coefficient) +
           ", the kernel knows 1 and -1: compile it for scaled terms");
}

// The terms of one (type, output group) as the kernel counts groups.
std::vector<Term> termsOf(const Support &support, int64_t type, int64_t group, int64_t joined) {
  TermStorage storage;
  std::vector<Term> terms;
  // Groups that are one to the kernel enter together, block for block: the first of each speaks for all.
  for (const Term &term : support.terms(type, group * joined, storage))
    if (term.input_group % joined == 0 && term.weight_row % joined == 0)
      terms.push_back(
          {int32_t(term.input_group / joined), int32_t(term.weight_row / joined), term.coefficient});
  return terms;
}

// Those of a type, group after group. Transposed, a term that takes group k to group j takes j to k, by block
// (j, k) of the transposed weight matrix or, in the slot lift, by its own block; so they stay ascending.
std::vector<std::vector<Term>> termsOfType(const Layer &layer, const GpuKernel &kernel,
                                           const Support &support, int64_t type, int64_t groups) {
  const int64_t joined = int64_t(layer.out_groups.size()) / groups;
  std::vector<std::vector<Term>> lists(static_cast<size_t>(groups));
  for (int64_t group = 0; group < groups; ++group) {
    std::vector<Term> terms = termsOf(support, type, group, joined);
    if (kernel.map == Map::Forward) {
      lists[size_t(group)] = std::move(terms);
      continue;
    }
    for (const Term &term : terms)
      lists[size_t(term.input_group)].push_back(
          {int32_t(group), layer.lift == Lift::Slots ? term.weight_row : int32_t(group), term.coefficient});
  }
  return lists;
}

// Rows of `groups` numbers each, as long as `counts`: of each row those of the greatest counts first, among
// equals in their order.
void appendOrder(std::vector<int32_t> &table, const std::vector<int64_t> &counts, int64_t groups) {
  std::vector<int32_t> order(static_cast<size_t>(groups));
  for (size_t row = 0; row < counts.size(); row += size_t(groups)) {
    const int64_t *const count = counts.data() + row;
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int32_t a, int32_t b) { return count[a] != count[b] ? count[a] > count[b] : a < b; });
    table.insert(table.end(), order.begin(), order.end());
  }
}

// The starts of some lists of terms and their words, as they are appended one by one.
class TableOfLists {
public:
  // `begin` are the words before the starts, which those do not count.
  TableOfLists(std::vector<int32_t> begin, bool scaled) : scaled_(scaled), begin_(std::move(begin)) {}

  // `words` are those of a term before its coefficient, of which the last one takes the sign.
  void append(std::initializer_list<int32_t> words, double coefficient) {
    words_.insert(words_.end(), words);
    if (scaled_) {
      words_.push_back(std::bit_cast<int32_t>(scaleOf(coefficient)));
    } else {
      requireSign(coefficient);
      if (coefficient < 0)
        words_.back() |= negative;
    }
    if (++count_ > most_int32)
      refuse("the layer has more terms than 32 bits count");
  }
  int64_t count() const { return count_; }
  void endList() { starts_.push_back(int32_t(count_)); }
  std::vector<int32_t> all() && {
    begin_.insert(begin_.end(), starts_.begin(), starts_.end());
    begin_.insert(begin_.end(), words_.begin(), words_.end());
    return std::move(begin_);
  }

private:
  bool scaled_;
  int64_t count_ = 0;
  std::vector<int32_t> begin_, starts_ = {0}, words_;
};

// The lists with which the table of a kernel of unequal groups begins, as the kernel counts groups.
std::vector<int32_t> groupStarts(const Layer &layer, const KernelShape &shape) {
  std::vector<int32_t> words;
  if (!shape.unequal)
    return words;
  words.reserve(size_t(shape.listWords()));
  const auto append = [&](const std::vector<int64_t> &widths, int64_t count) {
    const size_t joined = widths.size() / size_t(count);
    int64_t start = 0;
    words.push_back(0);
    for (size_t group = 0; group < widths.size(); ++group) {
      start += widths[group];
      if (start > most_int32)
        refuse("the layer has more columns than 32 bits count");
      if ((group + 1) % joined == 0)
        words.push_back(int32_t(start));
    }
  };
  const bool transposed = shape.map == Map::Dx;
  append(layer.in_groups, transposed ? shape.out_groups : shape.in_groups);
  append(layer.out_groups, transposed ? shape.in_groups : shape.out_groups);
  append(layer.weight_rows, shape.weight_row_groups);
  return words;
}

std::vector<int32_t> productTable(const Layer &layer, const GpuKernel &kernel, const Support &support) {
  const KernelShape shape = kernelShape(layer, kernel);
  // Terms are of the layer's output groups, also where the kernel writes the input groups.
  const int64_t groups = shape.out_groups;
  checkedMultiply(layer.types, groups, "terms table: slots");
  const std::vector<int32_t> starts = groupStarts(layer, shape);
  TableOfLists table(starts, kernel.scaled);
  std::vector<int64_t> counts;
  for (int64_t type = 0; type < layer.types; ++type)
    for (std::vector<Term> &terms : termsOfType(layer, kernel, support, type, groups)) {
      if (kernel.scaled)
        std::sort(terms.begin(), terms.end(), [](const Term &a, const Term &b) {
          return std::tuple(scaleOf(a.coefficient), a.input_group, a.weight_row) <
                 std::tuple(scaleOf(b.coefficient), b.input_group, b.weight_row);
        });
      const int64_t before = table.count();
      for (const Term &term : terms) {
        if (!shape.unequal) {
          table.append({term.input_group, term.weight_row}, term.coefficient);
          continue;
        }
        // The columns of what is read: X's input groups, or dY's output groups.
        const int32_t *const group = starts.data() +
                                     (kernel.map == Map::Dx ? shape.outputList() : shape.inputList()) +
                                     term.input_group;
        for (int64_t column = 0; column < group[1] - group[0]; column += kernel.tile.depth)
          table.append({term.input_group, int32_t(column), term.weight_row}, term.coefficient);
      }
      table.endList();
      counts.push_back(table.count() - before);
    }
  std::vector<int32_t> words = std::move(table).all();
  if (kernel.tile.longest_first > 0)
    appendOrder(words, counts, groups);
  return words;
}

struct WeightTerm {
  int32_t type, input_group, output_group;
  double coefficient;
};

// The terms of a block whose every term is there for all types: each of them once, of the type number
// `types`. Those of any other block stay as they are.
std::vector<WeightTerm> ofAllTypes(std::vector<WeightTerm> terms, int64_t types) {
  const auto key = [](const WeightTerm &term) {
    return std::tuple(term.input_group, term.output_group, term.coefficient, term.type);
  };
  std::vector<WeightTerm> sorted = terms, merged;
  std::sort(sorted.begin(), sorted.end(),
            [&](const WeightTerm &a, const WeightTerm &b) { return key(a) < key(b); });
  // Types are ascending among equals, and none is there twice: so many of them are all.
  const auto same = [](const WeightTerm &a, const WeightTerm &b) {
    return a.input_group == b.input_group && a.output_group == b.output_group &&
           a.coefficient == b.coefficient;
  };
  for (size_t i = 0; i < sorted.size(); i += size_t(types)) {
    const size_t last = i + size_t(types) - 1;
    if (last >= sorted.size() || !same(sorted[i], sorted[last]) || sorted[last].type != types - 1)
      return terms;
    merged.push_back({int32_t(types), sorted[i].input_group, sorted[i].output_group, sorted[i].coefficient});
  }
  return merged;
}

std::vector<int32_t> weightTable(const Layer &layer, const GpuKernel &kernel, const Support &support) {
  const KernelShape shape = kernelShape(layer, kernel);
  const int64_t blocks = checkedMultiply(shape.weight_row_groups, shape.weight_groups, "terms table: blocks");
  const int64_t joined = int64_t(layer.out_groups.size()) / shape.out_groups;
  std::vector<std::vector<WeightTerm>> lists(static_cast<size_t>(blocks));
  for (int64_t type = 0; type < layer.types; ++type)
    for (int64_t group = 0; group < shape.out_groups; ++group)
      for (const Term &term : termsOf(support, type, group, joined)) {
        const int64_t column = shape.weight_groups == 1 ? 0 : group;
        lists[size_t(term.weight_row * shape.weight_groups + column)].push_back(
            {int32_t(type), term.input_group, int32_t(group), term.coefficient});
      }
  TableOfLists table(groupStarts(layer, shape), kernel.scaled);
  std::vector<int64_t> counts;
  for (std::vector<WeightTerm> &list : lists) {
    counts.push_back(int64_t(list.size()));
    std::vector<WeightTerm> terms = ofAllTypes(std::move(list), layer.types);
    const auto key = [&](const WeightTerm &term) {
      return std::tuple(kernel.scaled ? scaleOf(term.coefficient) : 0, term.type, term.output_group,
                        term.input_group);
    };
    std::sort(terms.begin(), terms.end(),
              [&](const WeightTerm &a, const WeightTerm &b) { return key(a) < key(b); });
    for (const WeightTerm &term : terms)
      table.append({term.type, term.input_group, term.output_group}, term.coefficient);
    table.endList();
  }
  std::vector<int32_t> words = std::move(table).all();
  if (kernel.tile.longest_first > 0)
    appendOrder(words, counts, shape.weight_groups);
  return words;
}

// Before any of them is looked at: a product of a few factors may have more terms than there is memory.
void requireTermsFit(const Layer &layer, const GpuKernel &kernel, const Support &support) {
  int64_t terms = 0;
  for (int64_t type = 0; type < layer.types; ++type)
    terms = checkedAdd(terms, support.countOfType(type), "terms table: terms");
  // Of the terms between groups that are joined, one stands for all.
  const KernelShape shape = kernelShape(layer, kernel);
  const int64_t joined = int64_t(layer.out_groups.size()) / shape.out_groups;
  terms /= joined * joined;
  if (terms > most_int32)
    refuse("the layer has " + std::to_string(terms) + " terms, more than 32 bits count");
  // Between groups of unequal widths a product has an entry for each step of a term.
  int64_t entries = terms;
  if (shape.unequal && !shape.isWeightGradient()) {
    const std::vector<int64_t> &read = kernel.map == Map::Dx ? layer.out_groups : layer.in_groups;
    const int64_t widest = checkedMultiply(*std::ranges::max_element(read), joined, "terms table: columns");
    entries = checkedMultiply(terms, ceilDivide(widest, kernel.tile.depth), "terms table: entries");
  }
  constexpr int64_t few = 1 << 20, bytes = 3 * sizeof(int32_t) + sizeof(Term);
  if (entries > few)
    requireMemory(uint64_t(checkedMultiply(entries, bytes, "the terms table of a kernel")),
                  "the terms table of a kernel");
}

} // namespace

std::vector<int32_t> termsTable(const Layer &layer, const GpuKernel &kernel, const Support &support) {
  requireTermsFit(layer, kernel, support);
  return kernel.map == Map::Dw ? weightTable(layer, kernel, support) : productTable(layer, kernel, support);
}

} // namespace algrt::cuda
