#include "compiler/targets/nvidia/group_rows.h"

#include "compiler/targets/nvidia/instruction_writer.h"
#include "runtime/gpu_kernel_abi.h"

using namespace mlir;

namespace compiler {
namespace {

constexpr int64_t warp_threads = 32;

/// Writes the kernel. Integers are i32 but for positions.
class GroupRows : InstructionWriter {
public:
  GroupRows(MLIRContext &context, int64_t threads, ListedNetworks networks)
      : InstructionWriter(context, threads, 32), has_experts_(networks == ListedNetworks::Experts),
        warps_(threads / warp_threads) {}

  OwningOpRef<ModuleOp> write();

private:
  /// Consecutive rows, of which each thread has a piece.
  struct Rows {
    Value first, end;
  };

  void writeBody();
  /// The part of the list that is of one segment: of one type, of experts of one expert's rows of it. By all
  /// threads of the block.
  void listSegment(Value segment);
  /// The most rows that any segment has, by all threads of the block.
  void writeLongest();
  void addToCount(Value segment, Value rows);
  /// A word of the list, and of that for X where there is one of its own.
  void writeWord(Value word, Value place);

  /// This thread's piece.
  Rows pieceOf(Rows rows);
  /// All rows, or those of an expert, perhaps none.
  Rows rowsOf(Value expert);
  /// Where an expert's rows begin, or those of the one before it end: a row, or the end of all.
  Value expertStart(Value expert);
  /// The segment of a row: 0 or more, or -1 of a row that has no type or is no expert's.
  Value segmentOf(Value row);
  /// The row of the batch that a row is, of experts whose rows are listed; a number that is no row counts as
  /// the nearest one.
  Value rowOfBatch(Value row);
  /// The type of a row of the batch: 0 or more, or -1 of a row that has none.
  Value typeOf(Value row);
  Value givenType(Value row);
  Value positionOf(Value row);
  Value positionInSequence(Value row);
  /// Of `count` parts the last one that begins at a row or before; `first` reads where one begins.
  Value lastBegun(Value count, Value row, llvm::function_ref<Value(Value part)> first);
  /// Entry of an array of 4 or 8 bytes each, as i64.
  Value number(Value array, Value index);
  Value isGiven(Value address);

  /// Of a value in each lane: the sum of those up to this lane.
  Value sumToLane(Value value);

