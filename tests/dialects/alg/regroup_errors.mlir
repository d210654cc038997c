// RUN: alg-opt %s -verify-diagnostics -split-input-file

!a = !alg.slots<4x8xf32, rows(cyclic 2), cols(2 x 4)>
!b = !alg.slots<5x8xf32, rows(cyclic 2), cols(2 x 4)>

func.func @tensor(%a: !a) {
  // expected-error @+1 {{changes groups, not the tensor: 'tensor<4x8xf32>' and 'tensor<5x8xf32>'}}
  %b = alg.regroup %a : !a to !b
  return
}

// -----

!a = !alg.slots<4x8xf32, rows(cyclic 2), cols(2 x 4)>
!b = !alg.slots<4x8xf32, plain(4)>

func.func @plain(%a: !a) {
  // expected-error @+1 {{changes groups, and plain views have none}}
  %b = alg.regroup %a : !a to !b
  return
}

// -----

!a = !alg.slots<4x8xf32, rows(cyclic 2), cols(2 x 4)>
!b = !alg.slots<4x8xf32, rows(cyclic 4), cols(2 x 4)>

func.func @types(%a: !a) {
  // expected-error @+1 {{changes groups, not the types of the rows}}
  %b = alg.regroup %a : !a to !b
  return
}

// -----

!a = !alg.slots<4x8xf32, rows(cyclic 2), cols(2 x 4)>
!b = !alg.slots<4x8xf32, rows(2 x 2), cols(2 x 4)>

func.func @role(%a: !a) {
  // expected-error @+1 {{changes groups, not the types of the rows}}
  %b = alg.regroup %a : !a to !b
  return
}
