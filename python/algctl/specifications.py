"""The files that specifications name: graphs, tables and programs.

An expression names files in graph(...), table(...), poset(...) and path_algebra(...), a specification in TOML also in strings of
their own. What is compiled from them is kept by their contents, so that a file that has changed is another algebra.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import re
import tomllib
from collections.abc import Iterable, Iterator

# What the compiler takes for the name of a file; everything else is an expression.
_FILES = (".toml", ".dot", ".gv", ".graphml", ".json", ".mlir")

_CALL = re.compile(r"\b(graph|table|poset|path_algebra)\s*\(\s*")
# An argument that is no file name: "3; 0->1", or a table itself.
_INLINE = re.compile(r"\d+\s*;|\{")
# Inside of strings of TOML and of MLIR the quotes may be escaped, or apostrophes.
_QUOTED = re.compile(r"""\\?(["'])(?P<name>[^"'\\\n]+)\\?\1""")
_TO_COMMA = re.compile(r"(?P<name>[^,]+)")
_TO_END = re.compile(r"(?P<name>[^)]+)")


def _arguments(text: str, folder: str) -> Iterator[tuple[int, int, str]]:
    """The files that functions name in the expressions of a text: from where to where each name stands, and its absolute path."""
    for call in _CALL.finditer(text):
        if _INLINE.match(text, call.end()):
            continue
        plain = _TO_COMMA if call[1] == "path_algebra" else _TO_END
        found = _QUOTED.match(text, call.end()) or plain.match(text, call.end())
        if found is not None:
            path = os.path.abspath(os.path.join(folder, found["name"].rstrip()))
            if os.path.isfile(path):
                yield found.start(), found.end(), path


def _strings(text: str, folder: str) -> Iterator[tuple[int, int, str]]:
    """The same for strings that are the name of a file as a whole, without their quotes."""
    for string in re.finditer(r"[\"']([^\"'\n]+)[\"']", text):
        path = os.path.abspath(os.path.join(folder, string[1]))
        if os.path.isfile(path):
            yield string.start(1), string.end(1), path


def _with_absolute_names(text: str, names: Iterable[tuple[int, int, str]]) -> str:
    for begin, end, path in sorted(names, reverse=True):
        # Quotes would end a string that the expression stands in.
        text = text[:begin] + (f'"{path}"' if re.search(r"[),]", path) else path) + text[end:]
    return text


def absolute(specification: str) -> str:
    """The same specification, wherever the process goes: names of files are absolute."""
    if specification.endswith(_FILES):
        return os.path.abspath(specification)
    return _with_absolute_names(specification, _arguments(specification, os.getcwd()))


def _text(path: str) -> str:
    return pathlib.Path(path).read_text(encoding="utf-8", errors="surrogateescape")


def digest(path: str) -> str:
    """SHA-256 of what is in a file."""
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def files(specification: str) -> tuple[tuple[str, str], ...]:
    """Every file that a specification of absolute names is made from, itself first where it is one, with its digest."""
    found: dict[str, str] = {}

    def read(path: str) -> None:
        if path in found or not os.path.isfile(path):
            return
        found[path] = digest(path)
        suffix = os.path.splitext(path)[1]
        if suffix not in (".toml", ".mlir"):
            return
        text = _text(path)
        # Expressions in programs name files beside the process, those in TOML beside the specification.
        folder = os.path.dirname(path) if suffix == ".toml" else os.getcwd()
        names = [*_arguments(text, folder), *(_strings(text, folder) if suffix == ".toml" else ())]
        for _, _, name in sorted(names):
            read(name)

    if specification.endswith(_FILES):
        read(specification)
    else:
        for _, _, path in _arguments(specification, os.getcwd()):
            read(path)
    return tuple(found.items())


def identity(specification: str, made_from: tuple[tuple[str, str], ...]) -> str:
    """What a specification is, wherever its files lie: the digests of `made_from` stand for them."""
    digests = dict(made_from)
    if specification in digests:
        described = digests.pop(specification) + os.path.splitext(specification)[1]
    elif specification.endswith(_FILES) and os.path.isfile(specification):
        text = _with_digests(_text(specification), digests)
        described = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest() + os.path.splitext(specification)[1]
    else:
        described = _with_digests(specification, digests)
    return " ".join([described, *digests.values()])


def _with_digests(text: str, digests: dict[str, str]) -> str:
    # The longest first: one path may be the beginning of another.
    for path in sorted(digests, key=len, reverse=True):
        text = text.replace(path, digests[path])
    return text


# ---- the algebra of a specification as lines of another one ----


def algebra_lines(specification: str) -> str:
    """What a specification in TOML says in [algebra] for the algebra of one of absolute names."""
    suffix = os.path.splitext(specification)[1] if specification.endswith(_FILES) else ""
    if suffix != ".toml":
        return _line({"": "product", ".json": "table"}.get(suffix, "graph"), specification)
    said = tomllib.loads(_text(specification)).get("algebra")
    if not isinstance(said, dict):
        raise ValueError(f"{specification} has no table algebra, which a network is made from")
    folder = os.path.dirname(specification)
    return "\n".join(_line(key, _with_absolute_files(value, folder)) for key, value in said.items())


def lift_line(specification: str) -> str:
    """The line that says which lift a specification in TOML has, "" where none does."""
    if not specification.endswith(".toml"):
        return ""
    tables = tomllib.loads(_text(specification))
    lifts = [tables[table]["lift"] for table in ("layer", "program") if "lift" in tables.get(table, {})]
    return _line("lift", lifts[0]) if lifts else ""


def _line(key: str, value: object) -> str:
    # Strings, numbers, truth values and lists of them are written alike in JSON and in TOML.
    return f"{key} = {json.dumps(value, ensure_ascii=False)}"


def _with_absolute_files(value: object, folder: str) -> object:
    if not isinstance(value, str):
        return value
    path = os.path.abspath(os.path.join(folder, value))
    return path if os.path.isfile(path) else _with_absolute_names(value, _arguments(value, folder))
