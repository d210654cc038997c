#include "compiler/pipeline/program_plan.h"

#include "compiler/lower/elementwise_function.h"
#include "compiler/lower/product_function.h"
#include "compiler/pipeline/chained_layers.h"
#include "compiler/pipeline/compilation.h"
#include "compiler/pipeline/expert_programs.h"
#include "compiler/pipeline/keeping.h"
#include "compiler/pipeline/program_module.h"
#include "compiler/pipeline/program_steps.h"
#include "compiler/program/passes.h"
#include "compiler/program/projection.h"
#include "compiler/program/value_names.h"
#include "compiler/schedule/layers_choice.h"
#include "compiler/spec/usage_error.h"

#include "mlir/Transforms/Passes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

using namespace mlir;

namespace compiler {
namespace {

/// What two functions have in common that do the same: everything but their names and places.
std::string textOf(func::FuncOp function) {
  func::FuncOp copy = function.clone();
  copy.setSymName("kernel");
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy.print(stream, OpPrintingFlags().useLocalScope());
  copy.erase();
  return text;
}

/// A function as a module of its own.
std::string moduleOf(func::FuncOp function) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  func::FuncOp copy = function.clone();
  copy.setPublic();
  module->push_back(copy);
  return printModuleWithPlaces(*module);
}

algrt::Map mapOf(alg::OutputMode mode) {
  switch (mode) {
  case alg::OutputMode::Product:
    return algrt::Map::Forward;
  case alg::OutputMode::ActivationGradient:
    return algrt::Map::Dx;
  case alg::OutputMode::WeightGradient:
    return algrt::Map::Dw;
  }
  llvm_unreachable("all modes are above");
}

algebras::DataType dataTypeOf(Type type) {
  return getElementTypeOrSelf(type).isF32() ? algebras::DataType::F32 : algebras::DataType::BF16;
}

/// Whether a plain projection computes it: one product, of whose sums nothing is made.
bool isPlain(const ProductFunction &product) {
  const algrt::ElementType own =
      product.layer.dtype == algebras::DataType::F32 ? algrt::ElementType::F32 : algrt::ElementType::Bf16;
  const algrt::Fusion &fusion = product.fusion;
  return product.mode == alg::OutputMode::WeightGradient ||
         (!product.next && !product.maps && fusion.weights == 1 && fusion.operands.empty() &&
          fusion.results == std::vector{own});
}

/// Results of a kernel at most, of programs with gradients: what a gated network leaves and the gradients of
/// both products, or where it keeps their sums, these and their map.
constexpr int64_t most_results = 3;

/// What schedules of the first layer are chosen by.
algebras::Fused fusedOf(const algrt::Fusion &fusion) {
  using Per = algrt::FusedOperand::Per;
  const auto count = [&](Per per) {
    return llvm::count_if(fusion.operands,
                          [&](const algrt::FusedOperand &one) { return one.per == per && one.layer == 0; });
  };
  algebras::Fused fused{.weights = fusion.weights,
                        .results = static_cast<int64_t>(fusion.results.size()),
                        .element_operands = count(Per::Element),
                        .row_operands = count(Per::Row)};
  for (const algrt::ElementType result : fusion.results)
    fused.result_bytes += algrt::elementBytes(result);
  for (const algrt::FusedOperand &operand : fusion.operands)
    if (operand.per == Per::Element && operand.layer == 0)
      fused.operand_bytes += algrt::elementBytes(operand.type);
  return fused;
}

class Planner {
public:
  Planner(const Spec &spec, const CompileOptions &options)
      : options_(options), origin_(originOf(spec)), compilation_(options.print_ir_after_all, origin_),
        module_(buildPrograms(compilation_, spec, options.program_maps)) {}

  ProgramPlan plan();
  ProgramPlan fuse();

private:
  void collectAlgebras();
  /// Turns the programs into calls of their kernels: in kernels of two layers, where these are possible and
  /// better than one for each.
  void fuseSteps();
  /// Of a fused module's programs, by name: why one of its kernels of two layers is to be one for each, so
  /// that all of the program's are.
  std::map<std::string, std::string> objectionsToLayers(ModuleOp fused) const;
  void addKernel(func::FuncOp function);
  void addProduct(func::FuncOp function, StepFunction &step);
  void addElementwise(func::FuncOp function, StepFunction &step);
  void addProgram(func::FuncOp function);
  std::optional<algebras::SourceLocation> placeOfProduct(func::FuncOp function) const;

