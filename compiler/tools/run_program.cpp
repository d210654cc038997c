#include "compiler/tools/run_program.h"

#include "compiler/spec/usage_error.h"
#include "compiler/tools/array_file.h"
#include "compiler/tools/checked_outputs.h"
#include "compiler/tools/expert_division.h"
#include "compiler/tools/opened_bundle.h"
#include "compiler/tools/output_file.h"
#include "compiler/tools/program_arrays.h"
#include "compiler/tools/session.h"
#include "runtime/algrt.h"
#include "runtime/bundle/bundle.h"
#include "runtime/numpy/npy.h"
#include "runtime/support/standard_streams.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

using algrt::OperandRole;

/// Files by the names of operands, of options written NAME=FILE.
std::map<std::string, std::string> filesOf(const std::vector<std::string> &options, const char *option,
                                           const algrt::Program &program) {
  std::map<std::string, std::string> files;
  for (const std::string &text : options) {
    const size_t equals = text.find('=');
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

/// A vector of at least so many numbers from a file; `needs` says its shape, and `number` what each is.
std::vector<int32_t> readNumbers(const std::string &file, size_t least, const char *needs,
                                 const char *number) {
  const algrt::NpyArray<int64_t> read = readIntegerArray(file);
  if (read.shape.size() != 1 || read.values.size() < least)
    throw Failure(fmt::format("{} has shape {}, needs {}", file, algrt::shapeText(read.shape), needs));
  std::vector<int32_t> numbers;
  for (const int64_t value : read.values) {
    if (value != static_cast<int32_t>(value))
      throw Failure(fmt::format("{} has {} of {}, which does not fit 32 bits", file, number, value));
    numbers.push_back(static_cast<int32_t>(value));
  }
  return numbers;
}

ExpertDivision divisionOf(const ProgramRun &options, int64_t m) {
  std::optional<std::vector<int32_t>> list;
  if (!options.expert_rows.empty())
    list = readNumbers(options.expert_rows, 0, "(R,): the rows of every expert, one expert after another",
                       "a row");
  ExpertDivision division;
  if (!options.expert_starts.empty())
    division.starts = readNumbers(
        options.expert_starts, 2,
        "(E + 1,): the first row of every expert, and where the rows of the last one end", "a start");
  else if (options.experts > 0)
    division = randomDivision(list ? static_cast<int64_t>(list->size()) : m, options.experts,
                              options.seed.value_or(1));
  division.list = std::move(list);
  division.batch_rows = m;
  return division;
}

/// A result whose rows are all some expert's has no rows of which nothing is known.
void requireAllRows(const ExpertDivision &division, int64_t m) {
  const std::vector<int32_t> &starts = division.starts;
  const int64_t rows = division.resultRows(m);
  if (!starts.empty() && (!std::ranges::is_sorted(starts) || starts.front() != 0 || starts.back() != rows))
    throw Failure(fmt::format("--check is of all rows: --expert-starts have to ascend from 0 to {}", rows));
  for (const int32_t row : division.list.value_or(std::vector<int32_t>()))
    if (row < 0 || row >= m)
      throw Failure(fmt::format("--expert-rows has a row of {}, of {} from 0 on", row, m));
}

/// Refuses two results that would be in one file, where the second would replace the first.
void requireOwnFiles(const std::map<std::string, std::string> &gets) {
  for (auto first = gets.begin(); first != gets.end(); ++first)
    for (auto second = std::next(first); second != gets.end(); ++second)
      if (nameOneFile(first->second, second->second))
        throw UsageError(fmt::format("--get {}={} and --get {}={} write one file: give each result its own",
                                     first->first, first->second, second->first, second->second));
}

/// Refuses experts of a program that computes for all rows at once.
void requireExpertsOf(const ProgramRun &options, const algrt::Program &program) {
  if (options.experts == 0 && options.expert_starts.empty())
    return;
  if (const std::string why = whyNotDivided(program); !why.empty())
    throw UsageError(fmt::format("{} does not go with program {}: {}",
                                 options.experts > 0 ? "--experts" : "--expert-starts", program.name, why));
}

/// The files of the results, opened before the work starts.
std::map<std::string, std::unique_ptr<OutputFile>> openResults(const ProgramRun &options,
                                                               const std::map<std::string, std::string> &gets,
                                                               const algrt::Program &program) {
  for (const auto &[name, file] : gets) {
    if (program.findOperand(name)->role != OperandRole::Output)
      throw UsageError(
          fmt::format("--get {}={}: '{}' is no output of program {}", name, file, name, program.name));
    if (namesStandardOutput(file) && (options.json || gets.size() > 1))
      throw UsageError("one array alone can go to standard output, and --json with none");
  }
  requireOwnFiles(gets);
  std::map<std::string, std::unique_ptr<OutputFile>> files;
  for (const auto &[name, file] : gets)
    files[name] = std::make_unique<OutputFile>(file, Contents::Binary);
  return files;
}

const algrt::Program &findProgram(const algrt::Manifest &manifest, const std::string &wanted) {
  if (const algrt::Program *program = manifest.findProgram(wanted))
    return *program;
  std::vector<std::string> names;
  for (const algrt::Program &program : manifest.programs)
    names.push_back(program.name);
  throw UsageError(fmt::format("the bundle has no program '{}': it has {}", wanted, fmt::join(names, ", ")));
}

} // namespace

bool holdsProgramsAlone(const std::string &bundle) { return !algrt::Bundle::open(bundle).hasProjection(); }

int runProgram(const ProgramRun &options, const ProgramTools &tools) {
  const algrt::Bundle bundle = algrt::Bundle::open(options.bundle);
  const algrt::Program &program = findProgram(bundle.manifest(), options.program);
  const auto sets = filesOf(options.sets, "--set", program), gets = filesOf(options.gets, "--get", program);
  requireExpertsOf(options, program);
  const auto files = openResults(options, gets, program);
  ProgramArrays arrays;
  for (const auto &[name, file] : sets)
    arrays[name] = readOperand(*program.findOperand(name), file);

  const int64_t m = rowsOf(program, arrays, sets, options.m);
  if (options.p0 > std::numeric_limits<int64_t>::max() - std::max<int64_t>(m - 1, 0))
    throw Failure(fmt::format("--offset is {}: the position of the last of {} rows does not fit 64 bits",
                              options.p0, m));
  const ExpertDivision division = divisionOf(options, m);
  if (division.experts() > 0 && options.sequence_rows > 0)
    throw UsageError(fmt::format("--sequence-rows does not go with {}",
                                 options.experts > 0 ? "--experts" : "--expert-starts"));
  if (options.seed || gets.empty())
    addRandomOperands(bundle, program, m, options.seed.value_or(1), arrays, division.experts());
  for (const algrt::ProgramOperand &operand : program.operands) {
    if (operand.role != OperandRole::Output || arrays.contains(operand.name) ||
        (operand.optional && !gets.contains(operand.name)))
      continue;
    arrays[operand.name] = makeOperand(operand, division.resultRows(m));
  }
  std::vector<algrt_named_tensor> tensors;
  for (const auto &[name, array] : arrays)
    tensors.push_back({name.c_str(), &array->tensor, nullptr});

  if (options.check && options.beta != 0)
    throw UsageError("--check is of what a program computes, not of what it adds to: leave --beta out");
  if (options.check && options.sequence_rows > 0)
    throw UsageError("--check is for rows one after another: leave --sequence-rows out");
  if (options.check)
    requireAllRows(division, m);
  const std::optional<ReferenceArrays> expected =
      options.check ? std::optional(expectedOutputs(bundle, program, arrays, options.p0, tools, division))
                    : std::nullopt;
  const OpenedBundle opened = openBundle(options.bundle);
  algrt_run_options run = algrt_run_options_init();
  run.p0 = options.p0;
  run.sequence_rows = options.sequence_rows;
  run.threads = options.threads;
  run.beta = options.beta;
  ProgramArray starts(algrt::OperandType::I32, {static_cast<int64_t>(division.starts.size())});
  std::ranges::copy(division.starts, starts.as<int32_t>());
  if (division.experts() > 0)
    run.expert_starts = &starts.tensor;
  const std::vector<int32_t> listed = division.list.value_or(std::vector<int32_t>());
  ProgramArray list(algrt::OperandType::I32, {static_cast<int64_t>(listed.size())});
  std::ranges::copy(listed, list.as<int32_t>());
  if (division.list)
    run.expert_rows = &list.tensor;
  const auto begin = std::chrono::steady_clock::now();
  requireDone(algrt_run(opened.get(), options.program.c_str(), tensors.data(),
                        static_cast<int64_t>(tensors.size()), &run));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  const std::vector<CheckedOutput> checked =
      expected ? checkOutputs(bundle, program, arrays, *expected, options.p0, tools, division)
               : std::vector<CheckedOutput>();
  bool to_standard_output = false;
  for (const auto &[name, file] : files) {
    to_standard_output |= file->isStandardOutput();
    file->commit(algrt::encodeNpy(arrays[name]->shape, arrays[name]->values()));
  }
  if (options.json) {
    nlohmann::ordered_json json{
        {"bundle", options.bundle}, {"program", program.name}, {"m", m}, {"first_call_us", seconds * 1e6}};
    if (division.experts() > 0)
      json["experts"] = division.experts();
    if (division.list)
      json["listed_rows"] = division.list->size();
    json["written"] = gets;
    json["check"] = options.check ? checkJson(checked) : nlohmann::ordered_json();
    printJson(json);
    requireRight(checked);
    return ExitCode::Done;
  }
  const std::string &algebra = bundle.manifest().algebra; // empty where there is no product
  const std::string text =
      fmt::format("{}{}, M = {}{}: {:.3f} ms with loading\n", program.name,
                  algebra.empty() ? "" : " of " + algebra, m,
                  dividedText(division.experts(),
                              division.list ? std::optional(division.resultRows(m)) : std::nullopt),
                  seconds * 1e3) +
      checkText(checked);
  if (to_standard_output)
    algrt::writeDiagnostic(text);
  else
    printText(text);
  requireRight(checked);
  return ExitCode::Done;
}

} // namespace compiler
