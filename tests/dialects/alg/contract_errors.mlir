// RUN: alg-opt %s -verify-diagnostics -split-input-file

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @bank_and_activations(%x: !x, %w: !w) {
  // expected-error @+1 {{mode k takes a weight matrix as its right operand, not activations}}
  %y = alg.contract %w, %x by #alg.algebra<"Q(2)"> -> k : !w, !x
  return
}

// -----

!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>
!v = !alg.slots<8x8xf32, rows(4 x 2), cols(2 x 4)>

func.func @bank_rows(%v: !v, %w: !w) {
  // expected-error @+1 {{the rows of the left operand are cut into 4 groups of 2, the row lift of 'Q(2)' has 2}}
  %y = alg.contract %v, %w by #alg.algebra<"Q(2)"> -> k : !v, !w
  return
}

// -----

!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>
!v = !alg.slots<8x6xf32, rows([3, 5]), cols(2 x 3)>

func.func @bank_gradient_rows(%v: !v, %w: !w) {
  // expected-error @+1 {{the rows of the left operand are cut into 2 groups of 4, the rows of the right operand into 2 groups of [3, 5]}}
  %y = alg.contract %w, %v by #alg.algebra<"Q(2)"> -> j : !w, !v
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @into_the_same(%x: !x, %w: !w) {
  // expected-error @+1 {{the sums are rounded to f32 in any case: leave out 'into'}}
  %y = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w into f32
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

func.func @no_bank(%x: !x) {
  // expected-error @+1 {{mode i takes a weight matrix as its right operand, not activations}}
  %y = alg.contract %x, %x by #alg.algebra<"Q(2)"> -> i : !x, !x
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @bank_gradient(%x: !x, %w: !w) {
  // expected-error @+1 {{mode j takes two activations or two weight matrices, not one of each}}
  %y = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> j : !x, !w
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xbf16, rows(2 x 4), cols(2 x 4)>

func.func @elements(%x: !x, %w: !w) {
  // expected-error @+1 {{the element types of the operands differ: f32 and bf16}}
  %y = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @finite_field(%x: !x, %w: !w) {
  // expected-error @+1 {{'Q(2)' is an algebra over GF(7): it can be verified but not contracted}}
  %y = alg.contract %x, %w by #alg.algebra<"Q(2)", field = "GF(7)"> -> k : !x, !w
  return
}

// -----

!x = !alg.slots<?x8xf32, plain(4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @lifts(%x: !x, %w: !w) {
  // expected-error @+1 {{one operand is a plain view, the other one has rows and columns: they belong to different lifts}}
  %y = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  return
}

// -----

#complex = #alg.algebra<"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1']]})">
!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @no_row_lift(%x: !x, %w: !w) {
  // expected-error @+1 {{is not matrix-like and has no row lift; take plain(2) views}}
  %y = alg.contract %x, %w by #complex -> k : !x, !w
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 4), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @type_count(%x: !x, %w: !w) {
  // expected-error @+1 {{the rows of the left operand are 'cyclic 4', with 4 types, the row lift of 'Q(2)' has 2}}
  %y = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 4), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(4 x 2), cols(4 x 2)>

func.func @column_groups(%x: !x, %w: !w) {
  // expected-error @+1 {{the columns of the left operand are cut into 2 groups of 4, the row lift of 'Q(4)' has 4}}
  %y = alg.contract %x, %w by #alg.algebra<"Q(4)"> -> k : !x, !w
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 4), cols(4 x 2)>
!w = !alg.slots<8x8xf32, rows(4 x 2), cols([3, 5])>

func.func @bank_groups(%x: !x, %w: !w) {
  // expected-error @+1 {{the columns of the weight matrix are cut into 2 groups of [3, 5], the row lift of 'Q(4)' has 4}}
  %y = alg.contract %x, %w by #alg.algebra<"Q(4)"> -> k : !x, !w
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows([3, 5]), cols(2 x 4)>

func.func @inner_groups(%x: !x, %w: !w) {
  // expected-error @+1 {{the columns of the left operand are cut into 2 groups of 4, the rows of the weight matrix into 2 groups of [3, 5]}}
  %y = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  return
}

// -----

!dy = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<6x8xf32, rows(2 x 3), cols([3, 5])>

func.func @outer_groups(%dy: !dy, %w: !w) {
  // expected-error @+1 {{the columns of the left operand are cut into 2 groups of 4, the columns of the weight matrix into 2 groups of [3, 5]}}
  %y = alg.contract %dy, %w by #alg.algebra<"Q(2)"> -> i : !dy, !w
  return
}

// -----

!x = !alg.slots<?x8xf32, plain(2)>
!w = !alg.slots<2x4x4xf32, plain(2)>

func.func @slots(%x: !x, %w: !w) {
  // expected-error @+1 {{the left operand has 2 slots, 'Q(2)' has 4}}
  %y = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  return
}

// -----

!x = !alg.slots<?x8xf32, plain(4)>
!w = !alg.slots<4x3x4xf32, plain(4)>

func.func @slot_width(%x: !x, %w: !w) {
  // expected-error @+1 {{the columns of the left operand are cut into 4 groups of 2, the rows of the weight matrix into 4 groups of 3}}
  %y = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  return
}

// -----

!x = !alg.slots<5x8xf32, rows(cyclic 2), cols(2 x 4)>
!dy = !alg.slots<6x8xf32, rows(cyclic 2), cols(2 x 4)>

func.func @rows(%x: !x, %dy: !dy) {
  // expected-error @+1 {{mode j contracts over the rows, but there are 5 and 6}}
  %dw = alg.contract %x, %dy by #alg.algebra<"Q(2)"> -> j : !x, !dy
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!dy = !alg.slots<?x8xf32, rows(interval 2 x 3), cols(2 x 4)>

func.func @schedules(%x: !x, %dy: !dy) {
  // expected-error @+1 {{mode j contracts over the rows, but their types are 'cyclic 2' and 'interval 2 x 3'}}
  %dw = alg.contract %x, %dy by #alg.algebra<"Q(2)"> -> j : !x, !dy
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

func.func @offsets(%x: tensor<?x8xf32>, %dy: tensor<?x8xf32>) {
  %three = arith.constant 3 : index
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %dys = alg.slots %dy rows(cyclic 2, %three) cols(2 x 4) : tensor<?x8xf32>
  // expected-error @+1 {{combines rows by their types, but one view starts at position 0 and another one at 3}}
  %dw = alg.contract %xs, %dys by #alg.algebra<"Q(2)"> -> j : !x, !x
  return
}

// -----

#loose = #alg.algebra<"table({'dimension':2,'constants':[[0,0,1,'1'],[1,0,0,'1']]})", allow_nonassociative>
!x = !alg.slots<?x8xf32, plain(2)>
!w = !alg.slots<2x4x4xf32, plain(2)>

func.func @composition(%x: !x, %w: !w) {
  // expected-note @+1 {{the inner product}}
  %y = alg.contract %x, %w by #loose -> k : !x, !w
  %h = alg.map %y : !x {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    alg.yield %n : f32
  }
  // expected-error @+1 {{is not associative; gather the inner product first}}
  %z = alg.contract %h, %w by #loose -> k : !x, !w
  return
}

// -----

#loose = #alg.algebra<"table({'dimension':2,'constants':[[0,0,1,'1'],[1,0,0,'1']]})", allow_nonassociative>
!x = !alg.slots<?x8xf32, plain(2)>
!w = !alg.slots<2x4x4xf32, plain(2)>

func.func @outer_loose(%x: !x, %w: !w) {
  // expected-note @+1 {{the inner product}}
  %y = alg.contract %x, %w by #alg.algebra<"D(2)"> -> k : !x, !w
  // expected-error @+1 {{is not associative; gather the inner product first}}
  %z = alg.contract %y, %w by #loose -> k : !x, !w
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @result(%x: !x, %w: !w) {
  // expected-error @+2 {{inferred type(s) '!alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>' are incompatible with return type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = "alg.contract"(%x, %w) <{algebra = #alg.algebra<"Q(2)">, mode = 0 : i32}> : (!x, !w) -> !w
  return
}
