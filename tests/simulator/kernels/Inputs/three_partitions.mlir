// A product by three partitions, written by hand: one loads operands, one multiplies and rounds, one stores. Each of the
// two pipes between them has stages of its own.
#layout = #tile.layout<algebra = #alg.algebra<"Q(1)">, lift = rows, in = #alg.groups<1 x 320>, weights = #alg.groups<1 x 320>,
                       out = #alg.groups<1 x 192>, row_types = #alg.row_types<cyclic 1>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 96, depth = 64, stages = 3>

!x = !sm.block<128 x 64 x bf16, swizzle 128>
!w = !sm.block<64 x 96 x bf16, swizzle 64>
!y = !sm.block<128 x 96 x bf16, swizzle 64>

sm.kernel @forward_bf16(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                        %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2, swizzle 64>,
                        %y: !sm.maps<2 x 64 x 96 x bf16, row_dimension 3, swizzle 64>, %rows: index, %offset: index,
                        %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %c127 = arith.constant 127 : index
  %c128 = arith.constant 128 : index
  %operands = sm.pipe stages 3 : <!x, !w>
  %results = sm.pipe stages 2 : <!y>
  sm.partition @multiply warpgroups 2 registers 200 {
    %more = arith.addi %rows, %c127 : index
    %lines = arith.divui %more, %c128 : index
    %tiles = arith.muli %lines, %c2 : index
    %first = sm.block_index
    %count = sm.block_count
    scf.for %tile = %first to %tiles step %count {
      %zero = sm.zero : <128 x 96>
      %total = scf.for %step = %c0 to %c5 step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<128 x 96>) {
        %a, %b = sm.consume %operands : <!x, !w> -> !x, !w
        %next = sm.multiply %a, %b, %sum : <128 x 64 x bf16, swizzle 128>, <64 x 96 x bf16, swizzle 64>, <128 x 96>
        scf.yield %next : !sm.accumulator<128 x 96>
      }
      %result = sm.round %total : <128 x 96> to <128 x 96 x bf16, swizzle 64>
      sm.produce %results, %result : <!y>, !y
    }
  }
  sm.partition @store warpgroups 1 registers 56 {
    sm.elect {
      sm.wait_for_predecessor
      %more = arith.addi %rows, %c127 : index
      %lines = arith.divui %more, %c128 : index
      %tiles = arith.muli %lines, %c2 : index
      %first = sm.block_index
      %count = sm.block_count
      scf.for %tile = %first to %tiles step %count {
        %column_block = arith.remui %tile, %c2 : index
        %line = arith.divui %tile, %c2 : index
        %column = arith.muli %column_block, %c96 : index
        %row = arith.muli %line, %c128 : index
        %result = sm.consume %results : <!y> -> !y
        sm.store_block %result to %y[%c1] [%column, %c0, %c0, %row]
            : <128 x 96 x bf16, swizzle 64> to <2 x 64 x 96 x bf16, row_dimension 3, swizzle 64>
      }
    }
  }
  sm.partition @load warpgroups 1 registers 56 {
    sm.elect {
      sm.wait_for_predecessor
      %more = arith.addi %rows, %c127 : index
      %lines = arith.divui %more, %c128 : index
      %tiles = arith.muli %lines, %c2 : index
      %first = sm.block_index
      %count = sm.block_count
      scf.for %tile = %first to %tiles step %count {
        %column_block = arith.remui %tile, %c2 : index
        %line = arith.divui %tile, %c2 : index
        %column = arith.muli %column_block, %c96 : index
        %row = arith.muli %line, %c128 : index
        scf.for %step = %c0 to %c5 step %c1 {
          %depth = arith.muli %step, %c64 : index
          %a = sm.fetch %x[%c1] [%depth, %c0, %c0, %row] : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
          %b = sm.fetch %w[%c0] [%column, %c0, %depth, %c0] : <1 x 64 x 96 x bf16, row_dimension 2, swizzle 64> -> <64 x 96 x bf16, swizzle 64>
          sm.produce %operands, %a, %b : <!x, !w>, !x, !w
        }
      }
      sm.release_successor
    }
  }
}
