"""A kernel under test: the command that writes it, what it multiplies, and where that lies in its parameters."""
import shlex
import subprocess
from dataclasses import dataclass, field

from cute_layouts import accumulator_question, box_question, operand_question
from ptx_thread import read_program

MAP_BYTES = 128
OPERAND_BYTES = 2
INSTRUCTION_ROWS = 64
MAPS = ("forward", "dx", "dw")
# Views of an operand that has rows: the longer and the shorter segments of cyclic types; the first run, the whole ones
# and the last one of intervals. A gradient of the weight matrix also has a view of all rows.
VIEWS = (2, 3)


class Refused(Exception):
    """algctl does not write the kernel."""


@dataclass(frozen=True)
class Side:
    """An operand of an instruction, on its side M or N."""
    name: str            # "x" or "w"
    along_depth: bool    # stored along the depth, K-major
    span: int            # bytes of a row of a panel
    box_rows: int
    row_dimension: int   # of the tensor map
    extent: int          # of its stage along the side; of side M the part of one warpgroup

    @property
    def major(self):
        return "K" if self.along_depth else "MN"

    @property
    def panel_columns(self):
        return self.span // OPERAND_BYTES


@dataclass
class Kernel:
    arguments: list      # of algctl emit
    schedule: dict       # as these arguments have it
    rows: int            # M
    clusters: int = 1    # of the grid, of which the first is followed
    follow_elements: bool = False
    ptx: str = field(default="", repr=False)
    program: object = field(default=None, repr=False)

    @property
    def command(self):
        return "algctl emit " + shlex.join(self.arguments)

    def write(self, algctl):
        result = subprocess.run([algctl, "emit", *self.arguments], capture_output=True, text=True)
        if result.returncode != 0:
            raise Refused(f"{self.command}\n{result.stderr.strip()}")
        self.ptx = result.stdout
        self.read(self.ptx)

    def read(self, ptx):
        self.program = read_program(ptx)

    @property
    def record(self):
        return self.program.text.record

    @property
    def rows_on_n(self):
        return self.schedule.get("rows_on") == "n"

    @property
    def map(self):
        return MAPS[self.record["map"]]

    @property
    def cluster_blocks(self):
        return max(1, self.record["cluster"])

    @property
    def result_bytes(self):
        return 2 if self.record["output"] else 4

    # Tensor maps are those of X, of the weight matrix and of the result; in a gradient of the weight matrix those of X,
    # of dY and of dW. Those of further weight matrices follow.

    @property
    def _views(self):
        return VIEWS[self.record["row_types"]] + (self.map == "dw")

    def view(self, name, map_offset):
        first = {"x": 0, "w": self._views, "y": 2 * self._views if self.map == "dw" else self._views + 1}[name]
        return map_offset // MAP_BYTES - first

    def operand_of(self, map_offset):
        return "x" if map_offset < self._views * MAP_BYTES else "w"

    def _operand(self, name, along_depth, on_m):
        record = self.record
        extent = self.schedule["rows" if name == "x" else "columns"]
        row_dimension = 2 if name == "w" and self.map != "dw" else 3
        return Side(name, along_depth, record[f"{name}_swizzle"], record[f"{name}_rows"], row_dimension,
                    INSTRUCTION_ROWS if on_m else extent)

    @property
    def sides(self):
        """The operands on sides M and N. Blocks of the weight matrix lie along the depth where they are transposed;
        rows do not where they are the depth."""
        of_rows = self._operand("x", self.map != "dw", not self.rows_on_n)
        of_columns = self._operand("w", self.map == "dx", self.rows_on_n)
        return (of_columns, of_rows) if self.rows_on_n else (of_rows, of_columns)

    def place_in_result(self, store):
        """Of the first element of a box: the coordinates of its row, the last of which advances, and (group,
        column)."""
        column, group, *rows = store.coordinates
        return (rows[1], rows[0]) if self.map == "dw" else (self.view("y", store.map), *rows), (group, column)

    def result_limits(self):
        """Rows of a segment of the result and columns of a group: what lies beyond them is not stored."""
        record, groups = self.record, self.record["types"]
        inner, outer = record["k"] // groups, record["n"] // groups
        rows = inner if self.map == "dw" else self.rows // groups
        return rows, inner if self.map == "dx" else outer

    def questions(self):
        depth = self.schedule["depth"]
        asked = {operand_question(side.major, side.span, side.extent, depth) for side in self.sides}
        if self.follow_elements:
            asked.add(box_question(self.record["y_swizzle"], self.result_bytes, self.record["y_rows"]))
            asked |= {accumulator_question(columns) for columns in self.instruction_widths()}
        return asked

    def instruction_widths(self):
        marker = "wgmma.mma_async.sync.aligned.m64n"
        return {int(instruction.opcode[len(marker):].split("k")[0])
                for instruction in self.program.text.instructions if instruction.opcode.startswith(marker)}