  const CompileOptions &options_;
  std::shared_ptr<const ProgramFile> origin_;
  Compilation compilation_;
  OwningOpRef<ModuleOp> module_;
  ProgramPlan made_;
  std::map<std::string, std::vector<std::string>> results_; ///< of programs, by name
  std::map<std::string, StepFunction> functions_;           ///< by name
  std::map<std::string, std::string> same_;                 ///< by text the name of the first such function
};

void Planner::collectAlgebras() {
  llvm::DenseSet<Attribute> seen;
  module_->walk([&](alg::ContractOp contract) {
    if (seen.insert(contract.getAlgebraAttr()).second)
      made_.algebras.push_back(contract.getAlgebraAttr().getAlgebra());
  });
}

void Planner::fuseSteps() {
  const auto fused = [this](ModuleOp module, const std::map<std::string, std::string> &of_one_layer) {
    compilation_.run(module, [&](OpPassManager &passes) {
      AlgFuseOptions fusion;
      // Several maps of the same sums are one kernel then, and so are sums that are kept with their map.
      if (options_.program_maps.backward)
        fusion.results = most_results;
      fusion.apart = options_.fusing == Fusing::Nothing;
      fusion.layers = options_.fusing == Fusing::Layers;
      for (const auto &[program, objection] : of_one_layer)
        fusion.one_layer.push_back(program);
      passes.addPass(createAlgFuse(fusion));
      passes.addPass(createCanonicalizerPass());
      passes.addPass(createCSEPass());
    });
  };
  made_.remarks = compilation_.takeRemarks();
  OwningOpRef<ModuleOp> together = module_->clone();
  fused(*together, {});
  const std::map<std::string, std::string> objections = objectionsToLayers(*together);
  if (!objections.empty() && isOfLayers(options_.schedule))
    throw algebras::InputError("the schedule " + options_.schedule +
                               " is of kernels of two layers, and program " + objections.begin()->first +
                               " has none: " + objections.begin()->second);
  if (objections.empty()) {
    module_ = std::move(together);
  } else {
    compilation_.takeRemarks(); // of what is not taken
    fused(*module_, objections);
  }
  llvm::append_range(made_.remarks, compilation_.takeRemarks());
  for (const auto &[program, objection] : objections)
    made_.remarks.push_back("no kernel of " + program + " has two layers of products: " + objection);
}

std::map<std::string, std::string> Planner::objectionsToLayers(ModuleOp fused) const {
  std::map<std::string, std::string> objections;
  for (auto program : fused.getOps<func::FuncOp>())
    program.walk([&](func::CallOp call) {
      auto kernel = fused.lookupSymbol<func::FuncOp>(call.getCallee());
      if (!hasTwoLayers(kernel) || objections.contains(program.getSymName().str()))
        return;
      if (const std::optional<std::string> objection = objectionToLayers(kernel, options_))
        objections[program.getSymName().str()] = *objection;
    });
  return objections;
}

/// Up to the programs as calls of their kernels.
ProgramPlan Planner::fuse() {
  made_.text = printModule(*module_, /*names=*/true);
  collectAlgebras();
  for (auto function : module_->getOps<func::FuncOp>())
    for (Value result : function.getBody().front().getTerminator()->getOperands())
      results_[function.getSymName().str()].push_back(nameOf(result).str());
  compilation_.run(*module_, [this](OpPassManager &passes) {
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    // Without fusing every operation is computed as it is written; experts have no product of weight matrices
    // for each of them.
    if (options_.fusing != Fusing::Nothing && options_.experts == 0) {
      AlgComposeOptions composition;
      composition.rows = options_.rows;
      composition.kernels = true;
      passes.addPass(createAlgCompose(composition));
      passes.addPass(createCSEPass());
    }
    passes.addPass(createAlgCopyResults());
  });
  fuseSteps();
  made_.fused = printModule(*module_, /*names=*/true);
  return std::move(made_);
}

void Planner::addKernel(func::FuncOp function) {
  const std::string name = function.getSymName().str();
  const auto [first, is_new] = same_.try_emplace(textOf(function), name);
  if (!is_new) {
    StepFunction known = functions_.at(first->second);
    known.names.clear();
    functions_[name] = std::move(known);
  }
  StepFunction &step = functions_[name];
  for (Value result : function.getBody().front().getTerminator()->getOperands())
    step.names.push_back(nameOf(result).str());
  if (!is_new)
    return;
  if (hasContraction(function))
    addProduct(function, step);
  else
    addElementwise(function, step);
}

void Planner::addElementwise(func::FuncOp function, StepFunction &step) {
  FailureOr<ElementwiseFunction> described = describeElementwise(function);
  compilation_.check(succeeded(described), "a function of the program has no kernel");
  step.step.elementwise = made_.elementwise.size();
  for (const std::string &argument : described->arguments)
    step.arguments.push_back(argument.empty() ? std::vector<std::string>() : std::vector{argument});
  step.results = described->results;
  const algrt::Elementwise description = described->description;
  made_.elementwise.push_back({description,
                               std::make_shared<const ElementwiseFunction>(std::move(*described)),
                               moduleOf(function), step.arguments, step.results});
}

std::optional<algebras::SourceLocation> Planner::placeOfProduct(func::FuncOp function) const {
  if (!origin_)
    return std::nullopt;
  std::optional<algebras::SourceLocation> place;
  function.walk([&](alg::ContractOp contract) {
    if (!place)
      place = placeIn(*origin_, contract.getLoc());
  });
  return place;
}

void Planner::addProduct(func::FuncOp function, StepFunction &step) {
  const std::string name = function.getSymName().str();
  FailureOr<ProductFunction> product = matchProductFunction(function);
  compilation_.check(succeeded(product), "a function of the program has no kernel");
  const algrt::Map map = mapOf(product->mode);
  const algrt::OperandNames names = algrt::operandNames(map);
  step.step.projection = made_.kernels.size();
  step.step.map = map;
  step.step.rows = product->rows;
  const bool has_position =
      llvm::any_of(function.getArgumentTypes(), [](Type type) { return type.isIndex(); });
  step.takes_positions = has_position && !product->rows &&
                         product->layer.lift.kind() == algebras::Lift::Kind::Rows &&
                         product->layer.row_types.kind() != algebras::RowTypes::Kind::Explicit;
  step.arguments = product->arguments;
  for (auto [argument, roles] : llvm::zip_equal(function.getArguments(), step.arguments))
    if (auto tensor = dyn_cast<RankedTensorType>(argument.getType());
        tensor && tensor.getElementType().isInteger())
      roles = {"types"};
  std::vector<algebras::DataType> result_types;
  for (const auto &[number, type] : llvm::enumerate(function.getResultTypes())) {
    step.results.push_back(algrt::numberedName(names.y, static_cast<int64_t>(number)));
    result_types.push_back(dataTypeOf(type));
  }
  const bool plain = isPlain(*product);
  if (!plain) {
    product->layer.fused = fusedOf(product->fusion);
    product->layer.fused.map_operations = product->map_operations;
    product->layer.fused.map_cycles = product->map_cycles;
  }
  made_.kernels.push_back(
      {.projection = name,
       .title = name,
       .layer = product->layer,
       .fusion = plain ? std::nullopt : std::optional(product->fusion),
       .maps = {map},
       // The kernels of a GPU are of the first one's type; others follow from the function.
       .results = {result_types.front()},
       .allow_nonassociative = false,
       .next = product->next,
       .rows = product->rows,
       .takes_positions = step.takes_positions,
       .function = moduleOf(function),
       .operands = step.arguments,
       .result_operands = step.results,
       .origin = origin_,
       .where = placeOfProduct(function)});
}

void Planner::addProgram(func::FuncOp function) {
  FailureOr<algrt::Program> program =
      programOf(function, results_.at(function.getSymName().str()),
                [&](StringRef name) -> const StepFunction & { return functions_.at(name.str()); });
  compilation_.check(succeeded(program), "a program is more than the calls of its kernels");
  made_.programs.push_back(std::move(*program));
}

ProgramPlan Planner::plan() {
  made_ = fuse();
  for (auto function : module_->getOps<func::FuncOp>())
    if (function.isPrivate())
      addKernel(function);
  for (auto function : module_->getOps<func::FuncOp>())
    if (function.isPublic())
      addProgram(function);
  return std::move(made_);
}

} // namespace

