// RUN: alg-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{has no result}}
tile.elementwise @f over [?, 8] (%x: f32 per <element>) {
  %y = arith.addf %x, %x : f32
}

// -----

// expected-error@+1 {{reads f32 or bf16, not 'f16'}}
tile.elementwise @f over [?, 8] (%x: f16 per <element>) {
}

// -----

// expected-error@+1 {{goes over dimensions of which only the first of one or two may be '?'}}
tile.elementwise @f over [8, ?] (%x: f32 per <element>) {
  tile.put %x : f32
}

// -----

// expected-error@+1 {{goes over at most 3 dimensions, got 4}}
tile.elementwise @f over [1, 2, 3, 4] (%x: f32 per <element>) {
  tile.put %x : f32
}

// -----

// expected-error@+1 {{goes over sizes that are negative or leave 64 bits}}
tile.elementwise @f over [4000000000000, 4000000000000] (%x: f32 per <element>) {
  tile.put %x : f32
}

// -----

// expected-error@+1 {{reads a number per row, but its domain has no rows and columns}}
tile.elementwise @f over [?] (%x: f32 per <row>) {
  tile.put %x : f32
}

// -----

tile.elementwise @f over [?, 8] (%x: f32 per <element>) {
  // expected-error@+1 {{is per row, column or call; what is per element is put}}
  tile.sum %x per <element> into f32
}

// -----

tile.elementwise @f over [?] (%x: f32 per <element>) {
  // expected-error@+1 {{is per column, but the domain has no rows and columns}}
  tile.maximum %x per <column> into f32
}

// -----

tile.elementwise @f over [?, 8] (%x: f32 per <element>) {
  tile.sum %x per <row> into f32
  // expected-error@+1 {{is per column, but another result of the kernel per row: a worker owns whole rows, or whole columns}}
  tile.sum %x per <column> into f32
}

// -----

tile.elementwise @f over [?, 8] (%x: f32 per <element>) {
  // expected-error@+1 {{writes f32 or bf16, not 'f64'}}
  tile.sum %x per <row> into f64
}

// -----

tile.elementwise @f over [?, 8] (%x: f32 per <element>) {
  %more = arith.cmpf ogt, %x, %x : f32
  // expected-error@+1 {{is of 'f64'; elements in tile.elementwise are f32 and bf16}}
  %bits = arith.uitofp %more : i1 to f64
  tile.put %x : f32
}

// -----

tile.elementwise @f over [?, 8] (%x: bf16 per <element>) {
  // expected-error@+1 {{computes with 'bf16'; tile.elementwise computes in f32: widen its operands}}
  %y = arith.addf %x, %x : bf16
  tile.put %y : bf16
}

// -----

tile.elementwise @f over [?, 8] (%x: f32 per <element>, %beta: f32 per <call>) {
  // expected-error@+1 {{adds to what its result held, which is of sums per column alone, and it is per row}}
  tile.sum %x per <row> into f32 held by %beta
}

// -----

tile.elementwise @f over [?, 8] (%x: f32 per <element>, %beta: f32 per <column>) {
  // expected-error@+1 {{counts what its result held by a number that is not an operand per call}}
  tile.sum %x per <column> into f32 held by %beta
}

// -----

tile.elementwise @f over [?, 8] (%x: f32 per <element>) {
  %beta = arith.constant 1.0 : f32
  // expected-error@+1 {{counts what its result held by a number that is not an operand per call}}
  tile.sum %x per <column> into f32 held by %beta
}
