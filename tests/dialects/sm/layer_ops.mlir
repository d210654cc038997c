// Kernels of two layers: what lies between the products, as values and as instructions, in the pretty and in the generic form.
// RUN: alg-opt %s | FileCheck %s
// RUN: alg-opt %s | alg-opt | FileCheck %s
// RUN: alg-opt %s --mlir-print-op-generic | alg-opt | FileCheck %s

#hidden = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 128>, weights = <4 x 128>, out = <4 x 168>,
                       row_types = <cyclic 4>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 168>, weights = <4 x 168>, out = <4 x 96>,
                       row_types = <cyclic 4>>
#of_hidden = #tile.staged<types = 1, rows = 128, columns = 64, depth = 32, stages = 4>
#schedule = #tile.staged<types = 1, rows = 128, columns = 96, depth = 64, stages = 2, stationary = 4>

// The kernel has the layout and the schedule of its own layer, and those of the hidden one beside. Boxes of the last weight matrix
// are not those of W; numbers of columns are as wide as what either layer leaves.
// CHECK-LABEL: sm.kernel @values(
// CHECK-SAME:  %[[W2:[a-z0-9_]+]]: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2>, %{{.*}}: !sm.columns<4 x 168 x f32>, %{{.*}}: !sm.columns<4 x 96 x f32>)
// CHECK-SAME:  attributes {hidden_layout = #tile.layout<{{.*}}, in = <4 x 128>, weights = <4 x 128>, out = <4 x 168>, row_types = <cyclic 4>>, hidden_schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 32, stages = 4>, layout = #tile.layout<{{.*}}, in = <4 x 168>, weights = <4 x 168>, out = <4 x 96>, row_types = <cyclic 4>>, schedule = #tile.staged<types = 1, rows = 128, columns = 96, depth = 64, stages = 2, stationary = 4>}
sm.kernel @values(%x: !sm.maps<2 x 128 x 32 x bf16, row_dimension 3>, %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2>,
                  %y: !sm.maps<2 x 128 x 96 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table,
                  %w2: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2>, %bias: !sm.columns<4 x 168 x f32>,
                  %shift: !sm.columns<4 x 96 x f32>)
    attributes {hidden_layout = #hidden, hidden_schedule = #of_hidden, layout = #layout, schedule = #schedule} {
  %i = arith.constant 0 : index
  %last = arith.cmpi eq, %rows, %offset : index
  // CHECK: %[[LAST:.*]] = arith.cmpi eq
  // CHECK: %[[KEPT:.*]] = sm.kept_rows pieces 3 : <128 x 192 x bf16>
  %kept = sm.kept_rows pieces 3 : <128 x 192 x bf16>
  // Rows that stay for a while, and rows that come while those before them are multiplied.
  // CHECK: %[[STAY:.*]] = sm.hold %x[%{{.*}}] [{{.*}}] stages 1 : <2 x 128 x 32 x bf16, row_dimension 3> -> <128 x 128 x bf16>
  %stay = sm.hold %x[%i] [%i, %i, %i, %rows] stages 1 : <2 x 128 x 32 x bf16, row_dimension 3> -> <128 x 128 x bf16>
  // CHECK: %[[COME:.*]] = sm.hold %x[%{{.*}}] [{{.*}}] stages 2 : <2 x 128 x 32 x bf16, row_dimension 3> -> <128 x 128 x bf16>
  %come = sm.hold %x[%i] [%i, %i, %i, %offset] stages 2 : <2 x 128 x 32 x bf16, row_dimension 3> -> <128 x 128 x bf16>
  %zero = sm.zero : <128 x 64>
  // CHECK: %[[B:.*]] = sm.fetch %w[
  %b = sm.fetch %w[%i] [%i, %i, %i, %i] : <1 x 32 x 64 x bf16, row_dimension 2> -> <32 x 64 x bf16>
  // CHECK: %[[FIRST:.*]] = sm.multiply_held %[[COME]][%rows], [%[[B]]], %{{.*}} : !sm.block<128 x 128 x bf16>, !sm.block<32 x 64 x bf16>, <128 x 64>
  %first = sm.multiply_held %come[%rows], [%b], %zero : !sm.block<128 x 128 x bf16>, !sm.block<32 x 64 x bf16>, <128 x 64>
  // CHECK: %[[SUM:.*]] = sm.multiply_held %[[STAY]][%rows], [%[[B]]], %[[FIRST]] shallow %[[LAST]] to 16 : !sm.block<128 x 128 x bf16>, !sm.block<32 x 64 x bf16>, <128 x 64>
  %sum = sm.multiply_held %stay[%rows], [%b], %first shallow %last to 16 : !sm.block<128 x 128 x bf16>, !sm.block<32 x 64 x bf16>, <128 x 64>
  %biased = sm.map (%v = %sum : !sm.accumulator<128 x 64>, %shifted = %bias : !sm.columns<4 x 168 x f32>) at [%i, %i] -> !sm.accumulator<128 x 64> {
    %added = arith.addf %v, %shifted : f32
    sm.yield %added : f32
  }
  // CHECK: %[[CLIPPED:.*]] = sm.clip_columns %{{.*}} narrow %[[LAST]] to 40 : <128 x 64>
  %clipped = sm.clip_columns %biased narrow %last to 40 : <128 x 64>
  // CHECK: sm.keep %[[CLIPPED]] to %[[KEPT]][%offset] : <128 x 64> to <128 x 192 x bf16>
  sm.keep %clipped to %kept[%offset] : <128 x 64> to <128 x 192 x bf16>
  // CHECK: %[[FRAGMENT:.*]] = sm.fragment %[[CLIPPED]] : <128 x 64> to <128 x 64>
  %fragment = sm.fragment %clipped : <128 x 64> to <128 x 64>
  %none = sm.zero : <128 x 96>
  // CHECK: %[[D:.*]] = sm.fetch %[[W2]][
  %d = sm.fetch %w2[%i] [%i, %i, %i, %i] : <1 x 64 x 96 x bf16, row_dimension 2> -> <64 x 96 x bf16>
  // CHECK: %[[NEXT:.*]] = sm.multiply_fragment %[[FRAGMENT]], %[[D]], %{{.*}} : <128 x 64>, <64 x 96 x bf16>, <128 x 96>
  %next = sm.multiply_fragment %fragment, %d, %none : <128 x 64>, <64 x 96 x bf16>, <128 x 96>
  // CHECK: sm.multiply_fragment %[[FRAGMENT]], %[[D]], %[[NEXT]] shallow %[[LAST]] to 48 : <128 x 64>, <64 x 96 x bf16>, <128 x 96>
  %less = sm.multiply_fragment %fragment, %d, %next shallow %last to 48 : <128 x 64>, <64 x 96 x bf16>, <128 x 96>
  // CHECK: sm.multiply_held %[[KEPT]][%offset], [%[[D]]], %{{.*}} shallow %[[LAST]] to 48 : !sm.block<128 x 192 x bf16>, !sm.block<64 x 96 x bf16>, <128 x 96>
  %all = sm.multiply_held %kept[%offset], [%d], %less shallow %last to 48 : !sm.block<128 x 192 x bf16>, !sm.block<64 x 96 x bf16>, <128 x 96>
  sm.store_sums %all to %y[%i] [%i, %i, %i, %i] : <128 x 96> to <2 x 128 x 96 x bf16, row_dimension 3>
}

