#include "tests/simulator/kernels/fused_case.h"

#include "compiler/bundle/layer_description.h"
#include "compiler/lower/passes.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/targets/ampere/passes.h"
#include "compiler/targets/hopper/passes.h"
#include "compiler/targets/nvidia/passes.h"
#include "compiler/targets/thread_block/passes.h"
#include "dialects/sm/sm.h"
#include "dialects/tile/tile.h"
#include "runtime/numeric/bfloat16.h"
#include "tests/compiler/dense_product.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <cmath>
#include <fmt/format.h>
#include <random>
#include <stdexcept>

namespace simulator_test {
namespace {

using algrt::ElementType;
using algrt::FusedOperand;

/// A module read from text, with the text of what was wrong with it.
class Program {
public:
  explicit Program(const std::string &text)
      : context_(dialects()),
        handler_(&context_, [this](mlir::Diagnostic &diagnostic) { messages_ += diagnostic.str() + "\n"; }) {
    context_.loadAllAvailableDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
    if (!module)
      throw std::runtime_error("the tile program cannot be read: " + messages_ + text);
  }

  void run(llvm::function_ref<void(mlir::OpPassManager &)> fill) {
    mlir::PassManager passes(&context_);
    fill(passes);
    if (mlir::failed(passes.run(*module)))
      throw std::runtime_error(messages_);
  }

  std::string print() {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, mlir::OpPrintingFlags().printNameLocAsPrefix(true));
    return text;
  }

private:
  static mlir::DialectRegistry dialects() {
    mlir::DialectRegistry registry;
    registry.insert<alg::AlgDialect, tile::TileDialect, sm::SmDialect, mlir::arith::ArithDialect,
                    mlir::func::FuncDialect, mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                    mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect>();
    return registry;
  }

  mlir::MLIRContext context_;
  std::string messages_;
  mlir::ScopedDiagnosticHandler handler_;

public:
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

std::string textOf(auto printable) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << printable;
  return text;
}

std::string matrix(const std::string &rows, int64_t columns, ElementType type) {
  return fmt::format("!tile.matrix<{}x{}x{}>", rows, columns, algrt::name(type));
}

// s1 s2 ..., where the map's arguments are %s1, %s2, ...
std::string productOfSums(int64_t weights, std::string &last) {
  std::string text;
  last = "%s1";
  for (int64_t i = 2; i <= weights; ++i) {
    text += fmt::format("      %p{} = arith.mulf {}, %s{} : f32\n", i, last, i);
    last = fmt::format("%p{}", i);
  }
  return text;
}

std::string swigluOfSums() {
  return "      %one = arith.constant 1.0 : f32\n      %negative = arith.negf %s1 : f32\n"
         "      %power = math.exp %negative : f32\n      %below = arith.addf %power, %one : f32\n"
         "      %silu = arith.divf %s1, %below : f32\n      %h = arith.mulf %silu, %s2 : f32\n";
}

// The sums %sums#0, %sums#1, ... of a tile, in a loop over its terms.
std::string sumsOfTerms(int64_t weights, const std::string &coefficient, const std::string &x,
                        const std::string &w) {
  std::string products, carried, yielded, types;
  for (int64_t i = 0; i < weights; ++i) {
    const char *comma = i ? ", " : "";
    carried += fmt::format("{}%acc{} = %zero{}", comma, i, i);
    yielded += fmt::format("{}%next{}", comma, i);
    types += fmt::format("{}!f", comma);
    products +=
        fmt::format("      %next{} = tile.mma %x[%t, %k, %s], %{}[%b, %j, %n], %acc{}{} : {}, {}, !f\n", i,
                    algrt::numberedName("w", i), i, coefficient, x, w);
  }
  return fmt::format(
      "    %sums:{} = tile.terms (%k, %b, %c) of (%t, %j) carry({}) : {} {{\n{}      tile.yield {} : "
      "{}\n    }}\n",
      weights, carried, types, products, yielded, types);
}

} // namespace

algrt::Layer fusedLayer(const FusedKernel &kernel) {
  algrt::Layer layer = compiler::runtimeLayer(compiler::requireLayer(kernel.spec));
  algrt::Fusion fusion;
  fusion.weights = kernel.weights;
  fusion.results = {kernel.first};
  if (kernel.swiglu) {
    layer.fusion = fusion;
    return layer;
  }
  fusion.operands.push_back({"bias", FusedOperand::Per::Column, ElementType::Bf16});
  if (kernel.rows_read) {
    fusion.operands.push_back({"scale", FusedOperand::Per::Row, ElementType::F32});
    fusion.operands.push_back({"residual", FusedOperand::Per::Element, ElementType::Bf16});
    if (kernel.two_results)
      fusion.operands.push_back({"other", FusedOperand::Per::Element, ElementType::F32});
  }
  fusion.operands.push_back({"alpha", FusedOperand::Per::Call, ElementType::F32});
  if (kernel.two_results)
    fusion.results.push_back(kernel.second);
  layer.fusion = fusion;
  return layer;
}

