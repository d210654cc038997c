// The records that the code of element-wise functions carries (runtime/kernel_record.h).
#pragma once

#include "runtime/bundle/elementwise.h"
#include "runtime/bundle/kernel_record.h"

namespace algrt {

// Of a kernel that this runtime knows.
KernelRecord recordOf(const Elementwise &function, const ElementwiseKernel &kernel);

} // namespace algrt
