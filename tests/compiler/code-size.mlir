// Neither code nor data of a complete graph's kernels grow with the number of types: 8 and 256 types of the same widths
// under the same schedule take the same number of lines.
// RUN: alg-opt %s -convert-tile-to-cpu -canonicalize -cse > %t.8
// RUN: sed -e 's/Q(8)/Q(256)/; s/<8 x /<256 x /g; s/cyclic 8/cyclic 256/; s/x128x/x4096x/g; s/<128x/<4096x/g; s/x384x/x12288x/g' %s > %t.mlir
// RUN: alg-opt %t.mlir -convert-tile-to-cpu -canonicalize -cse > %t.256
// RUN: FileCheck %s --check-prefix=SMALL --input-file %t.8
// RUN: FileCheck %s --check-prefix=LARGE --input-file %t.256
// RUN: wc -l < %t.8 > %t.lines
// RUN: wc -l < %t.256 | diff %t.lines -

// SMALL: algebra<"Q(8)"
// SMALL-NOT: memref.global
// SMALL: in = <8 x 16>
// LARGE: algebra<"Q(256)"
// LARGE-NOT: memref.global
// LARGE: in = <256 x 16>

#layout = #tile.layout<algebra = #alg.algebra<"Q(8)">, lift = rows, in = <8 x 16>, weights = <8 x 16>, out = <8 x 48>,
                       row_types = <cyclic 8>>
tile.kernel @forward(%x: !tile.matrix<?x128xf32>, %w: !tile.matrix<128x384xf32>, %y: !tile.matrix<?x384xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 2, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = copied>} {
  tile.forall (%i, %r, %g) over [<types, 2>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x128xf32> -> !tile.buffer<8x128xf32>
    %stage = tile.buffer : !tile.buffer<128x16xf32, panels 16 x 1>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.terms (%k, %b, %c) of (%t, %j) {
          tile.copy %w[%b, %j, %n] to %stage once : !tile.matrix<128x384xf32> to !tile.buffer<128x16xf32, panels 16 x 1>
        }
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %stage[%b, %j, %n], %acc
                : !tile.buffer<8x128xf32>, !tile.buffer<128x16xf32, panels 16 x 1>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x384xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}
