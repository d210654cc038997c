// Every operation, printed and read again, in the pretty and in the generic form.
// RUN: alg-opt %s | FileCheck %s
// RUN: alg-opt %s | alg-opt | FileCheck %s
// RUN: alg-opt %s --mlir-print-op-generic | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 16>, weights = #alg.groups<4 x 16>,
                       out = #alg.groups<4 x 24>, row_types = #alg.row_types<cyclic 4>>

// CHECK-LABEL: tile.kernel @copied
// CHECK-SAME: (%[[X:.*]]: !tile.matrix<?x64xbf16>, %[[W:.*]]: !tile.matrix<64x96xbf16>, %[[BIAS:.*]]: !tile.matrix<1x96xbf16>, %[[Y:.*]]: !tile.matrix<?x96xbf16>)
// CHECK-SAME: schedule = #tile.schedule<types = 2, rows = 16, register_rows = 8, register_columns = 32, lanes = 16, weights = copied>
tile.kernel @copied(%x: !tile.matrix<?x64xbf16>, %w: !tile.matrix<64x96xbf16>, %bias: !tile.matrix<1x96xbf16>, %y: !tile.matrix<?x96xbf16>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 2, rows = 16, register_rows = 8,
                register_columns = 32, lanes = 16, weights = copied>} {
  // CHECK: tile.forall (%[[I:.*]], %[[R:.*]], %{{.*}}) over [<types, 2>, <rows, 16>, <groups, 0>] {
  tile.forall (%i, %r, %g) over [<types, 2>, <rows, 16>, <groups, 0>] {
    // CHECK: %[[XS:.*]] = tile.hold %[[X]][%[[I]], %[[R]]] : <?x64xbf16> -> <32x64xf32>
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x64xbf16> -> !tile.buffer<32x64xf32>
    // CHECK: %[[STAGE:.*]] = tile.buffer : <64x32xbf16, panels 32 x 1>
    %stage = tile.buffer : !tile.buffer<64x32xbf16, panels 32 x 1>
    // CHECK: tile.for (%[[J:.*]], %[[N:.*]]) over [<groups, 1>, <columns, 32>] {
    tile.for (%j, %n) over [<groups, 1>, <columns, 32>] {
      // CHECK: tile.for (%[[T:.*]]) over [<types, 1>] {
      tile.for (%t) over [<types, 1>] {
        // CHECK: tile.terms (%{{.*}}, %[[B:.*]], %{{.*}}) of (%[[T]], %[[J]]) {
        tile.terms (%k, %b, %c) of (%t, %j) {
          // CHECK: tile.copy %[[W]][%[[B]], %[[J]], %[[N]]] to %[[STAGE]] once : <64x96xbf16> to !tile.buffer<64x32xbf16, panels 32 x 1>
          tile.copy %w[%b, %j, %n] to %stage once : !tile.matrix<64x96xbf16> to !tile.buffer<64x32xbf16, panels 32 x 1>
        }
        tile.for (%s) over [<rows, 8>] {
          // CHECK: %[[ZERO:.*]] = tile.zero : <8x32xf32>
          %zero = tile.zero : !tile.fragment<8x32xf32>
          // CHECK: tile.terms (%[[K:.*]], %[[B2:.*]], %[[C:.*]]) of (%[[T]], %[[J]]) carry(%[[ACC:.*]] = %[[ZERO]]) : !tile.fragment<8x32xf32> {
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<8x32xf32> {
            // CHECK: tile.mma %[[XS]][%[[T]], %[[K]], %{{.*}}], %[[STAGE]][%[[B2]], %[[J]], %[[N]]], %[[ACC]] scale %[[C]] signs : !tile.buffer<32x64xf32>, !tile.buffer<64x32xbf16, panels 32 x 1>, <8x32xf32>
            %next = tile.mma %xs[%t, %k, %s], %stage[%b, %j, %n], %acc scale %c signs
                : !tile.buffer<32x64xf32>, !tile.buffer<64x32xbf16, panels 32 x 1>, !tile.fragment<8x32xf32>
            tile.yield %next : !tile.fragment<8x32xf32>
          }
          // CHECK: %[[BIASED:.*]] = tile.map (%{{.*}} = %{{.*}} : !tile.fragment<8x32xf32>, %{{.*}} = %[[BIAS]][%[[J]], %[[N]]] : !tile.matrix<1x96xbf16>) -> !tile.fragment<8x32xf32> {
          %biased = tile.map (%m = %sum : !tile.fragment<8x32xf32>, %e = %bias[%j, %n] : !tile.matrix<1x96xbf16>) -> !tile.fragment<8x32xf32> {
            %wide = arith.extf %e : bf16 to f32
            %added = arith.addf %m, %wide : f32
            tile.yield %added : f32
          }
          // CHECK: tile.map (%{{.*}} = %[[BIASED]] : !tile.fragment<8x32xf32>) -> !tile.fragment<8x32xbf16> {
          %half = tile.map (%v = %biased : !tile.fragment<8x32xf32>) -> !tile.fragment<8x32xbf16> {
            %h = arith.truncf %v : f32 to bf16
            tile.yield %h : bf16
          }
          // CHECK: %[[MASK:.*]] = tile.mask rows(%[[T]], %{{.*}}) columns(%[[J]], %[[N]]) : <8x32>
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
// CHECK-SAME: (%[[BANK:w]]: !tile.matrix<64x96xbf16>, %[[PANELS:packed]]: !tile.matrix<64x96xbf16, panels 32 x 2>)
tile.kernel @pack(%w: !tile.matrix<64x96xbf16>, %p: !tile.matrix<64x96xbf16, panels 32 x 2>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8,
                register_columns = 32, lanes = 16, weights = packed>} {
  // CHECK: tile.forall (%[[B:.*]]) over [<weight_rows, 1>] {
  tile.forall (%b) over [<weight_rows, 1>] {
    // CHECK: tile.for (%[[J:.*]], %[[N:.*]]) over [<groups, 1>, <columns, 32>] {
    tile.for (%j, %n) over [<groups, 1>, <columns, 32>] {
      // CHECK: tile.copy %[[BANK]][%[[B]], %[[J]], %[[N]]] to %[[PANELS]] : <64x96xbf16> to !tile.matrix<64x96xbf16, panels 32 x 2>
      tile.copy %w[%b, %j, %n] to %p : !tile.matrix<64x96xbf16> to !tile.matrix<64x96xbf16, panels 32 x 2>
    }
  }
}

// A map of several inputs, with a value from outside its body; terms that carry two fragments, with nothing and
// something to multiply by; a forall without slices, a walk over the row groups of the weight matrix.
// CHECK-LABEL: tile.kernel @more
tile.kernel @more(%x: !tile.matrix<?x64xf32>, %w: !tile.matrix<64x96xf32>, %y: !tile.matrix<?x96xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8,
                register_columns = 16, lanes = 16, weights = direct>} {
  // CHECK: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
  %two = arith.constant 2.0 : f32
  // CHECK: tile.forall (%i, %r) over [<types, 1>, <rows, 8>] {
  tile.forall (%i, %r) over [<types, 1>, <rows, 8>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x64xf32> -> !tile.buffer<8x64xf32>
    // CHECK: tile.for (%b) over [<weight_rows, 4>] {
    tile.for (%b) over [<weight_rows, 4>] {
    }
    // CHECK: tile.for (%j, %n, %t, %s) over [<groups, 1>, <columns, 16>, <types, 1>, <rows, 8>] {
    tile.for (%j, %n, %t, %s) over [<groups, 1>, <columns, 16>, <types, 1>, <rows, 8>] {
      %zero = tile.zero : !tile.fragment<8x16xf32>
      // CHECK: %[[SUMS:.*]]:2 = tile.terms (%k, %b, %c) of (%t, %j) carry(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}) : !tile.fragment<8x16xf32>, !tile.fragment<8x16xf32> {
      %sums:2 = tile.terms (%k, %b, %c) of (%t, %j) carry(%p = %zero, %q = %zero) : !tile.fragment<8x16xf32>, !tile.fragment<8x16xf32> {
        // CHECK: tile.mma {{.*}}, %[[P]] : !tile.buffer<8x64xf32>, !tile.matrix<64x96xf32>, <8x16xf32>
        %one = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %p
            : !tile.buffer<8x64xf32>, !tile.matrix<64x96xf32>, !tile.fragment<8x16xf32>
        // CHECK: tile.mma {{.*}}, %[[Q]] scale %c : !tile.buffer<8x64xf32>, !tile.matrix<64x96xf32>, <8x16xf32>
        %other = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %q scale %c
            : !tile.buffer<8x64xf32>, !tile.matrix<64x96xf32>, !tile.fragment<8x16xf32>
        // CHECK: tile.yield %{{.*}}, %{{.*}} : !tile.fragment<8x16xf32>, !tile.fragment<8x16xf32>
        tile.yield %one, %other : !tile.fragment<8x16xf32>, !tile.fragment<8x16xf32>
      }
      // CHECK: tile.map (%[[U:.*]] = %[[SUMS]]#0 : !tile.fragment<8x16xf32>, %[[V:.*]] = %[[SUMS]]#1 : !tile.fragment<8x16xf32>) -> !tile.fragment<8x16xf32> {
      %h = tile.map (%u = %sums#0 : !tile.fragment<8x16xf32>, %v = %sums#1 : !tile.fragment<8x16xf32>) -> !tile.fragment<8x16xf32> {
        // CHECK: arith.mulf %[[U]], %[[TWO]] : f32
        %d = arith.mulf %u, %two : f32
        %e = arith.addf %d, %v : f32
        tile.yield %e : f32
      }
      %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<8x16>
      tile.store %h to %y[%t, %s, %j, %n] mask %mask
          : !tile.fragment<8x16xf32>, !tile.matrix<?x96xf32>, !tile.mask<8x16>
    }
  }
}

#staged = #tile.staged<types = 1, rows = 64, columns = 16, depth = 32, stages = 4>
#two = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 32>, weights = #alg.groups<2 x 32>,
                    out = #alg.groups<2 x 48>, row_types = #alg.row_types<cyclic 2>>

// A worker that owns one tile of the result and multiplies straight from memory.
// CHECK-LABEL: tile.kernel @staged
// CHECK-SAME: schedule = #tile.staged<types = 1, rows = 64, columns = 16, depth = 32, stages = 4>
tile.kernel @staged(%x: !tile.matrix<?x64xbf16>, %w: !tile.matrix<64x96xbf16>, %y: !tile.matrix<?x96xbf16>)
    attributes {layout = #two, schedule = #staged} {
  // CHECK: tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 16>] {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<64x16xf32>
    // CHECK: tile.mma %x[%i, %g, %r], %w[%g, %g, %n], %{{.*}} : !tile.matrix<?x64xbf16>, !tile.matrix<64x96xbf16>, <64x16xf32>
    %sum = tile.mma %x[%i, %g, %r], %w[%g, %g, %n], %zero
        : !tile.matrix<?x64xbf16>, !tile.matrix<64x96xbf16>, !tile.fragment<64x16xf32>
  }
}

// What maps read beside fragments: numbers of columns, numbers of rows, elements of the result's place, and a number.
// CHECK-LABEL: func.func @inputs(
// CHECK-SAME:    %[[A:.*]]: !tile.fragment<8x16xf32>, %[[B:.*]]: !tile.matrix<1x96xbf16>, %[[S:.*]]: !tile.matrix<?x1xf32>, %[[O:.*]]: !tile.matrix<?x96xbf16>, %[[N:.*]]: f32, %[[I:.*]]: index)
func.func @inputs(%a: !tile.fragment<8x16xf32>, %bias: !tile.matrix<1x96xbf16>, %scale: !tile.matrix<?x1xf32>,
                  %other: !tile.matrix<?x96xbf16>, %alpha: f32, %i: index) -> !tile.fragment<8x16xbf16> {
  // CHECK: tile.map (%{{.*}} = %[[A]] : !tile.fragment<8x16xf32>, %{{.*}} = %[[B]][%[[I]], %[[I]]] : !tile.matrix<1x96xbf16>, %{{.*}} = %[[S]][%[[I]], %[[I]]] : !tile.matrix<?x1xf32>, %{{.*}} = %[[O]][%[[I]], %[[I]], %[[I]], %[[I]]] : !tile.matrix<?x96xbf16>, %[[F:.*]] = %[[N]] : f32) -> !tile.fragment<8x16xbf16> {
  %h = tile.map (%v = %a : !tile.fragment<8x16xf32>, %b = %bias[%i, %i] : !tile.matrix<1x96xbf16>,
                 %s = %scale[%i, %i] : !tile.matrix<?x1xf32>, %o = %other[%i, %i, %i, %i] : !tile.matrix<?x96xbf16>, %f = %alpha : f32)
      -> !tile.fragment<8x16xbf16> {
    %wide = arith.extf %b : bf16 to f32
    %biased = arith.addf %v, %wide : f32
    %scaled = arith.mulf %biased, %s : f32
    %residual = arith.extf %o : bf16 to f32
    // CHECK: math.fma %{{.*}}, %[[F]], %{{.*}} : f32
    %sum = math.fma %residual, %f, %scaled : f32
    %r = arith.truncf %sum : f32 to bf16
    tile.yield %r : bf16
  }
  return %h : !tile.fragment<8x16xbf16>
}
