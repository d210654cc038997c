#include "compiler/tools/program_arrays.h"

#include "compiler/process/failure.h"
#include "compiler/spec/usage_error.h"
#include "compiler/tools/array_file.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/random.h"
#include "runtime/support/checked.h"
#include "runtime/support/memory.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <random>

namespace compiler {

using algrt::OperandRole;
using algrt::OperandType;

ProgramArray::ProgramArray(OperandType type, std::vector<int64_t> shape)
    : type(type), shape(std::move(shape)) {
  int64_t count = 1;
  for (const int64_t extent : this->shape)
    count = algrt::checkedMultiply(count, extent, "the elements of an array");
  const int64_t size = type == OperandType::I64 ? 8 : type == OperandType::Bf16 ? 2 : 4;
  count = algrt::checkedMultiply(count, size, "the bytes of an array");
  algrt::requireMemory(static_cast<uint64_t>(count), fmt::format("an array of {} bytes", count));
  bytes.resize(static_cast<size_t>(count));
  tensor = {bytes.data(),
            {kDLCPU, 0},
            static_cast<int32_t>(this->shape.size()),
            {static_cast<uint8_t>(type == OperandType::Bf16  ? kDLBfloat
                                  : type == OperandType::F32 ? kDLFloat
                                                             : kDLInt),
             static_cast<uint8_t>(8 * size), 1},
            this->shape.data(),
            nullptr,
            0};
}

void ProgramArray::set(const std::vector<float> &values) {
  for (size_t index = 0; index < values.size(); ++index)
    if (type == OperandType::Bf16)
      as<uint16_t>()[index] = algrt::toBfloat16(values[index]);
    else
      as<float>()[index] = values[index];
}

std::vector<float> ProgramArray::values() const {
  std::vector<float> result(bytes.size() / (type == OperandType::Bf16 ? 2 : 4));
  for (size_t index = 0; index < result.size(); ++index)
    result[index] =
        type == OperandType::Bf16 ? algrt::fromBfloat16(as<uint16_t>()[index]) : as<float>()[index];
  return result;
}

ReferenceArray ProgramArray::reference() const {
  if (type == OperandType::I32)
    return {shape, {as<int32_t>(), as<int32_t>() + bytes.size() / sizeof(int32_t)}};
  if (type == OperandType::I64)
    throw Failure("positions are no operands of a program's definition");
  const std::vector<float> numbers = values();
  return {shape, {numbers.begin(), numbers.end()}};
}

static bool isNumber(OperandType type) { return type == OperandType::I32 || type == OperandType::I64; }

std::unique_ptr<ProgramArray> readOperand(const algrt::ProgramOperand &operand, const std::string &file) {
  if (!isNumber(operand.types.front())) {
    const algrt::NpyArray<float> read = readFloat32Array(file);
    auto array = std::make_unique<ProgramArray>(operand.types.front(), read.shape);
    array->set(read.values);
    return array;
  }
  const bool wide = std::ranges::find(operand.types, OperandType::I64) != operand.types.end();
  if (wide) {
    const algrt::NpyArray<int64_t> read = readIntegerArray(file);
    auto array = std::make_unique<ProgramArray>(OperandType::I64, read.shape);
    std::ranges::copy(read.values, array->as<int64_t>());
    return array;
  }
  const algrt::NpyArray<int32_t> read = readInt32Array(file);
  auto array = std::make_unique<ProgramArray>(OperandType::I32, read.shape);
  std::ranges::copy(read.values, array->as<int32_t>());
  return array;
}

std::unique_ptr<ProgramArray> makeOperand(const algrt::ProgramOperand &operand, int64_t m) {
  std::vector<int64_t> shape;
  for (const algrt::Extent &extent : operand.shape)
    shape.push_back(algrt::checkedAdd(algrt::checkedMultiply(extent.factor, m, "the size of an array"),
                                      extent.constant, "the size of an array"));
  return std::make_unique<ProgramArray>(operand.types.front(), std::move(shape));
}

// How many row types the steps know that read an operand as such.
static int64_t typesOf(const algrt::Program &program, const std::function<int64_t(size_t)> &types_of,
                       const std::string &operand) {
  int64_t types = std::numeric_limits<int32_t>::max();
  for (const algrt::ProgramStep &step : program.steps) {
    const auto found = step.operands.find("types");
    if (!step.elementwise && found != step.operands.end() && found->second == operand)
      types = std::min(types, types_of(step.projection));
  }
  return types;
}

void addRandomOperands(const algrt::Bundle &bundle, const algrt::Program &program, int64_t m, uint64_t seed,
                       ProgramArrays &arrays, int64_t experts) {
  const auto types_of = [&](size_t projection) { return bundle.projection(projection).layer().types; };
  addRandomOperands(program, m, seed, types_of, arrays, experts);
}

void addRandomOperands(const algrt::Program &given, int64_t m, uint64_t seed,
                       const std::function<int64_t(size_t)> &types_of, ProgramArrays &arrays, int64_t experts,
                       double scale) {
  const algrt::Program program = experts > 0 ? algrt::withExperts(given, experts) : given;
  for (const algrt::ProgramOperand &operand : program.operands) {
    ++seed; // each has its own, whatever is given
    if (operand.role == OperandRole::Output || operand.optional || arrays.contains(operand.name))
      continue;
    std::unique_ptr<ProgramArray> array = makeOperand(operand, m);
    if (isNumber(array->type)) {
      std::mt19937_64 random(seed);
      std::uniform_int_distribution<int32_t> any(
          0, static_cast<int32_t>(typesOf(program, types_of, operand.name) - 1));
      std::generate_n(array->as<int32_t>(), array->bytes.size() / sizeof(int32_t),
                      [&] { return any(random); });
    } else {
      std::vector<int64_t> shape = array->shape;
      if (experts > 0 && operand.role == OperandRole::Weight)
        shape.erase(shape.begin());
      const bool matrix = operand.role == OperandRole::Weight && shape.size() > 1;
      const double summed =
          matrix ? static_cast<double>(shape.size() == 3 ? shape[0] * shape[1] : shape[0]) : 1;
      const double deviation = (operand.role == OperandRole::Weight ? 1 : scale) / std::sqrt(summed);
      const size_t size = array->type == OperandType::Bf16 ? 2 : 4;
      array->set(algrt::randomValues(static_cast<int64_t>(array->bytes.size() / size), deviation, seed));
    }
    arrays[operand.name] = std::move(array);
  }
}

int64_t rowsOf(const algrt::Program &program, const ProgramArrays &arrays,
               const std::map<std::string, std::string> &files, const std::optional<int64_t> &given) {
  for (const algrt::ProgramOperand &operand : program.operands) {
    const auto array = arrays.find(operand.name);
    const auto place = std::ranges::find(operand.shape, algrt::Extent::of("M"));
    if (array == arrays.end() || place == operand.shape.end())
      continue;
    const std::vector<int64_t> &shape = array->second->shape;
    if (shape.size() != operand.shape.size())
      throw Failure(fmt::format("{}: has shape [{}], needs {}", operand.name, fmt::join(shape, ", "),
                                algrt::text(operand.shape)));
    const int64_t rows = shape[static_cast<size_t>(place - operand.shape.begin())];
    if (given && *given != rows)
      throw Failure(fmt::format("{} has {} rows, but --m says {}", files.at(operand.name), rows, *given));
    return rows;
  }
  if (!given)
    throw UsageError(
        fmt::format("program {} is given no array that says how many rows there are: add --m", program.name));
  return *given;
}

} // namespace compiler
