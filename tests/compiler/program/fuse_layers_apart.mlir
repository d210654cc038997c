// Every reason for which products do not join the kernel that makes their rows, where layers may share one. What stays apart is a
// kernel of its own, and correct.
// RUN: alg-opt %s --alg-fuse="layers=true" -verify-diagnostics -split-input-file -o /dev/null

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// The first two of three layers fill a kernel; the third one is another kernel, and what it reads is a tensor.
func.func @third_layer(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>, %u: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %us = alg.slots %u rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %as = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-note @+1 {{the step that it reads}}
  %bs = alg.contract %as, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{stays apart from the step that it reads: a kernel has two layers of products at most}}
  %ys = alg.contract %bs, %us by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// The hidden state is nowhere as a whole, so that nobody else can have it.
func.func @hidden_returned(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{stays apart from the step that it reads: what the first layer of products leaves is read by other steps as well, and is nowhere as a whole}}
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  %h = alg.gather %hs : !x
  %y = alg.gather %ys : !x
  return %h, %y : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// Each product alone would take away what the other one reads.
func.func @two_second_returned(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>, %u: tensor<8x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %us = alg.slots %u rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{stays apart from the step that it reads: what the first layer of products leaves is read by other steps as well, and is nowhere as a whole}}
  %as = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{stays apart from the step that it reads: what the first layer of products leaves is read by other steps as well, and is nowhere as a whole}}
  %bs = alg.contract %hs, %us by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %as : !x
  %z = alg.gather %bs : !x
  return %y, %z : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// A tile of the second layer has the hidden groups of its terms in the buffer, and its map wants others.
