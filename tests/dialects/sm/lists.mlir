// Maps that look up where groups and rows are, and the row list of such.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<[24, 40]>, weights = #alg.groups<[24, 40]>,
                       out = #alg.groups<[16, 64]>, row_types = #alg.row_types<explicit 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 3, warps = 2 x 2, vector = 8>

// Numbers of columns of unequal groups are one group.
// CHECK: sm.kernel @lists(%x: !sm.maps<1 x 64 x 32 x bf16, row_dimension 3, vector 8, unequal, listed>, %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, vector 8, unequal>, %y: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3, vector 2, unequal, listed>, %rows: index, %offset: index, %terms: !sm.terms_table, %operand: !sm.columns<1 x 80 x bf16>)
sm.kernel @lists(%x: !sm.maps<1 x 64 x 32 x bf16, row_dimension 3, listed, unequal, vector 8>,
                 %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, vector 8, unequal>,
                 %y: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3, vector 2, unequal, listed>, %rows: index,
                 %offset: index, %terms: !sm.terms_table, %operand: !sm.columns<1 x 80 x bf16>)
    attributes {layout = #layout, schedule = #schedule} {
  %i = arith.constant 0 : index
  // CHECK: sm.read_row_list %x[%{{.*}}] : <1 x 64 x 32 x bf16, row_dimension 3, vector 8, unequal, listed>
  %longest = sm.read_row_list %x[%i] : <1 x 64 x 32 x bf16, row_dimension 3, vector 8, unequal, listed>
}
