"""Rows of a program divided among experts, beside each expert's network alone."""

import algctl
import pytest
import torch

from checks import ROOT, error_of, limit

D, F, EXPERTS = 64, 96, 5


def network(**options):
    return algctl.compile(ROOT / "examples" / "swiglu.toml", in_features=D, hidden_features=F, dtype="f32", **options)


def weights(*leading):
    return [torch.randn(*leading, D, F) / D**0.5, torch.randn(*leading, D, F) / D**0.5, torch.randn(*leading, F, D) / F**0.5]


def starts_of(counts):
    return torch.tensor([0, *counts], dtype=torch.int32).cumsum(0, dtype=torch.int32)


@pytest.mark.parametrize("counts", [(3, 0, 7, 1, 2), (0, 0, 13, 0, 0), (2, 3, 4, 4, 0)])
def test_each_has_its_rows_and_its_weights(counts):
    bundle = network(experts=EXPERTS)
    starts, rows = starts_of(counts), sum(counts)
    x, positions, all_weights = torch.randn(rows, D), torch.randint(0, 1000, (rows,)), weights(EXPERTS)
    y = torch.ops.algctl.run_experts([x, *all_weights], starts, positions, 0, bundle.name, "forward")[0]
    for expert in range(EXPERTS):
        own = slice(int(starts[expert]), int(starts[expert + 1]))
        if counts[expert]:
            alone = torch.ops.algctl.run([x[own], *(w[expert] for w in all_weights)], positions[own], 0, bundle.name, "forward")[0]
            assert torch.equal(y[own], alone)


def test_the_operator_is_one_to_pytorch():
    bundle = network()
    starts, x, all_weights = starts_of((4, 0, 1, 5, 2)), torch.randn(12, D), weights(EXPERTS)

    def run(x, starts, *operands):
        return torch.ops.algctl.run_experts([x, *operands], starts, None, 0, bundle.name, "forward")[0]

    torch.library.opcheck(torch.ops.algctl.run_experts.default, ([x, *all_weights], starts, None, 0, bundle.name, "forward"))
    traced = torch.compile(run, fullgraph=True, backend="aot_eager")
    assert torch.equal(traced(x, starts, *all_weights), run(x, starts, *all_weights))


def test_a_mixture_of_experts_sorts_its_rows():
    """Two experts for each token, as a router chooses them, beside every product by itself."""
    bundle = network()
    tokens, chosen = 9, 2
    x, all_weights = torch.randn(tokens, D), weights(EXPERTS)
    probability, expert = torch.rand(tokens, EXPERTS).softmax(-1).topk(chosen)
    order = expert.flatten().argsort(stable=True)
    starts = starts_of(torch.bincount(expert.flatten(), minlength=EXPERTS).tolist())
    of_token = torch.arange(tokens).repeat_interleave(chosen)[order]
    y = torch.ops.algctl.run_experts([x[of_token], *all_weights], starts, of_token, 0, bundle.name, "forward")[0]
    mixed = torch.zeros(tokens, D).index_add_(0, of_token, y * probability.flatten()[order, None])
    expected = torch.zeros(tokens, D)
    for token in range(tokens):
        for p, e in zip(probability[token], expert[token]):
            alone = [x[token : token + 1], *(w[e] for w in all_weights)]
            expected[token] += p * torch.ops.algctl.run(alone, None, token, bundle.name, "forward")[0][0]
    assert error_of(mixed, expected) < limit(torch.float32)


def test_rows_of_a_list_are_those_of_the_batch():
    """The same mixture without a sorted copy of x: the list says which token each row of y is of."""
    bundle = network()
    tokens, chosen = 9, 2
    x, all_weights = torch.randn(tokens, D), weights(EXPERTS)
    expert = torch.rand(tokens, EXPERTS).topk(chosen).indices.flatten()
    starts = starts_of(torch.bincount(expert, minlength=EXPERTS).tolist())
    of_token = torch.arange(tokens).repeat_interleave(chosen)[expert.argsort(stable=True)]
    rows = of_token.to(torch.int32)
    sorted_y = torch.ops.algctl.run_experts([x[of_token], *all_weights], starts, of_token, 0, bundle.name, "forward")[0]
    y = torch.ops.algctl.run_experts([x, *all_weights], starts, None, 0, bundle.name, "forward", rows)[0]
    assert y.shape == (tokens * chosen, D)
    assert torch.equal(y, sorted_y)
    positions = torch.randint(0, 1000, (tokens,))
    placed = torch.ops.algctl.run_experts([x, *all_weights], starts, positions, 0, bundle.name, "forward", rows)[0]
    sorted_placed = torch.ops.algctl.run_experts([x[of_token], *all_weights], starts, positions[of_token], 0, bundle.name, "forward")[0]
    assert torch.equal(placed, sorted_placed)

    def run(x, starts, rows, *operands):
        return torch.ops.algctl.run_experts([x, *operands], starts, None, 0, bundle.name, "forward", rows)[0]

    torch.library.opcheck(torch.ops.algctl.run_experts.default, ([x, *all_weights], starts, None, 0, bundle.name, "forward", rows))
    traced = torch.compile(run, fullgraph=True, backend="aot_eager")
    assert torch.equal(traced(x, starts, rows, *all_weights), y)
    empty = torch.ops.algctl.run_experts([x, *all_weights], starts_of([0] * EXPERTS), None, 0, bundle.name, "forward", rows[:0])[0]
    assert empty.shape == (0, D)


def test_what_is_wrong_is_said():
    bundle = network()
    x, all_weights = torch.randn(4, D), weights(2)
    with pytest.raises(RuntimeError, match="expert_starts: element 2 is 5, needs to be from 0 to 4"):
        torch.ops.algctl.run_experts([x, *all_weights], torch.tensor([0, 2, 5], dtype=torch.int32), None, 0, bundle.name, "forward")
    with pytest.raises(RuntimeError, match="expert_starts: is of type int64, needs int32"):
        torch.ops.algctl.run_experts([x, *all_weights], torch.tensor([0, 2, 4]), None, 0, bundle.name, "forward")
    with pytest.raises(RuntimeError, match=r"gate: has shape \[2, 64, 96\], needs \[1, 64, 96\] or \[64, 96\]"):
        torch.ops.algctl.run_experts([x, *all_weights], torch.tensor([0, 4], dtype=torch.int32), None, 0, bundle.name, "forward")
    starts, rows = starts_of((1, 3)), torch.tensor([0, 3, 4, 1], dtype=torch.int32)
    with pytest.raises(RuntimeError, match="expert_rows: element 2 is 4, needs to be from 0 to 3"):
        torch.ops.algctl.run_experts([x, *all_weights], starts, None, 0, bundle.name, "forward", rows)
    with pytest.raises(RuntimeError, match="expert_rows: is of type int64, needs int32"):
        torch.ops.algctl.run_experts([x, *all_weights], starts, None, 0, bundle.name, "forward", rows.long())
    with pytest.raises(RuntimeError, match="x has 3 dimensions"):
        torch.ops.algctl.run_experts([x[None], *all_weights], starts_of((1, 3)), None, 0, bundle.name, "forward")


def test_gradients_are_of_one_network():
    bundle = network()
    all_weights = [weight.requires_grad_() for weight in weights(2)]
    y = torch.ops.algctl.run_experts([torch.randn(4, D), *all_weights], starts_of((1, 3)), None, 0, bundle.name, "forward")[0]
    with pytest.raises(RuntimeError, match="run_experts has no gradients"):
        y.sum().backward()
