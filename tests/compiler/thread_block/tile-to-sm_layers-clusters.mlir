// Kernels of two layers whose blocks run in clusters along the types: what belongs to an output group alone is loaded by all blocks for
// each other, in parts of the depth, and each block fetches its own types' blocks in as many boxes.
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -canonicalize -cse | FileCheck %s

// A step's block of either layer's weights is 32 rows deep, of which a box has a half.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 96>,
                       row_types = <cyclic 4>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 96>, weights = <4 x 96>, out = <4 x 64>,
                       row_types = <cyclic 4>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 32, depth = 32, stages = 6, cluster_types = 2, stationary = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 2, cluster_types = 2, stationary = 4>
// CHECK-LABEL: sm.kernel @pair(
// CHECK-SAME:    %w: !sm.maps<1 x 16 x 32 x bf16, row_dimension 2>, %y: {{.*}}, %[[W2:[a-z0-9_]+]]: !sm.maps<1 x 16 x 32 x bf16, row_dimension 2>, %[[W3:[a-z0-9_]+]]: !sm.maps<1 x 16 x 64 x bf16, row_dimension 2>)
// The blocks of a cluster take the same turn: there are as many as pairs of segments, and clusters are counted, not blocks.
// CHECK-DAG:     %[[BLOCK:.*]] = sm.block_index
// CHECK-DAG:     %[[BLOCKS:.*]] = sm.block_count
// CHECK-DAG:     %[[RANK:.*]] = sm.cluster_rank
// CHECK-DAG:     %[[CLUSTER:.*]] = arith.divui %[[BLOCK]], %c2
// CHECK-DAG:     %[[CLUSTERS:.*]] = arith.divui %[[BLOCKS]], %c2
// CHECK:         scf.for %[[TURN:.*]] = %[[CLUSTER]] to %{{.*}} step %[[CLUSTERS]] {
// CHECK:           %[[PAIR:.*]] = arith.divui %[[TURN]], %{{.*}}
// CHECK-NEXT:      %[[SEGMENT:.*]] = arith.muli %[[PAIR]], %c2
// They pass over it together, where no segment of either has rows there.
// CHECK:           %[[SOME:.*]] = arith.ori
// Each takes the segment that its rank says.
// CHECK-NEXT:      arith.addi %[[SEGMENT]], %[[RANK]]
// CHECK:           scf.if %[[SOME]]
// CHECK-NEXT:        %[[X:.*]] = sm.hold %x[%{{.*}}] [%c0, %[[TYPE:.*]], %{{.*}}, %{{.*}}] stages 1 :
// The own hidden group reads what no other block does: blocks of two boxes.
// CHECK:               %[[A:.*]] = sm.fetch %w[%c0] [%{{.*}}, %[[TYPE]], %{{.*}}, %[[TYPE]]] : <1 x 16 x 32 x bf16, row_dimension 2> -> <32 x 32 x bf16>
// CHECK-NEXT:          %[[B:.*]] = sm.fetch %[[W2]][%c0] [%{{.*}}, %[[TYPE]], %{{.*}}, %[[TYPE]]] : <1 x 16 x 32 x bf16, row_dimension 2> -> <32 x 32 x bf16>
// CHECK-NEXT:          sm.multiply_held %[[X]]
// All blocks go through both groups for each output group, whichever is their own, since they load for each other.
// CHECK:             scf.for %[[GROUP:.*]] = %c0 to %c4 step %c1 {
// CHECK-NOT:           scf.if
// CHECK:                 sm.fetch %w[%c0] [%[[COLUMN:.*]], %[[GROUP]], %[[K:.*]], %[[GROUP]]] part %[[RANK]] of 2 multicast %c3 : <1 x 16 x 32 x bf16, row_dimension 2> -> <32 x 32 x bf16>
// CHECK-NEXT:            sm.fetch %[[W2]][%c0] [%[[COLUMN]], %[[GROUP]], %[[K]], %[[GROUP]]] part %[[RANK]] of 2 multicast %c3 :
// CHECK-NEXT:            sm.fetch %w[%c0] [%[[COLUMN]], %[[GROUP]], %[[K]], %[[TYPE]]] : <1 x 16 x 32 x bf16, row_dimension 2> -> <32 x 32 x bf16>
// CHECK-NEXT:            sm.fetch %[[W2]][%c0] [%[[COLUMN]], %[[GROUP]], %[[K]], %[[TYPE]]] :
// CHECK:               %[[DG:.*]] = sm.fetch %[[W3]][%c0] [%c0, %[[GROUP]], %[[COLUMN]], %[[GROUP]]] part %[[RANK]] of 2 multicast %c3 : <1 x 16 x 64 x bf16, row_dimension 2> -> <32 x 64 x bf16>
// CHECK-NEXT:          %[[DT:.*]] = sm.fetch %[[W3]][%c0] [%c0, %[[GROUP]], %[[COLUMN]], %[[TYPE]]] : <1 x 16 x 64 x bf16, row_dimension 2> -> <32 x 64 x bf16>
// The one whose group it is does not multiply by D(j, j).
// CHECK-NEXT:          %[[OTHER:.*]] = arith.cmpi ne, %[[GROUP]], %[[TYPE]]
// CHECK-NEXT:          %[[NEXT:.*]] = sm.multiply_fragment %{{.*}}, %[[DG]], %{{.*}} where{{ ?}}[%[[OTHER]]] :
// CHECK-NEXT:          sm.multiply_held %{{.*}}, [%[[DT]]], %[[NEXT]] :
tile.kernel @pair(%x: !tile.matrix<?x256xbf16>, %w: !tile.matrix<256x384xbf16>, %w2: !tile.matrix<256x384xbf16>,
                  %w3: !tile.matrix<384x256xbf16>, %y: !tile.matrix<?x256xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x384xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 32>] {
            %none = tile.zero : !tile.fragment<64x32xf32>
            %gate, %up = tile.terms (%k1, %b1, %c1) of (%i, %k) carry(%acc = %none, %acc2 = %none) : !tile.fragment<64x32xf32>, !tile.fragment<64x32xf32> {
              %next = tile.mma %x[%i, %k1, %r], %w[%b1, %k, %m], %acc : !tile.matrix<?x256xbf16>, !tile.matrix<256x384xbf16>, !tile.fragment<64x32xf32>
              %next2 = tile.mma %x[%i, %k1, %r], %w2[%b1, %k, %m], %acc2 : !tile.matrix<?x256xbf16>, !tile.matrix<256x384xbf16>, !tile.fragment<64x32xf32>
              tile.yield %next, %next2 : !tile.fragment<64x32xf32>, !tile.fragment<64x32xf32>
            }
            %half = tile.map (%v = %gate : !tile.fragment<64x32xf32>, %u = %up : !tile.fragment<64x32xf32>) -> !tile.fragment<64x32xbf16> {
              %product = arith.mulf %v, %u : f32
              %rounded = arith.truncf %product : f32 to bf16
              tile.yield %rounded : bf16
            }
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x32>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask : !tile.fragment<64x32xbf16>, !tile.buffer<64x384xbf16>, !tile.mask<64x32>
          }
        }
      }
      %next = tile.mma %hidden[%i, %k, %r], %w3[%b, %g, %n], %sum : !tile.buffer<64x384xbf16>, !tile.matrix<384x256xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%i, %r) columns(%g, %n) : !tile.mask<64x64>
    tile.store %total to %y[%i, %r, %g, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x256xf32>, !tile.mask<64x64>
  }
}

