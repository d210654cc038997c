"""Which documents are for validation: decided by a hash of the document alone, so that it is the same in every run and every order."""

from __future__ import annotations

import hashlib


def place(key: bytes, seed: int) -> float:
    """A number in [0, 1) that depends on nothing but the key and the seed."""
    digest = hashlib.blake2b(key, digest_size=8, salt=seed.to_bytes(16, "little")).digest()
    return (int.from_bytes(digest, "little") >> 11) / 2**53


def is_validation(key: bytes, seed: int, validation_fraction: float) -> bool:
    return place(key, seed) < validation_fraction
