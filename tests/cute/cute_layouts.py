"""Asks CuTe about layouts: compiles layouts.cpp for the host with the questions at hand, and reads the answers.

An answer is kept in the working folder, under a name that follows from the questions, the program and the headers: they
are asked anew only where kernels have other layouts.
"""
import hashlib
import os
import subprocess
from pathlib import Path

PROGRAM = Path(__file__).with_name("layouts.cpp")
FETCH = Path(__file__).parents[2] / "scripts" / "fetch-cute-headers"
ELEMENTS = {2: "Bf16", 4: "float"}


class Missing(Exception):
    """The headers are not there."""


class CuteFailure(Exception):
    """CuTe refuses a layout, or answers something that nobody asked."""


def find_headers():
    found = subprocess.run([FETCH, "--path"], capture_output=True, text=True)
    if found.returncode != 0:
        raise Missing(found.stderr.strip())
    return Path(found.stdout.strip())


def operand_question(major, span, extent, depth):
    return f"describeOperand<Major::{major}, {span}, {extent}, {depth}>();"


def accumulator_question(columns):
    return f"describeAccumulator<{columns}>();"


def box_question(span, element_bytes, rows):
    return f"describeBox<{span}, {ELEMENTS[element_bytes]}>({rows});"


class CuteLayouts:
    """`operands` has the descriptors of an operand at address 0 by (major, span, extent, depth), one for each step;
    `accumulators` (row, column) of each sum of each thread, by the columns; `boxes` the offset of each element of each
    row, by (span, bytes of an element, rows)."""

    def __init__(self, answers):
        self.operands, self.accumulators, self.boxes = {}, {}, {}
        for line in answers.splitlines():
            kind, *words = line.split()
            if kind == "operand":
                key = words[0], *map(int, words[1:4])
                self.operands.setdefault(key, []).append(int(words[5]))
                continue
            numbers = list(map(int, words))
            if kind == "accumulator":
                places = list(zip(numbers[2::2], numbers[3::2]))
                self.accumulators.setdefault(numbers[0], []).append(places)
            elif kind == "box":
                self.boxes.setdefault(tuple(numbers[:3]), []).append(numbers[4:])
            else:
                raise CuteFailure(f"layouts.cpp printed '{line}'")


def ask(questions, compiler, folder):
    headers = find_headers()
    text = "".join(question + "\n" for question in sorted(questions))
    version = (headers / "version").read_text()
    digest = hashlib.sha256("\0".join([text, PROGRAM.read_text(), version]).encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"answers-{digest}"
    if not kept.exists():
        answers = compile_and_run(text, headers, compiler, folder)
        temporary = folder / f"answers-{digest}.{os.getpid()}"
        temporary.write_text(answers)
        temporary.rename(kept)
        for other in folder.glob("answers-*"):
            if other != kept:
                other.unlink(missing_ok=True)
    return CuteLayouts(kept.read_text())


def compile_and_run(questions, headers, compiler, folder):
    included = folder / "questions.inc"
    included.write_text(questions)
    program = folder / "layouts"
    command = [compiler, "-std=c++20", "-O0", "-isystem", headers / "include", "-isystem", headers / "include/cccl",
               f'-DALGCTL_QUESTIONS="{included}"', PROGRAM, "-o", program]
    for step in command, [program]:
        result = subprocess.run(step, capture_output=True, text=True)
        if result.returncode != 0:
            raise CuteFailure(f"{step[0]} failed on the questions in {included}:\n{result.stderr[-4000:]}")
    return result.stdout
