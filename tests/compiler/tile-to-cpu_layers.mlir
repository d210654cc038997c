// How kernels of two layers become loops and vectors.
// RUN: alg-opt %s -split-input-file -convert-tile-to-cpu -canonicalize -cse | FileCheck %s --implicit-check-not=tile.packed_bytes

// The kernel's own layer, whose layout and schedule the function has, is the one that writes the result. In scratch are a mark for
// each input group of its owned types (2 bytes, a cache line), the rows of X (4 of 8 floats) and the hidden rows (4 of 48 floats).
// CHECK-LABEL: func.func @masked(
// CHECK-SAME:  %[[SCRATCH:arg1]]: memref<?xi8>
// CHECK-SAME:  tile.layout = #tile.layout<{{.*}}in = <2 x 24>, weights = <2 x 24>, out = <2 x 8>
// CHECK-SAME:  tile.schedule = {{.*}}register_columns = 8
// CHECK-SAME:  tile.scratch_bytes = 960 : i64
// CHECK:       builtin.unrealized_conversion_cast
// CHECK:       %[[W:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[W2:.*]] = builtin.unrealized_conversion_cast
// CHECK:       %[[Y:.*]] = builtin.unrealized_conversion_cast
// Each task begins without marks: another one's rows are others.
// CHECK:       scf.for %{{.*}} = %arg7 to %arg8
// CHECK:         scf.if
// CHECK:           %[[MARKS:.*]] = memref.view %[[SCRATCH]][%c0][] : memref<?xi8> to memref<2xi8>
// CHECK-NEXT:      scf.for %[[MARK:.*]] = %c0 to %c2 step %c1 {
// CHECK-NEXT:        memref.store %c0_i8, %[[MARKS]][%[[MARK]]]
// CHECK-NEXT:      }
// CHECK:           %[[HELD:.*]] = memref.view %[[SCRATCH]][%c64][] : memref<?xi8> to memref<32xf32>
// CHECK:           %[[HIDDEN:.*]] = memref.view %[[SCRATCH]][%c192][] : memref<?xi8> to memref<192xf32>
// A term whose hidden group has no mark sets it, and makes the group.
// CHECK:           scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %c1 {
// CHECK:             scf.for %{{.*}} = %c0 to %{{.*}} step %c1 {
// CHECK-NEXT:        arith.cmpi eq
// CHECK-NEXT:        %[[LEAST:.*]] = arith.minsi
// CHECK-NEXT:        %[[MOST:.*]] = arith.maxsi
// CHECK-NEXT:        %[[GROUP:.*]] = arith.select %{{.*}}, %[[LEAST]], %[[MOST]] : index
// CHECK:             %[[FIRST:.*]] = arith.muli %{{.*}}, %c2 : index
// CHECK-NEXT:        %[[AT:.*]] = arith.addi %[[FIRST]], %[[GROUP]] : index
// CHECK-NEXT:        %[[STATE:.*]] = memref.load %[[MARKS]][%[[AT]]] : memref<2xi8>
// CHECK-NEXT:        %[[UNMADE:.*]] = arith.cmpi eq, %[[STATE]], %c0_i8 : i8
// CHECK-NEXT:        scf.if %[[UNMADE]] {
// CHECK-NEXT:          memref.store %c1_i8, %[[MARKS]][%[[AT]]]
// The columns of a hidden group, 24, do not fill panels of 16.
// CHECK-NEXT:          scf.for %{{.*}} = %c0 to %c24 step %c16 {
// CHECK:                 vector.maskedload %[[W]]
// CHECK:                 memref.load %[[HELD]]
// CHECK:                 vector.fma
// What is behind the last column of a group are the first ones of the next row, so that the last panel is stored with masks.
// CHECK:                 scf.if
// CHECK-COUNT-4:           vector.store %{{.*}}, %[[HIDDEN]]
// CHECK:                 } else {
// CHECK-COUNT-4:           vector.maskedstore %[[HIDDEN]]
// Rows of X that a type does not have are zero, and hidden rows of these may be anything: nobody stores what becomes of them.
// CHECK-NOT:             memref.store
// The second layer multiplies the hidden rows, 24 floats apart in a group.
// CHECK:               scf.for %[[P:.*]] = %c0 to %c24 step %c1 iter_args
// CHECK:                 vector.load %[[W2]]
// CHECK:                 %[[ELEMENT:.*]] = memref.load %[[HIDDEN]]
// CHECK-NEXT:            vector.broadcast %[[ELEMENT]]
// CHECK:                 vector.fma
// CHECK-NOT:           vector.maskedstore
// CHECK:               vector.store %{{.*}}, %[[Y]]
// CHECK:       return
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 24>, weights = <2 x 24>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 16, lanes = 8,
                            weights = direct>
