/* algrt.h as a C11 program uses it, with the bundle of shape cyclic_f32: Q(5), 20 -> 30, types cyclic. */
#include "runtime/algrt.h"

#include <stdio.h>

#define CHECK(CONDITION)                                                                                     \
  do {                                                                                                       \
    if (!(CONDITION)) {                                                                                      \
      printf("line %d: %s does not hold; last error: %s\n", __LINE__, #CONDITION, algrt_last_error());       \
      return 1;                                                                                              \
    }                                                                                                        \
  } while (0)

enum { m = 7, k = 20, n = 30, groups = 5 };
static float x[m * k], w[k * n], y[m * n], packed_y[m * n];

/* A thread pool that counts, and does one after the other. */
static void one_by_one(void *context, int32_t count, void (*run)(void *task, int32_t index), void *task) {
  for (int32_t i = count; i > 0; --i)
    run(task, i - 1);
  ++*(int *)context;
}

static DLTensor matrix(float *data, int64_t *shape) {
  DLTensor tensor;
  memset(&tensor, 0, sizeof(tensor));
  tensor.data = data;
  tensor.device.device_type = kDLCPU;
  tensor.ndim = 2;
  tensor.dtype.code = kDLFloat;
  tensor.dtype.bits = 32;
  tensor.dtype.lanes = 1;
  tensor.shape = shape;
  return tensor;
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  CHECK(strcmp(algrt_version(), "0.1.0") == 0);
  CHECK(strcmp(algrt_status_name(ALGRT_BAD_BUNDLE), "ALGRT_BAD_BUNDLE") == 0);
  CHECK(strcmp(algrt_last_error(), "") == 0);

  algrt_bundle *bundle = NULL;
  CHECK(algrt_bundle_open("/nonexistent.alg", &bundle) == ALGRT_IO_ERROR);
  CHECK(bundle == NULL && strstr(algrt_last_error(), "/nonexistent.alg") != NULL);
  CHECK(algrt_bundle_open(argv[1], &bundle) == ALGRT_OK);
  CHECK(strstr(algrt_bundle_manifest(bundle), "\"by hand\"") != NULL);
  CHECK(strstr(algrt_bundle_describe_kernels(bundle), "\"usable\":true") != NULL);

  algrt_bundle_info info = algrt_bundle_info_init();
  CHECK(algrt_bundle_get_info(bundle, &info) == ALGRT_OK);
  CHECK(info.k == k && info.n == n && info.types == groups && info.lift == ALGRT_LIFT_ROWS);
  CHECK(info.row_types == ALGRT_ROW_TYPES_CYCLIC && info.dtype.code == kDLFloat && info.runs_here == 1 &&
        info.bias == 0);
  CHECK(info.in_group_count == groups && info.in_groups[4] == 4 && info.out_groups[0] == 6);
  const char *hash = algrt_bundle_hash(bundle);
  CHECK(strlen(hash) == 64 && strspn(hash, "0123456789abcdef") == 64);
  CHECK(algrt_bundle_hash(NULL) == NULL);
  CHECK(info.bank_ndim == 2 && info.bank_shape[0] == k && info.bank_shape[1] == n);

  algrt_term terms[2];
  int64_t count = 0;
  CHECK(algrt_bundle_get_terms(bundle, 3, 1, terms, 2, &count) == ALGRT_OK && count == 2);
  CHECK(terms[0].input_group == 1 && terms[1].input_group == 3 && terms[1].bank_row == 3);
  CHECK(terms[0].coefficient == 1 && terms[1].coefficient == 1);
  CHECK(algrt_bundle_get_terms(bundle, 4, 4, NULL, 0, &count) == ALGRT_OK && count == 1);
  CHECK(algrt_bundle_get_terms(bundle, 5, 0, terms, 2, &count) == ALGRT_INVALID_ARGUMENT);
  CHECK(algrt_bundle_get_terms(bundle, 0, -1, terms, 2, &count) == ALGRT_INVALID_ARGUMENT);
  CHECK(algrt_bundle_get_terms(bundle, 0, 1, NULL, 1, &count) == ALGRT_INVALID_ARGUMENT);

  for (int i = 0; i < m * k; ++i)
    x[i] = (float)(i % 7 - 3);
  for (int i = 0; i < k * n; ++i)
    w[i] = (float)(i % 5 - 2);
  int64_t x_shape[2] = {m, k}, w_shape[2] = {k, n}, y_shape[2] = {m, n};
  const DLTensor x_tensor = matrix(x, x_shape), w_tensor = matrix(w, w_shape), y_tensor = matrix(y, y_shape);
  algrt_forward_args args = algrt_forward_args_init();
  args.x = &x_tensor;
  args.w = &w_tensor;
  args.y = &y_tensor;
  args.p0 = 3;
  CHECK(algrt_forward(bundle, &args) == ALGRT_OK);
  for (int r = 0; r < m; ++r)
    for (int c = 0; c < n; ++c) {
      float sum = 0; /* small integers: exact */
      for (int d = 0; d < k; ++d)
        if (d / 4 == c / 6 || d / 4 == (r + 3) % groups)
          sum += x[r * k + d] * w[d * n + c];
      CHECK(y[r * n + c] == sum);
    }

  algrt_weights *weights = NULL;
  CHECK(algrt_weights_pack(bundle, &w_tensor, 1, &weights) == ALGRT_OK);
  CHECK((int64_t)algrt_weights_bytes(weights) == info.packed_bytes);
  const DLTensor packed_y_tensor = matrix(packed_y, y_shape);
  args.w = NULL;
  args.weights = weights;
  args.y = &packed_y_tensor;
  CHECK(algrt_forward(bundle, &args) == ALGRT_OK);
  CHECK(memcmp(y, packed_y, sizeof(y)) == 0);

  /* Other weights in the same memory, on the caller's threads. */
  int calls = 0;
  CHECK(algrt_set_thread_pool(one_by_one, &calls, 0) == ALGRT_INVALID_ARGUMENT);
  CHECK(algrt_set_thread_pool(one_by_one, &calls, 3) == ALGRT_OK);
  for (int i = 0; i < k * n; ++i)
    w[i] = (float)(i % 3 - 1);
  CHECK(algrt_weights_repack(bundle, &w_tensor, 0, weights) == ALGRT_OK);
  CHECK(algrt_forward(bundle, &args) == ALGRT_OK && calls > 0);
  CHECK(algrt_weights_repack(bundle, &x_tensor, 0, weights) == ALGRT_INVALID_ARGUMENT);
  CHECK(strstr(algrt_last_error(), "w") != NULL);
  CHECK(algrt_weights_repack(bundle, &w_tensor, -1, weights) == ALGRT_INVALID_ARGUMENT);
  CHECK(algrt_weights_repack(bundle, &w_tensor, 0, NULL) == ALGRT_INVALID_ARGUMENT);
  CHECK(algrt_set_thread_pool(NULL, NULL, 0) == ALGRT_OK);
  args.weights = NULL;
  args.w = &w_tensor;
  args.y = &y_tensor;
  CHECK(algrt_forward(bundle, &args) == ALGRT_OK);
  CHECK(memcmp(y, packed_y, sizeof(y)) == 0);

  /* The same by names. */
  CHECK(algrt_program_count(bundle) == 1 && strcmp(algrt_program_name(bundle, 0), "forward") == 0);
  algrt_operand_info operand = algrt_operand_info_init();
  CHECK(algrt_program_get_operand(bundle, "forward", 0, &operand) == ALGRT_OK);
  CHECK(strcmp(operand.name, "x") == 0 && operand.role == ALGRT_ROLE_INPUT && operand.ndim == 2);
  CHECK(operand.shape[0] == -1 && strcmp(operand.symbols[0], "M") == 0 && operand.shape[1] == k);
  const algrt_named_tensor tensors[3] = {
      {"x", &x_tensor, NULL}, {"w", &w_tensor, NULL}, {"y", &packed_y_tensor, NULL}};
  algrt_run_options options = algrt_run_options_init();
  options.p0 = 3;
  memset(packed_y, 0, sizeof(packed_y));
  CHECK(algrt_run(bundle, "forward", tensors, 3, &options) == ALGRT_OK);
  CHECK(memcmp(y, packed_y, sizeof(y)) == 0);
  CHECK(algrt_run(bundle, "forward", tensors, 2, &options) == ALGRT_INVALID_ARGUMENT);
  CHECK(strstr(algrt_last_error(), "y: is missing") != NULL);

  /* Seven sequences of one row, all at position 3: every row is of one type. */
  args.sequence_rows = options.sequence_rows = 1;
  CHECK(algrt_forward(bundle, &args) == ALGRT_OK);
  for (int i = 0; i < m * n; ++i) {
    float sum = 0;
    for (int d = 0; d < k; ++d)
      if (d / 4 == i % n / 6 || d / 4 == 3)
        sum += x[i / n * k + d] * w[d * n + i % n];
    CHECK(y[i] == sum);
  }
  memset(packed_y, 0, sizeof(packed_y));
  CHECK(algrt_run(bundle, "forward", tensors, 3, &options) == ALGRT_OK);
  CHECK(memcmp(y, packed_y, sizeof(y)) == 0);
  args.sequence_rows = options.sequence_rows = 2;
  CHECK(algrt_forward(bundle, &args) == ALGRT_INVALID_ARGUMENT);
  CHECK(algrt_run(bundle, "forward", tensors, 3, &options) == ALGRT_INVALID_ARGUMENT);
  CHECK(strstr(algrt_last_error(), "sequence_rows is 2: 7 rows") != NULL);
  args.sequence_rows = 0;

  args.p0 = -1;
  CHECK(algrt_forward(bundle, &args) == ALGRT_INVALID_ARGUMENT &&
        strstr(algrt_last_error(), "p0 is -1") != NULL);
  CHECK(algrt_forward(NULL, &args) == ALGRT_INVALID_ARGUMENT);
  CHECK(algrt_forward(bundle, NULL) == ALGRT_INVALID_ARGUMENT);
  algrt_weights_free(weights);
  algrt_weights_free(NULL);
  algrt_bundle_close(bundle);
  algrt_bundle_close(NULL);
  return 0;
}
