"""Bundles: what the compiler makes of a layer or a program, opened in this process."""

from __future__ import annotations

import functools
import json
import os
from typing import Protocol

import torch

from . import compiler, library

DTYPE_NAMES = {torch.float32: "f32", torch.bfloat16: "bf16"}
_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "int32": torch.int32, "int64": torch.int64}


class Recipe(Protocol):
    """Hashable: what a bundle is compiled from, apart from the type that it computes on and the machine."""

    def bundle(self, dtype: torch.dtype, device: torch.device) -> Bundle:
        """Compiled, or from the folder of kept bundles."""


class Bundle:
    """An open bundle: Bundle("up.alg"), or Bundle(bytes).

    Bundles of the same contents are one: `name`, a SHA-256 of the contents, is what operators and exported graphs call it.
    It stays open until the process ends. Raises RuntimeError with the runtime's sentence for what is no bundle.
    """

    _by_name: dict[str, Bundle] = {}

    name: str

    def __init__(self, source: str | os.PathLike | bytes) -> None:
        if isinstance(source, (bytes, bytearray, memoryview)):
            if len(source) == 0:
                raise ValueError("the bundle has no bytes")
            with torch.device("cpu"):
                self.name = library.operators.open_bytes(torch.frombuffer(bytearray(source), dtype=torch.uint8))
        elif isinstance(source, (str, os.PathLike)):
            self.name = library.operators.open(os.fspath(source))
        else:
            raise TypeError(f"a bundle is a path or bytes, not {type(source).__name__}")
        self._describe()

    def _describe(self) -> None:
        described = json.loads(library.operators.describe(self.name))
        self.manifest: dict = described["manifest"]
        self.kernels: list[dict] = described["kernels"]
        self.programs: dict[str, list[dict]] = described["programs"]
        self._projection: dict | None = described["projection"]
        Bundle._by_name[self.name] = self

    @classmethod
    def named(cls, name: str) -> Bundle:
        """The open bundle of this name, or one of the folder of kept bundles, which is then opened. Raises RuntimeError."""
        found = cls._by_name.get(name)
        if found is None:
            library.operators.set_folder(str(compiler.folder()))
            found = cls.__new__(cls)
            found.name = name
            found._describe()
        return found

    def __repr__(self) -> str:
        if self._projection is None:
            return f"Bundle({self.name[:12]}, programs {', '.join(self.programs)})"
        return f"Bundle({self.name[:12]}, {self.in_features} -> {self.out_features}, {self.dtype}, {self.types} row types)"

    @property
    def projection(self) -> dict:
        """What the bundle's projection is; raises ValueError where the bundle holds programs alone."""
        if self._projection is None:
            raise ValueError(f"the bundle {self.name[:12]} holds programs ({', '.join(self.programs)}), not one projection")
        return self._projection

    @property
    def in_features(self) -> int:
        return self.projection["in_features"]

    @property
    def out_features(self) -> int:
        return self.projection["out_features"]

    @property
    def dtype(self) -> torch.dtype:
        """Of x and y, and of products; sums are float32."""
        return _DTYPES[self.projection["dtype"]]

    @property
    def types(self) -> int:
        """Row types: how many patterns of groups a row may read."""
        return self.projection["types"]

    @property
    def period(self) -> int:
        """Positions after which the row types repeat; 0 where they are explicit."""
        return self.types * self.projection["row_type_width"]

    @property
    def weight_shape(self) -> tuple[int, ...]:
        """[in_features, out_features]; for the lift by basis elements three dimensions."""
        return tuple(self.projection["weight_shape"])

    @functools.cached_property
    def terms(self) -> tuple[torch.Tensor, torch.Tensor]:
        """All block products: int64 [count, 4] of row type, output group, input group and row group of the weights, and
        float64 [count] of coefficients."""
        return library.operators.terms(self.name)

    def result_dtype(self, program: str, result: str) -> torch.dtype:
        for operand in self.programs[program]:
            if operand["name"] == result:
                return _DTYPES[operand["types"][0]]
        raise KeyError(f"the program {program} has no result {result}")

    def prepare(self, device: int | torch.device | str = 0) -> None:
        """Loads kernels and tables for a CUDA device now, as a capture into a graph needs it. "cuda" is the current one. Raises
        ValueError for a device of another kind."""
        index = device if isinstance(device, int) else _cuda_index(torch.device(device))
        library.operators.prepare(self.name, index)


