"""The text of a kernel in PTX: its instructions, its labels, and the record that lies beside it."""
import re
import struct

# Fields of the record (runtime/kernel_record.h, runtime/gpu_kernel_abi.h) in their order.
RECORD_VERSION = 5
RECORD_FIELDS = (
    "magic version words map lift dtype bias k n types row_types row_type_width groups support fusion "
    "architecture exact_architecture output threads cluster shared_bytes dependent_launch terms scaled listed "
    "counted_groups copies vector warp_rows warp_columns slices "
    "tile_rows tile_columns tile_depth tile_stages tile_consumers tile_cluster_rows tile_cluster_columns tile_types "
    "tile_held_groups tile_split tile_long_groups "
    "x_columns x_rows x_swizzle w_columns w_rows w_swizzle y_columns y_rows y_swizzle "
    "next_w_columns next_w_rows next_w_swizzle parameters").split()


class Instruction:
    """One instruction: `guard` is (register, value that it must have), or None."""
    __slots__ = ("opcode", "guard", "operands", "text", "line")

    def __init__(self, opcode, guard, operands, text, line):
        self.opcode, self.guard, self.operands, self.text, self.line = opcode, guard, operands, text, line

    def __str__(self):
        return f"line {self.line}: {shortened(self.text)}"


class KernelText:
    """A kernel: `labels` say at which instruction they stand, `targets` which labels a list of them has; `parameters`
    are (name, type)."""

    def __init__(self, parameters, instructions, labels, targets, record):
        self.parameters, self.instructions, self.record = parameters, instructions, record
        self.labels, self.targets = labels, targets


def shortened(text, most=120):
    """Lists of registers of a product are long, and say nothing."""
    text = re.sub(r"\{([^},]*),[^}]{40,}\}", r"{\1, ...}", text)
    return text if len(text) <= most else text[:most] + " ..."


def split_operands(text):
    """Operands are separated by commas outside braces and brackets."""
    operands, depth, begin = [], 0, 0
    for at, character in enumerate(text):
        if character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
        elif character == "," and depth == 0:
            operands.append(text[begin:at].strip())
            begin = at + 1
    last = text[begin:].strip()
    return operands + [last] if last else operands


def elements(list_text):
    """Of "{%r1, %r2}" the two registers; of a single register it alone."""
    if list_text.startswith("{"):
        return [element.strip() for element in list_text[1:-1].split(",")]
    return [list_text]


def address_parts(text):
    """Of "[%rd1+16]" the register and the offset."""
    match = re.fullmatch(r"\[([^+\]]+)(?:\+(-?\d+))?\]", text)
    if not match:
        raise ValueError(f"{text} is no address")
    return match[1].strip(), int(match[2] or 0)


def tensor_parts(text):
    """Of "[%rd1, {%r1, %r2, %r3, %r4}]" the address of the map, and the coordinates."""
    match = re.fullmatch(r"\[([^,]+), (\{[^}]*\})\]", text)
    if not match:
        raise ValueError(f"{text} names no box of a tensor map")
    return match[1].strip(), elements(match[2])


def read_record(text):
    match = re.search(r"_record\[(\d+)\] = \{([^}]*)\}", text)
    if not match:
        raise ValueError("the kernel has no record beside it")
    data = bytes(int(byte) for byte in match[2].split(","))
    words = struct.unpack(f"<{len(data) // 8}q", data)
    if words[1] != RECORD_VERSION or len(words) != len(RECORD_FIELDS):
        raise ValueError(f"the record has version {words[1]} and {len(words)} words, ptx_text.py reads version "
                         f"{RECORD_VERSION} of {len(RECORD_FIELDS)}: bring RECORD_FIELDS up to date")
    return dict(zip(RECORD_FIELDS, words))


def read_kernel(text):
    """The one kernel of a module."""
    entry = re.search(r"\.visible \.entry \w+\(([^)]*)\)", text)
    parameters = [(match[2], match[1]) for match in
                  re.finditer(r"\.param [^\n]*?\.([a-z]\d+)\b[^\n]*?(\w+_param_\d+)", entry[1])]
    instructions, labels, targets = [], {}, {}
    first_line = text[:entry.end()].count("\n") + 1
    list_of_labels = None
    for number, line in enumerate(text[entry.end():].split("\n")):
        line = line.split("//")[0].strip()
        if line.endswith(".branchtargets"):
            list_of_labels = targets.setdefault(line.split(":")[0], [])
        elif list_of_labels is not None:
            list_of_labels.append(line.rstrip(",;"))
            if line.endswith(";"):
                list_of_labels = None
        elif line.endswith(":"):
            labels[line[:-1]] = len(instructions)
        elif line.endswith(";") and not line.startswith("."):
            instructions.append(read_instruction(line[:-1].strip(), first_line + number))
    return KernelText(parameters, instructions, labels, targets, read_record(text))


def read_instruction(text, line):
    guard, rest = None, text
    if rest.startswith("@"):
        register, rest = rest[1:].split(None, 1)
        guard = (register.lstrip("!"), 0 if register.startswith("!") else 1)
    opcode, _, operands = rest.partition("\t") if "\t" in rest else rest.partition(" ")
    return Instruction(opcode.strip(), guard, split_operands(operands), text.replace("\t", " "), line)
