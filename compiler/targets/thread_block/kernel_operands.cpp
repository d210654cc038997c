// What the kernel of a thread block takes: the product's matrices, further banks, what maps read, further
// results.
#include "compiler/targets/thread_block/thread_block_program.h"
#include "runtime/bundle/layer.h"
#include "runtime/bundle/map.h"

using namespace mlir;

namespace compiler {

/// X first, then the banks in the order in which they are multiplied, what maps read, and the results. Too
/// few operands stay as they are, for declare() to refuse.
void ThreadBlockProgram::sortOperands() {
  llvm::SmallSetVector<Value, 4> multiplied, stored;
  source.walk([&](Operation *op) {
    if (auto mma = dyn_cast<tile::MmaOp>(op))
      multiplied.insert(mma.getBank());
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      stored.insert(store.getTarget());
  });
  const MutableArrayRef<BlockArgument> arguments = source.getBody().front().getArguments();
  const bool bank = layout.isBankGradient();
  if (arguments.size() < 3 || (bank && arguments.size() != 3))
    return;
  // A program that multiplies or stores something else is refused where it does.
  const std::size_t banks = bank ? 1 : std::clamp<std::size_t>(multiplied.size(), 1, arguments.size() - 2),
                    results =
                        bank ? 1 : std::clamp<std::size_t>(stored.size(), 1, arguments.size() - 1 - banks);
  for (BlockArgument argument : arguments.drop_front()) {
    const std::size_t number = argument.getArgNumber();
    auto &kind = number <= banks                        ? source_banks
                 : number + results >= arguments.size() ? source_results
                                                        : source_operands;
    kind.push_back(argument);
  }
}

/// Whether there are as many operands as a product has, and matrices where it has some.
LogicalResult ThreadBlockProgram::checkOperands() {
  if (source_banks.empty())
    return source.emitOpError("takes ")
           << (layout.isBankGradient() ? "X, dY and dW" : "X, W, what its maps read, and Y") << ", got "
           << source.getBody().getNumArguments() << " operands";
  for (BlockArgument argument : llvm::concat<BlockArgument>(source_banks, source_results))
    if (!isa<tile::MatrixType>(argument.getType()))
      return source.emitOpError("takes X, banks, what its maps read, and results in this order; operand ")
             << argument.getArgNumber() << " is " << argument.getType();
  return success();
}

/// What only kernels of one product, or one result, can do so far.
LogicalResult ThreadBlockProgram::checkSeveral() {
  const bool rows_read = llvm::any_of(source_operands, [](BlockArgument operand) {
    auto matrix = dyn_cast<tile::MatrixType>(operand.getType());
    return matrix && matrix.getRows() != 1;
  });
  if (hasParts() && (hasSeveralBanks() || hasSeveralResults() || rows_read))
    return source.emitOpError(
        "shares blocks among its types, or holds rows: it computes one product, writes one result, and its "
        "maps read no rows");
  if (splits() && hasSeveralBanks())
    return source.emitOpError(
               "divides the steps of a tile among blocks, which exchange the sums of one product; "
               "it computes ")
           << source_banks.size();
  if (hasSeveralResults() && schedule.getRowsOn() == tile::Side::N)
    return source.emitOpError("writes ") << source_results.size()
                                         << " results, the further ones by threads, which have rows of the "
                                            "sums: put rows on the first side";
  return success();
}

sm::MapsType ThreadBlockProgram::mapsOf(std::int64_t count, std::int64_t rows, std::int64_t columns,
                                        Type element, std::int64_t dimension, std::int64_t vector) {
  return sm::MapsType::getChecked([&] { return source.emitError(); }, builder.getContext(), count, rows,
                                  columns, element, dimension, /*swizzle=*/std::int64_t{0}, vector,
                                  layout.hasUnequalGroups(),
                                  /*listed=*/dimension == 3 && RowLines::areListed(layout.getRowTypes()));
}

/// Sums lie in pairs of columns: no wider does what threads read or write beside them need to be aligned.
constexpr std::int64_t most_sums_vector = 2;

sm::MapsType ThreadBlockProgram::mapsOfRows(tile::MatrixType matrix) {
  const std::int64_t count = RowLines::maps(layout.getRowTypes());
  const bool listed = RowLines::areListed(layout.getRowTypes());
  if (matrix.getColumns() == 1)
    return sm::MapsType::getChecked([&] { return source.emitError(); }, builder.getContext(), count,
                                    storedRows(), std::int64_t{1}, matrix.getElementType(), std::int64_t{3},
                                    std::int64_t{0}, std::int64_t{1}, /*unequal=*/false, listed);
  const std::int64_t vector = schedule.getVector();
  return mapsOf(count, storedRows(), storedColumns(), matrix.getElementType(), 3,
                vector ? std::min(vector, most_sums_vector) : most_sums_vector);
}

/// The kernel with its operands; the builder stands in its body afterwards.
FailureOr<sm::KernelOp> ThreadBlockProgram::declare() {
  if (failed(checkOperands()))
    return failure();
  const bool bank = layout.isBankGradient();
  auto element = [](BlockArgument matrix) {
    return cast<tile::MatrixType>(matrix.getType()).getElementType();
  };
  Type rows_element = element(source.getBody().getArgument(0)), bank_element = element(source_banks.front()),
       result = element(source_results.front());
  MLIRContext *context = builder.getContext();
  const std::int64_t row_maps = RowLines::maps(layout.getRowTypes());
  const std::int64_t tile_rows = schedule.getRows(), depth = schedule.getDepth();
  const std::int64_t vector = schedule.getVector();
  // What blocks of a cluster share, each copies a part of.
  const std::int64_t bank_maps = BankSteps::maps(layout.getRowTypes());
  sm::MapsType x_maps, w_maps, y_maps;
  if (bank) {
    x_maps = mapsOf(bank_maps, depth / schedule.getClusterColumns(), tile_rows, rows_element, 3, vector);
    w_maps =
        mapsOf(bank_maps, depth / schedule.getClusterRows(), schedule.getColumns(), bank_element, 3, vector);
    // Threads write dW, whoever copies: they have to read it where they add to it.
    y_maps = mapsOf(1, tile_rows, storedColumns(), result, 2,
                    vector ? std::min(vector, most_sums_vector) : most_sums_vector);
  } else {
    x_maps = mapsOf(row_maps, tile_rows / schedule.getClusterColumns(), depth, rows_element, 3, vector);
    w_maps =
        mapsOf(1, bankBlockRows() / schedule.getClusterRows(), bankBlockColumns(), bank_element, 2, vector);
    y_maps = mapsOf(row_maps, storedRows(), storedColumns(), result, 3, std::min(vector, most_sums_vector));
  }
  if (!x_maps || !w_maps || !y_maps)
    return failure();

  builder.setInsertionPoint(source);
  auto kernel = sm::KernelOp::create(builder, location, source.getSymName(), layout, schedule);
  Block &body = kernel.getBody().emplaceBlock();
  Type index = builder.getIndexType();
  body.addArguments({x_maps, w_maps, y_maps, index, index, sm::TermsTableType::get(context)},
                    SmallVector<Location>(6, location));
  if (bank)
    beta = body.addArgument(builder.getF32Type(), location);
  x = body.getArgument(0);
  w = body.getArgument(1);
  y = body.getArgument(2);
  rows = body.getArgument(3);
  table = body.getArgument(5);
  banks = {w};
  operands[source_results.front()] = y;
  if (failed(declareFurther(body)))
    return failure();
  builder.setInsertionPointToEnd(&body);
  return kernel;
}

/// Further banks, what maps read and further results follow what every kernel takes.
LogicalResult ThreadBlockProgram::declareFurther(Block &body) {
  const algrt::OperandNames names =
      algrt::operandNames(layout.isTransposed() ? algrt::Map::dx : algrt::Map::forward);
  auto named = [&](const char *first, std::size_t number) -> Location {
    return NameLoc::get(builder.getStringAttr(algrt::numberedName(first, static_cast<std::int64_t>(number))),
                        location);
  };
  for (std::size_t number = 1; number < source_banks.size(); ++number)
    banks.push_back(body.addArgument(w.getType(), named(names.w, number)));
  const alg::GroupsAttr out = layout.getOut();
  const bool one_group = layout.hasUnequalGroups();
  for (BlockArgument operand : source_operands) {
    Type type = operand.getType();
    if (auto matrix = dyn_cast<tile::MatrixType>(type)) {
      if (matrix.getRows() == 1)
        type = sm::ColumnsType::getChecked(
            [&] { return source.emitError(); }, builder.getContext(), one_group ? 1 : out.getCount(),
            one_group ? out.getTotal() : out.getWidth(0), matrix.getElementType());
      else
        type = mapsOfRows(matrix);
      if (!type)
        return failure();
    }
    operands[operand] = body.addArgument(type, operand.getLoc());
  }
  for (std::size_t number = 1; number < source_results.size(); ++number) {
    sm::MapsType type = mapsOfRows(cast<tile::MatrixType>(source_results[number].getType()));
    if (!type)
      return failure();
    operands[source_results[number]] = body.addArgument(type, named(names.y, number));
  }
  return success();
}

} // namespace compiler
