#include "compiler/lower/match_product.h"

#include "algebras/weight_row_types.h"
#include "compiler/lower/map_cycles.h"
#include "runtime/bundle/fusion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

#include <map>
#include <optional>

using namespace mlir;

namespace compiler {
namespace {

using Source = Epilogue::Source;

class ProductMatch {
public:
  explicit ProductMatch(func::FuncOp function) : function_(function) {}

  FailureOr<MatchedProduct> match();

private:
  /// The products of one layer and their maps.
  struct Layer {
    alg::ContractOp first; ///< of the contractions
    SmallVector<alg::ContractOp> contractions;
    ProductsOfKernel kernel;
    /// What the function computes, as maps see it.
    llvm::DenseMap<Value, Source> values;
    /// Sums before they are rounded to the contraction's type.
    llvm::DenseMap<Value, Source> sums;
    /// The operands that arguments are: one argument is two operands where it is read in two shapes.
    std::map<std::pair<unsigned, Epilogue::Shape>, size_t> numbers;
    MapOperations operations; ///< of all maps
  };

  /// Which operations make what contractions read, and so belong to the first of two layers.
  LogicalResult findLayers();
  Layer &layerOf(Operation *op) { return layers_[layers_.size() == 2 && !feeding_.contains(op) ? 1 : 0]; }
  LogicalResult addContraction(alg::ContractOp contract);
  LogicalResult addMap(alg::MapOp map);
  LogicalResult addResults(func::ReturnOp terminator);
  LogicalResult addResult(Layer &layer, Operation *user, Value view);
  /// The layout of one contraction; null after an error.
  tile::LayoutAttr layoutOf(alg::ContractOp contract);
  /// The operand that an argument of the function is; failure has been reported.
  FailureOr<size_t> operandOf(Operation *user, Value argument, Epilogue::Shape shape);
  std::string nameOf(BlockArgument argument, Epilogue::Shape shape) const;
  static algebras::Layer scheduledBy(const Layer &layer);
  ProductFunction describe();

  func::FuncOp function_;
  std::vector<Layer> layers_ = std::vector<Layer>(1);
  Value between_; ///< what the second of two layers multiplies
  llvm::SetVector<Operation *> feeding_;
};

} // namespace

static LogicalResult checkElement(Operation *user, Type element) {
  if (element.isF32() || element.isBF16())
    return success();
  return user->emitError("kernels compute on f32 or bf16, not on ") << element;
}

static Type elementOf(Value view) { return cast<alg::SlotsType>(view.getType()).getElementType(); }

static algrt::FusedOperand::Per perOf(Epilogue::Shape shape) {
  switch (shape) {
  case Epilogue::Shape::PerColumn:
    return algrt::FusedOperand::Per::Column;
  case Epilogue::Shape::PerRow:
    return algrt::FusedOperand::Per::Row;
  case Epilogue::Shape::PerElement:
    return algrt::FusedOperand::Per::Element;
  case Epilogue::Shape::Number:
    return algrt::FusedOperand::Per::Call;
  }
  llvm_unreachable("all shapes are above");
}

static algrt::ElementType runtimeType(Type element) {
  return element.isF32() ? algrt::ElementType::F32 : algrt::ElementType::Bf16;
}

std::string ProductMatch::nameOf(BlockArgument argument, Epilogue::Shape shape) const {
  auto given = dyn_cast<NameLoc>(argument.getLoc());
  std::string wanted = given ? given.getName().str() : std::string("operand");
  if (algrt::isReservedName(wanted)) // calls name something else so
    wanted += std::string("_") + algrt::name(perOf(shape));
  auto is_taken = [&](const std::string &name) {
    return llvm::any_of(layers_, [&](const Layer &layer) {
      return llvm::any_of(layer.kernel.epilogue.operands,
                          [&](const auto &other) { return other.name == name; });
    });
  };
  std::string name = wanted;
  for (unsigned number = 2; is_taken(name); ++number)
    name = wanted + std::to_string(number);
  return name;
}

FailureOr<size_t> ProductMatch::operandOf(Operation *user, Value value, Epilogue::Shape shape) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &function_.getBody().front())
    return user->emitError("what a product is mapped with must be an argument of the function");
  const Type element = getElementTypeOrSelf(value.getType());
  if (failed(checkElement(user, element)))
    return failure();
  if (shape == Epilogue::Shape::Number && !element.isF32())
    return user->emitError("single numbers are f32 in kernels, not ") << element;
  Operation *step = user->getParentOfType<alg::MapOp>() ? user->getParentOfType<alg::MapOp>() : user;
  Layer &layer = layerOf(step);
  std::vector<Epilogue::Operand> &operands = layer.kernel.epilogue.operands;
  auto [place, is_new] = layer.numbers.insert({{argument.getArgNumber(), shape}, operands.size()});
  if (is_new) {
    std::string name = nameOf(argument, shape);
    operands.push_back({shape, element, std::move(name)});
  }
  return place->second;
}

