"""What the commands of this folder share: checked numbers for argparse, and exit codes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from .errors import DataError
from .output_folder import clean_up_when_terminated
from .vocabulary import GPT2_MERGES

EXIT_DATA = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


def merges(text: str) -> int:
    number = int(text)
    if not 0 <= number <= GPT2_MERGES:
        raise argparse.ArgumentTypeError(f"between 0 and {GPT2_MERGES}, not {number}")
    return number


def fraction(text: str) -> float:
    number = float(text)
    if not 0 <= number < 1:
        raise argparse.ArgumentTypeError(f"at least 0 and below 1, not {text}")
    return number


def count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"0 or more, not {number}")
    return number


def seed(text: str) -> int:
    number = int(text)
    if not 0 <= number < 1 << 32:
        raise argparse.ArgumentTypeError(f"between 0 and {(1 << 32) - 1}, not {number}")
    return number


def exit_code_of(command: Callable[[], None]) -> int:
    """Runs a command: 0 if it ends, 1 with the message on stderr for bad data or a full disk, 130 if it is interrupted."""
    clean_up_when_terminated()
    try:
        command()
    except DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_DATA
    except OSError as error:
        print(f"error: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        return EXIT_DATA
    except KeyboardInterrupt:
        print("interrupted; nothing was written", file=sys.stderr)
        return EXIT_INTERRUPTED
    return 0
