"""A decoder-only language model whose feed-forward networks are dense or algebraic, and otherwise the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from configuration import ConfigurationError, ModelConfiguration
from loss import linear_cross_entropy

# Queries [batch, heads, rows, head width], and keys and values [2, batch, heads, rows, head width], to the result of attention,
# which has the shape of the queries.
Attend = Callable[[Tensor, Tensor], Tensor]


def causal_attention(queries: Tensor, keys_values: Tensor) -> Tensor:
    keys, values = keys_values.unbind()
    return F.scaled_dot_product_attention(queries, keys, values, is_causal=True)


class Attention(nn.Module):
    def __init__(self, configuration: ModelConfiguration) -> None:
        super().__init__()
        self.head_width = configuration.head_width
        self.query_key_value = nn.Linear(configuration.width, 3 * configuration.width)
        self.output = nn.Linear(configuration.width, configuration.width)

    def forward(self, x: Tensor, attend: Attend = causal_attention) -> Tensor:
        batch, rows, _ = x.shape
        # The three parts of one head lie together, so that a range of output features is a range of whole heads.
        heads = self.query_key_value(x).view(batch, rows, -1, 3, self.head_width).permute(3, 0, 2, 1, 4)
        # Keys and values stay in one tensor, so that a cache takes both at once.
        return self.output(attend(heads[0], heads[1:]).transpose(1, 2).reshape(batch, rows, -1))


class DenseSwiGLU(nn.Module):
    """The interface of algctl.SwiGLU with dense products, for which positions do not matter."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x: Tensor, positions: Tensor | None = None) -> Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


def make_feed_forward(configuration: ModelConfiguration) -> nn.Module:
    if not configuration.is_algebraic:
        return DenseSwiGLU(configuration.width, configuration.hidden)
    try:
        import algctl
    except ImportError as error:
        raise ConfigurationError(f"{configuration.algebra} needs the package algctl: {error}") from error
    try:
        return algctl.SwiGLU(configuration.width, configuration.hidden, configuration.algebra, row_types=configuration.row_types)
    except (algctl.CompilerError, ValueError) as error:
        raise ConfigurationError(f"algebra {configuration.algebra}, {configuration.row_types}: {error}") from error


class Block(nn.Module):
    def __init__(self, configuration: ModelConfiguration) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(configuration.width, configuration.norm_epsilon)
        self.attention = Attention(configuration)
        self.feed_forward_norm = nn.LayerNorm(configuration.width, configuration.norm_epsilon)
        self.feed_forward = make_feed_forward(configuration)

    def forward(self, x: Tensor, positions: Tensor | None = None, attend: Attend = causal_attention) -> Tensor:
        x = x + self.attention(self.attention_norm(x), attend)
        return x + self.feed_forward(self.feed_forward_norm(x), positions)


class LanguageModel(nn.Module):
    def __init__(self, configuration: ModelConfiguration, seed: int = 0) -> None:
        super().__init__()
        self.configuration = configuration
        self.loss_chunk_rows = 0
        self.token_embedding = nn.Embedding(configuration.vocabulary, configuration.width)
        self.position_embedding = nn.Embedding(configuration.context, configuration.width)
        self.blocks = nn.ModuleList(Block(configuration) for _ in range(configuration.layers))
        self.final_norm = nn.LayerNorm(configuration.width, configuration.norm_epsilon)
        initialise(self, seed)

    def hidden_states(self, tokens: Tensor, positions: Tensor | None = None, attend: Sequence[Attend] | None = None) -> Tensor:
        """Rows [batch, rows, width] before the head.

        Without positions every sequence starts at position 0. With them, [batch, rows] on the device of the model, each
        row has the position, and thereby the row type, that it is given. `attend` has one function for each block.
        """
        if positions is None:
            if tokens.shape[1] > self.configuration.context:
                raise ConfigurationError(
                    f"{tokens.shape[1]} tokens do not fit the context of {self.configuration.context}")
            position_rows = self.position_embedding.weight[:tokens.shape[1]]
        else:
            position_rows = self.position_embedding(positions)
        x = self.token_embedding(tokens) + position_rows
        for index, block in enumerate(self.blocks):
            x = block(x, positions) if attend is None else block(x, positions, attend[index])
        return self.final_norm(x)

    def head(self, hidden: Tensor) -> Tensor:
        return F.linear(hidden, self.token_embedding.weight)

    def forward(self, tokens: Tensor, targets: Tensor | None = None) -> Tensor:
        """Logits [batch, rows, vocabulary], or with targets [batch, rows] the mean loss, which needs less memory."""
        hidden = self.hidden_states(tokens)
        if targets is None:
            return self.head(hidden)
        return linear_cross_entropy(hidden.flatten(0, 1), self.token_embedding.weight, targets.flatten(), self.loss_chunk_rows)

    def parameter_count(self) -> int:
        return sum(parameter.numel() for parameter in self.parameters())


@torch.no_grad()
def initialise(model: LanguageModel, seed: int) -> None:
    """The same numbers for a dense and an algebraic model, and on every device.

    Matrices are N(0, deviation), those that end a residual branch divided by sqrt(2 layers); norms and biases are 1 and 0.
    """
    if model.final_norm.weight.is_meta:
        return
    configuration = model.configuration
    generator = torch.Generator().manual_seed(seed)
    residual_scale = 1 / math.sqrt(2 * configuration.layers)
    for name, parameter in sorted(model.named_parameters()):
        if parameter.dim() == 1:
            parameter.fill_(1.0 if name.endswith("norm.weight") else 0.0)
            continue
        # nn.Linear keeps [out, in], algctl [in, out]. Drawing both as [in, out] gives the pair one start.
        is_transposed = ".feed_forward." in name and not configuration.is_algebraic
        shape = parameter.shape[::-1] if is_transposed else parameter.shape
        values = torch.randn(shape, generator=generator, device="cpu") * configuration.initial_deviation
        if name.endswith(("attention.output.weight", "feed_forward.down.weight")):
            values *= residual_scale
        parameter.copy_(values.t() if is_transposed else values)