func.func @beside(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{stays apart from the step that it reads: a map reads what the first layer of products has left beside what the second makes of it}}
  %zs = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{stays apart from the step that it reads: a map reads what the first layer of products has left beside what the second makes of it}}
  %ys = alg.map %zs, %hs : !x {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    alg.yield %c : f32
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// The map also reads a product of X. It would be of the last layer, whose rows are others.
func.func @beside_product(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>, %u: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %us = alg.slots %u rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %zs = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-note @+1 {{the step that it reads}}
  %ss = alg.contract %xs, %us by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{stays apart from the step that it reads: the contractions do not read the same activations with the same terms}}
  %ys = alg.map %zs, %ss : !x {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    alg.yield %c : f32
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// A map of X is no product, and would be made anew for each group that has a term with it.
func.func @map_before(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %ms = alg.map %xs : !x {
  ^bb0(%a: f32):
    %b = math.tanh %a : f32
    alg.yield %b : f32
  }
  // expected-remark @+1 {{stays apart from the step that it reads: a map of what products read is a step before them: each group that has a term with it would compute it again}}
  %ys = alg.contract %ms, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// The same before two layers, which are one kernel without it.
func.func @map_before_two(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %ms = alg.map %xs : !x {
  ^bb0(%a: f32):
    %b = math.tanh %a : f32
    alg.yield %b : f32
  }
  // expected-remark @+1 {{stays apart from the step that it reads: a map of what products read is a step before them: each group that has a term with it would compute it again}}
  %hs = alg.contract %ms, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// Weights that are a product belong to no rows of the batch.
func.func @weights(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %cs = alg.contract %ws, %vs by #alg.algebra<"Q(2)"> -> k : !w, !w
  // expected-remark @+1 {{stays apart from the step that it reads: weights that are computed are whole before they are read}}
  %ys = alg.contract %xs, %cs by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @weights_mapped_product(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %hs = alg.contract %ws, %vs by #alg.algebra<"Q(2)"> -> k : !w, !w
  // expected-note @+1 {{the step that it reads}}
  %cs = alg.map %hs : !w {
  ^bb0(%a: f32):
    %b = math.tanh %a : f32
    alg.yield %b : f32
  }
  // expected-remark @+1 {{stays apart from the step that it reads: weights that are computed are whole before they are read}}
  %ys = alg.contract %xs, %cs by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @weights_mapped(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %cs = alg.map %ws : !w {
  ^bb0(%a: f32):
    %b = math.tanh %a : f32
    alg.yield %b : f32
  }
  // expected-remark @+1 {{stays apart from the step that it reads: a map of what products read is a step before them: each group that has a term with it would compute it again}}
  %ys = alg.contract %xs, %cs by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// Gradients of activations go through the transposed weights, of which kernels of two layers know nothing: in the second layer,
// in the first and in both.
func.func @mode_ki(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{stays apart from the step that it reads: the products of a kernel of two layers are of mode k, and a gradient of activations is of mode i}}
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> i : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @mode_ik(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> i : !x, !w
  // expected-remark @+1 {{stays apart from the step that it reads: the products of a kernel of two layers are of mode k, and a gradient of activations is of mode i}}
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @mode_i(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> i : !x, !w
  // expected-remark @+1 {{stays apart from the step that it reads: the products of a kernel of two layers are of mode k, and a gradient of activations is of mode i}}
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> i : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// What a slot of the second layer needs follows from the algebra that made the first one's slots.
func.func @other_algebra(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{stays apart from the step that it reads: the products of two layers are by different algebras}}
  %ys = alg.contract %hs, %vs by #alg.algebra<"T(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>
!r = !alg.slots<?x8xf32, rows(explicit 2), cols(2 x 4)>

// Rows are told other types between the layers: who owns rows of one type there has rows of others before.
func.func @row_types(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>, %types: tensor<?xi32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %h = alg.gather %hs : !x
  %rs = alg.slots %h rows(explicit 2, %types) cols(2 x 4) : tensor<?x8xf32>
  // expected-remark @+1 {{stays apart from the step that it reads: the rows of the two layers have other types, or elements of other types}}
  %zs = alg.contract %rs, %vs by #alg.algebra<"Q(2)"> -> k : !r, !w
  %z = alg.gather %zs : !r
  return %z : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, plain(4)>
!w = !alg.slots<4x2x2xf32, plain(4)>

// Rows without types are of the lift by slots.
func.func @lift_by_slots(%x: tensor<?x8xf32>, %w: tensor<4x2x2xf32>, %v: tensor<4x2x2xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x plain(4) : tensor<?x8xf32>
  %ws = alg.slots %w plain(4) : tensor<4x2x2xf32>
  %vs = alg.slots %v plain(4) : tensor<4x2x2xf32>
  // expected-note @+1 {{the step that it reads}}
  %hs = alg.contract %xs, %ws by #alg.algebra<"M(2)"> -> k : !x, !w
  // expected-remark @+1 {{stays apart from the step that it reads: kernels of two layers are in the lift by rows, where every row has a type}}
  %ys = alg.contract %hs, %vs by #alg.algebra<"M(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// Rows of a weight matrix are no batch.
func.func @weights_rows(%w: tensor<8x8xf32>, %v: tensor<8x8xf32>, %u: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %us = alg.slots %u rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %cs = alg.contract %ws, %vs by #alg.algebra<"Q(2)"> -> k : !w, !w
  // expected-remark @+1 {{stays apart from the step that it reads: products of weights are made once for all rows}}
  %ys = alg.contract %cs, %us by #alg.algebra<"Q(2)"> -> k : !w, !w
  %y = alg.gather %ys : !w
  return %y : tensor<8x8xf32>
}

// -----

!x = !alg.slots<?x8xbf16, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xbf16, rows(2 x 4), cols(2 x 4)>
!s = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!v = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// The first layer multiplies bf16, the second one f32.
func.func @element(%x: tensor<?x8xbf16>, %w: tensor<8x8xbf16>, %v: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xbf16>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xbf16>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w into f32
  // expected-remark @+1 {{stays apart from the step that it reads: the rows of the two layers have other types, or elements of other types}}
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !s, !v
  %y = alg.gather %ys : !s
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>
!other = !alg.slots<?x8xf32, rows(cyclic 2), cols([3, 5])>
!v = !alg.slots<8x8xf32, rows([3, 5]), cols(2 x 4)>

// Hidden groups are cut again between the layers.
func.func @regroup(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows([3, 5]) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %rs = alg.regroup %hs : !x to !other
  // expected-remark @+1 {{stays apart from the step that it reads: the second layer of products reads other groups than the first one leaves}}
  %ys = alg.contract %rs, %vs by #alg.algebra<"Q(2)"> -> k : !other, !v
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// The rows begin at their own position again, whatever the first layer knew: it is another view.
func.func @again(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %h = alg.gather %hs : !x
  %rs = alg.slots %h rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  // expected-remark @+1 {{stays apart from the step that it reads: the second layer of products reads other groups than the first one leaves}}
  %ys = alg.contract %rs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<8x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// The same tensor is the rows and, seen otherwise, the weights: these are whole before a product reads them.
func.func @own_weights(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<8x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-note @+1 {{the step that it reads}}
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %h = alg.gather %hs : !x
  %vs = alg.slots %h rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-remark @+1 {{stays apart from the step that it reads: weights that are computed are whole before they are read}}
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<8x8xf32>
}
