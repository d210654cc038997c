// Kernels of two layers: hidden rows of a type's own group are kept for several output groups, those of every other group are made
// for their own output group and multiplied from registers.
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -canonicalize -cse | FileCheck %s
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -sm-assign-swizzle | FileCheck %s --check-prefix=SWIZZLE

// Two products, of 48 deep in two steps, make 40 columns in two steps. The last step of either is shallow, and what maps leave
// behind column 40 is cleared.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 48>, weights = <4 x 48>, out = <4 x 40>,
                       row_types = <cyclic 4>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 40>, weights = <4 x 40>, out = <4 x 64>,
                       row_types = <cyclic 4>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 32, depth = 32, stages = 6, stationary = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 2, stationary = 3>

// X and W come in boxes of the first layer, the last weight matrix in boxes of the second. Numbers of columns are those of the layer
// whose map reads them; rows are read beside the results.
// CHECK-LABEL: sm.kernel @gated(
// CHECK-SAME:    %x: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3>, %w: !sm.maps<1 x 32 x 32 x bf16, row_dimension 2>, %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table,
// CHECK-SAME:    %[[W2:[a-z0-9_]+]]: !sm.maps<1 x 32 x 32 x bf16, row_dimension 2>, %[[W3:[a-z0-9_]+]]: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2>, %[[BIAS:[a-z0-9_]+]]: !sm.columns<4 x 40 x f32>, %[[RESIDUAL:[a-z0-9_]+]]: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 2>)
// CHECK-SAME:    hidden_layout = #tile.layout<{{.*}}, out = <4 x 40>, row_types = <cyclic 4>>, hidden_schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 32, {{.*}}>, layout = #tile.layout<{{.*}}, in = <4 x 40>, {{.*}}>, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 2, stationary = 3>
// SWIZZLE-LABEL: sm.kernel @gated(
// Two pieces of 32 columns, each of which lies as if it were alone.
// CHECK:         %[[KEPT:.*]] = sm.kept_rows pieces 2 : <64 x 64 x bf16>
// SWIZZLE:       sm.kept_rows pieces 2 : <64 x 64 x bf16, swizzle 64>
// CHECK-NEXT:    sm.wait_for_predecessor
// Two turns for a block of rows go through four groups.
// CHECK:         scf.for %[[TURN:.*]] =
// CHECK:           %[[WALK:.*]] = arith.remui %[[TURN]], %c2
// CHECK:           %[[FIRST:.*]] = arith.muli %[[WALK]], %c3
// CHECK:           scf.if
// The rows of the type's own group stay for the turn, up to the end of its last box.
// CHECK-NEXT:        %[[X:.*]] = sm.hold %x[%[[MAP:.*]]] [%c0, %[[TYPE:.*]], %[[LINE:.*]], %[[ROW:.*]]] stages 1 : <2 x 64 x 32 x bf16, row_dimension 3> -> <64 x 64 x bf16>
// SWIZZLE:           sm.hold {{.*}} stages 1 : {{.*}} -> <64 x 64 x bf16, swizzle 64>
// The hidden group of the type's own has one term.
// CHECK-NEXT:        scf.for %[[CHUNK:.*]] = %c0 to %c2 step %c1 {
// CHECK-NEXT:          %[[COLUMN:.*]] = arith.muli %[[CHUNK]], %c32
// Both products are one, whose sums lie beside each other.
// CHECK-NEXT:          %[[ZERO:.*]] = sm.zero : <64 x 64>
// CHECK-NEXT:          %[[MADE:.*]] = scf.for %[[STEP:.*]] = %c0 to %c2 step %c1 iter_args(%[[BESIDE:.*]] = %[[ZERO]])
// CHECK-DAG:             %[[K:.*]] = arith.muli %[[STEP]], %c32
// CHECK-DAG:             %[[LAST_STEP:.*]] = arith.cmpi eq, %[[STEP]], %c1
// CHECK-DAG:             %[[A:.*]] = sm.fetch %w[%c0] [%[[COLUMN]], %[[TYPE]], %[[K]], %[[TYPE]]] :
// CHECK-DAG:             %[[B:.*]] = sm.fetch %[[W2]][%c0] [%[[COLUMN]], %[[TYPE]], %[[K]], %[[TYPE]]] :
// CHECK:                 %[[BESIDE1:.*]] = sm.multiply_held %[[X]][%[[STEP]]], [%[[A]], %[[B]]], %[[BESIDE]] shallow %[[LAST_STEP]] to 16 :
// CHECK-SAME:              !sm.block<32 x 32 x bf16>, <64 x 64>
// CHECK-NEXT:            scf.yield %[[BESIDE1]]
// CHECK-NEXT:          }
// CHECK-NEXT:          %[[GATE:.*]] = sm.take_columns %[[MADE]] from 0 : <64 x 64> to <64 x 32>
// CHECK-NEXT:          %[[UP:.*]] = sm.take_columns %[[MADE]] from 32 : <64 x 64> to <64 x 32>
// CHECK-NEXT:          %[[MAPPED:.*]] = sm.map (%{{.*}} = %[[GATE]] : {{.*}}, %{{.*}} = %[[UP]] : {{.*}}, %{{.*}} = %[[BIAS]] : !sm.columns<4 x 40 x f32>) at [%[[COLUMN]], %[[TYPE]]] -> !sm.accumulator<64 x 32> {
// CHECK:               %[[LAST:.*]] = arith.cmpi eq, %[[CHUNK]], %c1
// CHECK-NEXT:          %[[CLIPPED:.*]] = sm.clip_columns %[[MAPPED]] narrow %[[LAST]] to 8 : <64 x 32>
// CHECK-NEXT:          sm.keep %[[CLIPPED]] to %[[KEPT]][%[[CHUNK]]] : <64 x 32> to <64 x 64 x bf16>
// CHECK-NEXT:        }
// CHECK-NEXT:        %[[BEHIND:.*]] = arith.addi %[[FIRST]], %c3
// CHECK-NEXT:        %[[END:.*]] = arith.minsi %[[BEHIND]], %c4
// CHECK-NEXT:        scf.for %[[GROUP:.*]] = %[[FIRST]] to %[[END]] step %c1 {
// CHECK-NEXT:          %[[NONE:.*]] = sm.zero : <64 x 64>
// CHECK-NEXT:          %[[OTHER:.*]] = arith.cmpi ne, %[[GROUP]], %[[TYPE]]
// CHECK-NEXT:          %[[SUM:.*]] = scf.if %[[OTHER]] -> (!sm.accumulator<64 x 64>) {
// Rows of another group may come while those of the one before are multiplied.
// CHECK-NEXT:            %[[XG:.*]] = sm.hold %x[%[[MAP]]] [%c0, %[[GROUP]], %[[LINE]], %[[ROW]]] stages 2 : {{.*}} -> <64 x 64 x bf16>
// CHECK-NEXT:            %[[BOTH:.*]] = scf.for %[[CHUNK2:.*]] = %c0 to %c2 step %c1 iter_args(%[[BEFORE:.*]] = %[[NONE]])
// CHECK-NEXT:              %[[COLUMN2:.*]] = arith.muli %[[CHUNK2]], %c32
// CHECK-NEXT:              %[[MADE2:.*]] = scf.for %[[STEP2:.*]] = %c0 to %c2 step %c1 iter_args(%[[BESIDE2:.*]] = %[[NONE]])
// All blocks are fetched ahead of all products: of the group's own weights, and of the type's for the group.
// CHECK-DAG:                 %[[K2:.*]] = arith.muli %[[STEP2]], %c32
// CHECK-DAG:                 %[[AG:.*]] = sm.fetch %w[%c0] [%[[COLUMN2]], %[[GROUP]], %[[K2]], %[[GROUP]]] :
// CHECK-DAG:                 %[[BG:.*]] = sm.fetch %[[W2]][%c0] [%[[COLUMN2]], %[[GROUP]], %[[K2]], %[[GROUP]]] :
// CHECK-DAG:                 %[[AT:.*]] = sm.fetch %w[%c0] [%[[COLUMN2]], %[[GROUP]], %[[K2]], %[[TYPE]]] :
// CHECK-DAG:                 %[[BT:.*]] = sm.fetch %[[W2]][%c0] [%[[COLUMN2]], %[[GROUP]], %[[K2]], %[[TYPE]]] :
// CHECK:                     %[[BESIDE3:.*]] = sm.multiply_held %[[XG]][%[[STEP2]]], [%[[AG]], %[[BG]]], %[[BESIDE2]] shallow %{{.*}} to 16 :
// CHECK-NEXT:                %[[BESIDE4:.*]] = sm.multiply_held %[[X]][%[[STEP2]]], [%[[AT]], %[[BT]]], %[[BESIDE3]] shallow %{{.*}} to 16 :
// CHECK-NEXT:                scf.yield %[[BESIDE4]]
// CHECK:                   %[[MAPPED2:.*]] = sm.map ({{.*}}) at [%[[COLUMN2]], %[[GROUP]]] -> !sm.accumulator<64 x 32> {
// CHECK:                   %[[CLIPPED2:.*]] = sm.clip_columns %[[MAPPED2]] narrow %[[LAST2:.*]] to 8 : <64 x 32>
// CHECK-NEXT:              %[[FRAGMENT:.*]] = sm.fragment %[[CLIPPED2]] : <64 x 32> to <64 x 32>
// The same of the second layer: what has just been made by the group's own weights, and what is kept by the type's.
// CHECK-NEXT:              %[[DG:.*]] = sm.fetch %[[W3]][%c0] [%c0, %[[GROUP]], %[[COLUMN2]], %[[GROUP]]] :
// CHECK-NEXT:              %[[DT:.*]] = sm.fetch %[[W3]][%c0] [%c0, %[[GROUP]], %[[COLUMN2]], %[[TYPE]]] :
// CHECK-NEXT:              %[[NEXT:.*]] = sm.multiply_fragment %[[FRAGMENT]], %[[DG]], %[[BEFORE]] shallow %[[LAST2]] to 16 :
// CHECK-NEXT:              %[[NEXT2:.*]] = sm.multiply_held %[[KEPT]][%[[CHUNK2]]], [%[[DT]]], %[[NEXT]] shallow %[[LAST2]] to 16 :
// CHECK-NEXT:              scf.yield %[[NEXT2]]
// CHECK-NEXT:            }
// CHECK-NEXT:            scf.yield %[[BOTH]]
// The type's own output group reads what is kept alone.
// CHECK-NEXT:          } else {
// CHECK-NOT:             sm.hold
// CHECK:                 %[[OWN:.*]] = scf.for %[[CHUNK3:.*]] = %c0 to %c2 step %c1 iter_args(%[[BEFORE3:.*]] = %[[NONE]])
// CHECK-NEXT:              %[[COLUMN3:.*]] = arith.muli %[[CHUNK3]], %c32
// CHECK-NEXT:              %[[D:.*]] = sm.fetch %[[W3]][%c0] [%c0, %[[TYPE]], %[[COLUMN3]], %[[TYPE]]] :
// CHECK-NEXT:              %[[LAST3:.*]] = arith.cmpi eq, %[[CHUNK3]], %c1
// CHECK-NEXT:              %[[NEXT3:.*]] = sm.multiply_held %[[KEPT]][%[[CHUNK3]]], [%[[D]]], %[[BEFORE3]] shallow %[[LAST3]] to 16 :
// CHECK-NEXT:              scf.yield %[[NEXT3]]
// CHECK-NEXT:            }
// CHECK-NEXT:            scf.yield %[[OWN]]
// CHECK-NEXT:          }
// CHECK-NEXT:          %[[Y:.*]] = sm.map (%{{.*}} = %[[SUM]] : {{.*}}, %{{.*}} = %[[RESIDUAL]] : {{.*}}) at [%c0, %[[GROUP]]] rows [%[[MAP]], %c0, %[[GROUP]], %[[LINE]], %[[ROW]]] -> !sm.accumulator<64 x 64> {
// CHECK:               sm.store_sums %[[Y]] to %y[%[[MAP]]] [%c0, %[[GROUP]], %[[LINE]], %[[ROW]]]
tile.kernel @gated(%x: !tile.matrix<?x192xbf16>, %w: !tile.matrix<192x160xbf16>, %w2: !tile.matrix<192x160xbf16>,
                   %w3: !tile.matrix<160x256xbf16>, %bias: !tile.matrix<1x160xf32>, %residual: !tile.matrix<?x256xbf16>,
                   %y: !tile.matrix<?x256xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x160xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 32>] {
            %none = tile.zero : !tile.fragment<64x32xf32>
            %gate, %up = tile.terms (%k1, %b1, %c1) of (%i, %k) carry(%acc = %none, %acc2 = %none) : !tile.fragment<64x32xf32>, !tile.fragment<64x32xf32> {
              %next = tile.mma %x[%i, %k1, %r], %w[%b1, %k, %m], %acc : !tile.matrix<?x192xbf16>, !tile.matrix<192x160xbf16>, !tile.fragment<64x32xf32>
              %next2 = tile.mma %x[%i, %k1, %r], %w2[%b1, %k, %m], %acc2 : !tile.matrix<?x192xbf16>, !tile.matrix<192x160xbf16>, !tile.fragment<64x32xf32>
              tile.yield %next, %next2 : !tile.fragment<64x32xf32>, !tile.fragment<64x32xf32>
            }
            %mapped = tile.map (%v = %gate : !tile.fragment<64x32xf32>, %u = %up : !tile.fragment<64x32xf32>, %shift = %bias[%k, %m] : !tile.matrix<1x160xf32>) -> !tile.fragment<64x32xbf16> {
              %shifted = arith.addf %v, %shift : f32
              %product = arith.mulf %shifted, %u : f32
              %rounded = arith.truncf %product : f32 to bf16
              tile.yield %rounded : bf16
            }
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x32>
            tile.store_held %mapped to %hidden[%i, %r, %k, %m] mask %mask : !tile.fragment<64x32xbf16>, !tile.buffer<64x160xbf16>, !tile.mask<64x32>
          }
        }
      }
      %next = tile.mma %hidden[%i, %k, %r], %w3[%b, %g, %n], %sum : !tile.buffer<64x160xbf16>, !tile.matrix<160x256xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %rounded = tile.map (%v = %total : !tile.fragment<64x64xf32>, %d = %residual[%i, %r, %g, %n] : !tile.matrix<?x256xbf16>) -> !tile.fragment<64x64xbf16> {
      %wide = arith.extf %d : bf16 to f32
      %added = arith.addf %v, %wide : f32
      %h = arith.truncf %added : f32 to bf16
      tile.yield %h : bf16
    }
    %mask = tile.mask rows(%i, %r) columns(%g, %n) : !tile.mask<64x64>
    tile.store %rounded to %y[%i, %r, %g, %n] mask %mask : !tile.fragment<64x64xbf16>, !tile.matrix<?x256xbf16>, !tile.mask<64x64>
  }
}

