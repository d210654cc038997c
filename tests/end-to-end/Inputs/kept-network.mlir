// Two products one after the other, of which the first is a result, too.
#t3 = #alg.algebra<"T(3)">
!x = !alg.slots<?x12xf32, rows(cyclic 3), cols(3 x 4)>
!h = !alg.slots<?x24xf32, rows(cyclic 3), cols(3 x 8)>
!w = !alg.slots<12x24xf32, rows(3 x 4), cols(3 x 8)>
!v = !alg.slots<24x12xf32, rows(3 x 8), cols(3 x 4)>

func.func @forward(%x: tensor<?x12xf32>, %w: tensor<12x24xf32>, %v: tensor<24x12xf32>, %p0: index)
    -> (tensor<?x24xf32>, tensor<?x12xf32>) {
  %zero = arith.constant 0.0 : f32
  %xs = alg.slots %x rows(cyclic 3, %p0) cols(3 x 4) : tensor<?x12xf32>
  %ws = alg.slots %w rows(3 x 4) cols(3 x 8) : tensor<12x24xf32>
  %vs = alg.slots %v rows(3 x 8) cols(3 x 4) : tensor<24x12xf32>
  %sums = alg.contract %xs, %ws by #t3 -> k : !x, !w
  %h = alg.map %sums : (!h) -> !h {
  ^bb0(%s: f32):
    %positive = arith.maximumf %s, %zero : f32
    alg.yield %positive : f32
  }
  %ys = alg.contract %h, %vs by #t3 -> k : !h, !v
  %kept = alg.gather %h : !h
  %y = alg.gather %ys : !x
  return %kept, %y : tensor<?x24xf32>, tensor<?x12xf32>
}
