"""Writes one C++ specialisation per width of wgmma m64nNk16 (bf16 operands, f32 accumulators).

    generate-wgmma.py WIDTH... > wgmma_instructions.h

The instruction wants every accumulator register spelled out, N / 2 of them: too many to write by hand.
"""
import sys


def function(name, width, parameters, operands, constraints):
    count = width // 2
    accumulators = ", ".join(f"%{index}" for index in range(count))
    outputs = ", ".join(f'"+f"(sum[{index}])' for index in range(count))
    first = count
    for operand in range(operands.count("#")):
        operands = operands.replace("#", f"%{first + operand}", 1)
    # A always lies along the contraction; so does B in shared memory: no transposition bits are set.
    flags = "1, 1, 1, 0, 0" if name == "fromShared" else "1, 1, 1, 0"
    return (
        f"  static __device__ void {name}(float (&sum)[{count}], {parameters}) {{\n"
        f'    asm volatile("wgmma.mma_async.sync.aligned.m64n{width}k16.f32.bf16.bf16 {{{accumulators}}}, "\n'
        f'                 "{operands}, {flags};"\n'
        f"                 : {outputs}\n"
        f"                 : {constraints}\n"
        f'                 : "memory");\n'
        f"  }}\n"
    )


def main():
    print("// Written by generate-wgmma.py.")
    print("#pragma once\n\n#include <cstdint>\n")
    print("template <int Width> struct Wgmma;\n")
    for width in map(int, sys.argv[1:]):
        assert width % 8 == 0 and 8 <= width <= 256, width
        print(f"template <> struct Wgmma<{width}> {{")
        print(function("fromShared", width, "uint64_t a, uint64_t b", "#, #", '"l"(a), "l"(b)'), end="")
        print(
            function(
                "fromRegisters",
                width,
                "const uint32_t (&a)[4], uint64_t b",
                "{#, #, #, #}, #",
                '"r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)',
            ),
            end="",
        )
        print("};\n")


if __name__ == "__main__":
    main()
