// Kernels of two layers whose blocks have too few stages, or none.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -sm-multi-buffer

// What only adds has the products of two steps in flight, and those of a step read two stages.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
!b = !sm.block<64 x 64 x bf16, swizzle 128>
!x = !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>
sm.kernel @only_adds(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %kept = sm.kept_rows pieces 1 : !b
  // expected-error @+1 {{needs at least 4 stages, since products from one run on while the next is waited for; 3 are asked for}}
  %blocks = sm.pipe stages 3 : <!b>
  sm.partition @multiply warpgroups 1 registers 240 {
    %zero = sm.zero : <64 x 64>
    %total = scf.for %step = %c0 to %rows step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<64 x 64>) {
      %one = sm.consume %blocks : <!b> -> !b
      %two = sm.consume %blocks : <!b> -> !b
      %next = sm.multiply_held %kept[%c0], [%one], %sum : !b, !b, <64 x 64>
      %more = sm.multiply_held %kept[%c0], [%two], %next : !b, !b, <64 x 64>
      scf.yield %more : !sm.accumulator<64 x 64>
    }
  }
  sm.partition @load warpgroups 1 registers 56 {
    sm.elect {
      scf.for %step = %c0 to %rows step %c1 {
        %one = sm.fetch %w[%c0] [%c0, %c0, %step, %c0] : !w -> !b
        sm.produce %blocks, %one : <!b>, !b
        %two = sm.fetch %w[%c0] [%c0, %c0, %step, %c1] : !w -> !b
        sm.produce %blocks, %two : <!b>, !b
      }
    }
  }
}

// -----

// Sums that are read in every step are finished there: two stages are enough, and one is not.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
!b = !sm.block<64 x 64 x bf16, swizzle 128>
!x = !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>
sm.kernel @reads(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %kept = sm.kept_rows pieces 1 : !b
  // expected-error @+1 {{needs at least 2 stages, since products from one run on while the next is waited for; 1 are asked for}}
  %blocks = sm.pipe stages 1 : <!b>
  sm.partition @multiply warpgroups 1 registers 240 {
    %zero = sm.zero : <64 x 64>
    scf.for %step = %c0 to %rows step %c1 {
      %one = sm.consume %blocks : <!b> -> !b
      %two = sm.consume %blocks : <!b> -> !b
      %next = sm.multiply_held %kept[%c0], [%one], %zero : !b, !b, <64 x 64>
      %more = sm.multiply_held %kept[%c0], [%two], %next : !b, !b, <64 x 64>
      sm.keep %more to %kept[%c0] : <64 x 64> to !b
    }
  }
  sm.partition @load warpgroups 1 registers 56 {
    sm.elect {
      scf.for %step = %c0 to %rows step %c1 {
        %one = sm.fetch %w[%c0] [%c0, %c0, %step, %c0] : !w -> !b
        sm.produce %blocks, %one : <!b>, !b
        %two = sm.fetch %w[%c0] [%c0, %c0, %step, %c1] : !w -> !b
        sm.produce %blocks, %two : <!b>, !b
      }
    }
  }
}

// -----

