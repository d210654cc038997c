// How projections become kernels: their operands, their loops, and what is held, copied, multiplied and stored. The
// numbers of a schedule are the cost model's affair; @pinned alone names one.
// RUN: alg-opt %s -split-input-file -convert-alg-to-tile="cpu=x86-64-v4 rows=256" | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: alg-opt %s -split-input-file -convert-alg-to-tile="cpu=x86-64-v3 rows=256" | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: alg-opt %s -split-input-file -canonicalize -convert-alg-to-tile="cpu=x86-64-v3 rows=256" | FileCheck %s --check-prefixes=CANONICAL

// Four kernels of a product, and nothing of the alg dialect's operations left. The packing kernel writes the panels
// that the packed kernel reads.
// CHECK-NOT: func.func
// CHECK-LABEL: tile.kernel @cyclic_packed
// CHECK-SAME: (%x: !tile.matrix<?x64xf32>, %w: !tile.matrix<64x96xf32, panels [[PANEL:[0-9]+]] x 1>, %y: !tile.matrix<?x96xf32>)
// CHECK-SAME: layout = #tile.layout<algebra = #algebra, lift = rows, in = <4 x 16>, weights = <4 x 16>, out = <4 x 24>, row_types = <cyclic 4>>
// CHECK-SAME: register_columns = [[PANEL]],
// WIDE-SAME:  lanes = 16,
// NARROW-SAME: lanes = 8,
// CHECK-SAME: weights = packed>
// CHECK-NEXT: tile.forall (%i, %r, %g) over [<types, [[TYPES:[0-9]+]]>, <rows, [[ROWS:[0-9]+]]>, <groups, 0>] {
// CHECK-NEXT:   %[[HELD:.*]] = tile.hold %x[%i, %r] : <?x64xf32> -> <{{[0-9]+}}x64xf32>
// CHECK-NEXT:   tile.for (%j, %n) over [<groups, 1>, <columns, [[PANEL]]>] {
// CHECK-NEXT:     tile.for (%t) over [<types, 1>] {
// CHECK-NEXT:       tile.for (%s) over [<rows, [[TILE:[0-9]+]]>] {
// CHECK-NEXT:         %[[ZERO:.*]] = tile.zero : <[[TILE]]x[[PANEL]]xf32>
// CHECK-NEXT:         %[[SUM:.*]] = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %[[ZERO]])
// CHECK-NEXT:           %[[NEXT:.*]] = tile.mma %[[HELD]][%t, %k, %s], %w[%b, %j, %n], %sum :
// CHECK-NEXT:           tile.yield %[[NEXT]]
// CHECK:              %[[MASK:.*]] = tile.mask rows(%t, %s) columns(%j, %n) : <[[TILE]]x[[PANEL]]>
// CHECK-NEXT:         tile.store %[[SUM]] to %y[%t, %s, %j, %n] mask %[[MASK]]

// CHECK-LABEL: tile.kernel @cyclic_pack(
// CHECK-SAME: %w: !tile.matrix<64x96xf32>, %packed: !tile.matrix<64x96xf32, panels [[PANEL]] x 1>)
// CHECK-NEXT: tile.forall (%b) over [<weight_rows, 1>] {
// CHECK-NEXT:   tile.for (%j, %n) over [<groups, 1>, <columns, [[PANEL]]>] {
// CHECK-NEXT:     tile.copy %w[%b, %j, %n] to %packed : <64x96xf32> to !tile.matrix<64x96xf32, panels [[PANEL]] x 1>

// CHECK-LABEL: tile.kernel @cyclic_copied
// CHECK-SAME: (%x: !tile.matrix<?x64xf32>, %w: !tile.matrix<64x96xf32>, %y: !tile.matrix<?x96xf32>)
// CHECK-SAME: weights = copied>
// CHECK:      %[[STAGED:.*]] = tile.buffer : <64x[[PANEL:[0-9]+]]xf32, panels [[PANEL]] x 1>
// CHECK-NEXT: tile.for (%j, %n) over [<groups, 1>, <columns, [[PANEL]]>] {
// CHECK-NEXT:   tile.for (%t) over [<types, 1>] {
// CHECK-NEXT:     tile.terms (%k, %b, %c) of (%t, %j) {
// CHECK-NEXT:       tile.copy %w[%b, %j, %n] to %[[STAGED]]{{( once)?}} :
// CHECK:          tile.for (%s)
// CHECK:            tile.mma %{{.*}}[%t, %k, %s], %[[STAGED]][%b, %j, %n], %sum :

