// What ptxas -v prints, read back.
#include "compiler/process/failure.h"
#include "compiler/targets/nvidia/assembler.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

using llvm::StringRef;

namespace compiler {
namespace {

[[noreturn]] void refuse(StringRef line) {
  throw Failure("this ptxas reports in a way that is not understood: " + line.str());
}

// "232 registers" with what = "registers"; a quantity that starts with its number.
int64_t quantity(StringRef text, StringRef line) {
  int64_t value = 0;
  if (text.trim().consumeInteger(10, value))
    refuse(line);
  return value;
}

int64_t numberBefore(StringRef text, StringRef what, StringRef line) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts)
    if (part.trim().ends_with(what))
      return quantity(part, line);
  return -1;
}

class LogReader {
public:
  AssemblyReport read(StringRef log) {
    llvm::SmallVector<StringRef> lines;
    log.split(lines, '\n');
    for (StringRef line : lines)
      if (!line.trim().empty())
        readLine(line.rtrim());
    return std::move(report_);
  }

private:
  void readLine(StringRef line) {
    StringRef text = line;
    if (!text.consume_front("ptxas info")) {
      if (text.contains("bytes stack frame"))
        readStack(text);
      else
        report_.warnings.push_back(line.str());
      return;
    }
    text = text.ltrim().ltrim(':').ltrim();
    if (text.consume_front("Function properties for "))
      report_.kernels.push_back({text.str()});
    else if (text.starts_with("Used ") && text.contains(" registers"))
      readUse(text.drop_front(5), line);
    else if (!text.starts_with("Compiling entry function") && !text.starts_with("Compile time") &&
             !text.contains(" bytes gmem"))
      report_.warnings.push_back(line.str()); // advice such as C7510 comes as "info" too
  }

  KernelResources &current(StringRef line) {
    if (report_.kernels.empty())
      refuse(line);
    return report_.kernels.back();
  }

  // "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
  void readStack(StringRef line) {
    KernelResources &kernel = current(line);
    kernel.stack_frame_bytes = numberBefore(line, "bytes stack frame", line);
    kernel.spill_store_bytes = numberBefore(line, "bytes spill stores", line);
    kernel.spill_load_bytes = numberBefore(line, "bytes spill loads", line);
    if (kernel.stack_frame_bytes < 0 || kernel.spill_store_bytes < 0 || kernel.spill_load_bytes < 0)
      refuse(line);
  }

  // "232 registers, used 2 barriers, 16 bytes cumulative stack size, 1024 bytes smem, 8 bytes lmem"
  void readUse(StringRef text, StringRef line) {
    KernelResources &kernel = current(line);
    llvm::SmallVector<StringRef> parts;
    text.split(parts, ',');
    for (StringRef part : parts) {
      part = part.trim();
      part.consume_front("used ");
      if (part.ends_with(" registers"))
        kernel.registers = quantity(part, line);
      else if (part.ends_with(" barriers"))
        kernel.barriers = quantity(part, line);
      else if (part.ends_with(" bytes smem"))
        kernel.shared_bytes = quantity(part, line);
      else if (part.ends_with(" bytes lmem"))
        kernel.local_bytes = quantity(part, line);
    }
    if (kernel.registers <= 0)
      refuse(line);
  }

  AssemblyReport report_;
};

} // namespace

AssemblyReport parseAssemblyLog(std::string_view log) { return LogReader().read(log); }

} // namespace compiler
