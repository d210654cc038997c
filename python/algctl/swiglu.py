"""SwiGLU: the gated feed-forward network with algebraic products."""

from __future__ import annotations

import dataclasses
import functools
import pathlib
import tempfile

import torch
from torch import nn
from torch.nn import functional

from . import compiler, specifications
from .bundle import DTYPE_NAMES, Bundle, bundle_name, compile, number_of, targets_for
from .library import operators
from .linear import AlgLinear, Positions, PositionsSource, compute_dtype, place, shown_on
from .operators import has_tangents

_ACTIVATIONS = {
    "silu": functional.silu,
    "gelu": functional.gelu,
    "gelu_tanh": functools.partial(functional.gelu, approximate="tanh"),
    "relu": functional.relu,
    "relu2": lambda x: functional.relu(x).square(),
    "identity": lambda x: x,
}

_SPECIFICATION = """[algebra]
{algebra}

[program]
kind       = "swiglu"
in         = {d}
hidden     = {f}
activation = "{activation}"
bias       = {bias}
dtype      = "{dtype}"
row_types  = "{row_types}"
{lift}"""


@dataclasses.dataclass(frozen=True)
class Network:
    """The recipe of a network's bundles, of the programs forward and backward."""

    algebra: str  # lines of the section [algebra] of a specification
    d: int
    f: int
    activation: str
    bias: bool
    row_types: str
    lift: str = ""  # a line of its section [program]
    files: tuple[tuple[str, str], ...] = ()  # that the algebra is made from, and what they were

    def bundle(self, dtype: torch.dtype, device: torch.device) -> Bundle:
        text = _SPECIFICATION.format(algebra=self.algebra, d=self.d, f=self.f, activation=self.activation,
                                     bias=str(self.bias).lower(), dtype=DTYPE_NAMES[dtype], row_types=self.row_types,
                                     lift=self.lift)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "swiglu.toml"
            path.write_text(text, encoding="utf-8")
            return compile(path, program_maps=("forward", "backward"), targets=targets_for(dtype, device), files=self.files)


def is_plain(layer: nn.Module) -> bool:
    """Whether a program may read the layer's weights in place of calling it. Not where it is packed, where a parametrization or
    pruning computes its weights, where hooks wait for its call, and where its class was exchanged, by a conversion for
    quantisation say."""
    hooks = (layer._forward_pre_hooks, layer._forward_hooks, layer._backward_pre_hooks, layer._backward_hooks)
    return type(layer) is AlgLinear and "weight" in layer._parameters and not any(hooks)


class SwiGLU(nn.Module):
    """y = (activation(x gate) * (x up)) down, all three products in the algebra.

    gate, up: AlgLinear d -> f; down: AlgLinear f -> d, whose weights are [in, out]. x: [..., T, d]; positions as in AlgLinear.
    The network runs as one program of the compiler, in which gate and up share a kernel with activation and product, on a CPU
    with down, too, and its gradients are the program that the compiler made by differentiation. It runs layer by layer where
    float32 weights are trained beside bfloat16 products, because their gradients then are float32, where some weights are frozen
    and there are gradients all the same, in forward mode, and where one of the three is packed, has hooks, or computes its weights, as
    parametrizations and pruning do.
    """

    def __init__(self, d: int, f: int, algebra: str = "Q(4)", *, row_types: str = "cyclic", bias: bool = False,
                 activation: str = "silu", device: torch.device | str | None = None,
                 dtype: torch.dtype | None = None) -> None:
        super().__init__()
        if row_types == "explicit":
            raise ValueError("row_types is \"explicit\", which AlgLinear has and SwiGLU has not")
        if activation not in _ACTIVATIONS:
            raise ValueError(f"activation is {activation!r}, it has to be one of {', '.join(_ACTIVATIONS)}")
        options = {"row_types": row_types, "bias": bias, "device": device, "dtype": dtype}
        self.gate = AlgLinear(d, f, algebra, **options)
        self.up = AlgLinear(d, f, algebra, **options)
        self.down = AlgLinear(f, d, algebra, **options)
        self.activation = activation
        self.positions_source: PositionsSource | None = None
        specification = specifications.absolute(str(algebra))
        self.network = Network(specifications.algebra_lines(specification), d, f, activation, bool(bias), row_types,
                               specifications.lift_line(specification), self.gate.layer.files)
        self._number = number_of(self.network)
        if compiler.find() is not None:  # so that what is wrong with the network is said here, as with its layers
            self.network.bundle(*shown_on(self.gate.weight.device, self.gate.weight.dtype))

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        self._number = number_of(self.network)  # which counts the networks of this process

    def program(self, x: torch.Tensor) -> Bundle:
        """The bundle of the programs forward and backward that serves x."""
        return Bundle.named(bundle_name(self._number, x.dtype, x.device))

    def forward(self, x: torch.Tensor, positions: Positions = None) -> torch.Tensor:
        if positions is None and self.positions_source is not None:
            positions = self.positions_source.value
        dtype = compute_dtype(x)
        if x.dtype != dtype:
            x = x.to(dtype)
        if not self._runs_as_a_program(x, dtype):
            activated = _ACTIVATIONS[self.activation](self.gate(x, positions)) * self.up(x, positions)
            return self.down(activated, positions)
        where, p0 = place(x, positions)
        name = bundle_name(self._number, x.dtype, x.device)
        operands = [x, self.gate.weight, self.up.weight, self.down.weight]
        if self.gate.bias is not None:
            operands += [self.gate.bias, self.up.bias, self.down.bias]
        return operators.run_program(operands, where, p0, name, "forward")[0]

    def _runs_as_a_program(self, x: torch.Tensor, dtype: torch.dtype) -> bool:
        parts = (self.gate, self.up, self.down)
        parameters = [parameter for part in parts for parameter in part.parameters()]
        if not all(is_plain(part) for part in parts) or has_tangents(x, *parameters):
            return False
        if not torch.is_grad_enabled():
            return True
        # The program of gradients computes them all. Layers leave out those of weights that are frozen.
        trained = [parameter.requires_grad for parameter in parameters]
        wasted = not all(trained) and (any(trained) or x.requires_grad)
        return all(part.weight.dtype == dtype for part in parts) and not wasted

    def extra_repr(self) -> str:
        return f"activation={self.activation}"
