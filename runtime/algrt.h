/* The runtime of algctl: loads a bundle and computes with it. Plain C over DLPack.
 *
 *     algrt_bundle *bundle;
 *     algrt_weights *weights;
 *     if (algrt_bundle_open("up.alg", &bundle) != ALGRT_OK) { puts(algrt_last_error()); ... }
 *     algrt_weights_pack(bundle, &w, 0, &weights);            // once, when the model is loaded
 *     algrt_forward_args args = algrt_forward_args_init();
 *     args.x = &x; args.weights = weights; args.y = &y; args.p0 = position_of_row_0;
 *     algrt_forward(bundle, &args);
 *
 * Tensors. x is [M, K], y is [M, N], both row-major with stride 1 inside a row; rows may be padded (stride of
 * a row >= its width). w is [K, N] in the row lift; in the slot lift of an algebra of dimension m it is [m,
 * K/m, N/m] or, the same numbers, [K, N/m]. All are of the bundle's dtype (f32 or bf16), in CPU memory or all
 * on one CUDA device (kDLCUDA). There y may also be f32 where the bundle is bf16 and has a kernel for it;
 * addresses and the distances of rows that are multiples of 16 bytes suit every kernel, and some bundles have
 * kernels that take any; packed weights are for the CPU alone. y may not overlap x, w, or what says types and
 * positions. Null strides mean compact, as DLPack says.
 *
 * Errors. Every function that can fail returns a status; algrt_last_error() then holds a sentence that names
 * the argument, what it has and what is needed. Nothing throws, nothing prints, nothing ends the process.
 *
 * Threads. A handle may be used by many threads at once; closing it must be the last use. A packed weight
 * matrix does not keep its bundle alive: free it before closing the bundle.
 *
 * CUDA. The driver library is opened when it is first needed: the file that the environment variable
 * ALGRT_CUDA_DRIVER names, otherwise libcuda.so.1. Work runs in the device's primary context, which a bundle
 * holds from its first use on that device until it is closed; close it when its work is done and before the
 * process unloads the driver.
 *
 * Trust. The hash finds damage, not malice: kernels of a bundle are machine code that algrt_weights_pack,
 * algrt_forward, algrt_dx, algrt_dw and algrt_run run. Opening and describing a bundle run nothing of it.
 * Where a public key is configured, by algrt_set_public_key or the environment variable ALGRT_PUBLIC_KEY,
 * only bundles that it signed are opened.
 */
#ifndef ALGCTL_RUNTIME_ALGRT_H
#define ALGCTL_RUNTIME_ALGRT_H

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(_WIN32)
#define ALGRT_API
#else
#define ALGRT_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ALGRT_VERSION_MAJOR 0
#define ALGRT_VERSION_MINOR 1
#define ALGRT_VERSION_PATCH 0

typedef enum algrt_status {
  ALGRT_OK = 0,
  ALGRT_INVALID_ARGUMENT = 1,    /* a null, a shape, dtype, stride, device, overlap, position or count */
  ALGRT_IO_ERROR = 2,            /* the file cannot be read */
  ALGRT_BAD_BUNDLE = 3,          /* foreign, truncated, damaged or malformed */
  ALGRT_NEWER_FORMAT = 4,        /* written by a newer algctl than this runtime understands */
  ALGRT_UNSUPPORTED = 5,         /* no kernel of the bundle runs on this machine, or serves this request */
  ALGRT_OUT_OF_MEMORY = 6,       /* an allocation failed, or a size does not fit 64 bits */
  ALGRT_WORKSPACE_TOO_SMALL = 7, /* ask algrt_(program_)workspace_size for the same m and threads */
  ALGRT_NO_DRIVER = 8,           /* no CUDA driver library on this machine, or one older than 12.0 */
  ALGRT_NO_DEVICE = 9,           /* no CUDA device, or none of that number */
  ALGRT_WRONG_ARCHITECTURE = 10, /* the device exists, but the bundle has no code for it */
  ALGRT_NOT_PREPARED = 11,       /* the stream is being captured: call algrt_bundle_prepare before */
  ALGRT_DEVICE_ERROR = 12,       /* the CUDA driver reports a failure, perhaps of earlier work */
  ALGRT_UNTRUSTED = 13,          /* a public key is configured, and it did not sign the bundle */
  ALGRT_INTERNAL = 70            /* a bug in the runtime: please report it */
} algrt_status;

