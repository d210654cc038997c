#include "compiler/targets/c/cuda_launcher_text.h"

namespace compiler {

const char *const launcher_declarations = R"c(#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the functions return: 0, one of these, or a CUresult of the driver, which is positive. @_error has the sentence.
 * A CUresult may be that of earlier work: the driver reports the failure of a kernel at whatever call comes next. */
enum {
  @_ok = 0,
  @_invalid_argument = -1,   /* an address, a distance of rows, m or p0 that the kernel cannot take; nothing is launched */
  @_no_driver = -2,          /* no libcuda.so.1, or one before CUDA 12.0 */
  @_wrong_device = -3,       /* of another compute capability than the kernel's */
  @_out_of_host_memory = -4
};

/* The kernel on one device. Used by one thread at a time; other threads load their own. */
typedef struct @_kernel {
  struct @_state *state;
  char error[512];
} @_kernel;

/* Opens the driver library libcuda.so.1 and puts the kernel on a device, counted from 0, in its primary context: the
 * machine code, if there is some and the driver knows it, otherwise the PTX, which the driver compiles first.
 * Uses nothing of *kernel as it was before. Where it fails, @_error says why and there is nothing to unload. */
int @_load(@_kernel *kernel, int device);

/* The same with the driver's functions from elsewhere: find(name, context) returns the function that the driver
 * library exports under that name, NULL where it has none. */
typedef void (*@_symbol)(void);
typedef @_symbol (*@_find_symbol)(const char *name, void *context);
int @_load_from(@_kernel *kernel, int device, @_find_symbol find, void *context);

/* Starts the kernel in a stream, a CUstream of the device's primary context or NULL for the default stream, and
 * returns at once. Pointers are addresses on the device; behind that of a matrix is how many elements one row of it is
 * from the next, no fewer than a row has. What addresses and distances have to be multiples of is said above; distances
 * are below 2^40 bytes. Rows that are written overlap no other operand and not one another. p0 >= 0 is the absolute
 * position of row 0. Nothing but the columns of a result is written. May be captured into a graph. */
int @_launch($);

/* The same, but it may begin before the work ahead of it in the stream has ended (programmatic stream serialization):
 * the kernel itself waits for that work before it touches memory. @_invalid_argument where it does not. What follows in
 * the stream may begin early, too, if it is launched so: results are whole only behind its own wait
 * (griddepcontrol.wait). */
int @_launch_dependent($);

/* Takes the kernel from the device, which must have finished with it. */
void @_unload(@_kernel *kernel);

/* What went wrong in the last call that failed; lives as long as *kernel. */
const char *@_error(const @_kernel *kernel);

#ifdef __cplusplus
}
#endif
)c";

const char *const launcher_driver = R"c(
/* ---- What is needed of the driver, as the CUDA driver API's manual gives it. ---- */

#define DRIVER_ENTRIES(X)                                                                                              \
  X(init, cuInit, (unsigned flags))                                                                                    \
  X(error_text, cuGetErrorString, (int result, const char **text))                                                     \
  X(device_get, cuDeviceGet, (int *device, int ordinal))                                                               \
  X(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, int device))                                   \
  X(retain_context, cuDevicePrimaryCtxRetain, (void **context, int device))                                            \
  X(release_context, cuDevicePrimaryCtxRelease_v2, (int device))                                                       \
  X(push_context, cuCtxPushCurrent_v2, (void *context))                                                                \
  X(pop_context, cuCtxPopCurrent_v2, (void **context))                                                                 \
  X(module_load, cuModuleLoadDataEx, (void **module, const void *image, unsigned count, int *options, void **values))  \
  X(module_unload, cuModuleUnload, (void *module))                                                                     \
  X(module_function, cuModuleGetFunction, (void **function, void *module, const char *name))                           \
  X(set_attribute, cuFuncSetAttribute, (void *function, int attribute, int value))                                     \
  X(allocate, cuMemAlloc_v2, (unsigned long long *address, size_t bytes))                                              \
  X(deallocate, cuMemFree_v2, (unsigned long long address))                                                            \
  X(copy_to_device, cuMemcpyHtoD_v2, (unsigned long long to, const void *from, size_t bytes))                          \
  X(synchronize_stream, cuStreamSynchronize, (void *stream))                                                           \
  X(launch, cuLaunchKernelEx, (const launch_config *config, void *function, void **parameters, void **extra))          \
  MAP_ENTRIES(X)

