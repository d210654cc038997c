"""sum_of_products.py COUNT: a program of bf16 that adds up so many products of the same rows over Q(2)."""
import sys

count = int(sys.argv[1])
weights = ", ".join(f"%w{i}: tensor<64x64xbf16>" for i in range(count))
products = ", ".join(f"%s{i}" for i in range(count))
numbers = ", ".join(f"%n{i}: f32" for i in range(count))
print('#q = #alg.algebra<"Q(2)">')
print("!x = !alg.slots<?x64xbf16, rows(cyclic 2), cols(2 x 32)>")
print("!sums = !alg.slots<?x64xf32, rows(cyclic 2), cols(2 x 32)>")
print("!w = !alg.slots<64x64xbf16, rows(2 x 32), cols(2 x 32)>")
print(f"func.func @forward(%x: tensor<?x64xbf16>, {weights}, %p0: index) -> tensor<?x64xbf16> {{")
print("  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 32) : tensor<?x64xbf16>")
for i in range(count):
    print(f"  %v{i} = alg.slots %w{i} rows(2 x 32) cols(2 x 32) : tensor<64x64xbf16>")
    print(f"  %s{i} = alg.contract %xs, %v{i} by #q -> k : !x, !w into f32")
print(f"  %ys = alg.map {products} : ({', '.join(['!sums'] * count)}) -> !x {{")
print(f"  ^bb0({numbers}):")
print("    %t0 = arith.addf %n0, %n0 : f32")
for i in range(1, count):
    print(f"    %t{i} = arith.addf %t{i - 1}, %n{i} : f32")
print(f"    %rounded = arith.truncf %t{count - 1} : f32 to bf16")
print("    alg.yield %rounded : bf16")
print("  }")
print("  %y = alg.gather %ys : !x")
print("  return %y : tensor<?x64xbf16>")
print("}")
