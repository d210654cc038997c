#include "algebras/quiver/completion.h"

#include "algebras/error.h"
#include "algebras/rational_flint.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <tuple>

namespace algebras {

namespace {

const Word &leadingWord(const Relation &relation) { return relation.sum.rbegin()->first; }

size_t bits(const Rational &value) {
  const fmpq *raw = FlintAccess::get(value);
  return fmpz_bits(fmpq_numref(raw)) + fmpz_bits(fmpq_denref(raw));
}

// Rewrites until nothing can be rewritten, largest paths first. `lookUp` finds a rule by its number; `step`
// is called with every path that is touched.
template <typename LookUp, typename Step>
PathSum rewrite(PathSum sum, const WordSet &words, const Field &field, LookUp lookUp, Step step) {
  PathSum result;
  while (!sum.empty()) {
    auto largest = std::prev(sum.end());
    Word word = largest->first;
    Rational coefficient = std::move(largest->second);
    sum.erase(largest);
    int64_t looked = 0;
    std::optional<WordSet::Match> match = words.findIn(word, looked);
    step(word, coefficient, looked);
    if (!match) {
      result.emplace(std::move(word), std::move(coefficient));
      continue;
    }
    const PathSum &rule = lookUp(match->number).sum;
    auto leading = std::prev(rule.end());
    Word before = word.substr(0, match->offset), after = word.substr(match->offset + leading->first.size());
    Rational factor = field.multiply(Rational(-1), coefficient);
    for (auto term = rule.begin(); term != leading; ++term) {
      step(word, factor, 0);
      addTerm(sum, before + term->first + after, field.multiply(factor, term->second), field);
    }
  }
  return result;
}

} // namespace

// The state of a completion: rules that are in force, and equations that wait to become rules.
class Completion {
public:
  Completion(const Quiver &quiver, const Field &field)
      : quiver_(quiver), field_(field), result_(quiver, field) {}

  RewritingRules run(const std::vector<Relation> &relations) {
    for (const Relation &relation : relations)
      wait(relation);
    for (;;) {
      if (!equations_.empty()) {
        auto first = equations_.begin();
        Relation equation = std::move(first->second);
        equations_.erase(first);
        adopt(std::move(equation));
      } else if (!overlaps_.empty()) {
        Overlap overlap = overlaps_.top();
        overlaps_.pop();
        if (is_in_force_[overlap.left] && is_in_force_[overlap.right])
          resolve(overlap);
      } else {
        break;
      }
    }
    finish();
    return std::move(result_);
  }

private:
  // The last `shared` arrows of the left rule's leading word begin that of the right rule.
  struct Overlap {
    size_t length; // of the two words laid over each other
    int64_t left, right;
    size_t shared;
    bool operator<(const Overlap &other) const { // the shortest one is on top, then the oldest
      return std::tie(length, left, right, shared) >
             std::tie(other.length, other.left, other.right, other.shared);
    }
  };

  // Long paths, long numbers and long searches count as `more` steps.
  void countStep(int64_t more) {
    steps_ += 1 + more;
    if (steps_ > RewritingRules::most_steps)
      giveUp(fmt::format("{} rewriting steps", RewritingRules::most_steps));
  }

  [[noreturn]] void giveUp(const std::string &limit) const {
    throw InputError(
        fmt::format("the completion of the relations did not stop within {}: {} rules so far, on paths "
                    "of up to {} arrows, so that it is not known which paths are equal",
                    limit, inForce(), longest_))
        .hint(
            "add relations that bound the length of paths, such as every path of some length around a cycle");
  }

  int64_t inForce() const { return std::count(is_in_force_.begin(), is_in_force_.end(), true); }

  void wait(Relation equation) {
    Word word = leadingWord(equation);
    equations_.emplace(std::move(word), std::move(equation));
  }

  PathSum reduced(PathSum sum) {
    return rewrite(
        std::move(sum), result_.leading_words_, field_,
        [&](int64_t number) -> const Relation & { return rules_[number]; },
        [&](const Word &word, const Rational &value, int64_t looked) {
          countStep(static_cast<int64_t>(word.size() / 64 + bits(value) / 256) + looked / 16);
        });
  }

  void adopt(Relation equation) {
    equation.sum = reduced(std::move(equation.sum));
    if (!result_.alive_[equation.source] || !result_.alive_[equation.target])
      equation.sum.erase(Word());
    if (equation.sum.empty())
      return;
    if (leadingWord(equation).empty())
      return kill(equation.source);
    Rational inverse = field_.reduce(Rational(1) / equation.sum.rbegin()->second);
    for (auto &[word, value] : equation.sum)
      value = field_.multiply(value, inverse);
    // Rules whose leading word contains the new one become equations again.
    const Word leading = leadingWord(equation);
    if (leading.size() < longest_)
      for (size_t number = 0; number < rules_.size(); ++number)
        if (is_in_force_[number] && leadingWord(rules_[number]).find(leading) != Word::npos) {
          is_in_force_[number] = false;
          result_.leading_words_.erase(leadingWord(rules_[number]));
          std::erase(sums_, static_cast<int64_t>(number));
          wait(std::move(rules_[number]));
        }
    insert(std::move(equation));
  }

