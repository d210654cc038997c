"""Counts what each step removed, by domain, and keeps a few examples of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TypedDict

from .errors import DataError
from .records import Record

DUPLICATE, CONTAMINATED, JUNK = "duplicate", "contaminated", "junk"
STEPS = (DUPLICATE, CONTAMINATED, JUNK)
EXCERPT_CHARACTERS = 120


class Counts(TypedDict):
    """What became of the records of one domain, or of all. `reasons` has what `duplicate`, `contaminated` and `junk` add up."""

    read: int
    duplicate: int
    contaminated: int
    junk: int
    kept: int
    tokens: int
    reasons: dict[str, int]


class Report:
    """Every record that was read is either kept or counted once as removed: read = kept + duplicate + contaminated + junk."""

    def __init__(self, examples: int) -> None:
        self._examples_wanted = examples
        self.read: Counter[str] = Counter()
        self.kept: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()
        self.removed: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        self.malformed = 0
        self._examples: dict[str, list[dict[str, object]]] = defaultdict(list)

    def remove(self, record: Record, step: str, reason: str, **details: object) -> None:
        """Counts a record that a step removed. `details` go into its example."""
        self.removed[record.domain][step, reason] += 1
        examples = self._examples[_name(step, reason)]
        if len(examples) < self._examples_wanted:
            texts = {"query": _excerpt(record.query), "response": _excerpt(record.response)}
            examples.append({"place": record.place, "domain": record.domain, **texts, **details})

    def keep(self, domain: str, tokens: int) -> None:
        self.kept[domain] += 1
        self.tokens[domain] += tokens

    def skip(self, error: DataError) -> None:
        """Counts a line that is no record; nobody knows its domain."""
        self.malformed += 1
        examples = self._examples["malformed"]
        if len(examples) < self._examples_wanted:
            examples.append({"error": str(error)})

    def domains(self) -> dict[str, Counts]:
        return {domain: self._domain(domain) for domain in sorted(self.read)}

    def total(self) -> Counts:
        return self._counts(self.read.total(), self.kept.total(), self.tokens.total(), sum(self.removed.values(), Counter()))

    def counts(self) -> dict[str, object]:
        """The numbers alone, by domain and in total."""
        return {"malformed_lines": self.malformed, "total": self.total(), "domains": self.domains()}

    def as_json(self) -> dict[str, object]:
        return {**self.counts(), "examples": dict(sorted(self._examples.items()))}

    def table(self) -> str:
        """A line for each domain, and after them a line for each reason, in plain text."""
        total = self.total()
        rows = [["domain", "read", *STEPS, "kept", "tokens"]]
        for name, counts in [*self.domains().items(), ("total", total)]:
            numbers = (counts["read"], counts["duplicate"], counts["contaminated"], counts["junk"], counts["kept"], counts["tokens"])
            rows.append([name, *(f"{number:,}" for number in numbers)])
        reasons = [["reason", "records"]]
        reasons += [[reason, f"{number:,}"] for reason, number in total["reasons"].items()]
        lines = _aligned(rows)
        if len(reasons) > 1:
            lines += ["", *_aligned(reasons)]
        if self.malformed:
            lines += ["", f"{self.malformed:,} malformed lines were skipped"]
        return "\n".join(lines)

    def _domain(self, domain: str) -> Counts:
        return self._counts(self.read[domain], self.kept[domain], self.tokens[domain], self.removed[domain])

    @staticmethod
    def _counts(read: int, kept: int, tokens: int, removed: Counter[tuple[str, str]]) -> Counts:
        by_step: Counter[str] = Counter()
        for (step, _), number in removed.items():
            by_step[step] += number
        return {
            "read": read,
            "duplicate": by_step[DUPLICATE],
            "contaminated": by_step[CONTAMINATED],
            "junk": by_step[JUNK],
            "kept": kept,
            "tokens": tokens,
            "reasons": {_name(*key): number for key, number in sorted(removed.items())},
        }


def _name(step: str, reason: str) -> str:
    return f"{step}: {reason}"


def _excerpt(text: str) -> str:
    return text if len(text) <= EXCERPT_CHARACTERS else text[:EXCERPT_CHARACTERS] + "…"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The first column to the left, the others, which are numbers, to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows]
