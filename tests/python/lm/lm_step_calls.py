"""What the code that Inductor makes of a step calls, with the kernels that it would make for a CUDA device."""

from __future__ import annotations

import ast
from collections import Counter
from types import SimpleNamespace
from unittest.mock import patch

import pytest
import torch
from torch._inductor.graph import GraphLowering

from decode import Decoder

# Calls of generated code that compute nothing. Whatever is not among them counts, so that nothing is missed for its name.
NOT_LAUNCHED = {"args.clear", "assert_alignment", "assert_size_stride", "assert_size_stride_grouped", "assert_tensor_metadata",
                "empty_strided_cpu", "get_raw_stream", "reinterpret_tensor"}
PROGRAM = "torch.ops.algctl.run_program.default"


def generated_code(decoder: Decoder, window: int) -> str:
    """What calls the kernels of a compiled step. Neither it nor they are compiled further or run.

    The count carries over to a CUDA device, because tensors on the CPU go to that device's backend here, which generates Triton
    kernels: its rules decide what is fused. (The CPU's own backend keeps sums over a row apart from what uses them.) All that it
    asks the device is which one it is. What Inductor does not generate - products, attention, programs - it calls on either.
    """
    driver = pytest.importorskip("triton.runtime").driver
    target = pytest.importorskip("triton.backends.compiler").GPUTarget("cuda", 90, 32)
    sources: list[str] = []

    def keep(graph: GraphLowering) -> SimpleNamespace:
        sources.append(graph.codegen()[0].value)
        return SimpleNamespace(call=lambda arguments: [])

    torch._dynamo.reset()
    device = SimpleNamespace(get_current_target=lambda: target, get_active_torch_device=lambda: torch.device("cpu"))
    try:
        with (torch.inference_mode(), patch.object(driver, "_active", device),
              patch.object(GraphLowering, "compile_to_module", keep),
              torch._inductor.config.patch(cpu_backend="triton", force_disable_caches=True)):
            decoder._advance(window)
    finally:
        torch._dynamo.reset()
    (source,) = sources
    return source


def program_launches(call: ast.Call) -> int:
    """Each step of a program is a kernel, and on a GPU each of its layers: there kernels have one."""
    import algctl
    *_, bundle, program = (argument.value for argument in call.args if isinstance(argument, ast.Constant))
    manifest = algctl.Bundle.named(bundle).manifest
    programs = {entry["name"]: entry for entry in manifest["programs"]}
    of_two_layers = {entry["name"] for entry in manifest["projections"] if "next" in entry["layer"].get("fused", {})}
    return sum(2 if step.get("projection") in of_two_layers else 1 for step in programs[program]["steps"])


def step_calls(decoder: Decoder, window: int) -> Counter[str]:
    """How often a compiled step calls each generated kernel, library function and operator."""
    code = generated_code(decoder, window)
    (body,) = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef) and node.name == "call")
    calls: Counter[str] = Counter()
    for node in ast.walk(body):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name not in NOT_LAUNCHED:
                calls[name] += program_launches(node) if name == PROGRAM else 1
    return calls