/* "0.1.0". */
ALGRT_API const char *algrt_version(void);
/* "ALGRT_BAD_BUNDLE"; "unknown status" for a number that is none. */
ALGRT_API const char *algrt_status_name(int status);
/* The sentence of the last failure on this thread, "" if there was none. Valid until the thread's next call.
 */
ALGRT_API const char *algrt_last_error(void);

/* What calls of the runtime do on a CPU in several threads, they do by `for_each`, the caller's thread pool:
 * it calls run(task, i) once for each i from 0 to count - 1, in any order, on any threads, at once or one
 * after the other, and returns when all of them have returned. */
typedef void (*algrt_for_each)(void *context, int32_t count, void (*run)(void *task, int32_t index),
                               void *task);
/* Runs on that pool, which has `threads` threads, from now on, in the whole process: 0 in the argument
 * `threads` of a call means all of them, and no call uses more. The results are the same bits. `for_each`
 * NULL: the runtime's own threads again, as at first. Not while another call of the runtime runs. */
ALGRT_API int algrt_set_thread_pool(algrt_for_each for_each, void *context, int32_t threads);

/* ---- bundles ------------------------------------------------------------------------------------------ */

typedef struct algrt_bundle algrt_bundle;

/* Reads, hashes and checks the whole bundle. On failure *bundle is NULL. */
ALGRT_API int algrt_bundle_open(const char *path, algrt_bundle **bundle);
/* The same from memory; the bytes are copied. */
ALGRT_API int algrt_bundle_open_memory(const void *bytes, size_t size, algrt_bundle **bundle);
/* The same with the content of the bundle's signature file, which is looked at where a public key is
 * configured. */
ALGRT_API int algrt_bundle_open_signed_memory(const void *bytes, size_t size, const void *signature,
                                              size_t signature_size, algrt_bundle **bundle);

/* From now on this process opens only bundles that this key signed; the others are refused with
 * ALGRT_UNTRUSTED before anything of them is believed. A public key of minisign, or the path of a file of
 * one. The signature of the file "up.alg" is "up.alg.minisig" beside it; algrt_bundle_open_memory knows of
 * none. NULL: the environment variable ALGRT_PUBLIC_KEY decides, which holds the same; where it is not set,
 * bundles need no signature. A key that cannot be used is an error of this function, or of opening where the
 * variable names it, never ignored: ALGRT_INVALID_ARGUMENT, ALGRT_IO_ERROR, or ALGRT_UNSUPPORTED if the
 * runtime was built without libsodium. Bundles that are open stay open. */
ALGRT_API int algrt_set_public_key(const char *public_key);

/* NULL is allowed. */
ALGRT_API void algrt_bundle_close(algrt_bundle *bundle);

/* SHA-256 of what the bundle contains, 64 hexadecimal digits: bundles that have the same one compute the
 * same. Lives as long as the bundle; NULL for a null bundle. */
ALGRT_API const char *algrt_bundle_hash(const algrt_bundle *bundle);

/* The manifest as stored (docs/bundle.md). The string lives as long as the bundle; NULL for a null bundle. */
ALGRT_API const char *algrt_bundle_manifest(const algrt_bundle *bundle);

typedef enum algrt_lift { ALGRT_LIFT_ROWS = 0, ALGRT_LIFT_SLOTS = 1 } algrt_lift;
typedef enum algrt_row_types {
  ALGRT_ROW_TYPES_CYCLIC = 0,
  ALGRT_ROW_TYPES_INTERVAL = 1,
  ALGRT_ROW_TYPES_EXPLICIT = 2
} algrt_row_types;

