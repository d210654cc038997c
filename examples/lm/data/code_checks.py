"""What is wrong with a response that should be code."""

from __future__ import annotations

import ast
import re
import warnings

from .junk_limits import JunkLimits
from .repetition import repeated_share

# A fence of any language; one that is not closed goes to the end.
BLOCK = re.compile(r"```([^\n`]*)\n(.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE)
# Line ends, calls and assignments that prose does not have, and the words that begin statements.
SIGN_OF_CODE = re.compile(
    r"[;{}][ \t\r]*$"
    r"|\w\(\)|\w\([^()\n]*[,=\"'\[][^()\n]*\)"
    r"|[\w\])][ \t]*[-+*/:]?=[ \t]*\S"
    r"|^[ \t]*(?:def|class|import|from|return|for|while|if|func|fn|SELECT|INSERT|UPDATE)\b.*[:({;*]",
    re.MULTILINE,
)
SYMBOLS = frozenset("()[]{}=.:")
PYTHON_NAMES = frozenset({"python", "py", "python3"})
SHORTEST_LINE = 3


def reason_against_code(response: str, limits: JunkLimits) -> str | None:
    """no code, does not parse, repeated lines, or None.

    Code is what is in fences; a response without fences is code itself if it looks like it or parses. A response does not parse if it has
    blocks that say they are Python, and none of them is Python. Sessions with >>> are not asked to parse.
    """
    blocks = [(language.strip().lower(), code) for language, code in BLOCK.findall(response)]
    code = "\n".join(text for _, text in blocks) if blocks else response
    if not code.strip() or (not blocks and not _looks_like_code(response, limits)):
        return "no code"
    python = [text for language, text in blocks if language.split(" ")[0] in PYTHON_NAMES and not text.lstrip().startswith(">>>")]
    if python and not any(is_python(text, limits.maximum_parsed_characters) for text in python):
        return "does not parse"
    lines = [line.strip() for line in code.splitlines() if sum(map(str.isalnum, line)) >= SHORTEST_LINE]
    if len(lines) >= limits.repetition_minimum_lines and repeated_share(lines) > limits.maximum_repeated_lines:
        return "repeated lines"
    return None


def is_python(code: str, longest: int) -> bool:
    """Whether a text parses as the Python that runs this; what is longer than `longest` characters is not parsed and passes."""
    if len(code) > longest:
        return True
    if not code.strip():
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(_without_common_indentation(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # The parser says RecursionError and MemoryError of expressions that are nested too deeply, and ValueError of null characters.
        return False
    return True


def _looks_like_code(response: str, limits: JunkLimits) -> bool:
    """A single word of prose parses as Python too, so that a text which parses must have some symbol of code."""
    if SIGN_OF_CODE.search(response):
        return True
    return not SYMBOLS.isdisjoint(response) and is_python(response, limits.maximum_parsed_characters)


def _without_common_indentation(code: str) -> str:
    """Blocks inside a list are indented as the list is."""
    lines = code.splitlines()
    indentation = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    return "\n".join(line[indentation:] for line in lines)
