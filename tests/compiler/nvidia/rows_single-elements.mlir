// A kernel of vector reductions that reads single elements, for operands at any address: nothing of it is aligned to more than
// an element. Twelve rows of a block are one piece of eight and the half of another.
// RUN: alg-opt %s -convert-tile-to-sm -sm-to-nvvm | FileCheck %s

// CHECK-LABEL: llvm.func @forward(
// CHECK-SAME:    schedule = "reduce=32,rows=1,columns=1,vector=1"
// CHECK-SAME:    vector = 1 : i64
// Of every piece there are four rows; behind them it is asked, and read again what counts for nothing.
// CHECK-COUNT-4:     llvm.load %{{.*}} invariant {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK:             %[[THERE:.*]] = llvm.icmp "ult" %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:        llvm.select %[[THERE]]
// CHECK-COUNT-4:     llvm.load %{{.*}} invariant {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK-COUNT-4:     llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, i16
// CHECK-COUNT-8:     llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK-COUNT-4:     llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, i16
// CHECK-COUNT-8:     llvm.intr.fmuladd
// CHECK-NOT:         llvm.intr.fmuladd
// One lane: slices of a warp meet in five rounds.
// CHECK-COUNT-5:   nvvm.shfl.sync bfly
// CHECK-NOT:       nvvm.shfl.sync
// CHECK:           llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 12>, weights = <2 x 12>, out = <2 x 3>,
                       row_types = <cyclic 2>>
tile.kernel @forward(%x: !tile.matrix<?x24xbf16>, %w: !tile.matrix<24x6xbf16>, %y: !tile.matrix<?x6xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 1, columns = 1, slices = 32, vector = 1>} {
  tile.forall (%r, %j, %n) over [<batch, 1>, <groups, 1>, <columns, 1>] {
    %zero = tile.zero : !tile.fragment<1x1xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x24xbf16>, !tile.matrix<24x6xbf16>, !tile.fragment<1x1xf32>
    tile.store_rows %sum to %y[%r, %j, %n] : !tile.fragment<1x1xf32> to !tile.matrix<?x6xf32>
  }
}