enum { /* CUdevice_attribute, CUfunction_attribute, CUlaunchAttributeID */
  MULTIPROCESSOR_COUNT = 16,
  CAPABILITY_MAJOR = 75,
  CAPABILITY_MINOR = 76,
  MAX_DYNAMIC_SHARED_BYTES = 8,
  CLUSTER_DIMENSION = 4,
  PROGRAMMATIC_STREAM_SERIALIZATION = 6
};

typedef struct {
  int id;
  char unused[4];
  union {
    char bytes[64];
    unsigned cluster[3];
    int allowed; /* programmatic stream serialization */
    void *alignment;
  } value;
} launch_attribute;

typedef struct {
  unsigned grid[3], block[3], shared_bytes;
  void *stream;
  launch_attribute *attributes;
  unsigned attribute_count;
} launch_config;

static void ask_for_clusters(launch_attribute *attribute) {
  memset(attribute, 0, sizeof *attribute);
  attribute->id = CLUSTER_DIMENSION;
  attribute->value.cluster[0] = CLUSTER;
  attribute->value.cluster[1] = attribute->value.cluster[2] = 1;
}

#define MEMBER(name, symbol, parameters) int(*name) parameters;
struct @_state {
  DRIVER_ENTRIES(MEMBER)
  void *library, *context, *module, *function;
  unsigned long long terms; /* address on the device, 0 where there are none */
  int device, multiprocessors;
  int64_t blocks; /* that the device runs at once */
};

static int fail(@_kernel *kernel, int status, const char *why) {
  snprintf(kernel->error, sizeof kernel->error, "%s", why);
  return status;
}

static int driver_failure(@_kernel *kernel, int result, const char *what) {
  const char *text = NULL;
  if (kernel->state->error_text(result, &text) != 0 || text == NULL)
    text = "an error that the driver has no text for";
  snprintf(kernel->error, sizeof kernel->error, "%s: %s (CUresult %d)", what, text, result);
  return result;
}
)c";

const char *const launcher_loading = R"c(
/* ---- Loading ---- */

static @_symbol find_in_library(const char *name, void *library) {
  void *object = dlsym(library, name);
  @_symbol function;
  memcpy(&function, &object, sizeof function); /* POSIX: the same representation */
  return function;
}