  // The idempotent of the vertex is zero, and all that touches it.
  void kill(int64_t vertex) {
    result_.alive_[vertex] = false;
    for (int64_t arrow = 0; arrow < quiver_.arrowCount(); ++arrow)
      if (quiver_.arrow(arrow).source == vertex || quiver_.arrow(arrow).target == vertex)
        wait({quiver_.arrow(arrow).source,
              quiver_.arrow(arrow).target,
              {{Word(1, static_cast<char32_t>(arrow)), Rational(1)}}});
  }

  void insert(Relation rule) {
    auto number = static_cast<int64_t>(rules_.size());
    const Word leading = leadingWord(rule);
    bool is_path = rule.sum.size() == 1;
    longest_ = std::max(longest_, leading.size());
    result_.leading_words_.insert(leading, number);
    rules_.push_back(std::move(rule));
    is_in_force_.push_back(true);
    if (!is_path) {
      sums_.push_back(number);
      if (static_cast<int64_t>(sums_.size()) > RewritingRules::most_rules)
        giveUp(fmt::format("{} rules", RewritingRules::most_rules));
    }
    // Two paths that are zero agree on every overlap.
    if (is_path) {
      for (int64_t other : sums_)
        overlapBothWays(number, other);
      return;
    }
    for (int64_t other = 0; other < number; ++other)
      if (is_in_force_[other])
        overlapBothWays(number, other);
    findOverlaps(number, number);
  }

  void overlapBothWays(int64_t one, int64_t other) {
    findOverlaps(one, other);
    findOverlaps(other, one);
  }

  void findOverlaps(int64_t left, int64_t right) {
    const Word &first = leadingWord(rules_[left]), &second = leadingWord(rules_[right]);
    countStep(static_cast<int64_t>(std::min(first.size(), second.size()) / 16));
    for (size_t shared = 1; shared < std::min(first.size(), second.size()); ++shared)
      if (first.compare(first.size() - shared, shared, second, 0, shared) == 0)
        overlaps_.push({first.size() + second.size() - shared, left, right, shared});
  }

  // left * after and before * right have the same leading word: their difference is an equation.
  void resolve(const Overlap &overlap) {
    const Relation &left = rules_[overlap.left], &right = rules_[overlap.right];
    Word after = leadingWord(right).substr(overlap.shared);
    Word before = leadingWord(left).substr(0, leadingWord(left).size() - overlap.shared);
    Relation difference{left.source, right.target, {}};
    for (const auto &[word, value] : left.sum)
      addTerm(difference.sum, word + after, value, field_);
    for (const auto &[word, value] : right.sum)
      addTerm(difference.sum, before + word, field_.multiply(Rational(-1), value), field_);
    difference.sum = reduced(std::move(difference.sum));
    if (!difference.sum.empty())
      wait(std::move(difference));
  }

  // The rules in force, ascending, the other paths of each in normal form. Vertices that are not alive need
  // no rules: no path touches them.
  void finish() {
    WordSet words;
    std::vector<std::pair<Word, int64_t>> order;
    for (size_t number = 0; number < rules_.size(); ++number)
      if (is_in_force_[number] && result_.alive_[rules_[number].source] &&
          result_.alive_[rules_[number].target])
        order.emplace_back(leadingWord(rules_[number]), number);
    std::sort(order.begin(), order.end(), [](const auto &left, const auto &right) {
      return LengthLexicographic()(left.first, right.first);
    });
    for (const auto &[word, number] : order) {
      Relation rule = rules_[number];
      rule.sum.erase(word);
      rule.sum = reduced(std::move(rule.sum));
      rule.sum.emplace(word, Rational(1));
      words.insert(word, static_cast<int64_t>(result_.rules_.size()));
      result_.rules_.push_back(std::move(rule));
    }
    result_.leading_words_ = std::move(words);
  }

  const Quiver &quiver_;
  const Field &field_;
  RewritingRules result_;
  std::vector<Relation> rules_;
  std::vector<bool> is_in_force_;
  std::vector<int64_t> sums_; // the rules in force that are more than "this path is zero"
  std::multimap<Word, Relation, LengthLexicographic> equations_; // by leading word, the shortest first
  std::priority_queue<Overlap> overlaps_;
  size_t longest_ = 0;
  int64_t steps_ = 0;
};

RewritingRules RewritingRules::complete(const Quiver &quiver, const std::vector<Relation> &relations,
                                        const Field &field) {
  return Completion(quiver, field).run(relations);
}

bool RewritingRules::isMonomial() const {
  return std::all_of(rules_.begin(), rules_.end(), [](const Relation &rule) { return rule.sum.size() == 1; });
}

bool RewritingRules::isHomogeneous() const {
  return std::all_of(rules_.begin(), rules_.end(), [](const Relation &rule) {
    return rule.sum.begin()->first.size() == rule.sum.rbegin()->first.size();
  });
}

bool RewritingRules::usesIdempotents() const {
  return std::any_of(rules_.begin(), rules_.end(),
                     [](const Relation &rule) { return rule.sum.begin()->first.empty(); });
}

PathSum RewritingRules::normalForm(const PathSum &sum) const {
  return rewrite(
      sum, leading_words_, field_, [&](int64_t number) -> const Relation & { return rules_[number]; },
      [](const Word &, const Rational &, int64_t) {});
}

} // namespace algebras
