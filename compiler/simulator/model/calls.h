/* The calls that stand for NVVM operations when a kernel runs on the simulator: the C interface between a
 * host-compiled kernel and the model of the SM. docs/simulator.md says what each instruction promises.
 *
 * Every call comes from the thread that the model is running, and its first argument is the site: the number
 * that the conversion gave to the operation, which faults name. The model may suspend the thread inside any
 * call. Instructions that PTX marks .aligned check that all threads of the warp (of the warpgroup for wgmma
 * and setmaxnreg) execute the same site.
 *
 * Addresses: shared memory is mapped below 2 GiB, so that an address survives ptrtoint to 32 bits; the slot
 * of each block is aligned to 256 KiB, so that the low 18 bits are what a matrix descriptor encodes. Spaces 3
 * (shared::cta) and 7 (shared::cluster) use the same addresses. Sections (PTX: ...) are those of the PTX ISA
 * manual, version 8.7.
 *
 * Additions are welcome; an entry's signature does not change once a conversion uses it. Plain C.
 */
#ifndef ALGCTL_COMPILER_SIMULATOR_MODEL_CALLS_H
#define ALGCTL_COMPILER_SIMULATOR_MODEL_CALLS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- special registers, PTX: 10 ---- */

enum sm_register {
  sm_tid_x,
  sm_tid_y,
  sm_tid_z,
  sm_ntid_x,
  sm_ntid_y,
  sm_ntid_z,
  sm_ctaid_x,
  sm_ctaid_y,
  sm_ctaid_z,
  sm_nctaid_x,
  sm_nctaid_y,
  sm_nctaid_z,
  sm_laneid,
  sm_warpid,
  sm_nwarpid,
  sm_warpsize,
  sm_clusterid_x,
  sm_clusterid_y,
  sm_clusterid_z,
  sm_nclusterid_x,
  sm_nclusterid_y,
  sm_nclusterid_z,
  sm_cluster_ctaid_x,
  sm_cluster_ctaid_y,
  sm_cluster_ctaid_z,
  sm_cluster_nctaid_x,
  sm_cluster_nctaid_y,
  sm_cluster_nctaid_z,
  sm_cluster_ctarank,
  sm_cluster_nctarank,
  sm_dynamic_smem_size
};

/* nvvm.read.ptx.sreg.*. Blocks, clusters and threads are one-dimensional: y and z read 0, their sizes 1. */
int32_t sm_special_register(int32_t site, int32_t which);

/* llvm.mlir.addressof of the external shared array: the first byte of the block's dynamic shared memory,
 * aligned to 1024 bytes as on the device. */
void *sm_shared_base(int32_t site);

/* nvvm.mapa (PTX: 9.7.9, mapa): the address in block `rank` of the cluster that corresponds to `address`. */
void *sm_mapa(int32_t site, const void *address, int32_t rank);

/* ---- plain memory ---- */

/* Called before an llvm.load or llvm.store of `bytes` bytes at shared, global or generic `address`: checks
 * bounds, that what is read was written, and that nothing races. Addresses on the thread's own stack pass
 * unchecked. */
void sm_read(int32_t site, const void *address, int64_t bytes);
void sm_write(int32_t site, const void *address, int64_t bytes);
/* The same before a store of f64, half of which may look like a sum of tensor cores in flight and is none. */
void sm_write_f64(int32_t site, const void *address, int64_t bytes);
/* Before llvm.atomicrmw or llvm.cmpxchg: atomics do not race with each other, but with plain accesses. They
 * order nothing (relaxed). */
void sm_atomic(int32_t site, const void *address, int64_t bytes);

/* ---- mbarriers, PTX: 9.7.13.15 ---- */

void sm_mbarrier_init(int32_t site, void *barrier, int32_t count); /* nvvm.mbarrier.init */
void sm_mbarrier_inval(int32_t site, void *barrier);               /* nvvm.mbarrier.inval */
/* nvvm.mbarrier.arrive with the default semantics (release, cta) on a barrier of this block: the state, an
 * opaque word for sm_mbarrier_test_wait and sm_mbarrier_try_wait. `count` is 1 where the operation has none.
 */