// -----

// Tiles of two types: a cluster of two has four of them, and its second block begins two types behind the first one.
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 64>,
                       row_types = <cyclic 4>>
#of_hidden = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 3, cluster_types = 2, stationary = 1>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 3, cluster_types = 2, stationary = 4>
// CHECK-LABEL: sm.kernel @types(
// CHECK:         %[[RANK:.*]] = sm.cluster_rank
// CHECK:           %[[SEGMENT:.*]] = arith.muli %{{.*}}, %c4
// CHECK-COUNT-3:   arith.ori
// CHECK-NEXT:      %[[BEHIND:.*]] = arith.muli %[[RANK]], %c2
// CHECK-NEXT:      arith.addi %[[SEGMENT]], %[[BEHIND]]
// CHECK:           sm.hold %x[%{{.*}}, %{{.*}}] [%c0, %[[TYPE0:.*]], %{{.*}}, %{{.*}}, %c0, %[[TYPE1:.*]], %{{.*}}, %{{.*}}] stages 1 :
// CHECK:           scf.for %[[GROUP:.*]] = %c0 to %c4 step %c1 {
// CHECK:             sm.fetch %w[%c0] [%c0, %[[GROUP]], %c0, %[[GROUP]]] part %[[RANK]] of 2 multicast %c3 : <1 x 32 x 64 x bf16, row_dimension 2> -> <64 x 64 x bf16>
// CHECK-NEXT:        sm.fetch %w[%c0] [%c0, %[[GROUP]], %c0, %[[TYPE0]]] : <1 x 32 x 64 x bf16, row_dimension 2> -> <64 x 64 x bf16>
// CHECK-NEXT:        sm.fetch %w[%c0] [%c0, %[[GROUP]], %c0, %[[TYPE1]]] : <1 x 32 x 64 x bf16, row_dimension 2> -> <64 x 64 x bf16>
// CHECK:             sm.fetch %[[W2:.*]][%c0] [%c0, %[[GROUP]], %c0, %[[GROUP]]] part %[[RANK]] of 2 multicast %c3 :
tile.kernel @types(%x: !tile.matrix<?x256xbf16>, %w: !tile.matrix<256x256xbf16>, %w2: !tile.matrix<256x256xbf16>, %y: !tile.matrix<?x256xf32>)
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
            %half = tile.map (%v = %made : !tile.fragment<128x64xf32>) -> !tile.fragment<128x64xbf16> {
              %rounded = arith.truncf %v : f32 to bf16
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
