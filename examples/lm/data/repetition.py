"""Measures of how often a text repeats itself."""

from __future__ import annotations

import zlib
from collections.abc import Hashable, Sequence


def repeated_share(items: Sequence[Hashable]) -> float:
    """The share of items that were there before; 0 for none."""
    return 1 - len(set(items)) / len(items) if items else 0.0


def phrases(words: Sequence[str], length: int) -> list[tuple[str, ...]]:
    """All runs of `length` words."""
    return [tuple(words[begin : begin + length]) for begin in range(len(words) - length + 1)]


def has_run(text: str, longest: int) -> bool:
    """Whether one character other than white space is there more than `longest` times in a row.

    Such a run covers one of every `longest` characters, so that only those few can be the character of a run.
    """
    return len(text) > longest and any(not character.isspace() and character * (longest + 1) in text for character in set(text[::longest]))


def compressed_share(data: bytes) -> float:
    """The size after zlib over the size before."""
    return len(zlib.compress(data)) / len(data)
