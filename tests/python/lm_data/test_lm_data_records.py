"""Reading JSON lines: places, and everything that is no record."""

from __future__ import annotations

import pytest

from examples.lm.data.errors import DataError
from examples.lm.data.records import read_evaluation_entries, read_records

GOOD = {"query": "q", "response": "r", "domain": "math", "source": "ignored"}

MALFORMED = [
    ('{"query": "q", "response": "r"', "not JSON"),
    ('["q", "r", "math"]', "a record is a JSON object, not an array"),
    ("7", "not a number"),
    ("null", "not null"),
    ('{"query": "q", "response": "r"}', '"domain" is missing'),
    ('{"query": "q", "domain": "math"}', '"response" is missing'),
    ('{"query": 3, "response": "r", "domain": "math"}', '"query" is a string, not a number'),
    ('{"query": "q", "response": null, "domain": "math"}', '"response" is a string, not null'),
    ('{"query": "q", "response": "r", "domain": ["math"]}', '"domain" is a string, not an array'),
    ('{"query": "q", "response": "\\ud800", "domain": "math"}', "surrogate"),
    ("[" * 100_000, "not JSON that can be read"),
    ('{"query": ' + "1" * 5000 + "}", "not JSON that can be read"),
]


def test_records_have_places_and_blank_lines_are_nothing(write_lines):
    path = write_lines("in.jsonl", [GOOD, "", "   ", {**GOOD, "query": "строка"}])
    records = list(read_records([path, path]))
    assert [record.place for record in records] == [f"{path}:1", f"{path}:4"] * 2
    assert records[1].query == "строка"


@pytest.mark.parametrize(("line", "message"), MALFORMED)
def test_malformed_lines_are_errors_with_their_place(write_lines, line, message):
    path = write_lines("in.jsonl", [GOOD, "", line])
    with pytest.raises(DataError) as error:
        list(read_records([path]))
    assert str(error.value).startswith(f"{path}:3: ") and message in str(error.value)


def test_bytes_that_are_not_utf8_are_an_error(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'{"query": "\xff"}\n')
    with pytest.raises(DataError, match=r"in\.jsonl:1: not UTF-8 at byte 11"):
        list(read_records([path]))


def test_malformed_lines_can_be_skipped(write_lines):
    path = write_lines("in.jsonl", [line for line, _ in MALFORMED] + [GOOD])
    errors: list[DataError] = []
    assert len(list(read_records([path], errors.append))) == 1
    assert len(errors) == len(MALFORMED)


def test_evaluation_entries_have_code_or_not(write_lines):
    path = write_lines("eval.jsonl", [{"query": "a"}, {"query": "b", "code": "c"}, {"query": "d", "code": None}])
    assert [entry.code for entry in read_evaluation_entries([path])] == [None, "c", None]
    with pytest.raises(DataError, match='eval2.jsonl:1: the field "code" is a string, not a number'):
        list(read_evaluation_entries([write_lines("eval2.jsonl", [{"query": "a", "code": 1}])]))
    with pytest.raises(DataError, match='"query" is missing'):
        list(read_evaluation_entries([write_lines("eval3.jsonl", [{"code": "a"}])]))
