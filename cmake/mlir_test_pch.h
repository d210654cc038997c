// What tests of the compiler's own structures include, parsed once.
#include "cmake/pch.h"
#include "cmake/test_pch.h"
