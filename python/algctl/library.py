"""Loads the operators, a library on PyTorch's stable C++ interface."""

from __future__ import annotations

import os
import pathlib

import torch

from . import compiler

_NAME = "libalgctl_torch.so"


def _find() -> pathlib.Path:
    """Beside this file where the package is installed, or in the build folder of this checkout."""
    configured = os.environ.get("ALGCTL_TORCH_LIBRARY")
    if configured:
        return pathlib.Path(configured)
    here = pathlib.Path(__file__).resolve().parent
    for path in (here / _NAME, here.parents[1] / "build" / "python" / "algctl" / _NAME):
        if path.is_file():
            return path
    raise ImportError(f"{_NAME} is not built: run scripts/install-python, or pip install . in the checkout")


torch.ops.load_library(str(_find()))
operators = torch.ops.algctl
# The runtime works on PyTorch's threads from here on.
RUNTIME_VERSION: str = operators.set_thread_pool()
operators.set_folder(str(compiler.folder()))
