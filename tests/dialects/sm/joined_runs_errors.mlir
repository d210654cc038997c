// RUN: alg-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{runs that are joined have a power of two of rows, got 12}}
func.func private @width(!sm.maps<4 x 48 x 64 x bf16, row_dimension 3, run 12>)

// -----

// expected-error @+1 {{runs of rows of X and Y are joined, along dimension 3, where no list says where rows are}}
func.func private @weights(!sm.maps<4 x 64 x 64 x bf16, row_dimension 2, run 8>)

// -----

// expected-error @+1 {{runs of rows of X and Y are joined, along dimension 3, where no list says where rows are}}
func.func private @lists(!sm.maps<1 x 64 x 64 x bf16, row_dimension 3, vector 8, listed, run 8>)

// -----

// expected-error @+1 {{of joined runs there are 4 maps, and one more where one has all rows, got 3}}
func.func private @count(!sm.maps<3 x 64 x 64 x bf16, row_dimension 3, run 8>)

// -----

// expected-error @+1 {{a box has whole runs or a part of one, got 24 rows and runs of 16}}
func.func private @box(!sm.maps<4 x 24 x 64 x bf16, row_dimension 3, run 16>)

// -----

// expected-error @+1 {{gives its run twice}}
func.func private @twice(!sm.maps<4 x 64 x 64 x bf16, row_dimension 3, run 8, run 8>)
