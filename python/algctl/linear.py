"""AlgLinear: a linear layer whose product is that of an algebra."""

from __future__ import annotations

import dataclasses
import enum
import math

import torch
from torch import nn

from . import specifications
from .bundle import DTYPE_NAMES, Bundle, bundle_name, compile, number_of, targets_for
from .errors import PackedError
from .library import operators
from .operators import has_tangents, projection

Positions = int | torch.Tensor | None


class Unknown(enum.Enum):
    """What a PositionsSource has between the beginning of a call and its first decoder layer. A member of an enumeration, so
    that it is the same one in copies of a model, in its pickles and in graphs."""

    POSITIONS = enum.auto()


@dataclasses.dataclass(frozen=True)
class Layer:
    """The recipe of a projection's bundles."""

    algebra: str
    in_features: int | None
    out_features: int | None
    row_types: str = "cyclic"
    bias: bool = False
    in_groups: tuple[int, ...] | None = None
    out_groups: tuple[int, ...] | None = None
    files: tuple[tuple[str, str], ...] = ()  # that the algebra is made from, and what they were

    def bundle(self, dtype: torch.dtype, device: torch.device) -> Bundle:
        # Groups give the widths where they are given.
        return compile(self.algebra, in_features=None if self.in_groups else self.in_features,
                       out_features=None if self.out_groups else self.out_features, dtype=dtype, row_types=self.row_types,
                       bias=self.bias, in_groups=self.in_groups, out_groups=self.out_groups,
                       targets=targets_for(dtype, device), files=self.files)


def shown_on(device: torch.device, dtype: torch.dtype) -> tuple[torch.dtype, torch.device]:
    """The type and the device whose bundle shows what a layer with weights of this kind is: GPUs compute on bfloat16, and
    tensors on other devices are no more than shapes."""
    return (torch.bfloat16, device) if device.type == "cuda" else (dtype, torch.device("cpu"))


def compute_dtype(x: torch.Tensor) -> torch.dtype:
    """The type that products of x are computed on: autocast's where it is on. Raises TypeError where x is no tensor."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"x has to be a tensor, not {type(x).__name__}")
    device = x.device.type
    if not torch.amp.is_autocast_available(device):  # as on the device "meta", which computes nothing
        return x.dtype
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else x.dtype


def place(x: torch.Tensor, positions: Positions | Unknown) -> tuple[torch.Tensor | None, int]:
    """Positions as operators take them: a number for each row of x, or the position of each sequence's first row."""
    if positions is None:
        return None, 0
    if positions is Unknown.POSITIONS:
        raise ValueError("the positions of the rows are not known yet, because this layer computes before the first decoder layer "
                         "of the model, which tells them: give the layer positions, set positions.value of the PositionsSource "
                         "that convert_ is given, or leave the layer out by the filter of convert_")
    if isinstance(positions, torch.Tensor):
        if positions.dtype not in (torch.int32, torch.int64):
            raise TypeError(f"positions are of {positions.dtype}, they have to be int32 or int64")
        if positions.shape != x.shape[:-1]:
            try:
                positions = positions.expand(x.shape[:-1])
            except RuntimeError:
                raise ValueError(f"positions have the shape {list(positions.shape)}, the rows of x have "
                                 f"{list(x.shape[:-1])}") from None
        return positions, 0
    if isinstance(positions, bool) or not isinstance(positions, (int, torch.SymInt)):
        raise TypeError(f"positions are an int or a tensor, not {type(positions).__name__}")
    return None, positions


