"""Tensor parallelism of two processes against one process.

This file runs once as a program whose two processes measure everything and write what they found; the tests look at that.
"""

import copy
import json
import os
import pathlib
import subprocess
import sys

import algctl
import pytest
import torch
import torch.distributed
import torch.distributed.checkpoint as checkpoint
import torch.multiprocessing
from algctl.distributed import (AlgColwiseParallel, AlgRowwiseParallel, divide_full_state, divide_optimizer_state,
                                fsdp_placement, merge_optimizer_state)
from torch import nn
from torch.distributed.checkpoint.state_dict import get_model_state_dict, get_optimizer_state_dict, set_model_state_dict
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_optimizer_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import (ColwiseParallel, PrepareModuleInput, RowwiseParallel, SequenceParallel,
                                               parallelize_module)
from torch.nn import functional

from checks import error_of

RANKS = 2
UNEQUAL = (16, 48, 32)
ALGEBRAS = {"Q(4)": {}, "Q(2)^2": {"row_types": "interval(3)"}, "Q(3)": {"groups": UNEQUAL}}
LAYOUTS = {"parts": (None, None), "whole": (Replicate(), Replicate()), "sequence": (Shard(1), Shard(1)),
           "features": (Shard(-1), Shard(-1))}
CHECKPOINTS = {"state_dict", "full_state_dict", "distributed_checkpoint", "loaded", "loaded full_state_dict",
               "distributed_load", "optimizer"}


class FeedForward(nn.Module):
    """SwiGLU of layers that may have unequal groups, which algctl.SwiGLU has not."""

    def __init__(self, width, groups, algebra, bias):
        super().__init__()
        self.gate, self.up = (algctl.AlgLinear(width, sum(groups), algebra, out_groups=groups, bias=bias) for _ in range(2))
        self.down = algctl.AlgLinear(sum(groups), width, algebra, in_groups=groups, bias=bias)

    def forward(self, x, positions=None):
        return self.down(functional.silu(self.gate(x, positions)) * self.up(x, positions), positions)


def feed_forward(algebra, groups=None, row_types="cyclic", bias=True):
    if groups is not None:
        return FeedForward(48, groups, algebra, bias)
    return algctl.SwiGLU(48, 96, algebra, row_types=row_types, bias=bias)


class Attention(nn.Module):
    def __init__(self, width, head_width):
        super().__init__()
        self.head_width = head_width
        self.query_key_value, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        heads = self.query_key_value(x).unflatten(-1, (-1, 3, self.head_width))
        queries, keys, values = (part.transpose(1, 2) for part in heads.unbind(3))
        result = functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        return self.output(result.transpose(1, 2).flatten(-2))


