"""What PyTorch has to know of the operators beside their kernels: shapes and types of results, and gradients.

`torch.ops.algctl.projection` is the product of a bundle's projection, `projection_dx` and `projection_dw` are its gradients,
`run` runs any program of a bundle, and `run_experts` one whose rows are divided among experts. They name bundles by
`Bundle.name`.
"""

from __future__ import annotations

from typing import Any

import torch

from .bundle import Bundle
from .library import operators

# Programs whose gradients are another program of the same bundle.
_BACKWARD = "backward"


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
    # The first operand of M rows says how many there are, where no list of rows does.
    if rows is None:
        rows = next(tensor.shape[:-1] for operand, tensor in zip(given, operands) if operand["shape"][0] == "M")
    results = []
    for operand in named.programs[program]:
        if operand["role"] != "output":
            continue
        sizes: list[Any] = []
        for size in operand["shape"]:
            sizes.extend(rows if size == "M" else (size,))
        results.append(operands[0].new_empty(sizes, dtype=named.result_dtype(program, operand["name"])))
    return results


@torch.library.register_fake("algctl::run")
def _(operands, positions, p0, bundle, program):
    return _results_of(operands, bundle, program)


@torch.library.register_fake("algctl::run_experts")
def _(operands, expert_starts, positions, p0, bundle, program, expert_rows=None):
    return _results_of(operands, bundle, program, None if expert_rows is None else (expert_rows.numel(),))


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


def _keep_program(ctx, inputs, output) -> None:
    operands, positions, p0, bundle, program = inputs
    ctx.save_for_backward(positions, *operands)
    ctx.p0, ctx.bundle, ctx.program = p0, bundle, program


def _program_gradients(ctx, results):
    positions, *operands = ctx.saved_tensors
    named = Bundle.named(ctx.bundle)
    backward = _BACKWARD if ctx.program == "forward" else f"{ctx.program}_{_BACKWARD}"
    if backward not in named.programs:
        raise RuntimeError(f"the bundle {named.name[:12]} has no program {backward}: compile it with program_maps=(\"forward\", "
                           "\"backward\")")
    forward_names = [operand["name"] for operand in named.programs[ctx.program]
                     if operand["role"] != "output" and not operand["optional"]]
    result_names = [operand["name"] for operand in named.programs[ctx.program] if operand["role"] == "output"]
    given = dict(zip(forward_names, operands)) | {f"d{name}": value for name, value in zip(result_names, results)}
    wanted = [given[operand["name"]] for operand in named.programs[backward]
              if operand["role"] != "output" and not operand["optional"]]
    gradients = operators.run(wanted, positions, ctx.p0, ctx.bundle, backward)
    names = [operand["name"] for operand in named.programs[backward] if operand["role"] == "output"]
    of = dict(zip(names, gradients))
    # Numbers that steps are launched with are in CPU memory wherever the program runs.
    return ([of[f"d{name}"].to(operand.device, operand.dtype) if f"d{name}" in of else None
             for name, operand in zip(forward_names, operands)], None, None, None, None)


torch.library.register_autograd("algctl::run", _program_gradients, setup_context=_keep_program)


def _no_gradients_of_experts(ctx, results):
    raise RuntimeError("algctl::run_experts has no gradients: the programs of gradients are of one network")


torch.library.register_autograd("algctl::run_experts", _no_gradients_of_experts)
