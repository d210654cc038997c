"""algctl: layers whose products are those of associative algebras, in PyTorch.

    layer = algctl.AlgLinear(768, 1536, algebra="Q(2)^2", row_types="interval(192)")
    report = algctl.convert_(model, "Q(4)", init="least_squares", moments=moments)

docs/pytorch.md is the manual.
"""

import importlib

from . import compiler, operators, reference  # noqa: F401 (operators registers fakes and gradients)
from .bundle import Bundle, compile
from .convert import LayerReport, Report, convert_
from .errors import CompilerError, PackedError
from .least_squares import Moments
from .library import RUNTIME_VERSION
from .linear import AlgLinear, PositionsSource
from .packing import pack_, unpack_
from .swiglu import SwiGLU

__version__ = RUNTIME_VERSION


def __getattr__(name: str):
    """algctl.distributed and its styles, imported when they are asked for: torch.distributed is not in every PyTorch."""
    if name in ("distributed", "AlgColwiseParallel", "AlgRowwiseParallel"):
        module = importlib.import_module(".distributed", __name__)
        return module if name == "distributed" else getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
