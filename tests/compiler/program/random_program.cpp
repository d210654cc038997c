#include "tests/compiler/program/random_program.h"

#include "algebras/expression.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <vector>

namespace program_test {

namespace {

/// Attributes write single quotes for the double ones of an expression.
algebras::Algebra parse(std::string expression) {
  std::replace(expression.begin(), expression.end(), '\'', '"');
  return algebras::parseExpression(expression);
}

class Writer {
public:
  Writer(std::mt19937 &random, const std::string &algebra, algebras::Lift::Kind kind, Schedule schedule)
      : random_(random), algebra_(algebra),
        lift_(kind == algebras::Lift::Kind::Rows ? algebras::Lift::rows(parse(algebra))
                                                 : algebras::Lift::slots(parse(algebra))),
        rows_lift_(kind == algebras::Lift::Kind::Rows), schedule_(schedule) {}

  std::string write();

private:
  using Widths = std::vector<int64_t>;

  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }
  std::string argument(const std::string &type) {
    const std::string name = fmt::format("a{}", arguments_.size());
    arguments_.push_back(fmt::format("%{0}: {1} loc(\"{0}\")", name, type));
    return "%" + name;
  }
  std::string value() { return fmt::format("%v{}", count_++); }

  Widths randomWidths() {
    Widths widths(lift_.inputGroups(), 1 + below(3));
    for (int64_t &width : widths)
      width = rows_lift_ ? 1 + below(3) : width;
    return widths;
  }
  int64_t total(const Widths &widths) { return std::accumulate(widths.begin(), widths.end(), int64_t{0}); }
  std::string rowTypes() {
    return schedule_ == Schedule::Cyclic     ? fmt::format("cyclic {}", lift_.types())
           : schedule_ == Schedule::Interval ? fmt::format("interval {} x 2", lift_.types())
                                             : fmt::format("explicit {}", lift_.types());
  }
  std::string view(const Widths &widths) {
    if (!rows_lift_)
      return fmt::format("!alg.slots<?x{}xf32, plain({})>", total(widths), widths.size());
    return fmt::format("!alg.slots<?x{}xf32, rows({}), cols([{}])>", total(widths), rowTypes(),
                       fmt::join(widths, ", "));
  }
  std::string slots(const std::string &tensor, const Widths &widths) {
    const std::string made = value();
    body_ += rows_lift_
                 ? fmt::format("  {} = alg.slots {} rows({}, %schedule) cols([{}]) : tensor<?x{}xf32>\n",
                               made, tensor, rowTypes(), fmt::join(widths, ", "), total(widths))
                 : fmt::format("  {} = alg.slots {} plain({}) : tensor<?x{}xf32>\n", made, tensor,
                               widths.size(), total(widths));
    return made;
  }
  void contract();
  /// A map of the current view and one further operand, whose numbers are %a and %b in `body_text`.
  std::string map(const std::string &view_operand, const std::string &words, const std::string &operand_type,
                  const std::string &body_text);
  void step();
  void statistic(const std::string &reduction);

