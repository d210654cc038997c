#include "algebras/lift.h"

#include "algebras/checked.h"
#include "algebras/error.h"
#include "algebras/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace algebras {

namespace {

void requireIndex(int64_t index, int64_t size, const char *what) {
  if (index < 0 || index >= size)
    throw std::out_of_range(fmt::format("{} {} of {}", what, index, size));
}

// Of an algebra whose constants are 1.
std::optional<TermFormula> formulaOf(const Algebra &algebra) {
  // (i,i), (j,j) exist always, so B(i,j) contains i and j wherever (i,j) exists: with all n^2 positions
  // there, 2n^2 - n products leave room for nothing else.
  const auto n = static_cast<__int128>(algebra.positions());
  if (algebra.dimension() == n * n && algebra.nonzeros() == 2 * n * n - n)
    return TermFormula::Complete;
  switch (algebra.kind()) {
  case Algebra::Kind::Triangular:
    return TermFormula::Triangular;
  case Algebra::Kind::Coordinates:
    return TermFormula::Diagonal;
  case Algebra::Kind::Matrices:
    return TermFormula::Full;
  default:
    return std::nullopt;
  }
}

BlockTerm ofGroup(int64_t group) { return {group, group, Rational(1)}; }

// Of groups first, first + 1, ..., end - 1.
std::vector<BlockTerm> ofGroups(int64_t first, int64_t end) {
  std::vector<BlockTerm> result;
  for (int64_t group = first; group < end; ++group)
    result.push_back(ofGroup(group));
  return result;
}

// Of a complete graph read backwards x_j takes part in y_j of every type, and x_i of type i in all.
std::vector<BlockTerm> transposedFormula(TermFormula formula, int64_t groups, int64_t type, int64_t group) {
  switch (formula) {
  case TermFormula::Complete:
    return type == group ? ofGroups(0, groups) : ofGroups(group, group + 1);
  case TermFormula::Triangular: // y_j with type <= group <= j
    return ofGroups(type <= group ? group : groups, groups);
  case TermFormula::Diagonal:
    return ofGroups(group, type == group ? group + 1 : group);
  case TermFormula::Full:
    return ofGroups(0, groups);
  }
  throw std::logic_error("all formulas are above");
}

// What falls apart into blocks seldom means the row lift.
std::string rowsNote(const Algebra &algebra) {
  if (algebra.kind() == Algebra::Kind::Coordinates && algebra.parameter() > 1)
    return fmt::format(
        "in the row lift a token of {} reads one group of {} and writes it alone; a block-diagonal layer, "
        "where every token uses all groups, is lift = \"slots\"",
        algebra.name(), algebra.parameter());
  if (algebra.kind() == Algebra::Kind::DirectProduct)
    return fmt::format(
        "in the row lift a token of {} uses the groups of one factor only; a layer where every token uses "
        "all factors is lift = \"slots\"",
        algebra.name());
  return {};
}

} // namespace

// What copies share.
struct Lift::Details {
  std::vector<Lift> factors;
  std::optional<TermFormula> formula;
  bool constants_one = true; // of rows; asked once, since a table looks at all of its constants
  // Of transposed lifts whose terms follow neither from a formula nor from factors: the lists of (type,
  // output group), one after another.
  std::vector<int64_t> starts; // of each list, and the end of the last
  std::vector<BlockTerm> terms;
};

Lift::Lift(Kind kind, const Algebra &algebra) : kind_(kind), algebra_(algebra) {
  auto details = std::make_shared<Details>();
  if (kind == Kind::Rows) {
    types_ = algebra.rowTypes();
    groups_ = algebra.positions();
    note_ = rowsNote(algebra);
    details->constants_one = algebra.hasConstantsOne();
    if (details->constants_one)
      details->formula = formulaOf(algebra);
  } else {
    groups_ = algebra.dimension();
  }
  if (algebra.kind() == Algebra::Kind::Tensor)
    for (const Algebra &factor : algebra.factors())
      details->factors.push_back(Lift(kind, factor));
  details_ = std::move(details);
}

Lift Lift::rows(const Algebra &algebra) {
  if (!algebra.hasPositions())
    throw InputError(
        fmt::format("{} has no rows: its slots do not sit at positions of a matrix", algebra.name()))
        .hint("use lift = \"slots\", where a token carries all slots");
  return Lift(Kind::Rows, algebra);
}

Lift Lift::slots(const Algebra &algebra) { return Lift(Kind::Slots, algebra); }

Lift Lift::parse(std::string_view kind, const Algebra &algebra) {
  if (kind == "rows")
    return rows(algebra);
  if (kind == "slots")
    return slots(algebra);
  throw InputError(fmt::format("'{}' is not a lift", kind.substr(0, 80))).hint("write \"rows\" or \"slots\"");
}

Lift Lift::transposed() const {
  Lift result = *this;
  result.transposed_ = !transposed_;
  auto details = std::make_shared<Details>();
  details->formula = details_->formula;
  details->constants_one = details_->constants_one;
  for (const Lift &factor : details_->factors)
    details->factors.push_back(factor.transposed());
  if (result.transposed_ && !details->formula && details->factors.empty())
    transposeTerms(*details);
  result.details_ = std::move(details);
  return result;
}

