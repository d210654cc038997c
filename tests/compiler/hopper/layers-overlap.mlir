// Where maps overlap with products: a chunk of a hidden group is multiplied by the second layer's blocks when the first layer's
// products of the next chunk are in flight behind it, and the next chunk's maps run while its own products are. From the tile program
// to instructions.
// RUN: alg-opt %s -convert-tile-to-sm -canonicalize -cse | FileCheck %s --check-prefix=BLOCK
// RUN: alg-opt %s -tile-to-sm | FileCheck %s --check-prefix=STAGES
// RUN: sed 's/4 x 176/4 x 128/; s/704/512/g' %s | alg-opt -tile-to-sm | FileCheck %s --check-prefix=TWO
// RUN: sed 's/4 x 176/4 x 128/; s/704/512/g; s/depth = 80, stages = 4/depth = 32, stages = 6/' %s | alg-opt -tile-to-sm | FileCheck %s --check-prefix=TWO

#hidden = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 80>, weights = <4 x 80>, out = <4 x 176>,
                       row_types = <cyclic 4>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 176>, weights = <4 x 176>, out = <4 x 96>,
                       row_types = <cyclic 4>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 80, stages = 4, stationary = 1, overlap = 1>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 4, stationary = 4, overlap = 1>

// The first chunk is made ahead of the loop, and the last one, which has 48 columns of 64, multiplied behind it.
// BLOCK-LABEL: sm.kernel @network(
// BLOCK:         scf.if %{{.*}} -> (!sm.accumulator<64 x 96>) {
// BLOCK:           sm.hold
// BLOCK:           %[[FIRST:.*]] = sm.fragment
// BLOCK:           %[[LOOP:.*]]:2 = scf.for %[[CHUNK:.*]] = %c1 to %c3 step %c1 iter_args(%[[SUM:.*]] = %{{.*}}, %[[ROWS:.*]] = %[[FIRST]]) -> (!sm.accumulator<64 x 96>, !sm.fragment<64 x 64>) {
// BLOCK:             %[[PART:.*]] = sm.multiply_held
// BLOCK:             %[[NEXT:.*]] = sm.multiply_held %{{.*}}, [%{{.*}}, %{{.*}}], %[[PART]]
// BLOCK:             %[[BEFORE:.*]] = arith.addi %[[CHUNK]], %c-1
// BLOCK:             %[[ONE:.*]] = sm.multiply_fragment %[[ROWS]], %{{.*}}, %[[SUM]]
// BLOCK-NEXT:        %[[TOTAL:.*]] = sm.multiply_held %{{.*}}[%[[BEFORE]]], [%{{.*}}], %[[ONE]]
// BLOCK:             sm.take_columns %[[NEXT]] from 0
// BLOCK:             %[[MAPPED:.*]] = sm.map
// BLOCK:             %[[ROUNDED:.*]] = sm.fragment %[[MAPPED]]
// BLOCK:             scf.yield %[[TOTAL]], %[[ROUNDED]]
// BLOCK:           %[[BEHIND:.*]] = sm.multiply_fragment %[[LOOP]]#1, %{{.*}}, %[[LOOP]]#0 shallow %{{.*}} to 48
// BLOCK-NEXT:      sm.multiply_held %{{.*}}[%c2], [%{{.*}}], %[[BEHIND]] shallow %{{.*}} to 48

