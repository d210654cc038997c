// RUN: alg-opt %s | alg-opt | FileCheck %s

// CHECK-LABEL: tile.elementwise @scale over [?, 2048] (%x: bf16 per <element>, %x2: bf16 per <column>, %x3: f32 per <row>, %x4: f32 per <call>)
tile.elementwise @scale over [?, 2048] (%x: bf16 per <element>, %weight: bf16 per <column>, %squares: f32 per <row>, %epsilon: f32 per <call>) {
  %sum = arith.addf %squares, %epsilon : f32
  %factor = math.rsqrt %sum : f32
  %wide = arith.extf %x : bf16 to f32
  %scaled = arith.mulf %wide, %factor : f32
  %w = arith.extf %weight : bf16 to f32
  %y = arith.mulf %scaled, %w : f32
  %rounded = arith.truncf %y : f32 to bf16
  // CHECK: tile.put %{{.*}} : bf16
  tile.put %rounded : bf16
  // CHECK: tile.sum %{{.*}} per <row> into f32
  tile.sum %y per <row> into f32
  // CHECK: tile.maximum %{{.*}} per <row> into bf16
  tile.maximum %y per <row> into bf16
}

// CHECK-LABEL: tile.elementwise @statistics over [?] (%x: f32 per <element>)
tile.elementwise @statistics over [?] (%a: f32 per <element>) {
  tile.put %a : f32
}

// CHECK-LABEL: tile.elementwise @bank over [4, 128, 256] (%x: f32 per <element>)
tile.elementwise @bank over [4, 128, 256] (%a: f32 per <element>) {
  tile.sum %a per <call> into f32
}

// CHECK-LABEL: tile.elementwise @number over [] (%x: f32 per <call>)
tile.elementwise @number over [] (%a: f32 per <call>) {
  tile.put %a : f32
}

// CHECK-LABEL: tile.elementwise @marked over [8, 8] (%x: f32 per <element>) attributes {mark}
tile.elementwise @marked over [8, 8] (%a: f32 per <element>) attributes {mark} {
  tile.sum %a per <column> into bf16
}

// CHECK-LABEL: tile.elementwise @held over [?, 8] (%x: f32 per <element>, %x2: f32 per <call>)
tile.elementwise @held over [?, 8] (%a: f32 per <element>, %beta: f32 per <call>) {
  // CHECK-NEXT: tile.sum %x per <column> into bf16 held by %x2
  tile.sum %a per <column> into bf16 held by %beta
}
