"""What PyTorch has to know of the operators beside their kernels: shapes and types of results, and gradients.

`torch.ops.algctl.projection` is the product of a bundle's projection, `projection_dx` and `projection_dw` are its gradients,
`run` runs any program of a bundle, and `run_experts` one whose rows are divided among experts. They name bundles by
`Bundle.name`. `run` chooses the program that `run_program` runs, and graphs may show that in its place.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import torch
from torch.autograd import forward_ad

from .bundle import Bundle
from .library import operators

# Of a program P the gradients are the program P_backward of the same bundle, of "forward" it is "backward". P_keeping, where there
# is one, returns behind the results of P what the gradients read.
_BACKWARD = "backward"
_KEEPING = "_keeping"


@torch.library.register_fake("algctl::projection")
def _(x, weight, bias, positions, types, p0, bundle):
    return x.new_empty((*x.shape[:-1], Bundle.named(bundle).out_features))


@torch.library.register_fake("algctl::projection_packed")
def _(x, packed, bias, positions, types, p0, bundle):
    return x.new_empty((*x.shape[:-1], Bundle.named(bundle).out_features))


@torch.library.register_fake("algctl::projection_dx")
def _(dy, weight, positions, types, p0, bundle):
    return dy.new_empty((*dy.shape[:-1], Bundle.named(bundle).in_features))


@torch.library.register_fake("algctl::projection_dw")
def _(x, dy, positions, types, p0, bundle, dtype):
    named = Bundle.named(bundle)
    features = named.out_features if named.projection["bias"] else 0
    return x.new_empty(named.weight_shape, dtype=dtype), x.new_empty((features,), dtype=dtype)


def _results_of(operands, bundle, program, rows=None):
    named = Bundle.named(bundle)
    given = [operand for operand in named.programs[program] if operand["role"] != "output" and not operand["optional"]]
    # In the words of the operator itself, here and below.
    if len(given) != len(operands):
        raise RuntimeError(f"the program {program} takes {len(given)} operands, {len(operands)} are given")
    # The first matrix of M rows says how many there are, where no list of rows does: a vector of M numbers has no more
    # dimensions than itself.
    matrices = [tensor for operand, tensor in zip(given, operands) if len(operand["shape"]) == 2 and operand["shape"][0] == "M"]
    if not matrices:
        raise RuntimeError(f"the program {program} has no operand of M rows")
    if rows is None:
        rows = matrices[0].shape[:-1]
    results = []
    for operand in named.programs[program]:
        if operand["role"] != "output":
            continue
        sizes: list[Any] = []
        for i, size in enumerate(operand["shape"]):
            if isinstance(size, str) and (size != "M" or i > 0):
                raise RuntimeError(f"the result {operand['name']} has a size of {size}; the operator knows results of M rows")
            sizes.extend(rows if size == "M" else (size,))
        results.append(operands[0].new_empty(sizes, dtype=named.result_dtype(program, operand["name"])))
    return results


@torch.library.register_fake("algctl::run_program")
def _(operands, positions, p0, bundle, program):
    return _results_of(operands, bundle, program)


@torch.library.register_fake("algctl::run_experts")
def _(operands, expert_starts, positions, p0, bundle, program, expert_rows=None):
    return _results_of(operands, bundle, program, None if expert_rows is None else (expert_rows.numel(),))


# ---- forward mode ----


def _duals(*tensors):
    """Of each tensor what it is and its tangent, or None; None where nothing has one. PyTorch hands no tangents to an operator
    that is called without gradients, and would give its result none."""
    if forward_ad._current_level < 0:
        return None
    duals = [(None, None) if tensor is None else tuple(forward_ad.unpack_dual(tensor)) for tensor in tensors]
    return duals if any(tangent is not None for _, tangent in duals) else None


def has_tangents(*tensors) -> bool:
    return _duals(*tensors) is not None


def projection(x, weight, bias, *place):
    """The operator, with tangents: the product is linear in x and in the weights."""
    duals = _duals(x, weight, bias)
    if duals is None:
        return operators.projection(x, weight, bias, *place)
    (x, of_x), (weight, of_weight), (bias, of_bias) = duals
    none = None if bias is None else torch.zeros_like(bias)  # a layer with a bias always adds one
    y = operators.projection(x, weight, bias, *place)
    tangents = [] if of_bias is None else [of_bias.to(y.dtype).expand_as(y)]
    if of_x is not None:
        tangents.append(operators.projection(of_x, weight, none, *place))
    if of_weight is not None:
        tangents.append(operators.projection(x, of_weight, none, *place))
    return forward_ad.make_dual(y, sum(tangents))


# ---- reverse mode ----


def _keep_projection(ctx, inputs, output) -> None:
    x, weight, bias, positions, types, p0, bundle = inputs
    ctx.save_for_backward(x, weight, positions, types)
    ctx.bias_dtype = None if bias is None else bias.dtype
    ctx.p0, ctx.bundle = p0, bundle


def _projection_gradients(ctx, dy):
    x, weight, positions, types = ctx.saved_tensors
    needs_x, needs_weight, needs_bias = ctx.needs_input_grad[:3]
    dx = dw = dbias = None
    if needs_x:
        dx = operators.projection_dx(dy, weight, positions, types, ctx.p0, ctx.bundle)
    if needs_weight or needs_bias:
        # Float32 weights get their gradient in float32, whatever products are computed on.
        dw, dbias = operators.projection_dw(x, dy, positions, types, ctx.p0, ctx.bundle, weight.dtype)
        dbias = dbias.to(ctx.bias_dtype) if needs_bias else None
        dw = dw if needs_weight else None
    return dx, dw, dbias, None, None, None, None


torch.library.register_autograd("algctl::projection", _projection_gradients, setup_context=_keep_projection)


# The product is linear in x and in the weights, so that the gradients of its gradients are the same three maps again.


def _keep_dx(ctx, inputs, output) -> None:
    dy, weight, positions, types, p0, bundle = inputs
    ctx.save_for_backward(dy, weight, positions, types)
    ctx.p0, ctx.bundle = p0, bundle


def _dx_gradients(ctx, gradient):
    dy, weight, positions, types = ctx.saved_tensors
    of_dy = of_weight = None
    if ctx.needs_input_grad[0]:
        named = Bundle.named(ctx.bundle)
        # A layer with a bias always adds one; dy has none in it.
        bias = gradient.new_zeros(named.out_features) if named.projection["bias"] else None
        of_dy = operators.projection(gradient, weight, bias, positions, types, ctx.p0, ctx.bundle)
    if ctx.needs_input_grad[1]:
        of_weight, _ = operators.projection_dw(gradient, dy, positions, types, ctx.p0, ctx.bundle, weight.dtype)
    return of_dy, of_weight, None, None, None, None


torch.library.register_autograd("algctl::projection_dx", _dx_gradients, setup_context=_keep_dx)


def _keep_dw(ctx, inputs, output) -> None:
    x, dy, positions, types, p0, bundle, _ = inputs
    ctx.save_for_backward(x, dy, positions, types)
    ctx.p0, ctx.bundle = p0, bundle


def _dw_gradients(ctx, of_weight, of_bias):
    x, dy, positions, types = ctx.saved_tensors
    of_x = of_dy = None
    if ctx.needs_input_grad[0]:
        of_x = operators.projection_dx(dy, of_weight, positions, types, ctx.p0, ctx.bundle)
    if ctx.needs_input_grad[1]:
        # dbias is the sum of the rows of dy: its gradient is added to every row, as a bias is.
        bias = of_bias if of_bias.numel() > 0 else None
        of_dy = operators.projection(x, of_weight, bias, positions, types, ctx.p0, ctx.bundle)
    return of_x, of_dy, None, None, None, None, None


torch.library.register_autograd("algctl::projection_dw", _dw_gradients, setup_context=_keep_dw)


# ---- programs ----


@dataclasses.dataclass(frozen=True)
class _Signature:
    """Names of a program: of operands that a call gives, of results, and of those results that its gradients read."""

    given: tuple[str, ...]
    returned: tuple[str, ...]
    kept: tuple[str, ...]


@functools.cache  # bundles stay open, and this is asked in every call
def _signature(bundle: str, program: str) -> _Signature:
    programs = Bundle.named(bundle).programs
    given = _names_given(programs[program])
    returned = tuple(operand["name"] for operand in programs[program] if operand["role"] == "output")
    read = _names_given(programs.get(_backward_of(program), []))
    return _Signature(given, returned, tuple(name for name in returned if name in read))


def _names_given(operands: list[dict]) -> tuple[str, ...]:
    return tuple(operand["name"] for operand in operands if operand["role"] != "output" and not operand["optional"])


def _backward_of(program: str) -> str:
    base = program.removesuffix(_KEEPING)
    return _BACKWARD if base == "forward" else f"{base}_{_BACKWARD}"


@torch.library.impl("algctl::run", "CompositeImplicitAutograd")
def _(operands, positions, p0, bundle, program):
    keeping = program + _KEEPING
    if keeping not in Bundle.named(bundle).programs or not torch.is_grad_enabled() or not any(
            operand.requires_grad for operand in operands):
        return operators.run_program(operands, positions, p0, bundle, program)
    results = operators.run_program(operands, positions, p0, bundle, keeping)
    return results[:len(_signature(bundle, program).returned)]


def _keep_program(ctx, inputs, output) -> None:
    operands, positions, p0, bundle, program = inputs
    signature = _signature(bundle, program)
    kept = [result for name, result in zip(signature.returned, output) if name in signature.kept]
    ctx.save_for_backward(positions, *operands, *kept)
    ctx.set_materialize_grads(False)  # those of what is kept, as large as itself, would be filled with zeros
    ctx.p0, ctx.bundle, ctx.program = p0, bundle, program


def _require_backward(named: Bundle, program: str) -> str:
    backward = _backward_of(program)
    if backward in named.programs:
        return backward
    if program == _BACKWARD or program.endswith(f"_{_BACKWARD}"):
        raise RuntimeError(f"the program {program} computes gradients, and programs have no second derivatives: take them of "
                           "algctl.AlgLinear layers, one for each product")
    raise RuntimeError(f"the bundle {named.name[:12]} has no program {backward}: compile it with program_maps=(\"forward\", "
                       "\"backward\")")


def _gradients_of_results(ctx, operands, gradients) -> dict[str, torch.Tensor]:
    """By the names that programs of gradients call them: zeros for results that the loss does not depend on."""
    signature, read = _signature(ctx.bundle, ctx.program), _signature(ctx.bundle, _backward_of(ctx.program)).given
    by_name = {}
    for name, gradient in zip(signature.returned, gradients):
        # A result of the program itself may be kept, too.
        if name not in signature.kept or f"d{name}" in read:
            by_name[name] = gradient
        elif gradient is not None:
            raise RuntimeError(f"{name} is kept for the gradients of the other results of the program {ctx.program}, and has no "
                               "gradient itself")
    if any(gradient is None for gradient in by_name.values()):
        like = dict(zip(signature.returned, _results_of(operands, ctx.bundle, ctx.program)))
        by_name = {name: torch.zeros_like(like[name]) if gradient is None else gradient for name, gradient in by_name.items()}
    return {f"d{name}": gradient for name, gradient in by_name.items()}


def _program_gradients(ctx, gradients):
    backward = _require_backward(Bundle.named(ctx.bundle), ctx.program)
    forward_names, backward_names = _signature(ctx.bundle, ctx.program), _signature(ctx.bundle, backward)
    positions, *saved = ctx.saved_tensors
    operands = saved[:len(forward_names.given)]
    given = dict(zip(forward_names.given + forward_names.kept, saved)) | _gradients_of_results(ctx, operands, gradients)
    missing = [name for name in backward_names.given if name not in given]
    if missing:
        raise RuntimeError(f"the program {backward} reads {', '.join(missing)}, which {ctx.program} does not return: run "
                           f"{ctx.program.removesuffix(_KEEPING)}{_KEEPING}, or compile the bundle without keeping")
    computed = operators.run_program([given[name] for name in backward_names.given], positions, ctx.p0, ctx.bundle, backward)
    of = dict(zip(backward_names.returned, computed))
    # Numbers that steps are launched with are in CPU memory wherever the program runs.
    return ([of[f"d{name}"].to(operand.device, operand.dtype) if f"d{name}" in of else None
             for name, operand in zip(forward_names.given, operands)], None, None, None, None)


torch.library.register_autograd("algctl::run_program", _program_gradients, setup_context=_keep_program)


def _no_gradients_of_experts(ctx, results):
    raise RuntimeError("algctl::run_experts has no gradients: the programs of gradients are of one network")


torch.library.register_autograd("algctl::run_experts", _no_gradients_of_experts)
