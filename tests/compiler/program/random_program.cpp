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
      : random(random), algebra(algebra),
        lift(kind == algebras::Lift::Kind::Rows ? algebras::Lift::rows(parse(algebra))
                                                : algebras::Lift::slots(parse(algebra))),
        rows_lift(kind == algebras::Lift::Kind::Rows), schedule(schedule) {}

  std::string write();

private:
  using Widths = std::vector<std::int64_t>;

  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random); }
  std::string argument(const std::string &type) {
    const std::string name = fmt::format("a{}", arguments.size());
    arguments.push_back(fmt::format("%{0}: {1} loc(\"{0}\")", name, type));
    return "%" + name;
  }
  std::string value() { return fmt::format("%v{}", count++); }

  Widths randomWidths() {
    Widths widths(lift.inputGroups(), 1 + below(3));
    for (std::int64_t &width : widths)
      width = rows_lift ? 1 + below(3) : width;
    return widths;
  }
  std::int64_t total(const Widths &widths) {
    return std::accumulate(widths.begin(), widths.end(), std::int64_t{0});
  }
  std::string rowTypes() {
    return schedule == Schedule::Cyclic     ? fmt::format("cyclic {}", lift.types())
           : schedule == Schedule::Interval ? fmt::format("interval {} x 2", lift.types())
                                            : fmt::format("explicit {}", lift.types());
  }
  std::string view(const Widths &widths) {
    if (!rows_lift)
      return fmt::format("!alg.slots<?x{}xf32, plain({})>", total(widths), widths.size());
    return fmt::format("!alg.slots<?x{}xf32, rows({}), cols([{}])>", total(widths), rowTypes(),
                       fmt::join(widths, ", "));
  }
  std::string slots(const std::string &tensor, const Widths &widths) {
    const std::string made = value();
    body += rows_lift ? fmt::format("  {} = alg.slots {} rows({}, %schedule) cols([{}]) : tensor<?x{}xf32>\n",
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

  std::mt19937 &random;
  std::string algebra;
  algebras::Lift lift;
  bool rows_lift;
  Schedule schedule;
  int count = 0;
  std::vector<std::string> arguments;
  std::string body;
  // The view at hand and its columns.
  std::string current;
  Widths widths;
};

void Writer::contract() {
  const Widths next = randomWidths();
  std::string bank_type, bank = value();
  if (rows_lift) {
    const std::string tensor = fmt::format("tensor<{}x{}xf32>", total(widths), total(next));
    bank_type = fmt::format("!alg.slots<{}x{}xf32, rows([{}]), cols([{}])>", total(widths), total(next),
                            fmt::join(widths, ", "), fmt::join(next, ", "));
    body += fmt::format("  {} = alg.slots {} rows([{}]) cols([{}]) : {}\n", bank, argument(tensor),
                        fmt::join(widths, ", "), fmt::join(next, ", "), tensor);
  } else {
    const std::string shape = fmt::format("{}x{}x{}xf32", widths.size(), widths.front(), next.front());
    bank_type = fmt::format("!alg.slots<{}, plain({})>", shape, widths.size());
    body += fmt::format("  {} = alg.slots {} plain({}) : tensor<{}>\n", bank,
                        argument(fmt::format("tensor<{}>", shape)), widths.size(), shape);
  }
  const std::string result = value();
  body += fmt::format("  {} = alg.contract {}, {} by #alg.algebra<\"{}\"> -> k : {}, {}\n", result, current,
                      bank, algebra, view(widths), bank_type);
  current = result;
  widths = next;
}

std::string Writer::map(const std::string &view_operand, const std::string &words,
                        const std::string &operand_type, const std::string &body_text) {
  const std::string result = value();
  const std::string types = operand_type.empty() ? "" : ", " + operand_type;
  body += fmt::format(
      "  {} = alg.map {}{} : ({}{}) -> {} {{\n  ^bb0(%a: f32{}):\n{}    alg.yield %r : f32\n  }}\n", result,
      view_operand, words, view(widths), types, view(widths), operand_type.empty() ? "" : ", %b: f32",
      body_text);
  return result;
}

void Writer::statistic(const std::string &reduction) {
  std::string source = current;
  if (reduction == "sum")
    source = map(current, "", "", "    %r = arith.mulf %a, %a : f32\n");
  const std::string reduced = value();
  body += fmt::format("  {} = alg.reduce {} {} over columns : {} -> tensor<?xf32>\n", reduced, reduction,
                      source, view(widths));
  const std::string text = reduction == "sum" ? "    %e = arith.constant 0.125 : f32\n"
                                                "    %s = arith.addf %b, %e : f32\n"
                                                "    %t = math.rsqrt %s : f32\n"
                                                "    %r = arith.mulf %a, %t : f32\n"
                                              : "    %d = arith.subf %a, %b : f32\n"
                                                "    %r = math.exp %d : f32\n";
  current = map(current, " rows " + reduced, "tensor<?xf32>", text);
}

void Writer::step() {
  switch (below(7)) {
  case 0: // a bias
    current = map(current, " columns " + argument(fmt::format("tensor<{}xf32>", total(widths))),
                  fmt::format("tensor<{}xf32>", total(widths)), "    %r = arith.addf %a, %b : f32\n");
    return;
  case 1: // a scale of rows
    current = map(current, " rows " + argument("tensor<?xf32>"), "tensor<?xf32>",
                  "    %r = arith.mulf %a, %b : f32\n");
    return;
  case 2: // a number
    current = map(current, " numbers " + argument("tensor<f32>"), "tensor<f32>",
                  "    %r = math.fma %a, %b, %b : f32\n");
    return;
  case 3:
    current = map(current, "", "", "    %r = math.tanh %a : f32\n");
    return;
  case 4: { // a residual, gated by the view itself
    const std::string other = slots(argument(fmt::format("tensor<?x{}xf32>", total(widths))), widths);
    const std::string gated = map(current + ", " + other, "", view(widths),
                                  "    %s = math.sin %b : f32\n    %r = arith.mulf %a, %s : f32\n");
    current = map(gated + ", " + current, "", view(widths), "    %r = arith.addf %a, %b : f32\n");
    return;
  }
  case 5:
    return statistic("sum");
  default:
    return statistic("maximum");
  }
}

std::string Writer::write() {
  widths = randomWidths();
  current = slots(argument(fmt::format("tensor<?x{}xf32>", total(widths))), widths);
  for (int contractions = 2 + below(2); contractions > 0; --contractions) {
    contract();
    for (int steps = below(3); steps >= 0; --steps)
      step();
  }
  if (rows_lift)
    arguments.push_back(fmt::format("%schedule: {} loc(\"schedule\")",
                                    schedule == Schedule::Explicit ? "tensor<?xi32>" : "index"));
  const std::string gathered = value(), statistic = value();
  body += fmt::format("  {} = alg.gather {} : {}\n", gathered, current, view(widths));
  body += fmt::format("  {} = alg.reduce sum {} over rows : {} -> tensor<{}xf32>\n", statistic, current,
                      view(widths), total(widths));
  return fmt::format("func.func @forward({}) -> (tensor<?x{}xf32>, tensor<{}xf32>) {{\n{}  return {}, {} : "
                     "tensor<?x{}xf32>, tensor<{}xf32>\n}}\n",
                     fmt::join(arguments, ", "), total(widths), total(widths), body, gathered, statistic,
                     total(widths), total(widths));
}

} // namespace

std::string randomProgram(std::mt19937 &random, const std::string &algebra, algebras::Lift::Kind kind,
                          Schedule schedule) {
  return Writer(random, algebra, kind, schedule).write();
}

} // namespace program_test
