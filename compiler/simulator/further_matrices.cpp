#include "compiler/simulator/further_matrices.h"

#include "compiler/process/failure.h"
#include "runtime/support/checked.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {
namespace {

using algrt::FusedOperand;
using algrt::cuda::FurtherOperand;

struct Shape {
  int64_t rows, columns;
};

/// Of so many networks, whose weights and numbers of columns lie one behind the other.
Shape shapeOf(const FurtherOperand &which, const algrt::Layer &layer, const algrt::GpuKernel &kernel,
              int64_t m, int64_t networks = 1) {
  if (which.kind == FurtherOperand::Kind::Weight) {
    const algrt::Layer own = algrt::layerOfWeight(layer, static_cast<int64_t>(which.number));
    return {networks * own.k, own.weightColumns()};
  }
  const bool hidden = which.kind == FurtherOperand::Kind::Operand && layer.fusion->next &&
                      layer.fusion->operands[which.number].layer == 0;
  const int64_t n = hidden ? layer.n : algrt::cuda::kernelShape(layer, kernel).n();
  if (which.kind == FurtherOperand::Kind::Result)
    return {m, n};
  switch (layer.fusion->operands[which.number].per) {
  case FusedOperand::Per::Column:
    return {1, networks * n};
  case FusedOperand::Per::Row:
    return {m, 1};
  case FusedOperand::Per::Element:
    return {m, n};
  case FusedOperand::Per::Call:
    return {1, 1};
  }
  return {0, 0};
}

bool isOfCall(const FurtherOperand &which, const algrt::Fusion &fusion) {
  return which.kind == FurtherOperand::Kind::Operand &&
         fusion.operands[which.number].per == FusedOperand::Per::Call;
}

std::vector<FurtherOperand> furtherOf(const algrt::Layer &layer) {
  std::vector<FurtherOperand> all;
  if (layer.fusion)
    for (size_t place = 0; place < FurtherOperand::count(*layer.fusion); ++place)
      all.push_back(FurtherOperand::at(*layer.fusion, place));
  return all;
}

} // namespace

FurtherMatrices::FurtherMatrices(const algrt::Layer &layer, const algrt::GpuKernel &kernel,
                                 const ProductOperands &product, const SimulationSettings &settings,
                                 const DeviceMatrix &w) {
  const int64_t unit = kernel.copies == algrt::GpuCopies::Engine ? 2 : std::min<int64_t>(kernel.vector, 2);
  for (const FurtherOperand &which : furtherOf(layer)) {
    const std::string name = which.name(*layer.fusion, kernel.map);
    const auto [rows, columns] = shapeOf(which, layer, kernel, product.m, product.networks());
    const bool is_result = which.kind == FurtherOperand::Kind::Result;
    std::span<const float> values;
    if (!is_result) {
      const auto given = product.further.find(name);
      const int64_t wanted = rows * columns;
      if (given == product.further.end())
        throw Failure(fmt::format("the kernel takes {}, which is not given", name));
      values = given->second;
      if (static_cast<int64_t>(values.size()) != wanted)
        throw Failure(
            fmt::format("{} has {} elements, but the kernel takes {}", name, values.size(), wanted));
    }
    if (which.kind == FurtherOperand::Kind::Operand)
      of_call_.push_back(isOfCall(which, *layer.fusion) ? values.front() : 0);
    if (isOfCall(which, *layer.fusion)) {
      all_.push_back({0, 0});
      continue;
    }
    // A number for each row, or column, may lie at any multiple of its size; those of rows may be apart.
    const bool is_weight = which.kind == FurtherOperand::Kind::Weight,
               single = which.isPerRow(*layer.fusion) || which.hasNoMap(*layer.fusion);
    const int64_t moved = single ? 1 : unit;
    // All weights have their rows as far apart as the first beyond their width.
    const int64_t padding =
        is_weight ? w.leading() - layer.weightColumns() : moved * settings.further_padding;
    const int64_t shift = is_weight ? w.shift() : moved * settings.further_shift;
    DeviceMatrix matrix(rows, columns, padding, shift, which.element(*layer.fusion, layer.dtype));
    if (!is_result)
      matrix.set(values);
    all_.push_back({matrix.address(), matrix.leading()});
    matrices_.push_back({which, name, std::move(matrix)});
  }
}

int64_t FurtherMatrices::bytes(const algrt::Layer &layer, const algrt::GpuKernel &kernel, int64_t m) {
  using algrt::checkedAdd, algrt::checkedMultiply, simulator::Access;
  int64_t sum = 0;
  for (const FurtherOperand &which : furtherOf(layer)) {
    const auto [rows, columns] = shapeOf(which, layer, kernel, m);
    const bool is_result = which.kind == FurtherOperand::Kind::Result;
    sum = checkedAdd(sum,
                     DeviceMatrix::bytes(rows, columns, which.element(*layer.fusion, layer.dtype),
                                         is_result ? Access::Write : Access::Read),
                     "the bytes of all matrices");
    if (is_result)
      sum = checkedAdd(sum,
                       checkedMultiply(checkedMultiply(rows, columns, "the size of a result"), int64_t{4},
                                       "the bytes of a result"),
                       "the bytes of all matrices");
  }
  return sum;
}

void FurtherMatrices::registerWith(simulator::GlobalMemory &memory, bool has_rows,
                                   bool weights_are_independent) const {
  for (const Matrix &each : matrices_) {
    const bool is_weight = each.which.kind == FurtherOperand::Kind::Weight,
               is_result = each.which.kind == FurtherOperand::Kind::Result;
    if (has_rows || is_weight)
      each.matrix.registerWith(memory, each.name,
                               is_result ? simulator::Access::Write : simulator::Access::Read,
                               is_weight && weights_are_independent);
  }
}

void FurtherMatrices::collect(Simulation &simulation, const simulator::GlobalMemory &memory) const {
  for (const Matrix &each : matrices_)
    if (each.which.kind == FurtherOperand::Kind::Result) {
      simulation.unwritten += each.matrix.unwritten(memory);
      simulation.further.emplace(each.name, each.matrix.values());
    }
}

} // namespace compiler
