#include "compiler/tools/program_arrays.h"

#include "compiler/failure.h"
#include "compiler/spec/usage_error.h"
#include "compiler/tools/array_file.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/random.h"
#include "runtime/support/checked.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <random>

namespace compiler {

using algrt::OperandRole;
using algrt::OperandType;

ProgramArray::ProgramArray(OperandType type, std::vector<std::int64_t> shape)
    : type(type), shape(std::move(shape)) {
  std::int64_t count = 1;
  for (const std::int64_t extent : this->shape)
    count = algrt::checkedMultiply(count, extent, "the elements of an array");
  const std::int64_t size = type == OperandType::i64 ? 8 : type == OperandType::bf16 ? 2 : 4;
  bytes.resize(static_cast<std::size_t>(algrt::checkedMultiply(count, size, "the bytes of an array")));
  tensor = {bytes.data(),
            {kDLCPU, 0},
            static_cast<std::int32_t>(this->shape.size()),
            {static_cast<std::uint8_t>(type == OperandType::bf16  ? kDLBfloat
                                       : type == OperandType::f32 ? kDLFloat
                                                                  : kDLInt),
             static_cast<std::uint8_t>(8 * size), 1},
            this->shape.data(),
            nullptr,
            0};
}

void ProgramArray::set(const std::vector<float> &values) {
  for (std::size_t index = 0; index < values.size(); ++index)
    if (type == OperandType::bf16)
      as<std::uint16_t>()[index] = algrt::toBfloat16(values[index]);
    else
      as<float>()[index] = values[index];
}

std::vector<float> ProgramArray::values() const {
  std::vector<float> result(bytes.size() / (type == OperandType::bf16 ? 2 : 4));
  for (std::size_t index = 0; index < result.size(); ++index)
    result[index] =
        type == OperandType::bf16 ? algrt::fromBfloat16(as<std::uint16_t>()[index]) : as<float>()[index];
  return result;
}

ReferenceArray ProgramArray::reference() const {
  if (type == OperandType::i32)
    return {shape, {as<std::int32_t>(), as<std::int32_t>() + bytes.size() / sizeof(std::int32_t)}};
  if (type == OperandType::i64)
    throw Failure("positions are no operands of a program's definition");
  const std::vector<float> numbers = values();
  return {shape, {numbers.begin(), numbers.end()}};
}

static bool isNumber(OperandType type) { return type == OperandType::i32 || type == OperandType::i64; }

std::unique_ptr<ProgramArray> readOperand(const algrt::ProgramOperand &operand, const std::string &file) {
  if (!isNumber(operand.types.front())) {
    const algrt::NpyArray<float> read = readFloat32Array(file);
    auto array = std::make_unique<ProgramArray>(operand.types.front(), read.shape);
    array->set(read.values);
    return array;
  }
  const bool wide = std::ranges::find(operand.types, OperandType::i64) != operand.types.end();
  if (wide) {
    const algrt::NpyArray<std::int64_t> read = readIntegerArray(file);
    auto array = std::make_unique<ProgramArray>(OperandType::i64, read.shape);
    std::ranges::copy(read.values, array->as<std::int64_t>());
    return array;
  }
  const algrt::NpyArray<std::int32_t> read = readInt32Array(file);
  auto array = std::make_unique<ProgramArray>(OperandType::i32, read.shape);
  std::ranges::copy(read.values, array->as<std::int32_t>());
  return array;
}

std::unique_ptr<ProgramArray> makeOperand(const algrt::ProgramOperand &operand, std::int64_t m) {
  std::vector<std::int64_t> shape;
  for (const algrt::Extent &extent : operand.shape)
    shape.push_back(algrt::checkedAdd(algrt::checkedMultiply(extent.factor, m, "the size of an array"),
                                      extent.constant, "the size of an array"));
  return std::make_unique<ProgramArray>(operand.types.front(), std::move(shape));
}

// How many row types the steps know that read an operand as such.
static std::int64_t typesOf(const algrt::Program &program,
                            const std::function<std::int64_t(std::size_t)> &types_of,
                            const std::string &operand) {
  std::int64_t types = std::numeric_limits<std::int32_t>::max();
  for (const algrt::ProgramStep &step : program.steps) {
    const auto found = step.operands.find("types");
    if (!step.elementwise && found != step.operands.end() && found->second == operand)
      types = std::min(types, types_of(step.projection));
  }
  return types;
}

void addRandomOperands(const algrt::Bundle &bundle, const algrt::Program &program, std::int64_t m,
                       std::uint64_t seed, ProgramArrays &arrays) {
  const auto types_of = [&](std::size_t projection) { return bundle.projection(projection).layer().types; };
  addRandomOperands(program, m, seed, types_of, arrays);
}

void addRandomOperands(const algrt::Program &program, std::int64_t m, std::uint64_t seed,
                       const std::function<std::int64_t(std::size_t)> &types_of, ProgramArrays &arrays) {
  for (const algrt::ProgramOperand &operand : program.operands) {
    ++seed; // each has its own, whatever is given
    if (operand.role == OperandRole::output || operand.optional || arrays.contains(operand.name))
      continue;
    std::unique_ptr<ProgramArray> array = makeOperand(operand, m);
    if (isNumber(array->type)) {
      std::mt19937_64 random(seed);
      std::uniform_int_distribution<std::int32_t> any(
          0, static_cast<std::int32_t>(typesOf(program, types_of, operand.name) - 1));
      std::generate_n(array->as<std::int32_t>(), array->bytes.size() / sizeof(std::int32_t),
                      [&] { return any(random); });
    } else {
      const std::vector<std::int64_t> &shape = array->shape;
      const bool matrix = operand.role == OperandRole::weight && shape.size() > 1;
      const double summed =
          matrix ? static_cast<double>(shape.size() == 3 ? shape[0] * shape[1] : shape[0]) : 1;
      const std::size_t size = array->type == OperandType::bf16 ? 2 : 4;
      array->set(algrt::randomValues(static_cast<std::int64_t>(array->bytes.size() / size),
                                     1 / std::sqrt(summed), seed));
    }
    arrays[operand.name] = std::move(array);
  }
}

std::int64_t rowsOf(const algrt::Program &program, const ProgramArrays &arrays,
                    const std::optional<std::int64_t> &given) {
  for (const algrt::ProgramOperand &operand : program.operands) {
    const auto array = arrays.find(operand.name);
    if (array == arrays.end() || array->second->shape.size() != operand.shape.size())
      continue; // of a wrong number of dimensions the runtime says so
    for (std::size_t i = 0; i < operand.shape.size(); ++i)
      if (operand.shape[i] == algrt::Extent::of("M"))
        return array->second->shape[i];
  }
  if (!given)
    throw UsageError(
        fmt::format("program {} is given no array that says how many rows there are: add --m", program.name));
  return *given;
}

} // namespace compiler
