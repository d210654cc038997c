// Gate and up, which the same rows multiply, come together and are multiplied by one instruction, and what belongs to a type of the
// tile leaves the cache first: from the tile program to instructions.
// RUN: alg-opt %s -convert-tile-to-sm -canonicalize -cse | FileCheck %s --check-prefix=BLOCK
// RUN: alg-opt %s -tile-to-sm | FileCheck %s --check-prefix=STAGES
// RUN: alg-opt %s -tile-to-sm -sm-to-nvvm | FileCheck %s --check-prefix=NVVM

#hidden = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 128>,
                       row_types = <cyclic 4>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 128>, weights = <4 x 128>, out = <4 x 96>,
                       row_types = <cyclic 4>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4, stationary = 2, evict_first = 1>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 2, stationary = 4, evict_first = 1>

// Blocks of the output group's own stay in the cache, as those of the last weight matrix do: 96 columns are one line and a half, and
// another group has the rest of the second one.
// BLOCK-LABEL: sm.kernel @network(
// BLOCK:         scf.for %[[CHUNK:.*]] = %c0 to %c2
// BLOCK:           sm.fetch %w[%c0] [{{.*}}] evict_first :
// BLOCK:           sm.fetch %[[UP:.*]][%c0] [{{.*}}] evict_first :
// BLOCK:           sm.keep
// BLOCK:         scf.for %[[GROUP:.*]] =
// BLOCK:           sm.fetch %w[%c0] [%{{.*}}, %[[GROUP]], %{{.*}}, %[[GROUP]]] : <1 x 64 x 64
// BLOCK:           sm.fetch %[[UP]][%c0] [%{{.*}}, %[[GROUP]], %{{.*}}, %[[GROUP]]] : <1 x 64 x 64
// BLOCK:           sm.fetch %w[%c0] [%{{.*}}, %[[GROUP]], %{{.*}}, %[[TYPE:.*]]] evict_first : <1 x 64 x 64
// BLOCK:           sm.fetch %[[UP]][%c0] [%{{.*}}, %[[GROUP]], %{{.*}}, %[[TYPE]]] evict_first : <1 x 64 x 64
// BLOCK-NOT:       evict_first

// STAGES-LABEL: sm.kernel @network(
// STAGES:         %[[GATE:.*]] = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
// STAGES-NEXT:    %[[UP:.*]] = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
// STAGES:         sm.partition @multiply
// STAGES:           sm.mma %{{.*}}, %[[GATE]][%{{.*}}] beside %[[UP]], %{{.*}} overwrite : {{.*}}, <64 x 128>, !sm.buffer<4 x 64 x 64 x bf16, swizzle 128>
// STAGES:           %[[DONE:.*]] = sm.settle
// STAGES-NEXT:      sm.take_columns %[[DONE]] from 0 : <64 x 128> to <64 x 64>
// STAGES-NEXT:      sm.take_columns %[[DONE]] from 64 : <64 x 128> to <64 x 64>
// What maps leave is tied to its place, so that they run before the second layer's blocks are waited for.
// STAGES:           sm.take_columns
// STAGES:           %[[MAPPED:.*]] = sm.map
// STAGES:           %[[TIED:.*]] = sm.settle %[[MAPPED]]
// STAGES-NEXT:      sm.fragment %[[TIED]]
// STAGES-NEXT:      sm.wait
// STAGES:         sm.partition @load
// STAGES:           sm.load %w{{.*}} to %[[GATE]][%[[STAGE:.*]]] evict_first signal
// STAGES-NEXT:      sm.load %{{.*}} to %[[UP]][%[[STAGE]]] evict_first signal
// STAGES:           sm.load %w{{.*}} to %[[GATE]][%{{.*}}] signal
// STAGES:           sm.load %w{{.*}} to %[[GATE]][%{{.*}}] evict_first signal

// The copies of the types' own carry the policy, in whichever partition comes first in the function.
// NVVM-LABEL: llvm.func @network(
// NVVM-DAG:     %[[POLICY:.*]] = llvm.mlir.constant(1364590687093260288 : i64)
// NVVM:         nvvm.wgmma.mma_async {{.*}} <m = 64, n = 128, k = 16>
// NVVM:         nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} l2_cache_hint = %[[POLICY]]
tile.kernel @network(%x: !tile.matrix<?x256xbf16>, %w: !tile.matrix<256x512xbf16>, %w2: !tile.matrix<256x512xbf16>,
                     %w3: !tile.matrix<512x384xbf16>, %y: !tile.matrix<?x384xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 96>] {
    %hidden = tile.buffer : !tile.buffer<64x512xbf16>
    %zero = tile.zero : !tile.fragment<64x96xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x96xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            %none = tile.zero : !tile.fragment<64x64xf32>
            %gate, %up = tile.terms (%k1, %b1, %c1) of (%i, %k) carry(%acc = %none, %acc2 = %none) : !tile.fragment<64x64xf32>, !tile.fragment<64x64xf32> {
              %next = tile.mma %x[%i, %k1, %r], %w[%b1, %k, %m], %acc : !tile.matrix<?x256xbf16>, !tile.matrix<256x512xbf16>, !tile.fragment<64x64xf32>
              %next2 = tile.mma %x[%i, %k1, %r], %w2[%b1, %k, %m], %acc2 : !tile.matrix<?x256xbf16>, !tile.matrix<256x512xbf16>, !tile.fragment<64x64xf32>
              tile.yield %next, %next2 : !tile.fragment<64x64xf32>, !tile.fragment<64x64xf32>
            }
            %half = tile.map (%v = %gate : !tile.fragment<64x64xf32>, %u = %up : !tile.fragment<64x64xf32>) -> !tile.fragment<64x64xbf16> {
              %product = arith.mulf %v, %u : f32
              %rounded = arith.truncf %product : f32 to bf16
              tile.yield %rounded : bf16
            }
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask : !tile.fragment<64x64xbf16>, !tile.buffer<64x512xbf16>, !tile.mask<64x64>
          }
        }
      }
      %next = tile.mma %hidden[%i, %k, %r], %w3[%b, %g, %n], %sum : !tile.buffer<64x512xbf16>, !tile.matrix<512x384xbf16>, !tile.fragment<64x96xf32>
      tile.yield %next : !tile.fragment<64x96xf32>
    }
    %mask = tile.mask rows(%i, %r) columns(%g, %n) : !tile.mask<64x96>
    tile.store %total to %y[%i, %r, %g, %n] mask %mask : !tile.fragment<64x96xf32>, !tile.matrix<?x384xf32>, !tile.mask<64x96>
  }
}
