// The ops of the bank's gradient, and what they print as.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, bank = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, bank = direct>

// CHECK-LABEL: tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
// CHECK-SAME:  mode = j>
// CHECK-NEXT:  tile.own (%b, %f, %g, %n) over [<bank_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
// CHECK:         tile.walk (%n_0, %h) over [<columns, 16>, <features, 4>] {
// CHECK-NEXT:      %[[ZERO:.*]] = tile.zero
// CHECK-NEXT:      tile.keep %[[ZERO]] to %[[SUMS:.*]][%h, %n_0] : <4x16xf32> to <8x32xf32>
// CHECK:         tile.bank_terms (%t, %k, %o, %c) of (%b, %g) {
// CHECK-NEXT:      tile.walk (%s) over [<rows, 32>] {
// CHECK-NEXT:        tile.bring %x[%t, %k, %s, %f] along <features> to %[[XS:.*]] scale %c : <?x16xf32> to <32x8xf32, panels 4 x 1>
// CHECK-NEXT:        tile.walk (%n_0) over [<columns, 16>] {
// CHECK-NEXT:          tile.bring %dy[%t, %o, %s, %n_0] along <columns> to %[[DYS:.*]] : <?x48xf32> to <32x16xf32, panels 16 x 1>
// CHECK-NEXT:          tile.walk (%h) over [<features, 4>] {
// CHECK-NEXT:            %[[SUM:.*]] = tile.load %[[SUMS]][%h, %n_0] : <8x32xf32> -> <4x16xf32>
// CHECK-NEXT:            %[[NEXT:.*]] = tile.outer %[[XS]][%h], %[[DYS]][%n_0] rows(%t, %s), %[[SUM]] : <32x8xf32, panels 4 x 1>, <32x16xf32, panels 16 x 1>, <4x16xf32>
// CHECK-NEXT:            tile.keep %[[NEXT]] to %[[SUMS]][%h, %n_0]
// CHECK:         tile.store_bank %{{.*}} to %dw[%b, %h, %g, %n_0] : <4x16xf32> to <16x48xf32>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.own (%b, %f, %j, %n) over [<bank_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %sums = tile.buffer : !tile.buffer<8x32xf32>
    %xs = tile.buffer : !tile.buffer<32x8xf32, panels 4 x 1>
    %dys = tile.buffer : !tile.buffer<32x16xf32, panels 16 x 1>
    tile.walk (%m, %h) over [<columns, 16>, <features, 4>] {
      %zero = tile.zero : !tile.fragment<4x16xf32>
      tile.keep %zero to %sums[%h, %m] : !tile.fragment<4x16xf32> to !tile.buffer<8x32xf32>
    }
    tile.bank_terms (%t, %k, %o, %c) of (%b, %j) {
      tile.walk (%s) over [<rows, 32>] {
        tile.bring %x[%t, %k, %s, %f] along <features> to %xs scale %c : !tile.matrix<?x16xf32> to !tile.buffer<32x8xf32, panels 4 x 1>
        tile.walk (%m) over [<columns, 16>] {
          tile.bring %dy[%t, %o, %s, %m] along <columns> to %dys : !tile.matrix<?x48xf32> to !tile.buffer<32x16xf32, panels 16 x 1>
          tile.walk (%h) over [<features, 4>] {
            %sum = tile.load %sums[%h, %m] : !tile.buffer<8x32xf32> -> !tile.fragment<4x16xf32>
            %next = tile.outer %xs[%h], %dys[%m] rows(%t, %s), %sum : !tile.buffer<32x8xf32, panels 4 x 1>, !tile.buffer<32x16xf32, panels 16 x 1>, !tile.fragment<4x16xf32>
            tile.keep %next to %sums[%h, %m] : !tile.fragment<4x16xf32> to !tile.buffer<8x32xf32>
          }
        }
      }
    }
    tile.walk (%m, %h) over [<columns, 16>, <features, 4>] {
      %sum = tile.load %sums[%h, %m] : !tile.buffer<8x32xf32> -> !tile.fragment<4x16xf32>
      tile.store_bank %sum to %dw[%b, %h, %j, %m] : !tile.fragment<4x16xf32> to !tile.matrix<16x48xf32>
    }
  }
}
