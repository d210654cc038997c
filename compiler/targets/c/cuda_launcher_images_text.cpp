#include "compiler/targets/c/cuda_launcher_text.h"

namespace compiler {

const char *const launcher_ptx = R"c(
/* ---- The kernel's images ---- */

enum { /* CUjit_option */
  ERROR_LOG = 5,
  ERROR_LOG_BYTES = 6
};

static int load_ptx(@_kernel *kernel) {
  struct @_state *state = kernel->state;
  char log[256] = "", *text = malloc(PTX_BYTES + 1), *end = text;
  int options[2] = {ERROR_LOG, ERROR_LOG_BYTES}, result;
  void *values[2];
  size_t i;
  if (text == NULL)
    return fail(kernel, @_out_of_host_memory, "no memory is left on the host");
  /* One text to the driver; a literal could not be as long. */
  for (i = 0; i < sizeof ptx_lines / sizeof ptx_lines[0]; ++i) {
    const size_t bytes = strlen(ptx_lines[i]);
    memcpy(end, ptx_lines[i], bytes);
    end += bytes;
  }
  *end = 0;
  values[0] = log;
  values[1] = (void *)(uintptr_t)(sizeof log - 1);
  result = state->module_load(&state->module, text, 2, options, values);
  free(text);
  if (result == 0)
    return 0;
  state->module = NULL;
  (void)driver_failure(kernel, result, "compiling the kernel's PTX");
  if (log[0] != 0) {
    const size_t used = strlen(kernel->error);
    snprintf(kernel->error + used, sizeof kernel->error - used, ": %.200s", log);
  }
  return result;
}
)c";

const char *const launcher_machine_code = R"c(
/* What drivers answer to machine code that they do not know, because they are older or because it is for other devices:
 * CUDA_ERROR_INVALID_IMAGE, NO_BINARY_FOR_GPU, INVALID_PTX, JIT_COMPILER_NOT_FOUND, UNSUPPORTED_PTX_VERSION, NOT_FOUND. */
static int is_refusal(int result) {
  return result == 200 || result == 209 || result == 218 || result == 221 || result == 222 || result == 500;
}

static int load_module(@_kernel *kernel) {
  struct @_state *state = kernel->state;
  char refusal[200], failure[280];
  int result = state->module_load(&state->module, machine_code.bytes, 0, NULL, NULL);
  if (result == 0)
    return 0;
  state->module = NULL;
  (void)driver_failure(kernel, result, "loading the kernel's machine code");
  if (!is_refusal(result))
    return result;
  snprintf(refusal, sizeof refusal, "%.199s", kernel->error);
  kernel->error[0] = 0;
  if ((result = load_ptx(kernel)) == 0)
    return 0;
  snprintf(failure, sizeof failure, "%.279s", kernel->error);
  snprintf(kernel->error, sizeof kernel->error, "%s; %s", refusal, failure);
  return result;
}
)c";

const char *const launcher_ptx_alone = R"c(
static int load_module(@_kernel *kernel) { return load_ptx(kernel); }
)c";

} // namespace compiler