BundleContents ProgramPlan::contents() const {
  BundleContents contents{algebras, {}, {}, programs, text};
  for (const KernelSource &kernel : kernels)
    contents.projections.push_back({kernel.projection, kernel.layer, kernel.fusion});
  for (const ElementwiseSource &function : elementwise)
    contents.elementwise.push_back(function.description);
  return contents;
}

ProgramPlan planProgram(const Spec &spec, const CompileOptions &given) {
  CompileOptions options = given;
  const std::optional<std::string> remark = settleKeeping(spec, options);
  ProgramPlan plan = Planner(spec, options).plan();
  for (KernelSource &kernel : plan.kernels)
    kernel.described = spec.where;
  if (remark)
    plan.remarks.push_back(*remark);
  if (options.experts > 0)
    requireExperts(plan, options);
  return plan;
}

/// The remarks as comments, so that what follows can be read again.
static std::string withRemarks(const ProgramPlan &plan) {
  std::string text;
  for (const std::string &remark : plan.remarks)
    text += "// " + remark + "\n";
  return text + plan.fused;
}

std::string emitProgramStage(const Spec &spec, Stage stage, const CompileOptions &given) {
  CompileOptions options = given;
  const std::optional<std::string> remark = settleKeeping(spec, options);
  ProgramPlan plan = Planner(spec, options).fuse();
  if (remark)
    plan.remarks.push_back(*remark);
  return stage == Stage::Alg ? plan.text : withRemarks(plan);
}

