// Which products are given to the matrix unit of AMX, on the level that has it.
// RUN: alg-opt %s -split-input-file -convert-alg-to-tile="cpu=sapphirerapids rows=2048" | FileCheck %s
// RUN: alg-opt %s -split-input-file -convert-alg-to-tile="cpu=x86-64-v4 rows=2048" | FileCheck %s --check-prefix=V4
// V4-NOT: amx

// bf16 with coefficients of 1, by packed and by copied panels of pairs; not in place.
// CHECK-LABEL: tile.kernel @halves_packed
// CHECK-SAME:  panels [[PANEL:16|32]] x 2>
// CHECK-SAME:  weights = packed, unit = amx>
// CHECK-LABEL: tile.kernel @halves_pack(
// CHECK-SAME:  weights = packed, unit = amx>
// CHECK-LABEL: tile.kernel @halves_copied
// CHECK-SAME:  weights = copied, unit = amx>
// CHECK-LABEL: tile.kernel @halves_direct
// CHECK-SAME:  weights = direct>
func.func @halves(%x: tensor<?x256xbf16>, %w: tensor<256x256xbf16>, %p0: index) -> tensor<?x256xbf16> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 64) : tensor<?x256xbf16>
  %ws = alg.slots %w rows(4 x 64) cols(4 x 64) : tensor<256x256xbf16>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(4)"> -> k
      : !alg.slots<?x256xbf16, rows(cyclic 4), cols(4 x 64)>, !alg.slots<256x256xbf16, rows(4 x 64), cols(4 x 64)>
  %y = alg.gather %ys : !alg.slots<?x256xbf16, rows(cyclic 4), cols(4 x 64)>
  return %y : tensor<?x256xbf16>
}

// -----

// CHECK-LABEL: tile.kernel @singles_packed
// CHECK-NOT:   amx
func.func @singles(%x: tensor<?x256xf32>, %w: tensor<256x256xf32>, %p0: index) -> tensor<?x256xf32> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 64) : tensor<?x256xf32>
  %ws = alg.slots %w rows(4 x 64) cols(4 x 64) : tensor<256x256xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(4)"> -> k
      : !alg.slots<?x256xf32, rows(cyclic 4), cols(4 x 64)>, !alg.slots<256x256xf32, rows(4 x 64), cols(4 x 64)>
  %y = alg.gather %ys : !alg.slots<?x256xf32, rows(cyclic 4), cols(4 x 64)>
  return %y : tensor<?x256xf32>
}

// -----

// Signs are for vectors of pairs.
// CHECK-LABEL: tile.kernel @signs_packed
// CHECK-SAME:  x 2>
// CHECK-NOT:   amx
// CHECK-LABEL: tile.kernel @signs_direct
// CHECK-NOT:   amx
// CHECK:         tile.store
#complex = #alg.algebra<"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1']]})">
func.func @signs(%x: tensor<?x16xbf16>, %w: tensor<2x8x12xbf16>) -> tensor<?x24xbf16> {
  %xs = alg.slots %x plain(2) : tensor<?x16xbf16>
  %ws = alg.slots %w plain(2) : tensor<2x8x12xbf16>
  %ys = alg.contract %xs, %ws by #complex -> k
      : !alg.slots<?x16xbf16, plain(2)>, !alg.slots<2x8x12xbf16, plain(2)>
  %y = alg.gather %ys : !alg.slots<?x24xbf16, plain(2)>
  return %y : tensor<?x24xbf16>
}

// -----

// The gradient of the weight matrix: X is transposed on its way. Signs are changed there, too.
// CHECK-LABEL: tile.kernel @gradient_bf16(
// CHECK-SAME:  weights = copied, unit = amx>
// CHECK:         tile.bring %x{{.*}} along <features> to %{{.*}} : <?x256xbf16> to <[[ROWS:[0-9]+]]x{{[0-9]+}}xbf16, panels {{16|32|64}} x 32>
// CHECK:         tile.bring %dy{{.*}} along <columns> to %{{.*}} : <?x256xbf16> to <[[ROWS]]x{{16|32|64}}xbf16, panels {{16|32|64}} x 2>
func.func @gradient(%x: tensor<?x256xbf16>, %dy: tensor<?x256xbf16>, %p0: index) -> tensor<256x256xbf16> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 64) : tensor<?x256xbf16>
  %dys = alg.slots %dy rows(cyclic 4, %p0) cols(4 x 64) : tensor<?x256xbf16>
  %dws = alg.contract %xs, %dys by #alg.algebra<"Q(4)"> -> j
      : !alg.slots<?x256xbf16, rows(cyclic 4), cols(4 x 64)>, !alg.slots<?x256xbf16, rows(cyclic 4), cols(4 x 64)>
  %dw = alg.gather %dws : !alg.slots<256x256xbf16, rows(4 x 64), cols(4 x 64)>
  return %dw : tensor<256x256xbf16>
}

// -----

// CHECK-LABEL: tile.kernel @signed_gradient_f32(
// CHECK-SAME:  unit = amx>
// CHECK:         tile.bring %x{{.*}} along <features> to %{{.*}} scale %{{.*}} signs :
#complex = #alg.algebra<"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1']]})">
func.func @signed_gradient(%x: tensor<?x64xbf16>, %dy: tensor<?x64xbf16>) -> tensor<2x32x32xbf16> {
  %xs = alg.slots %x plain(2) : tensor<?x64xbf16>
  %dys = alg.slots %dy plain(2) : tensor<?x64xbf16>
  %dws = alg.contract %xs, %dys by #complex -> j
      : !alg.slots<?x64xbf16, plain(2)>, !alg.slots<?x64xbf16, plain(2)>
  %dw = alg.gather %dws : !alg.slots<2x32x32xbf16, plain(2)>
  return %dw : tensor<2x32x32xbf16>
}

// -----

// Of narrow groups squares would be nearly empty: pairs of rows, by vectors.
// CHECK-LABEL: tile.kernel @narrow_f32(
// CHECK-SAME:  weights = direct>
// CHECK:         tile.bring %x{{.*}} along <features> to %{{.*}} x 2>
func.func @narrow(%x: tensor<?x8xbf16>, %dy: tensor<?x16xbf16>, %p0: index) -> tensor<8x16xbf16> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 2) : tensor<?x8xbf16>
  %dys = alg.slots %dy rows(cyclic 4, %p0) cols(4 x 4) : tensor<?x16xbf16>
  %dws = alg.contract %xs, %dys by #alg.algebra<"Q(4)"> -> j
      : !alg.slots<?x8xbf16, rows(cyclic 4), cols(4 x 2)>, !alg.slots<?x16xbf16, rows(cyclic 4), cols(4 x 4)>
  %dw = alg.gather %dws : !alg.slots<8x16xbf16, rows(4 x 2), cols(4 x 4)>
  return %dw : tensor<8x16xbf16>
}
