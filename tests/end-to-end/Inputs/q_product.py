"""The product of a complete-graph layer in Python's own floats, through .npy files.

q_product.py make FOLDER Q M K N        writes x.npy, dy.npy, w.npy and bias.npy, random with NaN and infinity here and there
q_product.py check FOLDER Q OFFSET WIDTH TOLERANCE    compares y.npy with them; WIDTH rows of one type follow each other
q_product.py check_biased FOLDER Q OFFSET WIDTH TOLERANCE    the same with bias.npy added to every row
q_product.py check_gelu FOLDER Q OFFSET WIDTH TOLERANCE    the same with x (1 + erf(x / sqrt(2))) / 2 of that
q_product.py check_dx FOLDER Q OFFSET WIDTH TOLERANCE    the same for dx.npy, the gradient of x where dy.npy is that of y
q_product.py check_dw FOLDER Q OFFSET WIDTH TOLERANCE    the same for dw.npy, the gradient of w
q_product.py check_dbias FOLDER TOLERANCE    compares dbias.npy with the sums of the columns of dy.npy
q_product.py integers FOLDER NAME NUMBERS [BITS]    writes a list of numbers as int64, or as int32 where BITS is 32

An OFFSET may be a list: the position of every row.
"""
import ast
import math
import pathlib
import random
import struct
import sys


def write(path, shape, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': %r, }" % (shape,)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    path.write_bytes(data + struct.pack("<%df" % len(values), *values))


def read(path):
    data = path.read_bytes()
    (size,) = struct.unpack_from("<H", data, 8)
    header = ast.literal_eval(data[10 : 10 + size].decode())
    assert header["descr"] == "<f4" and not header["fortran_order"], header
    rows, columns = (1,) * (2 - len(header["shape"])) + header["shape"]
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
    dy = [source.uniform(-1, 1) for _ in range(m * n)]
    for special in (math.nan, math.inf, -math.inf):
        dy[source.randrange(len(dy))] = special
    bias = [source.uniform(-1, 1) for _ in range(n)]
    bias[source.randrange(n)] = math.nan
    bias[source.randrange(n)] = -math.inf
    write(folder / "x.npy", (m, k), x)
    write(folder / "w.npy", (k, n), w)
    write(folder / "dy.npy", (m, n), dy)
    write(folder / "bias.npy", (n,), bias)


def integers(folder, name, numbers, bits=64):
    header = "{'descr': '<i%d', 'fortran_order': False, 'shape': (%d,), }" % (bits // 8, len(numbers))
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    (folder / name).write_bytes(data + struct.pack("<%d%s" % (len(numbers), {32: "i", 64: "q"}[bits]), *numbers))


def at(offset, row):
    return offset[row] if isinstance(offset, list) else offset + row


def operands(folder, names, tolerance):
    matrices = [read(folder / name) for name in names]
    if tolerance > 1e-4:
        matrices = [[[half(value) for value in row] for row in matrix] for matrix in matrices]
    return matrices


def check(folder, q, offset, width, tolerance, biased=False, function=lambda value: value):
    x, w, bias = operands(folder, ("x.npy", "w.npy", "bias.npy"), tolerance)
    k, n = len(w) // q, len(w[0]) // q

    def expected(row, column):
        own, group = at(offset, row) % (q * width) // width, column // n
        return function(
            (bias[0][column] if biased else 0)
            + sum(
                x[row][depth] * w[depth][column]
                for source in sorted({own, group})
                for depth in range(source * k, (source + 1) * k)
            )
        )

    compare(read(folder / "y.npy"), len(x), q * n, expected, tolerance)


def check_biased(folder, q, offset, width, tolerance):
    check(folder, q, offset, width, tolerance, biased=True)


def check_gelu(folder, q, offset, width, tolerance):
    gelu = lambda value: value * (1 + math.erf(value / math.sqrt(2))) / 2
    check(folder, q, offset, width, tolerance, biased=True, function=gelu)


def check_dx(folder, q, offset, width, tolerance):
    dy, w = operands(folder, ("dy.npy", "w.npy"), tolerance)
    k, n = len(w) // q, len(w[0]) // q

    def expected(row, depth):
        own, source = at(offset, row) % (q * width) // width, depth // k
        return sum(
            dy[row][column] * w[depth][column]
            for group in (range(q) if source == own else (source,))
            for column in range(group * n, (group + 1) * n)
        )

    compare(read(folder / "dx.npy"), len(dy), q * k, expected, tolerance)


def check_dw(folder, q, offset, width, tolerance):
    x, dy = operands(folder, ("x.npy", "dy.npy"), tolerance)
    k, n = len(x[0]) // q, len(dy[0]) // q

    def expected(depth, column):
        source, group = depth // k, column // n
        return sum(
            x[row][depth] * dy[row][column]
            for row in range(len(x))
            if source == group or at(offset, row) % (q * width) // width == source
        )

    compare(read(folder / "dw.npy"), q * k, q * n, expected, tolerance)


def check_dbias(folder, tolerance):
    (dy,) = operands(folder, ("dy.npy",), tolerance)
    compare(read(folder / "dbias.npy"), 1, len(dy[0]), lambda _, column: sum(row[column] for row in dy), tolerance)


def compare(actual_matrix, rows, columns, expected_at, tolerance):
    assert (len(actual_matrix), len(actual_matrix[0])) == (rows, columns)
    error = norm = 0.0
    kinds = 0
    for row in range(rows):
        for column in range(columns):
            expected, actual = expected_at(row, column), actual_matrix[row][column]
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
    numbers = [argument if argument.endswith(".npy") else ast.literal_eval(argument) for argument in sys.argv[3:]]
    commands = (make, check, check_biased, check_gelu, check_dx, check_dw, check_dbias, integers)
    {command.__name__: command for command in commands}[sys.argv[1]](folder, *numbers)
