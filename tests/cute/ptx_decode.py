"""The instructions of PTX that kernels of the copy engine have, as functions of a thread (ptx_thread.py)."""
import struct

from ptx_events import Pair, Value, parts_of
from ptx_memory import BLOCK_DISTANCE, MemorySteps, Stuck, unknown_form
from ptx_numbers import ARITHMETIC, COMPARISONS, bits_of, is_float, literal, signed
from ptx_text import elements

# Of these nothing is noted: they order what other threads see.
IGNORED = ("bar.warp", "barrier.", "cp.async.bulk.commit_group", "cp.async.bulk.wait_group", "cp.async.bulk.prefetch",
           "fence.", "griddepcontrol.", "mbarrier.init", "membar", "nanosleep", "prefetch", "setmaxnreg.", "st.global",
           "wgmma.fence", "wgmma.wait_group")


class Program(MemorySteps):
    """`steps` has (guard, step, what to do where an operand is no integer) for each instruction. A step returns None,
    the number of the instruction that comes next, or -1 at the end."""

    def __init__(self, text):
        self.text = text
        self.constants = {}
        self.steps = []
        for instruction in text.instructions:
            combine = self.combination(instruction)
            step = self.step(instruction) or combine
            self.steps.append((instruction.guard, step, combine))

    def source(self, operand, bits=64):
        """The key of an operand among a thread's registers, where numbers are, too."""
        number = literal(operand)
        if number is None:
            return operand
        key = f"{operand} of {bits} bits"
        self.constants[key] = number & (1 << bits) - 1
        return key

    def combination(self, instruction):
        """A result that is made of everything that the operands are made of."""
        if not instruction.operands:
            return lambda thread: None
        results = elements(instruction.operands[0])
        sources = [self.source(operand) for operand in instruction.operands[1:] if operand[0] not in "[{"]

        def combine(thread):
            registers = thread.registers
            made_of = frozenset().union(*(parts_of(registers[source]) for source in sources))
            for result in results:
                registers[result] = Value(made_of)
        return combine

    def step(self, instruction):
        """None where floating-point numbers are computed."""
        opcode, operands = instruction.opcode, instruction.operands
        if opcode.startswith(IGNORED):
            return lambda thread: None
        name, kind = opcode.split(".")[0], opcode.split(".")[-1]
        method = getattr(self, f"step_{name}", None)
        if method:
            return method(instruction, opcode, operands)
        if is_float(kind):
            return None
        if name in ARITHMETIC:
            return self.arithmetic(name, kind, operands)
        return unknown_form(opcode)

    # Integers.

    def arithmetic(self, name, kind, operands):
        bits = bits_of(kind)
        result, function, mask = operands[0], ARITHMETIC[name], (1 << bits) - 1
        a, b = (self.source(operand, bits) for operand in operands[1:3])
        if kind[0] == "s" and name in ("min", "max", "div", "rem", "shr"):
            def step(thread):
                registers = thread.registers
                left, right = signed(registers[a], bits), registers[b]
                registers[result] = function(left, right if name == "shr" else signed(right, bits)) & mask
        else:
            def step(thread):
                registers = thread.registers
                registers[result] = function(registers[a], registers[b]) & mask
        return step

    def multiplication(self, opcode, operands):
        """mul and mad, of the low or high half of the product, or wide."""
        half, kind = opcode.split(".")[1], opcode.split(".")[-1]
        if is_float(kind):
            return None
        bits = bits_of(kind)
        mask = (1 << (2 * bits if half == "wide" else bits)) - 1
        result, (a, b) = operands[0], (self.source(operand, bits) for operand in operands[1:3])
        addend = self.source(operands[3]) if len(operands) > 3 else self.source("0")

        def step(thread):
            registers = thread.registers
            left, right = registers[a], registers[b]
            if kind[0] == "s":
                left, right = signed(left, bits), signed(right, bits)
            product = left * right >> bits if half == "hi" else left * right
            registers[result] = product + registers[addend] & mask
        return step

    def step_mul(self, instruction, opcode, operands):
        return self.multiplication(opcode, operands)

    step_mad = step_mul

    def step_not(self, instruction, opcode, operands):
        mask = (1 << bits_of(opcode.split(".")[-1])) - 1
        result, a = operands[0], self.source(operands[1])

        def step(thread):
            thread.registers[result] = thread.registers[a] ^ mask
        return step

    def step_neg(self, instruction, opcode, operands):
        kind = opcode.split(".")[-1]
        if is_float(kind):
            return None
        result, a, mask = operands[0], self.source(operands[1]), (1 << bits_of(kind)) - 1

        def step(thread):
            thread.registers[result] = -thread.registers[a] & mask
        return step

    def step_bfe(self, instruction, opcode, operands):
        if opcode != "bfe.u32" and opcode != "bfe.u64":
            return unknown_form(opcode)
        result, (a, first, count) = operands[0], map(self.source, operands[1:])

        def step(thread):
            registers = thread.registers
            registers[result] = registers[a] >> registers[first] & (1 << registers[count]) - 1
        return step

    def step_prmt(self, instruction, opcode, operands):
        """Each nibble of the last operand chooses a byte of the first two, or its sign."""
        if opcode != "prmt.b32":
            return unknown_form(opcode)
        result, (a, b, choice) = operands[0], (self.source(operand, 32) for operand in operands[1:])

        def step(thread):
            registers = thread.registers
            both, chosen, permuted = registers[b] << 32 | registers[a], registers[choice], 0
            for number in range(4):
                nibble = chosen >> 4 * number & 15
                byte = both >> 8 * (nibble & 7) & 255
                permuted |= ((byte >> 7) * 255 if nibble & 8 else byte) << 8 * number
            registers[result] = permuted
        return step

    def step_setp(self, instruction, opcode, operands):
        parts = opcode.split(".")
        if len(parts) != 3 or parts[1] not in COMPARISONS:
            return unknown_form(opcode)
        kind, compare, result = parts[2], COMPARISONS[parts[1]], operands[0]
        bits = bits_of(kind)
        a, b = (self.source(operand, bits) for operand in operands[1:])

        def step(thread):
            left, right = thread.registers[a], thread.registers[b]
            # Values that are no integers may be compared for equality: an addition finds them out.
            left, right = left + 0, right + 0
            if kind == "f32":
                left, right = (struct.unpack("f", struct.pack("I", number))[0] for number in (left, right))
            elif kind[0] == "s":
                left, right = signed(left, bits), signed(right, bits)
            thread.registers[result] = int(compare(left, right))
        return step

    def step_selp(self, instruction, opcode, operands):
        bits = bits_of(opcode.split(".")[-1])
        result, a, b = operands[0], self.source(operands[1], bits), self.source(operands[2], bits)
        condition = self.source(operands[3])

        def step(thread):
            registers = thread.registers
            registers[result] = registers[a if registers[condition] & 1 else b]
        return step

    # Moves and conversions.

    def step_mov(self, instruction, opcode, operands):
        bits = bits_of(opcode.split(".")[-1])
        if operands[0].startswith("{"):
            return self.unpacking(elements(operands[0]), operands[1], bits)
        if operands[1].startswith("{"):
            return self.packing(operands[0], elements(operands[1]), bits)
        result, a = operands[0], self.source(operands[1], bits)

        def step(thread):
            thread.registers[result] = thread.registers[a]
        return step

    def packing(self, result, parts, bits):
        if len(parts) != 2:
            return unknown_form("mov")
        low, high = (self.source(part, bits // 2) for part in parts)

        def step(thread):
            below, above = thread.registers[low], thread.registers[high]
            whole = isinstance(below, int) and isinstance(above, int)
            thread.registers[result] = above << bits // 2 | below if whole else Pair(below, above)
        return step

    def unpacking(self, parts, source, bits):
        if len(parts) != 2:
            return unknown_form("mov")

        def step(thread):
            whole = thread.registers[source]
            if isinstance(whole, Pair):
                halves = whole.low, whole.high
            elif isinstance(whole, int):
                halves = whole & (1 << bits // 2) - 1, whole >> bits // 2
            else:
                halves = whole, whole
            thread.registers.update(zip(parts, halves))
        return step

    def step_cvt(self, instruction, opcode, operands):
        to, source_kind = opcode.split(".")[-2:]
        if to == "bf16x2" and len(operands) == 3:
            # The first operand becomes the upper half.
            high, low = (self.source(operand, 32) for operand in operands[1:])

            def step(thread):
                thread.registers[operands[0]] = Pair(thread.registers[low], thread.registers[high])
            return step
        if is_float(to) or is_float(source_kind):
            return None
        result, a, bits = operands[0], self.source(operands[1]), bits_of(source_kind)
        source_mask, mask = (1 << bits) - 1, (1 << bits_of(to)) - 1

        def step(thread):
            value = thread.registers[a] & source_mask
            thread.registers[result] = (signed(value, bits) if source_kind[0] == "s" else value) & mask
        return step

    def step_cvta(self, instruction, opcode, operands):
        def step(thread):
            thread.registers[operands[0]] = thread.registers[operands[1]]
        return step

    def step_mapa(self, instruction, opcode, operands):
        result, address, rank = operands[0], operands[1], self.source(operands[2])

        def step(thread):
            thread.registers[result] = thread.registers[address] + (thread.registers[rank] + 1) * BLOCK_DISTANCE
        return step

    def step_elect(self, instruction, opcode, operands):
        lane, predicate = operands[0].split("|")

        def step(thread):
            thread.registers[lane] = 0
            thread.registers[predicate] = int(thread.registers["%laneid"] == 0)
        return step

    # Control.

    def step_bra(self, instruction, opcode, operands):
        goal = self.text.labels[operands[0]]
        return lambda thread: goal

    def step_brx(self, instruction, opcode, operands):
        number, goals = operands[0], [self.text.labels[label] for label in self.text.targets[operands[1]]]
        return lambda thread: goals[thread.registers[number]]

    def step_ret(self, instruction, opcode, operands):
        return lambda thread: -1
