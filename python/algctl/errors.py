"""The errors of the package that no exception of Python names."""


class CompilerError(RuntimeError):
    """The compiler refused a layer, or is not on this machine. The message is what it printed."""


class PackedError(RuntimeError):
    """Weights that are packed for inference were to be trained, read, or replaced."""
