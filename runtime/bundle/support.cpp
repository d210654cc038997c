#include "runtime/bundle/support.h"

#include "runtime/support/checked.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

// The terms section is read and written as the machine stores it.
static_assert(std::endian::native == std::endian::little, "bundles are little-endian");

namespace algrt {

namespace {

[[noreturn]] void refuse(const std::string &what) { throw Error(ALGRT_BAD_BUNDLE, "terms section: " + what); }

void checkTerm(const Term &term, const Layer &layer, int64_t index) {
  const std::string which = "term " + std::to_string(index);
  if (term.input_group < 0 || size_t(term.input_group) >= layer.in_groups.size())
    refuse(which + " names input group " + std::to_string(term.input_group) + " of " +
           std::to_string(layer.in_groups.size()));
  if (term.bank_row < 0 || size_t(term.bank_row) >= layer.bank_rows.size())
    refuse(which + " names bank row group " + std::to_string(term.bank_row) + " of " +
           std::to_string(layer.bank_rows.size()));
  if (layer.in_groups[term.input_group] != layer.bank_rows[term.bank_row])
    refuse(which + " multiplies " + std::to_string(layer.in_groups[term.input_group]) +
           " columns of x with " + std::to_string(layer.bank_rows[term.bank_row]) + " rows of the bank");
  if (!std::isfinite(term.coefficient))
    refuse(which + " has a coefficient that is not finite");
}

} // namespace

Support Support::complete(int64_t types) {
  Support support;
  support.kind_ = SupportKind::complete;
  support.output_groups_ = types;
  return support;
}

Support Support::parseTable(std::string_view section, const Layer &layer) {
  const int64_t groups = int64_t(layer.out_groups.size());
  int64_t header[3];
  if (section.size() < sizeof(header))
    refuse("is shorter than its three counts");
  std::memcpy(header, section.data(), sizeof(header));
  const auto [types, output_groups, count] = header;
  if (types != layer.types || output_groups != groups)
    refuse("is for " + std::to_string(types) + " types and " + std::to_string(output_groups) +
           " output groups, the layer has " + std::to_string(layer.types) + " and " + std::to_string(groups));
  if (count < 0)
    refuse("has a negative count");
  const int64_t slots = checkedMultiply(types, output_groups, "terms section: slots");
  const int64_t offset_bytes = checkedMultiply(slots + 1, int64_t(8), "terms section: offsets");
  const int64_t term_bytes = checkedMultiply(count, int64_t(sizeof(Term)), "terms section: terms");
  const int64_t needed = checkedAdd(checkedAdd(int64_t(sizeof(header)), offset_bytes, "terms section"),
                                    term_bytes, "terms section");
  if (uint64_t(needed) != section.size())
    refuse("holds " + std::to_string(section.size()) + " bytes, its counts need " + std::to_string(needed));
  Support support;
  support.kind_ = SupportKind::table;
  support.output_groups_ = output_groups;
  support.offsets_.resize(size_t(slots) + 1);
  std::memcpy(support.offsets_.data(), section.data() + sizeof(header), size_t(offset_bytes));
  support.terms_.resize(size_t(count));
  if (count != 0)
    std::memcpy(support.terms_.data(), section.data() + sizeof(header) + offset_bytes, size_t(term_bytes));
  if (support.offsets_.front() != 0 || support.offsets_.back() != count ||
      !std::is_sorted(support.offsets_.begin(), support.offsets_.end()))
    refuse("its offsets do not rise from 0 to the number of terms");
  for (int64_t i = 0; i < count; ++i)
    checkTerm(support.terms_[i], layer, i);
  return support;
}

std::span<const Term> Support::terms(int64_t type, int64_t output_group, std::array<Term, 2> &storage) const {
  if (kind_ == SupportKind::table) {
    const int64_t slot = type * output_groups_ + output_group;
    return std::span(terms_).subspan(size_t(offsets_[slot]), size_t(offsets_[slot + 1] - offsets_[slot]));
  }
  const int32_t low = int32_t(std::min(type, output_group)), high = int32_t(std::max(type, output_group));
  storage[0] = {low, low, 1.0};
  storage[1] = {high, high, 1.0};
  return {storage.data(), size_t(low == high ? 1 : 2)};
}

int64_t Support::rowMacs(const Layer &layer, int64_t type) const {
  std::array<Term, 2> storage;
  int64_t macs = 0;
  for (int64_t group = 0; group < int64_t(layer.out_groups.size()); ++group)
    for (const Term &term : terms(type, group, storage)) {
      int64_t block =
          checkedMultiply(layer.in_groups[term.input_group], layer.out_groups[group], "MACs of a row");
      macs = checkedAdd(macs, block, "MACs of a row");
    }
  return macs;
}

std::string encodeTerms(int64_t types, int64_t output_groups, const std::vector<std::vector<Term>> &terms) {
  if (int64_t(terms.size()) != checkedMultiply(types, output_groups, "terms section: slots"))
    throw Error(ALGRT_INTERNAL, "encodeTerms: " + std::to_string(terms.size()) + " slots instead of " +
                                    std::to_string(types) + " times " + std::to_string(output_groups));
  std::vector<int64_t> numbers = {types, output_groups, 0, 0};
  for (const std::vector<Term> &slot : terms)
    numbers.push_back(numbers.back() + int64_t(slot.size()));
  numbers[2] = numbers.back();
  std::string bytes(reinterpret_cast<const char *>(numbers.data()), numbers.size() * sizeof(int64_t));
  for (const std::vector<Term> &slot : terms)
    bytes.append(reinterpret_cast<const char *>(slot.data()), slot.size() * sizeof(Term));
  return bytes;
}

} // namespace algrt
