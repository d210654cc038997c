#include "runtime/cuda/launch_parameters.h"

#include <string_view>
#include <utility>

namespace algrt::cuda {

namespace {

// The lists of a bundle are checked when it is opened, those of the compiler come from it.
[[noreturn]] void refuse(const KernelParameter &parameter) {
  throw Error(ALGRT_BAD_BUNDLE, std::string("the kernel takes the parameter ") + name(parameter.value) +
                                    (parameter.operand.empty() ? "" : " of " + parameter.operand) +
                                    ", which a launch of it does not have");
}

// Of an operand that is not one of a fused layer's.
uint64_t addressOf(const KernelParameter &parameter, const ProductValues &values) {
  const std::pair<std::string_view, uint64_t> addresses[] = {{"bias", values.bias},
                                                             {"positions", values.positions},
                                                             {"expert_starts", values.expert_starts},
                                                             {"x_rows", values.x_rows},
                                                             {"expert_rows", values.expert_rows}};
  for (const auto &[operand, address] : addresses)
    if (parameter.operand == operand)
      return address;
  refuse(parameter);
}

} // namespace

std::span<void *> ParameterBlock::pointers() {
  size_t count = 0;
  for (const KernelParameter &parameter : list_)
    if (!parameter.isMap() || count == 0) // all maps are the first one
      pointers_.at(count++) = at(parameter.offset);
  return std::span(pointers_).first(count);
}

std::span<const std::byte> ParameterBlock::plainMaps() {
  int64_t begin = 0, end = 0;
  for (const KernelParameter &parameter : list_)
    if (parameter.type == ParameterType::PlainMap) {
      begin = end == 0 ? parameter.offset : begin;
      end = parameter.end();
    }
  return {at(begin), size_t(end - begin)};
}

void setProduct(ParameterBlock &block, const KernelParameters &list, const LaunchPlan &plan,
                const ProductValues &values, const EncodeMap &encode) {
  size_t tensor_maps = 0, plain_maps = 0;
  for (const KernelParameter &parameter : list) {
    // One of the fusion's operands by its name; it may be called as another layer's operand is.
    const FusedOperand *fused = nullptr;
    if (values.fusion != nullptr && !parameter.isMap())
      for (const FusedOperand &operand : values.fusion->operands)
        if (operand.name == parameter.operand)
          fused = &operand;
    const size_t number = fused != nullptr ? size_t(fused - values.fusion->operands.data()) : 0;
    const bool positions = parameter.operand == "positions";
    switch (parameter.value) {
    case ParameterValue::Map:
      if (parameter.type == ParameterType::TensorMap)
        encode(plan.maps.at(tensor_maps++), block.at(parameter.offset));
      else
        block.set(parameter, plan.plain_maps.at(plain_maps++));
      break;
    case ParameterValue::Operand:
      if (fused != nullptr) {
        block.set(parameter, values.further[size_t(values.fusion->allWeights() - 1) + number].address);
        break;
      }
      block.set(parameter, addressOf(parameter, values));
      break;
    case ParameterValue::Experts:
      block.set(parameter, values.experts);
      break;
    case ParameterValue::BatchRows:
      block.set(parameter, values.batch_rows);
      break;
    case ParameterValue::ElementBytes:
      if (!positions)
        refuse(parameter);
      block.set(parameter, values.position_bytes);
      break;
    case ParameterValue::Number:
      if (fused == nullptr)
        refuse(parameter);
      block.set(parameter, values.numbers[number]);
      break;
    case ParameterValue::Rows:
      block.set(parameter, values.rows);
      break;
    case ParameterValue::Offset:
      block.set(parameter, values.offset);
      break;
    case ParameterValue::Terms:
      block.set(parameter, values.terms);
      break;
    case ParameterValue::Beta:
      block.set(parameter, values.beta);
      break;
    default:
      refuse(parameter);
    }
  }
}

void setRowList(ParameterBlock &block, const KernelParameters &list, const RowListValues &values) {
  for (const KernelParameter &parameter : list) {
    switch (parameter.value) {
    case ParameterValue::RowList:
      block.set(parameter, values.list);
      break;
    case ParameterValue::RowSource:
      block.set(parameter, values.source);
      break;
    case ParameterValue::FirstPositions:
      block.set(parameter, values.firsts);
      break;
    case ParameterValue::TypeWidth:
      block.set(parameter, values.width);
      break;
    case ParameterValue::Rows:
      block.set(parameter, values.rows);
      break;
    case ParameterValue::Types:
      block.set(parameter, values.types);
      break;
    case ParameterValue::RowSourceForm:
      block.set(parameter, values.form);
      break;
    case ParameterValue::Sequences:
      block.set(parameter, values.sequences);
      break;
    case ParameterValue::RowListOfX:
      block.set(parameter, values.list_of_x);
      break;
    case ParameterValue::Operand:
      if (parameter.operand != "expert_starts" && parameter.operand != "expert_rows")
        refuse(parameter);
      block.set(parameter, parameter.operand == "expert_rows" ? values.expert_rows : values.expert_starts);
      break;
    case ParameterValue::Experts:
      block.set(parameter, values.experts);
      break;
    case ParameterValue::BatchRows:
      block.set(parameter, values.batch_rows);
      break;
    case ParameterValue::Offset:
      block.set(parameter, values.offset);
      break;
    default:
      refuse(parameter);
    }
  }
}

void setElementwise(ParameterBlock &block, const KernelParameters &list, const Elementwise &function,
                    std::span<const ElementwiseOperandValue> operands, int32_t rows, int32_t columns) {
  for (const KernelParameter &parameter : list) {
    const ElementwiseOperand *operand = function.findOperand(parameter.operand);
    const auto value = [&]() -> const ElementwiseOperandValue & {
      if (operand == nullptr)
        refuse(parameter);
      return operands[size_t(operand - function.operands.data())];
    };
    switch (parameter.value) {
    case ParameterValue::Operand:
      block.set(parameter, value().address);
      break;
    case ParameterValue::OperandStride:
      block.set(parameter, value().stride);
      break;
    case ParameterValue::Number:
      block.set(parameter, value().number);
      break;
    case ParameterValue::Rows:
      block.set(parameter, rows);
      break;
    case ParameterValue::Columns:
      block.set(parameter, columns);
      break;
    default:
      refuse(parameter);
    }
  }
}

} // namespace algrt::cuda
