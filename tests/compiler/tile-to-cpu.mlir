// How kernels become loops and vectors, one piece at a time.
// RUN: alg-opt %s -split-input-file -convert-tile-to-cpu -canonicalize -cse | FileCheck %s

// The signature of a forward kernel: the descriptors of its operands x, w and y, scratch, row list, starts, offset, row blocks,
// slices, and the range of tasks. A forall is a loop over tasks that does nothing for a task without rows. Terms of Q(4) are arithmetic: B(i, j) is
// i and j in order, once where they are equal, and no table is made. Groups of 16 fill panels of 16: no mask.
// CHECK-NOT:   memref.global
// CHECK-LABEL: func.func @complete(
// CHECK-SAME:  %arg0: !llvm.ptr, %[[SCRATCH:arg1]]: memref<?xi8>, %arg2: memref<?xi64>, %arg3: memref<?xi64>, %arg4: index, %arg5: index, %arg6: index, %[[BEGIN:arg7]]: index, %[[END:arg8]]: index)
// CHECK-SAME:  llvm.emit_c_interface
// CHECK-SAME:  tile.layout =
// CHECK-SAME:  tile.schedule =
// Four rows of 64 floats.
// CHECK-SAME:  tile.scratch_bytes = 1024 : i64
// CHECK:       %[[X:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[W:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[Y:.*]] = builtin.unrealized_conversion_cast
// CHECK-NOT:   mask
// CHECK:       scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK:         arith.remui %{{.*}}, %arg6
// CHECK:         arith.remui %{{.*}}, %arg5
// CHECK:         scf.if
// The hold: rows into scratch.
// CHECK:           %[[HELD:.*]] = memref.view %[[SCRATCH]]{{.*}} to memref<256xf32>
// CHECK:           %[[ROW:.*]] = vector.load %[[X]][{{.*}}] : memref<?x?xf32, strided<[?, 1]>>, vector<8xf32>
// CHECK:           vector.store %[[ROW]], %[[HELD]]
// CHECK:           memref.store %{{.*}}, %[[HELD]]
// The terms of type and group, and in them the depth of an input group.
// CHECK:           %[[DIAGONAL:.*]] = arith.cmpi eq, %[[TYPE:.*]], %[[GROUP:.*]] : index
// CHECK:           %[[COUNT:.*]] = arith.select %[[DIAGONAL]], %c1, %c2
// CHECK:           scf.for %[[TERM:.*]] = %c0 to %[[COUNT]] step %c1 iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-DAG:         arith.cmpi eq, %[[TERM]], %c0
// CHECK-DAG:         arith.minsi
// CHECK-DAG:         arith.maxsi
// CHECK:             scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-2:       vector.load %[[W]]
// CHECK:               %[[ELEMENT:.*]] = memref.load %[[HELD]]
// CHECK:               vector.broadcast %[[ELEMENT]]
// CHECK-COUNT-4:       vector.fma
// The first row of a tile exists, the second one is asked for.
// CHECK-COUNT-2:   vector.store %{{.*}}, %[[Y]]
// CHECK:           arith.cmpi sgt, %{{.*}}, %c1
// CHECK:           scf.if
// CHECK-COUNT-2:     vector.store %{{.*}}, %[[Y]]
// CHECK:       return
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 16>, weights = <4 x 16>, out = <4 x 32>,
                       row_types = <cyclic 4>>
