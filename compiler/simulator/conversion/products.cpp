// Products of matrices and what moves their operands: wgmma, mma, ldmatrix, stmatrix; conversions to bf16.
#include "compiler/simulator/conversion/typed_list.h"
#include "compiler/simulator/model/calls.h"

#include "llvm/ADT/APFloat.h"

using namespace mlir;

namespace compiler {
namespace {

/// n for a struct of n f32, nothing for any other type.
std::optional<int64_t> floatCount(Type type) {
  auto fields = dyn_cast<LLVM::LLVMStructType>(type);
  if (!fields || !llvm::all_of(fields.getBody(), [](Type field) { return field.isF32(); }))
    return std::nullopt;
  return static_cast<int64_t>(fields.getBody().size());
}

void wgmma(NVVM::WgmmaMmaAsyncOp op, CallBuilder &call) {
  const NVVM::WGMMATypes type = op.getTypeA();
  if (op.getTypeD() != NVVM::WGMMATypes::f32 || type != op.getTypeB() ||
      (type != NVVM::WGMMATypes::bf16 && type != NVVM::WGMMATypes::f16))
    return call.refuse("operands are bf16 or f16, sums f32");
  const int64_t n = op.getShape().getN();
  const auto count = floatCount(op.getInouts().getType());
  if (op.getShape().getM() != 64 || op.getShape().getK() != 16 || !count || *count * 2 != n)
    return call.refuse("the shape is m64nNk16, with N / 2 sums in each thread");
  int32_t flags = 0;
  if (type == NVVM::WGMMATypes::f16)
    flags |= sm_wgmma_f16;
  if (op.getLayoutA() == NVVM::MMALayout::col)
    flags |= sm_wgmma_a_mn_major;
  if (op.getLayoutB() == NVVM::MMALayout::row)
    flags |= sm_wgmma_b_mn_major;
  if (op.getScaleA() == NVVM::WGMMAScaleIn::neg)
    flags |= sm_wgmma_negate_a;
  if (op.getScaleB() == NVVM::WGMMAScaleIn::neg)
    flags |= sm_wgmma_negate_b;
  if (op.getScaleD() == NVVM::WGMMAScaleOut::one)
    flags |= sm_wgmma_accumulate;
  Value sums = call.temporary(op.getInouts().getType()), before = op.getInouts();
  // Registers that are overwritten may hold anything, also what looks like the name of other sums.
  if (!(flags & sm_wgmma_accumulate))
    before = LLVM::ZeroOp::create(call.builder(), op.getLoc(), before.getType());
  call.store(before, sums);
  call.call("sm_wgmma_mma", {sums, op.getDescriptorA(), op.getDescriptorB(), call.i32(n), call.i32(flags)});
  call.replace(call.load(op.getInouts().getType(), sums));
}

/// sm.settle, by name: this library does not depend on the dialect.
void settle(Operation *op, CallBuilder &call) {
  const Type type = op->getResult(0).getType();
  const auto count = floatCount(type);
  if (!count)
    return call.refuse("the sums are a struct of f32");
  Value sums = call.temporary(type);
  call.store(op->getOperand(0), sums);
  call.call("sm_settle", {sums, call.i32(*count)});
  call.replace(call.load(type, sums));
}

/// sm.wgmma_from_registers: sums, four words of operand A, the descriptor of B.
void wgmmaFromRegisters(Operation *op, CallBuilder &call) {
  const Type type = op->getResult(0).getType();
  const auto count = floatCount(type);
  if (!count)
    return call.refuse("the sums are a struct of f32");
  constexpr unsigned words = 4;
  Value sums = call.temporary(type),
        a = call.temporary(LLVM::LLVMArrayType::get(IntegerType::get(op->getContext(), 32), words));
  call.store(op->getOperand(0), sums);
  for (unsigned word = 0; word < words; ++word)
    call.store(op->getOperand(1 + word), call.advance(a, 4 * static_cast<int64_t>(word)));
  call.call("sm_wgmma_mma_registers", {sums, a, op->getOperand(1 + words), call.i32(2 * *count),
                                       call.i32(sm_wgmma_accumulate | sm_wgmma_b_mn_major)});
  call.replace(call.load(type, sums));
}

template <typename Op> bool isSixteenBit(Op op, CallBuilder &call) {
  const bool known = op.getShape().getM() == 8 && op.getShape().getN() == 8 &&
                     op.getEltType() == NVVM::LdStMatrixEltType::B16;
  if (!known)
    call.refuse("matrices are m8n8 of b16");
  return known;
}

Type registers(int64_t count, MLIRContext *context) {
  return LLVM::LLVMArrayType::get(IntegerType::get(context, 32), static_cast<unsigned>(count));
}

void ldmatrix(NVVM::LdMatrixOp op, CallBuilder &call) {
  if (!isSixteenBit(op, call))
    return;
  Value result = call.temporary(registers(4, op.getContext()));
  call.call("sm_ldmatrix", {result, call.pointer(op.getPtr()), call.i32(op.getNum()),
                            call.i32(op.getLayout() == NVVM::MMALayout::col)});
  call.replace(call.load(op.getType(), result)); // i32, or a struct of them, which lies in memory as an array
}

void stmatrix(NVVM::StMatrixOp op, CallBuilder &call) {
  if (!isSixteenBit(op, call))
    return;
  Value values = call.temporary(registers(4, op.getContext()));
  for (auto [index, source] : llvm::enumerate(op.getSources()))
    call.store(source, call.advance(values, 4 * static_cast<int64_t>(index)));
  call.call("sm_stmatrix",
            {call.pointer(op.getPtr()), values, call.i32(static_cast<int64_t>(op.getSources().size())),
             call.i32(op.getLayout() == NVVM::MMALayout::col)});
}

void mma(NVVM::MmaOp op, CallBuilder &call) {
  const auto type = op.getMultiplicandAPtxType();
  const bool f16 = type == NVVM::MMATypes::f16;
  if (op.getShape().getM() != 16 || op.getShape().getN() != 8 || op.getShape().getK() != 16 ||
      (type != NVVM::MMATypes::bf16 && !f16) || op.getMultiplicandBPtxType() != type ||
      op.getLayoutA() != NVVM::MMALayout::row || op.getLayoutB() != NVVM::MMALayout::col ||
      floatCount(op.getType()) != 4 || op.getOperandA().size() != 4 || op.getOperandB().size() != 2 ||
      op.getOperandC().size() != 4)
    return call.refuse("the shape is m16n8k16, row by col, of bf16 or f16 with f32 sums");
  // One temporary for all three: d, then a, then b.
  Value d = call.temporary(registers(10, op.getContext()));
  Value a = call.advance(d, 16), b = call.advance(d, 32);
  int64_t place = 0;
  for (auto operands : {op.getOperandC(), op.getOperandA(), op.getOperandB()})
    for (Value value : operands)
      call.store(value, call.advance(d, 4 * place++));
  call.call("sm_mma_m16n8k16", {d, a, b, call.i32(f16)});
  call.replace(call.load(op.getType(), d));
}

void convertPair(NVVM::ConvertF32x2ToBF16x2Op op, CallBuilder &call) {
  if (op.getRnd() != NVVM::FPRoundingMode::RN || op.getSat() != NVVM::SaturationMode::NONE || op.getRelu() ||
      op.getRandomBits())
    return call.refuse("rounding is to nearest even (rn), without saturation and relu");
  OpBuilder &build = call.builder();
  auto pair = VectorType::get({2}, build.getF32Type());
  Value both = LLVM::PoisonOp::create(build, op.getLoc(), pair);
  both = LLVM::InsertElementOp::create(build, op.getLoc(), both, op.getSrcLo(), call.i32(0));
  both = LLVM::InsertElementOp::create(build, op.getLoc(), both, op.getSrcHi(), call.i32(1));
  call.replace(roundToBfloat16(build, op.getLoc(), both));
}

} // namespace

Value roundToBfloat16(OpBuilder &build, Location location, Value value) {
  Type word = build.getI32Type(), half = build.getI16Type(), result = build.getBF16Type();
  auto vector = dyn_cast<VectorType>(value.getType());
  auto like = [&](Type element) -> Type { return vector ? vector.clone(element) : element; };
  auto constant = [&](int64_t bits, Type element) -> Value {
    Attribute attribute = build.getIntegerAttr(element, bits);
    if (vector)
      attribute = DenseElementsAttr::get(vector.clone(element), attribute);
    return LLVM::ConstantOp::create(build, location, like(element), cast<TypedAttr>(attribute));
  };
  // Adding half of the last place, less one where the last place is even, carries into it exactly when it
  // should.
  Value bits = LLVM::BitcastOp::create(build, location, like(word), value);
  Value odd = LLVM::AndOp::create(
      build, location, LLVM::LShrOp::create(build, location, bits, constant(16, word)), constant(1, word));
  Value rounded = LLVM::AddOp::create(
      build, location, LLVM::AddOp::create(build, location, bits, constant(0x7fff, word)), odd);
  Value upper = LLVM::TruncOp::create(build, location, like(half),
                                      LLVM::LShrOp::create(build, location, rounded, constant(16, word)));
  Value nan = LLVM::FCmpOp::create(build, location, LLVM::FCmpPredicate::uno, value, value);
  Value chosen = LLVM::SelectOp::create(build, location, nan, constant(0x7fff, half), upper);
  return LLVM::BitcastOp::create(build, location, like(result), chosen);
}

void addProducts(ConversionList &list) {
  // wgmma
  on<NVVM::WgmmaFenceAlignedOp>(list, [](auto, CallBuilder &call) { call.call("sm_wgmma_fence"); });
  on<NVVM::WgmmaMmaAsyncOp>(list, wgmma);
  on<NVVM::WgmmaGroupSyncAlignedOp>(list,
                                    [](auto, CallBuilder &call) { call.call("sm_wgmma_commit_group"); });
  on<NVVM::WgmmaWaitGroupSyncOp>(list, [](auto op, CallBuilder &call) {
    call.call("sm_wgmma_wait_group", {call.i32(static_cast<int64_t>(op.getGroup()))});
  });
  list["sm.settle"] = settle;
  list["sm.wgmma_from_registers"] = wgmmaFromRegisters;

  // matrices of a warp
  on<NVVM::LdMatrixOp>(list, ldmatrix);
  on<NVVM::StMatrixOp>(list, stmatrix);
  on<NVVM::MmaOp>(list, mma);

  // conversions
  on<NVVM::ConvertF32x2ToBF16x2Op>(list, convertPair);
}

} // namespace compiler
