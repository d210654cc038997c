// Copies run ahead of the products, through a ring of slots.
// RUN: alg-opt %s -split-input-file -sm-pipeline-copies -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 3, warps = 1 x 1, vector = 8>
// CHECK-LABEL: sm.kernel @steps(
sm.kernel @steps(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
                 %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8>,
                 %y: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  // CHECK: %[[A:.*]] = sm.allocate : <3 x 16 x 32 x bf16, swizzle 64>
  // CHECK: %[[B:.*]] = sm.allocate : <3 x 32 x 16 x bf16, swizzle 32>
  // CHECK: %[[ZERO:.*]] = sm.zero
  %zero = sm.zero : <16 x 16, warps 1 x 1>

  // The slots of the tile before are free, and two steps are under way before the first product.
  // CHECK: sm.block_sync
  // CHECK-NEXT: scf.for %[[FIRST:.*]] = %c0 to %c2 step %c1 {
  // CHECK-NEXT: %[[EXISTS:.*]] = arith.cmpi slt, %[[FIRST]], %rows
  // CHECK-NEXT: scf.if %[[EXISTS]] {
  // CHECK-NEXT: %[[K:.*]] = arith.muli %[[FIRST]], %c32
  // CHECK-NEXT: sm.copy %x[%c0] [%[[K]], %c0, %c0, %c0] to %[[A]][%[[FIRST]]]
  // CHECK-NEXT: sm.copy %w[%c0] [%c0, %c0, %[[K]], %c0] to %[[B]][%[[FIRST]]]
  // CHECK-NEXT: }
  // CHECK-NEXT: sm.copy_commit
  // CHECK-NEXT: }

  // Each step waits for its own group, of which one more is under way, and copies into the stage of the step before.
  // CHECK-NEXT: %[[TOTAL:.*]]:2 = scf.for %[[STEP:.*]] = %c0 to %rows step %c1 iter_args(%[[SUM:.*]] = %[[ZERO]], %[[SLOT:.*]] = %c0)
  // CHECK-NEXT: sm.copy_wait 1
  // CHECK-NEXT: sm.block_sync
  // CHECK-NEXT: %[[AHEAD:.*]] = arith.addi %[[STEP]], %c2
  // CHECK-NEXT: %[[WRAPS:.*]] = arith.cmpi eq, %[[SLOT]], %c0
  // CHECK-NEXT: %[[DOWN:.*]] = arith.addi %[[SLOT]], %c-1
  // CHECK-NEXT: %[[BEFORE:.*]] = arith.select %[[WRAPS]], %c2, %[[DOWN]]
  // CHECK-NEXT: %[[COMES:.*]] = arith.cmpi slt, %[[AHEAD]], %rows
  // CHECK-NEXT: scf.if %[[COMES]] {
  // CHECK-NEXT: %[[K_AHEAD:.*]] = arith.muli %[[AHEAD]], %c32
  // CHECK-NEXT: sm.copy %x[%c0] [%[[K_AHEAD]], %c0, %c0, %c0] to %[[A]][%[[BEFORE]]]
  // CHECK-NEXT: sm.copy %w[%c0] [%c0, %c0, %[[K_AHEAD]], %c0] to %[[B]][%[[BEFORE]]]
  // CHECK-NEXT: }
  // CHECK-NEXT: sm.copy_commit

  // The sign is that of the step itself.
  // CHECK-NEXT: %[[WORD:.*]] = sm.read_terms %terms[%[[STEP]]]
  // CHECK-NEXT: %[[MINUS:.*]] = arith.trunci %[[WORD]]
  // CHECK-NEXT: %[[NEXT:.*]] = sm.mma %[[A]][%[[SLOT]]], %[[B]][%[[SLOT]]], %[[SUM]] negate_if %[[MINUS]]
  // CHECK-NEXT: %[[UP:.*]] = arith.addi %[[SLOT]], %c1
  // CHECK-NEXT: %[[END:.*]] = arith.cmpi eq, %[[UP]], %c3
  // CHECK-NEXT: %[[NEXT_SLOT:.*]] = arith.select %[[END]], %c0, %[[UP]]
  // CHECK-NEXT: scf.yield %[[NEXT]], %[[NEXT_SLOT]]
  %total = scf.for %step = %c0 to %rows step %c1 iter_args(%sum = %zero) -> !sm.accumulator<16 x 16, warps 1 x 1> {
    %k = arith.muli %step, %c32 : index
    %word = sm.read_terms %terms[%step]
    %minus = arith.trunci %word : i32 to i1
    %a = sm.fetch %x[%c0] [%k, %c0, %c0, %c0] : <2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8> -> <16 x 32 x bf16, swizzle 64>
    %b = sm.fetch %w[%c0] [%c0, %c0, %k, %c0] : <1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8> -> <32 x 16 x bf16, swizzle 32>
    %next = sm.multiply %a, %b, %sum negate %minus : <16 x 32 x bf16, swizzle 64>, <32 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
    scf.yield %next : !sm.accumulator<16 x 16, warps 1 x 1>
  }
  // CHECK: sm.store_sums %[[TOTAL]]#0
  sm.store_sums %total to %y[%c0] [%c0, %c0, %c0, %c0] : <16 x 16, warps 1 x 1> to <2 x 16 x 16 x bf16, row_dimension 3, vector 2>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 3, warps = 1 x 1, vector = 8>
sm.kernel @once(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
                %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8>,
                %y: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
                %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  // One step, no loop: a slot is enough.
  // CHECK-LABEL: sm.kernel @once(
  // CHECK: sm.allocate : <1 x 16 x 32 x bf16, swizzle 64>
  // CHECK: sm.allocate : <1 x 32 x 16 x bf16, swizzle 32>
  // CHECK: scf.for
  scf.for %tile = %c0 to %rows step %c1 {
    %k = arith.constant 0 : index
    %zero = sm.zero : <16 x 16, warps 1 x 1>
    // CHECK: sm.block_sync
    // CHECK-NEXT: sm.copy %x
    // CHECK-NEXT: sm.copy %w
    // CHECK-NEXT: sm.copy_commit
    // CHECK-NEXT: sm.copy_wait 0
    // CHECK-NEXT: sm.block_sync
    // CHECK-NEXT: sm.mma
    // CHECK-NEXT: sm.store_sums
    %a = sm.fetch %x[%c0] [%k, %c0, %c0, %c0] : <2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8> -> <16 x 32 x bf16, swizzle 64>
    %b = sm.fetch %w[%c0] [%c0, %c0, %k, %c0] : <1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8> -> <32 x 16 x bf16, swizzle 32>
    %total = sm.multiply %a, %b, %zero : <16 x 32 x bf16, swizzle 64>, <32 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
    sm.store_sums %total to %y[%c0] [%c0, %c0, %c0, %c0] : <16 x 16, warps 1 x 1> to <2 x 16 x 16 x bf16, row_dimension 3, vector 2>
  }
}

// -----

// A ring of two slots: nothing may be under way but the step's own group. Without stages in the schedule, four.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 2, warps = 1 x 1, vector = 8>
sm.kernel @two(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
               %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8>,
               %y: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
               %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  // CHECK-LABEL: sm.kernel @two(
  // CHECK: sm.allocate : <2 x 16 x 32 x bf16, swizzle 64>
  // CHECK: sm.copy_wait 0
  %zero = sm.zero : <16 x 16, warps 1 x 1>
  %total = scf.for %k = %c0 to %rows step %c1 iter_args(%sum = %zero) -> !sm.accumulator<16 x 16, warps 1 x 1> {
    %a = sm.fetch %x[%c0] [%k, %c0, %c0, %c0] : <2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8> -> <16 x 32 x bf16, swizzle 64>
    %b = sm.fetch %w[%c0] [%c0, %c0, %k, %c0] : <1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8> -> <32 x 16 x bf16, swizzle 32>
    %next = sm.multiply %a, %b, %sum : <16 x 32 x bf16, swizzle 64>, <32 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
    scf.yield %next : !sm.accumulator<16 x 16, warps 1 x 1>
  }
  sm.store_sums %total to %y[%c0] [%c0, %c0, %c0, %c0] : <16 x 16, warps 1 x 1> to <2 x 16 x 16 x bf16, row_dimension 3, vector 2>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 0, warps = 1 x 1, vector = 8>
sm.kernel @usual(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
                 %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8>,
                 %y: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  // CHECK-LABEL: sm.kernel @usual(
  // CHECK: sm.allocate : <4 x 16 x 32 x bf16, swizzle 64>
  // CHECK: sm.copy_wait 2
  %zero = sm.zero : <16 x 16, warps 1 x 1>
  %total = scf.for %k = %c0 to %rows step %c1 iter_args(%sum = %zero) -> !sm.accumulator<16 x 16, warps 1 x 1> {
    %a = sm.fetch %x[%c0] [%k, %c0, %c0, %c0] : <2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8> -> <16 x 32 x bf16, swizzle 64>
    %b = sm.fetch %w[%c0] [%c0, %c0, %k, %c0] : <1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8> -> <32 x 16 x bf16, swizzle 32>
    %next = sm.multiply %a, %b, %sum : <16 x 32 x bf16, swizzle 64>, <32 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
    scf.yield %next : !sm.accumulator<16 x 16, warps 1 x 1>
  }
  sm.store_sums %total to %y[%c0] [%c0, %c0, %c0, %c0] : <16 x 16, warps 1 x 1> to <2 x 16 x 16 x bf16, row_dimension 3, vector 2>
}

// -----

// Slots of a transposed weight matrix are as many columns high as the tile has, and fit as well as others.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 48>,
                       row_types = <cyclic 2>, mode = i>
#schedule = #tile.staged<types = 1, rows = 16, columns = 48, depth = 32, stages = 3, warps = 1 x 1, vector = 8>
// CHECK-LABEL: sm.kernel @transposed(
sm.kernel @transposed(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
                      %w: !sm.maps<1 x 48 x 32 x bf16, row_dimension 2, swizzle 64, vector 8>,
                      %y: !sm.maps<2 x 16 x 48 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
                      %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: sm.allocate : <3 x 16 x 32 x bf16, swizzle 64>
  // CHECK: %[[B:.*]] = sm.allocate : <3 x 48 x 32 x bf16, swizzle 64>
  %zero = sm.zero : <16 x 48, warps 1 x 1>
  // CHECK: sm.mma %{{.*}}, %[[B]][%{{.*}}] transposed, %{{.*}} :
  %total = scf.for %step = %c0 to %rows step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<16 x 48, warps 1 x 1>) {
    %a = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8> -> <16 x 32 x bf16, swizzle 64>
    %b = sm.fetch %w[%c0] [%c0, %step, %c0, %c0] : <1 x 48 x 32 x bf16, row_dimension 2, swizzle 64, vector 8> -> <48 x 32 x bf16, swizzle 64>
    %next = sm.multiply %a, %b transposed, %sum : <16 x 32 x bf16, swizzle 64>, <48 x 32 x bf16, swizzle 64>, <16 x 48, warps 1 x 1>
    scf.yield %next : !sm.accumulator<16 x 48, warps 1 x 1>
  }
  sm.store_sums %total to %y[%c0] [%c0, %c0, %c0, %c0] : <16 x 48, warps 1 x 1> to <2 x 16 x 48 x bf16, row_dimension 3, vector 2>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 3, warps = 1 x 1, vector = 8>

// The blocks of several products of the same rows are one group of copies.
// CHECK-LABEL: sm.kernel @products(
// CHECK:         %[[A:.*]] = sm.allocate : <3 x 16 x 32 x bf16, swizzle 64>
// CHECK:         %[[B:.*]] = sm.allocate : <3 x 32 x 16 x bf16, swizzle 32>
// CHECK:         %[[C:.*]] = sm.allocate : <3 x 32 x 16 x bf16, swizzle 32>
// CHECK:         scf.if
// CHECK:           sm.copy %x[{{.*}} to %[[A]]
// CHECK-NEXT:      sm.copy %w[{{.*}} to %[[B]]
// CHECK-NEXT:      sm.copy %{{.*}}[{{.*}} to %[[C]]
// CHECK-NEXT:    }
// CHECK-NEXT:    sm.copy_commit
// CHECK:         scf.for {{.*}} iter_args(%[[GATE:.*]] = %{{.*}}, %[[UP:.*]] = %{{.*}}, %[[SLOT:.*]] = %c0)
// CHECK:           %[[NEXT:.*]] = sm.mma %[[A]][%[[SLOT]]], %[[B]][%[[SLOT]]], %[[GATE]]
// CHECK-NEXT:      %[[OTHER:.*]] = sm.mma %[[A]][%[[SLOT]]], %[[C]][%[[SLOT]]], %[[UP]]
// CHECK:           scf.yield %[[NEXT]], %[[OTHER]], %{{.*}}
sm.kernel @products(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
                    %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8>,
                    %y: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
                    %terms: !sm.terms_table, %w2: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8>)
    attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = sm.zero : <16 x 16, warps 1 x 1>
  %total:2 = scf.for %k = %c0 to %rows step %c1 iter_args(%gate = %zero, %up = %zero) -> (!sm.accumulator<16 x 16, warps 1 x 1>, !sm.accumulator<16 x 16, warps 1 x 1>) {
    %a = sm.fetch %x[%c0] [%k, %c0, %c0, %c0] : <2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8> -> <16 x 32 x bf16, swizzle 64>
    %b = sm.fetch %w[%c0] [%c0, %c0, %k, %c0] : <1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8> -> <32 x 16 x bf16, swizzle 32>
    %c = sm.fetch %w2[%c0] [%c0, %c0, %k, %c0] : <1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8> -> <32 x 16 x bf16, swizzle 32>
    %next = sm.multiply %a, %b, %gate : <16 x 32 x bf16, swizzle 64>, <32 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
    %other = sm.multiply %a, %c, %up : <16 x 32 x bf16, swizzle 64>, <32 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
    scf.yield %next, %other : !sm.accumulator<16 x 16, warps 1 x 1>, !sm.accumulator<16 x 16, warps 1 x 1>
  }
  sm.store_sums %total#1 to %y[%c0] [%c0, %c0, %c0, %c0] : <16 x 16, warps 1 x 1> to <2 x 16 x 16 x bf16, row_dimension 3, vector 2>
  sm.store_sums %total#0 to %y[%c0] [%c0, %c0, %c0, %c0] : <16 x 16, warps 1 x 1> to <2 x 16 x 16 x bf16, row_dimension 3, vector 2>
}