tile.kernel @complete(%x: !tile.matrix<?x64xf32>, %w: !tile.matrix<64x128xf32>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x64xf32> -> !tile.buffer<4x64xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc
                : !tile.buffer<4x64xf32>, !tile.matrix<64x128xf32>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x128xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

// Groups of 24 do not fill panels of 16. Loads of the weight matrix are masked, so that nothing of a neighbour is read, and so are
// stores of the last panel of a group.
// CHECK-LABEL: func.func @masked(
// CHECK:       builtin.unrealized_conversion_cast
// CHECK:       %[[W:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[Y:.*]] = builtin.unrealized_conversion_cast
// CHECK:       vector.create_mask
// CHECK:       vector.maskedload %[[W]]
// CHECK:       vector.fma
// CHECK:       scf.if
// CHECK:         vector.store %{{.*}}, %[[Y]]
// CHECK:       } else {
// CHECK:         vector.maskedstore %[[Y]]
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 16>, weights = <4 x 16>, out = <4 x 24>,
                       row_types = <cyclic 4>>
tile.kernel @masked(%x: !tile.matrix<?x64xf32>, %w: !tile.matrix<64x96xf32>, %y: !tile.matrix<?x96xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x64xf32> -> !tile.buffer<4x64xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc
                : !tile.buffer<4x64xf32>, !tile.matrix<64x96xf32>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x96xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

// A copy goes into the panel behind the stationary rows in scratch; with `once`, the block on the diagonal is brought by the first of
// the owned types only. The multiplication then reads panels without masks.
// CHECK-LABEL: func.func @copied(
// Eight rows of 64 floats, and a panel of 16 columns of the weight matrix's 64 rows.
// CHECK-SAME:  tile.scratch_bytes = 6144 : i64
// CHECK:       builtin.unrealized_conversion_cast
// CHECK:       %[[W:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[STAGED:.*]] = memref.view %arg1[%c2048][] : memref<?xi8> to memref<1024xf32>
// CHECK-DAG:   %[[OTHER:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : index
// CHECK-DAG:   %[[NEEDED:.*]] = arith.ori %[[OTHER]], %{{.*}} : i1
// CHECK:       scf.if %[[NEEDED]] {
// CHECK:         vector.maskedload %[[W]]
// CHECK:         %[[BANK:.*]] = vector.maskedload %[[W]]
// CHECK:         vector.store %[[BANK]], %[[STAGED]]
// CHECK-NOT:   vector.maskedload
// CHECK:       vector.load %[[STAGED]]
// CHECK:       vector.fma
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 16>, weights = <4 x 16>, out = <4 x 24>,
                       row_types = <cyclic 4>>
tile.kernel @copied(%x: !tile.matrix<?x64xf32>, %w: !tile.matrix<64x96xf32>, %y: !tile.matrix<?x96xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 2, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = copied>} {
  tile.forall (%i, %r, %g) over [<types, 2>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x64xf32> -> !tile.buffer<8x64xf32>
    %stage = tile.buffer : !tile.buffer<64x16xf32, panels 16 x 1>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.terms (%k, %b, %c) of (%t, %j) {
          tile.copy %w[%b, %j, %n] to %stage once : !tile.matrix<64x96xf32> to !tile.buffer<64x16xf32, panels 16 x 1>
        }
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %stage[%b, %j, %n], %acc
                : !tile.buffer<8x64xf32>, !tile.buffer<64x16xf32, panels 16 x 1>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x96xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

// Without it every type brings every block.
// CHECK-LABEL: func.func @copied_each(
// CHECK-NOT:   arith.ori %{{.*}} : i1
// CHECK:       vector.store %{{.*}}, %{{.*}} : memref<1024xf32>
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 16>, weights = <4 x 16>, out = <4 x 32>,
                       row_types = <cyclic 4>>
tile.kernel @copied_each(%x: !tile.matrix<?x64xf32>, %w: !tile.matrix<64x128xf32>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = copied>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x64xf32> -> !tile.buffer<4x64xf32>
    %stage = tile.buffer : !tile.buffer<64x16xf32, panels 16 x 1>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.terms (%k, %b, %c) of (%t, %j) {
          tile.copy %w[%b, %j, %n] to %stage : !tile.matrix<64x128xf32> to !tile.buffer<64x16xf32, panels 16 x 1>
        }
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %stage[%b, %j, %n], %acc
                : !tile.buffer<4x64xf32>, !tile.buffer<64x16xf32, panels 16 x 1>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x128xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

// `once` holds for complete graphs only: elsewhere the first owned type may have no term with the diagonal block, while a later
// one does.
// CHECK-LABEL: func.func @copied_other(
// CHECK:       memref.get_global @term_input_groups
// CHECK-NOT:   scf.if
// CHECK:       vector.store %{{.*}}, %{{.*}} : memref<1024xf32>
#layout = #tile.layout<algebra = #alg.algebra<"path(4)">, lift = rows, in = <4 x 16>, weights = <4 x 16>, out = <4 x 32>,
                       row_types = <cyclic 4>>
tile.kernel @copied_other(%x: !tile.matrix<?x64xf32>, %w: !tile.matrix<64x128xf32>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 2, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = copied>} {
  tile.forall (%i, %r, %g) over [<types, 2>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x64xf32> -> !tile.buffer<8x64xf32>
    %stage = tile.buffer : !tile.buffer<64x16xf32, panels 16 x 1>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.terms (%k, %b, %c) of (%t, %j) {
          tile.copy %w[%b, %j, %n] to %stage once : !tile.matrix<64x128xf32> to !tile.buffer<64x16xf32, panels 16 x 1>
        }
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %stage[%b, %j, %n], %acc
                : !tile.buffer<8x64xf32>, !tile.buffer<64x16xf32, panels 16 x 1>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x128xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

// Packing: a range of weight row groups, each panel written whole. The size of the packed weight matrix, in which groups of 24 take up
// two panels of 16, is left on the function.
// CHECK-LABEL: func.func @pack(
// CHECK-SAME:  %arg0: memref<?x?xf32, strided<[?, 1]>>, %arg1: memref<?x?xf32, strided<[?, 1]>>, %arg2: index, %arg3: index)
// CHECK-SAME:  tile.packed_bytes = 32768 : i64
// CHECK-SAME:  tile.scratch_bytes = 0 : i64
// CHECK:       scf.for %{{.*}} = %arg2 to %arg3
// CHECK:         %[[V:.*]] = vector.maskedload %arg0
// CHECK:         vector.store %[[V]], %arg1[%c0,
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 16>, weights = <4 x 16>, out = <4 x 24>,
                       row_types = <cyclic 4>>
tile.kernel @pack(%w: !tile.matrix<64x96xf32>, %packed: !tile.matrix<64x96xf32, panels 16 x 1>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = packed>} {
  tile.forall (%b) over [<weight_rows, 1>] {
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.copy %w[%b, %j, %n] to %packed : !tile.matrix<64x96xf32> to !tile.matrix<64x96xf32, panels 16 x 1>
    }
  }
}

// -----

// Any other algebra's terms are read from a table, and so are unequal widths. path(3) has one term in (0,0), (1,1) and (2,2),
// two in (0,1) and (1,2), none elsewhere. In the row lift the weight matrix's row group is the input group: one table does for both.
// CHECK-DAG:   memref.global "private" constant @term_offsets : memref<10xi64> = dense<[0, 1, 3, 3, 3, 4, 6, 6, 6, 7]>
// CHECK-DAG:   memref.global "private" constant @term_input_groups : memref<7xi64> = dense<[0, 0, 1, 1, 1, 2, 2]>
// CHECK-DAG:   memref.global "private" constant @in_starts : memref<3xi64> = dense<[0, 5, 13]>
// CHECK-DAG:   memref.global "private" constant @in_widths : memref<3xi64> = dense<[5, 8, 3]>
// CHECK-DAG:   memref.global "private" constant @out_starts : memref<3xi64> = dense<[0, 1, 21]>
// CHECK-DAG:   memref.global "private" constant @out_widths : memref<3xi64> = dense<[1, 20, 9]>
// CHECK-NOT:   @term_weight_rows
// CHECK-LABEL: func.func @tabulated(
// CHECK:       %[[OFFSETS:.*]] = memref.get_global @term_offsets
// CHECK:       memref.load %[[OFFSETS]]
// CHECK:       memref.load %[[OFFSETS]]
// CHECK:       memref.get_global @term_input_groups
// CHECK:       vector.fma
#layout = #tile.layout<algebra = #alg.algebra<"path(3)">, lift = rows, in = <[5, 8, 3]>, weights = <[5, 8, 3]>,
                       out = <[1, 20, 9]>, row_types = <cyclic 3>>
tile.kernel @tabulated(%x: !tile.matrix<?x16xf32>, %w: !tile.matrix<16x30xf32>, %y: !tile.matrix<?x30xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x16xf32> -> !tile.buffer<4x16xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc
                : !tile.buffer<4x16xf32>, !tile.matrix<16x30xf32>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x30xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

// Explicit types: the rows of a type are found in the sorted row list, between its start and the next one.
// CHECK-LABEL: func.func @explicit(
// CHECK:       %[[X:.*]] = builtin.unrealized_conversion_cast
// CHECK:       builtin.unrealized_conversion_cast
// CHECK:       %[[Y:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[FIRST:.*]] = memref.load %arg3
// CHECK:       %[[LAST:.*]] = memref.load %arg3
// CHECK:       memref.load %arg2
// CHECK:       vector.load %[[X]]
// CHECK:       vector.fma
// CHECK:       memref.load %arg2
// CHECK:       vector.store %{{.*}}, %[[Y]]
#layout = #tile.layout<algebra = #alg.algebra<"path(3)">, lift = rows, in = <[5, 8, 3]>, weights = <[5, 8, 3]>,
                       out = <[1, 20, 9]>, row_types = <explicit 3>>
tile.kernel @explicit(%x: !tile.matrix<?x16xf32>, %w: !tile.matrix<16x30xf32>, %y: !tile.matrix<?x30xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x16xf32> -> !tile.buffer<4x16xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc
                : !tile.buffer<4x16xf32>, !tile.matrix<16x30xf32>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x30xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

// Interval types: a row's position follows from its ordinal by division by the width (7) and the period (21).
// CHECK-LABEL: func.func @interval(
// CHECK-DAG:   %[[X:.*]] = builtin.unrealized_conversion_cast
// CHECK-DAG:   %[[SEVEN:.*]] = arith.constant 7 : index
// CHECK-DAG:   %[[PERIOD:.*]] = arith.constant 21 : index
// CHECK-DAG:   arith.remui %arg4, %[[PERIOD]]
// CHECK:       arith.divui %{{.*}}, %[[SEVEN]]
// CHECK:       arith.remui %{{.*}}, %[[SEVEN]]
// CHECK:       vector.load %[[X]]
#layout = #tile.layout<algebra = #alg.algebra<"path(3)">, lift = rows, in = <[5, 8, 3]>, weights = <[5, 8, 3]>,
                       out = <[1, 20, 9]>, row_types = <interval 3 x 7>>
tile.kernel @interval(%x: !tile.matrix<?x16xf32>, %w: !tile.matrix<16x30xf32>, %y: !tile.matrix<?x30xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x16xf32> -> !tile.buffer<4x16xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc
                : !tile.buffer<4x16xf32>, !tile.matrix<16x30xf32>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x30xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

// A sign is multiplied with the accumulators before and after the depth, not with the rows in it.
// CHECK-DAG:   memref.global "private" constant @term_input_groups : memref<4xi64> = dense<[0, 1, 0, 1]>
// CHECK-DAG:   memref.global "private" constant @term_weight_rows : memref<4xi64> = dense<[0, 1, 1, 0]>
// CHECK-DAG:   memref.global "private" constant @term_coefficients : memref<4xf32> = dense<[1.000000e+00, -1.000000e+00, 1.000000e+00, 1.000000e+00]>
// CHECK-LABEL: func.func @signs(
// CHECK:       memref.get_global @term_coefficients
// CHECK-COUNT-4: arith.mulf {{.*}} : vector<8xf32>
// CHECK:       scf.for
// CHECK-NOT:     arith.mulf
// CHECK-COUNT-4: vector.fma
// CHECK:         scf.yield
// CHECK-COUNT-4: arith.mulf {{.*}} : vector<8xf32>
#complex = #alg.algebra<"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1']]})">
#layout = #tile.layout<algebra = #complex, lift = slots, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 1>>
tile.kernel @signs(%x: !tile.matrix<?x16xf32>, %w: !tile.matrix<16x16xf32>, %y: !tile.matrix<?x32xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x16xf32> -> !tile.buffer<4x16xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc scale %c signs
                : !tile.buffer<4x16xf32>, !tile.matrix<16x16xf32>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x32xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

// Any other coefficient is multiplied with the element of the row.
// CHECK-LABEL: func.func @general(
// CHECK:       %[[COEFFICIENT:.*]] = memref.load %{{.*}} : memref<4xf32>
// CHECK:       scf.for
// CHECK:         %[[ELEMENT:.*]] = memref.load
// CHECK:         %[[SCALED:.*]] = arith.mulf %[[ELEMENT]], %[[COEFFICIENT]] : f32
// CHECK:         vector.broadcast %[[SCALED]]
// CHECK:         vector.fma
#complex = #alg.algebra<"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1/2']]})">
#layout = #tile.layout<algebra = #complex, lift = slots, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 1>>
tile.kernel @general(%x: !tile.matrix<?x16xf32>, %w: !tile.matrix<16x16xf32>, %y: !tile.matrix<?x32xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x16xf32> -> !tile.buffer<4x16xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc scale %c
                : !tile.buffer<4x16xf32>, !tile.matrix<16x16xf32>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x32xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

// bf16 travels as 16-bit integers, is widened where it is held or loaded, and rounded before the store.
// CHECK-LABEL: func.func @half(
// CHECK-SAME:  %arg0: !llvm.ptr
// CHECK:       %[[X:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[W:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[Y:.*]] = builtin.unrealized_conversion_cast
// CHECK:       vector.load %[[X]]{{.*}} vector<8xi16>
// CHECK:       arith.extui {{.*}} : vector<8xi16> to vector<8xi32>
// CHECK:       arith.shli
// CHECK:       arith.bitcast {{.*}} : vector<8xi32> to vector<8xf32>
// CHECK:       vector.store {{.*}} : memref<256xf32>, vector<8xf32>
// CHECK:       vector.load %[[W]]{{.*}} vector<8xi16>
// CHECK:       arith.extui
// CHECK:       vector.fma
// CHECK:       arith.truncf {{.*}} : vector<8xf32> to vector<8xbf16>
// CHECK:       vector.bitcast {{.*}} : vector<8xbf16> to vector<8xi16>
// CHECK:       vector.store {{.*}}, %[[Y]]{{.*}} vector<8xi16>
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 16>, weights = <4 x 16>, out = <4 x 32>,
                       row_types = <cyclic 4>>
tile.kernel @half(%x: !tile.matrix<?x64xbf16>, %w: !tile.matrix<64x128xbf16, panels 16 x 1>, %y: !tile.matrix<?x128xbf16>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = packed>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x64xbf16> -> !tile.buffer<4x64xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc
                : !tile.buffer<4x64xf32>, !tile.matrix<64x128xbf16, panels 16 x 1>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %half = tile.map (%v = %sum : !tile.fragment<2x16xf32>) -> !tile.fragment<2x16xbf16> {
            %h = arith.truncf %v : f32 to bf16
            tile.yield %h : bf16
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %half to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xbf16>, !tile.matrix<?x128xbf16>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

// Pairs of bf16: two depths at a time through the machine's dot product. An odd depth is filled up with zero, both in the
// stationary rows (6 of 5 deep, so 4 rows of 12 halves are 96 bytes, in lines of 64) and in the panels.
// CHECK-LABEL: func.func @pairs(
// CHECK-SAME:  tile.scratch_bytes = 512 : i64
// CHECK:       memref.view %arg1[%c0][] : memref<?xi8> to memref<48xi16>
// CHECK:       vector.interleave {{.*}} : vector<16xi16> -> vector<32xi16>
// CHECK:       scf.for {{.*}} %c2 iter_args
// CHECK:         vector.bitcast {{.*}} : vector<32xi16> to vector<32xbf16>
// CHECK:         vector.load {{.*}} : memref<48xi16>, vector<2xi16>
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 5>, weights = <2 x 5>, out = <2 x 32>,
                       row_types = <cyclic 2>>
tile.kernel @pairs(%x: !tile.matrix<?x10xbf16>, %w: !tile.matrix<10x64xbf16>, %y: !tile.matrix<?x64xbf16>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 16, weights = copied>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x10xbf16> -> !tile.buffer<4x10xbf16>
    %stage = tile.buffer : !tile.buffer<10x16xbf16, panels 16 x 2>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.terms (%k, %b, %c) of (%t, %j) {
          tile.copy %w[%b, %j, %n] to %stage : !tile.matrix<10x64xbf16> to !tile.buffer<10x16xbf16, panels 16 x 2>
        }
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %stage[%b, %j, %n], %acc
                : !tile.buffer<4x10xbf16>, !tile.buffer<10x16xbf16, panels 16 x 2>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %half = tile.map (%v = %sum : !tile.fragment<2x16xf32>) -> !tile.fragment<2x16xbf16> {
            %h = arith.truncf %v : f32 to bf16
            tile.yield %h : bf16
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %half to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xbf16>, !tile.matrix<?x64xbf16>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

// A map is applied to whole vectors; constants and values from outside are spread.
// CHECK-LABEL: func.func @mapped(
// CHECK-DAG:   %[[TWO:.*]] = arith.constant dense<2.000000e+00> : vector<8xf32>
// CHECK:       vector.fma
// CHECK:       %[[DOUBLE:.*]] = arith.mulf %{{.*}}, %[[TWO]] : vector<8xf32>
// CHECK:       arith.maximumf %[[DOUBLE]], %{{.*}} : vector<8xf32>
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 16>, weights = <4 x 16>, out = <4 x 32>,
                       row_types = <cyclic 4>>
tile.kernel @mapped(%x: !tile.matrix<?x64xf32>, %w: !tile.matrix<64x128xf32>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x64xf32> -> !tile.buffer<4x64xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc
                : !tile.buffer<4x64xf32>, !tile.matrix<64x128xf32>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %h = tile.map (%u = %sum : !tile.fragment<2x16xf32>, %v = %zero : !tile.fragment<2x16xf32>) -> !tile.fragment<2x16xf32> {
            %two = arith.constant 2.0 : f32
            %d = arith.mulf %u, %two : f32
            %p = arith.maximumf %d, %v : f32
            tile.yield %p : f32
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %h to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x128xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

// Two layers in one module whose tables differ keep both; tables that agree are shared.
// CHECK-DAG:   memref.global "private" constant @out_widths : memref<3xi64> = dense<[1, 20, 9]>
// CHECK-DAG:   memref.global "private" constant @out_widths_1 : memref<3xi64> = dense<[2, 20, 8]>
// CHECK-NOT:   memref.global "private" constant @in_widths_1
// CHECK-LABEL: func.func @first(
// CHECK-LABEL: func.func @second(
// CHECK:       memref.get_global @out_widths_1
#layout = #tile.layout<algebra = #alg.algebra<"path(3)">, lift = rows, in = <[5, 8, 3]>, weights = <[5, 8, 3]>,
                       out = <[1, 20, 9]>, row_types = <cyclic 3>>
#other = #tile.layout<algebra = #alg.algebra<"path(3)">, lift = rows, in = <[5, 8, 3]>, weights = <[5, 8, 3]>,
                      out = <[2, 20, 8]>, row_types = <cyclic 3>>
tile.kernel @first(%x: !tile.matrix<?x16xf32>, %w: !tile.matrix<16x30xf32>, %y: !tile.matrix<?x30xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x16xf32> -> !tile.buffer<4x16xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc
                : !tile.buffer<4x16xf32>, !tile.matrix<16x30xf32>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x30xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}
tile.kernel @second(%x: !tile.matrix<?x16xf32>, %w: !tile.matrix<16x30xf32>, %y: !tile.matrix<?x30xf32>)
    attributes {layout = #other, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x16xf32> -> !tile.buffer<4x16xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc
                : !tile.buffer<4x16xf32>, !tile.matrix<16x30xf32>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x30xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

// The weight matrix's gradient: x, dy, dw, scratch, row list, starts, offset, beta and tasks: 2 x 2 blocks of 8 x 24, of each a
// tile of 8 x 16 and one that is half as wide. Terms of Q(2) are arithmetic: block (b, j) has those of type b, the
// diagonal those of all types. What dw held is loaded only where beta is not 0.
// CHECK-NOT:   memref.global
// CHECK-LABEL: func.func @gradient(
// CHECK-SAME:  %arg0: !llvm.ptr, %arg1: memref<?xi8>, %arg2: memref<?xi64>, %arg3: memref<?xi64>, %arg4: index, %[[BETA:arg5]]: f32, %[[BEGIN:arg6]]: index, %[[END:arg7]]: index)
// CHECK-SAME:  tile.output = bf16
// CHECK-SAME:  tile.tasks = 8 : i64
// CHECK:       %[[X:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[DY:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[DW:.*]] = builtin.unrealized_conversion_cast
// CHECK:       scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK:         %[[DIAGONAL:.*]] = arith.cmpi eq
// CHECK:         %[[FROM:.*]] = arith.select %[[DIAGONAL]], %c0, %[[B:.*]] :
// CHECK:         %[[TO:.*]] = arith.select %[[DIAGONAL]], %c2, %{{.*}} :
// CHECK:         scf.for %{{.*}} = %[[FROM]] to %[[TO]]
// CHECK:           vector.load %[[X]]
// CHECK:           vector.load %[[DY]]
// CHECK:           scf.for {{.*}} iter_args
// CHECK-COUNT-2:     vector.load
// CHECK-COUNT-4:     vector.broadcast
// CHECK:         %[[ALONE:.*]] = arith.cmpf oeq, %[[BETA]], %cst
// CHECK:         scf.if %[[ALONE]]
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    } else {
// CHECK-NEXT:      vector.maskedload %[[DW]]
// CHECK:           vector.fma
// CHECK:         arith.truncf {{.*}} : vector<8xf32> to vector<8xbf16>
// CHECK:         vector.maskedstore %[[DW]]
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
tile.kernel @gradient(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xbf16>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 16>] {
    %sums = tile.buffer : !tile.buffer<8x16xf32>
    %xs = tile.buffer : !tile.buffer<32x8xf32, panels 4 x 1>
    %dys = tile.buffer : !tile.buffer<32x16xf32, panels 16 x 1>
    tile.weight_terms (%t, %k, %o, %c) of (%b, %j) {
      tile.for (%s) over [<rows, 32>] {
        tile.bring %x[%t, %k, %s, %f] along <features> to %xs : !tile.matrix<?x16xf32> to !tile.buffer<32x8xf32, panels 4 x 1>
        tile.for (%m) over [<columns, 16>] {
          tile.bring %dy[%t, %o, %s, %m] along <columns> to %dys : !tile.matrix<?x48xf32> to !tile.buffer<32x16xf32, panels 16 x 1>
          tile.for (%h) over [<features, 4>] {
            %sum = tile.load %sums[%h, %m] : !tile.buffer<8x16xf32> -> !tile.fragment<4x16xf32>
            %next = tile.outer %xs[%h], %dys[%m] rows(%t, %s), %sum : !tile.buffer<32x8xf32, panels 4 x 1>, !tile.buffer<32x16xf32, panels 16 x 1>, !tile.fragment<4x16xf32>
            tile.keep %next to %sums[%h, %m] : !tile.fragment<4x16xf32> to !tile.buffer<8x16xf32>
          }
        }
      }
    }
    tile.for (%m, %h) over [<columns, 16>, <features, 4>] {
      %sum = tile.load %sums[%h, %m] : !tile.buffer<8x16xf32> -> !tile.fragment<4x16xf32>
      tile.store_weights %sum to %dw[%b, %h, %j, %m] : !tile.fragment<4x16xf32> to !tile.matrix<16x48xbf16>
    }
  }
}

// -----

// Pairs of bf16: two rows of a type at a time. They lie side by side in the panels, and where the last one has no partner
// that is zero in both operands: the last row is read again and dropped, as what lies behind it is no row of the type. Signs
// turn over as bits.
// CHECK-LABEL: func.func @gradient_of_pairs(
// CHECK-SAME:  tile.scratch_bytes = 2048 : i64
// CHECK:       %[[X:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[DY:.*]] = builtin.unrealized_conversion_cast
// CHECK:         memref.view %arg1[%c0][] : memref<?xi8> to memref<128xf32>
// CHECK:         memref.view %arg1[%c512][] : memref<?xi8> to memref<256xi16>
// CHECK:         memref.view %arg1[%c1024][] : memref<?xi8> to memref<512xi16>
// CHECK:         %[[MINUS:.*]] = arith.cmpf olt, %{{.*}}, %cst
// CHECK:         scf.for %[[R:.*]] = %c0 to %[[COUNT:.*]] step %c2
// CHECK:           %[[NEXT:.*]] = arith.addi %[[R]], %c1
// CHECK:           %[[PARTNER:.*]] = arith.cmpi slt, %[[NEXT]], %[[COUNT]]
// CHECK:           %[[FIRST:.*]] = vector.load %[[X]][{{.*}}] : {{.*}}, vector<4xi16>
// CHECK:           %[[SECOND:.*]] = vector.load %[[X]][{{.*}}] : {{.*}}, vector<4xi16>
// CHECK:           %[[OR_ZERO:.*]] = arith.select %[[PARTNER]], %[[SECOND]], %{{.*}} : vector<4xi16>
// CHECK:           %[[BOTH:.*]] = vector.interleave %[[FIRST]], %[[OR_ZERO]] : vector<4xi16> -> vector<8xi16>
// CHECK:           %[[TURNED:.*]] = arith.xori %[[BOTH]], %{{.*}} : vector<8xi16>
// CHECK:           arith.select %[[MINUS]], %[[TURNED]], %[[BOTH]] : vector<8xi16>
// CHECK:           vector.store {{.*}} : memref<256xi16>, vector<8xi16>
// CHECK:         scf.for %{{.*}} = %c0 to %{{.*}} step %c2
// CHECK:           vector.interleave {{.*}} : vector<16xi16> -> vector<32xi16>
// CHECK:           vector.store {{.*}} : memref<512xi16>, vector<32xi16>
// CHECK:           vector.maskedload %[[DY]]
// CHECK:           vector.maskedload %[[DY]]
// CHECK:           arith.select {{.*}} : vector<16xi16>
// CHECK:           vector.interleave {{.*}} : vector<16xi16> -> vector<32xi16>
// CHECK:         scf.for {{.*}} %c2 iter_args
// CHECK:           vector.load {{.*}} : memref<512xi16>, vector<32xi16>
// CHECK:           vector.load {{.*}} : memref<256xi16>, vector<2xi16>
// CHECK-COUNT-4:   llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
#complex = #alg.algebra<"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1']]})">
#layout = #tile.layout<algebra = #complex, lift = slots, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 1>, mode = j>
tile.kernel @gradient_of_pairs(%x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x48xbf16>, %dw: !tile.matrix<16x24xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4,
                register_columns = 16, lanes = 16, weights = direct>} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 16>] {
    %sums = tile.buffer : !tile.buffer<8x16xf32>
    %xs = tile.buffer : !tile.buffer<32x8xbf16, panels 4 x 2>
    %dys = tile.buffer : !tile.buffer<32x16xbf16, panels 16 x 2>
    tile.weight_terms (%t, %k, %o, %c) of (%b, %j) {
      tile.for (%s) over [<rows, 32>] {
        tile.bring %x[%t, %k, %s, %f] along <features> to %xs scale %c signs : !tile.matrix<?x16xbf16> to !tile.buffer<32x8xbf16, panels 4 x 2>
        tile.for (%m) over [<columns, 16>] {
          tile.bring %dy[%t, %o, %s, %m] along <columns> to %dys : !tile.matrix<?x48xbf16> to !tile.buffer<32x16xbf16, panels 16 x 2>
          tile.for (%h) over [<features, 4>] {
            %sum = tile.load %sums[%h, %m] : !tile.buffer<8x16xf32> -> !tile.fragment<4x16xf32>
            %next = tile.outer %xs[%h], %dys[%m] rows(%t, %s), %sum : !tile.buffer<32x8xbf16, panels 4 x 2>, !tile.buffer<32x16xbf16, panels 16 x 2>, !tile.fragment<4x16xf32>
            tile.keep %next to %sums[%h, %m] : !tile.fragment<4x16xf32> to !tile.buffer<8x16xf32>
          }
        }
      }
    }
    tile.for (%m, %h) over [<columns, 16>, <features, 4>] {
      %sum = tile.load %sums[%h, %m] : !tile.buffer<8x16xf32> -> !tile.fragment<4x16xf32>
      tile.store_weights %sum to %dw[%b, %h, %j, %m] : !tile.fragment<4x16xf32> to !tile.matrix<16x24xf32>
    }
  }
}

// -----

// A bias is an operand before y. Of a group that does not fill its panels only what belongs to the group is read: vectors
// of 8 over 20 columns. Each is read once for all rows of the tile.
// CHECK-LABEL: func.func @biased(
// CHECK-SAME:  %arg0: !llvm.ptr, %arg1: memref<?xi8>
// CHECK:       builtin.unrealized_conversion_cast
// CHECK:       builtin.unrealized_conversion_cast
// CHECK:       %[[BIAS:.*]] = builtin.unrealized_conversion_cast
// CHECK:       scf.for {{.*}} iter_args
// CHECK:       vector.create_mask
// CHECK:       %[[HALF:.*]] = vector.maskedload %[[BIAS]][%c0, %{{.*}}]
// CHECK:       %[[BITS:.*]] = arith.bitcast %[[HALF]] : vector<8xi16> to vector<8xbf16>
// CHECK:       vector.maskedload %[[BIAS]]
// CHECK:       %[[WIDE:.*]] = arith.extf %[[BITS]] : vector<8xbf16> to vector<8xf32>
// CHECK:       arith.addf %{{.*}}, %[[WIDE]] : vector<8xf32>
// CHECK-COUNT-3: arith.addf
// CHECK-NOT:   arith.addf {{.*}} : vector
// CHECK:       arith.truncf
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 20>,
                       row_types = <cyclic 2>>
tile.kernel @biased(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x40xbf16>, %bias: !tile.matrix<1x40xbf16>, %y: !tile.matrix<?x40xbf16>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x16xbf16> -> !tile.buffer<4x16xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc : !tile.buffer<4x16xf32>, !tile.matrix<16x40xbf16>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %biased = tile.map (%m = %sum : !tile.fragment<2x16xf32>, %e = %bias[%j, %n] : !tile.matrix<1x40xbf16>) -> !tile.fragment<2x16xf32> {
            %wide = arith.extf %e : bf16 to f32
            %added = arith.addf %m, %wide : f32
            tile.yield %added : f32
          }
          %half = tile.map (%v = %biased : !tile.fragment<2x16xf32>) -> !tile.fragment<2x16xbf16> {
            %h = arith.truncf %v : f32 to bf16
            tile.yield %h : bf16
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %half to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xbf16>, !tile.matrix<?x40xbf16>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

// What a map reads: one number for each column is loaded once for all rows, one for each row spread over the columns, an element
// of the result's place row by row, and a number lies in a matrix of one element. Past the last row of a type the last one is read.
// CHECK-LABEL: func.func @operands(
// CHECK-SAME:  %arg0: !llvm.ptr
// CHECK:       builtin.unrealized_conversion_cast
// CHECK:       %[[SCALE:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[OTHER:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[NUMBER:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[ALPHA:.*]] = memref.load %[[NUMBER]][%c0, %c0]
// CHECK:       arith.minsi
// CHECK:       %[[ONE:.*]] = memref.load %[[SCALE]][%{{.*}}, %c0]
// CHECK:       vector.broadcast %[[ONE]] : f32 to vector<8xf32>
// CHECK:       vector.load %[[OTHER]]
// CHECK:       %[[SPREAD:.*]] = vector.broadcast %[[ALPHA]] : f32 to vector<8xf32>
// CHECK:       math.fma %{{.*}}, %[[SPREAD]], %{{.*}} : vector<8xf32>
// CHECK:       memref.load %[[SCALE]]
// CHECK:       vector.load %[[OTHER]]
// CHECK:       math.fma %{{.*}}, %[[SPREAD]], %{{.*}} : vector<8xf32>
// CHECK:       vector.store
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
tile.kernel @operands(%x: !tile.matrix<?x16xf32>, %w: !tile.matrix<16x32xf32>, %scale: !tile.matrix<?x1xf32>,
                      %other: !tile.matrix<?x32xbf16>, %alpha: f32, %y: !tile.matrix<?x32xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 8, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    tile.for (%j, %n) over [<groups, 1>, <columns, 8>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x8xf32>
          %mapped = tile.map (%v = %zero : !tile.fragment<2x8xf32>, %f = %scale[%t, %s] : !tile.matrix<?x1xf32>,
                              %e = %other[%t, %s, %j, %n] : !tile.matrix<?x32xbf16>, %a = %alpha : f32) -> !tile.fragment<2x8xf32> {
            %wide = arith.extf %e : bf16 to f32
            %m = arith.mulf %wide, %f : f32
            %q = math.fma %m, %a, %v : f32
            tile.yield %q : f32
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x8>
          tile.store %mapped to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x8xf32>, !tile.matrix<?x32xf32>, !tile.mask<2x8>
        }
      }
    }
  }
}

// -----

// Two products of the same rows, which are held once, and a map of both: the gate of a SwiGLU network.
// CHECK-LABEL: func.func @gate(
// CHECK-SAME:  %arg0: !llvm.ptr
// CHECK:       builtin.unrealized_conversion_cast
// CHECK:       %[[GATE:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[UP:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[Y:.*]] = builtin.unrealized_conversion_cast
// CHECK-COUNT-1: memref.view
// CHECK:       %[[FIRST:.*]]:2 = scf.for {{.*}} iter_args
// CHECK:         vector.load %[[GATE]]
// The sums of the first product wait in memory, where LLVM does not see that they are the same afterwards.
// CHECK:       %[[PARKED:.*]] = memref.view
// CHECK:       vector.store %[[FIRST]]#0, %[[PARKED]]
// CHECK:       vector.store %[[FIRST]]#1, %[[PARKED]]
// CHECK:       llvm.inline_asm has_side_effects "", "~{memory}"
// CHECK:       %[[SECOND:.*]]:2 = scf.for {{.*}} iter_args
// CHECK:         vector.load %[[UP]]
// CHECK:       %[[A:.*]] = vector.load %[[PARKED]]
// CHECK:       %[[B:.*]] = vector.load %[[PARKED]]
// CHECK:       arith.mulf %[[A]], %[[SECOND]]#0 : vector<8xf32>
// CHECK:       arith.mulf %[[B]], %[[SECOND]]#1 : vector<8xf32>
// CHECK:       vector.store {{.*}}, %[[Y]]
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
tile.kernel @gate(%x: !tile.matrix<?x16xf32>, %gate: !tile.matrix<16x32xf32>, %up: !tile.matrix<16x32xf32>, %y: !tile.matrix<?x32xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 8, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x16xf32> -> !tile.buffer<4x16xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 8>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x8xf32>
          %first = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x8xf32> {
            %next = tile.mma %xs[%t, %k, %s], %gate[%b, %j, %n], %acc : !tile.buffer<4x16xf32>, !tile.matrix<16x32xf32>, !tile.fragment<2x8xf32>
            tile.yield %next : !tile.fragment<2x8xf32>
          }
          %second = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x8xf32> {
            %next = tile.mma %xs[%t, %k, %s], %up[%b, %j, %n], %acc : !tile.buffer<4x16xf32>, !tile.matrix<16x32xf32>, !tile.fragment<2x8xf32>
            tile.yield %next : !tile.fragment<2x8xf32>
          }
          %gated = tile.map (%p = %first : !tile.fragment<2x8xf32>, %q = %second : !tile.fragment<2x8xf32>) -> !tile.fragment<2x8xf32> {
            %h = arith.mulf %p, %q : f32
            tile.yield %h : f32
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x8>
          tile.store %gated to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x8xf32>, !tile.matrix<?x32xf32>, !tile.mask<2x8>
        }
      }
    }
  }
}

// -----

// Products of the same rows in one tile.terms go through their depth together: what is held is read once for both weight matrices. There
// are two results, of two types.
// CHECK-LABEL: func.func @side_by_side(
// CHECK:       builtin.unrealized_conversion_cast
// CHECK:       %[[GATE:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[UP:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[Y:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[Z:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[HELD:.*]] = memref.view
// CHECK:       scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK:         %[[SUMS:.*]]:4 = scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK:           %[[A:.*]] = vector.load %[[GATE]]
// CHECK:           %[[B:.*]] = vector.load %[[UP]]
// CHECK-COUNT-2:   memref.prefetch
// CHECK:           memref.load %[[HELD]]
// CHECK:           vector.fma %[[ROW:.*]], %[[A]]
// CHECK-NEXT:      vector.fma %[[ROW]], %[[B]]
// CHECK:           memref.load %[[HELD]]
// CHECK:           vector.fma %[[OTHER:.*]], %[[A]]
// CHECK-NEXT:      vector.fma %[[OTHER]], %[[B]]
// CHECK-NEXT:      scf.yield
// CHECK-NOT:     vector.fma
// CHECK:       vector.store {{.*}}, %[[Y]]{{.*}} vector<8xf32>
// CHECK:       vector.store {{.*}}, %[[Z]]{{.*}} vector<8xi16>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
tile.kernel @side_by_side(%x: !tile.matrix<?x16xf32>, %gate: !tile.matrix<16x32xf32>, %up: !tile.matrix<16x32xf32>, %y: !tile.matrix<?x32xf32>, %z: !tile.matrix<?x32xbf16>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 8, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x16xf32> -> !tile.buffer<4x16xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 8>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x8xf32>
          %sums:2 = tile.terms (%k, %b, %c) of (%t, %j) carry(%first = %zero, %second = %zero) : !tile.fragment<2x8xf32>, !tile.fragment<2x8xf32> {
            %one = tile.mma %xs[%t, %k, %s], %gate[%b, %j, %n], %first : !tile.buffer<4x16xf32>, !tile.matrix<16x32xf32>, !tile.fragment<2x8xf32>
            %two = tile.mma %xs[%t, %k, %s], %up[%b, %j, %n], %second : !tile.buffer<4x16xf32>, !tile.matrix<16x32xf32>, !tile.fragment<2x8xf32>
            tile.yield %one, %two : !tile.fragment<2x8xf32>, !tile.fragment<2x8xf32>
          }
          %half = tile.map (%v = %sums#1 : !tile.fragment<2x8xf32>) -> !tile.fragment<2x8xbf16> {
            %h = arith.truncf %v : f32 to bf16
            tile.yield %h : bf16
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x8>
          tile.store %sums#0 to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x8xf32>, !tile.matrix<?x32xf32>, !tile.mask<2x8>
          tile.store %half to %z[%t, %s, %j, %n] mask %mask : !tile.fragment<2x8xbf16>, !tile.matrix<?x32xbf16>, !tile.mask<2x8>
        }
      }
    }
  }
}

// -----

// Maps of one tile go row by row: what the second one loads and computes as the first one does is there already.
// The matrix is asked for before the products: each of the two rows has a line of it.
// CHECK-LABEL: func.func @two_maps(
// CHECK-COUNT-2: memref.prefetch {{.*}}, read, locality<3>, data : memref<?x?xf32
// CHECK-NOT:   memref.prefetch {{.*}}, read, locality<3>
// CHECK:       vector.fma
// A row of two vectors, once.
// CHECK:       vector.load
// CHECK:       vector.load
// CHECK-NOT:   vector.load
// CHECK:       math.absf
// CHECK:       arith.mulf
// CHECK:       math.absf
// CHECK:       arith.mulf
// CHECK-NOT:   vector.load
// CHECK-NOT:   math.absf
// CHECK:       arith.addf
// CHECK:       arith.addf
// The second row.
// CHECK:       vector.load
// CHECK:       vector.load
// CHECK-COUNT-2: math.absf
// CHECK-NOT:   math.absf
// CHECK:       vector.store
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 16>, weights = <4 x 16>, out = <4 x 32>,
                       row_types = <cyclic 4>>
tile.kernel @two_maps(%x: !tile.matrix<?x64xf32>, %w: !tile.matrix<64x128xf32>, %o: !tile.matrix<?x128xf32>,
                      %y: !tile.matrix<?x128xf32>, %z: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x64xf32> -> !tile.buffer<4x64xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc
                : !tile.buffer<4x64xf32>, !tile.matrix<64x128xf32>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %a = tile.map (%u = %o[%t, %s, %j, %n] : !tile.matrix<?x128xf32>, %v = %sum : !tile.fragment<2x16xf32>) -> !tile.fragment<2x16xf32> {
            %m = math.absf %u : f32
            %p = arith.mulf %m, %v : f32
            tile.yield %p : f32
          }
          %b = tile.map (%u = %o[%t, %s, %j, %n] : !tile.matrix<?x128xf32>, %v = %sum : !tile.fragment<2x16xf32>) -> !tile.fragment<2x16xf32> {
            %m = math.absf %u : f32
            %p = arith.addf %m, %v : f32
            tile.yield %p : f32
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %a to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x128xf32>, !tile.mask<2x16>
          tile.store %b to %z[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x128xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}
