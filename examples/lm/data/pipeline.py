"""The steps in their order, on records that stream past: exact duplicates, contamination, junk, tokens.

What is held in memory is the table of digests, the evaluation sets, and a batch of records; the records themselves never are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from .contamination import Decontamination
from .digest_set import DigestSet, digest_of
from .junk import reason_against
from .junk_limits import JunkLimitsByDomain
from .records import Record
from .report import CONTAMINATED, DUPLICATE, JUNK, Report
from .split import is_validation
from .token_file import TokenFileWriter
from .vocabulary import Vocabulary

BATCH_RECORDS = 256
BATCH_CHARACTERS = 1 << 20


def filtered(
    records: Iterable[Record], decontamination: Decontamination, limits: JunkLimitsByDomain, report: Report
) -> Iterator[tuple[Record, bytes]]:
    """The records that every step keeps, with their digests; the report learns of those that are removed."""
    seen = DigestSet()
    for record in records:
        report.read[record.domain] += 1
        digest = digest_of(record.query, record.response)
        if not seen.add(digest):
            report.remove(record, DUPLICATE, "exact")
        elif found := decontamination.check(record):
            where, match = found
            report.remove(record, CONTAMINATED, where, evaluation=match.place, jaccard=round(match.similarity, 4))
        elif reason := reason_against(record, limits.of(record.domain)):
            report.remove(record, JUNK, reason)
        else:
            yield record, digest


def write_tokens(
    kept: Iterable[tuple[Record, bytes]], vocabulary: Vocabulary, folder: Path, seed: int, validation_fraction: float, report: Report
) -> dict[str, int]:
    """Writes query + newline + response + <|endoftext|> of each record into train.bin or validation.bin; returns tokens by file.

    There is a validation.bin only if it has a share. Which file a record goes to depends on nothing but its text and the seed.
    """
    parts = ("train", "validation") if validation_fraction else ("train",)
    writers = {part: TokenFileWriter(folder, part, vocabulary, seed) for part in parts}
    try:
        for batch in _batches(kept):
            texts = [f"{record.query}\n{record.response}" for record, _ in batch]
            for (record, digest), text, ids in zip(batch, texts, vocabulary.encode(texts), strict=True):
                part = "validation" if is_validation(digest, seed, validation_fraction) else "train"
                writers[part].append(ids, len(text.encode("utf-8")))
                report.keep(record.domain, ids.size + 1)
        for writer in writers.values():
            writer.close(report.counts())
    finally:
        for writer in writers.values():
            writer.abandon()
    return {part: writer.tokens for part, writer in writers.items()}


def _batches(kept: Iterable[tuple[Record, bytes]]) -> Iterator[list[tuple[Record, bytes]]]:
    """Records in groups, so that the tokenizer uses all processors; a group ends early if its texts are long."""
    batch: list[tuple[Record, bytes]] = []
    characters = 0
    for record, digest in kept:
        batch.append((record, digest))
        characters += len(record.query) + len(record.response)
        if len(batch) == BATCH_RECORDS or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
