// Products by the matrix unit of AMX.
// RUN: alg-opt %s -convert-tile-to-cpu -canonicalize -cse | FileCheck %s

// CHECK: memref.global "private" constant @amx_configuration : memref<64xi8>

// Stationary rows: 32 rows of two groups of 40 features, filled up to 64, and for the two sums 32 x 16 f32 each.
// CHECK-LABEL: func.func @network_gate(
// CHECK-SAME:  tile.scratch_bytes = 12288 : i64
// CHECK-DAG:   %[[ROWS_ONE:.*]] = llvm.mlir.constant(4 : i8) : i8
// CHECK-DAG:   %[[ROWS_TWO:.*]] = llvm.mlir.constant(5 : i8) : i8
// CHECK-DAG:   %[[PANEL_ONE:.*]] = llvm.mlir.constant(6 : i8) : i8
// CHECK-DAG:   %[[PANEL_TWO:.*]] = llvm.mlir.constant(7 : i8) : i8
// CHECK:       llvm.call_intrinsic "llvm.x86.ldtilecfg"
// What fills up a group of rows is zero before the group is copied over a part of it.
// CHECK:       %[[HELD:.*]] = memref.view %arg1[%c0][] : memref<?xi8> to memref<4096xi16>
// CHECK:       vector.store %{{.*}}, %[[HELD]][{{.*}}] : memref<4096xi16>, vector<32xi16>
// Both products begin at zero, before the first term: four registers.
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK-NOT:   llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK:       scf.for %{{.*}} = %c0 to %c64 step %c32 {
// The rows once for both.
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"(%[[ROWS_ONE]],
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"(%[[ROWS_TWO]],
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"(%[[PANEL_ONE]],
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%{{.*}}, %[[ROWS_ONE]], %[[PANEL_ONE]])
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%{{.*}}, %[[ROWS_TWO]], %[[PANEL_ONE]])
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"(%[[PANEL_TWO]],
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%{{.*}}, %[[ROWS_ONE]], %[[PANEL_TWO]])
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%{{.*}}, %[[ROWS_TWO]], %[[PANEL_TWO]])
// A step reads 16 lines of a panel, and asks for as many of the next panel of each weight matrix.
// CHECK-COUNT-32: memref.prefetch
// CHECK-NOT:     memref.prefetch
// CHECK:       %[[SUMS:.*]] = memref.view %arg1[{{.*}}] : memref<?xi8> to memref<512xf32>
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK:       %[[MORE:.*]] = memref.view %arg1[{{.*}}] : memref<?xi8> to memref<512xf32>
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tilestored64"
// The map is written once, for the rows that there are.
// CHECK:       arith.minsi
// CHECK:       scf.for
// CHECK:         vector.load %[[SUMS]]
// CHECK:         vector.load %[[MORE]]
// CHECK:         arith.mulf
// CHECK-NOT:     arith.mulf
// CHECK:       llvm.call_intrinsic "llvm.x86.tilerelease"
// CHECK:       return
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 40>, weights = <2 x 40>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 32, register_columns = 16, lanes = 16, weights = packed, unit = amx>
tile.kernel @network_gate(%x: !tile.matrix<?x80xbf16>, %w: !tile.matrix<80x48xbf16, panels 16 x 2>,
                          %w2: !tile.matrix<80x48xbf16, panels 16 x 2>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 32>, <groups, 0>] {
    %held = tile.hold %x[%i, %r] : !tile.matrix<?x80xbf16> -> !tile.buffer<32x80xbf16>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t, %s) over [<types, 1>, <rows, 32>] {
        %zero = tile.zero : !tile.fragment<32x16xf32>
        %sums:2 = tile.terms (%k, %b, %c) of (%t, %j) carry(%one = %zero, %two = %zero)
            : !tile.fragment<32x16xf32>, !tile.fragment<32x16xf32> {
          %next = tile.mma %held[%t, %k, %s], %w[%b, %j, %n], %one
              : !tile.buffer<32x80xbf16>, !tile.matrix<80x48xbf16, panels 16 x 2>, !tile.fragment<32x16xf32>
          %more = tile.mma %held[%t, %k, %s], %w2[%b, %j, %n], %two
              : !tile.buffer<32x80xbf16>, !tile.matrix<80x48xbf16, panels 16 x 2>, !tile.fragment<32x16xf32>
          tile.yield %next, %more : !tile.fragment<32x16xf32>, !tile.fragment<32x16xf32>
        }
        %product = tile.map (%a = %sums#0 : !tile.fragment<32x16xf32>, %b = %sums#1 : !tile.fragment<32x16xf32>) -> !tile.fragment<32x16xf32> {
          %p = arith.mulf %a, %b : f32
          tile.yield %p : f32
        }
        %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<32x16>
        tile.store %product to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<32x16xf32>, !tile.matrix<?x48xf32>, !tile.mask<32x16>
      }
    }
  }
}

