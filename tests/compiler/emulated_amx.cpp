#include "tests/compiler/emulated_amx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace compiler_test {
namespace {

constexpr int rows = 16, row_bytes = 64;

using Register = std::array<std::array<uint8_t, row_bytes>, rows>;

thread_local std::array<Register, 8> registers;
thread_local bool configured = false;
thread_local std::vector<std::string> faults;

Register &registerOf(int8_t number, const char *instruction) {
  if (!configured)
    faults.push_back(std::string(instruction) + " without a configuration");
  if (number < 0 || number > 7) {
    faults.push_back(std::string(instruction) + " of register " + std::to_string(number));
    number = 0;
  }
  return registers[static_cast<size_t>(number)];
}

/// Intel SDM volume 2, LDTILECFG: palette, first row, and of each register the bytes of a row and the rows.
void loadConfiguration(const uint8_t *bytes) {
  bool whole = bytes[0] == 1 && bytes[1] == 0;
  for (int i = 0; i < 8; ++i)
    whole = whole && bytes[16 + 2 * i] == row_bytes && bytes[17 + 2 * i] == 0 && bytes[48 + i] == rows;
  if (!whole)
    faults.push_back("a configuration that is not of eight whole registers");
  configured = true;
  for (Register &one : registers) // which are zero then
    one = {};
}

void release() { configured = false; }

void zero(int8_t number) { registerOf(number, "tilezero") = {}; }

void load(int8_t number, const uint8_t *memory, int64_t stride) {
  for (auto &row : registerOf(number, "tileloadd")) {
    std::memcpy(row.data(), memory, row_bytes);
    memory += stride;
  }
}

void store(int8_t number, uint8_t *memory, int64_t stride) {
  for (const auto &row : registerOf(number, "tilestored")) {
    std::memcpy(memory, row.data(), row_bytes);
    memory += stride;
  }
}

float widened(const Register &from, int row, int element) {
  uint16_t half = 0;
  std::memcpy(&half, from[static_cast<size_t>(row)].data() + 2 * element, 2);
  return std::bit_cast<float>(static_cast<uint32_t>(half) << 16);
}

/// TDPBF16PS: of each sum, pairs of bf16 of a row with pairs of a column, which lie side by side in a row of
/// the other.
void multiply(int8_t sums, int8_t a, int8_t b) {
  Register &into = registerOf(sums, "tdpbf16ps");
  const Register &left = registerOf(a, "tdpbf16ps"), &right = registerOf(b, "tdpbf16ps");
  if (sums == a || sums == b || a == b) // the instruction is undefined then
    faults.push_back("tdpbf16ps of one register twice");
  for (int m = 0; m < rows; ++m)
    for (int n = 0; n < row_bytes / 4; ++n) {
      uint8_t *place = into[static_cast<size_t>(m)].data() + 4 * n;
      float sum = 0;
      std::memcpy(&sum, place, 4);
      for (int k = 0; k < row_bytes / 4; ++k)
        for (int half = 0; half < 2; ++half)
          sum += widened(left, m, 2 * k + half) * widened(right, k, 2 * n + half);
      std::memcpy(place, &sum, 4);
    }
}

const std::pair<const char *, void *> instructions[] = {
    {"llvm.x86.ldtilecfg", reinterpret_cast<void *>(loadConfiguration)},
    {"llvm.x86.tilerelease", reinterpret_cast<void *>(release)},
    {"llvm.x86.tilezero", reinterpret_cast<void *>(zero)},
    {"llvm.x86.tileloadd64", reinterpret_cast<void *>(load)},
    {"llvm.x86.tilestored64", reinterpret_cast<void *>(store)},
    {"llvm.x86.tdpbf16ps", reinterpret_cast<void *>(multiply)}};

/// The dot product of pairs of bf16 as two products of f32: what a level with AMX has beside it.
mlir::Value dotProduct(mlir::OpBuilder &builder, mlir::LLVM::CallIntrinsicOp call) {
  using namespace mlir::LLVM;
  const mlir::Location location = call.getLoc();
  mlir::Value sum = call.getArgs()[0];
  auto words = mlir::VectorType::get({16}, builder.getI32Type());
  const auto halves = [&](mlir::Value pairs, bool high) -> mlir::Value {
    mlir::Value bits = BitcastOp::create(builder, location, words, pairs);
    mlir::Value by = ConstantOp::create(
        builder, location, words,
        mlir::DenseElementsAttr::get(words, high ? static_cast<int32_t>(0xffff0000) : int32_t{16}));
    mlir::Value wide = high ? mlir::Value(AndOp::create(builder, location, bits, by))
                            : mlir::Value(ShlOp::create(builder, location, bits, by));
    return BitcastOp::create(builder, location, sum.getType(), wide);
  };
  for (const bool high : {false, true}) {
    mlir::Value product =
        FMulOp::create(builder, location, halves(call.getArgs()[1], high), halves(call.getArgs()[2], high));
    sum = FAddOp::create(builder, location, sum, product);
  }
  return sum;
}

} // namespace

int64_t emulateAmx(mlir::ModuleOp module) {
  int64_t calls = 0;
  module.walk([&](mlir::LLVM::CallIntrinsicOp call) {
    if (call.getIntrin() == "llvm.x86.avx512bf16.dpbf16ps.512") {
      mlir::OpBuilder builder(call);
      call.getResult(0).replaceAllUsesWith(dotProduct(builder, call));
      call.erase();
      return;
    }
    for (const auto &[name, function] : instructions) {
      if (call.getIntrin() != name)
        continue;
      mlir::OpBuilder builder(call);
      mlir::MLIRContext *context = module.getContext();
      auto type = mlir::LLVM::LLVMFunctionType::get(mlir::LLVM::LLVMVoidType::get(context),
                                                    llvm::to_vector(call.getArgs().getTypes()));
      mlir::Value address = mlir::LLVM::ConstantOp::create(
          builder, call.getLoc(), builder.getI64IntegerAttr(reinterpret_cast<int64_t>(function)));
      llvm::SmallVector<mlir::Value> operands = {mlir::LLVM::IntToPtrOp::create(
          builder, call.getLoc(), mlir::LLVM::LLVMPointerType::get(context), address)};
      llvm::append_range(operands, call.getArgs());
      mlir::LLVM::CallOp::create(builder, call.getLoc(), type, operands);
      call.erase();
      ++calls;
      return;
    }
  });
  return calls;
}

std::vector<std::string> takeAmxFaults() {
  if (configured)
    faults.emplace_back("registers that are not released");
  return std::exchange(faults, {});
}

} // namespace compiler_test
