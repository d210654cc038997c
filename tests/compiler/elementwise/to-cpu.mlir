// RUN: alg-opt %s --expand-math --convert-elementwise-to-cpu=lanes=8 --canonicalize --cse | FileCheck %s
// RUN: alg-opt %s --expand-math --convert-elementwise-to-cpu=lanes=16 --vector-to-llvm | FileCheck %s --check-prefix=LLVM

// Vectors, then what is left of a row one by one. A task is whole rows.
// CHECK-LABEL: func.func @double(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64)
// CHECK-SAME:    tile.task = array<i64: 163, 0>
// CHECK:         llvm.load %{{.*}} -> vector<8xi16>
// CHECK:         arith.extf %{{.*}} : vector<8xbf16> to vector<8xf32>
// CHECK:         llvm.store %{{.*}} : vector<8xf32>
// CHECK:         llvm.load %{{.*}} -> i16
// CHECK:         llvm.store %{{.*}} : f32
// LLVM-LABEL: llvm.func @double
// LLVM:         llvm.load %{{.*}} -> vector<16xi16>
tile.elementwise @double over [?, 100] (%x: bf16 per <element>) {
  %wide = arith.extf %x : bf16 to f32
  %y = arith.addf %wide, %wide : f32
  tile.put %y : f32
}

// Rows are read once each, whose sums are f64: four vectors side by side.
// CHECK-LABEL: func.func @sums
// CHECK-SAME:    tile.task = array<i64: 8, 0>
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.for {{.*}} -> (vector<8xf64>, vector<8xf64>, vector<8xf64>, vector<8xf64>)
// CHECK:           vector.reduction <add>, %{{.*}} : vector<8xf64> into f64
// CHECK:           arith.truncf %{{.*}} : f64 to f32
tile.elementwise @sums over [?, 2048] (%x: f32 per <element>) {
  tile.sum %x per <row> into f32
}

// Columns are summed in memory of the task.
// CHECK-LABEL: func.func @column_sums
// CHECK-SAME:    tile.task = array<i64: 0, 256>
// CHECK:         llvm.alloca %{{.*}} x f64 {alignment = 64 : i64}
tile.elementwise @column_sums over [?, 2048] (%x: f32 per <element>) {
  tile.sum %x per <column> into bf16
}

// CHECK-LABEL: func.func @largest
// CHECK-SAME:    tile.task = array<i64: 0, 0>
// CHECK:         vector.reduction <maximumf>
tile.elementwise @largest over [?, 2048] (%x: f32 per <element>) {
  tile.maximum %x per <call> into f32
}

// One number for each row of a batch: columns of a single row.
// CHECK-LABEL: func.func @statistics
// CHECK-SAME:    tile.task = array<i64: 1, 16384>
tile.elementwise @statistics over [?] (%x: f32 per <element>) {
  %y = math.exp %x : f32
  tile.put %y : f32
}

// What a result held is read where it counts.
// CHECK-LABEL: func.func @held(
// CHECK: %[[COUNTS:.*]] = arith.cmpf une, %{{.*}}, %{{.*}} : f32
// CHECK: scf.if %[[COUNTS]] -> (f64) {
// CHECK: arith.mulf {{.*}} : f64
// CHECK: arith.addf {{.*}} : f64
tile.elementwise @held over [?, 64] (%x: f32 per <element>, %beta: f32 per <call>) {
  tile.sum %x per <column> into f32 held by %beta
}
