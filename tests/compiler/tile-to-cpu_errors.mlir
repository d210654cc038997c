// What the CPU target cannot lower is refused where it stands.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-cpu

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 5>, weights = <2 x 5>, out = <2 x 32>,
                       row_types = <cyclic 2>>
tile.kernel @narrow_pairs(%x: !tile.matrix<?x10xbf16>, %w: !tile.matrix<10x64xbf16, panels 16 x 2>, %y: !tile.matrix<?x64xbf16>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = packed>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x10xbf16> -> !tile.buffer<4x10xbf16>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            // expected-error @+1 {{multiplies bf16 pairs in vectors of 16 lanes only, the schedule has 8}}
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc
                : !tile.buffer<4x10xbf16>, !tile.matrix<10x64xbf16, panels 16 x 2>, !tile.fragment<2x16xf32>
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

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 5>, weights = <2 x 5>, out = <2 x 32>,
                       row_types = <cyclic 2>>
tile.kernel @held_halves(%x: !tile.matrix<?x10xbf16>, %w: !tile.matrix<10x64xbf16>, %y: !tile.matrix<?x64xbf16>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x10xbf16> -> !tile.buffer<4x10xbf16>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            // expected-error @+1 {{multiplies stationary rows of f32 unless the weight matrix comes in bf16 pairs}}
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc
                : !tile.buffer<4x10xbf16>, !tile.matrix<10x64xbf16>, !tile.fragment<2x16xf32>
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

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 5>, weights = <2 x 5>, out = <2 x 32>,
                       row_types = <cyclic 2>>
tile.kernel @plain_buffer(%x: !tile.matrix<?x10xf32>, %w: !tile.matrix<10x64xf32>, %y: !tile.matrix<?x64xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x10xf32> -> !tile.buffer<4x10xf32>
    // expected-error @+1 {{has rows of 16 columns, but those that its layer multiplies have 10; rows of a matrix are held by tile.hold}}
    %stage = tile.buffer : !tile.buffer<10x16xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc
                : !tile.buffer<4x10xf32>, !tile.matrix<10x64xf32>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x64xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 5>, weights = <2 x 5>, out = <2 x 32>,
                       row_types = <cyclic 2>>
tile.kernel @narrowing_copy(%x: !tile.matrix<?x10xf32>, %w: !tile.matrix<10x64xf32>, %y: !tile.matrix<?x64xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = copied>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x10xf32> -> !tile.buffer<4x10xf32>
    %stage = tile.buffer : !tile.buffer<10x16xbf16, panels 16 x 1>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.terms (%k, %b, %c) of (%t, %j) {
          // expected-error @+1 {{cannot convert elements on the way}}
          tile.copy %w[%b, %j, %n] to %stage : !tile.matrix<10x64xf32> to !tile.buffer<10x16xbf16, panels 16 x 1>
        }
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %stage[%b, %j, %n], %acc
                : !tile.buffer<4x10xf32>, !tile.buffer<10x16xbf16, panels 16 x 1>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x64xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 5>, weights = <2 x 5>, out = <2 x 32>,
                       row_types = <cyclic 2>>
tile.kernel @reducing_map(%x: !tile.matrix<?x10xf32>, %w: !tile.matrix<10x64xf32>, %y: !tile.matrix<?x64xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x10xf32> -> !tile.buffer<4x10xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc
                : !tile.buffer<4x10xf32>, !tile.matrix<10x64xf32>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %h = tile.map (%v = %sum : !tile.fragment<2x16xf32>) -> !tile.fragment<2x16xf32> {
            // expected-error @+1 {{is no scalar code of arith or math, so tile.map cannot apply it to elements}}
            %p = builtin.unrealized_conversion_cast %v : f32 to f32
            tile.yield %p : f32
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %h to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x64xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 5>, weights = <2 x 5>, out = <2 x 32>,
                       row_types = <cyclic 2>>
tile.kernel @foreign(%x: !tile.matrix<?x10xf32>, %w: !tile.matrix<10x64xf32>, %y: !tile.matrix<?x64xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x10xf32> -> !tile.buffer<4x10xf32>
    // expected-error @+1 {{is not something that the CPU target can lower}}
    %a = memref.alloc() : memref<4xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc
                : !tile.buffer<4x10xf32>, !tile.matrix<10x64xf32>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x64xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 32>,
                       row_types = <cyclic 2>>
// expected-error @+1 {{has operands that come in stages; the CPU target lowers kernels with a #tile.schedule}}
tile.kernel @staged(%x: !tile.matrix<?x16xbf16>) attributes {layout = #layout,
    schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 16, stages = 3>} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 32>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 32>,
                       row_types = <cyclic 2>>
tile.kernel @in_place(%x: !tile.matrix<?x16xf32>, %w: !tile.matrix<16x64xf32>) attributes {layout = #layout,
    schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t, %s) over [<types, 1>, <rows, 8>] {
        %zero = tile.zero : !tile.fragment<8x16xf32>
        // expected-error @+1 {{multiplies stationary rows on a CPU: bring them with tile.hold}}
        %sum = tile.mma %x[%t, %j, %s], %w[%j, %j, %n], %zero
            : !tile.matrix<?x16xf32>, !tile.matrix<16x64xf32>, !tile.fragment<8x16xf32>
      }
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 32>, weights = <2 x 32>, out = <2 x 8>,
                       row_types = <cyclic 2>, mode = i>
tile.kernel @transposed_in_place(%dy: !tile.matrix<?x64xf32>, %w: !tile.matrix<16x64xf32>) attributes {layout = #layout,
    schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    %held = tile.hold %dy[%i, %r] : !tile.matrix<?x64xf32> -> !tile.buffer<8x64xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t, %s) over [<types, 1>, <rows, 8>] {
        %zero = tile.zero : !tile.fragment<8x16xf32>
        // expected-error @+1 {{cannot multiply by a transposed weight matrix in place: copy its blocks first}}
        %sum = tile.mma %held[%t, %j, %s], %w[%j, %j, %n], %zero
            : !tile.buffer<8x64xf32>, !tile.matrix<16x64xf32>, !tile.fragment<8x16xf32>
      }
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 32>, weights = <2 x 32>, out = <2 x 8>,
                       row_types = <cyclic 2>, mode = i>
tile.kernel @packs(%w: !tile.matrix<16x64xf32>, %packed: !tile.matrix<64x16xf32, panels 16 x 1>) attributes {layout = #layout,
    schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>} {
  tile.forall (%b) over [<weight_rows, 1>] {
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      // expected-error @+1 {{packs no transposed weight matrix: kernels of mode i copy its blocks when they need them}}
      tile.copy %w[%b, %j, %n] to %packed : !tile.matrix<16x64xf32> to !tile.matrix<64x16xf32, panels 16 x 1>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 32>, weights = <2 x 32>, out = <2 x 8>,
                       row_types = <cyclic 2>, mode = i>
tile.kernel @lanes(%dy: !tile.matrix<?x64xf32>, %w: !tile.matrix<16x64xf32>) attributes {layout = #layout,
    schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 12, lanes = 12, weights = copied>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    %stage = tile.buffer : !tile.buffer<64x12xf32, panels 12 x 1>
    tile.for (%j, %n) over [<groups, 1>, <columns, 12>] {
      // expected-error @+1 {{transposes squares of a power of two, the schedule has 12 lanes}}
      tile.copy %w[%j, %j, %n] to %stage : !tile.matrix<16x64xf32> to !tile.buffer<64x12xf32, panels 12 x 1>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @narrow_pairs_of_rows(%x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x48xbf16>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x8xbf16, panels 4 x 2>
    %dys = tile.buffer : !tile.buffer<32x16xbf16, panels 16 x 2>
    %sum = tile.zero : !tile.fragment<4x16xf32>
    tile.weight_terms (%t, %k, %o, %c) of (%b, %j) {
      // expected-error @+1 {{multiplies bf16 pairs in vectors of 16 lanes only, the schedule has 8}}
      %next = tile.outer %xs[%f], %dys[%n] rows(%t, %b), %sum : !tile.buffer<32x8xbf16, panels 4 x 2>, !tile.buffer<32x16xbf16, panels 16 x 2>, !tile.fragment<4x16xf32>
    }
  }
}