void Lift::transposeTerms(Details &details) const {
  // Counting sort by (type, input group), which keeps the output groups ascending.
  details.starts.resize(checkedAdd(checkedMultiply(types_, groups_, "the number of groups of all types"), 1,
                                   "the number of groups of all types"));
  auto for_each = [&](auto visit) {
    for (int64_t type = 0; type < types_; ++type)
      for (int64_t group = 0; group < groups_; ++group)
        for (const BlockTerm &term : terms(type, group))
          visit(type * groups_ + term.input_group, group, term);
  };
  for_each([&](int64_t list, int64_t, const BlockTerm &) { ++details.starts[list + 1]; });
  std::partial_sum(details.starts.begin(), details.starts.end(), details.starts.begin());
  details.terms.resize(details.starts.back());
  std::vector<int64_t> next(details.starts.begin(), details.starts.end() - 1);
  for_each([&](int64_t list, int64_t group, const BlockTerm &term) {
    const int64_t weight_row = kind_ == Kind::Rows ? group : term.weight_row;
    details.terms[next[list]++] = {group, weight_row, term.coefficient};
  });
}

int64_t Lift::typeOfRow(int64_t position) const {
  if (kind_ == Kind::Slots)
    throw std::logic_error("the slots lift has no rows");
  return algebra_.rowTypeOf(position);
}

const std::vector<Lift> &Lift::factors() const { return details_->factors; }

std::optional<TermFormula> Lift::formula() const { return details_->formula; }

std::vector<BlockTerm> Lift::terms(int64_t type, int64_t output_group) const {
  requireIndex(type, types_, "row type");
  requireIndex(output_group, groups_, "output group");
  std::vector<BlockTerm> result;
  if (transposed_ && details_->formula)
    return transposedFormula(*details_->formula, groups_, type, output_group);
  if (transposed_ && !details_->factors.empty())
    return termsOfFactors(type, output_group);
  if (transposed_) {
    auto list = details_->starts.begin() + (type * groups_ + output_group);
    return {details_->terms.begin() + list[0], details_->terms.begin() + list[1]};
  }
  if (kind_ == Kind::Rows) {
    const int64_t row = algebra_.firstRowOf(type);
    for (int64_t k : algebra_.support(row, output_group))
      result.push_back(ofGroup(k));
    if (!result.empty() && !details_->constants_one)
      setCoefficients(row, output_group, result);
    return result;
  }
  for (const Constant &constant : algebra_.constantsInto(output_group)) // sorted by (i, j)
    result.push_back({constant.i, constant.j, constant.value});
  return result;
}

void Lift::setCoefficients(int64_t row, int64_t output_group, std::vector<BlockTerm> &terms) const {
  const std::vector<Constant> constants = // sorted by (i, j)
      algebra_.constantsInto(*algebra_.slotAt({row, output_group}));
  for (BlockTerm &term : terms) {
    const auto slots = std::tuple(*algebra_.slotAt({row, term.input_group}),
                                  *algebra_.slotAt({term.weight_row, output_group}));
    const auto found = std::ranges::lower_bound(
        constants, slots, {}, [](const Constant &constant) { return std::tuple(constant.i, constant.j); });
    term.coefficient = found->value;
  }
}

std::vector<BlockTerm> Lift::termsOfFactors(int64_t type, int64_t output_group) const {
  // From the last factor, whose digits are the lowest, to the first.
  std::vector<BlockTerm> result{ofGroup(0)};
  int64_t low_groups = 1;
  for (auto factor = factors().rbegin(); factor != factors().rend(); ++factor) {
    std::vector<BlockTerm> next;
    for (const BlockTerm &term : factor->terms(type % factor->types_, output_group % factor->groups_))
      for (const BlockTerm &low : result)
        next.push_back({term.input_group * low_groups + low.input_group,
                        term.weight_row * low_groups + low.weight_row, term.coefficient * low.coefficient});
    result = std::move(next);
    low_groups *= factor->groups_;
    type /= factor->types_;
    output_group /= factor->groups_;
  }
  if (kind_ == Kind::Slots) // pairs of tuples are not in the order of tuples of pairs
    std::sort(result.begin(), result.end(), [](const BlockTerm &a, const BlockTerm &b) {
      return std::tie(a.input_group, a.weight_row) < std::tie(b.input_group, b.weight_row);
    });
  return result;
}

int64_t Lift::termCount(int64_t type, int64_t output_group) const {
  requireIndex(type, types_, "row type");
  requireIndex(output_group, groups_, "output group");
  if (!factors().empty()) {
    int64_t count = 1; // at most all products of the algebra, whose number fits
    for (auto factor = factors().rbegin(); factor != factors().rend(); ++factor) {
      count *= factor->termCount(type % factor->types_, output_group % factor->groups_);
      type /= factor->types_;
      output_group /= factor->groups_;
    }
    return count;
  }
  if (formula() && !transposed_)
    switch (*formula()) {
    case TermFormula::Complete:
      return type == output_group ? 1 : 2;
    case TermFormula::Triangular:
      return std::max<int64_t>(0, output_group - type + 1);
    case TermFormula::Diagonal:
      return type == output_group;
    case TermFormula::Full:
      return groups_;
    }
  if (formula() == TermFormula::Triangular)
    return type <= output_group ? groups_ - output_group : 0;
  return static_cast<int64_t>(terms(type, output_group).size());
}