// -----

// Hidden columns that make up all steps need no clipping, and a step as deep as the group no loop. Rows of intervals are read
// through one map.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 128>,
                       row_types = <interval 2 x 8>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 128>, weights = <2 x 128>, out = <2 x 32>,
                       row_types = <interval 2 x 8>>
#of_hidden = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 2, stationary = 1>
#schedule = #tile.staged<types = 1, rows = 128, columns = 32, depth = 64, stages = 2, stationary = 2>
// CHECK-LABEL: sm.kernel @whole(
// SWIZZLE-LABEL: sm.kernel @whole(
// CHECK:         sm.kept_rows pieces 2 : <128 x 128 x bf16>
// SWIZZLE:       sm.kept_rows pieces 2 : <128 x 128 x bf16, swizzle 128>
// CHECK:         %[[X:.*]] = sm.hold {{.*}} stages 1 : {{.*}} -> <128 x 64 x bf16>
// CHECK-NOT:     sm.clip_columns
// CHECK-NOT:     shallow
// CHECK:         scf.for %[[CHUNK:.*]] = %c0 to %c2 step %c1 {
// CHECK:           %[[A:.*]] = sm.fetch %w[
// CHECK-NEXT:      %[[H:.*]] = sm.multiply_held %[[X]][%c0], [%[[A]]], %{{.*}} :
// CHECK-NEXT:      sm.keep %[[H]] to %{{.*}}[%[[CHUNK]]]
// A turn has both groups.
// CHECK:         scf.for %{{.*}} = %c0 to %c2 step %c1 {
// Of the other group there is one set of rows at a time, as the hidden layer's schedule says.
// CHECK:           sm.hold {{.*}} stages 1 :
// CHECK:           sm.fragment
// CHECK:           sm.multiply_fragment
// CHECK-NOT:     sm.clip_columns
// CHECK-NOT:     shallow
// CHECK:         sm.store_sums %{{.*}} to %y
tile.kernel @whole(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x256xbf16>, %w2: !tile.matrix<256x64xbf16>, %y: !tile.matrix<?x64xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 128>, <groups, 1>, <columns, 32>] {
    %hidden = tile.buffer : !tile.buffer<128x256xbf16>
    %zero = tile.zero : !tile.fragment<128x32xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<128x32xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            %none = tile.zero : !tile.fragment<128x64xf32>
            %made = tile.terms (%k1, %b1, %c1) of (%i, %k) carry(%acc = %none) : !tile.fragment<128x64xf32> {
              %next = tile.mma %x[%i, %k1, %r], %w[%b1, %k, %m], %acc : !tile.matrix<?x128xbf16>, !tile.matrix<128x256xbf16>, !tile.fragment<128x64xf32>
              tile.yield %next : !tile.fragment<128x64xf32>
            }
            %half = tile.map (%v = %made : !tile.fragment<128x64xf32>) -> !tile.fragment<128x64xbf16> {
              %rounded = arith.truncf %v : f32 to bf16
              tile.yield %rounded : bf16
            }
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<128x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask : !tile.fragment<128x64xbf16>, !tile.buffer<128x256xbf16>, !tile.mask<128x64>
          }
        }
      }
      %next = tile.mma %hidden[%i, %k, %r], %w2[%b, %g, %n], %sum : !tile.buffer<128x256xbf16>, !tile.matrix<256x64xbf16>, !tile.fragment<128x32xf32>
      tile.yield %next : !tile.fragment<128x32xf32>
    }
    %mask = tile.mask rows(%i, %r) columns(%g, %n) : !tile.mask<128x32>
    tile.store %total to %y[%i, %r, %g, %n] mask %mask : !tile.fragment<128x32xf32>, !tile.matrix<?x64xf32>, !tile.mask<128x32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 64>,
                       row_types = <cyclic 4>>
