"""What a thread of a kernel does to shared memory, to tensor maps and to barriers. Addresses and barriers are offsets
in shared memory, maps are offsets in the kernel's first parameter."""
from typing import NamedTuple

from ptx_text import Instruction


class Wait(NamedTuple):
    """For a phase of a barrier, which is an even or an odd one."""
    barrier: int
    parity: int


class Expect(NamedTuple):
    """The bytes of the next phase of a barrier are announced."""
    barrier: int


class Load(NamedTuple):
    """A box is copied to shared memory: of the blocks in the mask, or of the thread's own where that is None."""
    instruction: Instruction
    map: int
    coordinates: tuple
    address: int
    barrier: int
    mask: int | None


class Product(NamedTuple):
    """wgmma, with its two descriptors. Instructions that add to the same sums have the same number `sums`."""
    instruction: Instruction
    columns: int
    descriptors: tuple
    transposed: tuple
    sums: int


class Commit(NamedTuple):
    """The end of a group of products."""


class Meeting(NamedTuple):
    """Threads of a block meet."""


class Write(NamedTuple):
    """Registers with these values are written to shared memory."""
    instruction: Instruction
    address: int
    values: list


class Send(NamedTuple):
    """Registers with these values are written to the shared memory of the block of this rank in the cluster."""
    instruction: Instruction
    rank: int
    address: int
    values: list


class Store(NamedTuple):
    """A box is copied from shared memory to the result."""
    instruction: Instruction
    map: int
    coordinates: tuple
    address: int


class Sum(NamedTuple):
    """A sum of products, by `Product.sums` and its place among the registers of the instruction."""
    number: int
    place: int


class Received(NamedTuple):
    """A word that another block sent: the first, second, ... that lies at an address."""
    address: int
    occurrence: int
    received: bool = True


class Value:
    """A floating-point number, of which is known what it is made of: a Sum, or several, and what was Received. It has no
    arithmetic, so that a step that takes it for an integer fails."""
    __slots__ = ("parts",)

    def __init__(self, parts=frozenset()):
        self.parts = parts


class Pair:
    """Two bf16 in a register."""
    __slots__ = ("low", "high")

    def __init__(self, low, high):
        self.low, self.high = low, high

    @property
    def parts(self):
        return parts_of(self.low) | parts_of(self.high)


def parts_of(value):
    """Integers are made of no sums."""
    return frozenset() if isinstance(value, int) else value.parts
