// What comes out of a contraction, in every mode and either lift.
// RUN: alg-opt %s | FileCheck %s

!x = !alg.slots<?x6xbf16, rows(cyclic 2), cols([2, 4])>
!w = !alg.slots<6x8xbf16, rows([2, 4]), cols([5, 3])>
!y = !alg.slots<?x8xbf16, rows(cyclic 2), cols([5, 3])>

// The result types are inferred: a return of other types would not verify.
// CHECK-LABEL: @row_lift
func.func @row_lift(%x: !x, %w: !w, %dy: !y) -> (!y, !x, !w) {
  // CHECK: alg.contract %{{.*}}, %{{.*}} by #[[Q2:.*]] -> k
  %y = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  // CHECK: alg.contract %{{.*}}, %{{.*}} by #[[Q2]] -> i
  %dx = alg.contract %dy, %w by #alg.algebra<"Q(2)"> -> i : !y, !w
  // CHECK: alg.contract %{{.*}}, %{{.*}} by #[[Q2]] -> j
  %dw = alg.contract %x, %dy by #alg.algebra<"Q(2)"> -> j : !x, !y
  return %y, %dx, %dw : !y, !x, !w
}

!px = !alg.slots<?x8xf32, plain(2)>
!pw = !alg.slots<2x4x3xf32, plain(2)>
!py = !alg.slots<?x6xf32, plain(2)>

#complex = #alg.algebra<"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1']]})">

// CHECK-LABEL: @slot_lift
func.func @slot_lift(%x: !px, %w: !pw, %dy: !py) -> (!py, !px, !pw) {
  %y = alg.contract %x, %w by #complex -> k : !px, !pw
  %dx = alg.contract %dy, %w by #complex -> i : !py, !pw
  %dw = alg.contract %x, %dy by #complex -> j : !px, !py
  return %y, %dx, %dw : !py, !px, !pw
}

// Rows of the table that are equal are one type: M(2) has one, Q(2)*M(2) two.
!tx = !alg.slots<?x8xf32, rows(cyclic 2), cols(4 x 2)>
!tw = !alg.slots<8x4xf32, rows(4 x 2), cols(4 x 1)>
!ty = !alg.slots<?x4xf32, rows(cyclic 2), cols(4 x 1)>

// CHECK-LABEL: @merged_types
func.func @merged_types(%x: !tx, %w: !tw) -> !ty {
  %y = alg.contract %x, %w by #alg.algebra<"Q(2)*M(2)"> -> k : !tx, !tw
  return %y : !ty
}

// Over an algebra that is not associative a gather separates two products.
#loose = #alg.algebra<"table({'dimension':2,'constants':[[0,0,1,'1'],[1,0,0,'1']]})", allow_nonassociative>
!lw = !alg.slots<2x4x4xf32, plain(2)>

// CHECK-LABEL: @separated
func.func @separated(%x: !px, %w: !lw) -> !px {
  %y = alg.contract %x, %w by #loose -> k : !px, !lw
  %t = alg.gather %y : !px
  %v = alg.slots %t plain(2) : tensor<?x8xf32>
  %z = alg.contract %v, %w by #loose -> k : !px, !lw
  return %z : !px
}

#q2 = #alg.algebra<"Q(2)">

// The sums as they are, for maps that round once.
!sums = !alg.slots<?x8xf32, rows(cyclic 2), cols([5, 3])>

// CHECK-LABEL: @into
func.func @into(%x: !x, %w: !w) -> !sums {
  // CHECK: alg.contract %{{.*}}, %{{.*}} by #{{.*}} -> k : !{{.*}}, !{{.*}} into f32
  %y = alg.contract %x, %w by #q2 -> k : !x, !w into f32
  return %y : !sums
}

// Weight matrices are composed and their gradients taken as those of activations are, in either lift.
!v = !alg.slots<8x12xbf16, rows([5, 3]), cols(2 x 6)>
!wv = !alg.slots<6x12xbf16, rows([2, 4]), cols(2 x 6)>
!pv = !alg.slots<2x3x5xf32, plain(2)>
!pwv = !alg.slots<2x4x5xf32, plain(2)>

// CHECK-LABEL: @banks
func.func @banks(%w: !w, %v: !v, %pw: !pw, %pv: !pv) -> (!wv, !w, !v, !pwv, !pw, !pv) {
  // CHECK: alg.contract %{{.*}}, %{{.*}} by #{{.*}} -> k : !weights{{[0-9]*}}, !weights
  %wv = alg.contract %w, %v by #q2 -> k : !w, !v
  %dw = alg.contract %wv, %v by #q2 -> i : !wv, !v
  %dv = alg.contract %w, %wv by #q2 -> j : !w, !wv
  %pwv = alg.contract %pw, %pv by #complex -> k : !pw, !pv
  %dpw = alg.contract %pwv, %pv by #complex -> i : !pwv, !pv
  %dpv = alg.contract %pw, %pwv by #complex -> j : !pw, !pwv
  return %wv, %dw, %dv, %pwv, %dpw, %dpv : !wv, !w, !v, !pwv, !pw, !pv
}
