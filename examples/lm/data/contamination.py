"""Finds out whether a text is, almost, one of the texts of the evaluation sets.

MinHash-LSH proposes candidates and the exact Jaccard similarity of the shingles decides. The evaluation sets are in the index; training
records stream past it, so that the memory needed depends on the evaluation sets alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from datasketch import MinHash, MinHashLSH

from .records import EvaluationEntry, Record
from .shingles import jaccard, shingles_of

PERMUTATIONS = 128
# A pair with similarity s becomes a candidate with probability 1 - (1 - s^rows)^bands. With 25 bands of 5 rows that is 0.99995 at s = 0.80,
# 0.99998 at 0.82 and 0.06 at 0.3. The bands that datasketch chooses itself for a threshold of 0.8, 9 of 13 rows, find 0.40 of the pairs
# at 0.80, because they weigh a missed pair no more than a pair that the exact check throws out again.
BANDS = 25
ROWS = 5
SCHEME = "affine32"
DEFAULT_THRESHOLD = 0.80
CODING_DOMAIN = "coding"
# ```Python is the same as ```python, and a block that the response does not close, because it was cut off, is a block as well.
PYTHON_BLOCK = re.compile(r"```python[ \t]*\r?\n?(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Match:
    """The evaluation entry that a text is too similar to."""

    place: str
    similarity: float


class ContaminationIndex:
    """Texts of evaluation sets, to be compared with others."""

    def __init__(self, threshold: float, seed: int) -> None:
        self._threshold = threshold
        self._permutations = MinHash(num_perm=PERMUTATIONS, seed=seed, scheme=SCHEME).permutations
        self._seed = seed
        self._candidates = MinHashLSH(num_perm=PERMUTATIONS, params=(BANDS, ROWS))
        self._sets: list[np.ndarray] = []
        self._places: list[str] = []
        self._known: set[str] = set()
        self._smallest = np.iinfo(np.int64).max
        self._largest = 0

    def __len__(self) -> int:
        return len(self._sets)

    def insert(self, text: str, place: str) -> None:
        """Adds a text. The empty text is similar to nothing, and a text that is there already would find what its first copy finds."""
        if not text or text in self._known:
            return
        self._known.add(text)
        shingles = shingles_of(text)
        self._candidates.insert(len(self._sets), self._minhash(shingles), check_duplication=False)
        self._sets.append(shingles)
        self._places.append(place)
        self._smallest = min(self._smallest, shingles.size)
        self._largest = max(self._largest, shingles.size)

    def closest(self, text: str) -> Match | None:
        """The most similar candidate if its Jaccard similarity is above the threshold. Equally similar ones: the one inserted first."""
        shingles = shingles_of(text)
        if not self._size_fits(shingles.size, self._smallest, self._largest):
            return None
        best: Match | None = None
        for key in sorted(self._candidates.query(self._minhash(shingles))):
            other = self._sets[key]
            if not self._size_fits(shingles.size, other.size, other.size):
                continue
            similarity = jaccard(shingles, other)
            if similarity > self._threshold and (best is None or similarity > best.similarity):
                best = Match(self._places[key], similarity)
        return best

    def _size_fits(self, size: int, smallest: int, largest: int) -> bool:
        """Whether a set of this size can be above the threshold with any set in the range: Jaccard is at most the ratio of the sizes."""
        return size > self._threshold * smallest and self._threshold * size < largest

    def _minhash(self, shingles: np.ndarray) -> MinHash:
        minhash = MinHash(
            num_perm=PERMUTATIONS, seed=self._seed, hashfunc=_same, permutations=self._permutations, scheme=SCHEME
        )
        minhash.update_batch(_mixed(shingles).tolist())
        return minhash


class Decontamination:
    """The queries of all evaluation sets, and their code, against which the blocks of coding responses are compared as well."""

    def __init__(self, entries: Iterable[EvaluationEntry], threshold: float = DEFAULT_THRESHOLD, seed: int = 1) -> None:
        self.queries = ContaminationIndex(threshold, seed)
        self.code = ContaminationIndex(threshold, seed)
        for entry in entries:
            self.queries.insert(entry.query, entry.place)
            if entry.code is not None:
                self.code.insert(_comparable_code(entry.code), entry.place)

    def check(self, record: Record) -> tuple[str, Match] | None:
        """("query" or "code", what was found), or None for a record that no evaluation set contains."""
        if len(self.queries) and (match := self.queries.closest(record.query)):
            return "query", match
        if record.domain == CODING_DOMAIN and len(self.code):
            for block in PYTHON_BLOCK.findall(record.response):
                if match := self.code.closest(_comparable_code(block)):
                    return "code", match
        return None


def candidate_probability(similarity: float) -> float:
    """How probable it is that a pair of this Jaccard similarity gets the exact check."""
    return 1 - (1 - similarity**ROWS) ** BANDS


def _comparable_code(code: str) -> str:
    """Line ends and the blank lines around a program say nothing about it: some evaluation sets have CR LF in their code."""
    return code.replace("\r\n", "\n").strip("\n")


def _mixed(shingles: np.ndarray) -> np.ndarray:
    """32 well-mixed bits for each shingle (the finaliser of SplitMix64), where datasketch alone would call SHA-1 for each."""
    mixed = (shingles ^ (shingles >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(32))


def _same(value: int) -> int:
    return value
