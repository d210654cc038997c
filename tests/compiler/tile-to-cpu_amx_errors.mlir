// What kernels of the matrix unit of AMX cannot be.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-cpu

// The unit adds products as they are.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 40>, weights = <2 x 40>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 16, register_rows = 16, register_columns = 16, lanes = 16, weights = packed, unit = amx>
tile.kernel @scaled(%x: !tile.matrix<?x80xbf16>, %w: !tile.matrix<80x32xbf16, panels 16 x 2>, %y: !tile.matrix<?x32xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 16>, <groups, 0>] {
    %held = tile.hold %x[%i, %r] : !tile.matrix<?x80xbf16> -> !tile.buffer<16x80xbf16>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t, %s) over [<types, 1>, <rows, 16>] {
        %zero = tile.zero : !tile.fragment<16x16xf32>
        %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<16x16xf32> {
          // expected-error @+1 {{has coefficients; AMX adds products as they are}}
          %next = tile.mma %held[%t, %k, %s], %w[%b, %j, %n], %acc scale %c signs
              : !tile.buffer<16x80xbf16>, !tile.matrix<80x32xbf16, panels 16 x 2>, !tile.fragment<16x16xf32>
          tile.yield %next : !tile.fragment<16x16xf32>
        }
        %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<16x16>
        tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<16x16xf32>, !tile.matrix<?x32xf32>, !tile.mask<16x16>
      }
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 40>, weights = <2 x 40>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 16, register_rows = 16, register_columns = 16, lanes = 16, weights = packed, unit = amx>
tile.kernel @single_depths(%x: !tile.matrix<?x80xbf16>, %w: !tile.matrix<80x32xbf16, panels 16 x 1>, %y: !tile.matrix<?x32xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 16>, <groups, 0>] {
    %held = tile.hold %x[%i, %r] : !tile.matrix<?x80xbf16> -> !tile.buffer<16x80xbf16>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t, %s) over [<types, 1>, <rows, 16>] {
        %zero = tile.zero : !tile.fragment<16x16xf32>
        %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<16x16xf32> {
          // expected-error @+1 {{multiplies by AMX, which takes rows of bf16 and panels of bf16 pairs}}
          %next = tile.mma %held[%t, %k, %s], %w[%b, %j, %n], %acc
              : !tile.buffer<16x80xbf16>, !tile.matrix<80x32xbf16, panels 16 x 1>, !tile.fragment<16x16xf32>
          tile.yield %next : !tile.fragment<16x16xf32>
        }
        %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<16x16>
        tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<16x16xf32>, !tile.matrix<?x32xf32>, !tile.mask<16x16>
      }
    }
  }
}

// -----

// Sums begin in registers of the unit, which nothing but products writes.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 40>, weights = <2 x 40>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 16, register_rows = 16, register_columns = 16, lanes = 16, weights = packed, unit = amx>
tile.kernel @begun(%x: !tile.matrix<?x80xbf16>, %w: !tile.matrix<80x32xbf16, panels 16 x 2>, %y: !tile.matrix<?x32xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 16>, <groups, 0>] {
    %held = tile.hold %x[%i, %r] : !tile.matrix<?x80xbf16> -> !tile.buffer<16x80xbf16>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t, %s) over [<types, 1>, <rows, 16>] {
        %zero = tile.zero : !tile.fragment<16x16xf32>
        %begun = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<16x16xf32> {
          %next = tile.mma %held[%t, %k, %s], %w[%b, %j, %n], %acc
              : !tile.buffer<16x80xbf16>, !tile.matrix<80x32xbf16, panels 16 x 2>, !tile.fragment<16x16xf32>
          tile.yield %next : !tile.fragment<16x16xf32>
        }
        // expected-error @+1 {{begins with sums that are not zero, which AMX does not read on the CPU target}}
        %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %begun) : !tile.fragment<16x16xf32> {
          %next = tile.mma %held[%t, %k, %s], %w[%b, %j, %n], %acc
              : !tile.buffer<16x80xbf16>, !tile.matrix<80x32xbf16, panels 16 x 2>, !tile.fragment<16x16xf32>
          tile.yield %next : !tile.fragment<16x16xf32>
        }
        %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<16x16>
        tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<16x16xf32>, !tile.matrix<?x32xf32>, !tile.mask<16x16>
      }
    }
  }
}

