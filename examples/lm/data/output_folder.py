"""A folder of results that appears whole or not at all."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import DataError


def is_free(folder: Path) -> bool:
    """Whether results can go there: nothing is there yet, or an empty folder."""
    return not os.path.lexists(folder) or (folder.is_dir() and not any(folder.iterdir()))


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder beside `folder` to write into. It gets its name by one rename at the end, or is removed if there was an error.

    Raises DataError if `folder` has content already: results are never mixed with others, and nothing is deleted that is not ours.
    """
    if not is_free(folder):
        raise DataError(f"{folder}: there is something already; name another folder or remove it")
    folder = folder.absolute()
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = folder.parent / f".{folder.name}.partial-{os.getpid()}"
    partial.mkdir()
    try:
        yield partial
        try:
            os.rename(partial, folder)
        except OSError as error:
            raise DataError(f"{folder}: {error.strerror}; it was not so when this command began") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def clean_up_when_terminated() -> None:
    """Makes SIGTERM end the program as an exception does, so that temporary folders are removed. For programs, not for libraries."""
    signal.signal(signal.SIGTERM, _leave)


def _leave(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)
