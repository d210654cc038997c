#include "compiler/lower/weight_gradient_kernel.h"

#include "compiler/lower/kernel_body.h"
#include "compiler/schedule/coefficients.h"

using namespace mlir;
using namespace tile;

namespace compiler {

namespace {

class WeightGradientKernel : KernelBody {
public:
  WeightGradientKernel(OpBuilder &builder, Location location, LayoutAttr layout,
                       const CpuGradientSchedule &sizes)
      : KernelBody(builder, location, layout), sizes_(sizes),
        fragment_(FragmentType::get(builder.getContext(), sizes.register_features, sizes.register_columns,
                                    builder.getF32Type())) {}

  KernelOp write(StringRef name, Type element, Type result) {
    OpBuilder::InsertionGuard guard(builder);
    MLIRContext *context = builder.getContext();
    const auto [weight_rows, weight_columns] = layout.getWeightShape();
    Type x = MatrixType::get(context, ShapedType::kDynamic, layout.getIn().getTotal(), element);
    Type dy = MatrixType::get(context, ShapedType::kDynamic, layout.getOut().getTotal(), element);
    // No weight matrix is read; what AMX multiplies is copied into panels.
    const bool amx = sizes_.unit == MultiplyUnit::Amx;
    auto schedule =
        ScheduleAttr::get(context, 1, sizes_.rows, sizes_.register_features, sizes_.register_columns,
                          sizes_.lanes, amx ? tile::WeightAccess::Copied : tile::WeightAccess::Direct,
                          amx ? tile::MultiplyUnit::Amx : tile::MultiplyUnit::Vectors);
    KernelOp kernel =
        this->kernel(name, schedule, {x, dy, MatrixType::get(context, weight_rows, weight_columns, result)});
    Block &operands = kernel.getBody().front();
    builder.setInsertionPointToEnd(&operands);
    Block &own = loops<ForallOp>({axis(AxisKind::WeightRows, 1), axis(AxisKind::Features, sizes_.features),
                                  axis(AxisKind::Groups, 1), axis(AxisKind::Columns, sizes_.columns)});
    Value b = own.getArgument(0), j = own.getArgument(2);
    Value sums = buffer("sums", sizes_.features, sizes_.columns, /*panel=*/0, /*interleave=*/1);

    forEachRegisterTile([&](Value h, Value n) {
      Value zero = ZeroOp::create(builder, named("zero"), fragment_);
      KeepOp::create(builder, location, zero, sums, h, n);
    });
    addTerms(operands, b, own.getArgument(1), j, sums);
    forEachRegisterTile([&](Value h, Value n) {
      Value sum = LoadOp::create(builder, named("sum"), fragment_, sums, h, n);
      StoreWeightOp::create(builder, location, sum, operands.getArgument(2), b, h, j, n);
    });
    return kernel;
  }

private:
  Value buffer(StringRef name, int64_t rows, int64_t columns, int64_t panel, int64_t interleave) {
    // Rows that are brought near interleave; sums are f32.
    Type element = interleave > 1 ? Type(builder.getBF16Type()) : Type(builder.getF32Type());
    auto type = BufferType::get(builder.getContext(), rows, columns, element, panel, interleave);
    return BufferOp::create(builder, named(name), type);
  }

  void forEachRegisterTile(function_ref<void(Value, Value)> body) {
    OpBuilder::InsertionGuard guard(builder);
    Block &tile = loops<ForOp>({axis(AxisKind::Columns, sizes_.register_columns),
                                axis(AxisKind::Features, sizes_.register_features)});
    body(tile.getArgument(1), tile.getArgument(0));
  }

  void addTerms(Block &operands, Value b, Value f, Value j, Value sums) {
    OpBuilder::InsertionGuard guard(builder);
    Value xs = buffer("xs", sizes_.rows, sizes_.features, sizes_.register_features, sizes_.depth());
    Value dys =
        buffer("dys", sizes_.rows, sizes_.register_columns, sizes_.register_columns, sizes_.pairs ? 2 : 1);
    auto terms = WeightTermsOp::create(builder, location, TypeRange(), b, j, ValueRange());
    Block &term = terms.getBody().emplaceBlock();
    Type index = builder.getIndexType();
    term.addArguments({index, index, index, builder.getF32Type()}, SmallVector<Location>(4, location));
    WeightTermsOp::ensureTerminator(terms.getBody(), builder, location);
    builder.setInsertionPoint(term.getTerminator());
    Value t = term.getArgument(0), k = term.getArgument(1), o = term.getArgument(2);
    const Coefficients coefficients = coefficientsOf(layout.getTerms());
    const bool scales = coefficients != Coefficients::One, signs = coefficients == Coefficients::Signs;

    Value s = loops<ForOp>({axis(AxisKind::Rows, sizes_.rows)}).getArgument(0);
    BringOp::create(builder, location, operands.getArgument(0), t, k, s, f, AxisKind::Features, xs,
                    scales ? Value(term.getArgument(3)) : Value(), signs);
    Value n = loops<ForOp>({axis(AxisKind::Columns, sizes_.register_columns)}).getArgument(0);
    BringOp::create(builder, location, operands.getArgument(1), t, o, s, n, AxisKind::Columns, dys, Value(),
                    /*signs=*/false);
    Value h = loops<ForOp>({axis(AxisKind::Features, sizes_.register_features)}).getArgument(0);
    Value sum = LoadOp::create(builder, named("sum"), fragment_, sums, h, n);
    Value next = OuterOp::create(builder, named("next"), fragment_, xs, h, dys, n, t, s, sum);
    KeepOp::create(builder, location, next, sums, h, n);
  }

  const CpuGradientSchedule &sizes_;
  FragmentType fragment_;
};

} // namespace

KernelOp writeWeightGradient(OpBuilder &builder, Location location, StringRef name, LayoutAttr layout,
                             const CpuGradientSchedule &schedule, Type element, Type result) {
  return WeightGradientKernel(builder, location, layout, schedule).write(name, element, result);
}

} // namespace compiler
