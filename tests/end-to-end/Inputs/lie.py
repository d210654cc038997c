"""lie.py BUNDLE OUTPUT KEY=VALUE...: a copy of a bundle whose manifest says something else, with a hash that is right.

A key is layer.dtype, or kernels.NAME.tasks for the field of a kernel, or kernels.*.tasks for that of all that have it;
a value is JSON, or else a string."""
import hashlib
import json
import struct
import sys

source, target, *changes = sys.argv[1:]
data = bytearray(open(source, "rb").read())
(size,) = struct.unpack_from("<Q", data, 16)
manifest = json.loads(data[64 : 64 + size])
end = (64 + size + 63) // 64 * 64


def parse(text):
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


for change in changes:
    key, _, text = change.partition("=")
    first, *rest = key.split(".")
    if first == "kernels":
        name, field = rest
        found = [k for k in manifest["kernels"] if k["name"] == name or (name == "*" and field in k)]
        assert found, change
        for kernel in found:
            kernel[field] = parse(text)
    else:
        manifest[first][rest[0]] = parse(text)

# Written without blanks it is never longer than it was; the sections stay where they are.
text = json.dumps(manifest, separators=(",", ":")).encode()
assert 64 + len(text) <= end
data[64:end] = text.ljust(end - 64)
struct.pack_into("<Q", data, 16, end - 64)
data[32:64] = hashlib.sha256(data[:32] + data[64:]).digest()
open(target, "wb").write(data)