// Sums of two parts, one below the other: each has a block of its own, or says whether it is multiplied.
// CHECK-LABEL: func.func @parts
func.func @parts(%kept: !sm.block<128 x 192 x bf16>, %rows: !sm.fragment<128 x 64>, %b: !sm.block<64 x 96 x bf16>,
                 %d: !sm.block<64 x 96 x bf16>, %i: index, %sum: !sm.accumulator<128 x 96>, %first: i1, %second: i1, %last: i1) {
  // CHECK: %[[NEXT:.*]] = sm.multiply_held %{{.*}}[%{{.*}}], [%{{.*}}, %{{.*}}], %{{.*}} : !sm.block<128 x 192 x bf16>, !sm.block<64 x 96 x bf16>, <128 x 96>
  %next = sm.multiply_held %kept[%i], [%b, %d], %sum : !sm.block<128 x 192 x bf16>, !sm.block<64 x 96 x bf16>, <128 x 96>
  // CHECK: %[[LESS:.*]] = sm.multiply_held %{{.*}}[%{{.*}}], [%{{.*}}, %{{.*}}], %[[NEXT]] shallow %{{.*}} to 32 :
  %less = sm.multiply_held %kept[%i], [%b, %d], %next shallow %last to 32 : !sm.block<128 x 192 x bf16>, !sm.block<64 x 96 x bf16>, <128 x 96>
  // CHECK: %[[SOME:.*]] = sm.multiply_fragment %{{.*}}, %{{.*}}, %[[LESS]] where{{ ?}}[%{{.*}}, %{{.*}}] : <128 x 64>, <64 x 96 x bf16>, <128 x 96>
  %some = sm.multiply_fragment %rows, %b, %less where [%first, %second] : <128 x 64>, <64 x 96 x bf16>, <128 x 96>
  // CHECK: sm.multiply_fragment %{{.*}}, %{{.*}}, %[[SOME]] shallow %{{.*}} to 32 where{{ ?}}[%{{.*}}, %{{.*}}] :
  %all = sm.multiply_fragment %rows, %b, %some shallow %last to 32 where [%first, %second] : <128 x 64>, <64 x 96 x bf16>, <128 x 96>
  return
}