// Kept rows take shared memory as other buffers do.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
!b = !sm.block<64 x 64 x bf16, swizzle 128>
!x = !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>
sm.kernel @room(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %kept = sm.kept_rows pieces 28 : <64 x 1792 x bf16, swizzle 128>
  // expected-error @+1 {{cannot have 2 stages of 8192 bytes: beside 229376 bytes for results and other pipes, 0 fit shared memory}}
  %blocks = sm.pipe : <!b>
  sm.partition @multiply warpgroups 1 registers 240 {
    %zero = sm.zero : <64 x 64>
    %one = sm.consume %blocks : <!b> -> !b
    %next = sm.multiply_held %kept[%c0], [%one], %zero : !sm.block<64 x 1792 x bf16, swizzle 128>, !b, <64 x 64>
  }
  sm.partition @load warpgroups 1 registers 56 {
    sm.elect {
      %one = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : !w -> !b
      sm.produce %blocks, %one : <!b>, !b
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
!b = !sm.block<64 x 64 x bf16, swizzle 128>
!x = !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>
sm.kernel @no_pipe(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %kept = sm.kept_rows pieces 1 : !b
  %blocks = sm.pipe stages 2 : <!b>
  sm.partition @multiply warpgroups 1 registers 240 {
    %zero = sm.zero : <64 x 64>
    %one = sm.consume %blocks : <!b> -> !b
    %next = sm.multiply_held %kept[%c0], [%one], %zero : !b, !b, <64 x 64>
    %two = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : !w -> !b
    // expected-error @+1 {{multiplies a block that comes through no pipe}}
    %more = sm.multiply_held %kept[%c0], [%two], %next : !b, !b, <64 x 64>
  }
  sm.partition @load warpgroups 1 registers 56 {
    sm.elect {
      %one = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : !w -> !b
      sm.produce %blocks, %one : <!b>, !b
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
!b = !sm.block<64 x 64 x bf16, swizzle 128>
!x = !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>
sm.kernel @rows_of_no_pipe(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %blocks = sm.pipe stages 2 : <!b>
  sm.partition @multiply warpgroups 1 registers 240 {
    %zero = sm.zero : <64 x 64>
    %held = sm.hold %x[%c0] [%c0, %c0, %c0, %rows] stages 1 : !x -> !b
    %one = sm.consume %blocks : <!b> -> !b
    // expected-error @+1 {{multiplies a block that comes through no pipe}}
    %next = sm.multiply_held %held[%c0], [%one], %zero : !b, !b, <64 x 64>
  }
  sm.partition @load warpgroups 1 registers 56 {
    sm.elect {
      %one = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : !w -> !b
      sm.produce %blocks, %one : <!b>, !b
    }
  }
}

// -----

// Blocks of the weight matrices are released behind the products beside them.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
!b = !sm.block<64 x 64 x bf16, swizzle 128>
!x = !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>
sm.kernel @elsewhere(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %kept = sm.kept_rows pieces 1 : !b
  %blocks = sm.pipe stages 2 : <!b>
  sm.partition @multiply warpgroups 1 registers 240 {
    %zero = sm.zero : <64 x 64>
    // expected-error @+1 {{must take blocks that are multiplied or stored beside it, and nothing else}}
    %one = sm.consume %blocks : <!b> -> !b
    scf.for %step = %c0 to %rows step %c1 {
      %next = sm.multiply_held %kept[%c0], [%one], %zero : !b, !b, <64 x 64>
    }
  }
  sm.partition @load warpgroups 1 registers 56 {
    sm.elect {
      %one = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : !w -> !b
      sm.produce %blocks, %one : <!b>, !b
    }
  }
}

// -----

// An instruction goes from a block to one beside it in the same stage.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
!b = !sm.block<64 x 64 x bf16, swizzle 128>
!x = !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>
sm.kernel @beside(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %kept = sm.kept_rows pieces 1 : !b
  %blocks = sm.pipe stages 4 : <!b>
  sm.partition @multiply warpgroups 1 registers 240 {
    %zero = sm.zero : <64 x 128>
    %total = scf.for %step = %c0 to %rows step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<64 x 128>) {
      %gate = sm.consume %blocks : <!b> -> !b
      %up = sm.consume %blocks : <!b> -> !b
      // expected-error @+1 {{multiplies blocks beside each other that do not come together}}
      %next = sm.multiply_held %kept[%c0], [%gate, %up], %sum : !b, !b, <64 x 128>
      scf.yield %next : !sm.accumulator<64 x 128>
    }
  }
  sm.partition @load warpgroups 1 registers 56 {
    sm.elect {
      scf.for %step = %c0 to %rows step %c1 {
        %gate = sm.fetch %w[%c0] [%c0, %c0, %step, %c0] : !w -> !b
        sm.produce %blocks, %gate : <!b>, !b
        %up = sm.fetch %w[%c0] [%c0, %c0, %step, %c1] : !w -> !b
        sm.produce %blocks, %up : <!b>, !b
      }
    }
  }
}
