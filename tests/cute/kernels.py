"""The kernels whose layouts are compared: every form of operand and result that kernels of the copy engine have, over
widths, depths and swizzles."""
from pathlib import Path

from kernel import Kernel

TWO_PRODUCTS = Path(__file__).with_name("two-products.toml")

# With two row types a tile has one or two terms, and a group a single block of columns where nothing else is said.
TYPES = 2
# Of each input group: a whole step of the deepest stage, and one instruction more.
INNER = 80


def schedule_text(schedule):
    return ",".join(f"{key}={value}" for key, value in schedule.items())


def product(schedule, *, inner=INNER, outer=None, types=TYPES, row_blocks=1, computes="forward", result="bf16",
            options=(), **about):
    """A layer with groups of `inner` inputs and `outer` outputs, and `row_blocks` tiles of rows of each type."""
    outer = outer or schedule["columns"]
    arguments = [f"Q({types})", "--in", str(types * inner), "--out", str(types * outer), "--dtype", "bf16", "--target",
                 "sm_90a", "--stage", "ptx", "--no-cache", "--y-dtype", result, "--map", computes, "--schedule",
                 schedule_text(schedule), *options]
    about.setdefault("rows", types * row_blocks * schedule["rows"])
    return Kernel(arguments, schedule, **about)


def two_products(schedule, **about):
    """Of the same rows, whose sums make one result together."""
    arguments = [str(TWO_PRODUCTS), "--kernel", "forward_0", "--target", "sm_90a", "--stage", "ptx", "--no-cache",
                 "--schedule", schedule_text(schedule)]
    return Kernel(arguments, schedule, rows=TYPES * schedule["rows"], **about)


def gradient_of_rows(schedule, **rest):
    return product(schedule, computes="dx", **{"inner": schedule["columns"], "outer": INNER, **rest})


def gradient_of_weights(schedule, **rest):
    return product(schedule, computes="dw", rows=TYPES * 2 * schedule["depth"], **{"inner": schedule["rows"], **rest})


def tile(rows, columns, depth, stages=2, **rest):
    return {"rows": rows, "columns": columns, "depth": depth, "stages": stages, **rest}


# All that a tile can have at the greatest depth; at the others some of each swizzle.
ALL_COLUMNS = range(16, 257, 16)
SOME_COLUMNS = (48, 96, 256)


def operands():
    """Rows, weights and their gradients on both sides of the instructions."""
    for depth, all_columns in (64, ALL_COLUMNS), (32, SOME_COLUMNS), (16, SOME_COLUMNS):
        for columns in all_columns:
            yield product(tile(64, columns, depth))
        for columns in SOME_COLUMNS:
            yield gradient_of_weights(tile(64, columns, depth))
        for columns in 16, 256:
            yield gradient_of_rows(tile(64, columns, depth))
        for rows in 8, 64, 256:
            yield product(tile(rows, 64, depth, rows_on="n"))
        yield gradient_of_rows(tile(16, 64, depth, rows_on="n"))
    # Two blocks of the weight matrix by the same rows. The elements are not followed: in a type's own group there are sums
    # that nobody stores.
    yield gradient_of_rows(tile(64, 64, 64, stationary=2))
    yield gradient_of_rows(tile(64, 64, 32, 4, stationary=1, split_k=2), result="f32")
    # Warpgroups beside each other.
    for rows in 128, 256:
        yield product(tile(rows, 64, 64), row_blocks=2)
        yield gradient_of_weights(tile(rows, 64, 32))
        yield product(tile(16, rows, 64, rows_on="n"))
        yield gradient_of_rows(tile(64, rows, 32, rows_on="n"))


def results():
    """Each form in which sums are stored, with their elements."""
    def followed(make, *arguments, **rest):
        return make(*arguments, follow_elements=True, **rest)

    # One of two clusters, which has half of the tiles.
    half = {"clusters": 2}
    for element, widths in ("bf16", (16, 32, 64, 192)), ("f32", (16, 48, 160)):
        for columns in widths:
            yield followed(product, tile(64, columns, 64), result=element, **half)
        for rows in 8, 24, 64:
            yield followed(product, tile(rows, 128, 64, rows_on="n"), result=element, **half)
        yield followed(product, tile(128, 64, 64), result=element, **half)
        yield followed(gradient_of_rows, tile(64, 96, 64), result=element, **half)
        yield followed(gradient_of_rows, tile(16, 64, 32, rows_on="n"), result=element, **half)
        yield followed(gradient_of_weights, tile(128, 64, 32), result=element, **half)
    yield followed(product, tile(64, 256, 16), **half)
    # Rows and columns past the ends of segments and groups.
    yield followed(product, tile(64, 64, 64), outer=136, rows=100)
    yield followed(product, tile(64, 256, 64), outer=184, **half)
    yield followed(product, tile(64, 96, 32), outer=152, result="f32", **half)
    yield followed(gradient_of_weights, tile(64, 96, 64), inner=80, outer=104)
    yield followed(gradient_of_rows, tile(64, 48, 64), inner=72)
    # What tiles share, and what blocks divide.
    yield followed(product, tile(64, 64, 64, types=2))
    yield followed(product, tile(64, 96, 64, types=2), types=4, result="f32", clusters=4)
    yield followed(product, tile(64, 64, 64, types=2, stationary=2))
    yield followed(product, tile(64, 32, 64, 0, types=4), types=4, clusters=2)
    yield followed(product, tile(64, 64, 64, cluster="2x1"), row_blocks=2)
    yield followed(product, tile(128, 64, 32, cluster="1x2"), outer=128, **half)
    yield followed(product, tile(64, 64, 64, cluster="2x2"), outer=128, row_blocks=2, **half)
    yield followed(product, tile(64, 64, 64, ping_pong=2))
    yield followed(product, tile(64, 64, 64, 4, split_k=2), inner=256, **half)
    yield followed(product, tile(64, 64, 64, 4, split_k=4, rows_on="n"), inner=256, **half)
    yield followed(gradient_of_rows, tile(64, 64, 16, 4, split_k=2, longest_first=1))
    yield followed(gradient_of_weights, tile(64, 64, 32, 4, split_k=2, longest_first=1))
    yield followed(product, tile(64, 64, 64), options=("--row-types", "interval(64)"), **half)
    # What is computed with the sums before they are stored.
    yield followed(product, tile(64, 64, 64), options=("--bias",), **half)
    yield followed(two_products, tile(64, 96, 64), **half)
    yield followed(two_products, tile(16, 128, 32, rows_on="n"), **half)


def all_kernels():
    return [*operands(), *results()]
