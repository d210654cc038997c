// RUN: alg-opt %s -verify-diagnostics -sm-assign-swizzle

// Rows of 8 bf16 are 16 bytes.
// expected-error @+1 {{rows of '!sm.block<64 x 8 x bf16>' are no multiple of 32 bytes, the narrowest swizzle}}
func.func @narrow(%a: !sm.block<64 x 8 x bf16>) {
  return
}
