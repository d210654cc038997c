// RUN: alg-opt %s -split-input-file -verify-diagnostics -sm-multi-buffer

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
sm.kernel @layout(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{passes blocks that do not know how they lie in shared memory: assign swizzles first}}
  %pipe = sm.pipe : <!sm.block<128 x 64 x bf16>, !sm.block<64 x 64 x bf16>>
  sm.partition @multiply warpgroups 2 registers 232 {
    %zero = sm.zero : <128 x 64>
    %a, %b = sm.consume %pipe : <!sm.block<128 x 64 x bf16>, !sm.block<64 x 64 x bf16>> -> !sm.block<128 x 64 x bf16>, !sm.block<64 x 64 x bf16>
    %sum = sm.multiply %a, %b, %zero : <128 x 64 x bf16>, <64 x 64 x bf16>, <128 x 64>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %p0 = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 128 x 64 x bf16, row_dimension 3> -> <128 x 64 x bf16>
      %p1 = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2> -> <64 x 64 x bf16>
      sm.produce %pipe, %p0, %p1 : <!sm.block<128 x 64 x bf16>, !sm.block<64 x 64 x bf16>>, !sm.block<128 x 64 x bf16>, !sm.block<64 x 64 x bf16>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
sm.kernel @too_many(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %taken = sm.allocate : <10 x 128 x 64 x bf16, swizzle 128>
  // expected-error @+1 {{cannot have 4 stages of 24576 bytes: beside 163840 bytes for results and other pipes, 2 fit shared memory}}
  %pipe = sm.pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  sm.partition @multiply warpgroups 2 registers 232 {
    %zero = sm.zero : <128 x 64>
    %a, %b = sm.consume %pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>> -> !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
    %sum = sm.multiply %a, %b, %zero : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %p0 = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
      %p1 = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
      sm.produce %pipe, %p0, %p1 : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>, !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 1>
sm.kernel @too_few(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{needs at least 2 stages of 24576 bytes; 1 are asked for}}
  %pipe = sm.pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  sm.partition @multiply warpgroups 2 registers 232 {
    %zero = sm.zero : <128 x 64>
    %a, %b = sm.consume %pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>> -> !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
    %sum = sm.multiply %a, %b, %zero : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %p0 = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
      %p1 = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
      sm.produce %pipe, %p0, %p1 : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>, !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
sm.kernel @idle(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %pipe = sm.pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  sm.partition @multiply warpgroups 2 registers 232 {
    // expected-error @+1 {{must take blocks that are multiplied or stored beside it, and nothing else}}
    %a, %b = sm.consume %pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>> -> !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
    %zero = sm.zero : <128 x 64>
    scf.for %step = %c0 to %rows step %c0 {
      %sum = sm.multiply %a, %b, %zero : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
    }
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %p0 = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
      %p1 = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
      sm.produce %pipe, %p0, %p1 : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>, !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
    }
  }
}
