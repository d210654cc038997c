// RUN: alg-opt %s -split-input-file -verify-diagnostics -sm-partition

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
// expected-error @+1 {{multiplies in 0 places; operands are staged for exactly one}}
sm.kernel @nothing(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
sm.kernel @twice(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %zero = sm.zero : <64 x 64>
  %b = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
  // expected-error @+1 {{must multiply blocks that are fetched beside it and used nowhere else}}
  %sum = sm.multiply %b, %b, %zero : <64 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <64 x 64>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4>
// expected-error @+1 {{multiplies in 2 places; operands are staged for exactly one, which may multiply the same rows by several weight matrices}}
sm.kernel @apart(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                 %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                 %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %zero = sm.zero : <64 x 64>
  %a = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
  %other = sm.fetch %x[%c0] [%c0, %c0, %c0, %rows] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
  %b = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
  %d = sm.fetch %w[%c0] [%c0, %c0, %c0, %rows] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
  %sum = sm.multiply %a, %b, %zero : <64 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <64 x 64>
  %more = sm.multiply %other, %d, %zero : <64 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <64 x 64>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4>
sm.kernel @signs(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                 %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                 %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %zero = sm.zero : <64 x 64>
  %minus = arith.cmpi eq, %rows, %c0 : index
  %a = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
  %b = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
  %d = sm.fetch %w[%c0] [%c0, %c0, %c0, %rows] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
  %sum = sm.multiply %a, %b, %zero : <64 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <64 x 64>
  // expected-error @+1 {{must have sign, depth and sums like the first of the products of its rows}}
  %more = sm.multiply %a, %d, %zero negate %minus : <64 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <64 x 64>
}
