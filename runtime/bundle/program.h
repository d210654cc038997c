// Programs of a bundle (docs/bundle.md, "Programs"): signatures, buffers and steps.
#pragma once

#include "runtime/bundle/layer.h"
#include "runtime/bundle/map.h"

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace algrt {

class JsonFields;

enum class OperandRole { Input, Weight, Output };
enum class OperandType { F32, Bf16, I32, I64 };
const char *name(OperandRole role);
const char *name(OperandType type);
OperandType operandType(ElementType type);

// How long a dimension is: a number, or `factor` times what a symbol stands for in a call, and a number. In
// the manifest 2048, "M", "4*M", "S + 1".
struct Extent {
  std::string symbol = {}; // empty: a number
  int64_t factor = 0, constant = 0;

  static Extent number(int64_t value) { return {"", 0, value}; }
  static Extent of(std::string symbol, int64_t constant = 0) { return {std::move(symbol), 1, constant}; }
  // Nothing where the text is none.
  static std::optional<Extent> parse(std::string_view text);
  std::string text() const;
  // Of a batch of m rows. Throws Error(ALGRT_OUT_OF_MEMORY) where it leaves 64 bits.
  int64_t lengthFor(int64_t m) const;
  bool operator==(const Extent &) const = default;
};
using Shape = std::vector<Extent>;
std::string text(const Shape &shape); // "[M, 2048]"
// Reads the field `key`; throws Error(ALGRT_BAD_BUNDLE) naming it for what is no shape of 1 to 8 dimensions.
Shape parseShape(const JsonFields &fields, const char *key);
nlohmann::ordered_json shapeJson(const Shape &shape);

struct ProgramOperand {
  std::string name;
  OperandRole role;
  bool optional = false;
  std::vector<OperandType> types; // of its elements: one of these
  Shape shape;
  // A number that steps are launched with: in CPU memory, also where the other tensors are on a device. Of a
  // program's operands it follows from the steps that read them.
  bool host = false;
  // Of a step: a number that it takes from wherever it is. One of the program is in CPU memory then, too,
  // unless another step reads it where the other tensors are.
  bool anywhere = false;
};

// What one step writes and a later one reads, in the workspace of a call.
struct ProgramBuffer {
  std::string name;
  ElementType type;
  Shape shape;
};

// One map of a projection, or an element-wise function, by whichever of its kernels suits machine and call.
struct ProgramStep {
  size_t projection = 0; // of those that steps can name, in their order
  Map map = Map::Forward;
  // Number in the manifest's list of element-wise functions; with it, projection and map mean nothing.
  std::optional<size_t> elementwise = {};
  // Of a map: rows of what stands in the place of the batch, at positions from 0 on, where that is no batch
  // but a weight matrix. Without it they are the rows of the call, from its first position on.
  std::optional<int64_t> rows = {};
  std::map<std::string, std::string> operands; // names that the step's function has to those of the program
};

struct Program {
  std::string name;
  std::vector<ProgramOperand> operands;
  std::vector<ProgramBuffer> buffers;
  std::vector<ProgramStep> steps; // one after another

  const ProgramOperand *findOperand(std::string_view name) const;
  const ProgramBuffer *findBuffer(std::string_view name) const;
};

// Why a call cannot divide the rows of a program among experts (algrt_run_options.expert_starts): the end
// of a sentence; empty where it can. On a device each step is for all experts, on a CPU all steps for one
// after another: there what steps hand on can be anything.
std::string whyNoExperts(const Program &program, bool on_device);
// The program as it looks to a call of so many experts: every weight has them as a further leading extent.
Program withExperts(Program program, int64_t experts);
// As it looks to a call whose experts have their rows in a list: results have R rows, one for each of its
// entries, and not M.
Program withListedRows(Program program);
// Of such a call on a device: which operand of the program has rows of the batch that the step would read as
// rows of the list; empty where there is none. Kernels find rows of x by the list, and positions.
std::string unlistedOperand(const Program &program, const ProgramStep &step);
// Whether the step's x is an input of the program, and not what an earlier step leaves.
bool readsBatch(const Program &program, const ProgramStep &step);

// Whether a step on a device may begin before the one before it has ended, if its kernel waits for that by
// itself, in a call of m rows. It is a product behind another one that launches something, with which all
// that is ahead of that has ended. A forward product or a gradient of x may read its weights before it waits:
// no step has written them, since outputs overlap nothing else, and buffers are none of them.
bool mayBeginEarly(const Program &program, size_t step, int64_t m);

// What a map of a layer takes: its matrices, its bias or the gradient of it, or what a fused layer reads and
// writes beside them, and what says the rows' types. Results are of one of the types `results`; those of a
// fused layer are of the types that it names.
std::vector<ProgramOperand> operandsOf(const Layer &layer, Map map, const std::vector<OperandType> &results);

// The program that is one map of the bundle's own projection, under its name.
Program projectionProgram(const Layer &layer, Map map, const std::vector<OperandType> &results);

// A projection that steps can name; the name of the bundle's own is empty, and it comes first where there is
// one.
struct NamedLayer {
  std::string name;
  const Layer *layer;
};

// An element-wise function that steps can name, and what it takes.
struct NamedFunction {
  std::string name;
  std::vector<ProgramOperand> operands;
};

// All that steps can name.
struct StepFunctions {
  std::span<const NamedLayer> projections;
  std::span<const NamedFunction> elementwise = {};
};

// Reads the list "programs" of the manifest.
// Throws Error(ALGRT_BAD_BUNDLE) naming the key for steps that do not fit their function or each other:
// operands that it lacks or does not have, shapes and types that are others, buffers that are read before
// they are written, outputs that nobody writes.
std::vector<Program> parsePrograms(const JsonFields &document, const StepFunctions &functions);

// As the manifest has it.
nlohmann::ordered_json programJson(const Program &program, const StepFunctions &functions);

} // namespace algrt