// Once shared memory has been allocated, kept rows are a buffer with a stage for each piece.
// CHECK-LABEL: func.func @kept_in_a_buffer
func.func @kept_in_a_buffer(%kept: !sm.buffer<3 x 128 x 64 x bf16, swizzle 128>, %b: !sm.block<64 x 96 x bf16, swizzle 64>, %i: index,
                            %sum: !sm.accumulator<128 x 96>, %h: !sm.accumulator<128 x 64>, %narrow: !sm.accumulator<128 x 32>) {
  // CHECK: sm.multiply_held %{{.*}}[%{{.*}}], [%{{.*}}], %{{.*}} : !sm.buffer<3 x 128 x 64 x bf16, swizzle 128>, !sm.block<64 x 96 x bf16, swizzle 64>, <128 x 96>
  %next = sm.multiply_held %kept[%i], [%b], %sum : !sm.buffer<3 x 128 x 64 x bf16, swizzle 128>, !sm.block<64 x 96 x bf16, swizzle 64>, <128 x 96>
  // Stages of one panel have the rows of all warpgroups, even where sums are narrower than they are.
  // CHECK: sm.write %{{.*}} to %{{.*}}[%{{.*}}] : <128 x 64> to <3 x 128 x 64 x bf16, swizzle 128>
  sm.write %h to %kept[%i] : <128 x 64> to <3 x 128 x 64 x bf16, swizzle 128>
  // CHECK: sm.write %{{.*}} to %{{.*}}[%{{.*}}] : <128 x 32> to <3 x 128 x 64 x bf16, swizzle 128>
  sm.write %narrow to %kept[%i] : <128 x 32> to <3 x 128 x 64 x bf16, swizzle 128>
  return
}

// CHECK-LABEL: func.func @instructions
func.func @instructions(%rows: !sm.fragment<64 x 64>, %a: !sm.buffer<3 x 64 x 64 x bf16, swizzle 128>,
                        %b: !sm.buffer<4 x 64 x 128 x bf16, swizzle 128>, %i: index, %sum: !sm.accumulator<64 x 128>) {
  // CHECK: %[[FIRST:.*]] = sm.mma %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %{{.*}} overwrite : <3 x 64 x 64 x bf16, swizzle 128>, <4 x 64 x 128 x bf16, swizzle 128>, <64 x 128>
  %first = sm.mma %a[%i], %b[%i], %sum overwrite : <3 x 64 x 64 x bf16, swizzle 128>, <4 x 64 x 128 x bf16, swizzle 128>, <64 x 128>
  // CHECK: %[[LESS:.*]] = sm.mma %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %[[FIRST]] overwrite negate depth 32 :
  %less = sm.mma %a[%i], %b[%i], %first overwrite negate depth 32 : <3 x 64 x 64 x bf16, swizzle 128>, <4 x 64 x 128 x bf16, swizzle 128>, <64 x 128>
  // CHECK: %[[NEXT:.*]] = sm.mma_fragment %{{.*}}, %{{.*}}[%{{.*}}], %[[LESS]] : <64 x 64>, <4 x 64 x 128 x bf16, swizzle 128>, <64 x 128>
  %next = sm.mma_fragment %rows, %b[%i], %less : <64 x 64>, <4 x 64 x 128 x bf16, swizzle 128>, <64 x 128>
  // CHECK: sm.mma_fragment %{{.*}}, %{{.*}}[%{{.*}}], %[[NEXT]] depth 48 : <64 x 64>, <4 x 64 x 128 x bf16, swizzle 128>, <64 x 128>
  %last = sm.mma_fragment %rows, %b[%i], %next depth 48 : <64 x 64>, <4 x 64 x 128 x bf16, swizzle 128>, <64 x 128>
  return
}

