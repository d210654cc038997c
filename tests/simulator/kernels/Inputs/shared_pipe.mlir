// A product by five partitions and five pipes, written by hand. Rows come from one partition and go to both that multiply,
// each of which gets columns of its own from another partition; one stores what both make.
#layout = #tile.layout<algebra = #alg.algebra<"Q(1)">, lift = rows, in = #alg.groups<1 x 320>, weights = #alg.groups<1 x 320>,
                       out = #alg.groups<1 x 192>, row_types = #alg.row_types<cyclic 1>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 3>

!x = !sm.block<64 x 64 x bf16, swizzle 128>
!w = !sm.block<64 x 96 x bf16, swizzle 64>
!y = !sm.block<64 x 96 x bf16, swizzle 64>

sm.kernel @forward_bf16(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                        %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2, swizzle 64>,
                        %y: !sm.maps<2 x 64 x 96 x bf16, row_dimension 3, swizzle 64>, %rows: index, %offset: index,
                        %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %xs = sm.pipe stages 3 : <!x>
  %left_ws = sm.pipe stages 2 : <!w>
  %right_ws = sm.pipe stages 4 : <!w>
  %left_ys = sm.pipe stages 1 : <!y>
  %right_ys = sm.pipe stages 2 : <!y>
  sm.partition @left warpgroups 1 registers 160 {
    %more = arith.addi %rows, %c63 : index
    %tiles = arith.divui %more, %c64 : index
    %first = sm.block_index
    %count = sm.block_count
    scf.for %tile = %first to %tiles step %count {
      %zero = sm.zero : <64 x 96>
      %total = scf.for %step = %c0 to %c5 step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<64 x 96>) {
        %a = sm.consume %xs : <!x> -> !x
        %b = sm.consume %left_ws : <!w> -> !w
        %next = sm.multiply %a, %b, %sum : <64 x 64 x bf16, swizzle 128>, <64 x 96 x bf16, swizzle 64>, <64 x 96>
        scf.yield %next : !sm.accumulator<64 x 96>
      }
      %result = sm.round %total : <64 x 96> to <64 x 96 x bf16, swizzle 64>
      sm.produce %left_ys, %result : <!y>, !y
    }
  }
  sm.partition @right warpgroups 1 registers 160 {
    %more = arith.addi %rows, %c63 : index
    %tiles = arith.divui %more, %c64 : index
    %first = sm.block_index
    %count = sm.block_count
    scf.for %tile = %first to %tiles step %count {
      %zero = sm.zero : <64 x 96>
      %total = scf.for %step = %c0 to %c5 step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<64 x 96>) {
        %b = sm.consume %right_ws : <!w> -> !w
        %a = sm.consume %xs : <!x> -> !x
        %next = sm.multiply %a, %b, %sum : <64 x 64 x bf16, swizzle 128>, <64 x 96 x bf16, swizzle 64>, <64 x 96>
        scf.yield %next : !sm.accumulator<64 x 96>
      }
      %result = sm.round %total : <64 x 96> to <64 x 96 x bf16, swizzle 64>
      sm.produce %right_ys, %result : <!y>, !y
    }
  }
  sm.partition @store warpgroups 1 registers 40 {
    sm.elect {
      sm.wait_for_predecessor
      %more = arith.addi %rows, %c63 : index
      %tiles = arith.divui %more, %c64 : index
      %first = sm.block_index
      %count = sm.block_count
      scf.for %tile = %first to %tiles step %count {
        %row = arith.muli %tile, %c64 : index
        %left = sm.consume %left_ys : <!y> -> !y
        sm.store_block %left to %y[%c1] [%c0, %c0, %c0, %row]
            : <64 x 96 x bf16, swizzle 64> to <2 x 64 x 96 x bf16, row_dimension 3, swizzle 64>
        %right = sm.consume %right_ys : <!y> -> !y
        sm.store_block %right to %y[%c1] [%c96, %c0, %c0, %row]
            : <64 x 96 x bf16, swizzle 64> to <2 x 64 x 96 x bf16, row_dimension 3, swizzle 64>
      }
    }
  }
  sm.partition @load_rows warpgroups 1 registers 40 {
    sm.elect {
      sm.wait_for_predecessor
      %more = arith.addi %rows, %c63 : index
      %tiles = arith.divui %more, %c64 : index
      %first = sm.block_index
      %count = sm.block_count
      scf.for %tile = %first to %tiles step %count {
        %row = arith.muli %tile, %c64 : index
        scf.for %step = %c0 to %c5 step %c1 {
          %depth = arith.muli %step, %c64 : index
          %a = sm.fetch %x[%c1] [%depth, %c0, %c0, %row] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
          sm.produce %xs, %a : <!x>, !x
        }
      }
      sm.release_successor
    }
  }
  sm.partition @load_weights warpgroups 1 registers 40 {
    sm.elect {
      sm.wait_for_predecessor
      %more = arith.addi %rows, %c63 : index
      %tiles = arith.divui %more, %c64 : index
      %first = sm.block_index
      %count = sm.block_count
      scf.for %tile = %first to %tiles step %count {
        scf.for %step = %c0 to %c5 step %c1 {
          %depth = arith.muli %step, %c64 : index
          %left = sm.fetch %w[%c0] [%c0, %c0, %depth, %c0] : <1 x 64 x 96 x bf16, row_dimension 2, swizzle 64> -> <64 x 96 x bf16, swizzle 64>
          sm.produce %left_ws, %left : <!w>, !w
          %right = sm.fetch %w[%c0] [%c96, %c0, %depth, %c0] : <1 x 64 x 96 x bf16, row_dimension 2, swizzle 64> -> <64 x 96 x bf16, swizzle 64>
          sm.produce %right_ws, %right : <!w>, !w
        }
      }
    }
  }
}