typedef struct algrt_bundle_info {
  size_t struct_size; /* set by algrt_bundle_info_init */
  int64_t k, n;       /* widths of x and y */
  int64_t types;      /* row types; 1 in the slot lift */
  algrt_row_types row_types;
  int64_t row_type_width; /* rows of one type after another; 1 for cyclic, 0 for explicit */
  algrt_lift lift;
  DLDataType dtype; /* of x, w and y */
  int64_t in_group_count, out_group_count;
  const int64_t *in_groups, *out_groups; /* widths; live as long as the bundle */
  int32_t bank_ndim;                     /* shape that w needs: 2 or 3 */
  int64_t bank_shape[3];
  int64_t packed_bytes; /* of a packed weight matrix on this machine; 0 if no packed kernel runs here */
  int32_t runs_here;    /* 1 if some forward kernel runs on this CPU; GPUs: algrt_bundle_describe_kernels */
  int32_t bias;         /* 1 if algrt_forward adds a bias: [n], of dtype */
} algrt_bundle_info;

/* All zero but for struct_size. */
static inline algrt_bundle_info algrt_bundle_info_init(void) {
  algrt_bundle_info info;
  memset(&info, 0, sizeof(info));
  info.struct_size = sizeof(info);
  return info;
}

/* Fills the first info->struct_size bytes. */
ALGRT_API int algrt_bundle_get_info(const algrt_bundle *bundle, algrt_bundle_info *info);

/* A JSON list, one object per kernel in the manifest's order: name, map, target, level, weights, features,
 * usable (on this machine) and, where not, reason; for a GPU also output, the type of y, and where the
 * manifest says so vector, the elements that a thread copies at a time, and best_for_rows, [from, to]. Behind
 * the kernels of the bundle's own projection are those of its further ones, each with projection, the name of
 * the one that it is of: steps of programs alone run them. Last are those of element-wise functions, with the
 * map "elementwise" and the name of the function. Usable means for a GPU that some device of this
 * machine runs it; the first call starts the CUDA driver if the bundle has such kernels. Made once, lives as
 * long as the bundle; NULL for a null bundle or where memory runs out. */
ALGRT_API const char *algrt_bundle_describe_kernels(const algrt_bundle *bundle);

/* Loads the kernels and tables of all projections of the bundle for CUDA device `device` (as DLPack's
 * device_id) before they are needed. algrt_forward does so at its first call otherwise, which a stream that
 * is being captured does not allow. The calling thread's current context is left as it was. May be called
 * again, and by many threads at once. */
ALGRT_API int algrt_bundle_prepare(const algrt_bundle *bundle, int32_t device);

/* One block product: coefficient * (columns of x in input_group) * (rows of w in bank_row). */
typedef struct algrt_term {
  int32_t input_group;
  int32_t bank_row; /* index of a row group of w: the input groups' widths one after another */
  double coefficient;
} algrt_term;

/* What rows of `type` sum into `output_group` of y (type 0 in the slot lift). In the row lift the block of w
 * has the columns of the output group, in the slot lift all of them. Writes up to `capacity` terms and sets
 * *count to how many there are; terms may be NULL if capacity is 0. Coefficients are exact where they are
 * representable. */
ALGRT_API int algrt_bundle_get_terms(const algrt_bundle *bundle, int64_t type, int64_t output_group,
                                     algrt_term *terms, int64_t capacity, int64_t *count);

/* ---- weights ------------------------------------------------------------------------------------------ */

/* A weight matrix rewritten into the order in which the packed kernel reads it. Only algrt_weights_repack
 * changes it. */
typedef struct algrt_weights algrt_weights;

/* Packs w on `threads` threads (0 = all). The user's tensor is not needed afterwards. ALGRT_UNSUPPORTED if
 * the bundle has no packed kernel for this machine: pass w to algrt_forward instead. */
ALGRT_API int algrt_weights_pack(const algrt_bundle *bundle, const DLTensor *w, int32_t threads,
                                 algrt_weights **weights);
/* The same of a weight of a program, for algrt_run: one that all steps which read it take as a weight matrix
 * of forward products of one projection. `operand` is its name, `tensor` shaped as the signature says, or
 * with a further leading extent of E: the weights of so many experts, for calls with expert_starts.
 * ALGRT_UNSUPPORTED where steps read it otherwise, or the projection has no packed kernel for this machine:
 * pass the tensor to algrt_run instead. */
