#include "compiler/program/kernel_groups.h"

#include "runtime/bundle/fusion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace compiler {

bool isStep(Operation *op) {
  if (isa<alg::ContractOp, alg::MapOp, alg::ReduceOp>(op))
    return true;
  return !op->hasTrait<OpTrait::ConstantLike>() &&
         isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         llvm::any_of(op->getResultTypes(), [](Type type) { return isa<ShapedType>(type); });
}

static KernelGroup producersOfAll(SmallVector<Value> pending) {
  KernelGroup producers;
  for (size_t next = 0; next < pending.size(); ++next) {
    Operation *producer = pending[next].getDefiningOp();
    if (!producer)
      continue;
    if (isStep(producer))
      producers.insert(producer);
    else
      llvm::append_range(pending, producer->getOperands());
  }
  return producers;
}

KernelGroup producersOf(Operation *op) { return producersOfAll(SmallVector<Value>(op->getOperands())); }

KernelGroup producersOf(Value value) { return producersOfAll({value}); }

/// Whether a value is read, through views, by something that is not in the group.
static bool isReadOutside(Value value, const KernelGroup &group) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (group.contains(user))
      return false;
    if (isStep(user) || user->hasTrait<OpTrait::IsTerminator>() || user->getNumResults() == 0)
      return true;
    return llvm::any_of(user->getResults(), [&](Value seen) { return isReadOutside(seen, group); });
  });
}

SmallVector<Value> resultsOf(const KernelGroup &group) {
  SmallVector<Value> results;
  for (Operation *op : group)
    for (Value result : op->getResults())
      if (isReadOutside(result, group))
        results.push_back(result);
  return results;
}

bool KernelGroups::dependsOn(Operation *op, const KernelGroup &group) const {
  // The kernel of a step needs what any of its steps reads.
  KernelGroup pending = groupOf(op);
  for (unsigned next = 0; next < pending.size(); ++next)
    for (Operation *producer : producersOf(pending[next])) {
      if (group.contains(producer))
        return true;
      const KernelGroup further = groupOf(producer);
      pending.insert(further.begin(), further.end());
    }
  return false;
}

/// Whether a map reads a number that a step computes.
static bool readsComputedNumber(Operation *op) {
  auto map = dyn_cast<alg::MapOp>(op);
  return map && llvm::any_of(map.getNumbers(), [](Value number) {
           return number.getDefiningOp() && isStep(number.getDefiningOp());
         });
}

/// The steps of a group that make the rows of another step's product, directly or not: its first layer.
static KernelGroup firstLayerOf(const KernelGroup &group) {
  KernelGroup feeding;
  for (Operation *op : llvm::reverse(group)) { // readers come behind what they read
    const bool feeds = llvm::any_of(group, [&](Operation *reader) {
      return (isa<alg::ContractOp>(reader) || feeding.contains(reader)) && producersOf(reader).contains(op);
    });
    if (feeds)
      feeding.insert(op);
  }
  KernelGroup in_order;
  for (Operation *op : group)
    if (feeding.contains(op))
      in_order.insert(op);
  return in_order;
}

std::optional<std::string> KernelGroups::objectionToContractions(const KernelGroup &group,
                                                                 const KernelGroup &first_layer) const {
  for (Operation *op : group)
    if (auto contract = dyn_cast<alg::ContractOp>(op);
        contract && contract.getMode() == alg::OutputMode::WeightGradient && group.size() > 1)
      return "a gradient of weights is added up over the rows of the batch and stored as it is";
  if (std::optional<std::string> layers = objectionToLayers(group, first_layer))
    return layers;
  alg::ContractOp first, first_of_last;
  int64_t products = 0;
  for (Operation *op : group) {
    auto contract = dyn_cast<alg::ContractOp>(op);
    if (!contract)
      continue;
    if (++products > algrt::most_fused)
      return "a kernel has at most " + std::to_string(algrt::most_fused) + " products";
    alg::ContractOp &like = first_layer.contains(op) || first_layer.empty() ? first : first_of_last;
    if (!like)
      like = contract;
    if (contract.getLhs() != like.getLhs() || contract.getAlgebra() != like.getAlgebra() ||
        contract.getMode() != like.getMode())
      return "the contractions do not read the same activations with the same terms";
    if (!contract.getResult().getType().isCutLike(like.getResult().getType()))
      return "the contractions have results of different groups";
  }
  if ((first || first_of_last) && llvm::any_of(group, readsComputedNumber))
    return "a kernel of products is launched with its numbers, and a step computes one that the map reads";
  return std::nullopt;
}

/// Whether a step of a group is a contraction, or made from one of the group.
static bool isMadeByContraction(Operation *op, const KernelGroup &group) {
  KernelGroup pending;
  pending.insert(op);
  for (unsigned next = 0; next < pending.size(); ++next) {
    if (isa<alg::ContractOp>(pending[next]))
      return true;
    for (Operation *producer : producersOf(pending[next]))
      if (group.contains(producer))
        pending.insert(producer);
  }
  return false;
}

