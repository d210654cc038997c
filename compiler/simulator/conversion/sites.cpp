#include "compiler/simulator/conversion/sites.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace mlir;

namespace compiler {

/// "f32, f32, f32" as "3 x f32".
static std::string shortened(llvm::StringRef text) {
  constexpr llvm::StringLiteral field = "f32, ";
  constexpr llvm::StringLiteral begin = "struct<(";
  std::string result;
  while (!text.empty()) {
    const size_t at = text.find(begin);
    if (at == llvm::StringRef::npos)
      break;
    result += text.take_front(at + begin.size());
    text = text.drop_front(at + begin.size());
    size_t count = 0;
    while (text.drop_front(count * field.size()).starts_with(field))
      ++count;
    if (count > 2 && text.drop_front(count * field.size()).starts_with("f32)")) {
      result += fmt::format("{} x f32", count + 1);
      text = text.drop_front(count * field.size() + 3);
    }
  }
  return result + text.str();
}

std::string siteText(Operation *op, AsmState &names) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, names);
  text = shortened(text);
  if (auto place = dyn_cast<FileLineColLoc>(op->getLoc()))
    text += fmt::format(" (line {})", place.getLine());
  return text;
}

} // namespace compiler
