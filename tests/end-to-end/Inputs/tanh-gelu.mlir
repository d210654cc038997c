// A GELU by a hyperbolic tangent of a cubic polynomial.
!v = !alg.slots<?x8xf32, plain(1)>
func.func @forward(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x plain(1) : tensor<?x8xf32>
  %ys = alg.map %xs : !v {
  ^bb0(%a: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %cubic = arith.constant 0.044715 : f32
    %root = arith.constant 0.797884561 : f32
    %square = arith.mulf %a, %a : f32
    %cube = arith.mulf %square, %a : f32
    %bent = arith.mulf %cubic, %cube : f32
    %sum = arith.addf %a, %bent : f32
    %inner = arith.mulf %root, %sum : f32
    %t = math.tanh %inner : f32
    %gate = arith.addf %one, %t : f32
    %part = arith.mulf %half, %a : f32
    %y = arith.mulf %part, %gate : f32
    alg.yield %y : f32
  }
  %result = alg.gather %ys : !v
  return %result : tensor<?x8xf32>
}
