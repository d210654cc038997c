// Maps whose rows come in runs that are joined: of an operand, of one whose elements threads move, and of one whose last
// map has all rows as they lie.
// RUN: alg-opt %s | alg-opt | FileCheck %s

// CHECK: func.func private @boxes(!sm.maps<4 x 64 x 64 x bf16, row_dimension 3, swizzle 128, run 8>)
func.func private @boxes(!sm.maps<4 x 64 x 64 x bf16, row_dimension 3, run 8, swizzle 128>)

// A box has a fourth of a run.
// CHECK: func.func private @parts(!sm.maps<4 x 8 x 64 x bf16, row_dimension 3, run 32>)
func.func private @parts(!sm.maps<4 x 8 x 64 x bf16, row_dimension 3, run 32>)

// CHECK: func.func private @all(!sm.maps<5 x 16 x 64 x bf16, row_dimension 3, run 4>)
func.func private @all(!sm.maps<5 x 16 x 64 x bf16, row_dimension 3, run 4>)

// Threads move rows one by one.
// CHECK: func.func private @threads(!sm.maps<4 x 24 x 64 x bf16, row_dimension 3, vector 8, unequal, run 16>)
func.func private @threads(!sm.maps<4 x 24 x 64 x bf16, row_dimension 3, vector 8, unequal, run 16>)
