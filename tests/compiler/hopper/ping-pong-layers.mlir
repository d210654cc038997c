// Two warpgroups take the chunks of hidden groups in turn: one maps while the other multiplies. The first one leaves its sums to the
// second one, which adds them to its own. From the tile program to barriers.
// RUN: alg-opt %s -convert-tile-to-sm -canonicalize -cse -sm-assign-swizzle -sm-partition -canonicalize -sm-ping-pong -canonicalize -cse | FileCheck %s --check-prefix=PARTS
// RUN: alg-opt %s -convert-tile-to-sm -canonicalize -cse -sm-assign-swizzle -sm-partition -canonicalize -sm-ping-pong -sm-lower-epilogue -sm-multi-buffer | FileCheck %s --check-prefix=STAGED
// RUN: alg-opt %s -tile-to-sm | FileCheck %s --check-prefix=STAGES

#hidden = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 80>, weights = <4 x 80>, out = <4 x 176>,
                       row_types = <cyclic 4>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 176>, weights = <4 x 176>, out = <4 x 96>,
                       row_types = <cyclic 4>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 80, stages = 4, stationary = 1, ping_pong = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 4, stationary = 4, ping_pong = 2>

// Each part goes through its own chunks, the first one through two of three. It takes the blocks of the other part's as well and leaves
// them as they are: ahead of its first chunk, and behind each but the last. Of the types' own group a chunk has one block of W or D,
// of others two.
// PARTS-LABEL: sm.kernel @network(
// PARTS:         %[[BLOCKS:.*]] = sm.pipe stages 4 : <!sm.block<80 x 64 x bf16, swizzle 128>, !sm.block<80 x 64 x bf16, swizzle 128>>
// PARTS-NEXT:    %[[NEXT:.*]] = sm.pipe stages 4 : <!sm.block<64 x 96 x bf16, swizzle 64>>
// PARTS:         %[[PARTIAL:.*]] = sm.allocate_reduction_buffer : <1 x 2 x 48>
// PARTS:         sm.partition @multiply warpgroups 2 registers {{[0-9]*}} turns 2 {
// PARTS-NEXT:      %[[PART:.*]] = sm.warpgroup
// PARTS-NEXT:      %[[IS_LAST:.*]] = arith.cmpi eq, %[[PART]], %c1
// PARTS-NEXT:      scf.if %[[IS_LAST]] {
// PARTS-NEXT:        sm.arrive_parts 1
// The types' own hidden group, in turn, too.
// PARTS:           scf.for %{{.*}} = %c0 to %[[PART]] step %c1 {
// PARTS-NEXT:        sm.consume %[[BLOCKS]]
// PARTS-NEXT:      }
// PARTS-NEXT:      scf.for %[[CHUNK:.*]] = %[[PART]] to %c3 step %c2 {
// PARTS:             sm.keep
// PARTS-NEXT:        %[[LAST_CHUNK:.*]] = arith.cmpi eq, %[[CHUNK]], %c2
// PARTS-NEXT:        %[[PASSED:.*]] = arith.select %[[LAST_CHUNK]], %c0, %c1
// PARTS-NEXT:        scf.for %{{.*}} = %c0 to %[[PASSED]] step %c1 {
// PARTS-NEXT:          sm.consume %[[BLOCKS]]
// PARTS:           %[[SUMS:[0-9]+]] = scf.if
// PARTS:             %[[TWO:.*]] = arith.muli %[[PART]], %c2
// PARTS-NEXT:        scf.for %{{.*}} = %c0 to %[[TWO]] step %c1 {
// PARTS-NEXT:          sm.consume %[[BLOCKS]]
// PARTS-NEXT:        }
// PARTS-NEXT:        scf.for %{{.*}} = %c0 to %[[TWO]] step %c1 {
// PARTS-NEXT:          sm.consume %[[NEXT]]
// PARTS-NEXT:        }
// PARTS-NEXT:        %{{[^ ]*}} = scf.for %{{[^ ]*}} = %[[PART]] to %c3 step %c2 iter_args
// PARTS:               sm.multiply_fragment
// PARTS:               %[[PASSED_TWO:.*]] = arith.muli %{{.*}}, %c2
// PARTS-NEXT:          scf.for %{{.*}} = %c0 to %[[PASSED_TWO]] step %c1 {
// PARTS-NEXT:            sm.consume %[[BLOCKS]]
// PARTS-NEXT:          }
// PARTS-NEXT:          scf.for %{{.*}} = %c0 to %[[PASSED_TWO]] step %c1 {
// PARTS-NEXT:            sm.consume %[[NEXT]]
// PARTS:             } else {
// PARTS-NEXT:          scf.for %{{.*}} = %c0 to %[[PART]] step %c1 {
// PARTS-NEXT:            sm.consume %[[NEXT]]
// PARTS-NEXT:          }
// PARTS-NEXT:          %{{[^ ]*}} = scf.for %{{[^ ]*}} = %[[PART]] to %c3 step %c2 iter_args
// PARTS:                 %[[PASSED_ONE:.*]] = arith.select %{{.*}}, %c0, %c1
// PARTS-NEXT:            scf.for %{{.*}} = %c0 to %[[PASSED_ONE]] step %c1 {
// PARTS-NEXT:              sm.consume %[[NEXT]]
// PARTS:           scf.if %[[IS_LAST]] {
// PARTS-NEXT:        sm.sync_parts 0
// PARTS-NEXT:        %[[ALL:.*]] = sm.add_partial %[[SUMS]], %[[PARTIAL]]
// PARTS-NEXT:        sm.arrive_parts 1
// PARTS-NEXT:        sm.store_sums %[[ALL]] to %y{{.*}} by_one_part
// PARTS-NEXT:      } else {
// PARTS-NEXT:        sm.sync_parts 1
// PARTS-NEXT:        sm.write_partial %[[SUMS]] to %[[PARTIAL]]
// PARTS-NEXT:        sm.arrive_parts 0
// A block leaves no barrier half complete.
// PARTS:           scf.if %[[IS_LAST]] {
// PARTS-NEXT:      } else {
// PARTS-NEXT:        sm.sync_parts 1
// PARTS:         sm.partition @load