// The first layer's sums are waited for with one group in flight, the second layer's, for which the warpgroup waits behind the map. It
// asks once more for the stage that it has, which keeps the wait behind the map in machine code as well. Rows of the group are released
// when the last chunk has been made.
// STAGES-LABEL: sm.kernel @network(
// STAGES:         sm.partition @multiply
// STAGES:           %[[LOOP:.*]]:6 = scf.for %{{[^ ]*}} = %c1 to %c3 step %c1 iter_args(%[[SUM:[^ ]*]] = %{{[^ ]*}}, %[[ROWS:[^ ]*]] = %{{[^ ]*}}, {{.*}}) -> (!sm.accumulator<64 x 96>, !sm.fragment<64 x 64>,
// STAGES:             sm.mma_fence
// STAGES:             %[[NEXT:.*]] = sm.mma %{{.*}} beside
// STAGES-NEXT:        %[[BOTH:.*]] = sm.mma %{{.*}} beside %{{.*}}, %[[NEXT]]
// STAGES-NEXT:        sm.mma_commit
// STAGES-NOT:         sm.mma_wait
// STAGES:             sm.wait %[[FULL:.*]][%[[STAGE:.*]]] parity
// STAGES:             sm.mma_fence
// STAGES-NEXT:        %[[ONE:.*]] = sm.mma_fragment %[[ROWS]], %{{.*}}, %[[SUM]]
// STAGES-NEXT:        %[[TOTAL:.*]] = sm.mma %{{.*}}, %[[ONE]]
// STAGES-NEXT:        sm.mma_commit
// STAGES-NEXT:        sm.mma_wait 1
// STAGES:             sm.arrive
// STAGES:             %[[DONE:.*]] = sm.settle %[[BOTH]]
// STAGES-NEXT:        sm.take_columns %[[DONE]] from 0
// STAGES:             %[[MAPPED:.*]] = sm.map
// STAGES:             %[[TIED:.*]] = sm.settle %[[MAPPED]]
// STAGES-NEXT:        %[[ROUNDED:.*]] = sm.fragment %[[TIED]]
// STAGES-NEXT:        sm.wait %[[FULL]][%{{.*}}] parity
// STAGES-NEXT:        sm.mma_wait 0
// STAGES-NEXT:        sm.arrive
// STAGES-NEXT:        sm.arrive
// STAGES-NEXT:        %[[ADDED:.*]] = sm.settle %[[TOTAL]]
// STAGES-NEXT:        scf.yield %[[ADDED]], %[[ROUNDED]]
// STAGES-NEXT:      }
// STAGES-NEXT:      sm.arrive
// STAGES:           sm.mma_fragment %[[LOOP]]#1, %{{.*}} depth 48
// STAGES:           sm.mma_wait 0
// STAGES:         sm.partition @load
// STAGES-NOT:       sm.fragment
// STAGES-NOT:       ub.poison
// Of two chunks no loop is left. Rows of the group are released when the second one's sums have been waited for, whether these are
// of one step or of several.
// TWO-LABEL: sm.kernel @network(
// TWO:         sm.partition @multiply
// TWO:           scf.if %{{.*}} -> (!sm.accumulator<64 x 96>
// TWO:             sm.wait %[[ROWS:.*]][%[[COME:.*]]] parity
// TWO:             sm.mma_fragment
// TWO:             sm.mma_wait 1
// TWO:             sm.take_columns
// TWO-NEXT:        sm.arrive %{{.*}}[%[[COME]]] : <1>
// TWO:             sm.take_columns
// TWO:             sm.map
// TWO:             sm.mma_wait 0
// TWO:             sm.mma_fragment
// TWO:             scf.yield
tile.kernel @network(%x: !tile.matrix<?x320xbf16>, %w: !tile.matrix<320x704xbf16>, %w2: !tile.matrix<320x704xbf16>,
                     %w3: !tile.matrix<704x384xbf16>, %y: !tile.matrix<?x384xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 96>] {
    %hidden = tile.buffer : !tile.buffer<64x704xbf16>
    %zero = tile.zero : !tile.fragment<64x96xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x96xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            %none = tile.zero : !tile.fragment<64x64xf32>
            %gate, %up = tile.terms (%k1, %b1, %c1) of (%i, %k) carry(%acc = %none, %acc2 = %none) : !tile.fragment<64x64xf32>, !tile.fragment<64x64xf32> {
              %next = tile.mma %x[%i, %k1, %r], %w[%b1, %k, %m], %acc : !tile.matrix<?x320xbf16>, !tile.matrix<320x704xbf16>, !tile.fragment<64x64xf32>
              %next2 = tile.mma %x[%i, %k1, %r], %w2[%b1, %k, %m], %acc2 : !tile.matrix<?x320xbf16>, !tile.matrix<320x704xbf16>, !tile.fragment<64x64xf32>
              tile.yield %next, %next2 : !tile.fragment<64x64xf32>, !tile.fragment<64x64xf32>
            }
            %half = tile.map (%v = %gate : !tile.fragment<64x64xf32>, %u = %up : !tile.fragment<64x64xf32>) -> !tile.fragment<64x64xbf16> {
              %product = arith.mulf %v, %u : f32
              %rounded = arith.truncf %product : f32 to bf16
              tile.yield %rounded : bf16
            }
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask : !tile.fragment<64x64xbf16>, !tile.buffer<64x704xbf16>, !tile.mask<64x64>
          }
        }
      }
      %next = tile.mma %hidden[%i, %k, %r], %w3[%b, %g, %n], %sum : !tile.buffer<64x704xbf16>, !tile.matrix<704x384xbf16>, !tile.fragment<64x96xf32>
      tile.yield %next : !tile.fragment<64x96xf32>
    }
    %mask = tile.mask rows(%i, %r) columns(%g, %n) : !tile.mask<64x96>
    tile.store %total to %y[%i, %r, %g, %n] mask %mask : !tile.fragment<64x96xf32>, !tile.matrix<?x384xf32>, !tile.mask<64x96>
  }
}
