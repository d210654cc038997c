// The kinds of views, as types and as operations.
// RUN: alg-opt %s | FileCheck %s

// CHECK-DAG: !activations = !alg.slots<?x1920xbf16, rows(interval 4 x 192), cols([640, 512, 384, 384])>
// CHECK-DAG: !weights = !alg.slots<1920x96xbf16, rows([640, 512, 384, 384]), cols(4 x 24)>
// CHECK-DAG: !alg.slots<16x12xf32, plain(3)>
// CHECK-DAG: !alg.slots<3x4x5xf32, plain(3)>

// CHECK-LABEL: @row_lift
func.func @row_lift(%x: tensor<?x1920xbf16>, %w: tensor<1920x96xbf16>, %p0: index)
    -> (!alg.slots<?x1920xbf16, rows(interval 4 x 192), cols([640, 512, 384, 384])>,
        !alg.slots<1920x96xbf16, rows([640, 512, 384, 384]), cols(4 x 24)>) {
  // CHECK: alg.slots %{{.*}} rows(interval 4 x 192) cols([640, 512, 384, 384]) : tensor<?x1920xbf16>
  %first = alg.slots %x rows(interval 4 x 192) cols([640, 512, 384, 384]) : tensor<?x1920xbf16>
  // CHECK: alg.slots %{{.*}} rows(interval 4 x 192, %{{.*}}) cols([640, 512, 384, 384]) {note = 1 : i64} : tensor<?x1920xbf16>
  %xs = alg.slots %x rows(interval 4 x 192, %p0) cols([640, 512, 384, 384]) {note = 1} : tensor<?x1920xbf16>
  // CHECK: alg.slots %{{.*}} rows([640, 512, 384, 384]) cols(4 x 24) : tensor<1920x96xbf16>
  %ws = alg.slots %w rows(#alg.groups<[640, 512, 384, 384]>) cols(#alg.groups<4 x 24>) : tensor<1920x96xbf16>
  return %xs, %ws : !alg.slots<?x1920xbf16, rows(interval 4 x 192), cols([640, 512, 384, 384])>,
                    !alg.slots<1920x96xbf16, rows([640, 512, 384, 384]), cols(4 x 24)>
}

// CHECK-LABEL: @slot_lift
func.func @slot_lift(%x: tensor<16x12xf32>, %w: tensor<3x4x5xf32>)
    -> (!alg.slots<16x12xf32, plain(3)>, !alg.slots<3x4x5xf32, plain(3)>) {
  %xs = alg.slots %x plain(3) : tensor<16x12xf32>
  %ws = alg.slots %w plain(3) : tensor<3x4x5xf32>
  return %xs, %ws : !alg.slots<16x12xf32, plain(3)>, !alg.slots<3x4x5xf32, plain(3)>
}