// What a part passes over it waits for, and releases unread. Stages are those of both parts.
// STAGED-LABEL: sm.kernel @network(
// STAGED-NOT:     sm.staged_pipe in_turn
// STAGED:         sm.partition @multiply
// STAGED:           sm.consumer_wait %[[PIPE:.*]][%[[STAGE:.*]]] parity %{{.*}} : <4>
// STAGED-NEXT:      sm.consumer_release %[[PIPE]][%[[STAGE]]] unread : <4>
// STAGED:           sm.consumer_release %[[PIPE]][%{{.*}}] after_products : <4>

// Both parts release every stage, one of them when it has only waited for it: the lanes of a warp meet for that. Own steps do not follow
// one another in the ring, so that all products of a step are waited for. One stage is enough for the result.
// STAGES-LABEL: sm.kernel @network(
// STAGES:         %[[RESULT:.*]] = sm.allocate : <1 x 64 x 96 x f32, swizzle 128>
// STAGES:         %[[FULL:.*]] = sm.barriers arrivals 1 : <4>
// STAGES:         %[[EMPTY:.*]] = sm.barriers arrivals 8 : <4>
// STAGES:         %[[EMPTY_NEXT:.*]] = sm.barriers arrivals 8 : <4>
// STAGES:         sm.partition @multiply
// STAGES:           scf.for
// STAGES:             sm.wait %[[FULL]][%[[STAGE:.*]]] parity
// STAGES:             sm.arrive %[[EMPTY]][%[[STAGE]]] publish
// STAGES:           scf.for %{{.*}} = %{{.*}} to %c3 step %c2
// STAGES:             sm.write
// STAGES:           scf.for %{{.*}} = %{{.*}} to %c3 step %c2
// STAGES:             sm.mma_wait 0
// STAGES:             sm.arrive %[[EMPTY]][%{{[^ ]*}}] :
// STAGES:             sm.mma_wait 0
// STAGES:             sm.arrive %[[EMPTY_NEXT]][%{{[^ ]*}}] :
// STAGES:             sm.arrive %[[EMPTY]][%{{[^ ]*}}] publish
// STAGES:             sm.arrive %[[EMPTY_NEXT]][%{{[^ ]*}}] publish
// STAGES:           } else {
// STAGES:             scf.for %{{.*}} = %{{.*}} to %c3 step %c2
// STAGES:               sm.mma_wait 0
// STAGES-NEXT:          sm.arrive %[[EMPTY_NEXT]][%{{[^ ]*}}] :
// STAGES:           sm.store %[[RESULT]][%c0]
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