std::string fusedTileProgram(const FusedKernel &kernel) {
  // Layout, schedule and matrices are those of the kernel of one product.
  compiler::CompileOptions options;
  options.targets = {compiler::targetNamed(kernel.target)};
  options.schedule = kernel.schedule;
  options.map = kernel.map;
  options.output = kernel.first == ElementType::F32 ? algebras::DataType::F32 : algebras::DataType::BF16;
  const std::string single = compiler::emitStage(kernel.spec, compiler::Stage::Tile, options);
  Program program(single);
  auto one = *program.module->getOps<tile::KernelOp>().begin();
  const bool reduces = static_cast<bool>(one.getReducedSchedule());
  tile::FragmentType fragment;
  std::string coefficient;
  one.walk([&](tile::MmaOp op) {
    fragment = op.getAccumulator().getType();
    coefficient = op.getScale() ? op.getSigns() ? " scale %c signs" : " scale %c" : "";
  });
  one.walk([&](tile::AddRowTermsOp op) { fragment = op.getSums().getType(); });
  // Where rows of the batch and elements of the result are.
  const std::string indices = reduces ? "%r, %j, %n" : "%t, %s, %j, %n", of_row = reduces ? "%r" : "%t, %s";
  auto x = one.getBody().getArgument(0).getType(), w = one.getBody().getArgument(1).getType();
  auto y = mlir::cast<tile::MatrixType>(one.getBody().getArguments().back().getType());
  const algrt::Layer layer = fusedLayer(kernel);

  std::string arguments = "%x: " + textOf(x), aliases;
  const auto add = [&](const std::string &name, const std::string &type) {
    arguments += fmt::format(", %{}: {} loc(\"{}\")", name, type, name);
  };
  for (int64_t i = 0; i < kernel.weights; ++i)
    add(algrt::numberedName("w", i), textOf(w));
  std::string inputs;
  for (int64_t i = 1; i <= kernel.weights; ++i)
    inputs += fmt::format("{}%s{} = %sums{}{} : !f", i > 1 ? ", " : "", i, reduces ? "" : "#", i - 1);
  std::string other_input;
  for (const FusedOperand &operand : layer.fusion->operands) {
    const bool per_row = operand.per == FusedOperand::Per::Row;
    std::string type = "f32", place;
    if (operand.per == FusedOperand::Per::Column) {
      type = matrix("1", y.getColumns(), operand.type);
      place = "[%j, %n]";
    } else if (operand.per != FusedOperand::Per::Call) {
      type = matrix("?", per_row ? 1 : y.getColumns(), operand.type);
      place = fmt::format("[{}]", per_row ? of_row : indices);
    }
    add(operand.name, type);
    const std::string input = fmt::format(", %in_{} = %{}{} : {}", operand.name, operand.name, place, type);
    (operand.name == "other" ? other_input : inputs) += input;
  }
  for (size_t i = 0; i < layer.fusion->results.size(); ++i)
    add(algrt::numberedName("y", static_cast<int64_t>(i)),
        matrix("?", y.getColumns(), layer.fusion->results[i]));

  const auto shape = fmt::format("{}x{}", fragment.getRows(), fragment.getColumns());
  std::string text = fmt::format("!f = !tile.fragment<{0}xf32>\n!b = !tile.fragment<{0}xbf16>\n", shape);
  text += fmt::format("tile.kernel @fused({}) attributes {{layout = {}, schedule = {}}} {{\n", arguments,
                      textOf(one.getLayout()), textOf(one.getSchedule()));
  std::string axes;
  for (mlir::Attribute axis : (*one.getBody().getOps<tile::ForallOp>().begin()).getAxes()) {
    const std::string full = textOf(axis); // #tile.axis<types, 1>
    axes += (axes.empty() ? "" : ", ") + full.substr(full.find('<'));
  }
  text += fmt::format("  tile.forall ({}) over [{}] {{\n", indices, axes);
  for (int64_t i = 0; i < kernel.weights; ++i)
    text += fmt::format("    %zero{} = tile.zero : !f\n", i);
  if (reduces)
    for (int64_t i = 0; i < kernel.weights; ++i)
      text += fmt::format("    %sums{0} = tile.add_row_terms %x[%r], %{1}[%j, %n], %zero{0} : {2}, {3}, !f\n",
                          i, algrt::numberedName("w", i), textOf(x), textOf(w));
  else
    text += sumsOfTerms(kernel.weights, coefficient, textOf(x), textOf(w));

  const auto store = [&](const char *value, const std::string &target, ElementType type) {
    const std::string held = type == ElementType::F32 ? "!f" : "!b",
                      whole = matrix("?", y.getColumns(), type);
    if (reduces)
      return fmt::format("    tile.store_rows {} to %{}[{}] : {} to {}\n", value, target, indices, held,
                         whole);
    return fmt::format("    tile.store {} to %{}[{}] mask %mask : {}, {}, <{}>\n", value, target, indices,
                       held, whole, shape);
  };
  const auto yield = [&](const std::string &value, ElementType type) {
    if (type == ElementType::F32)
      return fmt::format("      tile.yield {} : f32\n    }}\n", value);
    return fmt::format(
        "      %rounded = arith.truncf {} : f32 to bf16\n      tile.yield %rounded : bf16\n    }}\n", value);
  };
  const auto alias = [](ElementType type) { return type == ElementType::F32 ? "!f" : "!b"; };
  const std::string mask =
      reduces ? "" : fmt::format("    %mask = tile.mask rows(%t, %s) columns(%j, %n) : <{}>\n", shape);
  std::string last;
  text += fmt::format("    %h = tile.map ({}) -> {} {{\n", inputs, alias(kernel.first));
  if (kernel.swiglu)
    return text + swigluOfSums() + yield("%h", kernel.first) + mask + store("%h", "y", kernel.first) +
           "  }\n}\n";
  text += productOfSums(kernel.weights, last);
  text += fmt::format(
      "      %wide = arith.extf %in_bias : bf16 to f32\n      %v1 = arith.addf {}, %wide : f32\n", last);
  last = "%v1";
  if (kernel.rows_read) {
    text +=
        "      %scaled = arith.mulf %in_alpha, %in_scale : f32\n      %v2 = arith.addf %v1, %scaled : f32\n"
        "      %wider = arith.extf %in_residual : bf16 to f32\n      %v3 = arith.addf %v2, %wider : f32\n";
    last = "%v3";
  } else {
    text += "      %v2 = arith.addf %v1, %in_alpha : f32\n";
    last = "%v2";
  }
  text += yield(last, kernel.first);
  text += mask + store("%h", "y", kernel.first);
  if (kernel.two_results) {
    text += fmt::format("    %h2 = tile.map (%a = %sums#{} : !f{}) -> {} {{\n", kernel.weights - 1,
                        other_input, alias(kernel.second));
    if (kernel.rows_read)
      text += "      %less = arith.subf %a, %in_other : f32\n" + yield("%less", kernel.second);
    else
      text += "      %less = arith.negf %a : f32\n" + yield("%less", kernel.second);
    text += store("%h2", "y2", kernel.second);
  }
  return text + "  }\n}\n";
}