// CHECK-LABEL: tile.kernel @cyclic_direct
// CHECK-SAME: (%x: !tile.matrix<?x64xf32>, %w: !tile.matrix<64x96xf32>, %y: !tile.matrix<?x96xf32>)
// CHECK-SAME: weights = direct>
// CHECK-NOT:  tile.copy
// CHECK:      tile.mma %{{.*}}[%t, %k, %s], %w[%b, %j, %n], %sum : !tile.buffer<{{.*}}>, !tile.matrix<64x96xf32>,
func.func @cyclic(%x: tensor<?x64xf32>, %w: tensor<64x96xf32>, %p0: index) -> tensor<?x96xf32> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 16) : tensor<?x64xf32>
  %ws = alg.slots %w rows(4 x 16) cols(4 x 24) : tensor<64x96xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(4)"> -> k
      : !alg.slots<?x64xf32, rows(cyclic 4), cols(4 x 16)>, !alg.slots<64x96xf32, rows(4 x 16), cols(4 x 24)>
  %y = alg.gather %ys : !alg.slots<?x96xf32, rows(cyclic 4), cols(4 x 24)>
  return %y : tensor<?x96xf32>
}

// -----

// Unequal groups and an interval schedule are the layout's affair: the body is the same.
// CHECK-LABEL: tile.kernel @interval_packed
// CHECK-SAME: in = <[5, 8, 3]>, weights = <[5, 8, 3]>, out = <[1, 20, 9]>, row_types = <interval 3 x 7>
// CHECK:      tile.forall (%i, %r, %g) over [<types, {{[0-9]+}}>, <rows, {{[0-9]+}}>, <groups, 0>] {
// CHECK:        tile.terms (%k, %b, %c) of (%t, %j) carry
// CHECK-NEXT:     tile.mma {{.*}}, %sum :
func.func @interval(%x: tensor<?x16xf32>, %w: tensor<16x30xf32>, %p0: index) -> tensor<?x30xf32> {
  %xs = alg.slots %x rows(interval 3 x 7, %p0) cols([5, 8, 3]) : tensor<?x16xf32>
  %ws = alg.slots %w rows([5, 8, 3]) cols([1, 20, 9]) : tensor<16x30xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"T(3)"> -> k
      : !alg.slots<?x16xf32, rows(interval 3 x 7), cols([5, 8, 3])>, !alg.slots<16x30xf32, rows([5, 8, 3]), cols([1, 20, 9])>
  %y = alg.gather %ys : !alg.slots<?x30xf32, rows(interval 3 x 7), cols([1, 20, 9])>
  return %y : tensor<?x30xf32>
}

// -----

// CHECK-LABEL: tile.kernel @explicit_packed
// CHECK-SAME: row_types = <explicit 3>
// CHECK-LABEL: tile.kernel @explicit_direct
func.func @explicit(%x: tensor<?x24xf32>, %w: tensor<24x48xf32>, %types: tensor<?xi32>) -> tensor<?x48xf32> {
  %xs = alg.slots %x rows(explicit 3, %types) cols(3 x 8) : tensor<?x24xf32>
  %ws = alg.slots %w rows(3 x 8) cols(3 x 16) : tensor<24x48xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"path(3)"> -> k
      : !alg.slots<?x24xf32, rows(explicit 3), cols(3 x 8)>, !alg.slots<24x48xf32, rows(3 x 8), cols(3 x 16)>
  %y = alg.gather %ys : !alg.slots<?x48xf32, rows(explicit 3), cols(3 x 16)>
  return %y : tensor<?x48xf32>
}

// -----

#complex = #alg.algebra<"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1']]})">

