"""What the junk filters throw out, and what they must not."""

from __future__ import annotations

import random

import pytest

from examples.lm.data.errors import DataError
from examples.lm.data.junk import reason_against
from examples.lm.data.junk_limits import JunkLimits, JunkLimitsByDomain, read_limits
from examples.lm.data.records import Record

LIMITS = JunkLimitsByDomain()
SOURCE = random.Random(1)
WORDS = "the a man woman house river sees builds near under old new boats trees".split()
PROSE = " ".join(SOURCE.choice(WORDS) for _ in range(400))
GOOD_CODE = "def f(x):\n    return x + 1\n"
REPEATED_CODE = "```python\n" + "".join(f"x{n} = {n}\n" for n in range(5)) + "value = 'same'\n" * 30 + "```"
NOT_REPEATED_CODE = "```cpp\n" + "".join(f"int x{n} = {n};\n}}\n}}\n" for n in range(30)) + "```"


def reason(response: str, domain: str = "general", query: str = "a question") -> str | None:
    return reason_against(Record(query, response, domain, "in:1"), LIMITS.of(domain))


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("?!... --", "no letters or digits"),
        ("x" * 201, "run of one character"),
        ("ha" * 2000, "repetitive"),
        ("and so it goes " * 20, "repeated phrases"),
        ("是的" * 1000, "repetitive"),
        ("B", None),
        ("4", None),
        ("Да.", None),
        ("-" * 120 + " title", None),
        ("x" * 200, None),
        ("and so it goes " * 5, None),
        (PROSE, None),
        ("\n".join(f"| row {n} | {n * n} |" for n in range(100)), None),
    ],
)
def test_every_domain(response, expected):
    assert reason(response) == expected


@pytest.mark.parametrize(("query", "expected"), [("", "empty"), ("  ", "empty"), (" a ", "short query"), ("2+2", None)])
def test_queries(query, expected):
    assert reason("an answer", query=query) == expected


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("x = 1", "short response"),
        ("I am afraid that I cannot help with this.", "no code"),
        ("Hello-World-Text", "no code"),
        ("```python\n\n```\nand words", "no code"),
        ("```python\ndef f(:\n```", "does not parse"),
        ("```python\nprint 'Python 2'\n```", "does not parse"),
        ("```py\ndef f(x):\nreturn x\n```", "does not parse"),
        ("```python\n" + "( " * 5000 + ") " * 5000 + "\n```", "does not parse"),
        ("```python\nx = " + "- " * 30_000 + "1\n```", "does not parse"),
        ("```python\nx = '\0'\n```", "does not parse"),
        (REPEATED_CODE, "repeated lines"),
        (NOT_REPEATED_CODE, None),
        (GOOD_CODE, None),
        ("print(value)", None),
        ("SELECT name FROM people;", None),
        ("Use:\n```\nls -la\n```", None),
        (f"```python\n{GOOD_CODE}", None),
        (f"1. Do this:\n   ```python\n   {GOOD_CODE.replace(chr(10), chr(10) + '   ')}\n   ```", None),
        ("```python\n>>> 1 + 1\n2\n```", None),
        (f"```python\ndef f(:\n```\nbetter:\n```python\n{GOOD_CODE}```", None),
        ("```cpp\nint main() { return 0; }\n```", None),
        ("```python\n'\\d' is 'x'\n```", None),
    ],
)
def test_code(response, expected):
    assert reason(response, "coding") == expected


def test_patterns_take_linear_time_on_hostile_responses():
    repeated = ("\n", "```", "```python ", "a(", "; ", ";\t", "f(x", "x =\t", "\t")
    for response in [text * 100_000 + "x" for text in repeated]:
        reason(response, "coding")


def test_limits_are_read_for_all_domains_and_for_one(tmp_path):
    path = tmp_path / "limits.toml"
    path.write_text("minimum_query_characters = 5\nmaximum_repeated_phrases = 1\n[domain.math]\nminimum_response_characters = 7\n")
    limits = read_limits(path)
    assert limits.of("other") == JunkLimits(minimum_query_characters=5, maximum_repeated_phrases=1)
    assert limits.of("math") == JunkLimits(minimum_query_characters=5, maximum_repeated_phrases=1, minimum_response_characters=7)
    assert limits.of("coding").minimum_response_characters == LIMITS.of("coding").minimum_response_characters
    assert limits.of("coding").minimum_query_characters == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("minimum_letters = 3", "no limit is called minimum_letters"),
        ("minimum_query_characters = 1.5", "a whole number of at least 0, not 1.5"),
        ("minimum_query_characters = true", "not True"),
        ("maximum_repeated_phrases = nan", "a number of at least 0"),
        ("maximum_character_run = 0", "of at least 1, not 0"),
        ("domain = 3", "a table"),
        ("[domain.math]\nx = 1", r"\[domain.math\]: no limit is called x"),
        ("a = ", "limits.toml: "),
    ],
)
def test_wrong_limits_are_refused(tmp_path, text, message):
    path = tmp_path / "limits.toml"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_limits(path)