ALGRT_API int algrt_program_weights_pack(const algrt_bundle *bundle, const char *program, const char *operand,
                                         const DLTensor *tensor, int32_t threads, algrt_weights **weights);
/* Packs another matrix into the memory of packed weights, of the same shape and for the same place: after a
 * step of an optimizer. `bundle` is the one that packed them, or another with the same content. Nothing else
 * may use the weights meanwhile. After a failure they are as they were. */
ALGRT_API int algrt_weights_repack(const algrt_bundle *bundle, const DLTensor *w, int32_t threads,
                                   algrt_weights *weights);
ALGRT_API void algrt_weights_free(algrt_weights *weights);
/* Memory that the packed weight matrix holds; 0 for NULL. */
ALGRT_API size_t algrt_weights_bytes(const algrt_weights *weights);

/* ---- the product -------------------------------------------------------------------------------------- */

typedef struct algrt_forward_args {
  size_t struct_size;           /* set by algrt_forward_args_init */
  const DLTensor *x;            /* [M, K] */
  const DLTensor *y;            /* [M, N], written whole */
  const DLTensor *w;            /* the weight matrix, or NULL when weights is given */
  const algrt_weights *weights; /* packed weights of the same bundle, or NULL; exactly one of the two */
  const DLTensor *types; /* int32 [M], the type of every row: given if and only if the types are explicit */
  int64_t p0;            /* absolute position of row 0, >= 0; 0 for explicit types */
  void *stream;          /* a CUstream, NULL for the legacy default stream; NULL on the CPU */
  void *workspace;       /* where x is; NULL on the CPU: allocated for the call; algrt_workspace_size */
  size_t workspace_bytes;
  int32_t threads; /* most threads to use, 0 = all */
  int32_t kernel;  /* 0 = choose; otherwise 1 + index into algrt_bundle_describe_kernels, for measuring */
  /* 1: on a CUDA device, the kernel may begin before the one before it in the stream has ended, and waits by
   * itself before it touches memory (programmatic stream serialization); only for kernels that say so in the
   * manifest. Some read w before they wait: the work before may not write it. */
  int32_t dependent_launch;
  int32_t reserved;     /* 0 */
  const DLTensor *bias; /* [N], of the bundle's dtype, added to every row of y: given if and only if the
                           bundle's layer has one */
  /* Where the rows are in their sequences, for row types that follow from the position: instead of p0, which
   * is 0 then. The type of the row at position p is floor((p mod types * width) / width). int32 or int64, in
   * the memory where x is. With positions every row has one of its own. With sequence_starts the batch is
   * sequences one after another: sequence s has rows sequence_starts[s] to sequence_starts[s + 1] - 1,
   * perhaps none, at consecutive positions from sequence_positions[s] on. */
  const DLTensor *positions;          /* [M], each >= 0, or NULL */
  const DLTensor *sequence_starts;    /* [S + 1], ascending from 0 to M, or NULL; not with positions */
  const DLTensor *sequence_positions; /* [S], each >= 0, of sequence_starts' type; NULL: all 0 */
  /* Above 0: the batch is sequences of so many rows each, as [B, T, K] has B of T, and each begins at
   * position p0. It divides M. Where it is a multiple of types * width, the rows have the types that they
   * would have in one sequence, and any kernel takes them; otherwise the runtime lists them as those of
   * sequence_starts. 0: one sequence. */
  int64_t sequence_rows;
} algrt_forward_args;

/* All zero but for struct_size. */
static inline algrt_forward_args algrt_forward_args_init(void) {
  algrt_forward_args args;
  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  return args;
}

