// Maps that read the sums of products share the kernel of these where the sums are then nowhere as a whole; of two products
// that of which the fewest bytes are stored.
// RUN: alg-opt %s --alg-fuse="results=3 remarks=false" | FileCheck %s
// With two results the sums would be stored beside the first map's result.
// RUN: alg-opt %s --alg-fuse="results=2 remarks=false" | FileCheck %s --check-prefix=TWO

!x = !alg.slots<?x8xbf16, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xbf16, rows(2 x 4), cols(2 x 4)>
!sums = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

// The gradient of `g`, 2 bytes wide, comes first; then the sums, 4 bytes wide, with all three of their readers.
// CHECK-LABEL: func.func private @readers_0(
// CHECK: alg.contract {{.*}} -> i
// CHECK-NOT: alg.map
// CHECK-LABEL: func.func private @readers_1(
// CHECK-SAME: -> (tensor<?x8xbf16>, tensor<?x8xbf16>, tensor<?x8xbf16>)
// CHECK: alg.contract {{.*}} -> k
// CHECK-COUNT-3: alg.map
// CHECK-LABEL: func.func @readers(
// CHECK-NEXT: %[[G:.*]] = call @readers_0
// CHECK-NEXT: %[[R:.*]]:3 = call @readers_1(%{{.*}}, %{{.*}}, %[[G]]) :
// CHECK-NEXT: return %[[R]]#0, %[[R]]#1, %[[R]]#2

// TWO-LABEL: func.func private @readers_0(
// TWO-SAME: -> (tensor<?x8xf32>, tensor<?x8xbf16>)
// TWO-LABEL: func.func private @readers_1(
// TWO-SAME: -> (tensor<?x8xbf16>, tensor<?x8xbf16>)
// TWO: alg.contract {{.*}} -> i
// TWO-COUNT-2: alg.map
func.func @readers(%x: tensor<?x8xbf16>, %dy: tensor<?x8xbf16>, %w: tensor<8x8xbf16>)
    -> (tensor<?x8xbf16>, tensor<?x8xbf16>, tensor<?x8xbf16>) {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xbf16>
  %dys = alg.slots %dy rows(cyclic 2) cols(2 x 4) : tensor<?x8xbf16>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xbf16>
  %s = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w into f32
  %h = alg.map %s : (!sums) -> !x {
  ^bb0(%a: f32):
    %b = math.tanh %a : f32
    %c = arith.truncf %b : f32 to bf16
    alg.yield %c : bf16
  }
  %g = alg.contract %dys, %ws by #alg.algebra<"Q(2)"> -> i : !x, !w
  %p = alg.map %s, %g : (!sums, !x) -> !x {
  ^bb0(%a: f32, %b: bf16):
    %c = arith.extf %b : bf16 to f32
    %d = arith.mulf %a, %c : f32
    %e = arith.truncf %d : f32 to bf16
    alg.yield %e : bf16
  }
  %q = alg.map %s, %g : (!sums, !x) -> !x {
  ^bb0(%a: f32, %b: bf16):
    %c = arith.extf %b : bf16 to f32
    %d = arith.subf %a, %c : f32
    %e = arith.truncf %d : f32 to bf16
    alg.yield %e : bf16
  }
  %y = alg.gather %h : !x
  %z = alg.gather %p : !x
  %u = alg.gather %q : !x
  return %y, %z, %u : tensor<?x8xbf16>, tensor<?x8xbf16>, tensor<?x8xbf16>
}