#of_hidden = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 3, stationary = 1>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 3, stationary = 4>

// Two types of a tile share what belongs to the output group alone, and each has blocks of its own beside. Columns of the types' own
// hidden groups are those of the part that a warpgroup has. The group of one of them is made for the other one, and is not
// multiplied where it is kept.
// CHECK-LABEL: sm.kernel @types(
// SWIZZLE-LABEL: sm.kernel @types(
// CHECK:         %[[KEPT:.*]] = sm.kept_rows pieces 1 : <128 x 64 x bf16>
// One of the types has rows.
// CHECK:         %[[SOME:.*]] = arith.ori
// CHECK:         scf.if %[[SOME]]
// CHECK-NEXT:      %[[X:.*]] = sm.hold %x[%[[MAP0:.*]], %[[MAP1:.*]]] [%c0, %[[TYPE0:.*]], %[[LINE0:.*]], %[[ROW0:.*]], %c0, %[[TYPE1:.*]], %[[LINE1:.*]], %[[ROW1:.*]]] stages 1 : <2 x 64 x 64 x bf16, row_dimension 3> -> <128 x 64 x bf16>
// CHECK:           %[[A0:.*]] = sm.fetch %w[%c0] [%c0, %[[TYPE0]], %c0, %[[TYPE0]]]
// CHECK-NEXT:      %[[A1:.*]] = sm.fetch %w[%c0] [%c0, %[[TYPE1]], %c0, %[[TYPE1]]]
// CHECK-NEXT:      sm.multiply_held %[[X]][%c0], [%[[A0]], %[[A1]]], %{{.*}} :
// CHECK-NEXT:      %[[WARPGROUP:.*]] = sm.warpgroup
// CHECK-NEXT:      %[[SECOND:.*]] = arith.cmpi eq, %[[WARPGROUP]], %c1
// CHECK-NEXT:      %[[MINE:.*]] = arith.select %[[SECOND]], %[[TYPE1]], %[[TYPE0]]
// CHECK-NEXT:      %[[OWN:.*]] = sm.map ({{.*}}) at [%c0, %[[MINE]]]
// CHECK:           sm.keep %[[OWN]] to %[[KEPT]][%c0]
// CHECK-NEXT:      scf.for %[[GROUP:.*]] = %c0 to %c4 step %c1 {
// CHECK-NOT:         scf.if
// CHECK:             %[[XG:.*]] = sm.hold %x[%[[MAP0]], %[[MAP1]]] [%c0, %[[GROUP]], %[[LINE0]], %[[ROW0]], %c0, %[[GROUP]], %[[LINE1]], %[[ROW1]]] stages 1 :
// CHECK-NEXT:        %[[AG:.*]] = sm.fetch %w[%c0] [%c0, %[[GROUP]], %c0, %[[GROUP]]]
// CHECK-NEXT:        %[[AT0:.*]] = sm.fetch %w[%c0] [%c0, %[[GROUP]], %c0, %[[TYPE0]]]
// CHECK-NEXT:        %[[AT1:.*]] = sm.fetch %w[%c0] [%c0, %[[GROUP]], %c0, %[[TYPE1]]]
// CHECK-NEXT:        %[[H:.*]] = sm.multiply_held %[[XG]][%c0], [%[[AG]]], %{{.*}} :
// CHECK-NEXT:        %[[HT:.*]] = sm.multiply_held %[[X]][%c0], [%[[AT0]], %[[AT1]]], %[[H]] :
// CHECK-NEXT:        sm.map (%{{.*}} = %[[HT]] : {{.*}}) at [%c0, %[[GROUP]]]
// CHECK:             %[[FRAGMENT:.*]] = sm.fragment
// CHECK-DAG:         %[[DG:.*]] = sm.fetch %[[W2:.*]][%c0] [%c0, %[[GROUP]], %c0, %[[GROUP]]]
// CHECK-DAG:         %[[DT0:.*]] = sm.fetch %{{.*}}[%c0] [%c0, %[[GROUP]], %c0, %[[TYPE0]]]
// CHECK-DAG:         %[[DT1:.*]] = sm.fetch %{{.*}}[%c0] [%c0, %[[GROUP]], %c0, %[[TYPE1]]]
// CHECK-DAG:         %[[OTHER0:.*]] = arith.cmpi ne, %[[GROUP]], %[[TYPE0]]
// CHECK-DAG:         %[[OTHER1:.*]] = arith.cmpi ne, %[[GROUP]], %[[TYPE1]]
// CHECK:             %[[NEXT:.*]] = sm.multiply_fragment %[[FRAGMENT]], %[[DG]], %{{.*}} where{{ ?}}[%[[OTHER0]], %[[OTHER1]]] :
// CHECK-NEXT:        %[[SUM:.*]] = sm.multiply_held %[[KEPT]][%c0], [%[[DT0]], %[[DT1]]], %[[NEXT]] :
// CHECK-NEXT:        sm.store_sums_in_parts %[[SUM]] to %y[%[[MAP0]], %[[MAP1]]] [%c0, %[[GROUP]], %[[LINE0]], %[[ROW0]], %c0, %[[GROUP]], %[[LINE1]], %[[ROW1]]]
tile.kernel @types(%x: !tile.matrix<?x256xbf16>, %w: !tile.matrix<256x256xbf16>, %w2: !tile.matrix<256x256xbf16>, %bias: !tile.matrix<1x256xf32>, %y: !tile.matrix<?x256xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 2>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<128x256xbf16>
    %zero = tile.zero : !tile.fragment<128x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<128x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            %none = tile.zero : !tile.fragment<128x64xf32>
            %made = tile.terms (%k1, %b1, %c1) of (%i, %k) carry(%acc = %none) : !tile.fragment<128x64xf32> {
              %next = tile.mma %x[%i, %k1, %r], %w[%b1, %k, %m], %acc : !tile.matrix<?x256xbf16>, !tile.matrix<256x256xbf16>, !tile.fragment<128x64xf32>
              tile.yield %next : !tile.fragment<128x64xf32>
            }
            %half = tile.map (%v = %made : !tile.fragment<128x64xf32>, %shift = %bias[%k, %m] : !tile.matrix<1x256xf32>) -> !tile.fragment<128x64xbf16> {
              %shifted = arith.addf %v, %shift : f32
              %rounded = arith.truncf %shifted : f32 to bf16
              tile.yield %rounded : bf16
            }
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<128x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask : !tile.fragment<128x64xbf16>, !tile.buffer<128x256xbf16>, !tile.mask<128x64>
          }
        }
      }
      %next = tile.mma %hidden[%i, %k, %r], %w2[%b, %g, %n], %sum : !tile.buffer<128x256xbf16>, !tile.matrix<256x256xbf16>, !tile.fragment<128x64xf32>
      tile.yield %next : !tile.fragment<128x64xf32>
    }
    %mask = tile.mask rows(%i, %r) columns(%g, %n) : !tile.mask<128x64>
    tile.store %total to %y[%i, %r, %g, %n] mask %mask : !tile.fragment<128x64xf32>, !tile.matrix<?x256xf32>, !tile.mask<128x64>
  }
}
