"""Algebras as tables: sparse constructions, disguised by changes of basis that keep them sparse or make them dense.

An algebra is (field, dimension, {(i, j): {k: coefficient}}) with coefficients that are Fraction, or int modulo p.
"""
import json
import random
from fractions import Fraction


class Table:
    def __init__(self, name, dimension, constants, field="Q"):
        self.name, self.dimension, self.field = name, dimension, field
        self.constants = constants  # a list of (i, j, k, value)

    @property
    def characteristic(self):
        return 0 if self.field == "Q" else int(self.field[3:-1])

    def write(self, path):
        with open(path, "w") as file:
            file.write(f'{{"name":{json.dumps(self.name)},"field":"{self.field}","dimension":{self.dimension},'
                       '"constants":[')
            separator = "\n"
            for i, j, k, value in self.constants:
                file.write(f'{separator}[{i},{j},{k},"{value}"]')
                separator = ",\n"
            file.write("]}\n")


def graph(vertices, edges, name=None, field="Q"):
    """The graph algebra: slots 0..vertices-1 are the vertices, then come the edges."""
    constants = [(v, v, v, 1) for v in range(vertices)]
    for number, (source, target) in enumerate(edges, vertices):
        constants += [(source, number, number, 1), (number, target, number, 1)]
    return Table(name or f"graph of {vertices} vertices, {len(edges)} edges", vertices + len(edges), constants, field)


def complete(n, field="Q"):
    return graph(n, [(i, j) for i in range(n) for j in range(n) if i != j], f"Q({n})", field)


def random_graph(vertices, edges, seed=1, field="Q"):
    chooser = random.Random(seed)
    chosen = set()
    while len(chosen) < edges:
        source, target = chooser.randrange(vertices), chooser.randrange(vertices)
        if source != target:
            chosen.add((source, target))
    return graph(vertices, sorted(chosen), None, field)


def matrices(n, field="Q"):
    return Table(f"M({n})", n * n,
                 [(i * n + k, k * n + j, i * n + j, 1) for i in range(n) for k in range(n) for j in range(n)], field)


def triangular(n, field="Q"):
    slot = {}
    for i in range(n):
        for j in range(i, n):
            slot[i, j] = len(slot)
    return Table(f"T({n})", len(slot), [(slot[i, k], slot[k, j], slot[i, j], 1)
                                        for i in range(n) for k in range(i, n) for j in range(k, n)], field)


def cyclic_group(n, field="Q"):
    return Table(f"C({n})", n, [(i, j, (i + j) % n, 1) for i in range(n) for j in range(n)], field)


def truncated_polynomials(n, field="Q"):
    return Table(f"k[x]/(x^{n})", n, [(i, j, i + j, 1) for i in range(n) for j in range(n - i)], field)


def quaternions(field="Q"):
    signs = [(0, 0, 0, 1), (0, 1, 1, 1), (0, 2, 2, 1), (0, 3, 3, 1), (1, 0, 1, 1), (2, 0, 2, 1), (3, 0, 3, 1),
             (1, 1, 0, -1), (2, 2, 0, -1), (3, 3, 0, -1), (1, 2, 3, 1), (2, 1, 3, -1), (2, 3, 1, 1), (3, 2, 1, -1),
             (3, 1, 2, 1), (1, 3, 2, -1)]
    return Table("quaternions", 4, signs, field)


def tensor(left, right):
    n = right.dimension
    return Table(f"{left.name}*{right.name}", left.dimension * n,
                 [(a * n + i, b * n + j, c * n + k, x * y)
                  for a, b, c, x in left.constants for i, j, k, y in right.constants], left.field)


def power(base, exponent):
    result = base
    for _ in range(exponent - 1):
        result = tensor(result, base)
    result.name = f"{base.name}^{exponent}"
    return result


def direct_product(factors):
    constants, start = [], 0
    for factor in factors:
        constants += [(i + start, j + start, k + start, x) for i, j, k, x in factor.constants]
        start += factor.dimension
    return Table("+".join(factor.name for factor in factors), start, constants, factors[0].field)


def permuted(table, seed=1):
    place = list(range(table.dimension))
    random.Random(seed).shuffle(place)
    constants = [(place[i], place[j], place[k], x) for i, j, k, x in table.constants]
    random.Random(seed + 1).shuffle(constants)
    return Table(table.name + ", permuted", table.dimension, constants, table.field)


