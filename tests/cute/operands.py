"""Compares the operands of wgmma with CuTe: each descriptor with the one that CuTe makes for the layout of its stage,
and what the descriptor points to with the boxes that were loaded there."""
from typing import NamedTuple

from block import WARPGROUP_THREADS, phases_of_waits
from kernel import MAP_BYTES, OPERAND_BYTES
from ptx_events import Commit, Product, Wait
from ptx_memory import SHARED_BASE, Stuck

ATOM_ROWS = 8
UNIT = 16  # bytes, of the lengths in a descriptor
INSTRUCTION_DEPTH = 16


class Descriptor:
    """The fields of a descriptor. Lengths are in bytes; `rest` are the bits that belong to no field."""

    def __init__(self, bits):
        self.bits = bits
        self.address = (bits & 0x3fff) * UNIT
        self.leading = (bits >> 16 & 0x3fff) * UNIT
        self.stride = (bits >> 32 & 0x3fff) * UNIT
        self.base_offset = bits >> 49 & 7
        self.mode = bits >> 62
        self.rest = bits & ~(0x3fff | 0x3fff << 16 | 0x3fff << 32 | 7 << 49 | 3 << 62)


class Place(NamedTuple):
    """Which element of the operand an instruction begins with: along its side, and along the depth. Of each the last
    coordinate is the one that advances."""
    along: tuple
    depth: tuple


class Sums(NamedTuple):
    """What is known of sums: the width of the instructions, and where their operands begin along sides M and N."""
    columns: int
    along_m: tuple
    along_n: tuple


class Stages:
    """What lies in shared memory: by the address of each atom, 8 rows of a panel, its map and the coordinates of its
    first element."""

    def __init__(self, kernel, report):
        self.kernel, self.report = kernel, report
        self.sides = {side.name: side for side in kernel.sides}
        self.atoms = {}

    def wait(self, wait, phase, loads):
        """For a phase of a barrier, after which its loads are there."""
        if phase % 2 != wait.parity:
            raise Stuck(f"phase {phase} of the barrier at {wait.barrier} is not the one that is waited for")
        if (wait.barrier, phase) not in loads:
            raise Stuck(f"nothing is loaded in phase {phase} of the barrier at {wait.barrier}, which is waited for")
        for load in loads[wait.barrier, phase]:
            self.arrive(load)

    def arrive(self, load):
        side = self.sides[self.kernel.operand_of(load.map)]
        period = ATOM_ROWS * side.span
        if (load.address + SHARED_BASE) % period:
            self.report.difference(load.instruction, "address of a box", load.address,
                                   f"a multiple of {period}, the period of its swizzle")
        for row in range(0, side.box_rows, ATOM_ROWS):
            coordinates = list(load.coordinates)
            coordinates[side.row_dimension] += row
            self.atoms[load.address + row * side.span] = load.map, tuple(coordinates)


def check_operands(kernel, block, layouts, report):
    """Returns the Sums by warpgroup and number."""
    known, arriving = {}, {barrier for barrier, _ in block.loads}
    for warpgroup, phases in enumerate(phases_of_waits(kernel, block)):
        stages, phases, group = Stages(kernel, report), iter(phases), {}
        for event in block.threads[warpgroup * WARPGROUP_THREADS]:
            if isinstance(event, Wait):
                if event.barrier in arriving:
                    stages.wait(event, next(phases), block.loads)
            elif isinstance(event, Product):
                # The instructions of a group that add to the same sums go through the depth.
                alike = group.setdefault(event.sums, [])
                alike.append(event)
                sums = check_product(kernel, stages, layouts, report, event, len(alike) - 1, alike[0])
                before = known.setdefault((warpgroup, event.sums), sums)
                if sums and before and sums != before:
                    report.difference(event.instruction, "operands of the same sums", sums, before)
            elif isinstance(event, Commit):
                group.clear()
    return known


def check_product(kernel, stages, layouts, report, product, step, first):
    places = []
    for number, side in enumerate(kernel.sides):
        what = f"{'AB'[number]} ({side.name}), step {step}"
        if product.transposed[number] != (not side.along_depth):
            report.difference(product.instruction, f"{what}, the bit for an operand that is not along the depth",
                              product.transposed[number], int(not side.along_depth))
        found, begin = Descriptor(product.descriptors[number]), Descriptor(first.descriptors[number])
        extent = side.extent if number == 0 else product.columns
        compare_descriptor(kernel, layouts, report, product, side, found, begin, extent, step, what)
        places.append(find_operand(stages, report, product, side, found, begin, extent, what))
    if None in places:
        return None
    if places[0].depth != places[1].depth:
        report.difference(product.instruction, f"the depth of B, step {step}", places[1].depth, places[0].depth)
    if product.columns > kernel.sides[1].extent:
        report.difference(product.instruction, "the width of the instruction", product.columns,
                          f"at most {kernel.sides[1].extent}")
    return Sums(product.columns, places[0].along, places[1].along)


