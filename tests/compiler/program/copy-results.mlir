// Results that are one value become tensors of their own.
// RUN: alg-opt %s --alg-copy-results --canonicalize --cse --mlir-print-local-scope | FileCheck %s

!x = !alg.slots<?x8xf32, rows(interval 2 x 3), cols(2 x 4)>

// The first result keeps what it was, the others pass on its elements; canonicalization leaves them.
// CHECK-LABEL: func.func @twice(
// CHECK:         %[[SUMS:.*]] = alg.map
// CHECK:         arith.addf
// CHECK:         %[[FIRST:.*]] = alg.gather %[[SUMS]]
// CHECK:         %[[COPY:.*]] = alg.map %[[SUMS]]
// CHECK-NEXT:    ^bb0(%[[ELEMENT:.*]]: f32):
// CHECK-NEXT:      alg.yield %[[ELEMENT]] : f32
// CHECK:         %[[SECOND:.*]] = alg.gather %[[COPY]]
// CHECK:         return %[[FIRST]], %[[SECOND]]
func.func @twice(%x: tensor<?x8xf32>, %z: tensor<?x8xf32>, %p0: index) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %xs = alg.slots %x rows(interval 2 x 3, %p0) cols(2 x 4) : tensor<?x8xf32>
  %zs = alg.slots %z rows(interval 2 x 3, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ys = alg.map %xs, %zs : (!x, !x) -> !x {
  ^bb0(%a: f32, %b: f32):
    %both = arith.addf %a, %b : f32
    alg.yield %both : f32
  }
  %y = alg.gather %ys : !x
  return %y, %y : tensor<?x8xf32>, tensor<?x8xf32>
}

// A reduction is made once more, and stays so where equal operations are merged.
// CHECK-LABEL: func.func @sums(
// CHECK:         %[[FIRST:.*]] = alg.reduce sum %[[XS:.*]] over rows
// CHECK:         %[[SECOND:.*]] = alg.reduce sum %[[XS]] over rows {copy = 1 : i64}
// CHECK:         return %[[FIRST]], %[[SECOND]]
func.func @sums(%x: tensor<?x8xf32>, %p0: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %xs = alg.slots %x rows(interval 2 x 3, %p0) cols(2 x 4) : tensor<?x8xf32>
  %s = alg.reduce sum %xs over rows : !x -> tensor<8xf32>
  return %s, %s : tensor<8xf32>, tensor<8xf32>
}

// Arithmetic of a reduction, too.
// CHECK-LABEL: func.func @scales(
// CHECK:         %[[FIRST:.*]] = math.rsqrt %[[SUM:.*]] : tensor<?xf32>
// CHECK:         %[[SECOND:.*]] = math.rsqrt %[[SUM]] {copy = 1 : i64} : tensor<?xf32>
// CHECK:         return %[[FIRST]], %[[SECOND]]
func.func @scales(%x: tensor<?x8xf32>, %p0: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %xs = alg.slots %x rows(interval 2 x 3, %p0) cols(2 x 4) : tensor<?x8xf32>
  %s = alg.reduce sum %xs over columns : !x -> tensor<?xf32>
  %r = math.rsqrt %s : tensor<?xf32>
  return %r, %r : tensor<?xf32>, tensor<?xf32>
}

// A copy of an argument stays where it is returned, and is its argument where it is read.
// CHECK-LABEL: func.func @argument(
// CHECK-SAME:      %[[X:[^:]*]]: tensor<?x8xf32>
// CHECK:         %[[XS:.*]] = alg.slots %[[X]]
// CHECK:         %[[COPY:.*]] = alg.map %[[XS]]
// CHECK:         %[[RESULT:.*]] = alg.gather %[[COPY]]
// CHECK-NOT:     alg.map
// CHECK:         return %[[RESULT]]
func.func @argument(%x: tensor<?x8xf32>, %p0: index) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(interval 2 x 3, %p0) cols(2 x 4) : tensor<?x8xf32>
  %as = alg.map %xs : !x {
  ^bb0(%a: f32):
    alg.yield %a : f32
  }
  %bs = alg.map %as : !x {
  ^bb0(%b: f32):
    alg.yield %b : f32
  }
  %y = alg.gather %bs : !x
  return %y : tensor<?x8xf32>
}