#of_result = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 8, lanes = 8,
                            weights = direct>
tile.kernel @masked(%x: !tile.matrix<?x8xf32>, %w: !tile.matrix<8x48xf32>,
                    %w2: !tile.matrix<48x16xf32>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #of_result} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %held = tile.layer attributes {layout = #hidden, schedule = #of_hidden} -> !tile.buffer<4x8xf32> {
      %rows = tile.hold %x[%i, %r] : !tile.matrix<?x8xf32> -> !tile.buffer<4x8xf32>
      tile.yield %rows : !tile.buffer<4x8xf32>
    }
    %hidden = tile.buffer : !tile.buffer<4x48xf32>
    tile.for (%j) over [<groups, 1>] {
      tile.for (%t) over [<types, 1>] {
        tile.terms (%k, %b, %c) of (%t, %j) {
          tile.once (%t, %k) {
            tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
              tile.for (%n, %s) over [<columns, 16>, <rows, 2>] {
                %zero = tile.zero : !tile.fragment<2x16xf32>
                %sum = tile.terms (%k1, %b1, %c1) of (%t, %k) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
                  %next = tile.mma %held[%t, %k1, %s], %w[%b1, %k, %n], %acc
                      : !tile.buffer<4x8xf32>, !tile.matrix<8x48xf32>, !tile.fragment<2x16xf32>
                  tile.yield %next : !tile.fragment<2x16xf32>
                }
                %mask = tile.mask rows(%t, %s) columns(%k, %n) : !tile.mask<2x16>
                tile.store_held %sum to %hidden[%t, %s, %k, %n] mask %mask
                    : !tile.fragment<2x16xf32>, !tile.buffer<4x48xf32>, !tile.mask<2x16>
              }
            }
          }
        }
      }
      tile.for (%n) over [<columns, 8>] {
        tile.for (%t, %s) over [<types, 1>, <rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x8xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x8xf32> {
            %next = tile.mma %hidden[%t, %k, %s], %w2[%b, %j, %n], %acc
                : !tile.buffer<4x48xf32>, !tile.matrix<48x16xf32>, !tile.fragment<2x8xf32>
            tile.yield %next : !tile.fragment<2x8xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x8>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x8xf32>, !tile.matrix<?x16xf32>, !tile.mask<2x8>
        }
      }
    }
  }
}

// -----

// Two owned types have marks of their own. Hidden groups of 32 columns fill panels of 16, and are stored without a mask. What was
// rounded to bf16 is kept as f32, as rows of X are.
// CHECK-LABEL: func.func @fills(
// CHECK-NOT:   mask
// CHECK:       %[[MARKS:.*]] = memref.view %arg1[%c0][] : memref<?xi8> to memref<4xi8>
// CHECK-NEXT:  scf.for %{{.*}} = %c0 to %c4 step %c1 {
// CHECK-NEXT:    memref.store %c0_i8, %[[MARKS]]
// CHECK:       %[[HELD:.*]] = memref.view %arg1[%c64][] : memref<?xi8> to memref<64xf32>
// CHECK:       %[[HIDDEN:.*]] = memref.view %arg1[%c320][] : memref<?xi8> to memref<512xf32>
// CHECK:       %[[STATE:.*]] = memref.load %[[MARKS]]
// CHECK:       scf.if
// CHECK-NEXT:    memref.store %c1_i8, %[[MARKS]]
// CHECK:         memref.load %[[HELD]]
// CHECK:         %[[ROUNDED:.*]] = arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
// CHECK:         %[[BITS:.*]] = vector.bitcast %[[ROUNDED]] : vector<8xbf16> to vector<8xi16>
// CHECK-NEXT:    %[[WIDE:.*]] = arith.extui %[[BITS]]
// CHECK-NEXT:    %[[SHIFTED:.*]] = arith.shli %[[WIDE]]
// CHECK-NEXT:    %[[VALUE:.*]] = arith.bitcast %[[SHIFTED]] : vector<8xi32> to vector<8xf32>
// CHECK:         vector.store %[[VALUE]], %[[HIDDEN]]
// CHECK-COUNT-3: vector.store %{{.*}}, %[[HIDDEN]]
// CHECK:       memref.load %[[HIDDEN]]
// CHECK:       return
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 32>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 32>, weights = <2 x 32>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.schedule<types = 2, rows = 4, register_rows = 2, register_columns = 16, lanes = 8,
                            weights = direct>
