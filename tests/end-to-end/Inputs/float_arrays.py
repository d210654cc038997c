"""Arrays as .npy files for tests that compare rows bit by bit."""
import struct


def write(path, shape, code, form, values):
    """`code` as NumPy names the type, "<f4" say, and `form` as struct does, "f"."""
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }" % (code, ", ".join(map(str, shape)))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<%d%s" % (len(values), form), *values))


def rows_of(path, count):
    """The bytes of each of so many rows."""
    with open(path, "rb") as file:
        data = file.read()
    body = data[10 + struct.unpack("<H", data[8:10])[0]:]
    width = len(body) // count
    return [body[row * width:(row + 1) * width] for row in range(count)]
