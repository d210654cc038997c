// Blocks of operands that lists describe: rows wherever the row list says, groups from one start to the next.
// RUN: alg-opt %s -split-input-file -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<[24, 40]>, weights = #alg.groups<[24, 40]>,
                       out = #alg.groups<[16, 64]>, row_types = #alg.row_types<explicit 2>>
#schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 16, stages = 2, warps = 1 x 1, vector = 8>

// CHECK-LABEL: llvm.func @lists(
// CHECK-SAME:  listed = true
// A word of it, by the first map of X.
// CHECK: %[[LIST_OF_X_AT:.*]] = llvm.getelementptr %[[MAPS:.*]][0, 3, 2]
// CHECK: %[[LIST_OF_X:.*]] = llvm.load %[[LIST_OF_X_AT]] invariant {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr<1>
// CHECK: %[[WORD_AT:.*]] = llvm.getelementptr %[[LIST_OF_X]]
// CHECK: llvm.load %[[WORD_AT]] {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK: %[[MAP:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.struct
// The group: its start in the list that is the first of the map's three, and its end behind that.
// CHECK: %[[GROUPS_AT:.*]] = llvm.getelementptr %[[MAP]][0, 3, 0]
// CHECK: %[[GROUPS:.*]] = llvm.load %[[GROUPS_AT]] invariant {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr<1>
// CHECK: %[[START_AT:.*]] = llvm.getelementptr %[[GROUPS]]
// CHECK: %[[START:.*]] = llvm.load %[[START_AT]] invariant {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK: %[[END:.*]] = llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK: %[[WIDTH:.*]] = llvm.sub %[[END]], %[[START]] : i32
// The row list, the third of them; what is no type stands for all.
// CHECK: %[[LIST_AT:.*]] = llvm.getelementptr %[[MAP]][0, 3, 2]
// CHECK: %[[LIST:.*]] = llvm.load %[[LIST_AT]] invariant {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr<1>
// CHECK: %[[IS_TYPE:.*]] = llvm.icmp "ult" %{{.*}}, %[[TYPES:.*]] : i32
// CHECK: llvm.select %[[IS_TYPE]]
// CHECK: %[[BEGIN:.*]] = llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK: llvm.select %[[IS_TYPE]]
// CHECK: %[[LAST:.*]] = llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK: %[[ROWS:.*]] = llvm.sub %[[LAST]], %[[BEGIN]] : i32
// A row that is there is looked up, any word otherwise.
// CHECK: %[[HAS_ROW:.*]] = llvm.and
// CHECK: %[[ENTRY:.*]] = llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, i32
// CHECK: %[[NUMBER:.*]] = llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK: nvvm.cp.async.shared.global
sm.kernel @lists(%x: !sm.maps<1 x 16 x 16 x bf16, row_dimension 3, swizzle 32, vector 8, unequal, listed>,
                 %w: !sm.maps<1 x 16 x 16 x bf16, row_dimension 2, swizzle 32, vector 8, unequal>,
                 %y: !sm.maps<1 x 16 x 16 x bf16, row_dimension 3, vector 8, unequal, listed>, %rows: index,
                 %offset: index, %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %i = sm.block_index
  %word = sm.read_row_list %x[%i] : <1 x 16 x 16 x bf16, row_dimension 3, swizzle 32, vector 8, unequal, listed>
  %row = arith.index_cast %word : i32 to index
  %a = sm.allocate : <2 x 16 x 16 x bf16, swizzle 32>
  %b = sm.allocate : <2 x 16 x 16 x bf16, swizzle 32>
  sm.copy %x[%i] [%i, %i, %i, %i] to %a[%i]
      : <1 x 16 x 16 x bf16, row_dimension 3, swizzle 32, vector 8, unequal, listed> to <2 x 16 x 16 x bf16, swizzle 32>
  // The row group of the weight matrix: where it begins is a row.
  // CHECK: llvm.getelementptr %{{.*}}[0, 3, 1]
  sm.copy %w[%i] [%i, %i, %i, %i] to %b[%i]
      : <1 x 16 x 16 x bf16, row_dimension 2, swizzle 32, vector 8, unequal> to <2 x 16 x 16 x bf16, swizzle 32>
  sm.copy_commit
  sm.copy_wait 0
  sm.block_sync
  %zero = sm.zero : <16 x 16, warps 1 x 1>
  %sum = sm.mma %a[%i], %b[%i], %zero : <2 x 16 x 16 x bf16, swizzle 32>, <2 x 16 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
  // Each row is looked up, any word where it is not there: its lanes exchange words with others.
  // CHECK: nvvm.mma.sync
  // CHECK-COUNT-2: llvm.select
  // CHECK: llvm.select %[[STORES:.*]], %{{.*}}, %{{.*}} : i1, i32
  // CHECK: llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<1> -> i32
  // CHECK: nvvm.shfl.sync bfly
  // CHECK: %[[BOTH:.*]] = llvm.and %[[STORES]], %{{.*}} : i1
  // CHECK: llvm.cond_br %[[BOTH]]
  // CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
  sm.store_sums %sum to %y[%i] [%i, %i, %i, %row] : <16 x 16, warps 1 x 1> to <1 x 16 x 16 x bf16, row_dimension 3, vector 8, unequal, listed>
}