#of_result = #tile.schedule<types = 2, rows = 4, register_rows = 2, register_columns = 8, lanes = 8,
                            weights = direct>
tile.kernel @fills(%x: !tile.matrix<?x8xbf16>, %w: !tile.matrix<8x64xbf16>,
                   %w2: !tile.matrix<64x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #of_result} {
  tile.forall (%i, %r, %g) over [<types, 2>, <rows, 4>, <groups, 0>] {
    %held = tile.layer attributes {layout = #hidden, schedule = #of_hidden} -> !tile.buffer<8x8xf32> {
      %rows = tile.hold %x[%i, %r] : !tile.matrix<?x8xbf16> -> !tile.buffer<8x8xf32>
      tile.yield %rows : !tile.buffer<8x8xf32>
    }
    %hidden = tile.buffer : !tile.buffer<8x64xf32>
    tile.for (%j) over [<groups, 1>] {
      tile.for (%t) over [<types, 1>] {
        tile.terms (%k, %b, %c) of (%t, %j) {
          tile.once (%t, %k) {
            tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
              tile.for (%n, %s) over [<columns, 16>, <rows, 2>] {
                %zero = tile.zero : !tile.fragment<2x16xf32>
                %sum = tile.terms (%k1, %b1, %c1) of (%t, %k) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
                  %next = tile.mma %held[%t, %k1, %s], %w[%b1, %k, %n], %acc
                      : !tile.buffer<8x8xf32>, !tile.matrix<8x64xbf16>, !tile.fragment<2x16xf32>
                  tile.yield %next : !tile.fragment<2x16xf32>
                }
                %half = tile.map (%v = %sum : !tile.fragment<2x16xf32>) -> !tile.fragment<2x16xbf16> {
                  %rounded = arith.truncf %v : f32 to bf16
                  tile.yield %rounded : bf16
                }
                %mask = tile.mask rows(%t, %s) columns(%k, %n) : !tile.mask<2x16>
                tile.store_held %half to %hidden[%t, %s, %k, %n] mask %mask
                    : !tile.fragment<2x16xbf16>, !tile.buffer<8x64xf32>, !tile.mask<2x16>
              }
            }
          }
        }
      }
      tile.for (%n) over [<columns, 8>] {
        tile.for (%t, %s) over [<types, 1>, <rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x8xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x8xf32> {
            %next = tile.mma %hidden[%t, %k, %s], %w2[%b, %j, %n], %acc
                : !tile.buffer<8x64xf32>, !tile.matrix<64x16xbf16>, !tile.fragment<2x8xf32>
            tile.yield %next : !tile.fragment<2x8xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x8>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x8xf32>, !tile.matrix<?x16xf32>, !tile.mask<2x8>
        }
      }
    }
  }
}

// -----

