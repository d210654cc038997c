// RUN: alg-opt %s -split-input-file -verify-diagnostics -sm-multi-buffer

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
!x = !sm.block<128 x 64 x bf16, swizzle 128>
!w = !sm.block<64 x 64 x bf16, swizzle 128>
sm.kernel @loads_of_all(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe = sm.pipe stages 2 : <!x>
  sm.partition @load warpgroups 1 registers 40 {
    %a = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
    // expected-error @+1 {{passes blocks that one thread loads: put it inside an sm.elect}}
    sm.produce %pipe, %a : <!x>, !x
  }
  sm.partition @store warpgroups 1 registers 40 {
    sm.elect {
      %got = sm.consume %pipe : <!x> -> !x
      sm.store_block %got to %y[%c0] [%c0, %c0, %c0, %c0] : <128 x 64 x bf16, swizzle 128> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
!x = !sm.block<128 x 64 x bf16, swizzle 128>
!w = !sm.block<64 x 64 x bf16, swizzle 128>
sm.kernel @sums_of_one(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe = sm.pipe stages 2 : <!x>
  sm.partition @make warpgroups 1 registers 40 {
    sm.elect {
      %zero = sm.zero : <128 x 64>
      %a = sm.round %zero : <128 x 64> to <128 x 64 x bf16, swizzle 128>
      // expected-error @+1 {{passes sums, which all threads write: it cannot stand in an sm.elect}}
      sm.produce %pipe, %a : <!x>, !x
    }
  }
  sm.partition @store warpgroups 1 registers 40 {
    sm.elect {
      %got = sm.consume %pipe : <!x> -> !x
      sm.store_block %got to %y[%c0] [%c0, %c0, %c0, %c0] : <128 x 64 x bf16, swizzle 128> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
!x = !sm.block<128 x 64 x bf16, swizzle 128>
!w = !sm.block<64 x 64 x bf16, swizzle 128>
sm.kernel @two_ways(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe = sm.pipe stages 2 : <!x>
  sm.partition @make warpgroups 2 registers 40 {
    %zero = sm.zero : <128 x 64>
    %a = sm.round %zero : <128 x 64> to <128 x 64 x bf16, swizzle 128>
    // expected-error @+1 {{passes blocks that are made in another way than others of its pipe: they would lie in other pieces}}
    sm.produce %pipe, %a : <!x>, !x
    sm.elect {
      %p = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
      sm.produce %pipe, %p : <!x>, !x
    }
  }
  sm.partition @store warpgroups 1 registers 40 {
    sm.elect {
      %got = sm.consume %pipe : <!x> -> !x
      sm.store_block %got to %y[%c0] [%c0, %c0, %c0, %c0] : <128 x 64 x bf16, swizzle 128> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
!x = !sm.block<128 x 64 x bf16, swizzle 128>
!w = !sm.block<64 x 64 x bf16, swizzle 128>
sm.kernel @few_stages(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{needs at least 2 stages, since products from one run on while the next is waited for; 1 are asked for}}
  %pipe = sm.pipe stages 1 : <!x, !w>
  sm.partition @multiply warpgroups 2 registers 40 {
    %zero = sm.zero : <128 x 64>
    %p, %q = sm.consume %pipe : <!x, !w> -> !x, !w
    %sum = sm.multiply %p, %q, %zero : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %a = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
      %b = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
      sm.produce %pipe, %a, %b : <!x, !w>, !x, !w
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4>
!w = !sm.block<64 x 64 x bf16, swizzle 128>
sm.kernel @many_stages(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{has at most 16 stages, which is what barriers have room for; 17 are asked for}}
  %pipe = sm.pipe stages 17 : <!w>
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %b = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
      sm.produce %pipe, %b : <!w>, !w
    }
  }
  sm.partition @store warpgroups 1 registers 40 {
    sm.elect {
      %got = sm.consume %pipe : <!w> -> !w
      sm.store_block %got to %y[%c0] [%c0, %c0, %c0, %c0] : <64 x 64 x bf16, swizzle 128> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
!x = !sm.block<128 x 64 x bf16, swizzle 128>
!w = !sm.block<64 x 64 x bf16, swizzle 128>
// expected-error @+1 {{has no room for the stages of its pipes and its other buffers: they take 245760 bytes of 230400}}
sm.kernel @no_room(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe = sm.pipe stages 15 : <!x>
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %a = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
      sm.produce %pipe, %a : <!x>, !x
    }
  }
  sm.partition @store warpgroups 1 registers 40 {
    sm.elect {
      %got = sm.consume %pipe : <!x> -> !x
      sm.store_block %got to %y[%c0] [%c0, %c0, %c0, %c0] : <128 x 64 x bf16, swizzle 128> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
!x = !sm.block<128 x 64 x bf16, swizzle 128>
!w = !sm.block<64 x 64 x bf16, swizzle 128>
sm.kernel @in_pieces(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe = sm.pipe stages 2 : <!x>
  %ws = sm.pipe stages 2 : <!w>
  sm.partition @make warpgroups 2 registers 40 {
    %zero = sm.zero : <128 x 64>
    %a = sm.round %zero : <128 x 64> to <128 x 64 x bf16, swizzle 128>
    sm.produce %pipe, %a : <!x>, !x
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %b = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
      sm.produce %ws, %b : <!w>, !w
    }
  }
  sm.partition @multiply warpgroups 2 registers 40 {
    %zero = sm.zero : <128 x 64>
    %got = sm.consume %pipe : <!x> -> !x
    %q = sm.consume %ws : <!w> -> !w
    // expected-error @+1 {{multiplies a block that lies in 2 pieces; its instructions take one}}
    %sum = sm.multiply %got, %q, %zero : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
!x = !sm.block<128 x 64 x bf16, swizzle 128>
!w = !sm.block<64 x 64 x bf16, swizzle 128>
sm.kernel @in_a_loop(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe = sm.pipe stages 2 : <!x>
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %a = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
      sm.produce %pipe, %a : <!x>, !x
    }
  }
  sm.partition @store warpgroups 1 registers 40 {
    scf.for %i = %c0 to %rows step %c1 {
      sm.elect {
        // expected-error @+1 {{must stand in nothing but loops and branches of its partition, or of an sm.elect right in it}}
        %got = sm.consume %pipe : <!x> -> !x
        sm.store_block %got to %y[%c0] [%c0, %c0, %c0, %c0] : <128 x 64 x bf16, swizzle 128> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
      }
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
!x = !sm.block<128 x 64 x bf16, swizzle 128>
!w = !sm.block<64 x 64 x bf16, swizzle 128>
sm.kernel @elsewhere(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe = sm.pipe stages 2 : <!x>
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %a = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
      sm.produce %pipe, %a : <!x>, !x
    }
  }
  sm.partition @store warpgroups 1 registers 40 {
    sm.elect {
      // expected-error @+1 {{must stand where the other steps of its partition at this pipe do: all in one sm.elect, or in none}}
      %got = sm.consume %pipe : <!x> -> !x
      sm.store_block %got to %y[%c0] [%c0, %c0, %c0, %c0] : <128 x 64 x bf16, swizzle 128> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
    }
    sm.elect {
      %got = sm.consume %pipe : <!x> -> !x
      sm.store_block %got to %y[%c0] [%c0, %c0, %c0, %c0] : <128 x 64 x bf16, swizzle 128> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
    }
  }
}