/// An output slot (i, j) of a product of mode k needs the input groups B(i, j) of its own rows alone: whoever
/// owns the rows makes these, and no other worker is waited for.
std::optional<std::string> KernelGroups::objectionToLayers(const KernelGroup &group,
                                                           const KernelGroup &first_layer) const {
  if (first_layer.empty())
    return std::nullopt;
  if (!options_.layers)
    return "a contraction sums over groups of its operands, which other workers have to finish first";
  alg::ContractOp first;
  for (Operation *op : first_layer) {
    auto contract = dyn_cast<alg::ContractOp>(op);
    if (!contract)
      continue;
    for (Operation *producer : producersOf(op))
      if (group.contains(producer))
        return isMadeByContraction(producer, group)
                   ? "a kernel has two layers of products at most"
                   : "a map of what products read is a step before them: each group that has a term with it "
                     "would compute it again";
    first = contract;
  }
  if (!first)
    return "a map of what products read is a step before them: each group that has a term with it would "
           "compute it again";
  Value between;
  for (Operation *op : group) {
    if (first_layer.contains(op))
      continue;
    auto contract = dyn_cast<alg::ContractOp>(op);
    if (!contract) { // a map of the last layer
      if (llvm::any_of(producersOf(op), [&](Operation *producer) { return first_layer.contains(producer); }))
        return "a map reads what the first layer of products has left beside what the second makes of it";
      continue;
    }
    const auto is_in = [](const KernelGroup &steps) {
      return [&steps](Operation *producer) { return steps.contains(producer); };
    };
    if (llvm::none_of(producersOf(op), is_in(first_layer)))
      return "the contractions do not read the same activations with the same terms";
    if (llvm::any_of(producersOf(contract.getRhs()), is_in(group)))
      return "weights that are computed are whole before they are read";
    if (contract.getMode() != alg::OutputMode::Product || first.getMode() != alg::OutputMode::Product)
      return "the products of a kernel of two layers are of mode k, and a gradient of activations is of mode "
             "i";
    if (contract.getAlgebra() != first.getAlgebra())
      return "the products of two layers are by different algebras";
    auto rows = cast<alg::SlotsType>(contract.getLhs().getType());
    auto input = cast<alg::SlotsType>(first.getLhs().getType());
    if (rows.isWeights())
      return "products of weights are made once for all rows";
    if (!rows.getRowTypes())
      return "kernels of two layers are in the lift by rows, where every row has a type";
    if (rows.getRowTypes() != input.getRowTypes() || rows.getElementType() != input.getElementType())
      return "the rows of the two layers have other types, or elements of other types";
    between = contract.getLhs();
  }
  if (!first_layer.contains(between.getDefiningOp()))
    return "the second layer of products reads other groups than the first one leaves";
  return std::nullopt;
}

std::optional<std::string> KernelGroups::objectionToReductions(const KernelGroup &group) const {
  const auto is_contraction = [](Operation *op) { return isa<alg::ContractOp>(op); };
  alg::ReduceOp first;
  for (Operation *op : group) {
    auto reduce = dyn_cast<alg::ReduceOp>(op);
    if (!reduce)
      continue;
    if (!first)
      first = reduce;
    if (reduce.getOver() != first.getOver())
      return "a worker owns whole rows or whole columns, and the reductions go over different ones";
    if (llvm::any_of(group, is_contraction))
      return "a reduction needs whole rows or columns, of which the tiles of a contraction are parts";
    for (Operation *reader : group)
      if (producersOf(reader).contains(op))
        return "the result of a reduction is known when all of its rows or columns have been read";
  }
  return std::nullopt;
}

std::optional<std::string> KernelGroups::objection(const KernelGroup &group) const {
  if (group.size() < 2)
    return std::nullopt;
  const KernelGroup first_layer = firstLayerOf(group);
  if (std::optional<std::string> contractions = objectionToContractions(group, first_layer))
    return contractions;
  if (std::optional<std::string> reductions = objectionToReductions(group))
    return reductions;
  alg::SlotsType cuts[2]; // of the layers
  for (Operation *op : group) {
    if (!isa<alg::ContractOp, alg::MapOp, alg::ReduceOp>(op))
      return "arithmetic on statistics is a step of its own";
    alg::SlotsType &cut = cuts[first_layer.contains(op) ? 0 : 1];
    Value view = isa<alg::ReduceOp>(op) ? op->getOperand(0) : op->getResult(0);
    auto type = cast<alg::SlotsType>(view.getType());
    if (cut && !cut.isCutLike(type))
      return "their views are cut differently";
    cut = type;
    for (Operation *producer : producersOf(op))
      if (!group.contains(producer) && dependsOn(producer, group))
        return "an operand of the one depends on the result of the other through a third step";
  }
  const SmallVector<Value> results = resultsOf(group);
  if (llvm::any_of(results, [&](Value result) { return first_layer.contains(result.getDefiningOp()); }))
    return "what the first layer of products leaves is read by other steps as well, and is nowhere as a "
           "whole";
  if (results.size() > options_.results)
    return "the result is read by other steps as well, and a kernel has " + std::to_string(options_.results) +
           (options_.results == 1 ? " result" : " results");
  return std::nullopt;
}

