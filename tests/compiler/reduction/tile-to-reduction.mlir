// Kernels of vector reductions as instructions: rows whose types come from positions, blocks of the weight matrix that they share, and
// the sums of all slices.
// RUN: alg-opt %s '-convert-tile-to-reduction=dependent=true' -canonicalize -cse | FileCheck %s
// RUN: alg-opt %s -convert-tile-to-reduction -canonicalize -cse | FileCheck %s --check-prefix=ALONE
// RUN: alg-opt %s -tile-to-reduction | FileCheck %s --check-prefix=NVVM

// Three maps, rows, offset, terms, positions with the bytes of one, and the numbers of columns that the map reads.
// CHECK: llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: llvm.func @forward(
// CHECK-SAME:    !llvm.ptr {llvm.align = 8 : i64, llvm.byval = !llvm.array<3 x struct<(ptr<1>, array<3 x i64>, array<4 x i32>, array<3 x ptr<1>>)>>, nvvm.grid_constant}, %{{.*}}: i32, %[[OFFSET:.*]]: i32, %{{.*}}: !llvm.ptr<1>, %[[POSITIONS:[a-z0-9]*]]: !llvm.ptr<1>, %[[BYTES:.*]]: i32, %{{.*}}: !llvm.ptr<1>)
// CHECK-SAME:    nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 64, 1, 1>
// CHECK-SAME:    sm.kernel = {boxes = {w = {columns = 16 : i64, rows = 256 : i64, swizzle = 0 : i64}, x = {columns = 256 : i64, rows = 2 : i64, swizzle = 0 : i64}, y = {columns = 16 : i64, rows = 2 : i64, swizzle = 0 : i64}}
// CHECK-SAME:    dependent_launch = true, groups = 3 : i64, listed = false, output = bf16, scaled = false, schedule = "reduce=32,rows=2,columns=16,vector=8", shared_bytes = 256 : i64, slices = 32 : i64, terms = false, threads = 64 : i64
// CHECK-SAME:    vector = 8 : i64

// The diagonal block, and where nobody reads positions the blocks of the rows' types, before the wait.
// CHECK:         nvvm.prefetch level = L2
// CHECK:         %[[COUNTED:.*]] = llvm.icmp "eq" %[[POSITIONS]], %{{.*}} : !llvm.ptr<1>
// CHECK:         scf.if %[[COUNTED]]
// CHECK:           nvvm.prefetch level = L2
// CHECK:           nvvm.prefetch level = L2
// CHECK-NOT:     llvm.load %{{.*}} {alignment = 16 : i64}
// CHECK:         nvvm.griddepcontrol wait
// CHECK-NEXT:    nvvm.griddepcontrol launch_dependents

// ALONE-LABEL: llvm.func @forward(
// ALONE-SAME:    dependent_launch = false
// ALONE-NOT:     nvvm.prefetch
// ALONE-NOT:     nvvm.griddepcontrol

// A persistent walk over parts. A position is read as int64 or as int32, and taken modulo the period; its quotient by the width
// is the type.
// CHECK:         scf.for
// CHECK:           arith.cmpi eq, %[[BYTES]], %{{.*}} : i32
// CHECK:             llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> i64
// CHECK:             %[[NARROW:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK-NEXT:        llvm.sext %[[NARROW]] : i32 to i64
// CHECK:           %[[LEFT:.*]] = llvm.srem %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:      %[[NEGATIVE:.*]] = llvm.icmp "slt" %[[LEFT]]
// CHECK-NEXT:      %[[BACK:.*]] = arith.addi %[[LEFT]]
// CHECK-NEXT:      %[[OF_PERIOD:.*]] = arith.select %[[NEGATIVE]], %[[BACK]], %[[LEFT]]
// CHECK-NEXT:      %[[NUMBER:.*]] = llvm.trunc %[[OF_PERIOD]] : i64 to i32
// CHECK-NEXT:      arith.divui %[[NUMBER]]

// One block of the weight matrix after the other. Where all rows take part it is read once: eight rows of it, then those of X. Nobody
// writes the weight matrix, so that its loads may move; those of X may not.
// CHECK:           scf.while
// CHECK:             scf.for
// CHECK-COUNT-8:       llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-COUNT-2:       llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-COUNT-128:     llvm.intr.fmuladd
// Otherwise each row that takes part goes through it alone.
// CHECK:             scf.for
// CHECK-COUNT-8:       llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-COUNT-1:       llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-COUNT-64:      llvm.intr.fmuladd
// CHECK:             scf.for
// CHECK-COUNT-64:      llvm.intr.fmuladd

// Two lanes stand side by side: slices of a warp meet in four rounds of shuffles for each of the sixteen sums, the two warps in
// shared memory.
// CHECK-COUNT-64:  nvvm.shfl.sync bfly
// CHECK-NOT:       nvvm.shfl.sync
// CHECK-COUNT-4:   llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK:           nvvm.barrier0
// CHECK:           %[[FIRST:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> f32
// CHECK:           %[[SECOND:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> f32
// CHECK:           %[[SUM:.*]] = llvm.fadd %[[FIRST]], %[[SECOND]]
// CHECK:           %[[BIASED:.*]] = arith.addf %[[SUM]]
// CHECK:           nvvm.convert.f32x2.to.bf16x2 %{{.*}}, %[[BIASED]]
// CHECK:           llvm.store %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<1>
// CHECK:           nvvm.barrier0

// Nothing but instructions is left of it.
// NVVM-LABEL: llvm.func @forward(
// NVVM-NOT:     {{(scf|arith|cf|tile)\.}}
#layout = #tile.layout<algebra = #alg.algebra<"Q(3)">, lift = rows, in = <3 x 16>, weights = <3 x 16>, out = <3 x 24>,
                       row_types = <interval 3 x 5>>
tile.kernel @forward(%x: !tile.matrix<?x48xbf16>, %w: !tile.matrix<48x72xbf16>, %bias: !tile.matrix<1x72xbf16>, %y: !tile.matrix<?x72xbf16>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 2, columns = 16, slices = 32, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<2x16xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x48xbf16>, !tile.matrix<48x72xbf16>, !tile.fragment<2x16xf32>
    %biased = tile.map (%m = %sum : !tile.fragment<2x16xf32>, %e = %bias[%j, %n] : !tile.matrix<1x72xbf16>) -> !tile.fragment<2x16xf32> {
      %wide = arith.extf %e : bf16 to f32
      %added = arith.addf %m, %wide : f32
      tile.yield %added : f32
    }
    %half = tile.map (%v = %biased : !tile.fragment<2x16xf32>) -> !tile.fragment<2x16xbf16> {
      %b = arith.truncf %v : f32 to bf16
      tile.yield %b : bf16
    }
    tile.store_rows %half to %y[%r, %j, %n] : !tile.fragment<2x16xbf16> to !tile.matrix<?x72xbf16>
  }
}
