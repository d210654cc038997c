// The ops of the dialect, in the order in which a kernel comes to them.
#ifndef ALGCTL_SM_OPS
#define ALGCTL_SM_OPS

include "dialects/sm/sm_kernel_ops.td"
include "dialects/sm/sm_block_ops.td"
include "dialects/sm/sm_pipe_ops.td"
include "dialects/sm/sm_memory_ops.td"
include "dialects/sm/sm_product_ops.td"
include "dialects/sm/sm_split_ops.td"
include "dialects/sm/sm_part_ops.td"
include "dialects/sm/sm_layer_ops.td"
include "dialects/sm/sm_row_ops.td"

#endif
