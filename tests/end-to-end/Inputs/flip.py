"""flip.py FILE OFFSET OUTPUT: a copy of a file with the lowest bit of one byte flipped."""
import sys

source, offset, target = sys.argv[1:]
data = bytearray(open(source, "rb").read())
data[int(offset)] ^= 1
open(target, "wb").write(data)
