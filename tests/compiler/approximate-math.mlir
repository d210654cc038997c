// Where all results are bf16, functions that NVIDIA GPUs approximate are marked for their instructions.
// RUN: alg-opt %s -approximate-math -split-input-file | FileCheck %s
// RUN: alg-opt %s -approximate-math -expand-math -split-input-file | FileCheck %s --check-prefix=EXPANDED

// CHECK-LABEL: tile.elementwise @silu
// EXPANDED-LABEL: tile.elementwise @silu
tile.elementwise @silu over [?, 2048] (%x: f32 per <element>) {
  // CHECK:      %[[MINUS:.*]] = arith.negf %x
  // CHECK-NEXT: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
  // CHECK-NEXT: %[[POWER:.*]] = arith.mulf %[[MINUS]], %[[LOG2E]]
  // CHECK-NEXT: %[[EXP:.*]] = math.exp2 %[[POWER]] fastmath<afn>
  // CHECK-NEXT: %[[BELOW:.*]] = arith.addf %{{.*}}, %[[EXP]]
  // CHECK-NEXT: arith.divf %x, %[[BELOW]] fastmath<afn>
  // EXPANDED:   math.exp2 %{{.*}} fastmath<afn>
  // EXPANDED:   arith.divf %x, %{{.*}} fastmath<afn>
  %one = arith.constant 1.0 : f32
  %minus = arith.negf %x : f32
  %e = math.exp %minus : f32
  %below = arith.addf %one, %e : f32
  %silu = arith.divf %x, %below : f32
  %r = arith.truncf %silu : f32 to bf16
  tile.put %r : bf16
}

// Products keep an error relative to the number.
// CHECK-LABEL: tile.elementwise @tanh
// EXPANDED-LABEL: tile.elementwise @tanh
tile.elementwise @tanh over [?, 2048] (%x: f32 per <element>, %scale: f32 per <row>) {
  // CHECK:    math.tanh %x fastmath<afn>
  // EXPANDED: math.tanh %x fastmath<afn>
  %t = math.tanh %x : f32
  %m = arith.mulf %t, %scale : f32
  %n = arith.negf %m : f32
  %r = arith.truncf %n : f32 to bf16
  tile.put %r : bf16
}

// A sum need not: the polynomial is for it, which the other use takes, too.
// CHECK-LABEL: tile.elementwise @sum
// EXPANDED-LABEL: tile.elementwise @sum
tile.elementwise @sum over [?, 2048] (%x: f32 per <element>) {
  // CHECK:    %[[T:.*]] = math.tanh %x : f32
  // CHECK:    arith.mulf %[[T]], %[[T]]
  // EXPANDED-NOT: math.tanh
  %two = arith.constant 2.0 : f32
  %t = math.tanh %x : f32
  %square = arith.mulf %t, %t : f32
  %rest = arith.subf %two, %square : f32
  %r = arith.truncf %rest : f32 to bf16
  tile.put %r : bf16
}

// The slope of tanh is a quotient that vanishes with the exponential.
// CHECK-LABEL: tile.elementwise @slope
tile.elementwise @slope over [?, 2048] (%x: f32 per <element>) {
  // CHECK-NOT:  math.tanh
  // CHECK:      %[[MAGNITUDE:.*]] = math.absf %x
  // CHECK:      %[[POWER:.*]] = arith.mulf %[[MAGNITUDE]], %{{.*}}
  // CHECK-NEXT: %[[EXP:.*]] = math.exp2 %[[POWER]] fastmath<afn>
  // CHECK:      %[[SUM:.*]] = arith.addf %{{.*}}, %[[EXP]]
  // CHECK:      %[[ABOVE:.*]] = arith.mulf %{{.*}}, %[[EXP]]
  // CHECK:      %[[BELOW:.*]] = arith.mulf %[[SUM]], %[[SUM]]
  // CHECK-NEXT: arith.divf %[[ABOVE]], %[[BELOW]] fastmath<afn>
  // CHECK-NOT:  arith.subf
  // CHECK:      tile.put
  %one = arith.constant 1.0 : f32
  %t = math.tanh %x : f32
  %square = arith.mulf %t, %t : f32
  %slope = arith.subf %one, %square : f32
  %r = arith.truncf %slope : f32 to bf16
  tile.put %r : bf16
}

// 1 + tanh is a quotient in which nothing cancels, whichever way round it is written.
// CHECK-LABEL: tile.elementwise @one_more
tile.elementwise @one_more over [?, 2048] (%x: f32 per <element>) {
  // CHECK-NOT:  math.tanh
  // CHECK:      %[[FACTOR:.*]] = arith.constant -2.885390e+00 : f32
  // CHECK-NEXT: %[[POWER:.*]] = arith.mulf %x, %[[FACTOR]]
  // CHECK-NEXT: %[[EXP:.*]] = math.exp2 %[[POWER]] fastmath<afn>
  // CHECK:      %[[BELOW:.*]] = arith.addf %{{.*}}, %[[EXP]]
  // CHECK:      arith.divf %{{.*}}, %[[BELOW]] fastmath<afn>
  // CHECK:      math.exp2 %{{.*}} fastmath<afn>
  // CHECK:      arith.divf {{.*}} fastmath<afn>
  // CHECK-NOT:  math.tanh
  // CHECK:      tile.put
  %one = arith.constant 1.0 : f32
  %t = math.tanh %x : f32
  %more = arith.addf %one, %t : f32
  %same = arith.addf %t, %one : f32
  %p = arith.mulf %more, %same : f32
  %r = arith.truncf %p : f32 to bf16
  tile.put %r : bf16
}

// What f32 keeps is expanded: a result, or one of several.
// CHECK-LABEL: tile.elementwise @wide
// EXPANDED-LABEL: tile.elementwise @wide
tile.elementwise @wide over [?, 2048] (%x: f32 per <element>) {
  // CHECK-NOT: afn
  // CHECK:     math.exp %x : f32
  // CHECK-NOT: afn
  // EXPANDED-NOT: math.exp
  %e = math.exp %x : f32
  %q = arith.divf %x, %e : f32
  %r = arith.truncf %q : f32 to bf16
  tile.put %r : bf16
  tile.put %e : f32
}

// CHECK-LABEL: tile.elementwise @statistics
tile.elementwise @statistics over [?, 2048] (%x: f32 per <element>) {
  // CHECK:     math.exp %x : f32
  // CHECK-NOT: afn
  %e = math.exp %x : f32
  tile.sum %e per <row> into f32
}
