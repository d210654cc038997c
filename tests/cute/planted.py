"""Faults that are planted in the text of kernels, each of which the comparison has to find."""
import copy
import re
from typing import NamedTuple

LENGTHS = 0x3fff


class Fault(NamedTuple):
    name: str
    pattern: str
    change: object  # what comes in the place of the first match that it changes: text, or a function of the match
    said: str       # what a difference has to say
    suits: object = lambda kernel: True


def of_descriptor(change):
    """Changes the constant that has the lengths and the swizzle of a descriptor."""
    def changed(match):
        return f"{match[1]}{change(int(match[2]))};"
    return changed


def more_leading(bits):
    """Of operands that are not along the depth: others have one unit there, which is not read."""
    return bits + (1 << 16) if bits >> 16 & LENGTHS > 1 else bits


# Of instructions whose descriptors are put together at once, the address as a register and all else as a constant.
DESCRIPTOR = r"(or\.b64\s+%rd\d+, %rd\d+, )(\d{19,20});"

FAULTS = (
    Fault("a longer stride", DESCRIPTOR, of_descriptor(lambda bits: bits + (1 << 32)), "stride byte offset"),
    Fault("a longer leading offset", DESCRIPTOR, of_descriptor(more_leading), "leading byte offset",
          lambda kernel: kernel.sides[1].extent > kernel.sides[1].panel_columns),
    Fault("another swizzle", DESCRIPTOR, of_descriptor(lambda bits: bits ^ 3 << 62), "swizzle"),
    Fault("a base offset", DESCRIPTOR, of_descriptor(lambda bits: bits | 1 << 49), "base offset"),
    Fault("a later step of the depth", DESCRIPTOR,
          of_descriptor(lambda bits: bits + 2 if bits & LENGTHS == 2 else bits), "address of "),
    Fault("another order of an operand", r"(wgmma\.mma_async[^;]*, p, 1,\s+1, )0(,\s+\d;)", r"\g<1>1\2", "the bit for"),
    Fault("a box of an operand from elsewhere",
          r"(cp\.async\.bulk\.tensor[^;]*shared::cluster\.global[^{;]*\{)(%r\d+)(, %r\d+, %r\d+, )(%r\d+)",
          r"\1\4\3\2", "the depth of B"),
    Fault("stmatrix elsewhere", r"(stmatrix[^;]*\[%rd\d+)\]", r"\1+16]", "of the box"),
    Fault("stmatrix without its transposition", r"(stmatrix[^;]*)\.trans", r"\1", "of the box"),
    Fault("the halves of a pair exchanged", r"(cvt\.rn\.bf16x2\.f32\s+%r\d+, )(%r\d+), (%r\d+)", r"\1\3, \2",
          "of the box"),
    Fault("a pair stored elsewhere", r"(st\.shared\.v2\.[bf]32\s+\[%rd\d+)\]", r"\1+8]", "of the box"),
    Fault("a word stored elsewhere", r"(st\.shared\.[bf]32\s+\[%rd\d+)\]", r"\1+4]", "of the box"),
    Fault("a sum sent elsewhere", r"(st\.shared::cluster[^;]*\[%rd\d+)\+2048\]", r"\1+2064]", "of the box"),
    Fault("a box of the result from elsewhere", r"(global\.shared::cta[^;]*\}\], \[shared)\+4096\]", r"\1+8192]",
          "of the box"),
    Fault("a box of the result that is not stored", r"cp\.async\.bulk\.tensor[^;]*global\.shared::cta[^;]*;", "",
          "times that it is stored"),
)


def plant(fault, text):
    """The text with the fault; None where nothing of it can have it."""
    for match in re.finditer(fault.pattern, text):
        changed = match.expand(fault.change) if isinstance(fault.change, str) else fault.change(match)
        if changed != match[0]:
            return text[:match.start()] + changed + text[match.end():]
    return None


def check_faults(kernels, find_differences):
    """Plants each fault in the first kernel that can have it. `find_differences` returns what differs in a kernel.
    Returns what is wrong, as text."""
    problems = []
    for fault in FAULTS:
        for kernel in kernels:
            text = plant(fault, kernel.ptx) if fault.suits(kernel) else None
            if text is None:
                continue
            faulty = copy.copy(kernel)
            faulty.read(text)
            differences = find_differences(faulty)
            if not any(fault.said in difference for difference in differences):
                problems.append(f"{kernel.command}\n  {fault.name} was planted in the kernel, and no difference says "
                                f"'{fault.said}', but: " + "; ".join(differences or ["nothing"]))
            break
        else:
            problems.append(f"no kernel has what '{fault.name}' is planted in: bring its pattern up to date")
    return problems
