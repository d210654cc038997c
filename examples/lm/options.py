"""Every field of a configuration as an option of the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import fields
from typing import Any, get_type_hints

from configuration import (Configuration, ConfigurationError, ModelConfiguration, TrainingConfiguration, preset_names,
                           read_configuration, with_values)


def add_configuration_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", default="paper-dense", help=f"a TOML file, or one of {', '.join(preset_names())}")
    for title, part in (("model", ModelConfiguration), ("training", TrainingConfiguration)):
        group = parser.add_argument_group(f"{title} (each takes the place of what the configuration says)")
        types = get_type_hints(part)
        for field in fields(part):
            option = "--" + field.name.replace("_", "-")
            if types[field.name] is bool:
                group.add_argument(option, action=argparse.BooleanOptionalAction, default=argparse.SUPPRESS)
            else:
                group.add_argument(option, type=types[field.name], default=argparse.SUPPRESS, metavar=types[field.name].__name__)


def configuration_from_options(options: argparse.Namespace) -> Configuration:
    given = vars(options)
    base = read_configuration(options.config)
    model_values = {field.name: given[field.name] for field in fields(ModelConfiguration) if field.name in given}
    training_values = {field.name: given[field.name] for field in fields(TrainingConfiguration) if field.name in given}
    # A context of one's own takes the sequences with it, unless their length is given as well.
    if "context" in model_values and "sequence_length" not in training_values:
        training_values["sequence_length"] = model_values["context"]
    return Configuration(with_values(base.model, model_values, "command line"),
                         with_values(base.training, training_values, "command line"))


def run_program(main: Callable[..., Any], *arguments: Any) -> None:
    """Ends the process with exit code 2 and one line for what the user can mend."""
    try:
        main(*arguments)
    except ConfigurationError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
