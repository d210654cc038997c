"""Says of a record why it is junk: trivially empty, too short, degenerate, and for code what is wrong with the code."""

from __future__ import annotations

from .code_checks import reason_against_code
from .contamination import CODING_DOMAIN
from .junk_limits import JunkLimits
from .records import Record
from .repetition import compressed_share, has_run, phrases, repeated_share


def reason_against(record: Record, limits: JunkLimits) -> str | None:
    """The first of the reasons that holds, or None for a record that is kept.

    empty, short query, short response, no letters or digits, run of one character, and then for the domain "coding" those of
    code_checks.reason_against_code, and for all others repeated phrases or repetitive.
    """
    query, response = record.query.strip(), record.response.strip()
    if not query or not response:
        return "empty"
    if len(query) < limits.minimum_query_characters:
        return "short query"
    if len(response) < limits.minimum_response_characters:
        return "short response"
    if not any(character.isalnum() for character in response):
        return "no letters or digits"
    if has_run(response, limits.maximum_character_run):
        return "run of one character"
    if record.domain == CODING_DOMAIN:
        return reason_against_code(response, limits)
    return reason_against_repetition(response, limits)


def reason_against_repetition(response: str, limits: JunkLimits) -> str | None:
    """repeated phrases, repetitive, or None. The first needs words; the second works for scripts that put no blanks between them too."""
    words = response.split()
    if len(words) >= limits.repetition_minimum_words:
        if repeated_share(phrases(words, limits.repetition_phrase_words)) > limits.maximum_repeated_phrases:
            return "repeated phrases"
    data = response.encode("utf-8")
    if len(data) >= limits.compression_minimum_bytes and compressed_share(data) < limits.minimum_compressed_share:
        return "repetitive"
    return None
