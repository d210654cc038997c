// What algrt.h tells of programs: names and signatures.
#include "runtime/api/programs.h"

#include "runtime/api/arguments.h"
#include "runtime/api/tensor.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace algrt {

DLDataType dlpackType(OperandType type) {
  switch (type) {
  case OperandType::F32:
    return dlpackType(ElementType::F32);
  case OperandType::Bf16:
    return dlpackType(ElementType::Bf16);
  case OperandType::I32:
    return {kDLInt, 32, 1};
  case OperandType::I64:
    break;
  }
  return {kDLInt, 64, 1};
}

const Program &requireProgram(const algrt_bundle *bundle, const char *name) {
  requireNotNull(bundle, "bundle");
  requireNotNull(name, "program");
  if (const Program *program = bundle->bundle.manifest().findProgram(name))
    return *program;
  std::string names;
  for (const Program &program : bundle->bundle.manifest().programs)
    names += (names.empty() ? "" : ", ") + program.name;
  refuse(std::string("the bundle has no program '") + name + "': it has " + (names.empty() ? "none" : names));
}

} // namespace algrt

using namespace algrt;

int64_t algrt_program_count(const algrt_bundle *bundle) {
  return bundle == nullptr ? 0 : int64_t(bundle->bundle.manifest().programs.size());
}

const char *algrt_program_name(const algrt_bundle *bundle, int64_t index) {
  if (index < 0 || index >= algrt_program_count(bundle))
    return nullptr;
  return bundle->bundle.manifest().programs[size_t(index)].name.c_str();
}

int algrt_program_operand_count(const algrt_bundle *bundle, const char *program, int64_t *count) {
  return guarded([&] {
    requireNotNull(count, "count");
    *count = 0;
    *count = int64_t(requireProgram(bundle, program).operands.size());
  });
}

int algrt_program_get_operand(const algrt_bundle *bundle, const char *program, int64_t index,
                              algrt_operand_info *info) {
  return guarded([&] {
    const Program &of = requireProgram(bundle, program);
    requireNotNull(info, "info");
    const size_t size = info->struct_size;
    if (size < sizeof(size_t))
      refuse("info: struct_size is not set; start from algrt_operand_info_init()");
    if (index < 0 || index >= int64_t(of.operands.size()))
      refuse("index is " + std::to_string(index) + ", program " + of.name + " has " +
             std::to_string(of.operands.size()) + " operands");
    const ProgramOperand &operand = of.operands[size_t(index)];
    algrt_operand_info filled = algrt_operand_info_init();
    filled.struct_size = size;
    filled.name = operand.name.c_str();
    filled.role = operand.role == OperandRole::Input    ? ALGRT_ROLE_INPUT
                  : operand.role == OperandRole::Weight ? ALGRT_ROLE_WEIGHT
                                                        : ALGRT_ROLE_OUTPUT;
    filled.optional = operand.optional ? 1 : 0;
    for (const OperandType type : operand.types)
      if (size_t(filled.dtype_count) < std::size(filled.dtypes))
        filled.dtypes[filled.dtype_count++] = dlpackType(type);
    for (const Extent &extent : operand.shape) {
      const int32_t at = filled.ndim++;
      filled.shape[at] = extent.symbol.empty() ? extent.constant : -1;
      filled.symbols[at] = extent.symbol.empty() ? nullptr : bundle->extent_texts.at(&extent).c_str();
    }
    filled.host = operand.host ? 1 : 0;
    std::memcpy(info, &filled, std::min(size, sizeof(filled)));
  });
}
