// The list "programs" of a manifest, and whether its steps fit what they refer to.
#include "runtime/bundle/json_fields.h"
#include "runtime/bundle/program.h"

#include <algorithm>
#include <set>

namespace algrt {

namespace {

OperandType parseType(const JsonFields &fields, const char *key, const std::string &wanted) {
  for (const OperandType type : {OperandType::F32, OperandType::Bf16, OperandType::I32, OperandType::I64})
    if (wanted == name(type))
      return type;
  fields.fail(key, "has '" + wanted + "', not f32, bf16, i32 or i64");
}

ProgramOperand parseOperand(const JsonFields &fields, std::set<std::string> &names) {
  ProgramOperand operand;
  operand.name = fields.uniqueName(names);
  const std::string role = fields.string("role");
  const OperandRole all[] = {OperandRole::Input, OperandRole::Weight, OperandRole::Output};
  const auto *found = std::ranges::find_if(all, [&](OperandRole one) { return role == name(one); });
  if (found == std::end(all))
    fields.fail("role", "is '" + role + "', not input, weight or output");
  operand.role = *found;
  operand.optional = fields.has("optional") && fields.boolean("optional");
  for (const std::string &type : fields.strings("types")) {
    operand.types.push_back(parseType(fields, "types", type));
    if (std::ranges::count(operand.types, operand.types.back()) > 1)
      fields.fail("types", "have '" + type + "' twice");
  }
  if (operand.types.empty())
    fields.fail("types", "is empty: an operand has elements of some type");
  operand.shape = parseShape(fields, "shape");
  return operand;
}

ProgramBuffer parseBuffer(const JsonFields &fields, std::set<std::string> &names) {
  ProgramBuffer buffer;
  buffer.name = fields.uniqueName(names);
  const OperandType type = parseType(fields, "type", fields.string("type"));
  if (type != OperandType::F32 && type != OperandType::Bf16)
    fields.fail("type", std::string("is ") + name(type) + ": buffers hold f32 or bf16");
  buffer.type = type == OperandType::F32 ? ElementType::F32 : ElementType::Bf16;
  buffer.shape = parseShape(fields, "shape");
  for (const Extent &extent : buffer.shape)
    if (!extent.symbol.empty() && extent.symbol != "M")
      fields.fail("shape", "depends on " + extent.symbol + ": the size of a buffer depends on M alone");
  return buffer;
}

// The steps of one program, in their order.
class Steps {
public:
  Steps(Program &program, const StepFunctions &functions) : program_(program), functions_(functions) {}

  void parse(const JsonFields &fields);
  // Every output is written, every buffer read.
  void finish(const JsonFields &program) const;

private:
  // What a step does, and what that takes.
  struct Function {
    std::string text; // "the map dx of this layer"
    std::vector<ProgramOperand> operands;
  };
  Function parseElementwise(const JsonFields &fields, ProgramStep &step) const;
  Function parseMap(const JsonFields &fields, ProgramStep &step) const;
  // `wanted` is what the function has, `own` what the program calls it.
  void connect(const JsonFields &operands, const ProgramOperand &wanted, const std::string &own);
  // Whether what is read is in CPU memory, as other steps have it.
  void place(const JsonFields &operands, const ProgramOperand &wanted, const std::string &own);

