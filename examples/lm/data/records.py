"""Reads records {query, response, domain} and evaluation entries {query, code} from JSON-lines files, one line at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .errors import DataError


@dataclass(frozen=True, slots=True)
class Record:
    """A question, its answer and the field it is from. `place` is FILE:LINE."""

    query: str
    response: str
    domain: str
    place: str


@dataclass(frozen=True, slots=True)
class EvaluationEntry:
    """A question of an evaluation set, with the reference solution where the set is about code."""

    query: str
    code: str | None
    place: str


def read_records(paths: Sequence[Path], on_malformed: Callable[[DataError], None] | None = None) -> Iterator[Record]:
    """The records of all files in order. Fields other than the three are ignored, and so are blank lines.

    A line that is not such a record raises DataError with its place, or is passed to `on_malformed` and skipped.
    """
    for place, line in _lines(paths):
        try:
            fields = _fields(place, line)
            yield Record(_text(fields, "query", place), _text(fields, "response", place), _text(fields, "domain", place), place)
        except DataError as error:
            if on_malformed is None:
                raise
            on_malformed(error)


def read_evaluation_entries(paths: Sequence[Path]) -> Iterator[EvaluationEntry]:
    """The entries of all evaluation sets. An entry that cannot be read always raises DataError: a leak would go unseen."""
    for place, line in _lines(paths):
        fields = _fields(place, line)
        code = _text(fields, "code", place) if fields.get("code") is not None else None
        yield EvaluationEntry(_text(fields, "query", place), code, place)


def _lines(paths: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        with open(path, "rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield f"{path}:{number}", line


def _fields(place: str, line: bytes) -> dict[str, object]:
    try:
        fields = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise DataError(f"{place}: not UTF-8 at byte {error.start} of the line") from error
    except json.JSONDecodeError as error:
        raise DataError(f"{place}: not JSON: {error.msg} at character {error.pos + 1}") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{place}: not JSON that can be read: {error}") from error
    if not isinstance(fields, dict):
        raise DataError(f"{place}: a record is a JSON object, not {_kind(fields)}")
    return fields


def _text(fields: dict[str, object], name: str, place: str) -> str:
    if name not in fields:
        raise DataError(f'{place}: the field "{name}" is missing')
    value = fields[name]
    if not isinstance(value, str):
        raise DataError(f'{place}: the field "{name}" is a string, not {_kind(value)}')
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        # JSON can spell half of a surrogate pair, which is no character and which no tokenizer takes.
        raise DataError(f'{place}: the field "{name}" has half a surrogate pair at character {error.start + 1}') from error
    return value


def _kind(value: object) -> str:
    if value is None:
        return "null"
    return {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "an array", dict: "an object"}[type(value)]
