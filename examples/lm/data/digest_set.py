"""A set of 128-bit digests in one flat table, with which millions of records are deduplicated in known memory.

A Python set of 16-byte strings takes some 100 bytes for each. This open-addressing table takes 16 bytes per slot and is between 3/8 and
3/4 full once it has grown, which is 21 to 43 bytes for each digest: 512 MiB for 15 million, and half as much again for the moment in which
the last doubling copies the table.
"""

from __future__ import annotations

import hashlib

DIGEST_BYTES = 16
SMALLEST_CAPACITY = 1 << 12
EMPTY = bytes(DIGEST_BYTES)
NEVER_EMPTY = bytes(DIGEST_BYTES - 1) + b"\x01"


def digest_of(query: str, response: str) -> bytes:
    """The digest of a pair, character by character. The query's length goes first, or ("ab", "c") would be the same as ("a", "bc").

    Among 15 million different pairs the probability that any two have the same digest is below 1e-24.
    """
    query_bytes = query.encode("utf-8")
    hasher = hashlib.blake2b(len(query_bytes).to_bytes(8, "little"), digest_size=DIGEST_BYTES)
    hasher.update(query_bytes)
    hasher.update(response.encode("utf-8"))
    digest = hasher.digest()
    return digest if digest != EMPTY else NEVER_EMPTY


class DigestSet:
    """Sixteen zero bytes mark an empty slot; a digest is looked for from the slot of its first eight bytes onwards."""

    def __init__(self) -> None:
        self._capacity = SMALLEST_CAPACITY
        self._table = bytearray(self._capacity * DIGEST_BYTES)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def table_bytes(self) -> int:
        return len(self._table)

    def add(self, digest: bytes) -> bool:
        """Adds a digest; False if it was there already."""
        if 4 * (self._count + 1) > 3 * self._capacity:
            self._double()
        if not self._insert(digest):
            return False
        self._count += 1
        return True

    def _insert(self, digest: bytes) -> bool:
        table, size = self._table, len(self._table)
        position = (int.from_bytes(digest[:8], "little") & (self._capacity - 1)) * DIGEST_BYTES
        while (found := table[position : position + DIGEST_BYTES]) != EMPTY:
            if found == digest:
                return False
            position += DIGEST_BYTES
            if position == size:
                position = 0
        table[position : position + DIGEST_BYTES] = digest
        return True

    def _double(self) -> None:
        old = self._table
        self._capacity *= 2
        self._table = bytearray(self._capacity * DIGEST_BYTES)
        for position in range(0, len(old), DIGEST_BYTES):
            digest = bytes(old[position : position + DIGEST_BYTES])
            if digest != EMPTY:
                self._insert(digest)
