// write_gpu_bundle FILE: a bundle with kernels for sm_90a.
#include "runtime/support/file.h"
#include "tests/runtime/gpu_bench/layers.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  algrt::writeFileByRename(argv[1], algrt::test::gpuBundle(algrt::test::gpuManifest(8, 8, 16, 1)));
}
