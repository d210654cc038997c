#include "runtime/api/program_call.h"

#include "runtime/api/arguments.h"
#include "runtime/api/programs.h"
#include "runtime/api/tensor.h"
#include "runtime/support/transposed.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace algrt {

namespace {

std::string namesOf(const Program &program) {
  std::string names;
  for (const ProgramOperand &operand : program.operands)
    names += (names.empty() ? "" : ", ") + operand.name;
  return names;
}

// The same with the leading extents joined as long as they are numbers; nothing where there are none to join.
std::optional<Shape> joined(const ProgramOperand &operand) {
  const Shape &shape = operand.shape;
  if (operand.role == OperandRole::Input || shape.size() < 3 || !shape[0].symbol.empty() ||
      !shape[1].symbol.empty())
    return std::nullopt;
  Shape result(shape.begin() + 1, shape.end());
  result[0].constant *= shape[0].constant;
  return result;
}

} // namespace

ProgramCall::ProgramCall(const Program &program, const algrt_named_tensor *tensors, int64_t count)
    : program_(program) {
  checkCount("count", count);
  if (count > 0)
    requireNotNull(tensors, "tensors");
  for (int64_t i = 0; i < count; ++i) {
    const algrt_named_tensor &given = tensors[i];
    requireNotNull(given.name, ("tensors[" + std::to_string(i) + "].name").c_str());
    const std::string name = given.name;
    const ProgramOperand *operand = program.findOperand(name);
    if (operand == nullptr)
      refuse(name + ": program " + program.name + " has no such operand; it has " + namesOf(program));
    if (!tensors_.emplace(name, &given).second)
      refuse(name + ": is given twice");
    if ((given.tensor == nullptr) == (given.weights == nullptr))
      refuse(name +
             (given.tensor == nullptr ? ": is null" : ": has a tensor and packed weights: pass one of them"));
    if (given.weights != nullptr && operand->role != OperandRole::Weight)
      refuse(name + ": is given as packed weights, but is an " + algrt::name(operand->role) + " of program " +
             program.name);
  }
  bool first = true;
  for (const ProgramOperand &operand : program.operands) {
    const algrt_named_tensor *given = find(operand.name);
    if (given == nullptr && !operand.optional)
      refuse(operand.name + ": is missing: program " + program.name + " needs it, of shape " +
             text(operand.shape));
    if (given == nullptr || given->tensor == nullptr)
      continue;
    if (!operand.host && std::exchange(first, false))
      device_ = given->tensor->device;
    check(operand, *given->tensor);
  }
}

const algrt_named_tensor *ProgramCall::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : found->second;
}

int64_t ProgramCall::valueOf(const std::string &symbol) const {
  const auto found = symbols_.find(symbol);
  return found == symbols_.end() ? 0 : found->second;
}

bool ProgramCall::agrees(const Extent &extent, int64_t length,
                         std::map<std::string, int64_t> &symbols) const {
  if (extent.symbol.empty())
    return length == extent.constant;
  const int64_t rest = length - extent.constant;
  if (length < 0 || rest < 0 || rest % extent.factor != 0)
    return false;
  return symbols.emplace(extent.symbol, rest / extent.factor).first->second == rest / extent.factor;
}

void ProgramCall::check(const ProgramOperand &operand, const DLTensor &tensor) {
  if (std::ranges::none_of(operand.types,
                           [&](OperandType type) { return sameType(tensor.dtype, dlpackType(type)); })) {
    std::string types;
    for (const OperandType type : operand.types)
      types += std::string(types.empty() ? "" : " or ") + name(type);
    refuse(operand.name + ": is of another type than program " + program_.name + " takes, " + types);
  }
  if (tensor.ndim < 0 || tensor.ndim > 8 || (tensor.ndim > 0 && tensor.shape == nullptr))
    refuse(operand.name + ": has no shape of 1 to 8 dimensions");
  const auto fits = [&](const Shape &shape) {
    std::map<std::string, int64_t> symbols = symbols_;
    if (size_t(tensor.ndim) != shape.size())
      return false;
    for (size_t i = 0; i < shape.size(); ++i)
      if (!agrees(shape[i], tensor.shape[i], symbols))
        return false;
    for (const auto &[symbol, value] : symbols)
      if (!symbols_.contains(symbol))
        first_[symbol] = operand.name;
    symbols_ = symbols;
    return true;
  };
  const std::optional<Shape> flat = joined(operand);
  if (fits(operand.shape) || (flat && fits(*flat)))
    return;
  std::vector<int64_t> needed; // -1: any
  for (const Extent &extent : operand.shape)
    needed.push_back(extent.symbol.empty() ? extent.constant : -1);
  std::string known;
  for (const Extent &extent : operand.shape)
    if (const auto value = symbols_.find(extent.symbol); value != symbols_.end() && known.empty())
      known = ", where " + extent.symbol + " is " + std::to_string(value->second) + " as " +
              first_[extent.symbol] + " has it";
  refuse(operand.name + ": has shape " + shapeText(tensor.shape, tensor.ndim) + ", needs " +
         text(operand.shape) + (flat ? " or " + text(*flat) : "") + known +
         (isTransposed({tensor.shape, size_t(tensor.ndim)}, needed) ? ": transposed?" : ""));
}

std::vector<PlacedTensor> ProgramCall::placedTensors() const {
  std::vector<PlacedTensor> placed;
  for (const ProgramOperand &operand : program_.operands)
    if (const algrt_named_tensor *found = find(operand.name); found != nullptr && found->tensor != nullptr)
      placed.push_back({&operand,
                        readJoined(found->tensor, operand.name.c_str(), operand.host ? cpu_device : device_),
                        elementBytes(found->tensor->dtype)});
  return placed;
}

void ProgramCall::requireDisjointOutputs() const {
  const std::vector<PlacedTensor> placed = placedTensors();
  for (const PlacedTensor &written : placed) {
    if (written.operand->role != OperandRole::Output)
      continue;
    for (const PlacedTensor &other : placed) {
      if (other.operand->role != OperandRole::Output)
        requireDisjoint(written.view, written.name(), written.element_bytes, other.view, other.name(),
                        other.element_bytes);
      else if (&other > &written &&
               overlap(written.view, written.element_bytes, other.view, other.element_bytes))
        refuse(std::string(written.name()) + ": overlaps " + other.name() + ": both are written");
    }
  }
}

} // namespace algrt
