// The `sm` dialect: what one thread block does on a streaming multiprocessor.

#ifndef ALGCTL_SM_DIALECT
#define ALGCTL_SM_DIALECT

include "mlir/IR/OpBase.td"

def Sm_Dialect : Dialect {
  let name = "sm";
  let summary = "What one thread block does on a streaming multiprocessor: partitions, pipes, buffers, barriers, copies and products.";
  let description = [{
    The dialect is between `tile`, which describes one kernel but no machine, and `nvvm`, which has instructions but no
    kernels. A program of this dialect starts out *synchronous*: blocks of operands are values, fetched and multiplied
    in order. Each pass takes it closer to the machine: shared-memory layouts are assigned; the loop is divided among
    partitions of the block's warps, for example one that loads and one that multiplies; the pipes between them get
    stages in shared memory, and the stages get barriers; and the result is stored through shared memory. The program
    can be printed after every pass, and every pass can be run alone with `alg-opt`.

    Loops are `scf`, index arithmetic is `arith` on `index`, which is 32 bits wide on the machine.

    **Partitions.** A thread block consists of warpgroups of 128 threads. Each `sm.partition` gets some of them and a
    number of registers per thread. Inside a partition, code runs in all threads of its warpgroups, inside `sm.elect` in
    one thread of each. A kernel has any number of partitions. The purpose of a partition follows only from its body and
    from the pipes that it produces into and consumes from.

    **Pipes.** One partition produces into a pipe, others consume from it (`sm.pipe`). Every pipe has its own blocks,
    stages and barriers. The producer commits a stage that it has filled; a consumer waits for the stage and releases
    it.

    **Shared memory.** A buffer has *stages*; a stage holds a block of rows x columns, or a piece of one, stored as column panels of
    `swizzle` bytes: panel p holds columns p*w .. p*w+w-1 for w = swizzle / element size, row after row, and the
    16-byte pieces of its rows are permuted as the tensor-map engine does it (address bits 4-6 XOR bits 7-9 for
    128 bytes, and so on). Every panel is one box of a tensor map, and the panels are the atoms that tensor-core
    descriptors name.
  }];
  let cppNamespace = "::sm";
  let dependentDialects = ["::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerTypes();
  }];
}

#endif