// Where the machine multiplies pairs of bf16, hidden rows are bf16, of which it reads two at a time; an odd depth of the
// rows of X is filled up.
// CHECK-LABEL: func.func @pairs(
// CHECK:       memref.view %arg1[%c0][] : memref<?xi8> to memref<2xi8>
// Four rows of two groups of six, instead of five.
// CHECK:       %[[HELD:.*]] = memref.view %arg1[%c64][] : memref<?xi8> to memref<48xi16>
// CHECK:       %[[HIDDEN:.*]] = memref.view %arg1[%c192][] : memref<?xi8> to memref<256xi16>
// CHECK:       scf.for %{{.*}} = %c0 to %c6 step %c2
// CHECK:         vector.load %[[HELD]][{{.*}}] : memref<48xi16>, vector<2xi16>
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK-COUNT-4: vector.store %{{.*}}, %[[HIDDEN]][{{.*}}] : memref<256xi16>, vector<16xi16>
// CHECK:       scf.for %{{.*}} = %c0 to %c32 step %c2
// CHECK:         vector.load %[[HIDDEN]][{{.*}}] : memref<256xi16>, vector<2xi16>
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK:       return
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 5>, weights = <2 x 5>, out = <2 x 32>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 32>, weights = <2 x 32>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 32, lanes = 16,
                            weights = packed>
#of_result = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 16, lanes = 16,
                            weights = packed>
tile.kernel @pairs(%x: !tile.matrix<?x10xbf16>, %w: !tile.matrix<10x64xbf16, panels 32 x 2>,
                   %w2: !tile.matrix<64x32xbf16, panels 16 x 2>, %y: !tile.matrix<?x32xf32>)
    attributes {layout = #layout, schedule = #of_result} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %held = tile.layer attributes {layout = #hidden, schedule = #of_hidden} -> !tile.buffer<4x10xbf16> {
      %rows = tile.hold %x[%i, %r] : !tile.matrix<?x10xbf16> -> !tile.buffer<4x10xbf16>
      tile.yield %rows : !tile.buffer<4x10xbf16>
    }
    %hidden = tile.buffer : !tile.buffer<4x64xbf16>
    tile.for (%j) over [<groups, 1>] {
      tile.for (%t) over [<types, 1>] {
        tile.terms (%k, %b, %c) of (%t, %j) {
          tile.once (%t, %k) {
            tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
              tile.for (%n, %s) over [<columns, 32>, <rows, 2>] {
                %zero = tile.zero : !tile.fragment<2x32xf32>
                %sum = tile.terms (%k1, %b1, %c1) of (%t, %k) carry(%acc = %zero) : !tile.fragment<2x32xf32> {
                  %next = tile.mma %held[%t, %k1, %s], %w[%b1, %k, %n], %acc
                      : !tile.buffer<4x10xbf16>, !tile.matrix<10x64xbf16, panels 32 x 2>, !tile.fragment<2x32xf32>
                  tile.yield %next : !tile.fragment<2x32xf32>
                }
                %half = tile.map (%v = %sum : !tile.fragment<2x32xf32>) -> !tile.fragment<2x32xbf16> {
                  %rounded = arith.truncf %v : f32 to bf16
                  tile.yield %rounded : bf16
                }
                %mask = tile.mask rows(%t, %s) columns(%k, %n) : !tile.mask<2x32>
                tile.store_held %half to %hidden[%t, %s, %k, %n] mask %mask
                    : !tile.fragment<2x32xbf16>, !tile.buffer<4x64xbf16>, !tile.mask<2x32>
              }
            }
          }
        }
      }
      tile.for (%n) over [<columns, 16>] {
        tile.for (%t, %s) over [<types, 1>, <rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %hidden[%t, %k, %s], %w2[%b, %j, %n], %acc
                : !tile.buffer<4x64xbf16>, !tile.matrix<64x32xbf16, panels 16 x 2>, !tile.fragment<2x16xf32>
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

// Groups of different widths are found in tables, of which each layer has its own: the input groups of the second one are the output
// groups of the first.
// CHECK-DAG:   memref.global "private" constant @in_widths : memref<2xi64> = dense<[3, 5]>
// CHECK-DAG:   memref.global "private" constant @out_widths : memref<2xi64> = dense<[16, 32]>
// CHECK-DAG:   memref.global "private" constant @in_widths_1 : memref<2xi64> = dense<[16, 32]>
// CHECK-DAG:   memref.global "private" constant @out_widths_1 : memref<2xi64> = dense<[8, 16]>
// CHECK-LABEL: func.func @uneven(
// CHECK:       %[[HELD:.*]] = memref.view {{.*}} to memref<32xf32>
// CHECK:       %[[HIDDEN:.*]] = memref.view {{.*}} to memref<192xf32>
// CHECK:       memref.get_global @in_widths :
// CHECK:       memref.load %[[HELD]]
// CHECK:       memref.get_global @out_starts :
// CHECK:       vector.store %{{.*}}, %[[HIDDEN]]
// CHECK:       memref.get_global @in_starts_1 :
// CHECK:       memref.load %[[HIDDEN]]
// CHECK:       memref.get_global @out_starts_1 :
// CHECK:       return
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <[3, 5]>, weights = <[3, 5]>, out = <[16, 32]>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <[16, 32]>, weights = <[16, 32]>, out = <[8, 16]>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 16, lanes = 8,
                            weights = direct>
#of_result = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 8, lanes = 8,
                            weights = direct>
tile.kernel @uneven(%x: !tile.matrix<?x8xf32>, %w: !tile.matrix<8x48xf32>,
                    %w2: !tile.matrix<48x24xf32>, %y: !tile.matrix<?x24xf32>)
    attributes {layout = #layout, schedule = #of_result} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %held = tile.layer attributes {layout = #hidden, schedule = #of_hidden} -> !tile.buffer<4x8xf32> {
      %rows = tile.hold %x[%i, %r] : !tile.matrix<?x8xf32> -> !tile.buffer<4x8xf32>
      tile.yield %rows : !tile.buffer<4x8xf32>
    }
    %hidden = tile.buffer : !tile.buffer<4x48xf32>
    tile.for (%j) over [<groups, 1>] {
      tile.for (%t) over [<types, 1>] {
        tile.terms (%k, %b, %c) of (%t, %j) {
          tile.once (%t, %k) {
            tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
              tile.for (%n, %s) over [<columns, 16>, <rows, 2>] {
                %zero = tile.zero : !tile.fragment<2x16xf32>
                %sum = tile.terms (%k1, %b1, %c1) of (%t, %k) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
                  %next = tile.mma %held[%t, %k1, %s], %w[%b1, %k, %n], %acc
                      : !tile.buffer<4x8xf32>, !tile.matrix<8x48xf32>, !tile.fragment<2x16xf32>
                  tile.yield %next : !tile.fragment<2x16xf32>
                }
                %mask = tile.mask rows(%t, %s) columns(%k, %n) : !tile.mask<2x16>
                tile.store_held %sum to %hidden[%t, %s, %k, %n] mask %mask
                    : !tile.fragment<2x16xf32>, !tile.buffer<4x48xf32>, !tile.mask<2x16>
              }
            }
          }
        }
      }
      tile.for (%n) over [<columns, 8>] {
        tile.for (%t, %s) over [<types, 1>, <rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x8xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x8xf32> {
            %next = tile.mma %hidden[%t, %k, %s], %w2[%b, %j, %n], %acc
                : !tile.buffer<4x48xf32>, !tile.matrix<48x24xf32>, !tile.fragment<2x8xf32>
            tile.yield %next : !tile.fragment<2x8xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x8>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x8xf32>, !tile.matrix<?x24xf32>, !tile.mask<2x8>
        }
      }
    }
  }
}