def compile(specification: str | os.PathLike, *, in_features: int | None = None, out_features: int | None = None,
            hidden_features: int | None = None, dtype: str | torch.dtype | None = None, row_types: str | None = None,
            bias: bool | None = None, in_groups: tuple[int, ...] | None = None, out_groups: tuple[int, ...] | None = None,
            hidden_groups: tuple[int, ...] | None = None, targets: tuple[str, ...] | None = None,
            maps: tuple[str, ...] | None = None, rows: tuple[int, ...] | None = None,
            program_maps: tuple[str, ...] | None = None, experts: int | None = None,
            files: tuple[tuple[str, str], ...] | None = None) -> Bundle:
    """Compiles an expression such as "Q(4)", or a file that algctl reads, into a bundle.

    `rows` are the numbers of rows that schedules for GPUs are chosen for; with `experts` kernels of programs for GPUs are for
    rows that are divided among so many. Without `targets`, bundles are for the CPU and, where
    there is a CUDA device, for that. What was compiled before comes from the folder of kept bundles, unless one of the files that
    the specification names has changed since. `files` of specifications.files asks for what they were then. Raises
    CompilerError with what the compiler says.
    """
    if isinstance(dtype, torch.dtype):
        if dtype not in DTYPE_NAMES:
            raise TypeError(f"dtype is {dtype}; algctl computes on torch.float32 and torch.bfloat16")
        dtype = DTYPE_NAMES[dtype]
    wanted = compiler.request(
        specification, in_features=in_features, out_features=out_features, hidden_features=hidden_features, dtype=dtype,
        row_types=row_types, bias=bias, in_groups=in_groups, out_groups=out_groups, hidden_groups=hidden_groups, maps=maps,
        rows=rows, program_maps=program_maps, experts=experts, files=files,
        targets=tuple(targets) if targets is not None else targets_for(dtype, this_machine()))
    path = compiler.bundle_file(wanted)
    try:
        return Bundle(path)
    except RuntimeError:
        # What was damaged where it is kept is made anew, where there is a compiler.
        if compiler.find() is None:
            raise
        return Bundle(compiler.bundle_file(wanted, anew=True))


def targets_for(dtype: torch.dtype | str | None, device: torch.device) -> tuple[str, ...]:
    """What bundles are compiled for. $ALGCTL_TARGETS, "cpu,sm_90a" say, makes bundles for another machine; kernels for GPUs
    compute on bfloat16."""
    if dtype not in (torch.bfloat16, "bf16"):
        return ("cpu",)
    configured = os.environ.get("ALGCTL_TARGETS")
    if configured:
        return tuple(target.strip() for target in configured.split(","))
    if device.type != "cuda":
        return ("cpu",)
    index = _cuda_index(device)
    capability = torch.cuda.get_device_capability(index)
    if capability < (8, 0):
        raise RuntimeError(f"the device cuda:{index} has compute capability {capability[0]}.{capability[1]}; "
                           "algctl compiles for 8.0 and later")
    return ("cpu", "sm_90a") if capability == (9, 0) else ("cpu", "sm_80")


def _cuda_index(device: torch.device) -> int:
    """The number of a CUDA device, which is the current one where none is named."""
    if device.type != "cuda":
        raise ValueError(f"device is {device}, kernels are loaded for CUDA devices")
    return device.index if device.index is not None else torch.cuda.current_device()


def this_machine() -> torch.device:
    """Where tensors are computed on unless somebody says otherwise."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


# Graphs hold the name of a bundle, not how it is found: torch.compile calls bundle_name while it traces and keeps the answer. What
# it can pass are numbers, so that recipes, which say how a bundle is made, are counted.
_recipes: list[Recipe] = []
_names: dict[tuple[int, torch.dtype, torch.device], str] = {}


def number_of(recipe: Recipe) -> int:
    """Of equal recipes one number, in this process."""
    if recipe not in _recipes:
        _recipes.append(recipe)
    return _recipes.index(recipe)


@torch.compiler.assume_constant_result
def bundle_name(number: int, dtype: torch.dtype, device: torch.device) -> str:
    """The name of the bundle that a recipe makes for tensors of this type on this device."""
    name = _names.get((number, dtype, device))
    if name is None:
        if dtype not in DTYPE_NAMES:
            raise TypeError(f"x is of {dtype}; algebraic layers compute on torch.float32 and torch.bfloat16")
        if device.type == "cuda" and dtype == torch.float32:
            raise TypeError("x is of torch.float32 on a CUDA device, where algebraic layers compute on torch.bfloat16: use "
                            "torch.autocast(\"cuda\", torch.bfloat16), or bfloat16 tensors; weights may stay float32")
        name = _names[number, dtype, device] = _recipes[number].bundle(dtype, device).name
    return name
