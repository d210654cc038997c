"""A network's rows at positions of their own, and in steps, beside the same rows one after another: every bit is equal."""
import random
import struct
import subprocess
import sys

from float_arrays import rows_of, write

bundle, steps = sys.argv[1:]
shapes = {"x": [9, 45], "gate": [45, 70], "up": [45, 70], "down": [70, 25], "gate_bias": [70], "up_bias": [70],
          "down_bias": [25]}
random.seed(5)
arguments = []
for name, shape in shapes.items():
    count = shape[0] * (shape[1] if len(shape) > 1 else 1)
    write(name + ".npy", shape, "<f4", "f", [random.uniform(-1, 1) for _ in range(count)])
    arguments += ["--set", name + "=" + name + ".npy"]
order = [4, 0, 7, 8, 2, 3, 6, 1, 5]
write("positions.npy", [9], "<i8", "q", [3 + row for row in order])
x = rows_of("x.npy", 9)
values = [value for row in order for value in struct.unpack("<45f", x[row])]
subprocess.run(["algctl", "run", bundle, *arguments, "--offset", "3", "--get", "y=y.npy"], check=True,
               stdout=subprocess.DEVNULL)
subprocess.run(["algctl", "run", steps, *arguments, "--offset", "3", "--get", "y=steps.npy"], check=True, stdout=subprocess.DEVNULL)
write("x.npy", [9, 45], "<f4", "f", values)
subprocess.run(["algctl", "run", bundle, *arguments, "--set", "positions=positions.npy", "--get", "y=moved.npy"],
               check=True, stdout=subprocess.DEVNULL)
y, moved = rows_of("y.npy", 9), rows_of("moved.npy", 9)
same = all(moved[place] == y[row] for place, row in enumerate(order))
print("rows at positions:", "equal to" if same else "OTHER THAN", "rows one after another")
print("steps:", "equal to" if rows_of("steps.npy", 9) == y else "OTHER THAN", "one kernel")
