!x = !alg.slots<?x12xf32, rows(cyclic 3), cols(3 x 4)>
!w = !alg.slots<12x9xf32, rows(3 x 4), cols([2, 3, 4])>
!y = !alg.slots<?x9xf32, rows(cyclic 3), cols([2, 3, 4])>
// softmax over the columns of x w + b, T(3), unequal groups
func.func @soft(%x: tensor<?x12xf32>, %w: tensor<12x9xf32>, %b: tensor<9xf32>, %p0: index) -> tensor<?x9xf32> {
  %xs = alg.slots %x rows(cyclic 3, %p0) cols(3 x 4) : tensor<?x12xf32>
  %ws = alg.slots %w rows(3 x 4) cols([2, 3, 4]) : tensor<12x9xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"T(3)"> -> k : !x, !w
  %zs = alg.map %ys columns %b : (!y, tensor<9xf32>) -> !y {
  ^bb0(%a: f32, %s: f32):
    %c = arith.addf %a, %s : f32
    alg.yield %c : f32
  }
  %m = alg.reduce maximum %zs over columns : !y -> tensor<?xf32>
  %es = alg.map %zs rows %m : (!y, tensor<?xf32>) -> !y {
  ^bb0(%a: f32, %s: f32):
    %c = arith.subf %a, %s : f32
    %e = math.exp %c : f32
    alg.yield %e : f32
  }
  %s = alg.reduce sum %es over columns : !y -> tensor<?xf32>
  %ps = alg.map %es rows %s : (!y, tensor<?xf32>) -> !y {
  ^bb0(%a: f32, %t: f32):
    %c = arith.divf %a, %t : f32
    alg.yield %c : f32
  }
  %p = alg.gather %ps : !y
  return %p : tensor<?x9xf32>
}
