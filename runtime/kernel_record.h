/* What compiled code says of itself. Beside every kernel lies a read-only record, under the name of the
 * kernel's symbol with "_record" behind it: a constant of a shared object, a .const array of PTX, and of the
 * cubin that becomes of it. The compiler writes record and manifest from one description, the runtime
 * compares the two before it calls or launches anything. A record is there to find bundles that were put
 * together wrongly, not to make hostile code harmless. Plain C.
 *
 * Records are words of 8 bytes, little-endian. They begin with this head; algrt_cpu_record
 * (runtime/kernel_abi.h) or algrt_gpu_record (runtime/gpu_kernel_abi.h) goes on. Names that the manifest has
 * are explained in docs/bundle.md; numbers that it leaves out have the value that they have then. Yes and no
 * are 1 and 0.
 *
 * Hashes are of numbers of 64 bits, one after another: from algrt_record_hash_begin on algrt_record_hash.
 */
#ifndef ALGCTL_RUNTIME_KERNEL_RECORD_H
#define ALGCTL_RUNTIME_KERNEL_RECORD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ALGRT_RECORD_SUFFIX "_record"
/* "ALGRECRD" as bytes. */
#define algrt_record_magic UINT64_C(0x4452434552474c41)
#define algrt_record_hash_begin UINT64_C(0xcbf29ce484222325)

enum {
  algrt_record_version = 5,
  /* What the code computes. */
  algrt_records_forward = 0,
  algrt_records_dx = 1,
  algrt_records_dw = 2,
  algrt_records_pack = 3, /* of a shared object: rewrites the weight matrix for a packed kernel */
  algrt_records_group_rows = 4,
  algrt_records_elementwise = 5,
  /* Values of the fields below. */
  algrt_records_rows = 0, /* lift */
  algrt_records_slots = 1,
  algrt_records_f32 = 0, /* types of elements */
  algrt_records_bf16 = 1,
  algrt_records_cyclic = 0, /* row types */
  algrt_records_interval = 1,
  algrt_records_explicit = 2,
};

/* In the records of group_rows and element-wise functions, which are of no layer, everything below
 * `map` is 0. */
typedef struct algrt_record_head {
  uint64_t magic;
  int64_t version;
  int64_t words; /* of the whole record */
  int64_t map;
  /* The layer: */
  int64_t lift, dtype, bias, k, n, types;
  int64_t row_types; /* of a GPU's kernel that finds rows in lists: explicit, whatever the layer's are */
  int64_t row_type_width;
  uint64_t groups;  /* hash of the number and the widths of the input groups, of the output groups, of the
                       weight matrix's rows */
  uint64_t support; /* 0 of a complete one; else hash of the number of the factors and for each its kind (0
                       complete, 1 triangular, 2 diagonal, 3 full, 4 table), its output groups and, of a
                       table, for each type and output group the number of terms, and of each term the input
                       group, the weight row, and the bits of the coefficient as f64 */
  uint64_t fusion;  /* 0 of a layer that is not fused; else hash of the number of weights, the number of
                       operands and of each its name, kind and type as in the manifest (of a text the length
                       and the bytes), the number of results and of each its type */
} algrt_record_head;

/* Of an element-wise function (docs/bundle.md, "Element-wise functions"). Fields of the other kind of target
 * are 0. */
typedef struct algrt_elementwise_record {
  algrt_record_head head;
  uint64_t function; /* hash: the function's name and domain, and of each operand name, role, per, type, shape
                        and held_by, each as the manifest has it: the length of the text and its bytes */
  int64_t rows_per_task, columns_per_task;
  uint64_t features;                                 /* of the CPU, as in algrt_cpu_record */
  int64_t architecture, exact_architecture, threads; /* of a GPU, as in algrt_gpu_record */
  uint64_t parameters;
} algrt_elementwise_record;

static inline uint64_t algrt_record_hash(uint64_t hash, uint64_t number) {
  hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 32;
}

#ifdef __cplusplus
}
#endif

#endif
