#include "tests/compiler/elementwise/elementwise_function.h"

#include "runtime/numeric/bfloat16.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

using compiler::DenseArray;

namespace elementwise_test {

namespace {

int64_t below(std::mt19937 &random, int64_t limit) {
  return std::uniform_int_distribution<int64_t>(0, limit - 1)(random);
}

template <typename T> T oneOf(std::mt19937 &random, std::initializer_list<T> all) {
  return all.begin()[below(random, static_cast<int64_t>(all.size()))];
}

const char *randomType(std::mt19937 &random) { return oneOf(random, {"f32", "bf16"}); }

/// The body of a map: its operands' numbers widened, and some arithmetic of them. Whole numbers between -3
/// and 3 stay below 256, so that bf16 holds them, too.
std::string randomBody(std::mt19937 &random, const std::vector<std::string> &types,
                       const std::string &result) {
  std::vector<std::string> arguments, lines;
  for (size_t i = 0; i < types.size(); ++i)
    arguments.push_back(fmt::format("%a{}: {}", i, types[i]));
  std::vector<std::string> wide;
  for (size_t i = 0; i < types.size(); ++i)
    if (types[i] == "f32") {
      wide.push_back(fmt::format("%a{}", i));
    } else {
      lines.push_back(fmt::format("%w{0} = arith.extf %a{0} : bf16 to f32", i));
      wide.push_back(fmt::format("%w{}", i));
    }
  lines.push_back("%two = arith.constant 2.0 : f32");
  lines.push_back(fmt::format("%s0 = arith.mulf {}, %two : f32", wide[0]));
  for (size_t i = 1; i < wide.size(); ++i)
    lines.push_back(fmt::format("%s{} = arith.{} %s{}, {} : f32", i,
                                oneOf(random, {"addf", "subf", "maximumf", "addf"}), i - 1, wide[i]));
  lines.push_back(fmt::format("%last = arith.mulf %s{}, {} : f32", wide.size() - 1,
                              wide[static_cast<size_t>(below(random, static_cast<int64_t>(wide.size())))]));
  lines.push_back(fmt::format("%more = arith.cmpf ogt, %last, {} : f32", wide.back()));
  lines.push_back("%negative = arith.negf %last : f32");
  lines.push_back("%chosen = arith.select %more, %last, %negative : f32");
  if (result == "bf16")
    lines.push_back("%rounded = arith.truncf %chosen : f32 to bf16");
  return fmt::format("  ^bb0({}):\n    {}\n    alg.yield {} : {}\n", fmt::join(arguments, ", "),
                     fmt::join(lines, "\n    "), result == "bf16" ? "%rounded" : "%chosen", result);
}

std::string randomStatistics(std::mt19937 &random) {
  const std::string shape = oneOf(random, {"?x", "37x", ""});
  return fmt::format(R"(
func.func private @f(%a: tensor<{0}f32>, %b: tensor<{0}f32>) -> tensor<{0}f32> {{
  %d = arith.{1} %a, %b : tensor<{0}f32>
  return %d : tensor<{0}f32>
}}
)",
                     shape, oneOf(random, {"addf", "subf", "mulf"}));
}

} // namespace