typedef struct algrt_dx_args {
  size_t struct_size;    /* set by algrt_dx_args_init */
  const DLTensor *dy;    /* [M, N], the gradient of y */
  const DLTensor *dx;    /* [M, K], written whole */
  const DLTensor *w;     /* the weight matrix that y was computed with */
  const DLTensor *types; /* as in algrt_forward_args */
  int64_t p0;            /* as in algrt_forward_args */
  void *stream;          /* as in algrt_forward_args */
  void *workspace;       /* as in algrt_forward_args */
  size_t workspace_bytes;
  int32_t threads;
  int32_t kernel;
  int32_t dependent_launch;           /* as in algrt_forward_args */
  int32_t reserved;                   /* 0 */
  const DLTensor *positions;          /* as in algrt_forward_args */
  const DLTensor *sequence_starts;    /* as in algrt_forward_args */
  const DLTensor *sequence_positions; /* as in algrt_forward_args */
  int64_t sequence_rows;              /* as in algrt_forward_args */
} algrt_dx_args;

/* All zero but for struct_size. */
static inline algrt_dx_args algrt_dx_args_init(void) {
  algrt_dx_args args;
  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  return args;
}

typedef struct algrt_dw_args {
  size_t struct_size;    /* set by algrt_dw_args_init */
  const DLTensor *x;     /* [M, K], what y was computed from */
  const DLTensor *dy;    /* [M, N], the gradient of y */
  const DLTensor *dw;    /* shaped like the weight matrix, f32 or of the bundle's dtype */
  const DLTensor *dbias; /* [N], f32 or of the bundle's dtype: the gradient of the layer's bias, or NULL */
  const DLTensor *types; /* as in algrt_forward_args */
  int64_t p0;            /* as in algrt_forward_args */
  void *stream;          /* as in algrt_forward_args */
  void *workspace;       /* as in algrt_forward_args */
  size_t workspace_bytes;
  int32_t threads;
  int32_t kernel;
  float beta;                         /* what dw and dbias hold counts so often; with 0 it is not read */
  const DLTensor *positions;          /* as in algrt_forward_args */
  const DLTensor *sequence_starts;    /* as in algrt_forward_args */
  const DLTensor *sequence_positions; /* as in algrt_forward_args */
  int64_t sequence_rows;              /* as in algrt_forward_args */
} algrt_dw_args;

/* All zero but for struct_size. */
static inline algrt_dw_args algrt_dw_args_init(void) {
  algrt_dw_args args;
  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  return args;
}

/* Bytes of workspace with which algrt_forward, algrt_dx or algrt_dw on up to m rows and that many threads
 * allocates nothing, whatever kernel it chooses. The workspace needs no alignment and no initial contents.
 * On a CUDA device it is device memory, the call's until its work is done, and needed for one thing alone:
 * for rows that are not at positions from p0 on the list of rows by type, 4 * (types + m) + 11 bytes. 0 for a
 * bundle that has no kernel that uses any. */
ALGRT_API int algrt_workspace_size(const algrt_bundle *bundle, int64_t m, int32_t threads, size_t *bytes);

/* y = x times w in the bundle's algebra, plus the bias where the layer has one. Rows of type t use row t of
 * its table; output groups that a type does not reach are written as zero, or as the bias. Accumulates in
 * f32, adds the bias there, and rounds once. M = 0 is done at once. On a CUDA device the work is
 * enqueued in args->stream and may still be running when the function returns. */
ALGRT_API int algrt_forward(const algrt_bundle *bundle, const algrt_forward_args *args);

/* dx = dy times w^T in the bundle's algebra: the gradient of x, where dy is that of y. Input groups that a
 * type does not read get zero. Accumulates in f32; the same bits for every number of threads, and in every
 * run of a kernel on a CUDA device, where dx may be bf16 or f32 and the work is enqueued in args->stream. M =
 * 0 is done at once. ALGRT_UNSUPPORTED where the bundle has no kernel of the map dx for this machine. */
ALGRT_API int algrt_dx(const algrt_bundle *bundle, const algrt_dx_args *args);

/* dw = x^T times dy in the bundle's algebra, plus beta times what dw was: the gradient of the weight matrix.
 * Blocks that no row of the batch reaches become beta times what they were. Sums are f32 and rounded once;
 * the same bits for every number of threads, and in every run of a kernel on a CUDA device, where the work is
 * enqueued in args->stream. With M = 0 all of dw is beta times what it was. dbias, where it is given, is the
 * sum of the rows of dy plus beta times what it was, in f64, rounded to f32 and from there to bf16, with the
 * same promise of bits; a function of the bundle computes it behind dw. ALGRT_INVALID_ARGUMENT where the
 * layer has no bias; ALGRT_UNSUPPORTED where the bundle has no kernel of the map dw for this machine and type
 * of dw, or none of such a dbias. */
