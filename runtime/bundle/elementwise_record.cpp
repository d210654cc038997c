#include "runtime/bundle/elementwise_record.h"

#include "runtime/kernel_record.h"

#include <cstring>

namespace algrt {

static uint64_t hashOfFunction(const Elementwise &function) {
  std::vector<std::string> texts = {function.name, text({function.rows, function.columns})};
  for (const ElementwiseOperand &operand : function.operands)
    for (const std::string &part :
         {operand.name, std::string(name(operand.role)), std::string(name(operand.per)),
          std::string(name(operand.type)), text(operand.shape), operand.held_by})
      texts.push_back(part);
  return hashOfTexts(texts);
}

KernelRecord recordOf(const Elementwise &function, const ElementwiseKernel &kernel) {
  algrt_elementwise_record record{};
  constexpr size_t words = sizeof(record) / sizeof(uint64_t);
  record.head.magic = algrt_record_magic;
  record.head.version = algrt_record_version;
  record.head.words = words;
  record.head.map = algrt_records_elementwise;
  record.function = hashOfFunction(function);
  record.rows_per_task = kernel.rows_per_task;
  record.columns_per_task = kernel.columns_per_task;
  if (kernel.gpu) {
    record.architecture = kernel.gpu->architecture;
    record.exact_architecture = kernel.gpu->exact_architecture;
    record.threads = kernel.gpu->threads;
    record.parameters = kernel.gpu->parameters.hash();
  } else {
    record.features = hashOfTexts(kernel.features);
  }
  KernelRecord result{kernel.gpu ? kernel.gpu->symbol : kernel.symbol, std::vector<uint64_t>(words)};
  std::memcpy(result.words.data(), &record, sizeof(record));
  return result;
}

} // namespace algrt