KernelGroup KernelGroups::groupOf(Operation *op) const { return joined(op, {}); }

KernelGroup KernelGroups::joined(Operation *op, ArrayRef<Operation *> others) const {
  llvm::SmallDenseSet<unsigned> numbers = {number_of_group_.lookup(op)};
  for (Operation *other : others)
    numbers.insert(number_of_group_.lookup(other));
  KernelGroup group;
  for (Operation *step : steps_)
    if (numbers.contains(number_of_group_.lookup(step)))
      group.insert(step);
  return group;
}

bool KernelGroups::tryToJoin(Operation *op, ArrayRef<Operation *> others) {
  const KernelGroup group = joined(op, others);
  if (objection(group))
    return false;
  for (Operation *step : group)
    number_of_group_[step] = number_of_group_.lookup(op);
  return true;
}

/// Bytes of a row of a tensor.
static int64_t bytesOfRow(Value view) {
  auto type = cast<alg::SlotsType>(view.getType());
  return type.getShape().back() * type.getElementType().getIntOrFloatBitWidth() / 8;
}

/// What a group stores of each row of its results.
static int64_t storedBytes(const KernelGroup &group) {
  int64_t bytes = 0;
  for (Value result : resultsOf(group))
    if (isa<alg::SlotsType>(result.getType()))
      bytes += bytesOfRow(result);
  return bytes;
}

void KernelGroups::joinReaders(Operation *map, const KernelGroup &producers) {
  std::optional<KernelGroup> best;
  int64_t least = 0;
  for (Operation *producer : producers) {
    const KernelGroup made = groupOf(producer);
    if (llvm::none_of(made, [](Operation *op) { return isa<alg::ContractOp>(op); }))
      continue;
    SmallVector<Operation *> readers = {producer};
    for (Operation *reader : steps_)
      if (isa<alg::MapOp>(reader) && !made.contains(reader) &&
          llvm::any_of(producersOf(reader), [&](Operation *read) { return made.contains(read); }))
        readers.push_back(reader);
    const KernelGroup group = joined(map, readers);
    if (objection(group))
      continue;
    int64_t saved = -storedBytes(group);
    llvm::SmallDenseSet<unsigned> counted;
    for (Operation *op : group)
      if (counted.insert(number_of_group_.lookup(op)).second)
        saved += storedBytes(groupOf(op));
    if (!best || saved > least) {
      best = group;
      least = saved;
    }
  }
  if (best)
    for (Operation *step : *best)
      number_of_group_[step] = number_of_group_.lookup(map);
}

KernelGroups::KernelGroups(func::FuncOp function, const Options &options) : options_(options) {
  for (Operation &op : function.getBody().front())
    if (isStep(&op))
      steps_.push_back(&op);
  for (auto [number, op] : llvm::enumerate(steps_))
    number_of_group_[op] = number;
  if (options.apart)
    return;
  for (Operation *op : steps_) {
    const KernelGroup producers = producersOf(op);
    // All at once where they can be: a map of two contractions, and of two of what a layer leaves with that
    // layer, which none of the two could join alone.
    if (options.layers) {
      KernelGroup layers = producers;
      for (Operation *producer : producers) {
        const KernelGroup behind = producersOf(producer);
        layers.insert(behind.begin(), behind.end());
      }
      if (layers.size() > producers.size() && tryToJoin(op, layers.getArrayRef()))
        continue;
    }
    if (tryToJoin(op, producers.getArrayRef()))
      continue;
    if (isa<alg::MapOp>(op))
      joinReaders(op, producers);
    for (Operation *producer : producers)
      tryToJoin(op, producer);
  }
}

SmallVector<KernelGroup> KernelGroups::inOrder() const {
  SmallVector<KernelGroup> order;
  llvm::DenseSet<Operation *> done;
  while (done.size() < steps_.size())
    for (Operation *op : steps_) {
      if (done.contains(op))
        continue;
      const KernelGroup group = groupOf(op);
      const bool ready = llvm::all_of(group, [&](Operation *member) {
        return llvm::all_of(producersOf(member), [&](Operation *producer) {
          return group.contains(producer) || done.contains(producer);
        });
      });
      if (!ready)
        continue;
      order.push_back(group);
      done.insert(group.begin(), group.end());
    }
  return order;
}

void KernelGroups::emitRemarks() const {
  for (Operation *op : steps_)
    for (Operation *producer : producersOf(op)) {
      if (number_of_group_.lookup(op) == number_of_group_.lookup(producer))
        continue;
      std::optional<std::string> reason = objection(joined(op, producer));
      InFlightDiagnostic remark = op->emitRemark("stays apart from the step that it reads: ");
      remark << reason.value_or("another step was joined first");
      remark.attachNote(producer->getLoc()) << "the step that it reads";
    }
}

} // namespace compiler
