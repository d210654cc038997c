"""The table of digests, against a Python set."""

from __future__ import annotations

import random

from examples.lm.data.digest_set import DIGEST_BYTES, SMALLEST_CAPACITY, DigestSet, digest_of


def test_table_agrees_with_a_set_through_several_doublings():
    source = random.Random(1)
    pool = [source.randbytes(DIGEST_BYTES) for _ in range(20_000)]
    table, reference = DigestSet(), set()
    for digest in source.choices(pool, k=50_000):
        assert table.add(digest) == (digest not in reference)
        reference.add(digest)
    assert len(table) == len(reference)


def test_colliding_slots_wrap_around_the_end():
    """Digests that all want the last slot of the table."""
    wanted = (SMALLEST_CAPACITY - 1).to_bytes(8, "little")
    digests = [wanted + number.to_bytes(8, "little") for number in range(1, 500)]
    table = DigestSet()
    assert all(table.add(digest) for digest in digests)
    assert not any(table.add(digest) for digest in digests)


def test_memory_is_what_the_documentation_says():
    table = DigestSet()
    for number in range(100_000):
        table.add(digest_of("q", str(number)))
    assert 16 / 0.75 <= table.table_bytes / len(table) <= 16 / 0.375 + 1


def test_pairs_are_different_where_their_concatenations_are_not():
    assert digest_of("ab", "c") != digest_of("a", "bc")
    assert digest_of("a", "") != digest_of("", "a")
    assert digest_of("a", "b") == digest_of("a", "b")
    assert digest_of("a", "b") != digest_of("A", "b") != digest_of("a", "b ")