// -----

// A row that is mapped is stored, and then there is the next one.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 40>, weights = <2 x 40>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 16, register_rows = 16, register_columns = 16, lanes = 16, weights = packed, unit = amx>
tile.kernel @kept(%x: !tile.matrix<?x80xbf16>, %w: !tile.matrix<80x32xbf16, panels 16 x 2>, %y: !tile.matrix<?x32xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 16>, <groups, 0>] {
    %held = tile.hold %x[%i, %r] : !tile.matrix<?x80xbf16> -> !tile.buffer<16x80xbf16>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t, %s) over [<types, 1>, <rows, 16>] {
        %zero = tile.zero : !tile.fragment<16x16xf32>
        %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<16x16xf32> {
          %next = tile.mma %held[%t, %k, %s], %w[%b, %j, %n], %acc
              : !tile.buffer<16x80xbf16>, !tile.matrix<80x32xbf16, panels 16 x 2>, !tile.fragment<16x16xf32>
          tile.yield %next : !tile.fragment<16x16xf32>
        }
        // expected-error @+1 {{is read behind other operations; with AMX its rows are gone by then}}
        %doubled = tile.map (%a = %sum : !tile.fragment<16x16xf32>) -> !tile.fragment<16x16xf32> {
          %d = arith.addf %a, %a : f32
          tile.yield %d : f32
        }
        %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<16x16>
        tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<16x16xf32>, !tile.matrix<?x32xf32>, !tile.mask<16x16>
        %other = tile.map (%a = %doubled : !tile.fragment<16x16xf32>) -> !tile.fragment<16x16xf32> {
          tile.yield %a : f32
        }
        tile.store %other to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<16x16xf32>, !tile.matrix<?x32xf32>, !tile.mask<16x16>
      }
    }
  }
}

// -----

// The registers of the unit hold one register tile.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 16>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 16, register_columns = 16, lanes = 16, weights = copied, unit = amx>
tile.kernel @gradient(%x: !tile.matrix<?x32xbf16>, %dy: !tile.matrix<?x32xbf16>, %dw: !tile.matrix<32x32xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 16>, <groups, 1>, <columns, 16>] {
    %sums = tile.buffer : !tile.buffer<16x16xf32>
    %xs = tile.buffer : !tile.buffer<32x16xbf16, panels 16 x 32>
    %dys = tile.buffer : !tile.buffer<32x16xbf16, panels 16 x 2>
    tile.weight_terms (%t, %k, %o, %c) of (%b, %j) {
      tile.for (%s) over [<rows, 32>] {
        tile.for (%m, %h) over [<columns, 16>, <features, 16>] {
          %one = tile.load %sums[%h, %m] : !tile.buffer<16x16xf32> -> !tile.fragment<16x16xf32>
          %two = tile.load %sums[%h, %m] : !tile.buffer<16x16xf32> -> !tile.fragment<16x16xf32>
          // expected-error @+1 {{adds by AMX to sums that its registers do not hold}}
          %next = tile.outer %xs[%h], %dys[%m] rows(%t, %s), %one : !tile.buffer<32x16xbf16, panels 16 x 32>, !tile.buffer<32x16xbf16, panels 16 x 2>, !tile.fragment<16x16xf32>
          %other = tile.outer %xs[%h], %dys[%m] rows(%t, %s), %two : !tile.buffer<32x16xbf16, panels 16 x 32>, !tile.buffer<32x16xbf16, panels 16 x 2>, !tile.fragment<16x16xf32>
        }
      }
    }
  }
}

// -----

