"""Whether a program that a model wrote passes its tests, in a process with limits of time and memory.

The limits end programs that do not end, or that fill the memory. They are no sandbox: a program can read and write files
and use the network as whoever runs the evaluation can.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress

PROCESSOR_SECONDS = 3  # as code_eval's limit, of time that is computed in
WALL_SECONDS = 10  # for programs that wait
MEMORY_BYTES = 2 << 30
FILE_BYTES = 1 << 20

# A program that ends by itself, with whatever status, has not come to the end of its tests.
PASSED = 86
LAUNCHER = f"""
import os, resource, sys
program = sys.stdin.read()
for limit, value in ((resource.RLIMIT_CPU, int(sys.argv[1])), (resource.RLIMIT_AS, int(sys.argv[2])),
                     (resource.RLIMIT_FSIZE, {FILE_BYTES}), (resource.RLIMIT_CORE, 0)):
    resource.setrlimit(limit, (value, value))
exec(compile(program, "candidate", "exec"), {{"__name__": "candidate"}})
os._exit({PASSED})
"""


def passes(program: str, processor_seconds: int = PROCESSOR_SECONDS, wall_seconds: float = WALL_SECONDS,
           memory_bytes: int = MEMORY_BYTES) -> bool:
    """Whether `program`, tests included, runs to its end. What it starts ends with it."""
    arguments = [sys.executable, "-I", "-X", "utf8", "-c", LAUNCHER, str(processor_seconds), str(memory_bytes)]
    with tempfile.TemporaryDirectory() as directory:
        # Nothing of the environment goes along, and no file is written where the evaluation runs.
        process = subprocess.Popen(arguments, cwd=directory, env={}, start_new_session=True, stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.communicate(program.encode("utf-8", "replace"), timeout=wall_seconds)
        except subprocess.TimeoutExpired:
            return False
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return process.returncode == PASSED


def pass_at_1(references: Sequence[str], predictions: Sequence[str]) -> float:
    """The part of the predictions that pass their tests: lm-eval's metric of that name for one response to each task."""
    passed = [passes(f"{prediction}\n{tests}") for tests, prediction in zip(references, predictions, strict=True)]
    return sum(passed) / len(passed)