// The packing kernel fills up depths, too, and has nothing to do with the unit: 2 groups of 64 depths, two panels of 16 columns in
// each of two groups, two bytes each.
// CHECK-LABEL: func.func @network_pack(
// CHECK-SAME:  tile.packed_bytes = 16384 : i64
// CHECK-NOT:   ldtilecfg
// CHECK:       scf.for %{{.*}} = %c0 to %c64 step %c2
tile.kernel @network_pack(%w: !tile.matrix<80x48xbf16>, %packed: !tile.matrix<80x48xbf16, panels 16 x 2>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b) over [<weight_rows, 1>] {
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.copy %w[%b, %j, %n] to %packed : !tile.matrix<80x48xbf16> to !tile.matrix<80x48xbf16, panels 16 x 2>
    }
  }
}

// The gradient of the weight matrix: squares of X are transposed in registers, pairs of rows as one element, on their way into
// the panels; sums are loaded, multiplied and kept as one register tile after another, and stored row by row.
// CHECK-LABEL: func.func @gradient(
// CHECK:       llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tilestored64"
// Where all 32 rows and 16 features are there, and where not: what is not there is zero.
// CHECK:       scf.if
// CHECK-COUNT-16: vector.interleave
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store %{{.*}} : memref<1024xi16>, vector<32xi16>
// CHECK:       } else {
// CHECK:         vector.maskedload
// Rows of dY are filled up with zeros to as many as are multiplied.
// CHECK:       vector.store %{{.*}} : memref<2048xi16>, vector<64xi16>
// CHECK:       memref.prefetch
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK:       scf.for %{{.*}} step %c32 {
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK-NOT:     llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK:       scf.for
// CHECK:         vector.maskedstore
// CHECK:       llvm.call_intrinsic "llvm.x86.tilerelease"
#gradient_layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 40>,
                       row_types = <cyclic 2>, mode = j>
#gradient_schedule = #tile.schedule<types = 1, rows = 64, register_rows = 16, register_columns = 32, lanes = 16, weights = copied, unit = amx>
tile.kernel @gradient(%x: !tile.matrix<?x32xbf16>, %dy: !tile.matrix<?x80xbf16>, %dw: !tile.matrix<32x80xbf16>)
    attributes {layout = #gradient_layout, schedule = #gradient_schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 16>, <groups, 1>, <columns, 64>] {
    %sums = tile.buffer : !tile.buffer<16x64xf32>
    %xs = tile.buffer : !tile.buffer<64x16xbf16, panels 16 x 32>
    %dys = tile.buffer : !tile.buffer<64x32xbf16, panels 32 x 2>
    tile.for (%m, %h) over [<columns, 32>, <features, 16>] {
      %zero = tile.zero : !tile.fragment<16x32xf32>
      tile.keep %zero to %sums[%h, %m] : !tile.fragment<16x32xf32> to !tile.buffer<16x64xf32>
    }
    tile.weight_terms (%t, %k, %o, %c) of (%b, %j) {
      tile.for (%s) over [<rows, 64>] {
        tile.bring %x[%t, %k, %s, %f] along <features> to %xs : !tile.matrix<?x32xbf16> to !tile.buffer<64x16xbf16, panels 16 x 32>
        tile.for (%m) over [<columns, 32>] {
          tile.bring %dy[%t, %o, %s, %m] along <columns> to %dys : !tile.matrix<?x80xbf16> to !tile.buffer<64x32xbf16, panels 32 x 2>
          tile.for (%h) over [<features, 16>] {
            %sum = tile.load %sums[%h, %m] : !tile.buffer<16x64xf32> -> !tile.fragment<16x32xf32>
            %next = tile.outer %xs[%h], %dys[%m] rows(%t, %s), %sum : !tile.buffer<64x16xbf16, panels 16 x 32>, !tile.buffer<64x32xbf16, panels 32 x 2>, !tile.fragment<16x32xf32>
            tile.keep %next to %sums[%h, %m] : !tile.fragment<16x32xf32> to !tile.buffer<16x64xf32>
          }
        }
      }
    }
    tile.for (%m, %h) over [<columns, 32>, <features, 16>] {
      %sum = tile.load %sums[%h, %m] : !tile.buffer<16x64xf32> -> !tile.fragment<16x32xf32>
      tile.store_weights %sum to %dw[%b, %h, %j, %m] : !tile.fragment<16x32xf32> to !tile.matrix<32x80xbf16>
    }
  }
}