// They have gone on to the next sums by then.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 16>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 16, register_columns = 16, lanes = 16, weights = copied, unit = amx>
tile.kernel @gradient(%x: !tile.matrix<?x32xbf16>, %dy: !tile.matrix<?x32xbf16>, %dw: !tile.matrix<32x32xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 16>, <groups, 1>, <columns, 16>] {
    %sums = tile.buffer : !tile.buffer<16x16xf32>
    %xs = tile.buffer : !tile.buffer<32x16xbf16, panels 16 x 32>
    %dys = tile.buffer : !tile.buffer<32x16xbf16, panels 16 x 2>
    tile.weight_terms (%t, %k, %o, %c) of (%b, %j) {
      tile.for (%s) over [<rows, 32>] {
        tile.for (%m, %h) over [<columns, 16>, <features, 16>] {
          %one = tile.load %sums[%h, %m] : !tile.buffer<16x16xf32> -> !tile.fragment<16x16xf32>
          %next = tile.outer %xs[%h], %dys[%m] rows(%t, %s), %one : !tile.buffer<32x16xbf16, panels 16 x 32>, !tile.buffer<32x16xbf16, panels 16 x 2>, !tile.fragment<16x16xf32>
          %two = tile.load %sums[%h, %m] : !tile.buffer<16x16xf32> -> !tile.fragment<16x16xf32>
          %other = tile.outer %xs[%h], %dys[%m] rows(%t, %s), %two : !tile.buffer<32x16xbf16, panels 16 x 32>, !tile.buffer<32x16xbf16, panels 16 x 2>, !tile.fragment<16x16xf32>
          // expected-error @+1 {{keeps sums that the registers of AMX do not hold any more}}
          tile.keep %next to %sums[%h, %m] : !tile.fragment<16x16xf32> to !tile.buffer<16x16xf32>
        }
      }
    }
  }
}

// -----

// Rows are stored out of a buffer.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 16>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 16, register_columns = 16, lanes = 16, weights = copied, unit = amx>
tile.kernel @gradient(%x: !tile.matrix<?x32xbf16>, %dy: !tile.matrix<?x32xbf16>, %dw: !tile.matrix<32x32xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 16>, <groups, 1>, <columns, 16>] {
    %sums = tile.buffer : !tile.buffer<16x16xf32>
    %xs = tile.buffer : !tile.buffer<32x16xbf16, panels 16 x 32>
    %dys = tile.buffer : !tile.buffer<32x16xbf16, panels 16 x 2>
    tile.weight_terms (%t, %k, %o, %c) of (%b, %j) {
      tile.for (%s) over [<rows, 32>] {
        tile.for (%m, %h) over [<columns, 16>, <features, 16>] {
          %one = tile.load %sums[%h, %m] : !tile.buffer<16x16xf32> -> !tile.fragment<16x16xf32>
          %next = tile.outer %xs[%h], %dys[%m] rows(%t, %s), %one : !tile.buffer<32x16xbf16, panels 16 x 32>, !tile.buffer<32x16xbf16, panels 16 x 2>, !tile.fragment<16x16xf32>
          // expected-error @+1 {{stores sums of AMX that are not loaded from a buffer}}
          tile.store_weights %next to %dw[%b, %h, %j, %m] : !tile.fragment<16x16xf32> to !tile.matrix<32x32xf32>
        }
      }
    }
  }
}

// -----

// Zeros on their way to a buffer are in the registers, too.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 16>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 16, register_columns = 16, lanes = 16, weights = copied, unit = amx>
tile.kernel @gradient(%x: !tile.matrix<?x32xbf16>, %dy: !tile.matrix<?x32xbf16>, %dw: !tile.matrix<32x32xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 16>, <groups, 1>, <columns, 16>] {
    %sums = tile.buffer : !tile.buffer<16x16xf32>
    %xs = tile.buffer : !tile.buffer<32x16xbf16, panels 16 x 32>
    %dys = tile.buffer : !tile.buffer<32x16xbf16, panels 16 x 2>
    tile.weight_terms (%t, %k, %o, %c) of (%b, %j) {
      tile.for (%s) over [<rows, 32>] {
        tile.for (%m, %h) over [<columns, 16>, <features, 16>] {
          %one = tile.load %sums[%h, %m] : !tile.buffer<16x16xf32> -> !tile.fragment<16x16xf32>
          %zero = tile.zero : !tile.fragment<16x16xf32>
          tile.keep %zero to %sums[%h, %m] : !tile.fragment<16x16xf32> to !tile.buffer<16x16xf32>
          // expected-error @+1 {{adds by AMX to sums that its registers do not hold}}
          %next = tile.outer %xs[%h], %dys[%m] rows(%t, %s), %one : !tile.buffer<32x16xbf16, panels 16 x 32>, !tile.buffer<32x16xbf16, panels 16 x 2>, !tile.fragment<16x16xf32>
        }
      }
    }
  }
}
