// Every reason for which steps stay apart.
// RUN: alg-opt %s --alg-fuse -verify-diagnostics -split-input-file -o /dev/null
// RUN: alg-opt %s --alg-fuse="results=2 remarks=false" -split-input-file | FileCheck %s --check-prefix=TWO

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// What two read is one kernel's result and the other one's operand.
// TWO-LABEL: func.func private @read_twice_0
// TWO: return %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<?x8xf32>
// TWO-LABEL: func.func @read_twice
// TWO-NEXT: call @read_twice_0
// TWO-NEXT: return
func.func @read_twice(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{the result is read by other steps as well, and a kernel has 1 result}}
  %zs = alg.map %ys : !x {
  ^bb0(%a: f32):
    %b = math.tanh %a : f32
    alg.yield %b : f32
  }
  %y = alg.gather %ys : !x
  %z = alg.gather %zs : !x
  return %y, %z : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @reduction(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{a reduction needs whole rows or columns, of which the tiles of a contraction are parts}}
  %s = alg.reduce sum %ys over columns : !x -> tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// The map joins the first product; the second one reads other activations.
func.func @other_activations(%x: tensor<?x8xf32>, %z: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %zs = alg.slots %z rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-note @+1 {{the step that it reads}}
  %us = alg.contract %zs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{the contractions do not read the same activations with the same terms}}
  %hs = alg.map %ys, %us : !x {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    alg.yield %c : f32
  }
  %h = alg.gather %hs : !x
  return %h : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @gradient_of_weights(%x: tensor<?x8xf32>, %dy: tensor<?x8xf32>) -> tensor<8x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %dys = alg.slots %dy rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %dws = alg.contract %xs, %dys by #alg.algebra<"Q(2)"> -> j : !x, !x
  // expected-remark @+1 {{a gradient of weights is added up over the rows of the batch and stored as it is}}
  %n = alg.map %dws : !w {
  ^bb0(%a: f32):
    %b = math.tanh %a : f32
    alg.yield %b : f32
  }
  %dw = alg.gather %n : !w
  return %dw : tensor<8x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, plain(2)>

func.func @statistics(%x: tensor<?x8xf32>, %t: tensor<?xf32>) -> tensor<?xf32> {
  %xs = alg.slots %x plain(2) : tensor<?x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %s = alg.reduce sum %xs over columns : !x -> tensor<?xf32>
  // expected-remark @+1 {{the result of a reduction is known when all of its rows or columns have been read}}
  %u = arith.addf %s, %t : tensor<?xf32>
  return %u : tensor<?xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!fine = !alg.slots<?x8xf32, rows(cyclic 2), cols(4 x 2)>

func.func @cuts(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %ys = alg.map %xs : !x {
  ^bb0(%a: f32):
    %b = math.tanh %a : f32
    alg.yield %b : f32
  }
  %fine = alg.regroup %ys : !x to !fine
  // expected-remark @+1 {{their views are cut differently}}
  %zs = alg.map %fine : !fine {
  ^bb0(%a: f32):
    %b = math.tanh %a : f32
    alg.yield %b : f32
  }
  %z = alg.gather %zs : !fine
  return %z : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @third_step(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-note @+2 {{the step that it reads}}
  // expected-remark @+1 {{a reduction needs whole rows or columns, of which the tiles of a contraction are parts}}
  %s = alg.reduce sum %ys over columns : !x -> tensor<?xf32>
  // expected-remark @+2 {{an operand of the one depends on the result of the other through a third step}}
  // expected-remark @+1 {{the result of a reduction is known when all of its rows or columns have been read}}
  %zs = alg.map %ys rows %s : (!x, tensor<?xf32>) -> !x {
  ^bb0(%a: f32, %b: f32):
    %c = arith.divf %a, %b : f32
    alg.yield %c : f32
  }
  %z = alg.gather %zs : !x
  return %z : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

// A worker has the sum over rows with the map; the sum over all reads what that leaves.
// TWO-LABEL: func.func private @two_extents_0
// TWO:         alg.map
// TWO:         alg.reduce sum %{{.*}} over rows
// TWO-NOT:     alg.reduce
// TWO-LABEL: func.func private @two_extents_1
// TWO:         alg.reduce sum %{{.*}} over all
func.func @two_extents(%x: tensor<?x8xf32>) -> (tensor<8xf32>, tensor<f32>) {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %squares = alg.map %xs : !x {
  ^bb0(%a: f32):
    %b = arith.mulf %a, %a : f32
    alg.yield %b : f32
  }
  // expected-remark @+1 {{the result is read by other steps as well, and a kernel has 1 result}}
  %of_rows = alg.reduce sum %squares over rows : !x -> tensor<8xf32>
  // expected-remark @+1 {{the result is read by other steps as well, and a kernel has 1 result}}
  %of_all = alg.reduce sum %squares over all : !x -> tensor<f32>
  return %of_rows, %of_all : tensor<8xf32>, tensor<f32>
}
