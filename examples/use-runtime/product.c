/* One product with a bundle of f32: product BUNDLE [ROWS]. Weights and rows are small whole numbers, whose
 * sums are exact, so that the result can be compared with the sums that the bundle's terms stand for. */
#include <algrt.h>

#include <stdio.h>
#include <stdlib.h>

static void require(int status) {
  if (status == ALGRT_OK)
    return;
  fprintf(stderr, "%s: %s\n", algrt_status_name(status), algrt_last_error());
  exit(1);
}

/* Row-major, in memory of its own: element i is i % period - 2. */
static DLTensor matrix(int64_t *shape, int32_t ndim, int64_t period) {
  int64_t size = 1;
  for (int32_t i = 0; i < ndim; ++i)
    size *= shape[i];
  float *data = malloc((size_t)size * sizeof(float));
  if (data == NULL)
    exit(1);
  for (int64_t i = 0; i < size; ++i)
    data[i] = (float)(i % period - 2);
  DLTensor tensor = {
      .data = data, .device = {kDLCPU, 0}, .ndim = ndim, .dtype = {kDLFloat, 32, 1}, .shape = shape};
  return tensor;
}

/* What row r of x, of that type, and the weights w sum up to in column c of a group of y, lifted by rows. */
static float expected(const algrt_bundle *bundle, const algrt_bundle_info *info, const float *x,
                      const float *w, int64_t type, int64_t group, int64_t c) {
  algrt_term terms[64];
  int64_t count;
  require(algrt_bundle_get_terms(bundle, type, group, terms, 64, &count));
  double sum = 0;
  for (int64_t t = 0; t < count && t < 64; ++t) {
    int64_t from = 0, row = 0; /* where the input group and the row group of w begin */
    for (int64_t i = 0; i < terms[t].input_group; ++i)
      from += info->in_groups[i];
    for (int64_t i = 0; i < terms[t].bank_row; ++i)
      row += info->in_groups[i];
    for (int64_t i = 0; i < info->in_groups[terms[t].input_group]; ++i)
      sum += terms[t].coefficient * x[from + i] * w[(row + i) * info->n + c];
  }
  return (float)sum;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s BUNDLE [ROWS]\n", argv[0]);
    return 2;
  }
  int64_t m = argc > 2 ? atoll(argv[2]) : 7;

  algrt_bundle *bundle;
  require(algrt_bundle_open(argv[1], &bundle));
  algrt_bundle_info info = algrt_bundle_info_init();
  require(algrt_bundle_get_info(bundle, &info));
  if (info.dtype.code != kDLFloat || info.lift != ALGRT_LIFT_ROWS || info.bias ||
      info.row_types == ALGRT_ROW_TYPES_EXPLICIT) {
    fprintf(stderr,
            "this example takes bundles of f32 in the row lift whose row types follow from the position\n");
    return 2;
  }

  int64_t x_shape[2] = {m, info.k}, y_shape[2] = {m, info.n};
  DLTensor x = matrix(x_shape, 2, 7), w = matrix(info.bank_shape, info.bank_ndim, 5),
           y = matrix(y_shape, 2, 1);

  algrt_weights *weights; /* once, when a model is loaded; w is not needed afterwards */
  require(algrt_weights_pack(bundle, &w, 0, &weights));

  algrt_forward_args args = algrt_forward_args_init();
  args.x = &x;
  args.weights = weights;
  args.y = &y;
  args.p0 = 3; /* where row 0 is in its sequence */
  require(algrt_forward(bundle, &args));

  int64_t wrong = 0;
  double sum = 0;
  for (int64_t r = 0; r < m; ++r) {
    int64_t type = (args.p0 + r) % (info.types * info.row_type_width) / info.row_type_width;
    int64_t c = 0;
    for (int64_t group = 0; group < info.out_group_count; ++group)
      for (int64_t end = c + info.out_groups[group]; c < end; ++c) {
        float result = ((float *)y.data)[r * info.n + c];
        sum += result;
        wrong += result != expected(bundle, &info, (float *)x.data + r * info.k, w.data, type, group, c);
      }
  }
  printf("%lld rows, %lld -> %lld: the results add up to %.0f\n", (long long)m, (long long)info.k,
         (long long)info.n, sum);
  if (wrong != 0)
    printf("%lld of them are wrong\n", (long long)wrong);

  algrt_weights_free(weights);
  algrt_bundle_close(bundle);
  free(x.data);
  free(w.data);
  free(y.data);
  return wrong != 0;
}