// A slot algebra: one type, signs on the accumulators. The weight matrix is as wide as one output group, and one step of the
// packing kernel's walk covers all of them. bf16 is held in f32, because neither level multiplies pairs, and rounded
// once, before the store.
// CHECK-LABEL: tile.kernel @signs_packed
// CHECK-SAME: (%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x12xbf16, panels [[PANEL:[0-9]+]] x 1>, %y: !tile.matrix<?x24xbf16>)
// CHECK-SAME: lift = slots, in = <2 x 8>, weights = <2 x 8>, out = <2 x 12>, row_types = <cyclic 1>
// CHECK-NEXT: tile.forall (%i, %r, %g) over [<types, 1>,
// CHECK-NEXT:   tile.hold %x[%i, %r] : <?x16xbf16> -> <{{[0-9]+}}x16xf32>
// CHECK:        %[[SUM:.*]] = tile.terms
// CHECK-NEXT:     tile.mma {{.*}}, %sum scale %c signs :
// CHECK:        %[[HALF:.*]] = tile.map (%[[V:.*]] = %[[SUM]] : !tile.fragment<[[SHAPE:[0-9x]+]]xf32>) -> !tile.fragment<[[SHAPE]]xbf16> {
// CHECK-NEXT:     %[[R:.*]] = arith.truncf %[[V]] : f32 to bf16
// CHECK-NEXT:     tile.yield %[[R]] : bf16
// CHECK:        tile.store %[[HALF]] to %y
// CHECK-LABEL: tile.kernel @signs_pack(
// CHECK:        tile.for (%j, %n) over [<groups, 2>, <columns, [[PANEL]]>] {
func.func @signs(%x: tensor<?x16xbf16>, %w: tensor<2x8x12xbf16>) -> tensor<?x24xbf16> {
  %xs = alg.slots %x plain(2) : tensor<?x16xbf16>
  %ws = alg.slots %w plain(2) : tensor<2x8x12xbf16>
  %ys = alg.contract %xs, %ws by #complex -> k
      : !alg.slots<?x16xbf16, plain(2)>, !alg.slots<2x8x12xbf16, plain(2)>
  %y = alg.gather %ys : !alg.slots<?x24xbf16, plain(2)>
  return %y : tensor<?x24xbf16>
}

// -----

#halves = #alg.algebra<"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1/2']]})">

// A coefficient that is no sign multiplies the rows.
// CHECK-LABEL: tile.kernel @general_packed
// CHECK:        tile.mma {{.*}}, %sum scale %c : !tile.buffer<
// CHECK-LABEL: tile.kernel @general_direct
// CHECK:        tile.mma {{.*}}, %sum scale %c : !tile.buffer<
func.func @general(%x: tensor<?x16xf32>, %w: tensor<2x8x12xf32>) -> tensor<?x24xf32> {
  %xs = alg.slots %x plain(2) : tensor<?x16xf32>
  %ws = alg.slots %w plain(2) : tensor<2x8x12xf32>
  %ys = alg.contract %xs, %ws by #halves -> k
      : !alg.slots<?x16xf32, plain(2)>, !alg.slots<2x8x12xf32, plain(2)>
  %y = alg.gather %ys : !alg.slots<?x24xf32, plain(2)>
  return %y : tensor<?x24xf32>
}

// -----

// A matrix factor on the right is merged into the groups before, where the canonicaliser has run.
// CHECK-LABEL: tile.kernel @matrix_factor_packed
// CHECK-SAME: in = <6 x 8>, weights = <6 x 8>, out = <6 x 12>
// CANONICAL: #[[Q3:.*]] = #alg.algebra<"Q(3)"
// CANONICAL-LABEL: tile.kernel @matrix_factor_packed
// CANONICAL-SAME: layout = #tile.layout<algebra = #[[Q3]], lift = rows, in = <3 x 16>, weights = <3 x 16>, out = <3 x 24>, row_types = <cyclic 3>>
func.func @matrix_factor(%x: tensor<?x48xf32>, %w: tensor<48x72xf32>, %p0: index) -> tensor<?x72xf32> {
  %xs = alg.slots %x rows(cyclic 3, %p0) cols(6 x 8) : tensor<?x48xf32>
  %ws = alg.slots %w rows(6 x 8) cols(6 x 12) : tensor<48x72xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(3)*M(2)"> -> k
      : !alg.slots<?x48xf32, rows(cyclic 3), cols(6 x 8)>, !alg.slots<48x72xf32, rows(6 x 8), cols(6 x 12)>
  %y = alg.gather %ys : !alg.slots<?x72xf32, rows(cyclic 3), cols(6 x 12)>
  return %y : tensor<?x72xf32>
}

// -----

