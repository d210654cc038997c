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
  GroupRows(MLIRContext &context, int64_t threads)
      : InstructionWriter(context, threads, 32), warps_(threads / warp_threads) {}

  OwningOpRef<ModuleOp> write();

private:
  void writeBody();
  /// The part of the list that is of one type, by all threads of the block.
  void listType(Value type);
  /// The most rows that any type has, by all threads of the block.
  void writeLongest();
  void addToCount(Value type, Value rows);

  /// The type of a row: 0 or more, or -1 of a row that has none.
  Value typeOf(Value row);
  Value givenType(Value row);
  Value positionOf(Value row);
  Value positionInSequence(Value row);
  /// Entry of an array of 4 or 8 bytes each, as i64.
  Value number(Value array, Value index);

  /// Of a value in each lane: the sum of those up to this lane.
  Value sumToLane(Value value);

  // Shared memory: sums of each warp, twice; the most rows; rows of each type.
  const int64_t warps_;
  Value list_, source_, firsts_, width_, rows_, types_, form_, sequences_, offset_; ///< parameters
  Value thread_, lane_, warp_;
  Value first_row_, last_row_; ///< this thread's piece of the batch
};

OwningOpRef<ModuleOp> GroupRows::write() {
  using Name = algrt::ParameterValue;
  OwningOpRef<ModuleOp> module = declare(group_rows_name, {{Name::RowList, &list_},
                                                           {Name::RowSource, &source_},
                                                           {Name::FirstPositions, &firsts_},
                                                           {Name::TypeWidth, &width_},
                                                           {Name::Rows, &rows_},
                                                           {Name::Types, &types_},
                                                           {Name::RowSourceForm, &form_},
                                                           {Name::Sequences, &sequences_},
                                                           {Name::Offset, &offset_}});
  writeBody();
  return module;
}

void GroupRows::writeBody() {
  thread_ = NVVM::ThreadIdXOp::create(builder, i32());
  lane_ = bitAnd(thread_, warp_threads - 1);
  warp_ = shiftRight(thread_, llvm::Log2_64(warp_threads));
  Value block = NVVM::BlockIdXOp::create(builder, i32()), blocks = NVVM::GridDimXOp::create(builder, i32());

  // Pieces one behind the other: what all threads write in the order of their numbers is in the order of
  // rows.
  Value piece = ceilDivide(rows_, threads);
  first_row_ = least(multiply(thread_, piece), rows_);
  last_row_ = least(add(first_row_, piece), rows_);

  loop(block, types_, blocks, {}, [&](Value type, ValueRange) {
    listType(type);
    return Values();
  });
  // By a block of its own where the grid has one more than there are types.
  when(equal(block, subtract(blocks, 1)), [&] { writeLongest(); });
  LLVM::ReturnOp::create(builder, ValueRange());
}

void GroupRows::listType(Value type) {
  const Values counted =
      loop(first_row_, last_row_, constant(1), {constant(0), constant(0)}, [&](Value row, ValueRange sums) {
        Value found = typeOf(row);
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
  Value before_thread = add(sums[0], subtract(own_to_lane, counted[0])), own = sums[1], lower = sums[2];
  when(equal(thread_, 0), [&] {
    Value start = add(type, 1);
    store(lower, list_, start);
    when(equal(start, types_), [&] { store(add(lower, own), list_, add(start, 1)); });
  });

  Value place = add(add(types_, 2), add(lower, before_thread));
  loop(first_row_, last_row_, constant(1), {place}, [&](Value row, ValueRange at) {
    Value is_own = equal(typeOf(row), type);
    when(is_own, [&] { store(row, list_, at[0]); });
    return Values{add(at[0], count(is_own))};
  });
  barrier(); // the next type's sums overwrite those that others still read
}

void GroupRows::addToCount(Value type, Value count) {
  // Sums of whole numbers are the same in every order.
  when(atLeast(type, 0), [&] {
    LLVM::AtomicRMWOp::create(builder, LLVM::AtomicBinOp::add,
                              entry(shared, add(type, 2 * warps_ + 1), builder.getI32Type()), count,
                              LLVM::AtomicOrdering::monotonic, "block");
  });
}

void GroupRows::writeLongest() {
  Value longest = constant(2 * warps_), stride = constant(threads);
  Value counts_end = add(types_, 2 * warps_ + 1);
  loop(add(thread_, longest), counts_end, stride, {}, [&](Value at, ValueRange) {
    store(constant(0), shared, at);
    return Values();
  });
  barrier();
  // Neighbours are often of one type: they are counted together.
  const Values last =
      loop(first_row_, last_row_, constant(1), {constant(-1), constant(0)}, [&](Value row, ValueRange run) {
        Value found = typeOf(row), same = equal(found, run[0]);
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
  when(equal(thread_, 0), [&] { store(load(shared, longest), list_, constant(0)); });
}

Value GroupRows::typeOf(Value row) {
  auto following_type = [&]() -> Value {
    Value position = positionOf(row);
    Value period = multiply(wideSigned(types_), width_);
    Value in_period = remainder(position, period);
    Value type = arith::TruncIOp::create(builder, builder.getI32Type(), divide(in_period, width_));
    return select(less(position, 0), -1, type);
  };
  Value kind = bitAnd(form_, algrt_rows_of_kind);
  return choose(equal(kind, algrt_rows_of_types), [&] { return givenType(row); }, following_type);
}

Value GroupRows::givenType(Value row) {
  Value type = load(source_, row);
  return select(below(type, types_), type, -1);
}

Value GroupRows::positionOf(Value row) {
  Value kind = bitAnd(form_, algrt_rows_of_kind);
  auto in_sequence = [&]() -> Value {
    return choose(
        equal(kind, algrt_rows_of_equal_sequences),
        [&] { return add(wideSigned(offset_), wideSigned(remainder(row, sequences_))); },
        [&] { return positionInSequence(row); });
  };
  return choose(equal(kind, algrt_rows_of_positions), [&] { return number(source_, row); }, in_sequence);
}

Value GroupRows::positionInSequence(Value row) {
  // The last sequence that begins at this row or before: what comes behind empty ones.
  Value wide_row = wideSigned(row);
  auto search = scf::WhileOp::create(
      builder, TypeRange{i32(), i32()}, ValueRange{constant(0), sequences_},
      [&](OpBuilder &, Location, ValueRange bounds) {
        Value more = less(add(bounds[0], 1), bounds[1]);
        scf::ConditionOp::create(builder, more, bounds);
      },
      [&](OpBuilder &, Location, ValueRange bounds) {
        Value middle = shiftRight(add(bounds[0], bounds[1]), 1);
        Value begun = atMost(number(source_, middle), wide_row);
        scf::YieldOp::create(builder,
                             ValueRange{select(begun, middle, bounds[0]), select(begun, bounds[1], middle)});
      });
  Value sequence = search.getResult(0);
  Value null = LLVM::ZeroOp::create(builder, firsts_.getType());
  Value given = LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::ne, firsts_, null);
  Value first = choose(given, [&] { return number(firsts_, sequence); }, [&] { return constant(0, i64()); });
  return add(first, subtract(wide_row, number(source_, sequence)));
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

OwningOpRef<ModuleOp> groupRowsModule(MLIRContext &context, int64_t threads) {
  OwningOpRef<ModuleOp> module = GroupRows(context, threads).write();
  lowerAuxiliary(*module, group_rows_name);
  return module;
}

} // namespace compiler