int64_t sm_mbarrier_arrive(int32_t site, void *barrier, int32_t count);
/* The same on a shared::cluster address, of any block of the cluster: no state. At sm_scope_cta a block that
 * is not the own one learns of the arrival alone; at the scope of the cluster it sees what was written
 * before, too. */
void sm_mbarrier_arrive_cluster(int32_t site, void *barrier, int32_t count, int32_t scope);
/* nvvm.mbarrier.arrive.expect_tx: expects `bytes` more, then arrives once. */
int64_t sm_mbarrier_arrive_expect_tx(int32_t site, void *barrier, int32_t bytes);
void sm_mbarrier_arrive_expect_tx_cluster(int32_t site, void *barrier, int32_t bytes);
void sm_mbarrier_expect_tx(int32_t site, void *barrier,
                           int32_t bytes); /* nvvm.mbarrier.expect_tx, any block */
void sm_mbarrier_complete_tx(int32_t site, void *barrier,
                             int32_t bytes); /* nvvm.mbarrier.complete_tx, any block */
/* nvvm.mbarrier.try_wait.parity, or nvvm.mbarrier.try_wait with an i32: 1 if the phase of this parity has
 * completed, then everything that arrived in it is visible, from other blocks at the scope of the cluster
 * alone. May suspend, and may answer 0 for no reason. test_wait is at the scope of the block. */
int32_t sm_mbarrier_try_wait_parity(int32_t site, void *barrier, int32_t parity, int32_t scope);
int32_t sm_mbarrier_test_wait_parity(int32_t site, void *barrier, int32_t parity);
/* The forms with the state that an arrive of this thread's block returned. */
int32_t sm_mbarrier_try_wait(int32_t site, void *barrier, int64_t state, int32_t scope);
int32_t sm_mbarrier_test_wait(int32_t site, void *barrier, int64_t state);

/* ---- fences, PTX: 9.7.13, fence ---- */

/* nvvm.fence.mbarrier.init: what this thread initialised may be used by other blocks and by the async proxy.
 */
void sm_fence_mbarrier_init(int32_t site);

enum sm_proxy_fence {
  sm_proxy_async,                /* #nvvm.proxy_kind<async>: shared and global */
  sm_proxy_async_global,         /* <async.global> */
  sm_proxy_async_shared_cta,     /* <async.shared>, space cta */
  sm_proxy_async_shared_cluster, /* <async.shared>, space cluster */
  sm_proxy_alias,                /* <alias>: no effect in the model */
  sm_proxy_tensormap             /* <tensormap>: no effect, kernels do not rewrite maps */
};
/* nvvm.fence.proxy: what this thread itself wrote (not what it has seen of others) may be read by the async
 * proxy. */
void sm_fence_proxy(int32_t site, int32_t kind);

enum sm_scope { sm_scope_cta, sm_scope_cluster, sm_scope_gpu, sm_scope_system };
/* nvvm.memory.barrier, llvm.fence: orders nothing by itself in the model; what synchronises are barriers. */
void sm_fence(int32_t site, int32_t scope);

/* ---- barriers, PTX: 9.7.13, barrier ---- */

/* nvvm.barrier, nvvm.barrier0: `threads` is 0 where the operation has none: the whole block. Aligned. */
void sm_barrier(int32_t site, int32_t id, int32_t threads);
void sm_barrier_arrive(int32_t site, int32_t id, int32_t threads); /* nvvm.barrier.arrive */
/* nvvm.cluster.arrive (relaxed = 0), nvvm.cluster.arrive.relaxed (1); `aligned` as the attribute. */
void sm_cluster_arrive(int32_t site, int32_t relaxed, int32_t aligned);
void sm_cluster_wait(int32_t site, int32_t aligned); /* nvvm.cluster.wait */
void sm_warp_sync(int32_t site, int32_t mask);       /* nvvm.bar.warp.sync: orders memory among the mask */

/* ---- warp operations ---- */

/* nvvm.elect.sync (PTX: 9.7.13, elect.sync): 1 in one thread of the mask, -1 where the operation has none.
 * The model elects the lowest. */
int32_t sm_elect(int32_t site, int32_t mask);

