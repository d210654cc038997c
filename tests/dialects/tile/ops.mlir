// RUN: alg-opt %s | alg-opt | FileCheck %s
// RUN: alg-opt %s --mlir-print-op-generic | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 16>, bank = #alg.groups<4 x 16>,
                       out = #alg.groups<4 x 24>, row_types = #alg.row_types<cyclic 4>>

// CHECK-LABEL: tile.kernel @copied
// CHECK-SAME: (%[[X:.*]]: !tile.matrix<?x64xbf16>, %[[W:.*]]: !tile.matrix<64x96xbf16>, %[[Y:.*]]: !tile.matrix<?x96xbf16>)
// CHECK-SAME: schedule = #tile.schedule<types = 2, rows = 16, register_rows = 8, register_columns = 32, lanes = 16, bank = copied>
tile.kernel @copied(%x: !tile.matrix<?x64xbf16>, %w: !tile.matrix<64x96xbf16>, %y: !tile.matrix<?x96xbf16>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 2, rows = 16, register_rows = 8,
                register_columns = 32, lanes = 16, bank = copied>} {
  // CHECK: tile.own (%[[I:.*]], %[[R:.*]], %{{.*}}) over [<types, 2>, <rows, 16>, <groups, 0>] {
  tile.own (%i, %r, %g) over [<types, 2>, <rows, 16>, <groups, 0>] {
    // CHECK: %[[XS:.*]] = tile.hold %[[X]][%[[I]], %[[R]]] : !tile.matrix<?x64xbf16> -> !tile.buffer<32x64xf32>
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x64xbf16> -> !tile.buffer<32x64xf32>
    // CHECK: %[[STAGE:.*]] = tile.buffer : !tile.buffer<64x32xbf16, panels 32 x 1>
    %stage = tile.buffer : !tile.buffer<64x32xbf16, panels 32 x 1>
    // CHECK: tile.walk (%[[J:.*]], %[[N:.*]]) over [<groups, 1>, <columns, 32>] {
    tile.walk (%j, %n) over [<groups, 1>, <columns, 32>] {
      // CHECK: tile.walk (%[[T:.*]]) over [<types, 1>] {
      tile.walk (%t) over [<types, 1>] {
        // CHECK: tile.terms (%{{.*}}, %[[B:.*]], %{{.*}}) of (%[[T]], %[[J]]) {
        tile.terms (%k, %b, %c) of (%t, %j) {
          // CHECK: tile.copy %[[W]][%[[B]], %[[J]], %[[N]]] to %[[STAGE]] once
          tile.copy %w[%b, %j, %n] to %stage once : !tile.matrix<64x96xbf16> to !tile.buffer<64x32xbf16, panels 32 x 1>
        }
        tile.walk (%s) over [<rows, 8>] {
          // CHECK: %[[ZERO:.*]] = tile.zero : !tile.fragment<8x32xf32>
          %zero = tile.zero : !tile.fragment<8x32xf32>
          // CHECK: tile.terms (%[[K:.*]], %[[B2:.*]], %[[C:.*]]) of (%[[T]], %[[J]]) carry(%[[ACC:.*]] = %[[ZERO]]) : !tile.fragment<8x32xf32> {
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<8x32xf32> {
            // CHECK: tile.mma %[[XS]][%[[T]], %[[K]], %{{.*}}], %[[STAGE]][%[[B2]], %[[J]], %[[N]]], %[[ACC]] scale %[[C]] signs
            %next = tile.mma %xs[%t, %k, %s], %stage[%b, %j, %n], %acc scale %c signs
                : !tile.buffer<32x64xf32>, !tile.buffer<64x32xbf16, panels 32 x 1>, !tile.fragment<8x32xf32>
            tile.yield %next : !tile.fragment<8x32xf32>
          }
          // CHECK: tile.map (%{{.*}} = %{{.*}} : !tile.fragment<8x32xf32>) -> !tile.fragment<8x32xbf16> {
          %half = tile.map (%v = %sum : !tile.fragment<8x32xf32>) -> !tile.fragment<8x32xbf16> {
            %h = arith.truncf %v : f32 to bf16
            tile.yield %h : bf16
          }
          // CHECK: %[[MASK:.*]] = tile.mask rows(%[[T]], %{{.*}}) columns(%[[J]], %[[N]]) : !tile.mask<8x32>
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<8x32>
          // CHECK: tile.store %{{.*}} to %[[Y]][%[[T]], %{{.*}}, %[[J]], %[[N]]] mask %[[MASK]]
          tile.store %half to %y[%t, %s, %j, %n] mask %mask
              : !tile.fragment<8x32xbf16>, !tile.matrix<?x96xbf16>, !tile.mask<8x32>
        }
      }
    }
  }
}

// CHECK-LABEL: tile.kernel @pack
tile.kernel @pack(%w: !tile.matrix<64x96xbf16>, %p: !tile.matrix<64x96xbf16, panels 32 x 2>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8,
                register_columns = 32, lanes = 16, bank = packed>} {
  // CHECK: tile.own (%{{.*}}) over [<bank_rows, 1>]
  tile.own (%b) over [<bank_rows, 1>] {
    tile.walk (%j, %n) over [<groups, 1>, <columns, 32>] {
      // CHECK: tile.copy {{.*}} : !tile.matrix<64x96xbf16> to !tile.matrix<64x96xbf16, panels 32 x 2>
      tile.copy %w[%b, %j, %n] to %p : !tile.matrix<64x96xbf16> to !tile.matrix<64x96xbf16, panels 32 x 2>
    }
  }
}
