"""Instructions that reach memory, barriers or tensor cores, as functions of a thread (ptx_thread.py)."""
import functools
import re

import ptx_events as events
from ptx_events import Value
from ptx_numbers import signed
from ptx_text import address_parts, elements, tensor_parts

# Shared memory begins somewhere above 0, at a multiple of the period of the widest swizzle.
SHARED_BASE = 1024
# Addresses in the shared memory of another block are this far apart.
BLOCK_DISTANCE = 1 << 40
WORD_BYTES = 4


class Stuck(Exception):
    """A thread cannot be followed any further."""


def unknown_form(opcode):
    def step(thread):
        raise Stuck(f"no function here does what {opcode} does")
    return step


@functools.cache
def new_sums(number, count):
    """The same for all threads."""
    return [Value(frozenset([events.Sum(number, place)])) for place in range(count)]


class MemorySteps:
    """A part of Program, which has `text` and source()."""

    def step_bar(self, instruction, opcode, operands):
        return lambda thread: thread.events.append(events.Meeting())

    @staticmethod
    def shared(operand):
        """An offset in shared memory, as a function of a thread."""
        register, offset = address_parts(operand)
        offset -= SHARED_BASE
        return lambda thread: thread.registers[register] + offset

    def step_ld(self, instruction, opcode, operands):
        results = elements(operands[0])
        if opcode.startswith("ld.global"):
            return lambda thread: thread.registers.update((result, Value()) for result in results)
        if not opcode.startswith("ld.param"):
            return self.receive(results, self.shared(operands[1]))
        name = operands[1]
        # Behind the tensor maps there may be plain maps, which threads read and write through. They show nothing.
        return lambda thread: thread.registers.update((result, thread.registers.get(name, 0)) for result in results)

    @staticmethod
    def receive(results, address):
        """Shared memory is read where other blocks have written it."""
        def step(thread):
            for number, result in enumerate(results):
                word = address(thread) + number * WORD_BYTES
                thread.registers[result] = Value(frozenset([events.Received(word, thread.reads[word])]))
                thread.reads[word] += 1
        return step

    def step_shfl(self, instruction, opcode, operands):
        results = operands[0].split("|")
        return lambda thread: thread.registers.update((result, Value()) for result in results)

    def step_st(self, instruction, opcode, operands):
        address, sources = self.shared(operands[0]), [self.source(source, 32) for source in elements(operands[1])]
        to_blocks = opcode.startswith("st.shared::cluster")

        def step(thread):
            values = [thread.registers[source] for source in sources]
            block, offset = divmod(address(thread), BLOCK_DISTANCE)
            thread.events.append(events.Send(instruction, block - 1, offset, values) if to_blocks else
                                 events.Write(instruction, offset, values))
        return step

    step_stmatrix = step_st

    def step_mbarrier(self, instruction, opcode, operands):
        at = next(number for number, operand in enumerate(operands) if operand.startswith("["))
        result, barrier = operands[0] if at else "_", self.shared(operands[at])
        parity = self.source(operands[at + 1]) if "_wait.parity" in opcode else None

        def step(thread):
            # A wait is over at once.
            thread.registers[result] = 1
            if parity:
                thread.events.append(events.Wait(barrier(thread), thread.registers[parity]))
            elif "expect_tx" in opcode:
                thread.events.append(events.Expect(barrier(thread)))
        return step

    def step_cp(self, instruction, opcode, operands):
        if not opcode.startswith("cp.async.bulk.tensor.4d."):
            return unknown_form(opcode)
        loads = ".shared::cluster.global." in opcode
        map_register, coordinates = tensor_parts(operands[1 if loads else 0])
        coordinates = [self.source(coordinate, 32) for coordinate in coordinates]
        address = self.shared(operands[0 if loads else 1])

        def box(thread):
            registers = thread.registers
            return (instruction, registers[map_register] - registers[self.text.parameters[0][0]],
                    tuple(signed(registers[coordinate], 32) for coordinate in coordinates), address(thread))
        if not loads:
            return lambda thread: thread.events.append(events.Store(*box(thread)))
        barrier = self.shared(operands[2])
        mask = operands[3] if ".multicast::cluster" in opcode else None
        return lambda thread: thread.events.append(
            events.Load(*box(thread), barrier(thread), None if mask is None else thread.registers[mask]))

    def step_wgmma(self, instruction, opcode, operands):
        if opcode.startswith("wgmma.commit_group"):
            return lambda thread: thread.events.append(events.Commit())
        shape = re.search(r"\.m64n(\d+)k16\.f32\.bf16\.bf16$", opcode)
        if not shape:
            return unknown_form(opcode)
        columns, sums = int(shape[1]), elements(operands[0])
        a, b = operands[1:3]
        transposed = tuple(int(operand) for operand in operands[6:8])

        def step(thread):
            registers = thread.registers
            # Sums that begin anew are zeros.
            if isinstance(registers[sums[0]], int):
                registers.update(zip(sums, new_sums(thread.different_sums, len(sums))))
                thread.different_sums += 1
            (number, _), = registers[sums[0]].parts
            descriptors = registers[a], registers[b]
            thread.events.append(events.Product(instruction, columns, descriptors, transposed, number))
        return step