class AlgLinear(nn.Module):
    """y = x W + bias in the algebra's product: a row of type t reads of every block of W what the algebra's table says.

    x: [..., T, in_features]. The type of a row follows from its position (equation of the row action in the paper): without
    `positions` every sequence of T rows begins at position 0, so that batches [B, T, in_features] are right as they are.
    `positions` is the position of the first row of every sequence, or a tensor of a number for each row, [T] or [B, T].
    With row_types="explicit" the types themselves are given, `types`, int32.

    weight: [in_features, out_features], the transpose of nn.Linear's. It may be float32 while x is bfloat16, or under
    autocast: products are then bfloat16 with float32 sums, and its gradient is float32. float64 and float16 are refused.
    """

    def __init__(self, in_features: int, out_features: int, algebra: str = "Q(4)", *, row_types: str = "cyclic",
                 bias: bool = False, in_groups: tuple[int, ...] | None = None, out_groups: tuple[int, ...] | None = None,
                 device: torch.device | str | None = None, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        for name, groups, width in (("in_groups", in_groups, in_features), ("out_groups", out_groups, out_features)):
            if groups is not None and sum(groups) != width:
                raise ValueError(f"{name} {list(groups)} have {sum(groups)} features together, the layer has {width}")
        specification = specifications.absolute(str(algebra))
        self.layer = Layer(specification, in_features, out_features, row_types, bool(bias),
                           None if in_groups is None else tuple(in_groups), None if out_groups is None else tuple(out_groups),
                           specifications.files(specification))
        self._number = number_of(self.layer)
        dtype = dtype or torch.get_default_dtype()
        if dtype not in DTYPE_NAMES:
            raise TypeError(f"dtype is {dtype}; weights of algebraic layers are torch.float32 or torch.bfloat16")
        # Compiled now, so that what is wrong with the layer is said here.
        shown = self.layer.bundle(*shown_on(torch.device("cpu" if device is None else device), dtype))
        self.in_features, self.out_features, self.algebra = in_features, out_features, str(algebra)
        self.types, self.period = shown.types, shown.period
        self.fraction = active_fraction(shown)
        self.weight = nn.Parameter(torch.empty(shown.weight_shape, device=device, dtype=dtype))
        self.bias = nn.Parameter(torch.empty(out_features, device=device, dtype=dtype)) if bias else None
        # Where rows are that come without positions; convert_ shares one among the layers of a model.
        self.positions_source: PositionsSource | None = None
        self._packed: dict[str, tuple[int, Bundle]] = {}
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """As nn.Linear: uniform within 1 / sqrt(in_features)."""
        bound = 1 / math.sqrt(self.in_features)
        nn.init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -bound, bound)

    def bundle_name(self, x: torch.Tensor) -> str:
        """Of the bundle that computes on tensors of the type and device of x."""
        return bundle_name(self._number, x.dtype, x.device)

    def forward(self, x: torch.Tensor, positions: Positions = None, *, types: torch.Tensor | None = None) -> torch.Tensor:
        if positions is None and self.positions_source is not None:
            positions = self.positions_source.value
        dtype = compute_dtype(x)
        where, p0 = place(x, positions)
        if x.dtype != dtype:
            x = x.to(dtype)
        name = bundle_name(self._number, dtype, x.device)
        if self.is_packed:
            return self._forward_packed(x, where, types, p0, name)
        return projection(x, self.weight, self.bias, where, types, p0, name)

    def __getstate__(self) -> dict:
        if self._packed:
            raise PackedError("the weights are packed, which another process cannot read: call algctl.unpack_ first")
        return self.__dict__.copy()

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        self._number = number_of(self.layer)  # which counts the layers of this process

    # ---- packed weights: see packing.py ----

    @property
    def is_packed(self) -> bool:
        """Not the same as having no parameter `weight`: a parametrization computes it from others."""
        return bool(self._packed)

    def _forward_packed(self, x, where, types, p0, name):
        if self.training or (torch.is_grad_enabled() and x.requires_grad) or has_tangents(x, self.bias):
            raise PackedError("the weights are packed for inference: call algctl.unpack_ before training, or compute under "
                              "torch.no_grad() in evaluation mode")
        held = self._packed.get(name)
        if held is None:
            raise PackedError(f"the weights are packed for {next(iter(self._packed.values()))[1].dtype}, x is of {x.dtype} on "
                              f"{x.device}: call algctl.unpack_, or pack for this type")
        return operators.projection_packed(x, held[0], self.bias, where, types, p0, name)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        if self._packed:
            weight = self._unpacked_weight[0]
            destination[prefix + "weight"] = weight if keep_vars else weight.detach()

    def _load_from_state_dict(self, state_dict, prefix, *arguments):
        if self._packed:
            raise PackedError(f"{prefix}weight is packed: call algctl.unpack_ before loading other weights")
        super()._load_from_state_dict(state_dict, prefix, *arguments)

    def _apply(self, fn, recurse=True):
        # The parameters that are left would go without the weights, which are none now.
        if self._packed:
            raise PackedError("the weights are packed: call algctl.unpack_ before the layer is moved or cast")
        return super()._apply(fn, recurse)

    def __getattr__(self, name: str):
        if name == "weight" and self.__dict__.get("_packed"):
            raise PackedError("the weights are packed: call algctl.unpack_ to read or change them")
        return super().__getattr__(name)

    # ---- nn.Linear ----

    @classmethod
    def from_linear(cls, linear: nn.Linear, algebra: str, **options) -> AlgLinear:
        """A layer with the same weights, which are [out, in] in nn.Linear and [in, out] here. Its product is another one: see
        least_squares.py for the weights that come nearest. Options as of the class."""
        layer = cls.from_weight(linear.weight.detach().t(), linear.bias, algebra, **options)
        layer.train(linear.training)
        return layer

    @classmethod
    def from_weight(cls, weight: torch.Tensor, bias: torch.Tensor | None, algebra: str, **options) -> AlgLinear:
        """A layer with a copy of these weights, [in, out]."""
        layer = cls(*weight.shape, algebra, bias=bias is not None, device=weight.device, dtype=weight.dtype, **options)
        if layer.weight.shape != weight.shape:
            raise ValueError(f"the weights of {algebra} have the shape {list(layer.weight.shape)}, not that of a dense layer")
        with torch.no_grad():
            layer.weight.copy_(weight)
            if bias is not None:
                layer.bias.copy_(bias)
        return layer

    def to_linear(self) -> nn.Linear:
        """The dense layer with the same weights, [out, in]."""
        linear = nn.Linear(self.in_features, self.out_features, bias=self.bias is not None, device=self.weight.device,
                           dtype=self.weight.dtype)
        with torch.no_grad():
            linear.weight.copy_(self.weight.t())
            if self.bias is not None:
                linear.bias.copy_(self.bias)
        linear.train(self.training)
        return linear

    def extra_repr(self) -> str:
        return (f"in_features={self.in_features}, out_features={self.out_features}, algebra={self.algebra}, "
                f"row_types={self.layer.row_types}, bias={self.layer.bias}, multiplications={self.fraction:.4g}")


class PositionsSource:
    """Where the rows of a forward pass are, for layers that are not told."""

    def __init__(self) -> None:
        self.value: Positions | Unknown = None


def active_fraction(bundle: Bundle) -> float:
    """Multiplications of a row, mean over the row types, over those of the dense layer."""
    places, _ = bundle.terms
    in_groups, out_groups = bundle.projection["in_groups"], bundle.projection["out_groups"]
    active = sum(in_groups[source] * out_groups[group] for _, group, source, _ in places.tolist())
    return active / (bundle.types * bundle.in_features * bundle.out_features)