static std::string lowered(Program &program, bool threads_copy) {
  auto kernel = *program.module->getOps<tile::KernelOp>().begin();
  const bool reduces = static_cast<bool>(kernel.getReducedSchedule());
  program.run([&](mlir::OpPassManager &passes) {
    compiler::addMathOfGpus(passes);
    if (reduces) {
      compiler::ConvertTileToSmOptions options;
      options.dependent = !threads_copy;
      passes.addPass(compiler::createConvertTileToSm(options));
      passes.addPass(mlir::createCanonicalizerPass());
      passes.addPass(mlir::createCSEPass());
    } else if (threads_copy)
      compiler::addTileToCopyingSm(passes);
    else
      compiler::addTileToSm(passes);
    compiler::addSmToNvvm(passes);
  });
  return program.print();
}

std::string loweredKernel(const std::string &tile_program, bool threads_copy) {
  Program program(tile_program);
  return lowered(program, threads_copy);
}

std::string chosenKernel(const std::string &function, const std::string &target, int64_t rows,
                         const std::string &schedule, int64_t experts) {
  Program program(function);
  program.run([&](mlir::OpPassManager &passes) {
    compiler::ConvertAlgToTileOptions choice;
    choice.target = target;
    choice.rows = rows;
    choice.schedule = schedule;
    choice.experts = experts;
    passes.addPass(compiler::createConvertAlgToTile(choice));
  });
  auto kernel = *program.module->getOps<tile::KernelOp>().begin();
  return lowered(program, target == "sm_80" ||
                              (!kernel.getReducedSchedule() && kernel.getStagedSchedule().hasWarps()));
}

std::string emittedKernel(const FusedKernel &kernel) {
  return loweredKernel(fusedTileProgram(kernel),
                       kernel.target == "sm_80" || kernel.schedule.find("warps") != std::string::npos);
}