// Elements that a map reads are asked for eight rows ahead of the row that is mapped, and none of them before the products: of
// rows that lie a multiple of 4 KB apart a cache would not keep so many.
// CHECK-LABEL: func.func @residual(
// CHECK:       llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK-COUNT-16: memref.prefetch %{{.*}}, read, locality<2>
// CHECK-NOT:   memref.prefetch
// CHECK:       llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK:       scf.for %[[ROW:.*]] = %c0 to
// CHECK:         arith.addi %[[ROW]], %c8
// CHECK:         memref.prefetch %{{.*}}, read, locality<3>
// CHECK:         vector.load
// CHECK-NOT:     memref.prefetch
#wide = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 32>, weights = <2 x 32>, out = <2 x 16>,
                     row_types = <cyclic 2>>
#one = #tile.schedule<types = 1, rows = 16, register_rows = 16, register_columns = 16, lanes = 16, weights = packed, unit = amx>
tile.kernel @residual(%x: !tile.matrix<?x64xbf16>, %w: !tile.matrix<64x32xbf16, panels 16 x 2>, %residual: !tile.matrix<?x32xbf16>,
                      %y: !tile.matrix<?x32xf32>)
    attributes {layout = #wide, schedule = #one} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 16>, <groups, 0>] {
    %held = tile.hold %x[%i, %r] : !tile.matrix<?x64xbf16> -> !tile.buffer<16x64xbf16>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t, %s) over [<types, 1>, <rows, 16>] {
        %zero = tile.zero : !tile.fragment<16x16xf32>
        %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%one = %zero) : !tile.fragment<16x16xf32> {
          %next = tile.mma %held[%t, %k, %s], %w[%b, %j, %n], %one
              : !tile.buffer<16x64xbf16>, !tile.matrix<64x32xbf16, panels 16 x 2>, !tile.fragment<16x16xf32>
          tile.yield %next : !tile.fragment<16x16xf32>
        }
        %added = tile.map (%a = %sum : !tile.fragment<16x16xf32>, %e = %residual[%t, %s, %j, %n] : !tile.matrix<?x32xbf16>) -> !tile.fragment<16x16xf32> {
          %f = arith.extf %e : bf16 to f32
          %p = arith.addf %a, %f : f32
          tile.yield %p : f32
        }
        %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<16x16>
        tile.store %added to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<16x16xf32>, !tile.matrix<?x32xf32>, !tile.mask<16x16>
      }
    }
  }
}
