// convert-alg-to-tile: chooses schedules and writes the kernels of every function with products.
#include "compiler/lower/chained_kernel.h"
#include "compiler/lower/gpu_schedule.h"
#include "compiler/lower/kernel_builder.h"
#include "compiler/lower/match_product.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/reduced_chained_kernel.h"
#include "compiler/lower/reduced_kernel.h"
#include "compiler/lower/staged_chained_kernel.h"
#include "compiler/lower/staged_kernel.h"
#include "compiler/lower/weight_gradient_kernel.h"
#include "compiler/schedule/cpu_chained_schedule.h"
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
    const bool on_gpu = entry->isGpu();
    if (output != "bf16" && output != "f32") {
      module.emitError("the result of a kernel is bf16 or f32, not '") << output.getValue() << "'";
      return signalPassFailure();
    }
    CpuLevel level;
    try {
      if (!on_gpu)
        level = cpuLevel(cpu.getValue());
    } catch (const algebras::InputError &error) {
      report(module, error);
      return signalPassFailure();
    }
    if (experts < 0 || (experts > 0 && !on_gpu)) {
      module.emitError(
          "kernels whose rows are divided among experts are a GPU's, of at least one expert; got ")
          << experts.getValue() << " for " << target.getValue();
      return signalPassFailure();
    }
    if (rows < 1) {
      module.emitError("schedules are chosen for at least one row, got ") << rows.getValue();
      return signalPassFailure();
    }
    for (func::FuncOp function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (!hasContraction(function))
        continue;
      FailureOr<MatchedProduct> product = matchProduct(function);
      if (failed(product))
        return signalPassFailure();
      const bool chained = product->layers.size() > 1;
      if (on_gpu && chained) {
        if (failed(writeGpuLayers(function, product->layers)))
          return signalPassFailure();
        function.erase();
        continue;
      }
      if (chained)
        writeChainedKernels(function, product->layers, level);
      else if (!on_gpu)
        writeKernels(function, product->layers.front(), level);
      else if (failed(writeGpuKernel(function, product->layers.front())))
        return signalPassFailure();
      function.erase();
    }
  }

private:
  void writeKernels(func::FuncOp function, const MatchedLayer &product, const CpuLevel &level);
  /// The same of two layers.
  void writeChainedKernels(func::FuncOp function, ArrayRef<MatchedLayer> layers, const CpuLevel &level);
  LogicalResult writeGpuKernel(func::FuncOp function, MatchedLayer &product);
  LogicalResult writeGpuLayers(func::FuncOp function, MutableArrayRef<MatchedLayer> layers);
  /// One result of the operands' type is written in either type, as it is asked for; others are what they
  /// are.
  Type chooseResult(ProductsOfKernel &kernel, OpBuilder &builder) const;
  GpuChoice choiceFor(Type result) const;
  static void report(Operation *op, const algebras::InputError &error) {
    InFlightDiagnostic diagnostic = op->emitError(error.what());
    if (!error.hint().empty())
      diagnostic.attachNote() << error.hint();
  }
};

} // namespace

static tile::ScheduleAttr toAttribute(MLIRContext *context, const CpuSchedule &schedule) {
  static const tile::WeightAccess access[] = {tile::WeightAccess::Packed, tile::WeightAccess::Copied,
                                              tile::WeightAccess::Direct};
  return tile::ScheduleAttr::get(
      context, schedule.types, schedule.rows, schedule.register_rows, schedule.register_columns,
      schedule.lanes, access[static_cast<int>(schedule.weights)],
      schedule.unit == MultiplyUnit::Amx ? tile::MultiplyUnit::Amx : tile::MultiplyUnit::Vectors);
}

Type ConvertAlgToTile::chooseResult(ProductsOfKernel &kernel, OpBuilder &builder) const {
  std::vector<Epilogue::Result> &results = kernel.epilogue.results;
  if (kernel.weights == 1 && results.size() == 1 && results.front().element == kernel.element)
    results.front().element = output == "f32" ? Type(builder.getF32Type()) : Type(builder.getBF16Type());
  return results.front().element;
}

GpuChoice ConvertAlgToTile::choiceFor(Type result) const {
  GpuChoice choice;
  choice.output = result.isF32() ? algebras::DataType::F32 : algebras::DataType::BF16;
  choice.schedule = schedule.getValue();
  choice.rows = rows;
  choice.vector = vector;
  choice.positions = positions;
  choice.experts = experts;
  return choice;
}

static std::string nameOfResult(func::FuncOp function, Type result) {
  return (function.getSymName() + (result.isF32() ? "_f32" : "_bf16")).str();
}

LogicalResult ConvertAlgToTile::writeGpuLayers(func::FuncOp function, MutableArrayRef<MatchedLayer> layers) {
  OpBuilder builder(function);
  Type result = chooseResult(layers[1].kernel, builder);
  const GpuChoice choice = choiceFor(result);
  const algebras::Layer &first = layers[0].scheduled, &last = layers[1].scheduled;
  const std::string name = nameOfResult(function, result);
  try {
    const auto schedules = gpuSchedulesOfLayers(&getContext(), target.getValue(), first, last, choice);
    if (const auto *reduced = std::get_if<ReducedChainedSchedules>(&schedules)) {
      writeReducedChainedKernel(builder, function.getLoc(), name, layers[0].kernel, reduced->hidden,
                                layers[1].kernel, reduced->own)
          .setExperts(experts > 0);
      return success();
    }
    const auto &staged = std::get<ChainedSchedules>(schedules);
    writeStagedChainedKernel(builder, function.getLoc(), name, layers[0].kernel, staged.hidden,
                             layers[1].kernel, staged.own);
  } catch (const algebras::InputError &error) {
    report(function, error);
    return failure();
  }
  return success();
}

