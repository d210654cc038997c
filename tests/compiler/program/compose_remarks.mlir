// What alg-compose says of each product of a product, and why.
// RUN: alg-opt %s --alg-compose="rows=64 kernels" -split-input-file -verify-diagnostics | FileCheck %s

!x = !alg.slots<?x4xf32, rows(cyclic 2), cols(2 x 2)>
!w = !alg.slots<4x40xf32, rows(2 x 2), cols(2 x 20)>
!h = !alg.slots<?x40xf32, rows(cyclic 2), cols(2 x 20)>
!v = !alg.slots<40x4xf32, rows(2 x 20), cols(2 x 2)>

// A row multiplies three blocks of four: 64 x 3 x (2 x 20 + 20 x 2) beside 64 x 3 x 2 x 2 and 4 x 3 x 20 x 2.
// CHECK-LABEL: @composed
// CHECK-COUNT-2: alg.contract
// CHECK-NOT: alg.contract
func.func @composed(%x: !x, %w: !w, %v: !v) -> !x {
  // expected-note @+1 {{the product that it reads}}
  %h = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{is composed with the product that it reads: x (w v) and w v take 1248 multiplications for 64 rows, (x w) v takes 15360}}
  %y = alg.contract %h, %v by #alg.algebra<"Q(2)"> -> k : !h, !v
  return %y : !x
}

// -----

!x = !alg.slots<8x4xf32, rows(cyclic 2), cols(2 x 2)>
!w = !alg.slots<4x4xf32, rows(2 x 2), cols(2 x 2)>

// The type knows how many rows there are.
// CHECK-LABEL: @few_rows
func.func @few_rows(%x: !x, %w: !w, %v: !w) -> !x {
  // expected-note @+1 {{the product that it reads}}
  %h = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{is composed with the product that it reads: x (w v) and w v take 144 multiplications for 8 rows, (x w) v takes 192}}
  %y = alg.contract %h, %v by #alg.algebra<"Q(2)"> -> k : !x, !w
  return %y : !x
}

// -----

!x = !alg.slots<?x40xf32, rows(cyclic 2), cols(2 x 20)>
!w = !alg.slots<40x4xf32, rows(2 x 20), cols(2 x 2)>
!h = !alg.slots<?x4xf32, rows(cyclic 2), cols(2 x 2)>
!v = !alg.slots<4x40xf32, rows(2 x 2), cols(2 x 20)>

// CHECK-LABEL: @low_rank
func.func @low_rank(%x: !x, %w: !w, %v: !v) -> !x {
  // expected-note @+1 {{the product that it reads}}
  %h = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{is not composed with the product that it reads: x (w v) and w v take 81600 multiplications for 64 rows, (x w) v takes 15360}}
  %y = alg.contract %h, %v by #alg.algebra<"Q(2)"> -> k : !h, !v
  return %y : !x
}

// -----

!x = !alg.slots<?x4xf32, rows(cyclic 2), cols(2 x 2)>
!w = !alg.slots<4x40xf32, rows(2 x 2), cols(2 x 20)>
!h = !alg.slots<?x40xf32, rows(cyclic 2), cols(2 x 20)>
!v = !alg.slots<40x4xf32, rows(2 x 20), cols(2 x 2)>

func.func @read_by_others(%x: !x, %w: !w, %v: !v) -> (!h, !x) {
  // expected-note @+1 {{the product that it reads}}
  %h = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{is not composed with the product that it reads: the inner product is read by others as well}}
  %y = alg.contract %h, %v by #alg.algebra<"Q(2)"> -> k : !h, !v
  return %h, %y : !h, !x
}

// -----

!x = !alg.slots<?x4xf32, rows(cyclic 2), cols(2 x 2)>
!w = !alg.slots<4x40xf32, rows(2 x 2), cols(2 x 20)>
!h = !alg.slots<?x40xf32, rows(cyclic 2), cols(2 x 20)>
!v = !alg.slots<40x4xf32, rows(2 x 20), cols(2 x 2)>

func.func @other_algebra(%x: !x, %w: !w, %v: !v) -> !x {
  // expected-note @+1 {{the product that it reads}}
  %h = alg.contract %x, %w by #alg.algebra<"T(2)"> -> k : !x, !w
  // expected-remark @+1 {{is not composed with the product that it reads: the products are not both of one associative algebra}}
  %y = alg.contract %h, %v by #alg.algebra<"Q(2)"> -> k : !h, !v
  return %y : !x
}

// -----

!x = !alg.slots<?x4xf32, rows(cyclic 2), cols([1, 3])>
!w = !alg.slots<4x40xf32, rows([1, 3]), cols(2 x 20)>
!h = !alg.slots<?x40xf32, rows(cyclic 2), cols(2 x 20)>
!v = !alg.slots<40x4xf32, rows(2 x 20), cols(2 x 2)>
!y = !alg.slots<?x4xf32, rows(cyclic 2), cols(2 x 2)>

func.func @unequal_rows(%x: !x, %w: !w, %v: !v) -> !y {
  // expected-note @+1 {{the product that it reads}}
  %h = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{is not composed with the product that it reads: kernels multiply weights by weights where the rows of all types come in intervals of one width}}
  %y = alg.contract %h, %v by #alg.algebra<"Q(2)"> -> k : !h, !v
  return %y : !y
}

// -----

!x = !alg.slots<?x4xf32, plain(4)>
!w = !alg.slots<4x1x40xf32, plain(4)>
!h = !alg.slots<?x160xf32, plain(4)>
!v = !alg.slots<4x40x1xf32, plain(4)>

func.func @slots(%x: !x, %w: !w, %v: !v) -> !x {
  // expected-note @+1 {{the product that it reads}}
  %h = alg.contract %x, %w by #alg.algebra<"M(2)"> -> k : !x, !w
  // expected-remark @+1 {{is not composed with the product that it reads: kernels multiply weights by weights in the lift by rows alone}}
  %y = alg.contract %h, %v by #alg.algebra<"M(2)"> -> k : !h, !v
  return %y : !x
}