int64_t Lift::termCountOfType(int64_t type) const {
  requireIndex(type, types_, "row type");
  const char *what = "the number of terms";
  if (!factors().empty()) {
    int64_t count = 1;
    for (auto factor = factors().rbegin(); factor != factors().rend(); ++factor) {
      count = checkedMultiply(count, factor->termCountOfType(type % factor->types_), what);
      type /= factor->types_;
    }
    return count;
  }
  if (formula())
    switch (*formula()) { // the transpose has as many
    case TermFormula::Complete:
      return 2 * groups_ - 1;
    case TermFormula::Triangular: // 1 + 2 + ... for the groups from `type` on
      return checkedMultiply(groups_ - type, groups_ - type + 1, what) / 2;
    case TermFormula::Diagonal:
      return 1;
    case TermFormula::Full:
      return checkedMultiply(groups_, groups_, what);
    }
  int64_t count = 0;
  for (int64_t group = 0; group < groups_; ++group)
    count = checkedAdd(count, termCount(type, group), what);
  return count;
}

int64_t Lift::termCount() const {
  if (kind_ == Kind::Slots || types_ == groups_)
    return algebra_.nonzeros();
  int64_t count = 1;
  for (const Lift &factor : factors())
    count = checkedMultiply(count, factor.termCount(), "the number of terms");
  if (!factors().empty())
    return count;
  // Rows of one type are equal, so that each type's first row stands for it.
  count = 0;
  for (int64_t type = 0; type < types_; ++type)
    count = checkedAdd(count, termCountOfType(type), "the number of terms");
  return count;
}

std::optional<int64_t> Lift::completeGraph() const {
  return formula() == TermFormula::Complete ? std::optional(groups_) : std::nullopt;
}

bool Lift::isGraph() const {
  const Algebra::Kind kind = algebra_.kind();
  return kind_ == Kind::Rows && !transposed_ &&
         (completeGraph() || kind == Algebra::Kind::Graph || kind == Algebra::Kind::Path ||
          kind == Algebra::Kind::Coordinates);
}

bool Lift::reads(int64_t type, int64_t group) const {
  requireIndex(type, types_, "row type");
  requireIndex(group, groups_, "input group");
  return transposed_ ? hasOutput(type, group) : hasInput(type, group);
}

bool Lift::writes(int64_t type, int64_t group) const {
  requireIndex(type, types_, "row type");
  requireIndex(group, groups_, "output group");
  return transposed_ ? hasInput(type, group) : hasOutput(type, group);
}

bool Lift::hasInput(int64_t type, int64_t group) const {
  if (kind_ == Kind::Rows) // (i,k) times (k,k) is kept wherever (i,k) exists
    return algebra_.slotAt({algebra_.firstRowOf(type), group}).has_value();
  for (int64_t output = 0; output < groups_; ++output)
    for (const Constant &constant : algebra_.constantsInto(output))
      if (constant.i == group)
        return true;
  return false;
}

bool Lift::hasOutput(int64_t type, int64_t group) const {
  if (kind_ == Kind::Rows)
    return algebra_.slotAt({algebra_.firstRowOf(type), group}).has_value();
  return !algebra_.constantsInto(group).empty();
}

bool Lift::isLive(int64_t weight_row, int64_t output_group) const {
  requireIndex(weight_row, groups_, "weight row");
  requireIndex(output_group, groups_, "output group");
  if (transposed_ && kind_ == Kind::Rows)
    std::swap(weight_row, output_group);
  if (kind_ == Kind::Rows) // (k,k) times (k,j) is kept wherever (k,j) exists
    return algebra_.slotAt({weight_row, output_group}).has_value();
  for (int64_t output = 0; output < groups_; ++output)
    for (const Constant &constant : algebra_.constantsInto(output))
      if (constant.j == weight_row)
        return true;
  return false;
}

int64_t Lift::liveBlocks() const {
  if (kind_ == Kind::Rows)
    return algebra_.dimension();
  if (algebra_.isMatrixLike())
    return groups_; // unital: no slot is without effect
  std::vector<bool> live(groups_);
  for (int64_t output = 0; output < groups_; ++output)
    for (const Constant &constant : algebra_.constantsInto(output))
      live[constant.j] = true;
  return std::count(live.begin(), live.end(), true);
}

int64_t Lift::weightBlocks() const {
  return kind_ == Kind::Rows ? checkedMultiply(groups_, groups_, "the number of blocks of the weight matrix")
                             : groups_;
}

bool Lift::weightIdentityIsIdentity() const {
  if (kind_ == Kind::Rows)
    return algebra_.dimension() == weightBlocks() && details_->constants_one;
  return algebra_.isMatrixLike() || findIdentity(algebra_.expand()).has_value();
}

} // namespace algebras
