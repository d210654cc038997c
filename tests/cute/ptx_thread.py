"""Follows one thread of a kernel in PTX, alone: it never waits, and of floating-point numbers it only knows which sums
of products they are made of.

Where a thread goes, and where its operands and results lie, are integers that follow from its number and the numbers of
rows and blocks. So each thread can be followed without the others. What it does is written down as events.
"""
import collections

from ptx_decode import Program
from ptx_memory import SHARED_BASE, Stuck
from ptx_text import read_kernel

MOST_INSTRUCTIONS = 400_000
PARAMETER_BASE, PARAMETER_DISTANCE = 1 << 50, 1 << 20


class Thread:
    def __init__(self, program, numbers, parameters):
        """`numbers` are special registers by name; `parameters` the values of the kernel's, by their place."""
        self.program = program
        self.registers = registers = dict(program.constants)
        registers.update(numbers)
        registers["shared"] = SHARED_BASE
        for place, (name, _) in enumerate(program.text.parameters):
            registers[name] = PARAMETER_BASE + place * PARAMETER_DISTANCE
            registers[f"[{name}]"] = parameters.get(place, 0)
        self.events = []
        self.different_sums = 0
        self.reads = collections.Counter()  # of words of shared memory, by address

    def run(self):
        registers, steps = self.registers, self.program.steps
        at = 0
        for _ in range(MOST_INSTRUCTIONS):
            guard, step, combine = steps[at]
            try:
                if guard and registers[guard[0]] != guard[1]:
                    if not isinstance(registers[guard[0]], int):
                        raise Stuck("what happens next depends on data")
                    at += 1
                    continue
                try:
                    goal = step(self)
                except TypeError:
                    # Not every operand is an integer.
                    combine(self)
                    goal = None
            except Stuck as why:
                raise Stuck(f"{self.program.text.instructions[at]}: {why}") from None
            except KeyError as register:
                raise Stuck(f"{self.program.text.instructions[at]}: {register} has no value") from None
            if goal is None:
                at += 1
            elif goal < 0:
                return self.events
            else:
                at = goal
        raise Stuck(f"a thread has not ended after {MOST_INSTRUCTIONS} instructions")


def read_program(text):
    return Program(read_kernel(text))
