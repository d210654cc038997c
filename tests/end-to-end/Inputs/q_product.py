"""The product of a complete-graph layer in Python's own floats, through .npy files.

q_product.py make FOLDER Q M K N        writes x.npy and w.npy, random with NaN and infinity here and there
q_product.py check FOLDER Q OFFSET WIDTH TOLERANCE    compares y.npy with them; WIDTH rows of one type follow each other
"""
import ast
import math
import pathlib
import random
import struct
import sys


def write(path, rows, columns, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, columns)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    path.write_bytes(data + struct.pack("<%df" % len(values), *values))


def read(path):
    data = path.read_bytes()
    (size,) = struct.unpack_from("<H", data, 8)
    header = ast.literal_eval(data[10 : 10 + size].decode())
    assert header["descr"] == "<f4" and not header["fortran_order"], header
    rows, columns = header["shape"]
    values = struct.unpack_from("<%df" % (rows * columns), data, 10 + size)
    return [values[row * columns : (row + 1) * columns] for row in range(rows)]


def half(value):
    """To bf16 and back, to nearest with ties to even."""
    if not math.isfinite(value):
        return value
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    bits += 0x7FFF + (bits >> 16 & 1)
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]


def make(folder, q, m, k, n):
    source = random.Random(q * m + k * n)
    x = [source.uniform(-1, 1) for _ in range(m * k)]
    w = [source.uniform(-1, 1) for _ in range(k * n)]
    for special in (math.nan, math.inf, -math.inf):
        x[source.randrange(len(x))] = special
        w[source.randrange(len(w))] = special
    write(folder / "x.npy", m, k, x)
    write(folder / "w.npy", k, n, w)


def check(folder, q, offset, width, tolerance):
    x, w, y = (read(folder / name) for name in ("x.npy", "w.npy", "y.npy"))
    if tolerance > 1e-4:
        x, w = ([[half(value) for value in row] for row in matrix] for matrix in (x, w))
    k, n = len(w) // q, len(w[0]) // q
    error = norm = 0.0
    kinds = 0
    for row, values in enumerate(x):
        own = (offset + row) % (q * width) // width
        for column in range(q * n):
            group = column // n
            expected = sum(
                values[depth] * w[depth][column]
                for source in sorted({own, group})
                for depth in range(source * k, (source + 1) * k)
            )
            actual = y[row][column]
            if math.isfinite(expected):
                if not math.isfinite(actual):
                    sys.exit("row %d, column %d is %r and not %r" % (row, column, actual, expected))
                error += (actual - expected) ** 2
                norm += expected**2
            else:
                kinds += 1
                same = math.isnan(actual) if math.isnan(expected) else actual == expected
                if not same:
                    sys.exit("row %d, column %d is %r and not %r" % (row, column, actual, expected))
    error = math.sqrt(error / norm)
    print("error %.2e, %d elements that are not finite" % (error, kinds))
    if not error <= tolerance or not kinds:
        sys.exit("not good")


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[2])
    numbers = [ast.literal_eval(argument) for argument in sys.argv[3:]]
    {"make": make, "check": check}[sys.argv[1]](folder, *numbers)
