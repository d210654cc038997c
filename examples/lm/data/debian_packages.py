"""Unpacks documentation packages of Debian into a cache folder, without installing them, and finds the documents in them."""

from __future__ import annotations

import gzip
import itertools
import struct
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .errors import DataError
from .plain_text import text_of_html


@dataclass(frozen=True)
class Document:
    """A text and a name that is the same wherever the cache folder is."""

    package: str
    name: str
    text: str


@dataclass(frozen=True)
class Source:
    """Files of a package and how documents are read out of one of them. `excluded` are names of files which only list other pages."""

    package: str
    pattern: str
    reader: Callable[[Path], Iterator[tuple[str, str]]]
    excluded: frozenset[str] = frozenset()


def read_plain_text(path: Path) -> Iterator[tuple[str, str]]:
    yield "", _decoded(path)


def read_html(path: Path) -> Iterator[tuple[str, str]]:
    yield "", text_of_html(_decoded(path))


def read_bible(path: Path) -> Iterator[tuple[str, str]]:
    """One document per chapter, one line per verse.

    The file is a sequence of windows, each compressed as compress(1) does but without its three bytes of header. A table says where they
    begin: their number at byte 88, then one offset more than there are windows, all 32 bits, big-endian.
    """
    data = path.read_bytes()
    try:
        (windows,) = struct.unpack_from(">I", data, 88)
        offsets = struct.unpack_from(f">{windows + 1}I", data, 92)
    except struct.error as error:
        raise DataError(f"{path}: not the compressed text that was expected: {error}") from error
    text = b"".join(
        _run(["gzip", "-dc"], input_bytes=b"\x1f\x9d\x90" + data[begin:end])
        for begin, end in itertools.pairwise(offsets)
    ).decode("utf-8")
    chapter = ""
    verses: list[str] = []
    for line in text.splitlines()[1:]:
        place, _, verse = line.partition(" ")
        if place.partition(":")[0] != chapter and verses:
            yield chapter, "\n".join(verses) + "\n"
            verses = []
        chapter = place.partition(":")[0]
        verses.append(verse)
    if verses:
        yield chapter, "\n".join(verses) + "\n"


SOURCES = (
    Source("python3.11-doc", "usr/share/doc/python3.11/html/_sources/**/*.rst.txt", read_plain_text),
    Source("anarchism", "usr/share/doc/anarchism/html/*.html", read_html),
    Source("bible-kjv-text", "usr/lib/bible.data", read_bible),
    Source("debian-reference-en", "usr/share/debian-reference/*.en.html", read_html, frozenset({"index.en.html"})),
    Source("debian-handbook", "usr/share/doc/debian-handbook/html/en-US/*.html", read_html, frozenset({"index.html", "ix01.html"})),
    Source("debian-policy", "usr/share/doc/debian-policy/policy.html/_sources/*.rst.txt", read_plain_text),
    Source("developers-reference", "usr/share/developers-reference/_sources/*.rst.txt", read_plain_text),
    Source("debian-faq", "usr/share/doc/debian/FAQ/*.en.html", read_html, frozenset({"index.en.html"})),
    Source("git-doc", "usr/share/doc/git-doc/**/*.txt", read_plain_text),
    Source("perl-doc", "usr/share/perl/*/pod/*.pod", read_plain_text),
    Source("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html/*.html", read_html, frozenset({"bookindex.html", "index.html"})),
    Source(
        "sqlite3-doc",
        "usr/share/doc/sqlite3/**/*.html",
        read_html,
        frozenset({"requirements.html", "doc_backlink_crossref.html", "doc_keyword_crossref.html", "doc_target_crossref.html"}),
    ),
)


def unpacked_package(package: str, cache: Path) -> Path:
    """The folder with the package's files; downloads and unpacks the package if the cache has not got it."""
    folder = cache / package
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    if not any(cache.glob(f"{package}_*.deb")):
        _run(["apt-get", "download", package], folder=cache)
    archive = max(cache.glob(f"{package}_*.deb"), key=lambda path: path.stat().st_mtime)
    partial = cache / f".{package}.partial"
    _run(["dpkg-deb", "-x", str(archive), str(partial)])
    partial.rename(folder)
    return folder


def documents_of(source: Source, cache: Path) -> Iterator[Document]:
    """The documents of one source in the order of their file names. Raises DataError if there are none."""
    folder = unpacked_package(source.package, cache)
    paths = sorted(path for path in folder.glob(source.pattern) if path.is_file() and path.name not in source.excluded)
    if not paths:
        raise DataError(f"{folder}: no file matches {source.pattern}")
    for path in paths:
        for part, text in source.reader(path):
            name = f"{source.package}/{path.relative_to(folder)}" + (f"#{part}" if part else "")
            yield Document(source.package, name, text)


def _decoded(path: Path) -> str:
    """The text of a file, unpacked if its name ends in .gz; documents in the Latin-1 of old days are read as that."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return data.decode("latin-1").replace("\r\n", "\n")


def _run(command: list[str], *, folder: Path | None = None, input_bytes: bytes | None = None) -> bytes:
    try:
        done = subprocess.run(command, cwd=folder, input=input_bytes, capture_output=True, check=True)
    except FileNotFoundError as error:
        raise DataError(f"{command[0]} was not found; this needs the tools of a Debian system") from error
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode("utf-8", "replace").strip().splitlines()
        raise DataError(f"{' '.join(command)} failed: {lines[-1] if lines else f'exit code {error.returncode}'}") from error
    return done.stdout