FusedCase::FusedCase(const FusedKernel &kernel, int64_t m, int64_t p0, uint64_t seed)
    : layer_(fusedLayer(kernel)), support_(compiler::runtimeSupport(compiler::requireLayer(kernel.spec))),
      m_(m), p0_(p0), near_(kernel.swiglu) {
  std::mt19937_64 random(seed);
  const auto numbers = [&](int64_t count, int largest) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float &value : values)
      value =
          static_cast<float>(static_cast<int>(random() % static_cast<unsigned>(2 * largest + 1)) - largest);
    return values;
  };
  const bool transposed = kernel.map == algrt::Map::Dx;
  const int64_t read = transposed ? layer_.n : layer_.k, written = transposed ? layer_.k : layer_.n;
  if (layer_.row_types == algrt::RowTypesKind::ExplicitTypes)
    for (int64_t row = 0; row < m; ++row)
      types_.push_back(static_cast<int32_t>(random() % static_cast<uint64_t>(layer_.types)));
  // Sums stay so small that products of three of them are exact.
  x_ = numbers(m * read, 1);
  for (int64_t i = 0; i < kernel.weights; ++i)
    weights_.push_back(numbers(layer_.k * layer_.weightColumns(), 1));
  bias_ = numbers(written, 127);
  scale_ = numbers(m, 127);
  residual_ = numbers(m * written, 127);
  other_ = numbers(m * written, 1000);
  alpha_ = {static_cast<float>(random() % 7)};

  compiler_test::Batch batch;
  batch.m = m;
  batch.p0 = p0;
  batch.types = types_;
  std::vector<double> product(static_cast<size_t>(m * written), 1), sums;
  bool gate = kernel.swiglu;
  for (const std::vector<float> &w : weights_) {
    const compiler_test::DenseProduct dense(compiler::requireLayer(kernel.spec),
                                            std::vector<double>(w.begin(), w.end()));
    const std::vector<double> rows(x_.begin(), x_.end());
    sums = transposed ? dense.multiplyTransposed(batch, rows) : dense.multiply(batch, rows);
    for (size_t i = 0; i < product.size(); ++i)
      product[i] *= gate ? sums[i] / (1 + std::exp(-sums[i])) : sums[i];
    gate = false;
  }
  if (kernel.swiglu) {
    expected_ = product;
    return;
  }
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < written; ++column) {
      const auto at = static_cast<size_t>(row * written + column), r = static_cast<size_t>(row),
                 c = static_cast<size_t>(column);
      const double of_rows = double{alpha_[0]} * double{scale_[r]} + double{residual_[at]};
      expected_.push_back(product[at] + double{bias_[c]} + (kernel.rows_read ? of_rows : double{alpha_[0]}));
      expected_second_.push_back(kernel.rows_read ? sums[at] - double{other_[at]} : -sums[at]);
    }
}

ExactCase::Objection FusedCase::run(const compiler::SimulatedKernel &kernel,
                                    const compiler::SimulationSettings &settings) const {
  compiler::ProductOperands operands;
  operands.layer = &layer_;
  operands.support = &support_;
  operands.m = m_;
  operands.p0 = p0_;
  operands.x = x_;
  operands.w = weights_[0];
  operands.types = types_;
  for (size_t i = 1; i < weights_.size(); ++i)
    operands.further[algrt::numberedName("w", static_cast<int64_t>(i))] = weights_[i];
  operands.further["bias"] = bias_;
  operands.further["scale"] = scale_;
  operands.further["residual"] = residual_;
  operands.further["other"] = other_;
  operands.further["alpha"] = alpha_;
  const compiler::Simulation run = kernel.run(operands, settings);
  if (ExactCase::Objection found = ExactCase::faultsOf(kernel, run); !found.kind.empty())
    return found;
  const auto compare = [&](const std::vector<float> &result, const std::vector<double> &wanted,
                           ElementType type, const std::string &name) -> std::string {
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (near_) {
        // Half a unit of the last place of a bf16, and a bit for what f32 does before.
        if (!(std::abs(result[i] - wanted[i]) <= std::abs(wanted[i]) * 0.00395 + 1e-6))
          return fmt::format("element {} of {} is {}, not about {}", i, name, result[i], wanted[i]);
        continue;
      }
      const float exact = static_cast<float>(wanted[i]);
      const float right = type == ElementType::Bf16 ? algrt::roundToBfloat16(exact) : exact;
      if (!(result[i] == right))
        return fmt::format("element {} of {} is {}, not {}", i, name, result[i], right);
    }
    return "";
  };
  std::string wrong = compare(run.y, expected_, layer_.fusion->results[0], "the first result");
  for (const auto &[name, result] : run.further)
    if (wrong.empty())
      wrong = compare(result, expected_second_, layer_.fusion->results[1], name);
  return {wrong.empty() ? "" : "wrong numbers", wrong};
}

} // namespace simulator_test
