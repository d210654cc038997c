// RUN: alg-opt %s -split-input-file -verify-diagnostics -sm-pipeline-copies

// expected-error @+4 {{multiplies in 0 places; operands are staged for exactly one}}
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 3, warps = 1 x 1, vector = 8>
sm.kernel @nothing(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
                   %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8>,
                   %y: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
                   %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
}

// -----

// expected-error @+4 {{needs at least 2 stages of 2048 bytes, so that one fills while the other is multiplied; its schedule has fewer stages}}
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 1, warps = 1 x 1, vector = 8>
sm.kernel @stages(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
                  %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8>,
                  %y: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = sm.zero : <16 x 16, warps 1 x 1>
  %total = scf.for %k = %c0 to %rows step %c1 iter_args(%sum = %zero) -> !sm.accumulator<16 x 16, warps 1 x 1> {
    %a = sm.fetch %x[%c0] [%k, %c0, %c0, %c0] : <2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8> -> <16 x 32 x bf16, swizzle 64>
    %b = sm.fetch %w[%c0] [%c0, %c0, %k, %c0] : <1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8> -> <32 x 16 x bf16, swizzle 32>
    %next = sm.multiply %a, %b, %sum : <16 x 32 x bf16, swizzle 64>, <32 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
    scf.yield %next : !sm.accumulator<16 x 16, warps 1 x 1>
  }
}

// -----

// expected-error @+4 {{cannot have 50 stages of 2048 bytes: 49 fit shared memory}}
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 50, warps = 1 x 1, vector = 8>
sm.kernel @many(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
                %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8>,
                %y: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
                %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = sm.zero : <16 x 16, warps 1 x 1>
  %total = scf.for %k = %c0 to %rows step %c1 iter_args(%sum = %zero) -> !sm.accumulator<16 x 16, warps 1 x 1> {
    %a = sm.fetch %x[%c0] [%k, %c0, %c0, %c0] : <2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8> -> <16 x 32 x bf16, swizzle 64>
    %b = sm.fetch %w[%c0] [%c0, %c0, %k, %c0] : <1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8> -> <32 x 16 x bf16, swizzle 32>
    %next = sm.multiply %a, %b, %sum : <16 x 32 x bf16, swizzle 64>, <32 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
    scf.yield %next : !sm.accumulator<16 x 16, warps 1 x 1>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 3, warps = 1 x 1, vector = 8>
sm.kernel @from(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
                %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8>,
                %y: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
                %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %first = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = sm.zero : <16 x 16, warps 1 x 1>
  // expected-error @+1 {{must count the steps of a tile from 0 by 1}}
  %total = scf.for %k = %first to %rows step %c1 iter_args(%sum = %zero) -> !sm.accumulator<16 x 16, warps 1 x 1> {
    %a = sm.fetch %x[%c0] [%k, %c0, %c0, %c0] : <2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8> -> <16 x 32 x bf16, swizzle 64>
    %b = sm.fetch %w[%c0] [%c0, %c0, %k, %c0] : <1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8> -> <32 x 16 x bf16, swizzle 32>
    %next = sm.multiply %a, %b, %sum : <16 x 32 x bf16, swizzle 64>, <32 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
    scf.yield %next : !sm.accumulator<16 x 16, warps 1 x 1>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 3, warps = 1 x 1, vector = 8>
sm.kernel @carried(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
                   %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8>,
                   %y: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
                   %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = sm.zero : <16 x 16, warps 1 x 1>
  %total:2 = scf.for %step = %c0 to %rows step %c1 iter_args(%sum = %zero, %k = %c0) -> (!sm.accumulator<16 x 16, warps 1 x 1>, index) {
    %a = sm.fetch %x[%c0] [%k, %c0, %c0, %c0] : <2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8> -> <16 x 32 x bf16, swizzle 64>
    %b = sm.fetch %w[%c0] [%c0, %c0, %k, %c0] : <1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8> -> <32 x 16 x bf16, swizzle 32>
    // expected-error @+1 {{multiplies blocks whose coordinates depend on what the loop carries}}
    %next = sm.multiply %a, %b, %sum : <16 x 32 x bf16, swizzle 64>, <32 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
    %later = arith.addi %k, %c32 : index
    scf.yield %next, %later : !sm.accumulator<16 x 16, warps 1 x 1>, index
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 3, warps = 1 x 1, vector = 8>
sm.kernel @effects(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
                   %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8>,
                   %y: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
                   %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %place = memref.alloc() : memref<1xindex>
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = sm.zero : <16 x 16, warps 1 x 1>
  %total = scf.for %step = %c0 to %rows step %c1 iter_args(%sum = %zero) -> !sm.accumulator<16 x 16, warps 1 x 1> {
    // expected-error @+1 {{is needed for the coordinates of a block, and cannot be run ahead of its step}}
    %k = memref.load %place[%c0] : memref<1xindex>
    %a = sm.fetch %x[%c0] [%k, %c0, %c0, %c0] : <2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8> -> <16 x 32 x bf16, swizzle 64>
    %b = sm.fetch %w[%c0] [%c0, %c0, %k, %c0] : <1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8> -> <32 x 16 x bf16, swizzle 32>
    %next = sm.multiply %a, %b, %sum : <16 x 32 x bf16, swizzle 64>, <32 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
    scf.yield %next : !sm.accumulator<16 x 16, warps 1 x 1>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 3, warps = 1 x 1, vector = 8>
sm.kernel @engine(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64>,
                  %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8>,
                  %y: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = sm.zero : <16 x 16, warps 1 x 1>
  %total = scf.for %k = %c0 to %rows step %c1 iter_args(%sum = %zero) -> !sm.accumulator<16 x 16, warps 1 x 1> {
    // expected-error @+1 {{goes through tensor maps; threads copy through plain ones, which come from a schedule with warps}}
    %a = sm.fetch %x[%c0] [%k, %c0, %c0, %c0] : <2 x 16 x 32 x bf16, row_dimension 3, swizzle 64> -> <16 x 32 x bf16, swizzle 64>
    %b = sm.fetch %w[%c0] [%c0, %c0, %k, %c0] : <1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8> -> <32 x 16 x bf16, swizzle 32>
    %next = sm.multiply %a, %b, %sum : <16 x 32 x bf16, swizzle 64>, <32 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
    scf.yield %next : !sm.accumulator<16 x 16, warps 1 x 1>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 3, warps = 1 x 1, vector = 8>
sm.kernel @layout(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, vector 8>,
                  %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, vector 8>,
                  %y: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = sm.zero : <16 x 16, warps 1 x 1>
  %total = scf.for %k = %c0 to %rows step %c1 iter_args(%sum = %zero) -> !sm.accumulator<16 x 16, warps 1 x 1> {
    // expected-error @+1 {{does not know how its block lies in shared memory: assign swizzles first}}
    %a = sm.fetch %x[%c0] [%k, %c0, %c0, %c0] : <2 x 16 x 32 x bf16, row_dimension 3, vector 8> -> <16 x 32 x bf16>
    %b = sm.fetch %w[%c0] [%c0, %c0, %k, %c0] : <1 x 32 x 16 x bf16, row_dimension 2, vector 8> -> <32 x 16 x bf16>
    %next = sm.multiply %a, %b, %sum : <16 x 32 x bf16>, <32 x 16 x bf16>, <16 x 16, warps 1 x 1>
    scf.yield %next : !sm.accumulator<16 x 16, warps 1 x 1>
  }
}