std::string emitFusedProjection(const KernelSource &source, const CompileOptions &options) {
  Compilation compilation(options.print_ir_after_all);
  OwningOpRef<ModuleOp> module = compilation.algProgram(source, source.maps);
  compilation.run(*module, [](OpPassManager &passes) {
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    passes.addPass(createAlgFuse());
  });
  return printModule(*module, /*names=*/true);
}

std::vector<ElementwiseSource> projectionFunctions(const KernelSource &source,
                                                   const CompileOptions &options) {
  std::vector<ElementwiseSource> functions;
  if (!source.layer.bias || !llvm::is_contained(source.maps, algrt::Map::Dw))
    return functions;
  for (const auto &[type, described] : {std::pair(algebras::DataType::F32, algrt::ElementType::F32),
                                        std::pair(algebras::DataType::BF16, algrt::ElementType::Bf16)}) {
    if (type != algebras::DataType::F32 && type != source.layer.dtype)
      continue;
    Compilation compilation(options.print_ir_after_all);
    OwningOpRef<ModuleOp> module =
        buildBiasGradient(compilation.getContext(), source.layer, source.allow_nonassociative, type,
                          algrt::dbiasFunction(described));
    compilation.check(static_cast<bool>(module), "the gradient of the bias could not be written");
    auto function = *module->getOps<func::FuncOp>().begin();
    FailureOr<ElementwiseFunction> sums = describeElementwise(function, HeldResults::AddedTo);
    compilation.check(succeeded(sums), "the gradient of the bias has no kernel");
    ElementwiseSource &made = functions.emplace_back();
    made.description = sums->description;
    for (const std::string &argument : sums->arguments)
      made.operands.push_back(argument.empty() ? std::vector<std::string>() : std::vector{argument});
    made.result_operands = sums->results;
    made.function = moduleOf(function);
    made.compiled_from = std::make_shared<const ElementwiseFunction>(std::move(*sums));
  }
  return functions;
}

algrt::ProgramStep stepToShow(const ProgramPlan &plan, const Spec &spec, const CompileOptions &options) {
  std::vector<algrt::ProgramStep> steps;
  std::vector<std::string> names;
  for (const algrt::Program &program : plan.programs)
    for (const algrt::ProgramStep &step : program.steps) {
      const std::string &name = plan.functionOf(step);
      if (llvm::is_contained(names, name))
        continue;
      if (name == options.kernel)
        return step;
      steps.push_back(step);
      names.push_back(name);
    }
  if (options.kernel.empty() && steps.size() == 1)
    return steps.front();
  throw UsageError(options.kernel.empty()
                       ? fmt::format("{} has several kernels: say which one with --kernel; there are {}",
                                     spec.source_name, fmt::join(names, ", "))
                       : fmt::format("{} has no kernel '{}'; there are {}", spec.source_name, options.kernel,
                                     fmt::join(names, ", ")));
}

} // namespace compiler