def rescaled(table, seed=1):
    """b_s becomes c_s b_s for random c_s in {+-1, +-2, +-3, +-1/2, ...}."""
    chooser = random.Random(seed)
    p = table.characteristic
    if p:
        scale = [chooser.randrange(1, p) for _ in range(table.dimension)]
        constants = [(i, j, k, x * scale[i] * scale[j] * pow(scale[k], -1, p) % p) for i, j, k, x in table.constants]
    else:
        choices = [Fraction(a, b) for a in (-3, -2, -1, 1, 2, 3, 5) for b in (1, 2, 3)]
        scale = [chooser.choice(choices) for _ in range(table.dimension)]
        constants = [(i, j, k, scale[i] * scale[j] * x / scale[k]) for i, j, k, x in table.constants]
    return Table(table.name + ", rescaled", table.dimension, constants, table.field)


def with_sums(table, pairs):
    """The basis in which slot a stands for b_a + sum of b_s, for each (a, [s...]) of `pairs`, one after another."""
    p = table.characteristic
    rows = {}
    for i, j, k, x in table.constants:
        rows.setdefault((i, j), {})[k] = x
    by_left, by_right = {}, {}
    for i, j in rows:
        by_left.setdefault(i, set()).add(j)
        by_right.setdefault(j, set()).add(i)

    def add(i, j, k, x):
        row = rows.setdefault((i, j), {})
        by_left.setdefault(i, set()).add(j)
        by_right.setdefault(j, set()).add(i)
        value = row.get(k, 0) + x
        value = value % p if p else value
        if value:
            row[k] = value
        else:
            row.pop(k, None)

    for a, summands in pairs:
        for s in summands:  # the new b_a is b_a + b_s
            for j in list(by_left.get(s, ())):
                for k, x in list(rows.get((s, j), {}).items()):
                    add(a, j, k, x)
            for i in list(by_right.get(s, ())):
                for k, x in list(rows.get((i, s), {}).items()):
                    add(i, a, k, x)
            for (i, j), row in rows.items():  # outputs: b_a was (new b_a) - b_s
                if a in row:
                    value = row.get(s, 0) - row[a]
                    value = value % p if p else value
                    if value:
                        row[s] = value
                    else:
                        row.pop(s, None)
    return Table(table.name + ", with sums", table.dimension,
                 [(i, j, k, x) for (i, j), row in sorted(rows.items()) for k, x in sorted(row.items())], table.field)


def dense(table, seed=1, largest=1):
    """A unimodular change of basis, L U with unit triangular factors and entries up to `largest`."""
    chooser = random.Random(seed)
    n, p = table.dimension, table.characteristic
    lower = [[chooser.randint(-largest, largest) if j < i else int(i == j) for j in range(n)] for i in range(n)]
    upper = [[chooser.randint(-largest, largest) if j > i else int(i == j) for j in range(n)] for i in range(n)]

    def multiply(a, b):
        columns = list(zip(*b))
        return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]

    def inverse_lower(a):
        result = [[0] * n for _ in range(n)]
        for i in range(n):
            result[i][i] = 1
            for j in range(i):
                if a[i][j]:
                    result[i] = [x - a[i][j] * y for x, y in zip(result[i], result[j])]
        return result

    transpose = [list(column) for column in zip(*upper)]
    inverse_upper = [list(column) for column in zip(*inverse_lower(transpose))]
    change, inverse = multiply(lower, upper), multiply(inverse_upper, inverse_lower(lower))
    # c'[i,j,k] = sum change[i,a] change[j,b] c[a,b,c] inverse[c,k]
    products = [[[0] * n for _ in range(n)] for _ in range(n)]  # [i][b][c]
    for a, b, c, x in table.constants:
        for i in range(n):
            if change[i][a]:
                products[i][b][c] += change[i][a] * x
    constants = []
    for i in range(n):
        block = multiply(multiply(change, products[i]), inverse)
        for j in range(n):
            for k in range(n):
                value = block[j][k] % p if p else block[j][k]
                if value:
                    constants.append((i, j, k, value))
    return Table(table.name + ", dense", n, constants, table.field)