  std::mt19937 &random_;
  std::string algebra_;
  algebras::Lift lift_;
  bool rows_lift_;
  Schedule schedule_;
  int count_ = 0;
  std::vector<std::string> arguments_;
  std::string body_;
  // The view at hand and its columns.
  std::string current_;
  Widths widths_;
};

void Writer::contract() {
  const Widths next = randomWidths();
  std::string weight_type, weights = value();
  if (rows_lift_) {
    const std::string tensor = fmt::format("tensor<{}x{}xf32>", total(widths_), total(next));
    weight_type = fmt::format("!alg.slots<{}x{}xf32, rows([{}]), cols([{}])>", total(widths_), total(next),
                              fmt::join(widths_, ", "), fmt::join(next, ", "));
    body_ += fmt::format("  {} = alg.slots {} rows([{}]) cols([{}]) : {}\n", weights, argument(tensor),
                         fmt::join(widths_, ", "), fmt::join(next, ", "), tensor);
  } else {
    const std::string shape = fmt::format("{}x{}x{}xf32", widths_.size(), widths_.front(), next.front());
    weight_type = fmt::format("!alg.slots<{}, plain({})>", shape, widths_.size());
    body_ += fmt::format("  {} = alg.slots {} plain({}) : tensor<{}>\n", weights,
                         argument(fmt::format("tensor<{}>", shape)), widths_.size(), shape);
  }
  const std::string result = value();
  body_ += fmt::format("  {} = alg.contract {}, {} by #alg.algebra<\"{}\"> -> k : {}, {}\n", result, current_,
                       weights, algebra_, view(widths_), weight_type);
  current_ = result;
  widths_ = next;
}

std::string Writer::map(const std::string &view_operand, const std::string &words,
                        const std::string &operand_type, const std::string &body_text) {
  const std::string result = value();
  const std::string types = operand_type.empty() ? "" : ", " + operand_type;
  body_ += fmt::format(
      "  {} = alg.map {}{} : ({}{}) -> {} {{\n  ^bb0(%a: f32{}):\n{}    alg.yield %r : f32\n  }}\n", result,
      view_operand, words, view(widths_), types, view(widths_), operand_type.empty() ? "" : ", %b: f32",
      body_text);
  return result;
}

void Writer::statistic(const std::string &reduction) {
  std::string source = current_;
  if (reduction == "sum")
    source = map(current_, "", "", "    %r = arith.mulf %a, %a : f32\n");
  const std::string reduced = value();
  body_ += fmt::format("  {} = alg.reduce {} {} over columns : {} -> tensor<?xf32>\n", reduced, reduction,
                       source, view(widths_));
  const std::string text = reduction == "sum" ? "    %e = arith.constant 0.125 : f32\n"
                                                "    %s = arith.addf %b, %e : f32\n"
                                                "    %t = math.rsqrt %s : f32\n"
                                                "    %r = arith.mulf %a, %t : f32\n"
                                              : "    %d = arith.subf %a, %b : f32\n"
                                                "    %r = math.exp %d : f32\n";
  current_ = map(current_, " rows " + reduced, "tensor<?xf32>", text);
}

void Writer::step() {
  switch (below(8)) {
  case 0: // a bias
    current_ = map(current_, " columns " + argument(fmt::format("tensor<{}xf32>", total(widths_))),
                   fmt::format("tensor<{}xf32>", total(widths_)), "    %r = arith.addf %a, %b : f32\n");
    return;
  case 1: // a scale of rows
    current_ = map(current_, " rows " + argument("tensor<?xf32>"), "tensor<?xf32>",
                   "    %r = arith.mulf %a, %b : f32\n");
    return;
  case 2: // a number
    current_ = map(current_, " numbers " + argument("tensor<f32>"), "tensor<f32>",
                   "    %r = math.fma %a, %b, %b : f32\n");
    return;
  case 3:
    current_ = map(current_, "", "", "    %r = math.tanh %a : f32\n");
    return;
  case 4: { // a residual, gated by the view itself
    const std::string other = slots(argument(fmt::format("tensor<?x{}xf32>", total(widths_))), widths_);
    const std::string gated = map(current_ + ", " + other, "", view(widths_),
                                  "    %s = math.sin %b : f32\n    %r = arith.mulf %a, %s : f32\n");
    current_ = map(gated + ", " + current_, "", view(widths_), "    %r = arith.addf %a, %b : f32\n");
    return;
  }
  case 5:
    return statistic("sum");
  case 6: { // a summand, whose gradient is that of the sum
    const std::string other = slots(argument(fmt::format("tensor<?x{}xf32>", total(widths_))), widths_);
    current_ = map(current_ + ", " + other, "", view(widths_), "    %r = arith.addf %a, %b : f32\n");
    return;
  }
  default:
    return statistic("maximum");
  }
}

std::string Writer::write() {
  widths_ = randomWidths();
  current_ = slots(argument(fmt::format("tensor<?x{}xf32>", total(widths_))), widths_);
  for (int contractions = 2 + below(2); contractions > 0; --contractions) {
    contract();
    for (int steps = below(4); steps > 0; --steps)
      step();
  }
  if (rows_lift_)
    arguments_.push_back(fmt::format("%schedule: {} loc(\"schedule\")",
                                     schedule_ == Schedule::Explicit ? "tensor<?xi32>" : "index"));
  const std::string gathered = value(), statistic = value();
  body_ += fmt::format("  {} = alg.gather {} : {}\n", gathered, current_, view(widths_));
  body_ += fmt::format("  {} = alg.reduce sum {} over rows : {} -> tensor<{}xf32>\n", statistic, current_,
                       view(widths_), total(widths_));
  return fmt::format("func.func @forward({}) -> (tensor<?x{}xf32>, tensor<{}xf32>) {{\n{}  return {}, {} : "
                     "tensor<?x{}xf32>, tensor<{}xf32>\n}}\n",
                     fmt::join(arguments_, ", "), total(widths_), total(widths_), body_, gathered, statistic,
                     total(widths_), total(widths_));
}

} // namespace

std::string randomProgram(std::mt19937 &random, const std::string &algebra, algebras::Lift::Kind kind,
                          Schedule schedule) {
  return Writer(random, algebra, kind, schedule).write();
}

} // namespace program_test
