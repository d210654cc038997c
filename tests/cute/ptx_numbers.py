"""Integers of PTX as integers that are not negative, of as many bits as their type has."""
import operator
import re


def bits_of(kind):
    return 1 if kind == "pred" else int(kind[1:])


def is_float(kind):
    return kind.startswith(("f", "bf"))


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def quotient(a, b):
    """Towards zero, as PTX divides."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


ARITHMETIC = {
    "add": operator.add, "sub": operator.sub, "and": operator.and_, "or": operator.or_, "xor": operator.xor,
    "min": min, "max": max, "div": quotient, "rem": lambda a, b: a - quotient(a, b) * b,
    "shl": lambda a, b: a << min(b, 64), "shr": lambda a, b: a >> min(b, 64)}
COMPARISONS = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "lo": operator.lt, "ls": operator.le, "hi": operator.gt, "hs": operator.ge,
    "equ": operator.eq, "neu": operator.ne}


def literal(operand):
    """The number that an operand is, or None. Floating-point numbers are their bits."""
    if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)U?", operand):
        return int(operand.rstrip("U"), 0)
    if re.fullmatch(r"0[fd][0-9a-fA-F]+", operand):
        return int(operand[2:], 16)
    return None
