// Writes the bundle of a test shape to a file, for tests that are not C++.
#include "runtime/support/file.h"
#include "tests/runtime/shapes.h"

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  algrt::writeFileByRename(argv[2], algrt::test::bundleOf(algrt::test::shape(argv[1])));
  return 0;
}