  Program &program_;
  const StepFunctions &functions_;
  std::set<std::string> written_, read_;
  std::set<std::string> on_device_; // of what is read: where the call's tensors are
};

void Steps::connect(const JsonFields &operands, const ProgramOperand &wanted, const std::string &own) {
  const char *key = wanted.name.c_str();
  const ProgramOperand *operand = program_.findOperand(own);
  const ProgramBuffer *buffer = program_.findBuffer(own);
  if (operand == nullptr && buffer == nullptr)
    operands.fail(key, "is '" + own + "', which the program does not have");
  const bool writes = wanted.role == OperandRole::Output;
  if (writes && operand != nullptr && operand->role != OperandRole::Output)
    operands.fail(key, "is written, but '" + own + "' is an " + name(operand->role) + " of the program");
  // What steps hand on: a result of the program may be what a later step goes on with.
  const bool handed_on = buffer != nullptr || operand->role == OperandRole::Output;
  if (!writes && handed_on && !written_.contains(own))
    operands.fail(key, "is read, but no step before this one writes '" + own + "'");
  if (writes && !written_.insert(own).second)
    operands.fail(key, "is '" + own + "', which a step before this one has written");
  if (!writes) {
    place(operands, wanted, own);
    read_.insert(own);
  }
  if (operand != nullptr && operand->optional && !wanted.optional)
    operands.fail(key, "is '" + own + "', which a call may leave out, but the step needs it");
  // What a step can do without is of the call: given as packed weights it would be taken for left out.
  if (wanted.optional && operand != nullptr && operand->role == OperandRole::Weight)
    operands.fail(key, "is '" + own + "', a weight, but the step takes an input there");
  const Shape &shape = operand != nullptr ? operand->shape : buffer->shape;
  if (shape != wanted.shape)
    operands.fail(key,
                  "is '" + own + "' of shape " + text(shape) + ", but the step needs " + text(wanted.shape));
  const std::vector<OperandType> given =
      operand != nullptr ? operand->types : std::vector{operandType(buffer->type)};
  for (const OperandType type : given)
    if (std::ranges::find(wanted.types, type) == wanted.types.end())
      operands.fail(key, "is '" + own + "' of type " + name(type) + ", which the step does not take");
}

void Steps::place(const JsonFields &operands, const ProgramOperand &wanted, const std::string &own) {
  const char *key = wanted.name.c_str();
  const auto operand = std::ranges::find_if(program_.operands, [&](const ProgramOperand &one) {
    return one.name == own && one.role != OperandRole::Output;
  });
  const bool handed_on = operand == program_.operands.end();
  if (wanted.anywhere) {
    if (!handed_on && !on_device_.contains(own))
      operand->host = true;
    return;
  }
  if (!wanted.host) {
    on_device_.insert(own);
    if (!handed_on && operand->host)
      operands.fail(key, "is '" + own + "', which another step is launched with: a number in CPU memory");
    return;
  }
  if (handed_on)
    operands.fail(key, "is '" + own +
                           "', which a step computes, but the step is launched with this number, which has "
                           "to be in CPU memory before");
  if (on_device_.contains(own))
    operands.fail(key, "is '" + own +
                           "', a number in CPU memory that the step is launched with, but another "
                           "step reads it where the other tensors are");
  operand->host = true;
}

Steps::Function Steps::parseElementwise(const JsonFields &fields, ProgramStep &step) const {
  for (const char *key : {"projection", "map", "rows"})
    if (fields.has(key))
      fields.fail(key, "is given, but the step is an element-wise function");
  const std::string wanted = fields.string("elementwise");
  const auto found = std::ranges::find(functions_.elementwise, wanted, &NamedFunction::name);
  if (found == functions_.elementwise.end())
    fields.fail("elementwise", "is '" + wanted + "', which the bundle does not have");
  step.elementwise = size_t(found - functions_.elementwise.begin());
  return {"the function " + wanted, found->operands};
}

Steps::Function Steps::parseMap(const JsonFields &fields, ProgramStep &step) const {
  const std::string wanted = fields.has("projection") ? fields.string("projection") : "";
  if (fields.has("projection") && wanted.empty())
    fields.fail("projection", "is '', which the bundle does not have");
  const auto found = std::ranges::find(functions_.projections, wanted, &NamedLayer::name);
  if (found == functions_.projections.end())
    fields.fail("projection", wanted.empty() ? "is missing: the bundle has no projection of its own"
                                             : "is '" + wanted + "', which the bundle does not have");
  step.projection = size_t(found - functions_.projections.begin());
  const std::string map = fields.string("map");
  const std::optional<Map> known = mapNamed(map);
  if (!known)
    fields.fail("map", "is '" + map + "', which this runtime does not know");
  step.map = *known;
  const Layer &layer = *found->layer;
  if (layer.fusion && step.map == Map::Dw)
    fields.fail("map", "is dw, but the projection is fused: its kernels are of forward or dx");
  std::vector<OperandType> results = {OperandType::F32};
  if (layer.dtype != ElementType::F32)
    results.push_back(operandType(layer.dtype));
  Function function = {"the map " + map + " of this layer", operandsOf(layer, step.map, results)};
  if (fields.has("rows")) {
    step.rows = fields.integer("rows", 1);
    for (ProgramOperand &operand : function.operands)
      std::ranges::replace(operand.shape, Extent::of("M"), Extent::number(*step.rows));
  }
  return function;
}

void Steps::parse(const JsonFields &fields) {
  ProgramStep step;
  const Function function =
      fields.has("elementwise") ? parseElementwise(fields, step) : parseMap(fields, step);
  const JsonFields operands = fields.object("operands");
  // What is read before what is written: a step does not read its own result.
  for (const bool writes : {false, true})
    for (const ProgramOperand &one : function.operands) {
      if ((one.role == OperandRole::Output) != writes)
        continue;
      if (operands.has(one.name.c_str())) {
        const std::string own = operands.string(one.name.c_str());
        connect(operands, one, own);
        step.operands.emplace(one.name, own);
      } else if (!one.optional) {
        operands.fail(one.name.c_str(), "is missing: " + function.text + " needs it");
      }
    }
  for (const std::string &name : operands.names())
    if (!step.operands.contains(name))
      operands.fail(name.c_str(), "is given, but " + function.text + " has no such operand");
  program_.steps.push_back(std::move(step));
}

void Steps::finish(const JsonFields &program) const {
  for (const ProgramOperand &operand : program_.operands) {
    const bool output = operand.role == OperandRole::Output;
    if (!(output ? written_ : read_).contains(operand.name))
      program.fail("operands", "have '" + operand.name + "', which no step " + (output ? "writes" : "reads"));
  }
  for (const ProgramBuffer &buffer : program_.buffers)
    if (!read_.contains(buffer.name))
      program.fail("buffers", "have '" + buffer.name + "', which no step reads");
}

} // namespace

std::vector<Program> parsePrograms(const JsonFields &document, const StepFunctions &functions) {
  std::vector<Program> programs;
  std::set<std::string> program_names;
  for (const JsonFields &fields : document.objects("programs")) {
    Program &program = programs.emplace_back();
    program.name = fields.uniqueName(program_names);
    std::set<std::string> names;
    for (const JsonFields &entry : fields.objects("operands"))
      program.operands.push_back(parseOperand(entry, names));
    if (fields.has("buffers"))
      for (const JsonFields &entry : fields.objects("buffers"))
        program.buffers.push_back(parseBuffer(entry, names));
    Steps steps(program, functions);
    for (const JsonFields &entry : fields.objects("steps"))
      steps.parse(entry);
    if (program.steps.empty())
      fields.fail("steps", "is empty: a program does something");
    steps.finish(fields);
  }
  return programs;
}

} // namespace algrt
