// RUN: alg-opt %s -verify-diagnostics -split-input-file

// expected-error @+2 {{rank is stated as [2015, 2016], but [2016, 2016] is derived}}
func.func private @rank() attributes {
  a = #alg.algebra<"Q(32)", rank = [2015, 2016]>}

// -----

// expected-error @+1 {{associative is stated as false, but true is derived}}
func.func private @associative() attributes {a = #alg.algebra<"M(3)", associative = false>}

// -----

// expected-error @+1 {{unital is stated as false, but true is derived}}
func.func private @unital() attributes {a = #alg.algebra<"T(3)", unital = false>}

// -----

// expected-error @+1 {{is not associative: (b0 b0) b0 and b0 (b0 b0) differ in the coefficient of b0; allow_nonassociative lets it pass}}
func.func private @loose() attributes {a = #alg.algebra<"table({'dimension':2,'constants':[[0,0,1,'1'],[1,0,0,'1']]})">}

// -----

// expected-error @+1 {{'degree' is not known of an algebra; there are field, associative, unital, rank and allow_nonassociative}}
func.func private @key() attributes {a = #alg.algebra<"Q(2)", degree = 4>}

// -----

// expected-error @+1 {{expected true or false, found 'maybe'}}
func.func private @word() attributes {a = #alg.algebra<"Q(2)", unital = maybe>}

// -----

// expected-error @+1 {{GF(8)}}
func.func private @field() attributes {a = #alg.algebra<"Q(2)", field = "GF(8)">}

// -----

// expected-error @+1 {{at least one group, got 0}}
func.func private @no_groups() attributes {a = #alg.groups<0 x 64>}

// -----

// expected-error @+1 {{at least one group, got 0}}
func.func private @no_list() attributes {a = #alg.groups<[]>}

// -----

// expected-error @+1 {{a group needs a positive width, got -64}}
func.func private @negative() attributes {a = #alg.groups<32 x -64>}

// -----

// expected-error @+1 {{a group needs a positive width, group 1 has 0}}
func.func private @empty_group() attributes {a = #alg.groups<[640, 0, 896]>}

// -----

// expected-error @+1 {{4294967296 groups of 4294967296 overflow 64 bits}}
func.func private @overflow() attributes {a = #alg.groups<4294967296 x 4294967296>}

// -----

// expected-error @+1 {{the widths of the groups overflow 64 bits}}
func.func private @sum_overflow() attributes {a = #alg.groups<[9223372036854775807, 1]>}

// -----

// expected-error @+1 {{'random' is no schedule of row types; there are cyclic, interval and explicit}}
func.func private @schedule() attributes {a = #alg.row_types<random 4>}

// -----

// expected-error @+1 {{at least one row type, got 0}}
func.func private @no_types() attributes {a = #alg.row_types<cyclic 0>}

// -----

// expected-error @+1 {{an interval needs a positive number of rows, got 0}}
func.func private @no_rows() attributes {a = #alg.row_types<interval 4 x 0>}

// -----

// expected-error @+1 {{4294967296 intervals of 4294967296 rows overflows 64 bits}}
func.func private @period() attributes {a = #alg.row_types<interval 4294967296 x 4294967296>}

// -----

// expected-error @+2 {{'R' is not an algebra}}
// expected-note @+1 {{the algebras are}}
func.func private @expression() attributes {a = #alg.algebra<"Q(2)*R(3)">}

// -----

// expected-error @+1 {{indices count from 0 to 1}}
func.func private @table() attributes {a = #alg.algebra<"table({'dimension':2,'constants':[[0,0,2,'1']]})">}