// The one choice that is pinned. 16 rows of each type and groups of 16 columns leave no padding with a panel of one
// vector of 16, while panels of 32 and 48 would be half and two thirds padding, whatever the constants of the cost are.
// WIDE-LABEL: tile.kernel @pinned_packed
// WIDE-SAME: register_columns = 16, lanes = 16, weights = packed>
func.func @pinned(%x: tensor<?x1024xf32>, %w: tensor<1024x256xf32>, %p0: index) -> tensor<?x256xf32> {
  %xs = alg.slots %x rows(cyclic 16, %p0) cols(16 x 64) : tensor<?x1024xf32>
  %ws = alg.slots %w rows(16 x 64) cols(16 x 16) : tensor<1024x256xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(16)"> -> k
      : !alg.slots<?x1024xf32, rows(cyclic 16), cols(16 x 64)>, !alg.slots<1024x256xf32, rows(16 x 64), cols(16 x 16)>
  %y = alg.gather %ys : !alg.slots<?x256xf32, rows(cyclic 16), cols(16 x 16)>
  return %y : tensor<?x256xf32>
}

// -----

// The gradient of the activations is one kernel: groups change sides, and the weight matrix stays as the user stores it.
// CHECK-LABEL: tile.kernel @dx(
// CHECK-SAME:  %dy: !tile.matrix<?x20xf32>, %w: !tile.matrix<16x20xf32>, %dx: !tile.matrix<?x16xf32>)
// CHECK-SAME:  in = <2 x 10>, weights = <2 x 10>, out = <2 x 8>, row_types = <cyclic 2>, mode = i>
// CHECK-SAME:  weights = copied>
// CHECK:         tile.copy %w[%b, %j, %n] to %{{.*}} : <16x20xf32> to !tile.buffer<20x{{[0-9]+}}xf32, panels
// CHECK-NOT:   tile.kernel
func.func @dx(%dy: tensor<?x20xf32>, %w: tensor<16x20xf32>, %p0: index) -> tensor<?x16xf32> {
  %dys = alg.slots %dy rows(cyclic 2, %p0) cols(2 x 10) : tensor<?x20xf32>
  %ws = alg.slots %w rows(2 x 8) cols(2 x 10) : tensor<16x20xf32>
  %dxs = alg.contract %dys, %ws by #alg.algebra<"Q(2)"> -> i
      : !alg.slots<?x20xf32, rows(cyclic 2), cols(2 x 10)>, !alg.slots<16x20xf32, rows(2 x 8), cols(2 x 10)>
  %dx = alg.gather %dxs : !alg.slots<?x16xf32, rows(cyclic 2), cols(2 x 8)>
  return %dx : tensor<?x16xf32>
}

// -----

// In the slot lift, too: the transposed weight matrix has as many blocks.
// CHECK-LABEL: tile.kernel @dx_of_slots(
// CHECK-SAME:  %w: !tile.matrix<16x12xf32>
// CHECK-SAME:  in = <2 x 12>, weights = <2 x 12>, out = <2 x 8>, row_types = <cyclic 1>, mode = i>
func.func @dx_of_slots(%dy: tensor<?x24xf32>, %w: tensor<2x8x12xf32>) -> tensor<?x16xf32> {
  %dys = alg.slots %dy plain(2) : tensor<?x24xf32>
  %ws = alg.slots %w plain(2) : tensor<2x8x12xf32>
  %dxs = alg.contract %dys, %ws by #alg.algebra<"D(2)"> -> i
      : !alg.slots<?x24xf32, plain(2)>, !alg.slots<2x8x12xf32, plain(2)>
  %dx = alg.gather %dxs : !alg.slots<?x16xf32, plain(2)>
  return %dx : tensor<?x16xf32>
}

// -----