enum sm_shuffle_kind { sm_shuffle_idx, sm_shuffle_bfly, sm_shuffle_up, sm_shuffle_down };
/* nvvm.shfl.sync (PTX: 9.7.9, shfl.sync) on 32 bits; f32 passes its bits. `in_range` receives the predicate,
 * or is null. */
int32_t sm_shuffle(int32_t site, int32_t kind, int32_t mask, int32_t value, int32_t offset,
                   int32_t mask_and_clamp, int32_t *in_range);

enum sm_vote_kind { sm_vote_any, sm_vote_all, sm_vote_uniform, sm_vote_ballot };
int32_t sm_vote(int32_t site, int32_t kind, int32_t mask,
                int32_t predicate); /* nvvm.vote.sync (PTX: 9.7.13, vote.sync) */

/* nvvm.setmaxregister (PTX: 9.7.19.5): `increase` 1 for inc (suspends until the block has them), 0 for dec.
 */
void sm_setmaxnreg(int32_t site, int32_t registers, int32_t increase);

/* nvvm.griddepcontrol (PTX: 9.7.13, griddepcontrol). */
void sm_griddepcontrol_wait(int32_t site);
void sm_griddepcontrol_launch_dependents(int32_t site);

/* ---- approximations, PTX: 9.7.3; f32 passes its bits ---- */

int32_t sm_ex2_approx(int32_t site, int32_t x);            /* llvm.nvvm.ex2.approx.ftz.f32 */
int32_t sm_tanh_approx(int32_t site, int32_t x);           /* llvm.intr.tanh with the flag afn */
int32_t sm_div_full(int32_t site, int32_t a, int32_t b);   /* llvm.nvvm.div.full */
int32_t sm_div_approx(int32_t site, int32_t a, int32_t b); /* llvm.nvvm.div.approx.ftz.f */

/* ---- what remains ---- */

void sm_nanosleep(int32_t site); /* nvvm.nanosleep */
void sm_trap(int32_t site);      /* llvm.intr.trap, an assertion of the kernel: a fault */

enum sm_undefined_value {
  sm_undefined_division,   /* by zero, or of the least number by -1 */
  sm_undefined_shift,      /* by the width or more */
  sm_undefined_element,    /* of a vector, at no index of it */
  sm_undefined_unreachable /* llvm.unreachable */
};
/* The thread is about to compute what has no defined value: a fault. */
void sm_undefined(int32_t site, int32_t what);
/* Once a round in every loop: a fault when a thread goes round for ever without any other call that lets the
 * others run. */
void sm_loop(int32_t site);

/* ---- bulk copies, PTX: 9.7.9.25.4, 9.7.9.25.5 ---- */

/* nvvm.cp.async.bulk.tensor.shared.cluster.global, tile mode: coordinates in elements, x innermost; those
 * past `rank` are ignored. `multicast` is the mask of block ranks, -1 without. A predicate is a branch of the
 * conversion's. The map is a tensor_map.h one. `cta_only` is 1 for isCTAOnly (a shared::cta destination). */
void sm_tma_load(int32_t site, void *destination, const void *map, void *barrier, int32_t rank, int32_t x,
                 int32_t y, int32_t z, int32_t u, int32_t v, int32_t multicast, int32_t cta_only);
/* nvvm.cp.async.bulk.tensor.global.shared.cta, tile mode. Joins the thread's open bulk group. */
void sm_tma_store(int32_t site, const void *map, const void *source, int32_t rank, int32_t x, int32_t y,
                  int32_t z, int32_t u, int32_t v);
/* nvvm.cp.async.bulk.tensor.reduce with the kind add, tile mode, of f32: what is stored is the sum of the
 * element and what memory holds, rounded once. Joins the thread's open bulk group. */
void sm_tma_add(int32_t site, const void *map, const void *source, int32_t rank, int32_t x, int32_t y,
                int32_t z, int32_t u, int32_t v);
/* nvvm.cp.async.bulk.tensor.prefetch, nvvm.prefetch tensormap: the map and the alignment are checked, no
 * effect. */
void sm_tma_prefetch(int32_t site, const void *map, int32_t rank, int32_t x, int32_t y, int32_t z, int32_t u,
                     int32_t v);
