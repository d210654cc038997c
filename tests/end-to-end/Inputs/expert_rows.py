"""Rows of a network that a call divides among experts, beside a call for each expert: every bit is equal."""
import random
import subprocess
import sys

from float_arrays import rows_of, write


def run(output, *arguments):
    operands = [argument for name in ["x", *weights] for argument in ("--set", name + "=" + name + ".npy")]
    subprocess.run(["algctl", "run", bundle, *operands, "--get", "y=" + output, *arguments], check=True,
                   stdout=subprocess.DEVNULL)


bundle = sys.argv[1]
weights = {"gate": [40, 72], "up": [40, 72], "down": [72, 40], "gate_bias": [72], "up_bias": [72], "down_bias": [40]}
rows, starts = 12, [1, 4, 4, 10]  # the second expert has none, and three rows are nobody's
random.seed(7)
x = [random.uniform(-1, 1) for _ in range(rows * 40)]
numbers = {}
for name, shape in weights.items():
    count = shape[0] * (shape[1] if len(shape) > 1 else 1)
    numbers[name] = [[random.uniform(-1, 1) for _ in range(count)] for _ in range(3)]

expected = {}
for expert in range(3):
    first, end = starts[expert], starts[expert + 1]
    if first < end:
        write("x.npy", [end - first, 40], "<f4", "f", x[first * 40:end * 40])
        for name, shape in weights.items():
            write(name + ".npy", shape, "<f4", "f", numbers[name][expert])
        run("own.npy", "--offset", str(3 + first))
        expected.update(zip(range(first, end), rows_of("own.npy", end - first)))

write("x.npy", [rows, 40], "<f4", "f", x)
write("starts.npy", [4], "<i4", "i", starts)
for form in ["apart", "joined"]:
    for name, shape in weights.items():
        matrix = len(shape) > 1
        shape = [3 * shape[0], *shape[1:]] if form == "joined" and matrix else [3, *shape]
        write(name + ".npy", shape, "<f4", "f", sum(numbers[name], []))
    run("y.npy", "--offset", "3", "--expert-starts", "starts.npy")
    y = rows_of("y.npy", rows)
    same = all(y[row] == own for row, own in expected.items())
    print("matrices " + form + ":", "equal to" if same else "OTHER THAN", "a call for each expert")
    print("rows of nobody:", "as they were" if not any(map(any, (y[0], y[10], y[11]))) else "WRITTEN")
