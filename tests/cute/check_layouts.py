#!/usr/bin/python3
"""Compares how kernels lay out their operands and results with what CuTe says.

  check_layouts.py --algctl PROGRAM --compiler CLANG --work FOLDER

Emits kernels as PTX and follows their threads. Each descriptor of an operand is compared with the one that CuTe makes
for the layout of its stage, and what it leads to with the boxes that were loaded; the sums that threads hold, as CuTe
says which those are, are followed to the elements of the result that the copy engine stores. Results that threads store
straight from their registers are not followed. Then faults are planted in kernels, which have to be found.

Exit code 1 where anything differs, 77 where CuTe's headers are not there.
"""
import argparse
import sys
from pathlib import Path

from block import follow_cluster
from cute_layouts import CuteFailure, Missing, ask, find_headers
from kernel import Refused
from kernels import all_kernels
from operands import check_operands
from planted import FAULTS, check_faults
from ptx_memory import Stuck
from report import Report
from results import check_results

SKIPPED = 77


def check(kernel, layouts, report):
    report.begin(kernel)
    try:
        cluster = follow_cluster(kernel)
        known = [check_operands(kernel, block, layouts, report) for block in cluster]
        if kernel.follow_elements:
            check_results(kernel, cluster, known, layouts, report)
    except Stuck as why:
        report.problem(f"A thread cannot be followed: {why}")


def check_all(arguments):
    """Returns what is wrong, as text."""
    kernels = all_kernels()
    for kernel in kernels:
        kernel.write(arguments.algctl)
    questions = set().union(*(kernel.questions() for kernel in kernels))
    layouts = ask(questions, arguments.compiler, arguments.work.absolute())
    report = Report()
    for kernel in kernels:
        check(kernel, layouts, report)
    print(report.summary())

    def differences_of(kernel):
        of_kernel = Report()
        check(kernel, layouts, of_kernel)
        return of_kernel.differences

    problems = check_faults([kernel for kernel in kernels if kernel.follow_elements], differences_of)
    print(f"{len(FAULTS) - len(problems)} of {len(FAULTS)} planted faults were found")
    return report.differences + problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--algctl", required=True)
    parser.add_argument("--compiler", required=True, help="that compiles layouts.cpp")
    parser.add_argument("--work", required=True, type=Path, help="a folder for what CuTe answered")
    arguments = parser.parse_args()
    try:
        find_headers()
    except Missing as why:
        print(f"SKIPPED: THE LAYOUTS OF KERNELS WERE NOT COMPARED WITH CUTE'S.\n{why}", file=sys.stderr)
        return SKIPPED
    try:
        problems = check_all(arguments)
    except (Refused, CuteFailure) as why:
        problems = [str(why)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
