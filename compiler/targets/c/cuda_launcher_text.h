// The parts of a launcher in C that are the same for every kernel. "@" stands for the identifier.
#ifndef ALGCTL_COMPILER_TARGETS_C_CUDA_LAUNCHER_TEXT_H
#define ALGCTL_COMPILER_TARGETS_C_CUDA_LAUNCHER_TEXT_H

namespace compiler {

/// Types and functions of the header.
extern const char *const launcher_declarations;
/// What is needed of the driver: types, entry points, errors.
extern const char *const launcher_driver;
/// Loading the PTX, and then the module from whatever the driver takes: machine code before PTX, or PTX
/// alone.
extern const char *const launcher_ptx;
extern const char *const launcher_machine_code;
extern const char *const launcher_ptx_alone;
/// Behind those: loading and unloading of all.
extern const char *const launcher_loading;
/// Matrices, and what a map shows of one.
extern const char *const launcher_operands;
/// Entry points that only kernels by tensor maps need of the driver (before launcher_driver), and, after
/// launcher_operands, how many blocks run at once and writing one map.
extern const char *const launcher_tensor_map_entries;
extern const char *const launcher_tensor_maps;
/// The same for plain maps.
extern const char *const launcher_plain_map_entries;
extern const char *const launcher_plain_maps;
/// The maps of some lines and of the bank.
extern const char *const launcher_views;
/// The maps of X or Y and the number of runs, for cyclic types and the slot lift.
extern const char *const launcher_cyclic_rows;
/// The same for interval types.
extern const char *const launcher_interval_rows;
/// NAME_launch.
extern const char *const launcher_launch;

} // namespace compiler

#endif
