"""What is wrong with the data, as opposed to the command line: commands print it and end with exit code 1."""

from __future__ import annotations


class DataError(Exception):
    """An input that cannot be used. The message begins with the place, FILE:LINE, where there is one."""
