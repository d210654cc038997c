// RUN: alg-opt %s -split-input-file -verify-diagnostics -sm-insert-barriers

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
sm.kernel @empty_fill(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %staged = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 2 registers 216 {
    sm.consumer_wait %staged[%c0] parity %even : <4>
    sm.consumer_release %staged[%c0] : <4>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // expected-error @+1 {{must be followed by what fills the stage, loads or writes, and by its commit}}
      sm.producer_acquire %staged[%c0] parity %even : <4>
      sm.producer_commit %staged[%c0] : <4>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
sm.kernel @other_stage(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %staged = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 2 registers 216 {
    sm.consumer_wait %staged[%c0] parity %even : <4>
    sm.consumer_release %staged[%c0] : <4>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      sm.producer_acquire %staged[%c0] parity %even : <4>
      // expected-error @+1 {{loads into another stage than the one that was acquired}}
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c1] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.producer_commit %staged[%c0] : <4>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
sm.kernel @no_product(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %staged = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 2 registers 216 {
    sm.consumer_wait %staged[%c0] parity %even : <4>
    // expected-error @+1 {{must follow the products from its stage}}
    sm.consumer_release %staged[%c0] after_products : <4>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      sm.producer_acquire %staged[%c0] parity %even : <4>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.producer_commit %staged[%c0] : <4>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
sm.kernel @fixed_stage(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %staged = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 2 registers 216 {
    %zero = sm.zero : <128 x 64>
    %total = scf.for %step = %c0 to %rows step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<128 x 64>) {
      sm.consumer_wait %staged[%c0] parity %even : <4>
      %next = sm.mma %a[%c0], %b[%c0], %sum : <4 x 128 x 64 x bf16, swizzle 128>, <4 x 64 x 64 x bf16, swizzle 128>, <128 x 64>
      // expected-error @+1 {{must stand in a loop that carries its stage}}
      sm.consumer_release %staged[%c0] after_products : <4>
      scf.yield %next : !sm.accumulator<128 x 64>
    }
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      sm.producer_acquire %staged[%c0] parity %even : <4>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.producer_commit %staged[%c0] : <4>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
sm.kernel @two_loaders(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %staged = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 2 registers 216 {
    sm.consumer_wait %staged[%c0] parity %even : <4>
    sm.consumer_release %staged[%c0] : <4>
  }
  sm.partition @load warpgroups 2 registers 40 {
    sm.elect {
      // expected-error @+1 {{is for loads, which one thread makes, but @load has 2 warpgroups with one each}}
      sm.producer_acquire %staged[%c0] parity %even : <4>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.producer_commit %staged[%c0] : <4>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
sm.kernel @mixed(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %staged = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 2 registers 216 {
    sm.consumer_wait %staged[%c0] parity %even : <4>
    sm.consumer_release %staged[%c0] : <4>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // expected-error @+1 {{must be followed by loads into the stage or by writes, not by both}}
      sm.producer_acquire %staged[%c0] parity %even : <4>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      %zero = sm.zero : <64 x 64>
      sm.write %zero to %b[%c0] : <64 x 64> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.producer_commit %staged[%c0] : <4>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
sm.kernel @elected_and_not(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %staged = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 2 registers 216 {
    sm.consumer_wait %staged[%c0] parity %even : <4>
    // expected-error @+1 {{must stand in an sm.elect where others of its partition do}}
    sm.consumer_release %staged[%c0] : <4>
    sm.elect {
      sm.consumer_release %staged[%c0] : <4>
    }
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      sm.producer_acquire %staged[%c0] parity %even : <4>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.producer_commit %staged[%c0] : <4>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
sm.kernel @twice(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %staged = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 2 registers 216 {
    sm.consumer_wait %staged[%c0] parity %even : <4>
    sm.consumer_release %staged[%c0] : <4>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      sm.producer_acquire %staged[%c0] parity %even : <4>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.producer_commit %staged[%c0] : <4>
      // expected-error @+1 {{commits a stage that has not been acquired before it}}
      sm.producer_commit %staged[%c0] : <4>
    }
  }
}
