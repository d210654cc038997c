// RUN: not alg-opt %s --alg-compose=rows=0 2>&1 | FileCheck %s
// CHECK: error: products have at least one row, got 0

func.func @nothing() {
  return
}
