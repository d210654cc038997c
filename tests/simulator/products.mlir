// RUN: alg-opt --convert-nvvm-to-simulator %s | FileCheck %s

!sums = !llvm.struct<(f32, f32, f32, f32)>

// CHECK-LABEL: llvm.func @wgmma
// CHECK-SAME: (%[[A:.*]]: i64, %[[B:.*]]: i64, %[[D:.*]]: !llvm.struct<(f32, f32, f32, f32)>)
llvm.func @wgmma(%a: i64, %b: i64, %d: !sums) -> !sums attributes {nvvm.kernel} {
  // CHECK: %[[ROOM:.*]] = llvm.alloca
  // CHECK: llvm.call @sm_wgmma_fence
  nvvm.wgmma.fence.aligned
  // CHECK: llvm.store %[[D]], %[[ROOM]]
  // CHECK: %[[N:.*]] = llvm.mlir.constant(8 : i32)
  // CHECK: %[[FLAGS:.*]] = llvm.mlir.constant(36 : i32)
  // CHECK: llvm.call @sm_wgmma_mma(%{{.*}}, %[[ROOM]], %[[A]], %[[B]], %[[N]], %[[FLAGS]]) : (i32, !llvm.ptr, i64, i64, i32, i32) -> ()
  // CHECK: %[[D1:.*]] = llvm.load %[[ROOM]]
  %d1 = nvvm.wgmma.mma_async %a, %b, %d, #nvvm.shape<m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>],
        B[<bf16>, <one>, <row>] : !sums -> !sums
  // f16, both operands negated, A transposed, B not, D overwritten, whatever it was: 1 + 2 + 8 + 16
  // CHECK: %[[ZERO:.*]] = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
  // CHECK: llvm.store %[[ZERO]], %[[ROOM]]
  // CHECK: %[[FLAGS2:.*]] = llvm.mlir.constant(27 : i32)
  // CHECK: llvm.call @sm_wgmma_mma({{.*}}, %[[FLAGS2]])
  // CHECK: %[[D2:.*]] = llvm.load %[[ROOM]]
  %d2 = nvvm.wgmma.mma_async %a, %b, %d1, #nvvm.shape<m = 64, n = 8, k = 16>, D[<f32>, <zero>], A[<f16>, <neg>, <col>],
        B[<f16>, <neg>, <col>] : !sums -> !sums
  // CHECK: llvm.call @sm_wgmma_commit_group
  nvvm.wgmma.commit.group.sync.aligned
  // CHECK: %[[PENDING:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @sm_wgmma_wait_group(%{{.*}}, %[[PENDING]])
  nvvm.wgmma.wait.group.sync.aligned 1
  // CHECK: llvm.store %[[D2]], %[[ROOM]]
  // CHECK: %[[COUNT:.*]] = llvm.mlir.constant(4 : i32)
  // CHECK: llvm.call @sm_settle(%{{.*}}, %[[ROOM]], %[[COUNT]])
  // CHECK: %[[D3:.*]] = llvm.load %[[ROOM]]
  %d3 = sm.settle %d2 : !sums
  // CHECK: llvm.return %[[D3]]
  llvm.return %d3 : !sums
}

// Operand A is four words of the thread. B is stored by rows of its depth and D is added to: 32 + 4.
// CHECK-LABEL: llvm.func @registers
// CHECK-SAME: (%[[B:.*]]: i64, %[[D:.*]]: !llvm.struct<(f32, f32, f32, f32)>, %[[A0:.*]]: i32, %{{.*}}: i32, %{{.*}}: i32, %[[A3:.*]]: i32)
llvm.func @registers(%b: i64, %d: !sums, %a0: i32, %a1: i32, %a2: i32, %a3: i32) -> !sums {
  // CHECK: llvm.store %[[D]], %[[ROOM:.*]] : !llvm.struct
  // CHECK: llvm.store %[[A0]], %{{.*}} : i32
  // CHECK-COUNT-2: llvm.store %{{.*}}, %{{.*}} : i32
  // CHECK: llvm.store %[[A3]], %{{.*}} : i32
  // CHECK: %[[N:.*]] = llvm.mlir.constant(8 : i32)
  // CHECK: %[[FLAGS:.*]] = llvm.mlir.constant(36 : i32)
  // CHECK: llvm.call @sm_wgmma_mma_registers(%{{.*}}, %[[ROOM]], %{{.*}}, %[[B]], %[[N]], %[[FLAGS]])
  // CHECK: %[[D1:.*]] = llvm.load %[[ROOM]]
  %d1 = sm.wgmma_from_registers %d, %a0, %a1, %a2, %a3, %b : !sums
  // CHECK: llvm.return %[[D1]]
  llvm.return %d1 : !sums
}

// CHECK-LABEL: llvm.func @matrices
// CHECK-SAME: (%{{.*}}: !llvm.ptr<3>, %[[V:.*]]: i32)
llvm.func @matrices(%s: !llvm.ptr<3>, %v: i32) -> i32 {
  // CHECK: llvm.store %[[V]], %{{.*}} : i32
  // CHECK: llvm.store %[[V]], %{{.*}} : i32
  // CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: %[[TRANSPOSED:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @sm_stmatrix(%{{.*}}, %{{.*}}, %{{.*}}, %[[TWO]], %[[TRANSPOSED]])
  nvvm.stmatrix %s, %v, %v {layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
                            eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32
  // CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i32)
  // CHECK: %[[STRAIGHT:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @sm_ldmatrix(%{{.*}}, %{{.*}}, %{{.*}}, %[[FOUR]], %[[STRAIGHT]])
  // CHECK: llvm.load %{{.*}} : !llvm.ptr -> !llvm.struct<(i32, i32, i32, i32)>
  %r = nvvm.ldmatrix %s {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
                         eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  %r0 = llvm.extractvalue %r[0] : !llvm.struct<(i32, i32, i32, i32)>
  llvm.return %r0 : i32
}

// CHECK-LABEL: llvm.func @mma
llvm.func @mma(%a: i32, %b: i32, %c: f32) -> !sums {
  // CHECK-COUNT-4: llvm.store %{{.*}}, %{{.*}} : f32
  // CHECK-COUNT-6: llvm.store %{{.*}}, %{{.*}} : i32
  // CHECK: llvm.call @sm_mma_m16n8k16
  // CHECK: llvm.load %{{.*}} : !llvm.ptr -> !llvm.struct<(f32, f32, f32, f32)>
  %d = nvvm.mma.sync A[%a, %a, %a, %a] B[%b, %b] C[%c, %c, %c, %c]
       {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>,
        multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !sums
  llvm.return %d : !sums
}

// CHECK-LABEL: llvm.func @rounding
// CHECK-SAME: (%[[X:.*]]: f32, %{{.*}}: f32)
llvm.func @rounding(%x: f32, %y: f32) -> bf16 {
  // CHECK: %[[BITS:.*]] = llvm.bitcast %{{.*}} : vector<2xf32> to vector<2xi32>
  // CHECK: llvm.bitcast %{{.*}} : vector<2xi16> to vector<2xbf16>
  %p = nvvm.convert.f32x2.to.bf16x2 %x, %y {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
  // CHECK: llvm.bitcast %[[X]] : f32 to i32
  // CHECK: llvm.fcmp "uno" %[[X]], %[[X]]
  // CHECK: llvm.bitcast %{{.*}} : i16 to bf16
  %h = llvm.fptrunc %x : f32 to bf16
  llvm.return %h : bf16
}
