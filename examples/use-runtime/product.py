#!/usr/bin/env python3
"""One product with a bundle of f32, by the standard library alone: product.py LIBRARY BUNDLE [ROWS]

LIBRARY is libalgrt.so.0 where it is installed. The structures are those of algrt.h and dlpack.h.
"""

import ctypes
import json
import sys
from ctypes import POINTER, byref, c_int32, c_int64, c_size_t, c_void_p


class DLTensor(ctypes.Structure):
    """What dlpack.h calls so, over memory that a ctypes array owns."""

    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("dtype_code", ctypes.c_uint8),
        ("dtype_bits", ctypes.c_uint8),
        ("dtype_lanes", ctypes.c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class ForwardArgs(ctypes.Structure):
    """algrt_forward_args. All zero but for struct_size, as algrt_forward_args_init leaves it."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("x", POINTER(DLTensor)),
        ("y", POINTER(DLTensor)),
        ("w", POINTER(DLTensor)),
        ("weights", c_void_p),
        ("types", POINTER(DLTensor)),
        ("p0", c_int64),
        ("stream", c_void_p),
        ("workspace", c_void_p),
        ("workspace_bytes", c_size_t),
        ("threads", c_int32),
        ("kernel", c_int32),
        ("dependent_launch", c_int32),
        ("reserved", c_int32),
        ("bias", POINTER(DLTensor)),
        ("positions", POINTER(DLTensor)),
        ("sequence_starts", POINTER(DLTensor)),
        ("sequence_positions", POINTER(DLTensor)),
    ]


def matrix(rows, columns, values):
    """A row-major f32 tensor, and its numbers: an array that has to live as long as it does."""
    numbers = (ctypes.c_float * (rows * columns))(*values)
    shape = (c_int64 * 2)(rows, columns)
    cpu, floating_point = 1, 2
    tensor = DLTensor(ctypes.addressof(numbers), cpu, 0, 2, floating_point, 32, 1, shape, None, 0)
    return tensor, numbers


def load(path):
    library = ctypes.CDLL(path)
    library.algrt_last_error.restype = ctypes.c_char_p
    library.algrt_bundle_manifest.restype = ctypes.c_char_p
    library.algrt_bundle_manifest.argtypes = [c_void_p]
    library.algrt_bundle_open.argtypes = [ctypes.c_char_p, POINTER(c_void_p)]
    library.algrt_bundle_close.argtypes = [c_void_p]
    library.algrt_weights_pack.argtypes = [c_void_p, POINTER(DLTensor), c_int32, POINTER(c_void_p)]
    library.algrt_weights_free.argtypes = [c_void_p]
    library.algrt_forward.argtypes = [c_void_p, POINTER(ForwardArgs)]
    return library


def main(library_path, bundle_path, m=7):
    library = load(library_path)

    def require(status):
        if status != 0:
            sys.exit(library.algrt_last_error().decode())

    bundle, weights = c_void_p(), c_void_p()
    require(library.algrt_bundle_open(bundle_path.encode(), byref(bundle)))
    layer = json.loads(library.algrt_bundle_manifest(bundle))["layer"]
    k, n = layer["k"], layer["n"]
    if layer["dtype"] != "f32" or layer["lift"] != "rows" or layer.get("bias"):
        sys.exit("this example takes bundles of f32 in the row lift")

    x, x_numbers = matrix(m, k, (i % 7 - 2 for i in range(m * k)))
    w, w_numbers = matrix(k, n, (i % 5 - 2 for i in range(k * n)))
    y, y_numbers = matrix(m, n, (0 for _ in range(m * n)))
    require(library.algrt_weights_pack(bundle, byref(w), 0, byref(weights)))

    args = ForwardArgs(struct_size=ctypes.sizeof(ForwardArgs))
    args.x, args.y, args.weights = ctypes.pointer(x), ctypes.pointer(y), weights
    args.p0 = 3  # where row 0 is in its sequence
    require(library.algrt_forward(bundle, byref(args)))
    print(f"{m} rows, {k} -> {n}: the results add up to {sum(y_numbers):.0f}")

    library.algrt_weights_free(weights)
    library.algrt_bundle_close(bundle)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