static int find_entries(@_kernel *kernel, @_find_symbol find, void *context) {
#define FIND(name, symbol, parameters)                                                                                 \
  if ((kernel->state->name = (int(*) parameters)find(#symbol, context)) == NULL)                                       \
    return fail(kernel, @_no_driver, "the driver has no function " #symbol ": it is older than CUDA 12.0");
  DRIVER_ENTRIES(FIND)
  return 0;
}

static int check_device(@_kernel *kernel, int ordinal) {
  struct @_state *state = kernel->state;
  int major = 0, minor = 0, result = state->init(0);
  if (result != 0)
    return driver_failure(kernel, result, "starting the driver");
  if ((result = state->device_get(&state->device, ordinal)) != 0)
    return driver_failure(kernel, result, "finding the device");
  if ((result = state->device_attribute(&major, CAPABILITY_MAJOR, state->device)) != 0 ||
      (result = state->device_attribute(&minor, CAPABILITY_MINOR, state->device)) != 0 ||
      (result = state->device_attribute(&state->multiprocessors, MULTIPROCESSOR_COUNT, state->device)) != 0)
    return driver_failure(kernel, result, "asking the device what it is");
  if (EXACT_ARCHITECTURE ? major * 10 + minor != ARCHITECTURE : major * 10 + minor < ARCHITECTURE) {
    snprintf(kernel->error, sizeof kernel->error,
             "device %d has compute capability %d.%d, the kernel needs %d.%d%s", ordinal, major, minor,
             ARCHITECTURE / 10, ARCHITECTURE % 10, EXACT_ARCHITECTURE ? " exactly" : " or later");
    return @_wrong_device;
  }
  return 0;
}

/* With the context current. */
static int put_on_device(@_kernel *kernel) {
  struct @_state *state = kernel->state;
  int result = load_module(kernel);
  if (result != 0)
    return result;
  if ((result = state->module_function(&state->function, state->module, SYMBOL)) != 0)
    return driver_failure(kernel, result, "finding the kernel in its image");
  if ((result = state->set_attribute(state->function, MAX_DYNAMIC_SHARED_BYTES, SHARED_BYTES)) != 0)
    return driver_failure(kernel, result, "reserving the kernel's shared memory");
  if ((result = count_blocks(kernel)) != 0)
    return result;
  if (TERMS_BYTES > 0) {
    if ((result = state->allocate(&state->terms, TERMS_BYTES)) != 0)
      return driver_failure(kernel, result, "allocating the table of terms");
    if ((result = state->copy_to_device(state->terms, terms, TERMS_BYTES)) != 0)
      return driver_failure(kernel, result, "copying the table of terms");
    /* The copy, in the default stream, returns before it has arrived; other streams do not wait for it. */
    if ((result = state->synchronize_stream(NULL)) != 0)
      return driver_failure(kernel, result, "copying the table of terms");
  }
  return 0;
}

static int load_state(@_kernel *kernel, int device, @_find_symbol find, void *context) {
  struct @_state *state = kernel->state;
  void *popped;
  int result;
  if (find == NULL) {
    find = find_in_library;
    /* Never unmapped: the driver has threads of its own. */
    context = state->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (context == NULL)
      return fail(kernel, @_no_driver, "libcuda.so.1 cannot be opened: this machine has no NVIDIA driver");
  }
  if ((result = find_entries(kernel, find, context)) != 0 || (result = check_device(kernel, device)) != 0)
    return result;
  if ((result = state->retain_context(&state->context, state->device)) != 0)
    return driver_failure(kernel, result, "retaining the device's context");
  if ((result = state->push_context(state->context)) != 0)
    return driver_failure(kernel, result, "entering the device's context");
  result = put_on_device(kernel);
  (void)state->pop_context(&popped);
  return result;
}

int @_load_from(@_kernel *kernel, int device, @_find_symbol find, void *context) {
  int result;
  kernel->error[0] = 0;
  kernel->state = calloc(1, sizeof *kernel->state);
  if (kernel->state == NULL)
    return fail(kernel, @_out_of_host_memory, "no memory is left on the host");
  result = load_state(kernel, device, find, context);
  if (result != 0)
    @_unload(kernel);
  return result;
}

int @_load(@_kernel *kernel, int device) { return @_load_from(kernel, device, NULL, NULL); }

void @_unload(@_kernel *kernel) {
  struct @_state *state = kernel->state;
  void *popped;
  if (state == NULL)
    return;
  if (state->context != NULL) {
    /* Where the context cannot be entered the driver has gone, and what it held with it. */
    if (state->push_context(state->context) == 0) {
      if (state->terms != 0)
        (void)state->deallocate(state->terms);
      if (state->module != NULL)
        (void)state->module_unload(state->module);
      (void)state->pop_context(&popped);
    }
    (void)state->release_context(state->device);
  }
  if (state->library != NULL)
    (void)dlclose(state->library);
  free(state);
  kernel->state = NULL;
}

const char *@_error(const @_kernel *kernel) { return kernel->error; }
)c";

const char *const launcher_launch = R"c(
/* The kernel's first parameter: all its maps. */
static int write_maps(@_kernel *kernel, unsigned char *to, const matrix *given, int64_t m, int64_t offset) {
  size_t i;
  int j, result;
  for (i = 0; i < sizeof maps / sizeof maps[0]; ++i) {
    const map_shape *shape = &maps[i];
    const matrix *from = &given[shape->operand];
    view shown;
    shown.address = from->address;
    for (j = 0; j < 4; ++j)
      shown.extents[j] = shape->extents[j];
    shown.strides[0] = shape->steps[0];
    shown.strides[1] = shape->steps[1] * from->ld;
    shown.strides[2] = shape->steps[2] * from->ld;
    if (shape->lines != WEIGHT_MATRIX)
      show_lines(&shown, shape->lines, m, offset, from->ld * operands[shape->operand].element_bytes, from->ld);
    if ((result = write_map(kernel, to + shape->offset, shape, &shown, given[RESULT].address)) != 0)
      return result;
  }
  return 0;
}

/* ---- Launching ---- */

static int check_rows(@_kernel *kernel, int64_t m, int64_t p0) {
  if (kernel->state == NULL)
    return fail(kernel, @_invalid_argument, "the kernel is not loaded");
  if (m < 0 || p0 < 0)
    return fail(kernel, @_invalid_argument, "m and p0 need to be 0 or more");
  if (m > MOST_ROWS)
    return fail(kernel, @_invalid_argument, "m is too large: launch once for each part of the rows");
  if (m > 0 && p0 > INT64_MAX - (m - 1))
    return fail(kernel, @_invalid_argument, "the position of the last row does not fit 64 bits");
  return 0;
}

/* Blocks that take tiles of y in turn: as many as the device runs at once, no more than there are tiles. */
static unsigned choose_grid(int64_t tiles, int64_t blocks) {
  int64_t clusters = (tiles + CLUSTER - 1) / CLUSTER;
  if (clusters > blocks / CLUSTER)
    clusters = blocks / CLUSTER;
  return (unsigned)(clusters < 1 ? CLUSTER : clusters * CLUSTER);
}

/* Lines of tiles of rows, in whole clusters, times the tiles of each; of a gradient of weights as many whatever the rows. */
static int64_t count_tiles(int64_t m, int64_t offset) {
  const int64_t rows = (int64_t)TILE_ROWS * CLUSTER_ROWS;
  int64_t lines = INTERVAL ? (offset % RUN + m - 1) / RUN + 1 : PERIOD;
  int64_t longest = INTERVAL ? RUN : (m + PERIOD - 1) / PERIOD;
  if (JOINED) { /* a partial run, the types, numbers without rows up to that of the last run, and it */
    const int64_t types = PERIOD / RUN, rest = offset % RUN == 0 ? 0 : RUN - offset % RUN, first = rest < m ? rest : m;
    const int64_t whole = (m - first) / RUN, left = m - first - whole * RUN;
    lines = (first > 0) + (left > 0 ? whole % types + (whole < types ? 0 : types) + 1 : whole < types ? whole : types);
    longest = whole > 0 ? (whole + types - 1) / types * RUN : first > left ? first : left;
  }
  if (WEIGHT_GRADIENT_TILES > 0)
    return WEIGHT_GRADIENT_TILES;
  return (lines + TILE_TYPES - 1) / TILE_TYPES * ((longest + rows - 1) / rows * CLUSTER_ROWS) * TILES_OF_LINE;
}

static int start(@_kernel *kernel, const matrix *given, arguments *with, int64_t m, int64_t p0, void *stream,
                 int dependent) {
  unsigned char room[MAPS_BYTES + MAP_ALIGNMENT];
  unsigned char *first = room + (MAP_ALIGNMENT - (uintptr_t)room % MAP_ALIGNMENT) % MAP_ALIGNMENT;
  launch_config config;
  launch_attribute attributes[2];
  void *parameters[PARAMETERS], *popped;
  int64_t tiles;
  int i, result = check_rows(kernel, m, p0);
  if (dependent && !DEPENDENT_LAUNCH)
    return fail(kernel, @_invalid_argument, "the kernel does not wait for the work ahead of it by itself");
  if (result != 0 || (m == 0 && WEIGHT_GRADIENT_TILES == 0))
    return result;

  for (i = 0; i < OPERANDS; ++i)
    if ((result = check_matrix(kernel, &operands[i], &given[i], m)) != 0)
      return result;
  with->rows = (int32_t)m;
  with->offset = (int32_t)(p0 % PERIOD);
  with->terms = kernel->state->terms;
  tiles = count_tiles(m, with->offset);
  if (tiles > MOST_TILES)
    return fail(kernel, @_invalid_argument, "the result has too many tiles: launch once for each part of its rows");

  if ((result = kernel->state->push_context(kernel->state->context)) != 0)
    return driver_failure(kernel, result, "entering the device's context");
  if ((result = write_maps(kernel, first, given, m, with->offset)) == 0) {
    memset(&config, 0, sizeof config);
    memset(attributes, 0, sizeof attributes);
    config.attributes = attributes;
    config.grid[0] = choose_grid(tiles, kernel->state->blocks);
    config.block[0] = THREADS;
    config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
    config.shared_bytes = SHARED_BYTES;
    config.stream = stream;
    if (CLUSTER > 1)
      ask_for_clusters(&attributes[config.attribute_count++]);
    if (dependent) {
      launch_attribute *attribute = &attributes[config.attribute_count++];
      attribute->id = PROGRAMMATIC_STREAM_SERIALIZATION;
      attribute->value.allowed = 1;
    }
    set_parameters(parameters, first, with);
    if ((result = kernel->state->launch(&config, kernel->state->function, parameters, NULL)) != 0)
      result = driver_failure(kernel, result, "launching the kernel");
  }
  (void)kernel->state->pop_context(&popped);
  return result;
}
)c";

} // namespace compiler
