// The pipeline to the LLVM dialect leaves nothing of any other one, and no conversion to or from bf16, for which machines
// without an instruction would call a library.
// RUN: alg-opt %s -convert-tile-to-cpu -vector-to-llvm | FileCheck %s
// RUN: alg-opt %s -convert-tile-to-cpu -canonicalize -cse -loop-invariant-code-motion -vector-to-llvm | FileCheck %s

// CHECK-NOT:   {{(scf|memref|vector|arith|index|cf|func|affine|ub)\.[a-z_]+[ (]}}
// CHECK-NOT:   unrealized_conversion_cast
// CHECK-NOT:   llvm.fptrunc
// CHECK:       llvm.func @half(
// CHECK-NOT:   {{(scf|memref|vector|arith|index|cf|func|affine|ub)\.[a-z_]+[ (]}}
// CHECK-NOT:   llvm.fptrunc
// CHECK:       llvm.intr.fmuladd
// CHECK-NOT:   {{(scf|memref|vector|arith|index|cf|func|affine|ub)\.[a-z_]+[ (]}}
// CHECK-NOT:   unrealized_conversion_cast
// CHECK-NOT:   llvm.fptrunc
// CHECK:       llvm.func @_mlir_ciface_half(
#layout = #tile.layout<algebra = #alg.algebra<"path(3)">, lift = rows, in = <[5, 8, 3]>, weights = <[5, 8, 3]>,
                       out = <[1, 20, 9]>, row_types = <explicit 3>>
tile.kernel @half(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x30xbf16, panels 16 x 1>, %y: !tile.matrix<?x30xbf16>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = packed>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x16xbf16> -> !tile.buffer<4x16xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc
                : !tile.buffer<4x16xf32>, !tile.matrix<16x30xbf16, panels 16 x 1>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %half = tile.map (%v = %sum : !tile.fragment<2x16xf32>) -> !tile.fragment<2x16xbf16> {
            %h = arith.truncf %v : f32 to bf16
            tile.yield %h : bf16
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %half to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xbf16>, !tile.matrix<?x30xbf16>, !tile.mask<2x16>
        }
      }
    }
  }
}
