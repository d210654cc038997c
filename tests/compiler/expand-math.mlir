// Functions of maps become arithmetic that every target has; what is one instruction stays.
// RUN: alg-opt %s -expand-math -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @functions
func.func @functions(%a: !tile.fragment<8x16xf32>) -> !tile.fragment<8x16xf32> {
  // Constants stay in the map, which is to be lowered by itself.
  // CHECK-NEXT: tile.map (%[[V:.*]] = %{{.*}} : !tile.fragment<8x16xf32>)
  // CHECK-NOT:  math.{{exp|tanh|erf}}
  // CHECK:      math.fma
  // CHECK-NOT:  math.{{exp|tanh|erf}}
  // CHECK:      math.sqrt
  // CHECK-NEXT: tile.yield
  %r = tile.map (%v = %a : !tile.fragment<8x16xf32>) -> !tile.fragment<8x16xf32> {
    %0 = math.exp %v : f32
    %1 = math.tanh %0 : f32
    %2 = math.erf %1 : f32
    %3 = math.sqrt %2 : f32
    tile.yield %3 : f32
  }
  return %r : !tile.fragment<8x16xf32>
}

// CHECK-LABEL: func.func @instructions
func.func @instructions(%a: !tile.fragment<8x16xf32>) -> !tile.fragment<8x16xf32> {
  // CHECK: math.absf
  // CHECK: math.rsqrt
  // CHECK: math.floor
  %r = tile.map (%v = %a : !tile.fragment<8x16xf32>) -> !tile.fragment<8x16xf32> {
    %0 = math.absf %v : f32
    %1 = math.rsqrt %0 : f32
    %2 = math.floor %1 : f32
    tile.yield %2 : f32
  }
  return %r : !tile.fragment<8x16xf32>
}

// -----

func.func @refused(%a: !tile.fragment<8x16xf32>) {
  %r = tile.map (%v = %a : !tile.fragment<8x16xf32>) -> !tile.fragment<8x16xf32> {
    // expected-error @+1 {{is a function that kernels have no arithmetic for}}
    %0 = math.log10 %v : f32
    tile.yield %0 : f32
  }
  return
}

// -----

func.func @remainder(%a: !tile.fragment<8x16xf32>) {
  %r = tile.map (%v = %a : !tile.fragment<8x16xf32>) -> !tile.fragment<8x16xf32> {
    // expected-error @+1 {{is a function that kernels have no arithmetic for}}
    %0 = arith.remf %v, %v : f32
    tile.yield %0 : f32
  }
  return
}