/// By which schedule the rows of the left operand have their types; nothing where kernels have none that says
/// so.
static std::optional<algebras::RowTypes> rowTypesOf(alg::ContractOp contract) {
  const alg::SlotsType rows = contract.getLhs().getType();
  if (rows.isWeights())
    return algebras::typesOfWeightRows(contract.getLift(), rows.getWeightInputs().getGroups());
  return rows.getPlain() ? algebras::RowTypes::cyclic(1) : rows.getRowTypes().getRowTypes();
}

tile::LayoutAttr ProductMatch::layoutOf(alg::ContractOp contract) {
  const alg::OutputMode mode = contract.getMode();
  alg::SlotsType activations = contract.getLhs().getType(), second = contract.getRhs().getType();
  const bool rows_lift = activations.getLiftKind() == algebras::Lift::Kind::Rows;
  alg::RowTypesAttr row_types = alg::RowTypesAttr::get(contract.getContext(), *rowTypesOf(contract));
  // The row groups of what the kernel calls its weight matrix: the user's, its transpose's, or those of the
  // result.
  alg::GroupsAttr weight_groups = second.getWeightInputs(),
                  out = contract.getResult().getType().getFeatures();
  if (mode == alg::OutputMode::ActivationGradient)
    weight_groups = second.getFeatures();
  if (mode == alg::OutputMode::WeightGradient) {
    weight_groups = activations.getFeatures();
    out = second.getFeatures();
  }
  return tile::LayoutAttr::getChecked([&] { return contract.emitError(); }, contract.getContext(),
                                      contract.getAlgebra(),
                                      rows_lift ? tile::LiftKind::Rows : tile::LiftKind::Slots,
                                      activations.getFeatures(), weight_groups, out, row_types, mode);
}

/// Whether two views show the same argument alike.
static bool isSameView(Value one, Value other) {
  auto first = one.getDefiningOp<alg::SlotsOp>(), second = other.getDefiningOp<alg::SlotsOp>();
  return one == other || (first && second && one.getType() == other.getType() &&
                          first->getOperands() == second->getOperands());
}

static bool isViewOfArgument(Value value) {
  auto view = value.getDefiningOp<alg::SlotsOp>();
  return view && isa<BlockArgument>(view.getTensor());
}

