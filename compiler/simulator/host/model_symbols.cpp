#include "compiler/simulator/host/model_symbols.h"

#include "compiler/simulator/model/calls.h"

namespace compiler {

std::span<const std::pair<const char *, void *>> modelSymbols() {
#define SYMBOL(NAME)                                                                                         \
  {                                                                                                          \
    #NAME, reinterpret_cast<void *>(NAME)                                                                    \
  }
  static const std::pair<const char *, void *> symbols[] = {
      SYMBOL(sm_atomic),
      SYMBOL(sm_barrier),
      SYMBOL(sm_barrier_arrive),
      SYMBOL(sm_bulk_commit_group),
      SYMBOL(sm_bulk_load),
      SYMBOL(sm_bulk_store),
      SYMBOL(sm_bulk_wait_group),
      SYMBOL(sm_cluster_arrive),
      SYMBOL(sm_cluster_wait),
      SYMBOL(sm_cp_async),
      SYMBOL(sm_cp_async_commit_group),
      SYMBOL(sm_cp_async_mbarrier_arrive),
      SYMBOL(sm_cp_async_wait_group),
      SYMBOL(sm_div_approx),
      SYMBOL(sm_div_full),
      SYMBOL(sm_elect),
      SYMBOL(sm_ex2_approx),
      SYMBOL(sm_fence),
      SYMBOL(sm_fence_mbarrier_init),
      SYMBOL(sm_fence_proxy),
      SYMBOL(sm_griddepcontrol_launch_dependents),
      SYMBOL(sm_griddepcontrol_wait),
      SYMBOL(sm_ldmatrix),
      SYMBOL(sm_loop),
      SYMBOL(sm_mapa),
      SYMBOL(sm_mbarrier_arrive),
      SYMBOL(sm_mbarrier_arrive_cluster),
      SYMBOL(sm_mbarrier_arrive_expect_tx),
      SYMBOL(sm_mbarrier_arrive_expect_tx_cluster),
      SYMBOL(sm_mbarrier_complete_tx),
      SYMBOL(sm_mbarrier_expect_tx),
      SYMBOL(sm_mbarrier_init),
      SYMBOL(sm_mbarrier_inval),
      SYMBOL(sm_mbarrier_test_wait),
      SYMBOL(sm_mbarrier_test_wait_parity),
      SYMBOL(sm_mbarrier_try_wait),
      SYMBOL(sm_mbarrier_try_wait_parity),
      SYMBOL(sm_mma_m16n8k16),
      SYMBOL(sm_nanosleep),
      SYMBOL(sm_prefetch),
      SYMBOL(sm_prefetch_tensormap),
      SYMBOL(sm_read),
      SYMBOL(sm_setmaxnreg),
      SYMBOL(sm_settle),
      SYMBOL(sm_shared_base),
      SYMBOL(sm_shuffle),
      SYMBOL(sm_special_register),
      SYMBOL(sm_stmatrix),
      SYMBOL(sm_tanh_approx),
      SYMBOL(sm_tma_load),
      SYMBOL(sm_tma_prefetch),
      SYMBOL(sm_tma_store),
      SYMBOL(sm_tma_add),
      SYMBOL(sm_trap),
      SYMBOL(sm_undefined),
      SYMBOL(sm_vote),
      SYMBOL(sm_warp_sync),
      SYMBOL(sm_wgmma_commit_group),
      SYMBOL(sm_wgmma_fence),
      SYMBOL(sm_wgmma_mma),
      SYMBOL(sm_wgmma_mma_registers),
      SYMBOL(sm_wgmma_wait_group),
      SYMBOL(sm_write),
      SYMBOL(sm_write_f64),
  };
#undef SYMBOL
  return symbols;
}

} // namespace compiler
