"""Sets of 3-character shingles and their exact Jaccard similarity."""

from __future__ import annotations

import numpy as np

SHINGLE_CHARACTERS = 3
BITS_PER_CHARACTER = 21  # Unicode ends at 0x10FFFF.
SHORT_TEXT_BIT = 63


def shingles_of(text: str) -> np.ndarray:
    """The distinct shingles of a text, sorted, each as a 64-bit number that holds its three characters: no two shingles share a number.

    Case and white space are kept. A text of one or two characters is one shingle of its own; the empty text has none.
    """
    characters = np.frombuffer(text.encode("utf-32-le"), dtype="<u4").astype(np.uint64)
    shift = np.uint64(BITS_PER_CHARACTER)
    if characters.size < SHINGLE_CHARACTERS:
        numbers = [_short_text_number(text)] if text else []
        return np.array(numbers, dtype=np.uint64)
    return np.unique((characters[:-2] << (shift + shift)) | (characters[1:-1] << shift) | characters[2:])


def jaccard(first: np.ndarray, second: np.ndarray) -> float:
    """|A and B| / |A or B| of two sets of shingles; 0 where both are empty."""
    both = np.intersect1d(first, second, assume_unique=True).size
    either = first.size + second.size - both
    return both / either if either else 0.0


def _short_text_number(text: str) -> int:
    """The highest bit, which no shingle of three characters has, and the length above the characters: "a" is not "\\0a"."""
    number = len(text)
    for character in text:
        number = (number << BITS_PER_CHARACTER) | ord(character)
    return number | 1 << SHORT_TEXT_BIT