LogicalResult ProductMatch::findLayers() {
  for (auto contract : function_.getBody().front().getOps<alg::ContractOp>()) {
    Value rows = contract.getLhs();
    if (!isa_and_nonnull<alg::ContractOp, alg::MapOp>(rows.getDefiningOp()) ||
        !isViewOfArgument(contract.getRhs()))
      continue; // of arguments alone, or refused where it is added
    if (contract.getMode() != alg::OutputMode::Product)
      return contract.emitError("only products (mode k) read what other products of their kernel have left");
    if (between_ && rows != between_)
      return contract.emitError("products of one kernel read the same activations with the same terms");
    between_ = rows;
  }
  if (!between_)
    return success();
  layers_.emplace_back();
  SmallVector<Operation *> pending = {between_.getDefiningOp()};
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (!isa<alg::ContractOp, alg::MapOp>(op) || !feeding_.insert(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        pending.push_back(producer);
  }
  for (Operation *op : feeding_)
    for (Operation *reader : op->getUsers())
      if (!feeding_.contains(reader) && !(op == between_.getDefiningOp() && isa<alg::ContractOp>(reader)))
        return reader->emitError("reads what the first layer of a kernel of two has left to the products of "
                                 "the second, which is nowhere as a whole");
  return success();
}

LogicalResult ProductMatch::addContraction(alg::ContractOp contract) {
  Layer &own = layerOf(contract);
  const bool reads_layer = between_ && contract.getLhs() == between_;
  if ((!reads_layer && !isViewOfArgument(contract.getLhs())) || !isViewOfArgument(contract.getRhs()))
    return contract.emitError("both operands must be slot views of the function's arguments");
  if (!rowTypesOf(contract))
    return contract.emitError(
        "kernels multiply weight matrices by weight matrices in the lift by rows, where the "
        "rows of all types come in intervals of one width");
  const Type element = elementOf(contract.getLhs());
  if (failed(checkElement(contract, element)) ||
      failed(checkElement(contract, elementOf(contract.getResult()))))
    return failure();
  tile::LayoutAttr layout = layoutOf(contract);
  if (!layout)
    return failure();
  if (!own.first) {
    own.first = contract;
    own.kernel.layout = layout;
    own.kernel.element = element;
  } else if (layout.isWeightGradient() || own.kernel.layout.isWeightGradient()) {
    return contract.emitError(
        "a gradient of the weight matrix has a kernel of its own, without other products");
  } else if (!isSameView(contract.getLhs(), own.first.getLhs()) ||
             contract.getMode() != own.first.getMode() || contract.getAlgebra() != own.first.getAlgebra()) {
    return contract.emitError("products of one kernel read the same activations with the same terms");
  } else if (layout != own.kernel.layout) {
    return contract.emitError("products of one kernel have results that are cut alike");
  }
  if (&own != &layers_.front())
    if (alg::ContractOp before = layers_.front().first;
        !before || before.getMode() != alg::OutputMode::Product ||
        before.getAlgebra() != contract.getAlgebra() ||
        layers_.front().kernel.layout.getRowTypes() != layout.getRowTypes() ||
        layout.getLift() != tile::LiftKind::Rows || layers_.front().kernel.element != element)
      return contract.emitError("the layers of a kernel are products (mode k) by one algebra in the lift by "
                                "rows, of one element type");
  own.sums[contract.getResult()] = {Source::Kind::Sums, own.contractions.size()};
  own.contractions.push_back(contract);
  own.kernel.weights = static_cast<int64_t>(own.contractions.size());
  return success();
}

/// The body of a map as kernels run it: its arguments, then what it uses from outside. Constants are copied.
static auto copyOf(Block &body, ArrayRef<Value> inside, ArrayRef<arith::ConstantOp> constants) {
  return [&body, inside = llvm::to_vector(inside),
          constants = llvm::to_vector(constants)](OpBuilder &builder, Location, ValueRange elements) {
    IRMapping copies;
    copies.map(ValueRange(inside), elements);
    for (arith::ConstantOp constant : constants)
      if (!copies.contains(constant.getResult()))
        builder.clone(*constant, copies);
    for (Operation &op : body.without_terminator())
      builder.clone(op, copies);
    return copies.lookup(body.getTerminator()->getOperand(0));
  };
}

LogicalResult ProductMatch::addMap(alg::MapOp map) {
  Layer &own = layerOf(map);
  if (!own.first)
    return map.emitError("a layer of a kernel has a product of its own");
  if (own.kernel.layout.isWeightGradient())
    return map.emitError("a gradient of the weight matrix cannot be mapped in its kernel");
  auto result = cast<alg::SlotsType>(map.getResult().getType());
  if (!result.isCutLike(own.first.getResult().getType()))
    return map.emitError("maps in a kernel of products are of what is cut like their results");
  if (failed(checkElement(map, result.getElementType())))
    return failure();
  countOperations(map.getBody().front(), own.operations);
  Epilogue::Step step{.inputs = {}, .result = result.getElementType(), .body = {}};
  auto read = [&](Operation *user, Value value, Epilogue::Shape shape) -> LogicalResult {
    FailureOr<size_t> number = operandOf(user, value, shape);
    if (succeeded(number))
      step.inputs.push_back({Source::Kind::Operand, *number});
    return success(succeeded(number));
  };
  // Operands in the order of the body's arguments.
  for (Value input : map.getInputs()) {
    if (auto sum = own.sums.find(input); sum != own.sums.end() && !own.values.contains(input))
      own.values[input] = own.kernel.epilogue.round(sum->second, elementOf(input));
    if (auto known = own.values.find(input); known != own.values.end()) {
      step.inputs.push_back(known->second);
      continue;
    }
    auto view = input.getDefiningOp<alg::SlotsOp>();
    if (!view)
      return map.emitError("what a product is mapped with must be an argument of the function");
    if (failed(read(map, view.getTensor(), Epilogue::Shape::PerElement)))
      return failure();
  }
  const std::pair<OperandRange, Epilogue::Shape> vectors[] = {{map.getColumns(), Epilogue::Shape::PerColumn},
                                                              {map.getRows(), Epilogue::Shape::PerRow},
                                                              {map.getNumbers(), Epilogue::Shape::Number}};
  for (auto [operands, shape] : vectors)
    for (Value value : operands)
      if (failed(read(map, value, shape)))
        return failure();
  // Numbers from outside, which the body uses as they are.
  SmallVector<Value> inside(map.getBody().getArguments());
  SmallVector<arith::ConstantOp> constants;
  Block &body = map.getBody().front();
  for (Operation &op : body) {
    if (op.getNumRegions() != 0)
      return op.emitError("is no scalar code of arith or math, which is what kernels run on their sums");
    for (Value operand : op.getOperands()) {
      if (operand.getParentBlock() == &body || llvm::is_contained(inside, operand))
        continue;
      if (auto constant = operand.getDefiningOp<arith::ConstantOp>()) {
        constants.push_back(constant);
        continue;
      }
      if (!operand.getType().isF32())
        return op.emitError("numbers from outside of a map are f32 in kernels, not ") << operand.getType();
      if (failed(read(&op, operand, Epilogue::Shape::Number)))
        return failure();
      inside.push_back(operand);
    }
  }
  step.body = copyOf(body, inside, constants);
  own.values[map.getResult()] = own.kernel.epilogue.addStep(std::move(step));
  return success();
}

LogicalResult ProductMatch::addResult(Layer &layer, Operation *user, Value view) {
  if (!layer.sums.contains(view) && !layer.values.contains(view))
    return user->emitError(
        "a kernel of products returns products and their maps, gathered, and nothing else");
  const Source source = layer.sums.contains(view) ? layer.sums.lookup(view) : layer.values.lookup(view);
  layer.kernel.epilogue.results.push_back({source, elementOf(view)});
  return success();
}

LogicalResult ProductMatch::addResults(func::ReturnOp terminator) {
  if (terminator.getNumOperands() == 0)
    return terminator.emitError("a kernel of products returns what it computes");
  if (layers_.back().kernel.layout.isWeightGradient() && terminator.getNumOperands() != 1)
    return terminator.emitError("a gradient of the weight matrix is the only result of its kernel");
  if (between_ && failed(addResult(layers_.front(), between_.getDefiningOp(), between_)))
    return failure();
  for (Value result : terminator.getOperands()) {
    auto gather = result.getDefiningOp<alg::GatherOp>();
    if (failed(addResult(layers_.back(), terminator, gather ? gather.getView() : Value())))
      return failure();
  }
  return success();
}

/// What schedules are chosen by.
algebras::Layer ProductMatch::scheduledBy(const Layer &own) {
  const algebras::DataType dtype =
      own.kernel.element.isF32() ? algebras::DataType::F32 : algebras::DataType::BF16;
  tile::LayoutAttr layout = own.kernel.layout;
  algebras::Layer scheduled{layout.getTerms(), layout.getIn().getGroups(), layout.getOut().getGroups(), dtype,
                            layout.getRowTypes().getRowTypes()};
  const auto count = [&](Epilogue::Shape shape) {
    return llvm::count_if(own.kernel.epilogue.operands,
                          [&](const Epilogue::Operand &operand) { return operand.shape == shape; });
  };
  scheduled.bias = count(Epilogue::Shape::PerColumn) > 0;
  scheduled.fused = {.weights = own.kernel.weights,
                     .results = static_cast<int64_t>(own.kernel.epilogue.results.size()),
                     .element_operands = count(Epilogue::Shape::PerElement),
                     .row_operands = count(Epilogue::Shape::PerRow),
                     .map_operations = own.operations.all,
                     .map_cycles = own.operations.cycles()};
  for (const Epilogue::Result &result : own.kernel.epilogue.results)
    scheduled.fused.result_bytes += algrt::elementBytes(runtimeType(result.element));
  for (const Epilogue::Operand &operand : own.kernel.epilogue.operands)
    if (operand.shape == Epilogue::Shape::PerElement)
      scheduled.fused.operand_bytes += algrt::elementBytes(runtimeType(operand.element));
  return scheduled;
}

ProductFunction ProductMatch::describe() {
  Layer &first = layers_.front();
  tile::LayoutAttr layout = first.kernel.layout;
  // The layer whose forward product the function computes or differentiates.
  algebras::Layer described = scheduledBy(first);
  described.lift = *layout.getAlgebra().getLift(layout.getKind());
  described.bias = false;
  described.fused = {};
  if (layout.isTransposed())
    std::swap(described.in, described.out);
  const bool maps = !function_.getBody().front().getOps<alg::MapOp>().empty();
  ProductFunction description{
      .mode = first.first.getMode(), .layer = described, .fusion = {}, .maps = maps, .arguments = {}};
  algrt::Fusion &fusion = description.fusion;
  fusion.weights = first.kernel.weights;
  description.map_operations = first.operations.all;
  description.map_cycles = first.operations.cycles();
  for (const auto &[number, layer] : llvm::enumerate(layers_))
    for (const Epilogue::Operand &operand : layer.kernel.epilogue.operands)
      fusion.operands.push_back(
          {operand.name, perOf(operand.shape), runtimeType(operand.element), static_cast<int64_t>(number)});
  for (const Epilogue::Result &result : layers_.back().kernel.epilogue.results)
    fusion.results.push_back(runtimeType(result.element));
  if (between_) {
    description.next = scheduledBy(layers_.back());
    fusion.next = {.out_groups = description.next->out.widths(), .weights = layers_.back().kernel.weights};
  }
  if (const alg::SlotsType rows = first.first.getLhs().getType(); rows.isWeights())
    description.rows = rows.getShape()[0];
  description.arguments.resize(function_.getNumArguments());
  auto name = [&](Value view, const std::string &operand) {
    auto argument = cast<BlockArgument>(view.getDefiningOp<alg::SlotsOp>().getTensor());
    description.arguments[argument.getArgNumber()].push_back(operand);
  };
  name(first.first.getLhs(), layout.isTransposed() ? "dy" : "x");
  int64_t weight = 0;
  for (Layer &layer : layers_) {
    for (alg::ContractOp contract : layer.contractions)
      name(contract.getRhs(), layout.isWeightGradient() ? "dy" : algrt::numberedName("w", weight++));
    for (const auto &[read, operand] : layer.numbers)
      description.arguments[read.first].push_back(layer.kernel.epilogue.operands[operand].name);
  }
  return description;
}

FailureOr<MatchedProduct> ProductMatch::match() {
  if (!llvm::hasSingleElement(function_.getBody()))
    return function_.emitError("a kernel of products has one block");
  Block &body = function_.getBody().front();
  if (failed(findLayers()))
    return failure();
  for (auto contract : body.getOps<alg::ContractOp>())
    if (failed(addContraction(contract)))
      return failure();
  if (!layers_.front().first)
    return function_.emitError("a kernel of products has a product of its own, not one in another operation");
  for (auto map : body.getOps<alg::MapOp>())
    if (failed(addMap(map)))
      return failure();
  if (failed(addResults(cast<func::ReturnOp>(body.getTerminator()))))
    return failure();
  for (Operation &op : body.without_terminator())
    if (!isa<alg::ContractOp, alg::MapOp, alg::SlotsOp, alg::GatherOp>(op) &&
        !op.hasTrait<OpTrait::ConstantLike>())
      return op.emitError("cannot be in a kernel of products, which has contractions and their maps");

  MatchedProduct matched{describe(), {}};
  for (Layer &layer : layers_) {
    algebras::Layer scheduled = scheduledBy(layer);
    matched.layers.push_back({std::move(layer.kernel), std::move(scheduled)});
  }
  return matched;
}

FailureOr<MatchedProduct> matchProduct(func::FuncOp function) { return ProductMatch(function).match(); }

bool hasContraction(func::FuncOp function) {
  return function.walk([](alg::ContractOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

FailureOr<ProductFunction> matchProductFunction(func::FuncOp function) {
  FailureOr<MatchedProduct> matched = matchProduct(function);
  if (failed(matched))
    return failure();
  return std::move(matched->description);
}

} // namespace compiler
