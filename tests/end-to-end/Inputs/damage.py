"""damage.py FOLDER: changes the last byte of every file below it."""
import pathlib
import sys

for file in pathlib.Path(sys.argv[1]).rglob("*"):
    if file.is_file():
        data = bytearray(file.read_bytes())
        data[-1] ^= 1
        file.write_bytes(data)