ALGRT_API int algrt_dw(const algrt_bundle *bundle, const algrt_dw_args *args);

/* ---- programs ----------------------------------------------------------------------------------------- */

/* A bundle holds programs, functions of named tensors (docs/bundle.md, "Programs"). Those of a projection are
 * "forward", "dx" and "dw", as far as it has kernels of them; algrt_forward, algrt_dx and algrt_dw are the
 * same calls with arguments instead of names. */

/* How many; 0 for a null bundle. */
ALGRT_API int64_t algrt_program_count(const algrt_bundle *bundle);
/* The name of program `index`, from 0 on; NULL where there is none. Lives as long as the bundle. */
ALGRT_API const char *algrt_program_name(const algrt_bundle *bundle, int64_t index);

typedef enum algrt_role {
  ALGRT_ROLE_INPUT = 0,  /* depends on the call */
  ALGRT_ROLE_WEIGHT = 1, /* a parameter of the model */
  ALGRT_ROLE_OUTPUT = 2  /* written whole */
} algrt_role;

/* One operand of a program's signature. */
typedef struct algrt_operand_info {
  size_t struct_size; /* set by algrt_operand_info_init */
  const char *name;   /* lives as long as the bundle */
  algrt_role role;
  int32_t optional;    /* 1: a call may leave it out */
  int32_t dtype_count; /* element types that a call may choose from */
  DLDataType dtypes[4];
  int32_t ndim;
  int64_t shape[8]; /* extents; -1 where it depends on the call */
  /* Then how: "M", the rows of the batch, or "S + 1", or with a factor "4*M"; else NULL. Live as long as the
   * bundle. */
  const char *symbols[8];
  int32_t host; /* 1: one number that steps are launched with: in CPU memory wherever the other tensors are */
} algrt_operand_info;

/* All zero but for struct_size. */
static inline algrt_operand_info algrt_operand_info_init(void) {
  algrt_operand_info info;
  memset(&info, 0, sizeof(info));
  info.struct_size = sizeof(info);
  return info;
}

/* Sets *count to how many operands a program has. ALGRT_INVALID_ARGUMENT where there is no such program, with
 * the names of those that there are. */
ALGRT_API int algrt_program_operand_count(const algrt_bundle *bundle, const char *program, int64_t *count);
/* Fills the first info->struct_size bytes with operand `index`, from 0 on. */
ALGRT_API int algrt_program_get_operand(const algrt_bundle *bundle, const char *program, int64_t index,
                                        algrt_operand_info *info);

/* Bytes of workspace with which algrt_run has enough for m rows on so many threads (0 = all), wherever the
 * workspace begins: for what its steps hand on to each other, and for what they need themselves. On a CUDA
 * device `threads` means nothing. */
ALGRT_API int algrt_program_workspace_size(const algrt_bundle *bundle, const char *program, int64_t m,
                                           int32_t threads, size_t *bytes);
/* The same of a call whose rows are divided among up to so many experts, for which the function above does
 * not say enough: on a CUDA device kernels may list the rows of each type of each expert. m is of results. */
ALGRT_API int algrt_program_experts_workspace_size(const algrt_bundle *bundle, const char *program, int64_t m,
                                                   int64_t experts, int32_t threads, size_t *bytes);

/* A tensor of a call under its name in the signature; or on the CPU, in the place of a weight, what
 * algrt_program_weights_pack has made of it, or algrt_weights_pack where it is the weight matrix of the
 * bundle's own projection. A step that takes several weights takes all of them packed, or none. */
typedef struct algrt_named_tensor {
  const char *name;
  const DLTensor *tensor;       /* or NULL where weights is given */
  const algrt_weights *weights; /* or NULL */
} algrt_named_tensor;