// What remains of it behind the lowering to instructions.
// CHECK-LABEL: func.func @registers
func.func @registers(%sums: !llvm.struct<(f32, f32, f32, f32)>, %a: i32, %b: i64) -> !llvm.struct<(f32, f32, f32, f32)> {
  // CHECK: sm.wgmma_from_registers %{{.*}}, %[[A:.*]], %[[A]], %[[A]], %[[A]], %{{.*}} : !llvm.struct<(f32, f32, f32, f32)>
  %next = sm.wgmma_from_registers %sums, %a, %a, %a, %a, %b : !llvm.struct<(f32, f32, f32, f32)>
  return %next : !llvm.struct<(f32, f32, f32, f32)>
}

// The smallest fragment, of one warpgroup and one instruction.
// CHECK-LABEL: func.func private @smallest(!sm.fragment<64 x 16>)
func.func private @smallest(!sm.fragment<64 x 16>)

// Two blocks beside each other, of sums with the columns of both, and of two parts with two blocks each; then the sums of either.
// CHECK-LABEL: func.func @beside
func.func @beside(%rows: !sm.block<64 x 128 x bf16>, %more: !sm.block<128 x 128 x bf16>, %gate: !sm.block<32 x 64 x bf16>,
                  %up: !sm.block<32 x 64 x bf16>, %sum: !sm.accumulator<64 x 128>, %sums: !sm.accumulator<128 x 128>, %i: index) {
  // CHECK: %[[BOTH:.*]] = sm.multiply_held %{{.*}}[%{{.*}}], [%{{.*}}, %{{.*}}], %{{.*}} : !sm.block<64 x 128 x bf16>, !sm.block<32 x 64 x bf16>, <64 x 128>
  %both = sm.multiply_held %rows[%i], [%gate, %up], %sum : !sm.block<64 x 128 x bf16>, !sm.block<32 x 64 x bf16>, <64 x 128>
  // CHECK: sm.multiply_held %{{.*}}[%{{.*}}], [%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}], %{{.*}} : !sm.block<128 x 128 x bf16>, !sm.block<32 x 64 x bf16>, <128 x 128>
  %parts = sm.multiply_held %more[%i], [%gate, %up, %up, %gate], %sums : !sm.block<128 x 128 x bf16>, !sm.block<32 x 64 x bf16>, <128 x 128>
  // CHECK: sm.take_columns %[[BOTH]] from 0 : <64 x 128> to <64 x 64>
  %of_gate = sm.take_columns %both from 0 : <64 x 128> to <64 x 64>
  // CHECK: sm.take_columns %[[BOTH]] from 64 : <64 x 128> to <64 x 64>
  %of_up = sm.take_columns %both from 64 : <64 x 128> to <64 x 64>
  return
}

// The instruction: stages beside each other are alike and have one number.
// CHECK-LABEL: func.func @instruction_beside
func.func @instruction_beside(%a: !sm.buffer<2 x 64 x 32 x bf16, swizzle 64>, %gate: !sm.buffer<3 x 32 x 64 x bf16, swizzle 128>,
                              %up: !sm.buffer<3 x 32 x 64 x bf16, swizzle 128>, %sum: !sm.accumulator<64 x 128>, %i: index) {
  // CHECK: sm.mma %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}] beside %{{.*}}, %{{.*}} overwrite depth 16 : <2 x 64 x 32 x bf16, swizzle 64>, <3 x 32 x 64 x bf16, swizzle 128>, <64 x 128>, !sm.buffer<3 x 32 x 64 x bf16, swizzle 128>
  %next = sm.mma %a[%i], %gate[%i] beside %up, %sum overwrite depth 16 : <2 x 64 x 32 x bf16, swizzle 64>, <3 x 32 x 64 x bf16, swizzle 128>, <64 x 128>, !sm.buffer<3 x 32 x 64 x bf16, swizzle 128>
  return
}

// CHECK-LABEL: func.func @evicted
func.func @evicted(%w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2>, %i: index) {
  // CHECK: sm.fetch %{{.*}}[%{{.*}}] [{{.*}}] evict_first : <1 x 32 x 64 x bf16, row_dimension 2> -> <32 x 64 x bf16>
  %b = sm.fetch %w[%i] [%i, %i, %i, %i] evict_first : <1 x 32 x 64 x bf16, row_dimension 2> -> <32 x 64 x bf16>
  return
}
