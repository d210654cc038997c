// A block computes 64 rows and 16 columns of C = A * B: one thread loads 64 of the depth at a time, in 128- and 32-byte
// swizzles, all four warps multiply, and plain stores write f32.
!sums = !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>

module {
  llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

  llvm.func @product(%a_map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant, llvm.align = 64 : i64},
                     %b_map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant, llvm.align = 64 : i64},
                     %c: !llvm.ptr<1>, %steps: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %three = llvm.mlir.constant(3 : i32) : i32
    %four = llvm.mlir.constant(4 : i32) : i32
    %sixteen = llvm.mlir.constant(16 : i32) : i32
    %thirty_two = llvm.mlir.constant(32 : i32) : i32
    %sixty_four = llvm.mlir.constant(64 : i32) : i32
    %bytes = llvm.mlir.constant(10240 : i32) : i32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %shared = llvm.mlir.addressof @shared : !llvm.ptr<3>
    %b = llvm.getelementptr %shared[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %barrier = llvm.getelementptr %shared[10240] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %first = llvm.icmp "eq" %thread, %zero : i32
    llvm.cond_br %first, ^initialize, ^begin
  ^initialize:
    nvvm.mbarrier.init %barrier, %one : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    llvm.br ^begin
  ^begin:
    nvvm.barrier
    %row = llvm.mul %block, %sixty_four : i32
    %nothing = llvm.mlir.zero : !sums
    // A: swizzle 128 (1 << 62), 1024 bytes to the next 8 rows (64 << 32). B: swizzle 32 (3 << 62), 256 bytes (16 << 32).
    %a_layout = llvm.mlir.constant(4611686293305294848 : i64) : i64
    %b_layout = llvm.mlir.constant(13835058124001640448 : i64) : i64
    %a_address = llvm.ptrtoint %shared : !llvm.ptr<3> to i32
    %b_address = llvm.ptrtoint %b : !llvm.ptr<3> to i32
    %mask = llvm.mlir.constant(262143 : i32) : i32
    %a_low = llvm.and %a_address, %mask : i32
    %b_low = llvm.and %b_address, %mask : i32
    %a_units = llvm.lshr %a_low, %four : i32
    %b_units = llvm.lshr %b_low, %four : i32
    %a_field = llvm.zext %a_units : i32 to i64
    %b_field = llvm.zext %b_units : i32 to i64
    %a0 = llvm.or %a_field, %a_layout : i64
    %b0 = llvm.or %b_field, %b_layout : i64
    // 16 of the depth further: 32 bytes along a row of A, 16 rows of 32 bytes of B.
    %a_step = llvm.mlir.constant(2 : i64) : i64
    %b_step = llvm.mlir.constant(32 : i64) : i64
    %a1 = llvm.add %a0, %a_step : i64
    %b1 = llvm.add %b0, %b_step : i64
    %a2 = llvm.add %a1, %a_step : i64
    %b2 = llvm.add %b1, %b_step : i64
    %a3 = llvm.add %a2, %a_step : i64
    %b3 = llvm.add %b2, %b_step : i64
    llvm.br ^loop(%zero, %nothing : i32, !sums)
  ^loop(%step: i32, %sums: !sums):
    %more = llvm.icmp "slt" %step, %steps : i32
    llvm.cond_br %more, ^body, ^store
  ^body:
    llvm.cond_br %first, ^load, ^wait
  ^load:
    %depth = llvm.mul %step, %sixty_four : i32
    nvvm.mbarrier.arrive.expect_tx %barrier, %bytes : !llvm.ptr<3>, i32
    %a_target = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
    %b_target = llvm.addrspacecast %b : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.cp.async.bulk.tensor.shared.cluster.global %a_target, %a_map, %barrier, box[%depth, %row] {isCTAOnly = false} : !llvm.ptr<7>, !llvm.ptr
    nvvm.cp.async.bulk.tensor.shared.cluster.global %b_target, %b_map, %barrier, box[%zero, %depth] {isCTAOnly = false} : !llvm.ptr<7>, !llvm.ptr
    llvm.br ^wait
  ^wait:
    %parity = llvm.and %step, %one : i32
    %full = nvvm.mbarrier.try_wait %barrier, %parity : !llvm.ptr<3>, i32 -> i1
    llvm.cond_br %full, ^multiply, ^wait
  ^multiply:
    nvvm.wgmma.fence.aligned
    %s0 = nvvm.wgmma.mma_async %a0, %b0, %sums, #nvvm.shape<m = 64, n = 16, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>] : !sums -> !sums
    %s1 = nvvm.wgmma.mma_async %a1, %b1, %s0, #nvvm.shape<m = 64, n = 16, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>] : !sums -> !sums
    %s2 = nvvm.wgmma.mma_async %a2, %b2, %s1, #nvvm.shape<m = 64, n = 16, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>] : !sums -> !sums
    %s3 = nvvm.wgmma.mma_async %a3, %b3, %s2, #nvvm.shape<m = 64, n = 16, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>] : !sums -> !sums
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    %settled = sm.settle %s3 : !sums
    nvvm.barrier
    %next = llvm.add %step, %one : i32
    llvm.br ^loop(%next, %settled : i32, !sums)
  ^store:
    // Thread l of warp w has rows 16w + l/4 (+ 8) and columns 2(l mod 4) (+ 1) (+ 8) of the tile.
    %warp = llvm.udiv %thread, %thirty_two : i32
    %lane = llvm.urem %thread, %thirty_two : i32
    %warp_row = llvm.mul %warp, %sixteen : i32
    %lane_row = llvm.udiv %lane, %four : i32
    %lane_pair = llvm.and %lane, %three : i32
    %column = llvm.shl %lane_pair, %one : i32
    %r0 = llvm.add %row, %warp_row : i32
    %r1 = llvm.add %r0, %lane_row : i32
    %r2 = llvm.mul %r1, %sixteen : i32
    %r3 = llvm.add %r2, %column : i32
    %place = llvm.getelementptr %c[%r3] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v0 = llvm.extractvalue %sums[0] : !sums
    %v1 = llvm.extractvalue %sums[1] : !sums
    %v2 = llvm.extractvalue %sums[2] : !sums
    %v3 = llvm.extractvalue %sums[3] : !sums
    %v4 = llvm.extractvalue %sums[4] : !sums
    %v5 = llvm.extractvalue %sums[5] : !sums
    %v6 = llvm.extractvalue %sums[6] : !sums
    %v7 = llvm.extractvalue %sums[7] : !sums
    %p1 = llvm.getelementptr %place[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %p2 = llvm.getelementptr %place[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %p3 = llvm.getelementptr %place[129] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %p4 = llvm.getelementptr %place[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %p5 = llvm.getelementptr %place[9] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %p6 = llvm.getelementptr %place[136] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %p7 = llvm.getelementptr %place[137] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    llvm.store %v0, %place : f32, !llvm.ptr<1>
    llvm.store %v1, %p1 : f32, !llvm.ptr<1>
    llvm.store %v2, %p2 : f32, !llvm.ptr<1>
    llvm.store %v3, %p3 : f32, !llvm.ptr<1>
    llvm.store %v4, %p4 : f32, !llvm.ptr<1>
    llvm.store %v5, %p5 : f32, !llvm.ptr<1>
    llvm.store %v6, %p6 : f32, !llvm.ptr<1>
    llvm.store %v7, %p7 : f32, !llvm.ptr<1>
    llvm.return
  }
}
