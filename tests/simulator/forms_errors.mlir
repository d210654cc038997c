// RUN: alg-opt --convert-nvvm-to-simulator --split-input-file --verify-diagnostics %s

llvm.func @kernel(%b: !llvm.ptr<3>) attributes {nvvm.kernel} {
  // expected-error @+1 {{'nvvm.mbarrier.arrive' op has no model in this form: the model orders what an arrival releases and a wait acquires; relaxed forms are not in it}}
  %0 = nvvm.mbarrier.arrive %b {relaxed = true} : !llvm.ptr<3> -> i64
  llvm.return
}

// -----

llvm.func @kernel(%b: !llvm.ptr<3>, %p: i32) attributes {nvvm.kernel} {
  // expected-error @+1 {{relaxed forms are not in it}}
  %0 = nvvm.mbarrier.try_wait %b, %p {relaxed = true} : !llvm.ptr<3>, i32 -> i1
  llvm.return
}

// -----

llvm.func @kernel(%p: i32) attributes {nvvm.kernel} {
  // expected-error @+1 {{'nvvm.barrier' op has no model in this form: a barrier that reduces}}
  %0 = nvvm.barrier #nvvm.reduction<popc> %p -> i32
  llvm.return
}

// -----

llvm.func @kernel(%a: !llvm.ptr) attributes {nvvm.kernel} {
  // expected-error @+1 {{'nvvm.prefetch' op has no model in this form: data are prefetched into the caches of data alone}}
  nvvm.prefetch level = L1 uniform, %a : !llvm.ptr
  llvm.return
}

// -----

llvm.func @kernel(%x: f32) -> vector<2xbf16> attributes {nvvm.kernel} {
  // expected-error @+1 {{'nvvm.convert.f32x2.to.bf16x2' op has no model in this form: rounding is to nearest even (rn), without saturation and relu}}
  %0 = nvvm.convert.f32x2.to.bf16x2 %x, %x {rnd = #nvvm.fp_rnd_mode<rz>} : vector<2xbf16>
  llvm.return %0 : vector<2xbf16>
}

// -----

llvm.func @kernel(%a: i64, %d: !llvm.struct<(i32, i32, i32, i32)>) attributes {nvvm.kernel} {
  // expected-error @+1 {{'nvvm.wgmma.mma_async' op has no model in this form: operands are bf16 or f16, sums f32}}
  %0 = nvvm.wgmma.mma_async %a, %a, %d, #nvvm.shape<m = 64, n = 8, k = 32>, D[<s32>, <one>], A[<s8>, <one>, <row>],
       B[<s8>, <one>, <col>] : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
  llvm.return
}

// -----

llvm.func @kernel(%d: !llvm.struct<(i32)>) -> !llvm.struct<(i32)> attributes {nvvm.kernel} {
  // expected-error @+1 {{'sm.settle' op has no model in this form: the sums are a struct of f32}}
  %0 = sm.settle %d : !llvm.struct<(i32)>
  llvm.return %0 : !llvm.struct<(i32)>
}

// -----

llvm.func @kernel(%a: i32, %b: i32, %c: i32) attributes {nvvm.kernel} {
  // expected-error @+1 {{'nvvm.mma.sync' op has no model in this form: the shape is m16n8k16, row by col, of bf16 or f16 with f32 sums}}
  %0 = nvvm.mma.sync A[%a, %a] B[%b] C[%c, %c, %c, %c]
       {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<s8>,
        multiplicandBPtxType = #nvvm.mma_type<s8>, intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>,
        shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
  llvm.return
}

// -----

llvm.func @kernel() attributes {nvvm.kernel} {
  // expected-error @+1 {{'llvm.fence' op has no model in this form: its scope is none of block, cluster, device and system}}
  llvm.fence syncscope("agent") acq_rel
  llvm.return
}

// -----

llvm.func @kernel(%map: !llvm.ptr, %s: !llvm.ptr<3>, %x: i32) attributes {nvvm.kernel} {
  // expected-error @+1 {{'nvvm.cp.async.bulk.tensor.reduce' op has no model in this form: another reduction than a sum}}
  nvvm.cp.async.bulk.tensor.reduce %map, %s, box[%x] {redKind = #nvvm.tma_redux_kind<max>} : !llvm.ptr, !llvm.ptr<3>
  llvm.return
}