// A function that multiplies nothing stays as it is.
// CHECK-LABEL: func.func @nothing
func.func @nothing(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

// The gradient of the weight matrix: one kernel, which goes through the rows of each block's terms. All coefficients are 1.
// CHECK-LABEL: tile.kernel @dw_f32(
// CHECK-SAME:  %x: !tile.matrix<?x64xf32>, %dy: !tile.matrix<?x96xf32>, %dw: !tile.matrix<64x96xf32>)
// CHECK-SAME:  in = <4 x 16>, weights = <4 x 16>, out = <4 x 24>, row_types = <cyclic 4>, mode = j>
// CHECK-NEXT:  tile.forall (%b, %f, %g, %n) over [<weight_rows, 1>, <features, {{[0-9]+}}>, <groups, 1>, <columns, {{[0-9]+}}>] {
// CHECK:         tile.keep
// CHECK:         tile.weight_terms (%t, %k, %o, %c) of (%b, %g) {
// CHECK-NEXT:      tile.for (%s) over [<rows, {{[0-9]+}}>] {
// CHECK-NEXT:        tile.bring %x[%t, %k, %s, %f] along <features> to %[[XS:[0-9a-z]+]] : <?x64xf32>
// CHECK:             tile.bring %dy[%t, %o, %s, %n_0] along <columns> to %[[DYS:[0-9a-z]+]] : <?x96xf32>
// CHECK:             tile.outer %[[XS]][%h], %[[DYS]][%n_0] rows(%t, %s),
// CHECK:         tile.store_weights %{{.*}} to %dw[%b, %h, %g, %n_0] : <{{.*}}> to <64x96xf32>
// CHECK-NOT:   tile.kernel
!x = !alg.slots<?x64xf32, rows(cyclic 4), cols(4 x 16)>
!dy = !alg.slots<?x96xf32, rows(cyclic 4), cols(4 x 24)>
func.func @dw(%x: tensor<?x64xf32>, %dy: tensor<?x96xf32>, %p0: index) -> tensor<64x96xf32> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 16) : tensor<?x64xf32>
  %dys = alg.slots %dy rows(cyclic 4, %p0) cols(4 x 24) : tensor<?x96xf32>
  %dws = alg.contract %xs, %dys by #alg.algebra<"Q(4)"> -> j : !x, !dy
  %dw = alg.gather %dws : !alg.slots<64x96xf32, rows(4 x 16), cols(4 x 24)>
  return %dw : tensor<64x96xf32>
}

// -----

// Of bf16: gradients of either type. In the slot lift blocks have all the weight matrix's columns.
// CHECK-LABEL: tile.kernel @halves_f32(
// CHECK-SAME:  %x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x24xbf16>, %dw: !tile.matrix<16x12xf32>)
// CHECK-SAME:  lift = slots
// CHECK-LABEL: tile.kernel @halves_bf16(
// CHECK-SAME:  %x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x24xbf16>, %dw: !tile.matrix<16x12xbf16>)
func.func @halves(%x: tensor<?x16xbf16>, %dy: tensor<?x24xbf16>) -> tensor<2x8x12xbf16> {
  %xs = alg.slots %x plain(2) : tensor<?x16xbf16>
  %dys = alg.slots %dy plain(2) : tensor<?x24xbf16>
  %dws = alg.contract %xs, %dys by #alg.algebra<"D(2)"> -> j
      : !alg.slots<?x16xbf16, plain(2)>, !alg.slots<?x24xbf16, plain(2)>
  %dw = alg.gather %dws : !alg.slots<2x8x12xbf16, plain(2)>
  return %dw : tensor<2x8x12xbf16>
}

// -----

// A bias is added to the finished sums, before they are rounded. The kernel that packs the weight matrix has no part in it. It
// survives the trailing matrix factor that canonicalization takes out.
// CHECK-LABEL: tile.kernel @biased_packed
// CHECK-SAME:  %[[BIAS:[a-z]+]]: !tile.matrix<1x96xbf16>, %y: !tile.matrix<?x96xbf16>)
// CHECK:         tile.for (%j, %n)
// CHECK:           %[[SUM:.*]] = tile.terms
// CHECK:           %[[BIASED:.*]] = tile.map (%[[V:.*]] = %[[SUM]] : !tile.fragment<{{.*}}xf32>, %[[B:.*]] = %[[BIAS]][%j, %n] : !tile.matrix<1x96xbf16>)
// CHECK-NEXT:        %[[WIDE:.*]] = arith.extf %[[B]] : bf16 to f32
// CHECK-NEXT:        %[[ADDED:.*]] = arith.addf %[[V]], %[[WIDE]] : f32
// CHECK-NEXT:        %[[ROUNDED:.*]] = arith.truncf %[[ADDED]] : f32 to bf16
// CHECK-NEXT:        tile.yield %[[ROUNDED]] : bf16
// CHECK:           tile.store %[[BIASED]] to %y
// CHECK-LABEL: tile.kernel @biased_pack(
// CHECK-NOT:     arith.addf
// CHECK-LABEL: tile.kernel @biased_copied
// CHECK:         arith.addf
// CHECK-LABEL: tile.kernel @biased_direct
// CHECK:         arith.addf
// CANONICAL-LABEL: tile.kernel @biased_packed
// CANONICAL-SAME:    out = <2 x 48>
// CANONICAL:         arith.addf
func.func @biased(%x: tensor<?x64xbf16>, %w: tensor<64x96xbf16>, %p0: index, %bias: tensor<96xbf16>) -> tensor<?x96xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(4 x 16) : tensor<?x64xbf16>
  %ws = alg.slots %w rows(4 x 16) cols(4 x 24) : tensor<64x96xbf16>
  %sums = alg.contract %xs, %ws by #alg.algebra<"Q(2)*M(2)"> -> k
      : !alg.slots<?x64xbf16, rows(cyclic 2), cols(4 x 16)>, !alg.slots<64x96xbf16, rows(4 x 16), cols(4 x 24)> into f32
  %ys = alg.map %sums columns %bias : (!alg.slots<?x96xf32, rows(cyclic 2), cols(4 x 24)>, tensor<96xbf16>) -> !alg.slots<?x96xbf16, rows(cyclic 2), cols(4 x 24)> {
  ^bb0(%sum: f32, %b: bf16):
    %wide = arith.extf %b : bf16 to f32
    %biased = arith.addf %sum, %wide : f32
    %rounded = arith.truncf %biased : f32 to bf16
    alg.yield %rounded : bf16
  }
  %y = alg.gather %ys : !alg.slots<?x96xbf16, rows(cyclic 2), cols(4 x 24)>
  return %y : tensor<?x96xbf16>
}