std::string randomFunction(std::mt19937 &random) {
  if (below(random, 8) == 0)
    return randomStatistics(random);
  const int64_t columns = oneOf<int64_t>(random, {1, 2, 7, 8, 24, 31, 64, 100, 264, 520, 1000});
  const int kind = static_cast<int>(below(random, 5)); // of the domain
  const std::string shape = kind == 0   ? fmt::format("3x2x{}x", columns)
                            : kind == 1 ? fmt::format("6x{}x", columns)
                                        : fmt::format("?x{}x", columns);
  const std::string cut = kind == 0   ? "plain(3)"
                          : kind == 1 ? fmt::format("rows(1 x 6), cols(1 x {})", columns)
                                      : fmt::format("rows(cyclic 1), cols(1 x {})", columns);
  const std::string cut_op = kind == 0   ? "plain(3)"
                             : kind == 1 ? fmt::format("rows(1 x 6) cols(1 x {})", columns)
                                         : fmt::format("rows(cyclic 1) cols(1 x {})", columns);
  const std::string rows = kind == 1 ? "6x" : "?x";
  std::vector<std::string> parameters, views, view_names, types, map_types;
  const auto add = [&](const std::string &name, const std::string &dimensions) {
    types.push_back(randomType(random));
    parameters.push_back(fmt::format("%{}: tensor<{}{}>", name, dimensions, types.back()));
    return fmt::format("tensor<{}{}>", dimensions, types.back());
  };
  for (int64_t i = 0, count = 1 + below(random, 3); i < count; ++i) {
    const std::string tensor = add(fmt::format("x{}", i), shape);
    views.push_back(fmt::format("  %v{0} = alg.slots %x{0} {1} : {2}\n", i, cut_op, tensor));
    view_names.push_back(fmt::format("%v{}", i));
    map_types.push_back(fmt::format("!alg.slots<{}{}, {}>", shape, types.back(), cut));
  }
  std::string further;
  if (kind != 0 && below(random, 2) == 0) {
    map_types.push_back(add("c", fmt::format("{}x", columns)));
    further += " columns %c";
  }
  if (kind != 0 && below(random, 2) == 0) {
    map_types.push_back(add("r", rows));
    further += " rows %r";
  }
  if (below(random, 2) == 0) {
    map_types.push_back(add("n", ""));
    further += " numbers %n";
  }
  const std::string element = randomType(random),
                    result = fmt::format("!alg.slots<{}{}, {}>", shape, element, cut);
  std::string end, returned;
  const std::string over = kind == 0 ? "all" : oneOf(random, {"columns", "rows", "all"});
  if (below(random, 5) < 2) {
    returned = fmt::format("tensor<{}{}>", shape, element);
    end = fmt::format("  %y = alg.gather %m : {}\n", result);
  } else {
    // Sums of many of them are whole numbers that f32 holds.
    const std::string dimensions = over == "columns" ? rows
                                   : over == "rows"  ? fmt::format("{}x", columns)
                                                     : "";
    const bool sum = below(random, 3) != 0;
    returned = fmt::format("tensor<{}{}>", dimensions, sum ? "f32" : element);
    end = fmt::format("  %y = alg.reduce {} %m over {} : {} -> {}\n", sum ? "sum" : "maximum", over, result,
                      returned);
  }
  std::string text =
      fmt::format("func.func private @f({}) -> {} {{\n", fmt::join(parameters, ", "), returned);
  for (const std::string &view : views)
    text += view;
  text += fmt::format("  %m = alg.map {}{} : ({}) -> {} {{\n{}  }}\n", fmt::join(view_names, ", "), further,
                      fmt::join(map_types, ", "), result, randomBody(random, types, element));
  return text + end + fmt::format("  return %y : {}\n}}\n", returned);
}

TestFunction::TestFunction(const std::string &text, const std::string &name, compiler::HeldResults held) {
  program_.context.loadDialect<tile::TileDialect>();
  module_ = program_.parse(text);
  if (!module_)
    throw std::runtime_error("the function cannot be read");
  function_ = module_->lookupSymbol<mlir::func::FuncOp>(name);
  auto found = compiler::describeElementwise(function_, held);
  if (mlir::failed(found))
    throw std::runtime_error("the function is not element-wise");
  described = *found;
}

std::vector<DenseArray> TestFunction::wholeArguments(std::mt19937 &random, int64_t rows, int64_t most) {
  std::vector<DenseArray> arguments;
  for (mlir::BlockArgument argument : function_.getArguments()) {
    DenseArray &array = arguments.emplace_back();
    if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(argument.getType()))
      for (const int64_t size : tensor.getShape())
        array.shape.push_back(mlir::ShapedType::isDynamic(size) ? rows : size);
    for (int64_t left = compiler::elementCount(array.shape); left > 0; --left)
      array.values.push_back(static_cast<double>(below(random, 2 * most + 1) - most));
  }
  return arguments;
}

std::vector<DenseArray> TestFunction::evaluate(const std::vector<DenseArray> &arguments) {
  auto results = compiler::evaluate(function_, arguments);
  if (mlir::failed(results))
    throw std::runtime_error("the function cannot be evaluated");
  return *results;
}

size_t TestFunction::argumentOf(const std::string &operand) const {
  const auto found = std::find(described.arguments.begin(), described.arguments.end(), operand);
  return static_cast<size_t>(found - described.arguments.begin());
}

int64_t lengthOf(const algrt::Extent &extent, int64_t rows) { return extent.factor * rows + extent.constant; }

double rounded(double number, algrt::ElementType type) {
  const float value = static_cast<float>(number);
  return type == algrt::ElementType::F32 ? value : algrt::fromBfloat16(algrt::toBfloat16(value));
}

} // namespace elementwise_test
