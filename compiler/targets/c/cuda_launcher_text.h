// The parts of a launcher in C that are the same for every kernel. "@" stands for the identifier.
#pragma once

namespace compiler {

/// Types and functions of the header; "$" stands for the arguments of a launch.
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
/// What the tables of operands and maps are made of; behind the tables, checks of operands and the rows of
/// maps.
extern const char *const launcher_operand_types;
extern const char *const launcher_operands;
/// Entry points that only kernels by tensor maps need of the driver (before launcher_driver), and, after
/// launcher_operands, how many blocks run at once and writing one map.
extern const char *const launcher_tensor_map_entries;
extern const char *const launcher_tensor_maps;
/// The same where threads copy.
extern const char *const launcher_plain_map_entries;
extern const char *const launcher_plain_alone;
/// Writing a plain map, which kernels by tensor maps may have, too.
extern const char *const launcher_plain_maps;
/// Launching with all operands at hand.
extern const char *const launcher_launch;

} // namespace compiler