// -----

// Maps of a product are maps of the finished sums, with an operand of the kernel for each argument that they use: a view like the
// result, and a number. Constants from outside go with the code. Nobody has prepared a clamp.
// CHECK-LABEL: tile.kernel @mapped_packed(
// CHECK-SAME:    %[[R:[a-z0-9_]+]]: !tile.matrix<?x96xf32>, %[[A:[a-z0-9_]+]]: f32, %y: !tile.matrix<?x96xf32>)
// CHECK:         %[[SUM:.*]] = tile.terms
// CHECK:         %[[CLAMPED:.*]] = tile.map (%[[V:.*]] = %[[SUM]] : !tile.fragment<{{.*}}xf32>) -> !tile.fragment<{{.*}}xf32> {
// CHECK:           %[[SIX:.*]] = arith.constant 6.0
// CHECK:           %[[LEAST:.*]] = arith.minimumf %[[V]], %[[SIX]] : f32
// CHECK:           tile.yield %[[LEAST]]
// CHECK:         %[[ADDED:.*]] = tile.map (%[[E:.*]] = %[[R]][%t, %s, %j, %n] : !tile.matrix<?x96xf32>, %[[C:.*]] = %[[CLAMPED]] : !tile.fragment<{{.*}}xf32>, %[[F:.*]] = %[[A]] : f32)
// CHECK:           math.fma %[[E]], %[[F]], %[[C]] : f32
// CHECK:         tile.store %[[ADDED]] to %y
// CHECK-LABEL: tile.kernel @mapped_pack(
// CHECK-LABEL: tile.kernel @mapped_copied
// CHECK:         arith.minimumf
// CHECK-LABEL: tile.kernel @mapped_direct
// CHECK:         arith.minimumf
!mapped = !alg.slots<?x96xf32, rows(cyclic 4), cols(4 x 24)>
func.func @mapped(%x: tensor<?x64xf32>, %w: tensor<64x96xf32>, %r: tensor<?x96xf32>, %a: f32, %p0: index) -> tensor<?x96xf32> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 16) : tensor<?x64xf32>
  %ws = alg.slots %w rows(4 x 16) cols(4 x 24) : tensor<64x96xf32>
  %rs = alg.slots %r rows(cyclic 4, %p0) cols(4 x 24) : tensor<?x96xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(4)"> -> k
      : !alg.slots<?x64xf32, rows(cyclic 4), cols(4 x 16)>, !alg.slots<64x96xf32, rows(4 x 16), cols(4 x 24)>
  %six = arith.constant 6.0 : f32
  %cs = alg.map %ys : !mapped {
  ^bb0(%v: f32):
    %least = arith.minimumf %v, %six : f32
    alg.yield %least : f32
  }
  %hs = alg.map %rs, %cs : !mapped {
  ^bb0(%e: f32, %c: f32):
    %h = math.fma %e, %a, %c : f32
    alg.yield %h : f32
  }
  %y = alg.gather %hs : !mapped
  return %y : tensor<?x96xf32>
}