typedef struct algrt_run_options {
  size_t struct_size; /* set by algrt_run_options_init */
  int64_t p0;         /* absolute position of row 0, as in algrt_forward_args */
  void *stream;       /* a CUstream, NULL for the legacy default stream; NULL on the CPU */
  /* Where the tensors are, algrt_program_workspace_size bytes, of experts
   * algrt_program_experts_workspace_size; NULL on the CPU: allocated for the call. On a CUDA device it has to
   * stay until the work is done. */
  void *workspace;
  size_t workspace_bytes;
  int32_t threads;          /* most threads to use, 0 = all */
  int32_t kernel;           /* as in algrt_forward_args, of the step's projection, for a program of one step;
                               else 0 */
  int32_t dependent_launch; /* as in algrt_forward_args, of the program's first step; on a CUDA device the
                               others begin early by themselves where they can */
  float beta;               /* of dw: what dw and dbias hold counts so often; with 0 it is not read. 0 where a
                               step hands one of them on */
  int64_t sequence_rows;    /* as in algrt_forward_args */
  /* [E + 1], int32, where the tensors are: one call for E networks of the program's kind, as a mixture of
   * experts has. Rows expert_starts[e] to expert_starts[e + 1] - 1 of all tensors that have rows are those of
   * expert e, perhaps none, and are computed with its weights: every weight has a further leading extent of
   * E, [E, K, N] or joined [E*K, N] for [K, N], and [E, N] for [N], and lies without gaps between experts;
   * packed weights are those of E experts.
   * Numbers that are one for the call are the same for all.
   * The starts do not descend, and are from 0 to M. No result depends on rows before the first and from the
   * last one on, and theirs are not written, but by steps of element-wise functions on a CUDA device. There
   * starts are the device's to know: the same launches for each step, whatever they are, of kernels that were
   * compiled for experts. An output overlaps no other tensor then. NULL: there is one network. Not with
   * sequences, nor for programs of which a result sums over rows. */
  const DLTensor *expert_starts;
  /* [R], int32, where the tensors are; only with expert_starts, which divide this list then and not the rows:
   * entries expert_starts[e] to expert_starts[e + 1] - 1 are the rows of the batch that expert e computes,
   * each from 0 to M - 1. A row may be in the lists of several experts, or of none. Inputs have M rows as
   * ever, results have R, of which row n belongs to entry n; a row is at the position that it has in the
   * batch, whoever computes it. Workspace is that of R rows. In CPU memory each entry is looked at; on a CUDA
   * device one that is no row counts as the nearest, and what steps read of the batch beside x and positions
   * is refused by its name. NULL: rows are consecutive. */
  const DLTensor *expert_rows;
} algrt_run_options;

/* All zero but for struct_size. */
static inline algrt_run_options algrt_run_options_init(void) {
  algrt_run_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  return options;
}

/* Runs a program: all its tensors in CPU memory, or all on one CUDA device, where the steps are enqueued one
 * behind the other and nothing is waited for, so that the call can be captured into a graph
 * (algrt_bundle_prepare before). Operands with `host` are in CPU memory in either case, and read before the
 * function returns: a graph keeps the number. `options` may be NULL for all defaults. A symbol of the
 * signature has the same value in all tensors. Shapes, strides and overlaps are as at the top of this page:
 * an output overlaps none of the other tensors, but where a program is one step of products with one result:
 * that may be the very matrix of an operand with as many elements of the same type, such as a residual, each
 * of which is read before it is written. Leading extents of weights that are numbers may be joined, [m, K, N]
 * as [m*K, N]. ALGRT_INVALID_ARGUMENT names the tensor that is missing, unknown, given twice or of a wrong
 * type or shape; ALGRT_WORKSPACE_TOO_SMALL says how many bytes there have to be; what a step of several
 * refuses begins with the step and what its operands are. What a failing call has written of its outputs is
 * undefined. */
ALGRT_API int algrt_run(const algrt_bundle *bundle, const char *program, const algrt_named_tensor *tensors,
                        int64_t count, const algrt_run_options *options);

#ifdef __cplusplus
}
#endif

#endif
