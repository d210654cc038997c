"""Tokens in a flat file, and which of them make the batch of a step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from configuration import ConfigurationError, require

BYTES_OF_A_TOKEN = 2


@dataclass(frozen=True)
class TokenFileHeader:
    tokens: int
    vocabulary: int
    end_of_text: int

    @staticmethod
    def read(path: Path) -> TokenFileHeader:
        try:
            content = json.loads(path.read_text())
            vocabulary = content["vocabulary"]
            return TokenFileHeader(int(content["tokens"]), int(vocabulary["size"]), int(vocabulary["end_of_text"]))
        except FileNotFoundError as error:
            raise ConfigurationError(f"there is no {path}, which says what the tokens beside it are") from error
        except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
            raise ConfigurationError(f"{path} is not the header of a token file: {error!r}") from error


class TokenFile:
    """Little-endian uint16 tokens and nothing else. The JSON file of the same stem says how many, and of what vocabulary."""

    def __init__(self, path: Path, vocabulary: int) -> None:
        self.path = path
        self.vocabulary = vocabulary
        require(path.is_file(), f"there is no {path}: write it with the programs of examples/lm/data")
        size = path.stat().st_size
        require(size > 0 and size % BYTES_OF_A_TOKEN == 0, f"{path} has {size} bytes: not a file of two-byte tokens")
        self.tokens = np.memmap(path, dtype="<u2", mode="r")
        header = TokenFileHeader.read(path.with_suffix(".json"))
        require(header.tokens == len(self.tokens),
                f"{path} has {len(self.tokens)} tokens, and {header.tokens} by its header: it is not complete")
        require(header.vocabulary <= vocabulary,
                f"{path} has tokens of a vocabulary of {header.vocabulary}, more than the {vocabulary} of the model")
        self.header = header

    def __len__(self) -> int:
        return len(self.tokens)

    def windows(self, starts: np.ndarray, length: int) -> tuple[Tensor, Tensor]:
        """Inputs and targets [sequences, length] in int64: `length` tokens from each start, and the same one further on."""
        rows = np.stack([self.tokens[start:start + length + 1] for start in starts]).astype(np.int64)
        if rows.max() >= self.vocabulary:
            raise ConfigurationError(f"{self.path} has token {rows.max()}, and the model a vocabulary of {self.vocabulary}")
        rows = torch.from_numpy(rows)
        return rows[:, :-1].contiguous(), rows[:, 1:].contiguous()


@dataclass
class Order:
    """A sequence of windows that visits the text once in each epoch, at random, and depends on the seed alone.

    Every epoch cuts the text at other places. The n-th sequence of a run is the same for any number of processes.
    """

    tokens: int
    length: int
    seed: int

    def __post_init__(self) -> None:
        # One token more than a window for the last target, and a window to shift the first cut in.
        self.windows = (self.tokens - self.length) // self.length
        require(self.windows > 0, f"{self.tokens} tokens are too few for sequences of {self.length}")
        self._epoch = -1

    def start(self, sequence: int) -> int:
        epoch, index = divmod(sequence, self.windows)
        if epoch != self._epoch:
            generator = np.random.Generator(np.random.Philox(np.random.SeedSequence((self.seed, epoch))))
            self._shift = int(generator.integers(self.length))
            self._order = generator.permutation(self.windows)
            self._epoch = epoch
        return self._shift + int(self._order[index]) * self.length


@dataclass
class TrainingBatches:
    """The batch of a step is computed from the step, so that a run that is resumed goes on with the same text."""

    file: TokenFile
    length: int
    sequences: int  # of a process, in one pass
    accumulation: int
    rank: int
    processes: int
    seed: int

    def __post_init__(self) -> None:
        self.order = Order(len(self.file), self.length, self.seed)

    def batch(self, step: int, part: int) -> tuple[Tensor, Tensor]:
        first = ((step * self.accumulation + part) * self.processes + self.rank) * self.sequences
        return self.file.windows(np.array([self.order.start(first + index) for index in range(self.sequences)]), self.length)


@dataclass
class ValidationBatches:
    """The same windows at every evaluation, spread evenly over the text, as many for each process."""

    file: TokenFile
    length: int
    sequences: int  # in one pass
    total: int
    rank: int
    processes: int

    def __post_init__(self) -> None:
        windows = (len(self.file) - 1) // self.length
        chosen = min(self.total, windows) // self.processes * self.processes
        require(chosen > 0, f"{self.file.path} is too short: {windows} sequences of {self.length} for {self.processes} processes")
        self.starts = (np.arange(chosen) * windows // chosen * self.length)[self.rank::self.processes]

    def __iter__(self):
        for first in range(0, len(self.starts), self.sequences):
            yield self.file.windows(self.starts[first:first + self.sequences], self.length)
