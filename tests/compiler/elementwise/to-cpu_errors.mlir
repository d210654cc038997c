// RUN: alg-opt %s --expand-math --convert-elementwise-to-cpu --split-input-file --verify-diagnostics

tile.elementwise @f over [?, 8] (%x: f32 per <element>) {
  // expected-error@+1 {{is a function that kernels have no arithmetic for}}
  %y = math.log10 %x : f32
  tile.put %y : f32
}