class Block(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(48), Attention(48, 12)
        self.feed_forward_norm, self.feed_forward = nn.LayerNorm(48), feed_forward(**options)

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class Model(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.embedding, self.block = nn.Embedding(40, 48), Block(options)
        self.norm, self.head = nn.LayerNorm(48), nn.Linear(48, 40, bias=False)

    def forward(self, tokens):
        return self.head(self.norm(self.block(self.embedding(tokens))))


def sequence_plan(shard=Shard(1)):
    """All parameters are DTensors, as clip_grad_norm_ wants it; between the layers sequences are divided."""
    return {"embedding": RowwiseParallel(input_layouts=Replicate(), output_layouts=shard),
            "block.attention_norm": SequenceParallel(use_local_output=True),
            "block.attention.query_key_value": ColwiseParallel(input_layouts=shard),
            "block.attention.output": RowwiseParallel(output_layouts=shard),
            "block.feed_forward_norm": SequenceParallel(),
            "block.feed_forward": PrepareModuleInput(input_layouts=shard, desired_input_layouts=Replicate()),
            "block.feed_forward.gate": AlgColwiseParallel(), "block.feed_forward.up": AlgColwiseParallel(),
            "block.feed_forward.down": AlgRowwiseParallel(output_layouts=shard),
            "norm": SequenceParallel(),
            "head": ColwiseParallel(input_layouts=shard, output_layouts=Replicate())}


PLAN = {"gate": AlgColwiseParallel(), "up": AlgColwiseParallel(), "down": AlgRowwiseParallel()}


def whole(value):
    return value.full_tensor() if isinstance(value, DTensor) else value


def worst(found, expected):
    """The greatest error of values of the same names; found ones may be DTensors and in the shapes of divided parameters."""
    assert list(found) == list(expected)
    return max(error_of(whole(found[name]).detach().reshape(value.shape), value.detach()) for name, value in expected.items())


def gradients(model):
    return {name: parameter.grad for name, parameter in model.named_parameters()}


# ---- what the processes measure: numbers by name ----

def measure_network(mesh, options, found):
    """Forward and gradients, with positions, in float32 and with bfloat16 products."""
    single = feed_forward(**options)
    divided = parallelize_module(copy.deepcopy(single), mesh, PLAN)
    x, gradient, positions = torch.randn(2, 7, 48), torch.randn(2, 7, 48), torch.randint(0, 100, (2, 7))
    for name, where, dtype in (("float32", None, None), ("positions", positions, None), ("first", 5, None),
                               ("autocast", None, torch.bfloat16)):
        results = []
        for network in (single, divided):
            leaf = x.clone().requires_grad_()
            network.zero_grad()
            with torch.autocast("cpu", dtype or torch.bfloat16, enabled=dtype is not None):
                y = network(leaf, where)
                with torch.no_grad():
                    inferred = network(leaf, where)
            y.backward(gradient.to(y.dtype))
            results.append({"y": y, "inferred": inferred, "x": leaf.grad})
        found[name] = worst(results[1], results[0])
        found[f"{name} weights"] = worst(gradients(divided), gradients(single))
        assert all(value.dtype == torch.float32 for value in gradients(divided).values())


def measure_layouts(mesh, found):
    rank = mesh.get_local_rank()
    for bias in (False, True):
        single = algctl.AlgLinear(48, 96, "Q(4)", bias=bias)
        x, gradient = torch.randn(2, 8, 48), torch.randn(2, 8, 96)
        leaf = x.clone().requires_grad_()
        y = single(leaf)
        y.backward(gradient)
        expected = {"y": y, "x": leaf.grad, **gradients(single)}
        for name, (inputs, outputs) in LAYOUTS.items():
            for style in (AlgColwiseParallel, AlgRowwiseParallel):
                columns = style is AlgColwiseParallel
                layer = parallelize_module(copy.deepcopy(single), mesh, style(input_layouts=inputs, output_layouts=outputs))

                def part(value, layout, is_divided):
                    """Of this rank: of the features where no layout is given."""
                    if layout is None and is_divided:
                        return value.unflatten(-1, (4, -1)).chunk(RANKS, -1)[rank].flatten(-2)
                    return value.chunk(RANKS, layout.dim)[rank] if isinstance(layout, Shard) else value

                given = part(x, inputs, not columns).clone().requires_grad_()
                result = layer(given)
                result.backward(part(gradient, outputs, columns))
                measured = {"y": result, "x": given.grad, **gradients(layer)}
                wanted = expected | {"y": part(y, outputs, columns), "x": part(leaf.grad, inputs, not columns)}
                found[f"{style.__name__} {name} {bias}"] = worst(measured, wanted)
                if outputs is not None:
                    layer.use_local_output = False
                    assert isinstance(layer(given), DTensor)
    # Two layers of other groups agree where their unit is the same.
    first, second = algctl.AlgLinear(48, 96, "Q(2)"), algctl.AlgLinear(96, 48, "Q(4)")
    expected = second(first(x))
    parallelize_module(first, mesh, AlgColwiseParallel(unit=24))
    parallelize_module(second, mesh, AlgRowwiseParallel(unit=24))
    found["unit"] = error_of(second(first(x)), expected)


def losses(model, optimizer, steps=2):
    generator = torch.Generator().manual_seed(1)
    result = []
    for _ in range(steps):
        tokens = torch.randint(40, (4, 9), generator=generator)
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        for parameter in model.parameters():
            # LayerNorm of divided sequences leaves these, and clip_grad_norm_ of PyTorch 2.11 scales them wrongly.
            if isinstance(parameter.grad, DTensor) and parameter.grad.placements[0].is_partial():
                parameter.grad = parameter.grad.redistribute(placements=[Replicate()])
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        result += [loss.item(), whole(norm).item()]
    return torch.tensor(result)


def adam(model):
    return torch.optim.AdamW(model.parameters(), 1e-2, eps=1e-4)


def measure_training(mesh, folder, options, found):
    """Steps of a model with attention by torch's styles, and its checkpoints."""
    single = Model(options)
    divided = parallelize_module(copy.deepcopy(single), mesh, sequence_plan())
    initial = copy.deepcopy(single)
    single_optimizer, optimizer = adam(single), adam(divided)
    found["losses"] = error_of(losses(divided, optimizer, 3), losses(single, single_optimizer, 3))
    expected = {name: value.clone() for name, value in single.state_dict().items()}
    found["state_dict"] = worst(divided.state_dict(), expected)
    full = get_model_state_dict(divided, options=StateDictOptions(full_state_dict=True))
    if torch.distributed.get_rank() == 0:
        found["full_state_dict"] = worst(full, expected)
    # A checkpoint of two processes for one process, with the state of the optimizer.
    checkpoint.save({"model": get_model_state_dict(divided),
                     "optimizer": merge_optimizer_state(divided, get_optimizer_state_dict(divided, optimizer))},
                    checkpoint_id=folder / "divided")
    resumed = copy.deepcopy(initial)
    resumed_optimizer = adam(resumed)
    state = {"model": get_model_state_dict(resumed), "optimizer": get_optimizer_state_dict(resumed, resumed_optimizer)}
    checkpoint.load(state, checkpoint_id=folder / "divided", no_dist=True)
    set_model_state_dict(resumed, state["model"])
    set_optimizer_state_dict(resumed, resumed_optimizer, state["optimizer"])
    found["distributed_checkpoint"] = worst(resumed.state_dict(), expected)
    # And back: plain tensors of a checkpoint of one process, and a distributed checkpoint.
    other = parallelize_module(copy.deepcopy(initial), mesh, sequence_plan())
    network = "block.feed_forward."
    plain = {name.removeprefix(network): value for name, value in expected.items() if name.startswith(network)}
    other.block.feed_forward.load_state_dict(plain)
    found["loaded"] = worst(other.block.feed_forward.state_dict(), plain)
    other = parallelize_module(copy.deepcopy(initial), mesh, sequence_plan())
    set_model_state_dict(other, divide_full_state(other, expected), options=StateDictOptions(full_state_dict=True))
    found["loaded full_state_dict"] = worst(other.state_dict(), expected)
    other = parallelize_module(copy.deepcopy(initial), mesh, sequence_plan())
    other_optimizer = adam(other)
    state = {"model": get_model_state_dict(other),
             "optimizer": merge_optimizer_state(other, get_optimizer_state_dict(other, other_optimizer))}
    checkpoint.load(state, checkpoint_id=folder / "divided")
    set_model_state_dict(other, state["model"])
    set_optimizer_state_dict(other, other_optimizer, divide_optimizer_state(other, state["optimizer"]))
    found["distributed_load"] = worst(other.state_dict(), expected)
    continued = losses(single, single_optimizer)
    found["optimizer"] = max(error_of(losses(resumed, resumed_optimizer), continued),
                             error_of(losses(other, other_optimizer), continued),
                             error_of(losses(divided, optimizer), continued))


def measure_unequal_parts(mesh, found):
    """Of the state of an optimizer: 45 columns of two ranks."""
    layer = parallelize_module(algctl.AlgLinear(48, 45, "Q(3)"), mesh, AlgRowwiseParallel(input_layouts=Replicate()))
    optimizer = torch.optim.AdamW(layer.parameters(), fused=True)
    layer(torch.randn(4, 48)).square().sum().backward()
    optimizer.step()
    held = get_optimizer_state_dict(layer, optimizer)
    again = divide_optimizer_state(layer, merge_optimizer_state(layer, held))
    for name in ("exp_avg", "exp_avg_sq"):
        before, after = held["state"]["weight"][name], again["state"]["weight"][name]
        found[name] = error_of(whole(after), whole(before))
        assert after.to_local().stride() == before.to_local().stride()


def measure_fully_sharded(shape, options, found):
    """On a mesh of both kinds of parallelism."""
    mesh = init_device_mesh("cpu", shape, mesh_dim_names=("data", "tensor"))
    single = feed_forward(**options)
    divided = parallelize_module(copy.deepcopy(single), mesh["tensor"], PLAN)
    fully_shard(divided, mesh=mesh["data"], shard_placement_fn=fsdp_placement)
    rows, rank = 4 // shape[0], mesh.get_local_rank("data")
    results = []
    for network, part in ((single, slice(None)), (divided, slice(rank * rows, (rank + 1) * rows))):
        optimizer = torch.optim.AdamW(network.parameters(), 1e-2, eps=1e-4)
        generator = torch.Generator().manual_seed(1)
        for _ in range(2):
            x = torch.randn(4, 6, 48, generator=generator)
            optimizer.zero_grad()
            network(x[part]).square().mean().backward()
            norm = nn.utils.clip_grad_norm_(network.parameters(), 0.1)
            optimizer.step()
        results.append({**network.state_dict(), "norm": norm})
    found["steps"] = worst(results[1], results[0])
    divided.load_state_dict({name: value * 2 for name, value in single.state_dict().items()})
    found["loaded"] = worst(divided.state_dict(), {name: value * 2 for name, value in single.state_dict().items()})


def message_of(action):
    try:
        action()
    except (TypeError, ValueError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


def measure_errors(mesh, found):
    def apply(layer, style):
        before = copy.deepcopy(layer.state_dict())
        message = message_of(lambda: parallelize_module(layer, mesh, style))
        assert all(torch.equal(value, before[name]) for name, value in layer.state_dict().items())
        return message

    found["groups"] = apply(algctl.AlgLinear(48, 60, "Q(4)"), AlgColwiseParallel())
    found["unequal"] = apply(algctl.AlgLinear(90, 48, "Q(3)", in_groups=(30, 45, 15)), AlgRowwiseParallel())
    found["unit"] = apply(algctl.AlgLinear(48, 96, "Q(4)"), AlgColwiseParallel(unit=48))
    found["dense"] = apply(nn.Linear(8, 8), AlgColwiseParallel())
    packed = algctl.AlgLinear(48, 96, "Q(4)").eval()
    algctl.pack_(packed)
    found["packed"] = apply(packed, AlgRowwiseParallel())
    found["layout"] = message_of(lambda: AlgColwiseParallel(use_local_output=False))
    layer = parallelize_module(algctl.AlgLinear(48, 96, "Q(4)"), mesh, AlgColwiseParallel())
    found["twice"] = message_of(lambda: parallelize_module(layer, mesh, AlgColwiseParallel()))
    found["dense_weights"] = message_of(layer.to_linear)
    found["pack"] = message_of(lambda: algctl.pack_(layer.eval()))
    found["shape"] = message_of(lambda: layer.load_state_dict({"weight": torch.zeros(48, 48)}))


def measure(rank, folder):
    """The work of one process."""
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=RANKS)
    torch.manual_seed(20)  # the same inputs and weights in both processes
    mesh = init_device_mesh("cpu", (RANKS,))
    found = {}
    for algebra, options in ALGEBRAS.items():
        measure_network(mesh, {"algebra": algebra, **options}, found.setdefault(f"network {algebra}", {}))
        measure_training(mesh, folder / algebra, {"algebra": algebra, **options}, found.setdefault(f"training {algebra}", {}))
    measure_layouts(mesh, found.setdefault("layouts", {}))
    measure_unequal_parts(mesh, found.setdefault("unequal parts", {}))
    for shape in ((2, 1), (1, 2)):
        measure_fully_sharded(shape, {"algebra": "Q(4)"}, found.setdefault(f"fully sharded {shape}", {}))
    measure_errors(mesh, found.setdefault("errors", {}))
    (folder / f"{rank}.json").write_text(json.dumps(found), encoding="utf-8")
    torch.distributed.destroy_process_group()


# ---- tests ----

@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """What each of the processes found."""
    folder = tmp_path_factory.mktemp("distributed")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    result = subprocess.run([sys.executable, __file__, str(folder)], env=environment, stderr=subprocess.PIPE, text=True,
                            timeout=300)
    assert result.returncode == 0, result.stderr
    return [json.loads((folder / f"{rank}.json").read_text(encoding="utf-8")) for rank in range(RANKS)]


@pytest.mark.parametrize("algebra", ALGEBRAS)
def test_equals_one_process(measured, algebra):
    for found in measured:
        for name, error in found[f"network {algebra}"].items():
            assert error < (2e-2 if name.startswith("autocast") else 5e-6), name


@pytest.mark.parametrize("algebra", ALGEBRAS)
def test_training_with_attention_and_checkpoints(measured, algebra):
    for found in measured:
        for name, error in found[f"training {algebra}"].items():
            assert error < 2e-4, name
    assert set(measured[0][f"training {algebra}"]) == CHECKPOINTS | {"losses"}


def test_layouts(measured):
    for found in measured:
        for name, error in found["layouts"].items():
            assert error < 5e-6, name


def test_states_in_unequal_parts(measured):
    for found in measured:
        assert found["unequal parts"] == {"exp_avg": 0, "exp_avg_sq": 0}


@pytest.mark.parametrize("shape", ["(2, 1)", "(1, 2)"])
def test_with_fully_shard(measured, shape):
    for found in measured:
        for name, error in found[f"fully sharded {shape}"].items():
            assert error < 1e-4, name


@pytest.mark.parametrize("case,words", [
    ("groups", ["ValueError", "AlgLinear(in_features=48, out_features=60, algebra=Q(4)", "2 ranks", "[15, 15, 15, 15]"]),
    ("unequal", ["ValueError", "algebra=Q(3)", "[30, 45, 15]"]),
    ("unit", ["ValueError", "the unit 48 does not divide"]),
    ("dense", ["TypeError", "Linear"]),
    ("packed", ["PackedError", "unpack_"]),
    ("layout", ["ValueError", "output_layouts"]),
    ("twice", ["ValueError", "already"]),
    ("dense_weights", ["ValueError", "divided among ranks"]),
    ("pack", ["Error"]),
    ("shape", ["RuntimeError", "size mismatch"]),
])
def test_errors(measured, case, words):
    for found in measured:
        for word in words:
            assert word in found["errors"][case]


if __name__ == "__main__":
    # Modules are imported once, and nothing is computed yet that a fork would break.
    torch.multiprocessing.start_processes(measure, (pathlib.Path(sys.argv[1]),), RANKS, start_method="fork")
