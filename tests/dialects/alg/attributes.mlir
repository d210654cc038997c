// RUN: alg-opt %s | FileCheck %s
// RUN: alg-opt %s | alg-opt | FileCheck %s

// Facts are derived, whether they are written or not.
// CHECK-DAG: #[[Q32:.*]] = #alg.algebra<"Q(32)", associative = true, unital = true, rank = [2016, 2016]>
// CHECK-DAG: #[[SQUARE:.*]] = #alg.algebra<"Q(2)^2*M(4)", associative = true, unital = true, rank = [{{[0-9]+}}, {{[0-9]+}}]>
// CHECK-DAG: #[[GRAPH:.*]] = #alg.algebra<"graph(3; 0->1, 1->2)", associative = true, unital = true, rank = [7, 7]>
// CHECK-DAG: #[[FINITE:.*]] = #alg.algebra<"Q(2)", field = "GF(7)", associative = true, unital = true, rank = [6, 6]>
// CHECK-DAG: #[[TABLE:.*]] = #alg.algebra<"table({{.*}}'dimension':2{{.*}})", associative = true, unital = true, rank = [{{[0-9]+}}, {{[0-9]+}}]>
// CHECK-DAG: #[[QUIVER:.*]] = #alg.algebra<"quiver('a:1->2, b:2->3', relations='a*b')", associative = true, unital = true, rank = [{{[0-9]+}}, {{[0-9]+}}]>
// CHECK-DAG: #[[PATHS:.*]] = #alg.algebra<"path_algebra(path(4), 3)", associative = true, unital = true, rank = [{{[0-9]+}}, {{[0-9]+}}]>
// CHECK-DAG: #[[POSET:.*]] = #alg.algebra<"poset(4; 0->1, 0->2, 1->3, 2->3)", associative = true, unital = true, rank = [{{[0-9]+}}, {{[0-9]+}}]>
// CHECK-DAG: #[[LOOSE:.*]] = #alg.algebra<"table({{.*}})", associative = false, unital = false, rank = [?, 2], allow_nonassociative>

// CHECK-LABEL: @algebras
func.func private @algebras() attributes {
  // CHECK-SAME: algebra = #[[Q32]]
  // CHECK-SAME: finite = #[[FINITE]]
  // CHECK-SAME: graph = #[[GRAPH]]
  // CHECK-SAME: loose = #[[LOOSE]]
  // CHECK-SAME: paths = #[[PATHS]]
  // CHECK-SAME: poset = #[[POSET]]
  // CHECK-SAME: quiver = #[[QUIVER]]
  // CHECK-SAME: square = #[[SQUARE]]
  // CHECK-SAME: stated = #[[Q32]]
  // CHECK-SAME: table = #[[TABLE]]
  // CHECK-SAME: tame = #[[Q32]]
  algebra = #alg.algebra<"Q(32)">,
  stated = #alg.algebra<"Q(32)", associative = true, unital = true, rank = [2016, 2016]>,
  tame = #alg.algebra<" Q( 32 ) ", allow_nonassociative>,
  square = #alg.algebra<"Q(2)*Q(2)*M(4)">,
  graph = #alg.algebra<"graph(3; 1->2, 0->1)">,
  finite = #alg.algebra<"Q(2)", field = "GF(7)">,
  table = #alg.algebra<"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1']]})">,
  quiver = #alg.algebra<"quiver('a:1->2, b:2->3', relations='a*b')">,
  paths = #alg.algebra<"path_algebra(path(4), 3)">,
  poset = #alg.algebra<"poset(4; 0->1, 1->3, 0->2, 2->3)">,
  loose = #alg.algebra<"table({'dimension':2,'constants':[[0,0,1,'1'],[1,0,0,'1']]})", allow_nonassociative>
}

// CHECK-LABEL: @groups
func.func private @groups() attributes {
  // CHECK-SAME: equal = #alg.groups<32 x 64>
  // CHECK-SAME: many = #alg.groups<1000000000000 x 64>
  // CHECK-SAME: same = #alg.groups<3 x 5>
  // CHECK-SAME: unequal = #alg.groups<[640, 512, 896]>
  equal = #alg.groups<32 x 64>,
  unequal = #alg.groups<[640, 512, 896]>,
  same = #alg.groups<[5, 5, 5]>,
  many = #alg.groups<1000000000000 x 64>
}

// CHECK-LABEL: @row_types
func.func private @row_types() attributes {
  // CHECK-SAME: cyclic = #alg.row_types<cyclic 32>
  // CHECK-SAME: explicit = #alg.row_types<explicit 4>
  // CHECK-SAME: interval = #alg.row_types<interval 4 x 192>
  // CHECK-SAME: interval_of_one = #alg.row_types<cyclic 4>
  cyclic = #alg.row_types<cyclic 32>,
  interval = #alg.row_types<interval 4 x 192>,
  interval_of_one = #alg.row_types<interval 4 x 1>,
  explicit = #alg.row_types<explicit 4>
}

#in = #alg.groups<[2, 4]>
#tau = #alg.row_types<cyclic 2>

// Attributes may stand where their contents may.
// CHECK-LABEL: @named
func.func private @named(!alg.slots<?x6xf32, rows(#tau), cols(#in)>) -> !alg.slots<6x4xf32, rows(#in), cols(#alg.groups<2 x 2>)>