void sm_prefetch_tensormap(int32_t site, const void *map);
/* nvvm.prefetch of data: the address is one that the thread might read here, no effect. */
void sm_prefetch(int32_t site, const void *address);
/* nvvm.cp.async.bulk.shared.cluster.global. */
void sm_bulk_load(int32_t site, void *destination, void *barrier, const void *source, int32_t bytes,
                  int32_t multicast);
/* nvvm.cp.async.bulk.global.shared.cta. Joins the thread's open bulk group. */
void sm_bulk_store(int32_t site, void *destination, const void *source, int32_t bytes);
void sm_bulk_commit_group(int32_t site); /* nvvm.cp.async.bulk.commit.group */
/* nvvm.cp.async.bulk.wait_group: at most `pending` of the newest groups remain; with `read` only their
 * reading of the sources is waited for. */
void sm_bulk_wait_group(int32_t site, int32_t pending, int32_t read);

/* ---- cp.async, PTX: 9.7.9.25.3 ---- */

/* nvvm.cp.async.shared.global: `bytes` 4, 8 or 16, of which the first `source_bytes` are read and the rest
 * zero. */
void sm_cp_async(int32_t site, void *destination, const void *source, int32_t bytes, int32_t source_bytes);
void sm_cp_async_commit_group(int32_t site);
void sm_cp_async_wait_group(int32_t site, int32_t pending);
/* nvvm.cp.async.mbarrier.arrive: arrives when all earlier cp.async of the thread have landed. Without noinc
 * the pending count is raised by one first. */
void sm_cp_async_mbarrier_arrive(int32_t site, void *barrier, int32_t noinc);

/* ---- wgmma, PTX: 9.7.15 ---- */

enum sm_wgmma_flags {
  sm_wgmma_f16 = 1,        /* operands f16, else bf16 */
  sm_wgmma_a_mn_major = 2, /* A is M-major (tnspA): layoutA = col */
  sm_wgmma_b_mn_major = 4, /* B is N-major (tnspB): layoutB = row */
  sm_wgmma_negate_a = 8,   /* scale-a = -1 */
  sm_wgmma_negate_b = 16,  /* scale-b = -1 */
  sm_wgmma_accumulate = 32 /* scale-d = 1, else D is overwritten */
};
void sm_wgmma_fence(int32_t site); /* nvvm.wgmma.fence.aligned */
/* nvvm.wgmma.mma_async m64nNk16 with f32 sums. `d` holds this thread's n / 2 values, in the order of the
 * operation's struct. On return it holds handles: NaNs that name the accumulator in flight. Store the struct,
 * call, load it. */
void sm_wgmma_mma(int32_t site, float *d, int64_t a, int64_t b, int32_t n, int32_t flags);
/* The same with A from registers: `a` holds four 32-bit registers of two elements each. */
void sm_wgmma_mma_registers(int32_t site, float *d, const uint32_t *a, int64_t b, int32_t n, int32_t flags);
void sm_wgmma_commit_group(int32_t site);
void sm_wgmma_wait_group(int32_t site, int32_t pending);
/* sm.settle, the register tie after a wait: `count` handles become the values; plain values stay. A fault if
 * no wait of this thread covers the accumulator. A handle that reaches memory, arithmetic's NaNs included, is
 * a fault too. */
void sm_settle(int32_t site, float *d, int32_t count);

/* ---- warp matrices ---- */

/* nvvm.ldmatrix m8n8 b16 (PTX: 9.7.14, ldmatrix): `address` is this thread's row; `result` receives `count`
 * (1, 2, 4) registers. */
void sm_ldmatrix(int32_t site, uint32_t *result, const void *address, int32_t count, int32_t transposed);
/* nvvm.stmatrix m8n8 b16 (PTX: 9.7.14, stmatrix). */
void sm_stmatrix(int32_t site, void *address, const uint32_t *values, int32_t count, int32_t transposed);
/* nvvm.mma.sync m16n8k16, A row, B col, f32 sums (PTX: 9.7.14, mma): `d` 4 values in and out, `a` 4
 * registers, `b` 2. `f16` 1 for f16 operands, 0 for bf16. */
void sm_mma_m16n8k16(int32_t site, float *d, const uint32_t *a, const uint32_t *b, int32_t f16);

#ifdef __cplusplus
}
#endif
#endif
