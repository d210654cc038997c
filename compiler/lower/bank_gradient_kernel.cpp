#include "compiler/lower/bank_gradient_kernel.h"

#include "compiler/lower/kernel_body.h"
#include "compiler/schedule/coefficients.h"

using namespace mlir;
using namespace tile;

namespace compiler {

namespace {

class BankGradientKernel : KernelBody {
public:
  BankGradientKernel(OpBuilder &builder, Location location, LayoutAttr layout,
                     const CpuGradientSchedule &sizes)
      : KernelBody(builder, location, layout), sizes(sizes),
        fragment(FragmentType::get(builder.getContext(), sizes.register_features, sizes.register_columns,
                                   builder.getF32Type())) {}

  KernelOp write(StringRef name, Type element, Type result) {
    OpBuilder::InsertionGuard guard(builder);
    MLIRContext *context = builder.getContext();
    const auto [bank_rows, bank_columns] = layout.getBankShape();
    Type x = MatrixType::get(context, ShapedType::kDynamic, layout.getIn().getTotal(), element);
    Type dy = MatrixType::get(context, ShapedType::kDynamic, layout.getOut().getTotal(), element);
    auto schedule = ScheduleAttr::get(context, 1, sizes.rows, sizes.register_features, sizes.register_columns,
                                      sizes.lanes, tile::BankAccess::Direct);
    KernelOp kernel =
        this->kernel(name, schedule, {x, dy, MatrixType::get(context, bank_rows, bank_columns, result)});
    Block &operands = kernel.getBody().front();
    builder.setInsertionPointToEnd(&operands);
    Block &own = loops<OwnOp>({axis(AxisKind::BankRows, 1), axis(AxisKind::Features, sizes.features),
                               axis(AxisKind::Groups, 1), axis(AxisKind::Columns, sizes.columns)});
    Value b = own.getArgument(0), j = own.getArgument(2);
    Value sums = buffer("sums", sizes.features, sizes.columns, 0);

    forEachRegisterTile([&](Value h, Value n) {
      Value zero = ZeroOp::create(builder, named("zero"), fragment);
      KeepOp::create(builder, location, zero, sums, h, n);
    });
    addTerms(operands, b, own.getArgument(1), j, sums);
    forEachRegisterTile([&](Value h, Value n) {
      Value sum = LoadOp::create(builder, named("sum"), fragment, sums, h, n);
      StoreBankOp::create(builder, location, sum, operands.getArgument(2), b, h, j, n);
    });
    return kernel;
  }

private:
  Value buffer(StringRef name, std::int64_t rows, std::int64_t columns, std::int64_t panel) {
    const bool pairs = panel && sizes.pairs; // rows brought near; sums are f32
    Type element = pairs ? Type(builder.getBF16Type()) : Type(builder.getF32Type());
    auto type = BufferType::get(builder.getContext(), rows, columns, element, panel, pairs ? 2 : 1);
    return BufferOp::create(builder, named(name), type);
  }

  void forEachRegisterTile(function_ref<void(Value, Value)> body) {
    OpBuilder::InsertionGuard guard(builder);
    Block &tile = loops<WalkOp>(
        {axis(AxisKind::Columns, sizes.register_columns), axis(AxisKind::Features, sizes.register_features)});
    body(tile.getArgument(1), tile.getArgument(0));
  }

  void addTerms(Block &operands, Value b, Value f, Value j, Value sums) {
    OpBuilder::InsertionGuard guard(builder);
    Value xs = buffer("xs", sizes.rows, sizes.features, sizes.register_features);
    Value dys = buffer("dys", sizes.rows, sizes.register_columns, sizes.register_columns);
    auto terms = BankTermsOp::create(builder, location, TypeRange(), b, j, ValueRange());
    Block &term = terms.getBody().emplaceBlock();
    Type index = builder.getIndexType();
    term.addArguments({index, index, index, builder.getF32Type()}, SmallVector<Location>(4, location));
    BankTermsOp::ensureTerminator(terms.getBody(), builder, location);
    builder.setInsertionPoint(term.getTerminator());
    Value t = term.getArgument(0), k = term.getArgument(1), o = term.getArgument(2);
    const Coefficients coefficients = coefficientsOf(layout.getTerms());
    const bool scales = coefficients != Coefficients::One, signs = coefficients == Coefficients::Signs;

    Value s = loops<WalkOp>({axis(AxisKind::Rows, sizes.rows)}).getArgument(0);
    BringOp::create(builder, location, operands.getArgument(0), t, k, s, f, AxisKind::Features, xs,
                    scales ? Value(term.getArgument(3)) : Value(), signs);
    Value n = loops<WalkOp>({axis(AxisKind::Columns, sizes.register_columns)}).getArgument(0);
    BringOp::create(builder, location, operands.getArgument(1), t, o, s, n, AxisKind::Columns, dys, Value(),
                    /*signs=*/false);
    Value h = loops<WalkOp>({axis(AxisKind::Features, sizes.register_features)}).getArgument(0);
    Value sum = LoadOp::create(builder, named("sum"), fragment, sums, h, n);
    Value next = OuterOp::create(builder, named("next"), fragment, xs, h, dys, n, t, s, sum);
    KeepOp::create(builder, location, next, sums, h, n);
  }

  const CpuGradientSchedule &sizes;
  FragmentType fragment;
};

} // namespace

KernelOp writeBankGradient(OpBuilder &builder, Location location, StringRef name, LayoutAttr layout,
                           const CpuGradientSchedule &schedule, Type element, Type result) {
  return BankGradientKernel(builder, location, layout, schedule).write(name, element, result);
}

} // namespace compiler
