// An error in an expression points into the expression.
// RUN: not alg-opt %s 2>&1 | FileCheck %s

// CHECK: caret.mlir:[[#@LINE+1]]:63: error: 'R' is not an algebra
func.func private @caret() attributes {a = #alg.algebra<"Q(2)*R(3)">}
