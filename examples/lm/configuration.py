"""The sizes of a model and the hyper-parameters of its training, with their presets in configs/."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

PRESETS = Path(__file__).parent / "configs"
DENSE = "dense"


class ConfigurationError(ValueError):
    """What the user asked for cannot be done; the message says why. Programs end with exit code 2."""


def require(condition: bool, message: str) -> None:
    if not condition:
        raise ConfigurationError(message)


@dataclass(frozen=True)
class ModelConfiguration:
    """The defaults are the paper's dense model of 110,631,168 parameters."""

    layers: int = 12
    width: int = 768
    heads: int = 32
    hidden: int = 1536  # width between the products of the feed-forward network
    context: int = 1536  # learned positions
    vocabulary: int = 50_257
    algebra: str = DENSE  # or the law of the three products of each feed-forward network, as "Q(2)^2"
    row_types: str = "interval(192)"  # the type of a position; a dense model has none and ignores it
    norm_epsilon: float = 1e-5
    initial_deviation: float = 0.02

    def __post_init__(self) -> None:
        for name in ("layers", "width", "heads", "hidden", "context", "vocabulary"):
            require(getattr(self, name) > 0, f"{name} is {getattr(self, name)}: it has to be positive")
        require(self.width % self.heads == 0, f"width {self.width} is not a multiple of {self.heads} heads")
        require(self.norm_epsilon > 0, "norm_epsilon has to be positive")
        require(self.initial_deviation > 0, "initial_deviation has to be positive")

    @property
    def head_width(self) -> int:
        return self.width // self.heads

    @property
    def is_algebraic(self) -> bool:
        return self.algebra != DENSE


@dataclass(frozen=True)
class TrainingConfiguration:
    """The defaults are the paper's; what it leaves open is marked "chosen"."""

    steps: int = 100_000
    sequences_per_process: int = 40
    accumulation: int = 1
    sequence_length: int = 1536
    peak_learning_rate: float = 3e-4
    warm_up_steps: int = 500  # linear: chosen
    final_learning_rate_fraction: float = 0.1  # of the peak, at the last step of the cosine
    beta1: float = 0.9
    beta2: float = 0.95
    epsilon: float = 1e-8
    weight_decay: float = 0.1
    decayed_parameters: str = "matrices"  # chosen; embeddings are matrices, too. The other choice is "all"
    clip_norm: float = 1.0
    precision: str = "bf16"  # autocast, with parameters in f32; or "f32"
    seed: int = 0  # of the initial parameters
    data_seed: int = 0  # of the order of the text
    loss_chunk_rows: int = 8192  # logits that are in memory at once; 0: all of them
    validation_interval: int = 1000
    validation_sequences: int = 400
    log_interval: int = 10
    checkpoint_interval: int = 1000
    kept_checkpoints: int = 2
    parallel: str = "none"
    tensor_parallel: int = 1  # neighbouring processes that divide the projections of every block among them
    fsdp_bf16_parameters: bool = False  # gather and compute in bf16, reduce in f32, instead of autocast
    compile: bool = False
    deterministic: bool = False
    device: str = "auto"

    def __post_init__(self) -> None:
        positive = ("steps", "sequences_per_process", "accumulation", "sequence_length", "peak_learning_rate", "epsilon",
                    "clip_norm", "validation_interval", "validation_sequences", "log_interval", "checkpoint_interval",
                    "kept_checkpoints", "tensor_parallel")
        for name in positive:
            require(getattr(self, name) > 0, f"{name} is {getattr(self, name)}: it has to be positive")
        for name in ("warm_up_steps", "weight_decay", "loss_chunk_rows", "seed", "data_seed"):
            require(getattr(self, name) >= 0, f"{name} is {getattr(self, name)}: it must not be negative")
        for name in ("beta1", "beta2", "final_learning_rate_fraction"):
            require(0 <= getattr(self, name) <= 1, f"{name} is {getattr(self, name)}: it has to be in [0, 1]")
        choices = {"precision": ("bf16", "f32"), "parallel": ("none", "ddp", "fsdp"), "decayed_parameters": ("matrices", "all")}
        for name, allowed in choices.items():
            value = getattr(self, name)
            require(value in allowed, f"{name} is {value!r}: it has to be one of {', '.join(allowed)}")
        require(self.tensor_parallel == 1 or self.parallel != "ddp",
                f"tensor_parallel is {self.tensor_parallel}: with it parallel has to be none or fsdp, not ddp")


@dataclass(frozen=True)
class Configuration:
    model: ModelConfiguration
    training: TrainingConfiguration

    def __post_init__(self) -> None:
        require(self.training.sequence_length <= self.model.context,
                f"sequences of {self.training.sequence_length} tokens are longer than the context of {self.model.context}")
        for name in ("heads", "hidden"):
            require(getattr(self.model, name) % self.training.tensor_parallel == 0,
                    f"{name} {getattr(self.model, name)} is not a multiple of tensor_parallel {self.training.tensor_parallel}")

    def to_dict(self) -> dict[str, dict[str, Any]]:
        return {"model": asdict(self.model), "training": asdict(self.training)}


Part = TypeVar("Part", ModelConfiguration, TrainingConfiguration)


def with_values(part: Part, values: dict[str, Any], source: str) -> Part:
    """`part` with some of its fields replaced; names and types are checked."""
    types = get_type_hints(type(part))
    checked: dict[str, Any] = {}
    for name, value in values.items():
        require(name in types, f"{source}: there is no {name!r}; there are {', '.join(field.name for field in fields(part))}")
        wanted = types[name]
        if wanted is float and type(value) is int:
            value = float(value)
        require(type(value) is wanted, f"{source}: {name} is {value!r}: it has to be of type {wanted.__name__}")
        checked[name] = value
    return replace(part, **checked)


def from_dict(content: dict[str, Any], source: str) -> Configuration:
    unknown = sorted(set(content) - {"model", "training"})
    require(not unknown, f"{source}: there is no table {unknown[0] if unknown else ''!r}; there are model and training")
    for name, table in content.items():
        require(isinstance(table, dict), f"{source}: {name} has to be a table")
    model = with_values(ModelConfiguration(), content.get("model", {}), source)
    training = content.get("training", {})
    # Sequences fill the context where nothing else is said.
    return Configuration(model, with_values(TrainingConfiguration(), {"sequence_length": model.context} | training, source))


def preset_names() -> list[str]:
    return sorted(path.stem for path in PRESETS.glob("*.toml"))


def read_configuration(name_or_path: str) -> Configuration:
    """A preset by its name, or a TOML file with the tables `model` and `training`."""
    path = Path(name_or_path) if name_or_path.endswith(".toml") else PRESETS / f"{name_or_path}.toml"
    try:
        with path.open("rb") as file:
            content = tomllib.load(file)
    except FileNotFoundError as error:
        raise ConfigurationError(
            f"there is no configuration {name_or_path!r}: name a file or one of {', '.join(preset_names())}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path}: {error}") from error
    return from_dict(content, str(path))
