"""Calls the compiler, and keeps the bundles that it makes.

Bundles lie in a folder, $ALGCTL_BUNDLES or ~/.cache/algctl/bundles, under a hash of what was asked for. A machine
without the compiler, as GPU machines are, works with a folder that was carried there; where there is a compiler, a bundle of
another build of it is made anew.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from . import specifications
from .errors import CompilerError

# Kernels for GPUs serve one row, for decoding, and batches of inference and of training.
_GPU_ROWS = (1, 2048, 32768)


@dataclasses.dataclass(frozen=True)
class Request:
    """What a bundle is to hold: a specification, and options of `algctl compile` in their order there."""

    specification: str  # an expression, or the path of a file
    options: tuple[str, ...]
    identity: str  # of the specification: a file counts by its contents and those of the files that it names
    files: tuple[tuple[str, str], ...] = ()  # that it is made from, with their digests

    def key(self) -> str:
        """Names the bundle in the folder."""
        return hashlib.sha256(json.dumps([self.identity, *self.options]).encode()).hexdigest()


def request(specification: str | os.PathLike, *, in_features: int | None = None, out_features: int | None = None,
            hidden_features: int | None = None, dtype: str | None = None, row_types: str | None = None,
            bias: bool | None = None, in_groups: tuple[int, ...] | None = None, out_groups: tuple[int, ...] | None = None,
            hidden_groups: tuple[int, ...] | None = None, targets: tuple[str, ...] = ("cpu",),
            maps: tuple[str, ...] | None = None, rows: tuple[int, ...] | None = None,
            program_maps: tuple[str, ...] | None = None, experts: int | None = None,
            files: tuple[tuple[str, str], ...] | None = None) -> Request:
    """The request for a bundle, in one spelling, so that equal requests have one key. `files` as specifications.files found
    them, where the bundle has to be made from what they were then."""
    options: list[str] = []

    def add(name: str, value: object) -> None:
        if value is not None:
            options.extend((name, ",".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)))

    add("--in", in_features)
    add("--out", out_features)
    add("--hidden", hidden_features)
    add("--in-groups", in_groups)
    add("--out-groups", out_groups)
    add("--hidden-groups", hidden_groups)
    add("--dtype", dtype)
    add("--row-types", row_types)
    if bias is not None:
        options.append("--bias" if bias else "--no-bias")
    add("--target", targets)
    add("--maps", maps)
    add("--program-maps", program_maps)
    on_gpu = any(target != "cpu" for target in targets)
    add("--m", rows or (_GPU_ROWS if on_gpu else None))
    add("--experts", experts)
    if on_gpu and experts is None:
        options.append("--row-lists")  # rows at any positions, which kernels of experts read themselves
    named = specifications.absolute(os.fspath(specification))
    made_from = specifications.files(named) if files is None else files
    return Request(named, tuple(options), specifications.identity(named, made_from), made_from)


def folder() -> pathlib.Path:
    """Where bundles are kept."""
    configured = os.environ.get("ALGCTL_BUNDLES")
    if configured:
        return pathlib.Path(configured)
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(cache) / "algctl" / "bundles"


def find() -> pathlib.Path | None:
    """The compiler: $ALGCTL, beside this Python, on the path, or in the build folder of this checkout."""
    configured = os.environ.get("ALGCTL")
    if configured:
        if not os.access(configured, os.X_OK):
            raise CompilerError(f"ALGCTL names {configured}, which is no program")
        return pathlib.Path(configured)
    beside = pathlib.Path(sys.executable).parent / "algctl"
    built = pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "bin" / "algctl"
    for candidate in (beside, built):
        if os.access(candidate, os.X_OK):
            return candidate
    found = shutil.which("algctl")
    return pathlib.Path(found) if found else None


def _identity(program: pathlib.Path) -> str:
    """Changes with every build of the compiler."""
    status = program.resolve().stat()
    return f"{status.st_size} {status.st_mtime_ns}"


def bundle_file(wanted: Request, anew: bool = False) -> pathlib.Path:
    """The file of the bundle that was asked for; compiled if there is none, or `anew`. Raises CompilerError."""
    path = folder() / f"{wanted.key()}.alg"
    note = path.with_suffix(".json")
    program = find()
    if not anew and path.is_file() and (program is None or _noted(note) == _identity(program)):
        return path
    if program is None:
        raise CompilerError(
            f"there is no bundle of {wanted.specification} {' '.join(wanted.options)} in {folder()}, and no compiler on this "
            "machine: set ALGCTL to the program algctl, or bring the folder from a machine that has it")
    _require_unchanged(wanted)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        written = pathlib.Path(scratch) / "bundle.alg"
        command = [str(program), "compile", wanted.specification, *wanted.options, "-o", str(written)]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            raise CompilerError(result.stderr.strip() or f"{' '.join(command)} ended with {result.returncode}")
        described = pathlib.Path(scratch) / "note.json"
        described.write_text(json.dumps({"compiler": _identity(program), "specification": wanted.specification,
                                         "options": wanted.options}) + "\n", encoding="utf-8")
        # The bundle first: a note without its bundle would be believed.
        os.replace(written, path)
        os.replace(described, note)
    return path


def _require_unchanged(wanted: Request) -> None:
    for path, digest in wanted.files:
        if not os.path.isfile(path):
            raise CompilerError(f"{path} is not there, of which {wanted.specification} is made")
        if specifications.digest(path) != digest:
            raise CompilerError(f"{path} has changed since a layer was made from it: make the layer anew, or bring back what the "
                                "file was")


def _noted(note: pathlib.Path) -> str | None:
    """Which build of the compiler made a bundle; None where the note is missing, or none."""
    if not note.is_file():
        return None
    try:
        noted = json.loads(note.read_text(encoding="utf-8"))
    except ValueError:  # neither JSON nor UTF-8, as a write that was interrupted leaves it
        return None
    return noted.get("compiler") if isinstance(noted, dict) else None