def compare_descriptor(kernel, layouts, report, product, side, found, begin, extent, step, what):
    """`begin` is that of the first step, whose address find_operand() checks."""
    depth = kernel.schedule["depth"]
    expected = layouts.operands[side.major, side.span, side.extent, depth]
    if step >= len(expected):
        report.difference(product.instruction, f"{what}, instructions that add to the same sums", step + 1,
                          f"at most {len(expected)}, for a depth of {depth}")
        return
    expected = Descriptor(expected[step])
    report.descriptors += 1
    # With a swizzle, K-major operands have no leading offset, and where one row of atoms is all there is, no other is
    # read: CuTe puts a 0 there.
    several = extent > ATOM_ROWS if side.along_depth else extent > side.panel_columns
    fields = [("address", found.address, begin.address + expected.address), ("swizzle", found.mode, expected.mode),
              ("base offset", found.base_offset, expected.base_offset), ("other bits", found.rest, expected.rest)]
    if several or not side.along_depth:
        fields.append(("stride byte offset", found.stride, expected.stride))
    if several and not side.along_depth:
        fields.append(("leading byte offset", found.leading, expected.leading))
    for name, value, wanted in fields:
        if value != wanted:
            report.difference(product.instruction, f"{name} of {what}", f"{value} ({found.bits:#018x})",
                              f"{wanted} ({expected.bits:#018x} at address 0) as CuTe says for {side.major}-major, "
                              f"rows of {side.span} bytes, {side.extent} x {depth}")


def find_operand(stages, report, product, side, found, begin, extent, what):
    """The place in its operand, where every atom that the descriptor leads to has been loaded with what belongs there;
    otherwise None."""
    start = found.address - SHARED_BASE
    # The 16 of a depth lie within the rows of an atom, or are rows themselves.
    within = found.address - begin.address if side.along_depth else 0
    if within >= side.span:
        report.difference(product.instruction, f"{what}, bytes of depth before it", within, f"less than {side.span}")
        return None
    expected, place = None, None
    for along, depth, offset in atoms_of(side, found, extent):
        report.atoms += 1
        atom = stages.atoms.get(start - within + offset)
        if atom is None:
            report.difference(product.instruction, f"{what}, address of an atom", start - within + offset,
                              "one of those that boxes were loaded to")
            return None
        map_offset, coordinates = atom
        here = list(coordinates)
        here[side.row_dimension] -= along if side.along_depth else depth
        here[0] -= 0 if side.along_depth else along
        if expected is None:
            expected = map_offset, here
            place = place_of(stages.kernel, side, map_offset, coordinates, within // OPERAND_BYTES)
        elif (map_offset, here) != expected:
            report.difference(product.instruction, f"{what}, atom {along} along the side and {depth} of the depth",
                              f"coordinates {tuple(coordinates)} of map {map_offset // MAP_BYTES}",
                              f"as far from {tuple(expected[1])} of map {expected[0] // MAP_BYTES}")
            return None
    return place


def atoms_of(side, descriptor, extent):
    """(elements along the side, elements of depth, bytes) from the start of an instruction's operand to each of its
    atoms, as the instruction walks (PTX ISA, "Strides")."""
    if side.along_depth:
        for number in range(-(-extent // ATOM_ROWS)):
            yield number * ATOM_ROWS, 0, number * descriptor.stride
        return
    for panel in range(-(-extent // side.panel_columns)):
        for number in range(INSTRUCTION_DEPTH // ATOM_ROWS):
            yield (panel * side.panel_columns, number * ATOM_ROWS,
                   panel * descriptor.leading + number * descriptor.stride)


def place_of(kernel, side, map_offset, coordinates, depth_within):
    column, group, *rows = coordinates
    columns = group, column + depth_within
    if side.row_dimension == 3:
        rows = kernel.view(side.name, map_offset), *rows
    else:
        rows = rows[1], rows[0]
    return Place(rows, columns) if side.along_depth else Place(columns, rows)