  const bool has_experts_;
  // Shared memory: sums of each warp, twice; the most rows; rows of each segment.
  const int64_t warps_;
  Value list_, source_, firsts_, width_, rows_, types_, form_, sequences_, offset_; ///< parameters
  Value x_list_, expert_starts_, experts_, expert_rows_, batch_rows_;               ///< of experts
  Value thread_, lane_, warp_;
  Value segments_; ///< types, of each expert
};

OwningOpRef<ModuleOp> GroupRows::write() {
  using Name = algrt::ParameterValue;
  const Parameter of_network[] = {
      {Name::RowList, &list_},       {Name::RowSource, &source_},    {Name::FirstPositions, &firsts_},
      {Name::TypeWidth, &width_},    {Name::Rows, &rows_},           {Name::Types, &types_},
      {Name::RowSourceForm, &form_}, {Name::Sequences, &sequences_}, {Name::Offset, &offset_}};
  const Parameter of_experts[] = {{Name::RowList, &list_},
                                  {Name::RowListOfX, &x_list_},
                                  {Name::RowSource, &source_},
                                  {Name::TypeWidth, &width_},
                                  {Name::Rows, &rows_},
                                  {Name::Types, &types_},
                                  {Name::RowSourceForm, &form_},
                                  {Name::Offset, &offset_},
                                  {Name::Operand, &expert_starts_, "expert_starts"},
                                  {Name::Experts, &experts_},
                                  {Name::Operand, &expert_rows_, "expert_rows"},
                                  {Name::BatchRows, &batch_rows_}};
  OwningOpRef<ModuleOp> module =
      declare(group_rows_name, has_experts_ ? ArrayRef(of_experts) : ArrayRef(of_network));
  writeBody();
  return module;
}

void GroupRows::writeBody() {
  thread_ = NVVM::ThreadIdXOp::create(builder, i32());
  lane_ = bitAnd(thread_, warp_threads - 1);
  warp_ = shiftRight(thread_, llvm::Log2_64(warp_threads));
  Value block = NVVM::BlockIdXOp::create(builder, i32()), blocks = NVVM::GridDimXOp::create(builder, i32());
  segments_ = has_experts_ ? multiply(types_, experts_) : types_;

  loop(block, segments_, blocks, {}, [&](Value segment, ValueRange) {
    listSegment(segment);
    return Values();
  });
  // By a block of its own where the grid has one more than there are segments.
  when(equal(block, subtract(blocks, 1)), [&] { writeLongest(); });
  LLVM::ReturnOp::create(builder, ValueRange());
}

GroupRows::Rows GroupRows::pieceOf(Rows rows) {
  // Pieces one behind the other: what all threads write in the order of their numbers is in the order of
  // rows.
  Value piece = ceilDivide(subtract(rows.end, rows.first), threads);
  Value first = least(add(rows.first, multiply(thread_, piece)), rows.end);
  return {first, least(add(first, piece), rows.end)};
}

Value GroupRows::expertStart(Value expert) {
  return greatest(least(load(expert_starts_, expert), rows_), constant(0));
}

GroupRows::Rows GroupRows::rowsOf(Value expert) {
  if (!has_experts_)
    return {constant(0), rows_};
  Value first = expertStart(expert);
  return {first, greatest(first, expertStart(add(expert, 1)))};
}

void GroupRows::writeWord(Value word, Value place) {
  store(word, list_, place);
  if (has_experts_)
    when(isGiven(x_list_), [&] { store(word, x_list_, place); });
}

void GroupRows::listSegment(Value segment) {
  Value expert, type = segment;
  if (has_experts_) {
    expert = divide(segment, types_);
    type = subtract(segment, multiply(expert, types_));
  }
  const Rows all = rowsOf(expert), piece = pieceOf(all);
  const Values counted =
      loop(piece.first, piece.end, constant(1), {constant(0), constant(0)}, [&](Value row, ValueRange sums) {
        Value found = typeOf(rowOfBatch(row));
        // Of no type is far above all others, unsigned.
        Value lower = below(found, type);
        return Values{add(sums[0], count(equal(found, type))), add(sums[1], count(lower))};
      });

  Value own_to_lane = sumToLane(counted[0]), lower_to_lane = sumToLane(counted[1]);
  when(equal(lane_, warp_threads - 1), [&] {
    store(own_to_lane, shared, warp_);
    store(lower_to_lane, shared, add(warp_, warps_));
  });
  barrier();
  const Values sums = loop(constant(0), constant(warps_), constant(1),
                           {constant(0), constant(0), constant(0)}, [&](Value other, ValueRange so_far) {
                             Value own = load(shared, other), lower = load(shared, add(other, warps_));
                             Value before = less(other, warp_);
                             return Values{add(so_far[0], select(before, own, 0)), add(so_far[1], own),
                                           add(so_far[2], lower)};
                           });
  // All rows of an expert have types: those of the experts before it are as many as there are before its
  // first one.
  Value before_thread = add(sums[0], subtract(own_to_lane, counted[0])), own = sums[1],
        lower = add(all.first, sums[2]);
  when(equal(thread_, 0), [&] {
    Value start = add(segment, 1);
    writeWord(lower, start);
    when(equal(start, segments_), [&] { writeWord(add(lower, own), add(start, 1)); });
  });

  Value place = add(add(segments_, 2), add(lower, before_thread));
  loop(piece.first, piece.end, constant(1), {place}, [&](Value row, ValueRange at) {
    Value of_batch = rowOfBatch(row), is_own = equal(typeOf(of_batch), type);
    when(is_own, [&] {
      store(row, list_, at[0]);
      if (has_experts_)
        when(isGiven(x_list_), [&] { store(of_batch, x_list_, at[0]); });
    });
    return Values{add(at[0], count(is_own))};
  });
  barrier(); // the next segment's sums overwrite those that others still read
}

void GroupRows::addToCount(Value segment, Value rows) {
  // Sums of whole numbers are the same in every order.
  when(atLeast(segment, 0), [&] {
    LLVM::AtomicRMWOp::create(builder, LLVM::AtomicBinOp::add,
                              entry(shared, add(segment, 2 * warps_ + 1), builder.getI32Type()), rows,
                              LLVM::AtomicOrdering::monotonic, "block");
  });
}

void GroupRows::writeLongest() {
  Value longest = constant(2 * warps_), stride = constant(threads);
  Value counts_end = add(segments_, 2 * warps_ + 1);
  loop(add(thread_, longest), counts_end, stride, {}, [&](Value at, ValueRange) {
    store(constant(0), shared, at);
    return Values();
  });
  barrier();
  // Neighbours are often of one type: they are counted together.
  const Rows piece = pieceOf({constant(0), rows_});
  const Values last =
      loop(piece.first, piece.end, constant(1), {constant(-1), constant(0)}, [&](Value row, ValueRange run) {
        Value found = segmentOf(row), same = equal(found, run[0]);
        Value ends = differ(found, run[0]);
        when(ends, [&] { addToCount(run[0], run[1]); });
        return Values{found, add(select(same, run[1], 0), 1)};
      });
  addToCount(last[0], last[1]);
  barrier();
  const Values most =
      loop(add(thread_, add(longest, 1)), counts_end, stride, {constant(0)},
           [&](Value at, ValueRange so_far) { return Values{greatest(so_far[0], load(shared, at))}; });
  LLVM::AtomicRMWOp::create(builder, LLVM::AtomicBinOp::max, entry(shared, longest, builder.getI32Type()),
                            most[0], LLVM::AtomicOrdering::monotonic, "block");
  barrier();
  when(equal(thread_, 0), [&] { writeWord(load(shared, longest), constant(0)); });
}

Value GroupRows::segmentOf(Value row) {
  if (!has_experts_)
    return typeOf(row);
  Value expert = lastBegun(experts_, row, [&](Value part) { return load(expert_starts_, part); });
  const Rows rows = rowsOf(expert);
  Value is_there = bitAnd(atLeast(row, rows.first), less(row, rows.end));
  return select(is_there, add(multiply(expert, types_), typeOf(rowOfBatch(row))), -1);
}

Value GroupRows::rowOfBatch(Value row) {
  if (!has_experts_)
    return row;
  return choose(
      isGiven(expert_rows_),
      [&] { return greatest(least(load(expert_rows_, row), subtract(batch_rows_, 1)), constant(0)); },
      [&] { return row; });
}

Value GroupRows::typeOf(Value row) {
  auto following_type = [&]() -> Value {
    Value position = positionOf(row);
    Value period = multiply(wideSigned(types_), width_);
    auto type_at = [&](Value in_period) -> Value {
      return arith::TruncIOp::create(builder, builder.getI32Type(), divide(in_period, width_));
    };
    if (!has_experts_)
      return select(less(position, 0), -1, type_at(remainder(position, period)));
    // A position below 0 counts back from the period, as in the vector reductions of experts.
    Value left = arith::RemSIOp::create(builder, position, period);
    return type_at(select(less(left, 0), add(left, period), left));
  };
  if (has_experts_)
    return following_type();
  Value kind = bitAnd(form_, algrt_rows_of_kind);
  return choose(equal(kind, algrt_rows_of_types), [&] { return givenType(row); }, following_type);
}

Value GroupRows::givenType(Value row) {
  Value type = load(source_, row);
  return select(below(type, types_), type, -1);
}

Value GroupRows::positionOf(Value row) {
  if (has_experts_)
    return choose(
        isGiven(source_), [&] { return number(source_, row); },
        [&] { return add(wideSigned(offset_), wideSigned(row)); });
  Value kind = bitAnd(form_, algrt_rows_of_kind);
  auto in_sequence = [&]() -> Value {
    return choose(
        equal(kind, algrt_rows_of_equal_sequences),
        [&] { return add(wideSigned(offset_), wideSigned(remainder(row, sequences_))); },
        [&] { return positionInSequence(row); });
  };
  return choose(equal(kind, algrt_rows_of_positions), [&] { return number(source_, row); }, in_sequence);
}

Value GroupRows::lastBegun(Value count, Value row, llvm::function_ref<Value(Value part)> first) {
  auto search = scf::WhileOp::create(
      builder, TypeRange{i32(), i32()}, ValueRange{constant(0), count},
      [&](OpBuilder &, Location, ValueRange bounds) {
        Value more = less(add(bounds[0], 1), bounds[1]);
        scf::ConditionOp::create(builder, more, bounds);
      },
      [&](OpBuilder &, Location, ValueRange bounds) {
        Value middle = shiftRight(add(bounds[0], bounds[1]), 1);
        Value begun = atMost(first(middle), row);
        scf::YieldOp::create(builder,
                             ValueRange{select(begun, middle, bounds[0]), select(begun, bounds[1], middle)});
      });
  return search.getResult(0);
}

Value GroupRows::positionInSequence(Value row) {
  // The last sequence that begins at this row or before: what comes behind empty ones.
  Value wide_row = wideSigned(row);
  Value sequence = lastBegun(sequences_, wide_row, [&](Value part) { return number(source_, part); });
  Value first =
      choose(isGiven(firsts_), [&] { return number(firsts_, sequence); }, [&] { return constant(0, i64()); });
  return add(first, subtract(wide_row, number(source_, sequence)));
}

Value GroupRows::isGiven(Value address) {
  Value null = LLVM::ZeroOp::create(builder, address.getType());
  return LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::ne, address, null);
}

Value GroupRows::number(Value array, Value index) {
  Value kept = bitAnd(form_, algrt_rows_of_wide);
  return choose(
      differ(kept, 0), [&] { return load(i64(), array, index); },
      [&] { return wideSigned(load(array, index)); });
}

Value GroupRows::sumToLane(Value value) {
  for (int64_t distance = 1; distance < warp_threads; distance *= 2) {
    Value other = NVVM::ShflOp::create(builder, builder.getI32Type(), constant(-1), value, constant(distance),
                                       constant(0), NVVM::ShflKind::up, UnitAttr());
    Value reaches = atLeast(lane_, distance);
    value = add(value, select(reaches, other, 0));
  }
  return value;
}

} // namespace

OwningOpRef<ModuleOp> groupRowsModule(MLIRContext &context, int64_t threads, ListedNetworks networks) {
  OwningOpRef<ModuleOp> module = GroupRows(context, threads, networks).write();
  lowerAuxiliary(*module, group_rows_name);
  return module;
}

} // namespace compiler
