"""Token files for tests, as the programs of examples/lm/data write them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

VOCABULARY = 256


def write_tokens(directory: Path, name: str, tokens: np.ndarray, vocabulary: int = VOCABULARY) -> None:
    tokens.astype("<u2").tofile(directory / f"{name}.bin")
    header = {"format": "uint16-little-endian", "tokens": len(tokens), "vocabulary": {"size": vocabulary, "end_of_text": vocabulary - 1}}
    (directory / f"{name}.json").write_text(json.dumps(header))


def chain(length: int, seed: int) -> np.ndarray:
    """Each token follows from the one before, except for some noise."""
    generator = np.random.default_rng(seed)
    noise = np.where(generator.random(length) < 0.2, generator.integers(VOCABULARY, size=length), 0)
    tokens = np.zeros(length, dtype=np.int64)
    for index in range(1, length):
        tokens[index] = (5 * tokens[index - 1] + 7 + noise[index]) % VOCABULARY
    return tokens
