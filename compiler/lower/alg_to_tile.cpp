// convert-alg-to-tile: chooses schedules and writes the kernels of every projection.
#include "compiler/lower/bank_gradient_kernel.h"
#include "compiler/lower/kernel_builder.h"
#include "compiler/lower/match_epilogue.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/reduced_kernel.h"
#include "compiler/lower/staged_bank_gradient.h"
#include "compiler/lower/staged_kernel.h"
#include "compiler/lower/staged_schedule.h"
#include "compiler/schedule/cpu_schedule.h"
#include "compiler/schedule/targets.h"

#include "algebras/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace compiler {
#define GEN_PASS_DEF_CONVERTALGTOTILE
#include "compiler/lower/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

/// A function that is one projection.
struct Projection {
  tile::LayoutAttr layout;
  Type element;
  Epilogue epilogue;
  bool bias = false; ///< whether the layer has one, which counts in its schedules
};

struct ConvertAlgToTile : compiler::impl::ConvertAlgToTileBase<ConvertAlgToTile> {
  using ConvertAlgToTileBase::ConvertAlgToTileBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const TargetEntry *entry = findTarget(target.getValue());
    if (!entry) {
      module.emitError("there are no kernels for the target '")
          << target.getValue() << "'; the targets are " << fmt::format("{}", fmt::join(targetNames(), ", "));
      return signalPassFailure();
    }
    const bool staged = entry->isGpu();
    if (output != "bf16" && output != "f32") {
      module.emitError("the result of a kernel is bf16 or f32, not '") << output.getValue() << "'";
      return signalPassFailure();
    }
    CpuLevel level;
    try {
      if (!staged)
        level = cpuLevel(cpu.getValue());
    } catch (const algebras::InputError &error) {
      report(module, error);
      return signalPassFailure();
    }
    if (rows < 1) {
      module.emitError("schedules are chosen for at least one row, got ") << rows.getValue();
      return signalPassFailure();
    }
    for (func::FuncOp function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      FailureOr<Projection> projection = match(function);
      if (failed(projection))
        return signalPassFailure();
      if (!projection->layout) // no product in it
        continue;
      if (!staged)
        writeKernels(function, *projection, level);
      else if (failed(writeStagedKernel(function, *projection)))
        return signalPassFailure();
      function.erase();
    }
  }

private:
  FailureOr<Projection> match(func::FuncOp function);
  void writeKernels(func::FuncOp function, const Projection &projection, const CpuLevel &level);
  LogicalResult writeStagedKernel(func::FuncOp function, const Projection &projection);
  static void report(Operation *op, const algebras::InputError &error) {
    InFlightDiagnostic diagnostic = op->emitError(error.what());
    if (!error.hint().empty())
      diagnostic.attachNote() << error.hint();
  }
};

} // namespace

FailureOr<Projection> ConvertAlgToTile::match(func::FuncOp function) {
  alg::ContractOp contract;
  auto first = function.walk([&](alg::ContractOp op) {
    if (contract) {
      op.emitError("a second product in one function cannot be lowered: kernels compute one projection each");
      return WalkResult::interrupt();
    }
    contract = op;
    return WalkResult::advance();
  });
  if (first.wasInterrupted())
    return failure();
  if (!contract)
    return Projection();
  const alg::OutputMode mode = contract.getMode();
  auto lhs = contract.getLhs().getDefiningOp<alg::SlotsOp>();
  auto rhs = contract.getRhs().getDefiningOp<alg::SlotsOp>();
  if (!lhs || !rhs || !isa<BlockArgument>(lhs.getTensor()) || !isa<BlockArgument>(rhs.getTensor()))
    return contract.emitError("both operands must be slot views of the function's arguments");
  FailureOr<Epilogue> epilogue = matchEpilogue(contract);
  if (failed(epilogue))
    return failure();

  alg::SlotsType activations = contract.getLhs().getType(), second = contract.getRhs().getType();
  alg::SlotsType result = contract.getResult().getType();
  Projection projection;
  projection.element = activations.getElementType();
  projection.bias = static_cast<bool>(contract.getBias());
  projection.epilogue = std::move(*epilogue);
  if (activations.isBank())
    return contract.emitError("kernels multiply activations, not banks by banks");
  if (!projection.element.isF32() && !projection.element.isBF16())
    return contract.emitError("kernels compute on f32 or bf16, not on ") << projection.element;
  const bool rows_lift = activations.getLiftKind() == algebras::Lift::Kind::Rows;
  alg::RowTypesAttr row_types = rows_lift
                                    ? activations.getRowTypes()
                                    : alg::RowTypesAttr::get(&getContext(), algebras::RowTypes::cyclic(1));
  // The row groups of what the kernel calls its bank: the user's, its transpose's, or those of the result.
  alg::GroupsAttr bank = second.getBankInputs(), out = result.getFeatures();
  if (mode == alg::OutputMode::ActivationGradient)
    bank = second.getFeatures();
  if (mode == alg::OutputMode::BankGradient) {
    bank = activations.getFeatures();
    out = second.getFeatures();
  }
  projection.layout =
      tile::LayoutAttr::getChecked([&] { return contract.emitError(); }, &getContext(), contract.getAlgebra(),
                                   rows_lift ? tile::LiftKind::Rows : tile::LiftKind::Slots,
                                   activations.getFeatures(), bank, out, row_types, mode);
  if (!projection.layout)
    return failure();
  return projection;
}