LogicalResult ConvertAlgToTile::writeGpuKernel(func::FuncOp function, MatchedLayer &product) {
  ProductsOfKernel &kernel = product.kernel;
  OpBuilder builder(function);
  Type result = chooseResult(kernel, builder);
  GpuChoice choice = choiceFor(result);
  choice.weight_gradient = kernel.layout.isWeightGradient();
  choice.forward = !kernel.layout.isTransposed() && !choice.weight_gradient;
  const std::string name = nameOfResult(function, result);
  try {
    const auto chosen = gpuSchedule(&getContext(), target.getValue(), product.scheduled, choice);
    if (const auto *reduced = std::get_if<tile::ReducedAttr>(&chosen))
      writeReducedProduct(builder, function.getLoc(), name, kernel, *reduced).setExperts(experts > 0);
    else
      writeStagedProduct(builder, function.getLoc(), name, kernel, std::get<tile::StagedAttr>(chosen))
          .setExperts(experts > 0);
  } catch (const algebras::InputError &error) {
    report(function, error);
    return failure();
  }
  return success();
}

/// Read a weight matrix in place only where a type has hardly more rows than one register tile.
static int64_t fewRows(const algebras::Layer &layer) {
  constexpr int64_t few_rows = 4;
  int64_t few = 0;
  return __builtin_mul_overflow(few_rows, layer.lift.types(), &few) ? few_rows : few;
}

void ConvertAlgToTile::writeChainedKernels(func::FuncOp function, ArrayRef<MatchedLayer> layers,
                                           const CpuLevel &level) {
  const MatchedLayer &first = layers[0], &last = layers[1];
  OpBuilder builder(function);
  const std::string name = function.getSymName().str();
  struct Kernels {
    KernelBuilder first, last;
  };
  auto kernels = [&](WeightAccess access, int64_t m) {
    const ChainedSchedule schedule = chooseChainedSchedule(first.scheduled, last.scheduled, level, access, m);
    auto of_layer = [&](const MatchedLayer &layer, const CpuSchedule &own) {
      return KernelBuilder(builder, function.getLoc(), layer.kernel, toAttribute(&getContext(), own),
                           own.pairs, productsTogether(own, layer.kernel.weights));
    };
    return Kernels{of_layer(first, schedule.first), of_layer(last, schedule.last)};
  };
  Kernels packed = kernels(WeightAccess::Packed, rows), copied = kernels(WeightAccess::Copied, rows),
          direct = kernels(WeightAccess::Direct, std::min<int64_t>(fewRows(first.scheduled), rows));
  writeChainedKernel(builder, function.getLoc(), name + "_packed", packed.first, packed.last);
  packed.first.pack(name + "_pack");
  packed.last.pack(name + "_pack_next");
  writeChainedKernel(builder, function.getLoc(), name + "_copied", copied.first, copied.last);
  writeChainedKernel(builder, function.getLoc(), name + "_direct", direct.first, direct.last);
}

void ConvertAlgToTile::writeKernels(func::FuncOp function, const MatchedLayer &product,
                                    const CpuLevel &level) {
  tile::LayoutAttr layout = product.kernel.layout;
  const algebras::Layer &layer = product.scheduled;
  OpBuilder builder(function);
  const std::string name = function.getSymName().str();
  auto kernels = [&](WeightAccess access, int64_t m) {
    CpuSchedule schedule = chooseCpuSchedule(layer, level, access, m);
    return KernelBuilder(builder, function.getLoc(), product.kernel, toAttribute(&getContext(), schedule),
                         schedule.pairs, productsTogether(schedule, product.kernel.weights));
  };

  if (layout.isWeightGradient()) {
    Type element = product.kernel.element;
    const CpuGradientSchedule schedule = chooseCpuGradientSchedule(layer, level, rows);
    // Gradients may be kept in f32 where activations and weight matrix are bf16.
    const std::pair<StringRef, Type> results[] = {{"_f32", builder.getF32Type()},
                                                  {"_bf16", builder.getBF16Type()}};
    for (auto [suffix, result] : results)
      if (result.isF32() || !element.isF32())
        writeWeightGradient(builder, function.getLoc(), (name + suffix).str(), layout, schedule, element,
                            result);
    return;
  }
  // Gradients meet a weight matrix once, before it changes, and read it across its rows: copies pay, nothing
  // else does.
  if (layout.isTransposed()) {
    kernels(WeightAccess::Copied, rows).contraction(name);
    return;
  }
  KernelBuilder packed = kernels(WeightAccess::Packed, rows);
  packed.contraction(name + "_packed");
  packed.pack(name + "_pack");
  kernels(WeightAccess::Copied, rows).contraction(name + "_copied");
  kernels(WeightAccess::Direct, std::min<int64_t>(fewRows(layer), rows)).contraction(name + "_direct");
}
