"""Near-duplicates of evaluation sets, against brute-force Jaccard on strings."""

from __future__ import annotations

import random
import string

import numpy as np
import pytest

from examples.lm.data.contamination import BANDS, PERMUTATIONS, ROWS, ContaminationIndex, Decontamination, candidate_probability
from examples.lm.data.records import EvaluationEntry, Record
from examples.lm.data.shingles import jaccard, shingles_of

ALPHABET = string.ascii_letters + string.digits + "      абвгдежз😀"


def string_jaccard(first: str, second: str) -> float:
    """The definition, on Python's sets of strings."""
    a, b = ({text[i : i + 3] for i in range(len(text) - 2)} or ({text} if text else set()) for text in (first, second))
    return len(a & b) / len(a | b) if a | b else 0.0


def random_text(source: random.Random, length: int) -> str:
    return "".join(source.choices(ALPHABET, k=length))


def edited(source: random.Random, text: str, edits: int) -> str:
    characters = list(text)
    for position in source.sample(range(len(characters)), edits):
        characters[position] = source.choice(ALPHABET)
    return "".join(characters)


def coding(query: str, response: str) -> Record:
    return Record(query, response, "coding", "train:1")


def test_jaccard_is_the_definition():
    source = random.Random(3)
    for length in [0, 1, 2, 3, 4, 10, 200] * 10:
        first = random_text(source, length)
        second = edited(source, first, length // 8) + random_text(source, source.randrange(3))
        assert jaccard(shingles_of(first), shingles_of(second)) == string_jaccard(first, second)


def test_short_texts_are_no_shingles_of_others():
    texts = ["a", "b", "aa", "a\0", "\0a", "\0\0", "\0", "aaa", "\0\0a"]
    assert len({shingles_of(text).tobytes() for text in texts}) == len(texts)
    assert shingles_of("").size == 0


def test_pairs_around_the_threshold_are_judged_as_by_brute_force():
    """Planted pairs with similarities from 0.7 to 0.9; the majority lies close to 0.80, on both sides."""
    source = random.Random(5)
    above = below = close = 0
    for trial in range(400):
        original = random_text(source, source.randrange(80, 400))
        planted = edited(source, original, max(1, round(len(original) * source.uniform(0.03, 0.05))))
        similarity = string_jaccard(original, planted)
        index = ContaminationIndex(0.80, seed=trial)
        index.insert(original, "eval:1")
        match = index.closest(planted)
        assert (match is not None) == (similarity > 0.80), similarity
        assert match is None or match.similarity == similarity
        above += similarity > 0.80
        below += similarity <= 0.80
        close += abs(similarity - 0.80) < 0.02
    assert above > 100 and below > 100 and close > 60


def test_exactly_the_threshold_stays():
    """Four of five shingles: 0.80 is not above 0.80."""
    assert string_jaccard("abcdef", "abcdefg") == 0.80
    index = ContaminationIndex(0.80, seed=1)
    index.insert("abcdef", "eval:1")
    assert index.closest("abcdefg") is None
    assert index.closest("abcdef").similarity == 1


def test_many_entries_find_the_closest_one():
    source = random.Random(7)
    texts = [random_text(source, 120) for _ in range(300)]
    index = ContaminationIndex(0.80, seed=1)
    for number, text in enumerate(texts):
        index.insert(text, f"eval:{number + 1}")
    index.insert(texts[7], "eval:again")
    assert len(index) == 300
    for number in range(0, 300, 11):
        match = index.closest(edited(source, texts[number], 2))
        assert match.place == f"eval:{number + 1}"
    assert all(index.closest(random_text(source, 120)) is None for _ in range(100))


def test_the_chosen_bands_find_nearly_all_pairs():
    assert BANDS * ROWS <= PERMUTATIONS
    assert candidate_probability(0.80) > 0.9999 and candidate_probability(0.3) < 0.1
    found = trials = 0
    source = np.random.default_rng(1)
    for _ in range(300):
        shared, own = source.integers(1 << 62, size=(81 * 4,), dtype=np.uint64), source.integers(1 << 62, size=(19 * 4,), dtype=np.uint64)
        first, second = np.concatenate([shared, own[:38]]), np.concatenate([shared, own[38:]])
        index = ContaminationIndex(0.80, seed=1)
        index._candidates.insert(0, index._minhash(first))
        found += index._candidates.query(index._minhash(second)) == [0]
        trials += 1
    assert found == trials


def test_texts_of_one_character_to_three():
    index = ContaminationIndex(0.80, seed=1)
    for text in ("", "a", "ab"):
        index.insert(text, f"eval:{text}")
    assert index.closest("") is None and index.closest("b") is None and index.closest("abc") is None
    assert index.closest("a").place == "eval:a" and index.closest("ab").place == "eval:ab"


CODE = "def add_numbers(first, second):\n    total = first + second\n    return total\n"


@pytest.mark.parametrize(
    "response",
    [
        f"```python\n{CODE}```",
        f"Look:\n```python\nprint('hello, this is another block')\n```\nand\n\n```python\n{CODE}\n```\nDone.",
        f"```python\n{CODE}",
        f"```python \r\n{CODE.replace(chr(10), chr(13) + chr(10))}```",
        f"```python\n{CODE.replace('total', 'totals', 1)}```",
    ],
)
def test_blocks_of_coding_responses_are_compared(response):
    decontamination = Decontamination([EvaluationEntry("Add two numbers.", CODE.replace("\n", "\r\n"), "eval:1")])
    where, match = decontamination.check(coding("something else entirely", response))
    assert where == "code" and match.place == "eval:1"
    assert decontamination.check(Record("something else entirely", response, "math", "train:1")) is None


def test_other_blocks_and_prose_are_not_compared():
    decontamination = Decontamination([EvaluationEntry("Add two numbers.", CODE, "eval:1")])
    for response in (f"```java\n{CODE}```", CODE, f"```python\n{CODE * 2}x = 'much more than the solution itself is here'\n" + "```"):
        found = decontamination.check(coding("another question", response))
        assert (found is not None) == (string_jaccard(CODE.strip("\n"), response.removeprefix("```python\n").strip("`\n")) > 0.8
                                       and response.startswith("```python"))


def test_queries_are_found_in_every_domain_and_before_code():
    decontamination = Decontamination([EvaluationEntry("Add two numbers, please.", CODE, "eval:1")])
    assert decontamination.check(Record("Add two numbers, please!", "x", "math", "t:1"))[0] == "query"
    assert decontamination.check(coding("Add two numbers, please.", f"```python\n{CODE}```"))[0] == "query"
    assert decontamination.check(Record("ADD TWO NUMBERS, PLEASE.", "x", "math", "t:1")) is None


def test_without_evaluation_sets_nothing_is_found():
    assert Decontamination([]).check(coding("q", f"```python\n{CODE}```")) is None


def test_without_a_threshold_it_is_that_of_the_paper():
    """0.80: pairs of 0.78 and less stay, those of 0.82 and more go."""
    source = random.Random(9)
    seen = {True: 0, False: 0}
    for trial in range(300):
        original = random_text(source, 300)
        planted = edited(source, original, source.randrange(8, 14))
        similarity = string_jaccard(original, planted)
        if 0.78 < similarity < 0.82:
            continue
        found = Decontamination([EvaluationEntry(original, None, "eval:1")]).check(Record(planted, "x", "math", "train:1"))
        assert (found is not None) == (similarity > 0.80)
        seen[found is not None] += 0.72 < similarity < 0.88
    assert min(seen.values()) > 20