static tile::ScheduleAttr toAttribute(MLIRContext *context, const CpuSchedule &schedule) {
  static const tile::BankAccess access[] = {tile::BankAccess::Packed, tile::BankAccess::Copied,
                                            tile::BankAccess::Direct};
  return tile::ScheduleAttr::get(context, schedule.types, schedule.rows, schedule.register_rows,
                                 schedule.register_columns, schedule.lanes,
                                 access[static_cast<int>(schedule.bank)]);
}

static algebras::Layer layerOf(const Projection &projection) {
  tile::LayoutAttr layout = projection.layout;
  return {layout.getTerms(),
          layout.getIn().getGroups(),
          layout.getOut().getGroups(),
          projection.element.isF32() ? algebras::DataType::F32 : algebras::DataType::BF16,
          layout.getRowTypes().getRowTypes(),
          projection.bias};
}

LogicalResult ConvertAlgToTile::writeStagedKernel(func::FuncOp function, const Projection &projection) {
  StagedChoice choice;
  choice.output = output == "f32" ? algebras::DataType::F32 : algebras::DataType::BF16;
  choice.schedule = schedule.getValue();
  choice.rows = rows;
  choice.vector = vector;
  choice.positions = positions;
  choice.bank_gradient = projection.layout.isBankGradient();
  choice.forward = !projection.layout.isTransposed() && !choice.bank_gradient;
  tile::StagedAttr chosen;
  tile::ReducedAttr reduced;
  try {
    reduced = reducedSchedule(&getContext(), target.getValue(), layerOf(projection), choice);
    if (!reduced)
      chosen = stagedSchedule(&getContext(), target.getValue(), layerOf(projection), choice);
  } catch (const algebras::InputError &error) {
    report(function, error);
    return failure();
  }
  OpBuilder builder(function);
  Type result =
      choice.output == algebras::DataType::F32 ? Type(builder.getF32Type()) : Type(builder.getBF16Type());
  const std::string name = (function.getSymName() + "_" + output).str();
  if (reduced)
    writeReducedProduct(builder, function.getLoc(), name, projection.layout, reduced, projection.element,
                        result, projection.epilogue);
  else if (choice.bank_gradient)
    writeStagedBankGradient(builder, function.getLoc(), name, projection.layout, chosen, projection.element,
                            result);
  else
    writeStagedProduct(builder, function.getLoc(), name, projection.layout, chosen, projection.element,
                       result, projection.epilogue);
  return success();
}

void ConvertAlgToTile::writeKernels(func::FuncOp function, const Projection &projection,
                                    const CpuLevel &level) {
  tile::LayoutAttr layout = projection.layout;
  const algebras::Layer layer = layerOf(projection);
  OpBuilder builder(function);
  const std::string name = function.getSymName().str();
  auto kernels = [&](BankAccess bank, std::int64_t m) {
    CpuSchedule schedule = chooseCpuSchedule(layer, level, bank, m);
    return KernelBuilder(builder, function.getLoc(), layout, toAttribute(&getContext(), schedule),
                         projection.element, schedule.pairs);
  };

  if (layout.isBankGradient()) {
    const CpuGradientSchedule schedule = chooseCpuGradientSchedule(layer, level, rows);
    // Gradients may be kept in f32 where activations and bank are bf16.
    const std::pair<StringRef, Type> results[] = {{"_f32", builder.getF32Type()},
                                                  {"_bf16", builder.getBF16Type()}};
    for (auto [suffix, result] : results)
      if (result.isF32() || !projection.element.isF32())
        writeBankGradient(builder, function.getLoc(), (name + suffix).str(), layout, schedule,
                          projection.element, result);
    return;
  }
  // Gradients meet a bank once, before it changes, and read it across its rows: copies pay, nothing else
  // does.
  if (layout.isTransposed()) {
    kernels(BankAccess::Copied, rows).contraction(name, projection.epilogue);
    return;
  }
  KernelBuilder packed = kernels(BankAccess::Packed, rows);
  packed.contraction(name + "_packed", projection.epilogue);
  packed.pack(name + "_pack");
  kernels(BankAccess::Copied, rows).contraction(name + "_copied", projection.epilogue);
  // Read in place only where a type has hardly more rows than one register tile.
  constexpr std::int64_t few_rows = 4;
  std::int64_t few = 0;
  if (__builtin_mul_overflow(few_rows, layer.lift.types(), &few))
    few = few_rows;
  kernels(BankAccess::Direct, std::min<std::int64_t>(few, rows))
      .contraction(name + "_direct", projection.epilogue);
}