// -----

// The weight matrices of either layer are packed by a kernel of that layer, with its layout, and each says how large what it writes
// is: two panels for each of two groups, with 8 depths of 16 floats in each.
// CHECK-LABEL: func.func @pack(
// CHECK-SAME:  tile.packed_bytes = 2048 : i64
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 24>, weights = <2 x 24>, out = <2 x 8>,
                       row_types = <cyclic 2>>
tile.kernel @pack(%w: !tile.matrix<8x48xf32>, %packed: !tile.matrix<8x48xf32, panels 16 x 1>) attributes {layout = #hidden,
    schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 16, lanes = 8, weights = packed>} {
  tile.forall (%b) over [<weight_rows, 1>] {
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.copy %w[%b, %j, %n] to %packed : !tile.matrix<8x48xf32> to !tile.matrix<8x48xf32, panels 16 x 1>
    }
  }
}

// One panel for each of two groups, with 48 depths of 8 floats.
// CHECK-LABEL: func.func @pack_next(
// CHECK-SAME:  tile.packed_bytes = 3072 : i64
tile.kernel @pack_next(%w: !tile.matrix<48x16xf32>, %packed: !tile.matrix<48x16xf32, panels 8 x 1>) attributes {layout = #layout,
    schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 8, lanes = 8, weights = packed>} {
  tile.forall (%b) over [<weight_rows, 1>] {
    tile.for (%j, %n) over [<groups, 1>, <columns, 8>] {
      tile.copy %w[%b, %j, %n] to %packed : !tile.matrix<48x16xf32> to !tile.matrix<48x16xf32, panels 8 x 1>
    }
  }
}

