#include "compiler/tools/run_program.h"

#include "compiler/spec/usage_error.h"
#include "compiler/tools/array_file.h"
#include "compiler/tools/output_file.h"
#include "compiler/tools/session.h"
#include "runtime/algrt.h"
#include "runtime/bundle/bundle.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/numpy/npy.h"
#include "runtime/support/checked.h"
#include "runtime/support/standard_streams.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

using algrt::OperandRole;
using algrt::OperandType;

void check(int status) {
  if (status == ALGRT_OK)
    return;
  const std::string message = algrt_last_error();
  if (status == ALGRT_UNSUPPORTED)
    throw AbsentError(message);
  if (status == ALGRT_INTERNAL)
    throw std::logic_error(message);
  throw Failure(message);
}

/// Files by the names of operands, of options written NAME=FILE.
std::map<std::string, std::string> filesOf(const std::vector<std::string> &options, const char *option,
                                           const algrt::Program &program) {
  std::map<std::string, std::string> files;
  for (const std::string &text : options) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
      throw UsageError(fmt::format("{} {}: needs the form NAME=FILE", option, text));
    const std::string name = text.substr(0, equals);
    if (program.findOperand(name) == nullptr) {
      std::vector<std::string> names;
      for (const algrt::ProgramOperand &operand : program.operands)
        names.push_back(operand.name);
      throw UsageError(fmt::format("{} {}: program {} has no operand '{}'; it has {}", option, text,
                                   program.name, name, fmt::join(names, ", ")));
    }
    if (!files.emplace(name, text.substr(equals + 1)).second)
      throw UsageError(fmt::format("{} {}: '{}' is given twice", option, text, name));
  }
  return files;
}

