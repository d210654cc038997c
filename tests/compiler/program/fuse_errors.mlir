// RUN: alg-opt %s -split-input-file -verify-diagnostics --alg-fuse
// RUN: not alg-opt %s --alg-fuse=results=0 2>&1 | FileCheck %s
// CHECK: error: a kernel has at least one result, got 0

// expected-error @+1 {{only a function of one block is a program}}
func.func @blocks(%x: tensor<?xf32>) -> tensor<?xf32> {
  cf.br ^end
^end:
  return %x : tensor<?xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// expected-error @+1 {{the types of the rows of this view are not known here}}
func.func @views(%xs: !x, %ws: !w) -> tensor<?xf32> {
  // expected-note @+1 {{the step that it reads}}
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-remark @+1 {{a reduction needs whole rows or columns}}
  %s = alg.reduce sum %ys over columns : !x -> tensor<?xf32>
  return %s : tensor<?xf32>
}