// -----

// The second layer reads pairs of depths, and a hidden group has five: what fills up the last pair of each row is set to zero when a
// task begins, and the first layer stores nothing there.
// CHECK-LABEL: func.func @odd_groups(
// CHECK:       %[[HIDDEN:.*]] = memref.view %arg1[%c{{.*}}][] : memref<?xi8> to memref<48xi16>
// CHECK:       scf.for %{{.*}} = %c0 to %c2 step %c1 {
// CHECK:         scf.for %{{.*}} = %c0 to %c4 step %c1 {
// CHECK:           vector.store %{{.*}}, %[[HIDDEN]][{{.*}}] : memref<48xi16>, vector<2xi16>
// CHECK:       scf.for %{{.*}} = %c0 to %c4 step %c2
// CHECK:       vector.maskedstore %[[HIDDEN]]
// CHECK:       scf.for %{{.*}} = %c0 to %c6 step %c2
// CHECK:         vector.load %[[HIDDEN]][{{.*}}] : memref<48xi16>, vector<2xi16>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 5>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 5>, weights = <2 x 5>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 16, lanes = 16,
                            weights = packed>
#of_result = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 16, lanes = 16,
                            weights = packed>
tile.kernel @odd_groups(%x: !tile.matrix<?x8xbf16>, %w: !tile.matrix<8x10xbf16, panels 16 x 2>,
                        %w2: !tile.matrix<10x32xbf16, panels 16 x 2>, %y: !tile.matrix<?x32xf32>)
    attributes {layout = #layout, schedule = #of_result} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %held = tile.layer attributes {layout = #hidden, schedule = #of_hidden} -> !tile.buffer<4x8xbf16> {
      %rows = tile.hold %x[%i, %r] : !tile.matrix<?x8xbf16> -> !tile.buffer<4x8xbf16>
      tile.yield %rows : !tile.buffer<4x8xbf16>
    }
    %hidden = tile.buffer : !tile.buffer<4x10xbf16>
    tile.for (%j) over [<groups, 1>] {
      tile.for (%t) over [<types, 1>] {
        tile.terms (%k, %b, %c) of (%t, %j) {
          tile.once (%t, %k) {
            tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
              tile.for (%n, %s) over [<columns, 16>, <rows, 2>] {
                %zero = tile.zero : !tile.fragment<2x16xf32>
                %sum = tile.terms (%k1, %b1, %c1) of (%t, %k) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
                  %next = tile.mma %held[%t, %k1, %s], %w[%b1, %k, %n], %acc
                      : !tile.buffer<4x8xbf16>, !tile.matrix<8x10xbf16, panels 16 x 2>, !tile.fragment<2x16xf32>
                  tile.yield %next : !tile.fragment<2x16xf32>
                }
                %half = tile.map (%v = %sum : !tile.fragment<2x16xf32>) -> !tile.fragment<2x16xbf16> {
                  %rounded = arith.truncf %v : f32 to bf16
                  tile.yield %rounded : bf16
                }
                %mask = tile.mask rows(%t, %s) columns(%k, %n) : !tile.mask<2x16>
                tile.store_held %half to %hidden[%t, %s, %k, %n] mask %mask
                    : !tile.fragment<2x16xbf16>, !tile.buffer<4x10xbf16>, !tile.mask<2x16>
              }
            }
          }
        }
      }
      tile.for (%n) over [<columns, 16>] {
        tile.for (%t, %s) over [<types, 1>, <rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %hidden[%t, %k, %s], %w2[%b, %j, %n], %acc
                : !tile.buffer<4x10xbf16>, !tile.matrix<10x32xbf16, panels 16 x 2>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x32xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}