/// An operand's elements in its type, and the tensor that the runtime is given.
class Array {
public:
  Array(OperandType type, std::vector<std::int64_t> shape) : type(type), shape(std::move(shape)) {
    std::int64_t count = 1;
    for (const std::int64_t extent : this->shape)
      count = algrt::checkedMultiply(count, extent, "the elements of an array");
    const bool wide = type == OperandType::i64;
    const std::int64_t size = wide ? 8 : type == OperandType::bf16 ? 2 : 4;
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
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;

  template <typename T> T *as() { return reinterpret_cast<T *>(bytes.data()); }
  /// Rounded where the type is bf16.
  void set(const std::vector<float> &values) {
    for (std::size_t index = 0; index < values.size(); ++index)
      if (type == OperandType::bf16)
        as<std::uint16_t>()[index] = algrt::toBfloat16(values[index]);
      else
        as<float>()[index] = values[index];
  }
  std::vector<float> values() {
    std::vector<float> result;
    const std::size_t size = type == OperandType::bf16 ? 2 : 4;
    for (std::size_t index = 0; index < bytes.size() / size; ++index)
      result.push_back(type == OperandType::bf16 ? algrt::fromBfloat16(as<std::uint16_t>()[index])
                                                 : as<float>()[index]);
    return result;
  }

  const OperandType type;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
  DLTensor tensor;
};

bool isNumber(OperandType type) { return type == OperandType::i32 || type == OperandType::i64; }

std::unique_ptr<Array> readOperand(const algrt::ProgramOperand &operand, const std::string &file) {
  if (!isNumber(operand.types.front())) {
    const algrt::NpyArray<float> read = readFloat32Array(file);
    auto array = std::make_unique<Array>(operand.types.front(), read.shape);
    array->set(read.values);
    return array;
  }
  const bool wide = std::ranges::find(operand.types, OperandType::i64) != operand.types.end();
  if (wide) {
    const algrt::NpyArray<std::int64_t> read = readIntegerArray(file);
    auto array = std::make_unique<Array>(OperandType::i64, read.shape);
    std::ranges::copy(read.values, array->as<std::int64_t>());
    return array;
  }
  const algrt::NpyArray<std::int32_t> read = readInt32Array(file);
  auto array = std::make_unique<Array>(OperandType::i32, read.shape);
  std::ranges::copy(read.values, array->as<std::int32_t>());
  return array;
}

/// The rows of the batch: --m, or what an array has in the place of M.
std::int64_t rowsOf(const algrt::Program &program,
                    const std::map<std::string, std::unique_ptr<Array>> &arrays,
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

struct CloseBundle {
  void operator()(algrt_bundle *bundle) const { algrt_bundle_close(bundle); }
};

const algrt::Program &findProgram(const algrt::Manifest &manifest, const std::string &wanted) {
  if (const algrt::Program *program = manifest.findProgram(wanted))
    return *program;
  std::vector<std::string> names;
  for (const algrt::Program &program : manifest.programs)
    names.push_back(program.name);
  throw Failure(fmt::format("the bundle has no program '{}': it has {}", wanted, fmt::join(names, ", ")));
}

} // namespace

int runProgram(const ProgramRun &options) {
  const algrt::Bundle bundle = algrt::Bundle::open(options.bundle);
  const algrt::Program &program = findProgram(bundle.manifest(), options.program);
  const auto sets = filesOf(options.sets, "--set", program), gets = filesOf(options.gets, "--get", program);
  std::map<std::string, std::unique_ptr<OutputFile>> files;
  for (const auto &[name, file] : gets) {
    if (program.findOperand(name)->role != OperandRole::output)
      throw UsageError(
          fmt::format("--get {}={}: '{}' is no output of program {}", name, file, name, program.name));
    if (namesStandardOutput(file) && (options.json || gets.size() > 1))
      throw UsageError("one array alone can go to standard output, and --json with none");
    files[name] = std::make_unique<OutputFile>(file, Contents::binary);
  }
  std::map<std::string, std::unique_ptr<Array>> arrays;
  for (const auto &[name, file] : sets)
    arrays[name] = readOperand(*program.findOperand(name), file);

  const std::int64_t m = rowsOf(program, arrays, options.m);
  for (const algrt::ProgramOperand &operand : program.operands) {
    if (operand.role != OperandRole::output || arrays.contains(operand.name) ||
        (operand.optional && !gets.contains(operand.name)))
      continue;
    std::vector<std::int64_t> shape;
    for (const algrt::Extent &extent : operand.shape)
      shape.push_back(extent.factor * m + extent.constant);
    arrays[operand.name] = std::make_unique<Array>(operand.types.front(), shape);
  }
  std::vector<algrt_named_tensor> tensors;
  for (const auto &[name, array] : arrays)
    tensors.push_back({name.c_str(), &array->tensor, nullptr});

  algrt_bundle *opened = nullptr;
  check(algrt_bundle_open(options.bundle.c_str(), &opened));
  const std::unique_ptr<algrt_bundle, CloseBundle> handle(opened);
  algrt_run_options run = algrt_run_options_init();
  run.p0 = options.p0;
  run.threads = options.threads;
  run.beta = options.beta;
  const auto begin = std::chrono::steady_clock::now();
  check(algrt_run(opened, options.program.c_str(), tensors.data(), static_cast<std::int64_t>(tensors.size()),
                  &run));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  bool to_standard_output = false;
  for (auto &[name, file] : files) {
    to_standard_output |= file->isStandardOutput();
    file->commit(algrt::encodeNpy(arrays[name]->shape, arrays[name]->values()));
  }
  if (options.json) {
    nlohmann::ordered_json json{
        {"bundle", options.bundle}, {"program", program.name}, {"m", m}, {"first_call_us", seconds * 1e6}};
    json["written"] = gets;
    printJson(json);
    return kDone;
  }
  const std::string text = fmt::format("{} of {}, M = {}: {:.3f} ms with loading\n", program.name,
                                       bundle.manifest().algebra, m, seconds * 1e3);
  if (to_standard_output)
    algrt::writeDiagnostic(text);
  else
    printText(text);
  return kDone;
}

} // namespace compiler
