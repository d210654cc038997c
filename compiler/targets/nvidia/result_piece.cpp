#include "compiler/targets/nvidia/result_piece.h"

#include "compiler/targets/nvidia/instructions.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {

constexpr int64_t word_bf16s = 2, bf16_bits = 16;

Type ResultPiece::wordType() const { return element_.isBF16() ? builder_.getI32Type() : element_; }

int64_t ResultPiece::wordCount() const {
  return static_cast<int64_t>(sums_.size()) / (element_.isBF16() ? word_bf16s : 1);
}

Type ResultPiece::type() const {
  return wordCount() == 1 ? wordType() : VectorType::get(wordCount(), wordType());
}

Type ResultPiece::elementType() const { return element_.isBF16() ? builder_.getI16Type() : element_; }

/// Transposes the words of every second column, and then those between them.
void ResultPiece::transposeSums(LaneTransposition &lanes) {
  constexpr size_t neighbours = 2;
  for (size_t neighbour = 0; neighbour < neighbours; ++neighbour) {
    SmallVector<Value, 4> of_tiles;
    for (size_t column = neighbour; column < sums_.size(); column += neighbours)
      of_tiles.push_back(sums_[column]);
    lanes.transpose(of_tiles);
    for (auto [number, sum] : llvm::enumerate(of_tiles))
      sums_[number * neighbours + neighbour] = sum;
  }
}

void ResultPiece::transposeStored(LaneTransposition &lanes) {
  if (!element_.isBF16())
    return transposeSums(lanes);
  SmallVector<Value, 4> stored(words());
  lanes.transpose(stored);
  words_ = stored;
}

void ResultPiece::addHeld(Value beta, Value together) {
  Instructions write(builder_, location_);
  SmallVector<Value, 8> held;
  for (int64_t i = 0; i < wordCount(); ++i) {
    Value word =
        wordCount() == 1
            ? together
            : LLVM::ExtractElementOp::create(builder_, location_, together, write.constant(i)).getResult();
    if (!element_.isBF16()) {
      held.push_back(word);
      continue;
    }
    // The upper half of an f32 is a bf16.
    constexpr int64_t upper_half = 0xffff0000;
    held.push_back(asFloat(write.shiftLeft(word, bf16_bits)));
    held.push_back(asFloat(write.bitAnd(word, upper_half)));
  }
  add(beta, held);
}

void ResultPiece::addHeld(Value beta, ArrayRef<Value> columns) {
  Instructions write(builder_, location_);
  SmallVector<Value, 8> held(columns);
  if (element_.isBF16())
    for (Value &value : held)
      value = asFloat(write.shiftLeft(LLVM::ZExtOp::create(builder_, location_, builder_.getI32Type(), value),
                                      bf16_bits));
  add(beta, held);
}

void ResultPiece::add(Value beta, ArrayRef<Value> held) {
  for (auto [sum, value] : llvm::zip_equal(sums_, held))
    sum = LLVM::FMulAddOp::create(builder_, location_, beta, value, sum);
}

Value ResultPiece::together() {
  if (wordCount() == 1)
    return words().front();
  Instructions write(builder_, location_);
  Value all = LLVM::PoisonOp::create(builder_, location_, type());
  for (auto [i, word] : llvm::enumerate(words()))
    all = LLVM::InsertElementOp::create(builder_, location_, all, word,
                                        write.constant(static_cast<int64_t>(i)));
  return all;
}

Value ResultPiece::alone(int64_t column) {
  if (!element_.isBF16())
    return words()[column];
  Value word = words().front();
  return LLVM::TruncOp::create(builder_, location_, builder_.getI16Type(),
                               column ? Instructions(builder_, location_).shiftRight(word, bf16_bits) : word);
}

ArrayRef<Value> ResultPiece::words() {
  if (!words_.empty())
    return words_;
  if (!element_.isBF16()) {
    words_.assign(sums_.begin(), sums_.end());
    return words_;
  }
  auto nearest = NVVM::FPRoundingModeAttr::get(builder_.getContext(), NVVM::FPRoundingMode::RN);
  for (int64_t i = 0; i < wordCount(); ++i) {
    Value pair = NVVM::ConvertF32x2ToBF16x2Op::create(
        builder_, location_, VectorType::get(word_bf16s, element_), sums_[word_bf16s * i + 1],
        sums_[word_bf16s * i], Value(), nearest);
    words_.push_back(LLVM::BitcastOp::create(builder_, location_, builder_.getI32Type(), pair));
  }
  return words_;
}

Value ResultPiece::asFloat(Value bits) {
  return LLVM::BitcastOp::create(builder_, location_, builder_.getF32Type(), bits);
}

} // namespace compiler
