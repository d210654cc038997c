"""The pictures of docs/kernels.md, which scripts/draw-kernels writes."""
from xml.sax.saxutils import escape

from kernel_predictions import ranking

INK, PALE, LINE = "#1f2933", "#f3f5f7", "#9aa5b1"
LOAD, MULTIPLY, SECOND, STORE, WAIT = "#4c8bbf", "#d9822b", "#e8a65d", "#5a9a5a", "#e4e7eb"


class Picture:
    def __init__(self, width, height, title):
        self.width, self.height, self.title = width, height, title
        self.parts = []

    def box(self, x, y, width, height, fill, stroke="none", hint=""):
        body = f"<title>{escape(hint)}</title>" if hint else ""
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
                          f'fill="{fill}" stroke="{stroke}">{body}</rect>')

    def line(self, x1, y1, x2, y2, color=LINE, dashes=""):
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}"{dash}/>')

    def text(self, x, y, text, size=13, anchor="start", color=INK, weight="normal"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
                          f'fill="{color}" font-weight="{weight}">{escape(text)}</text>')

    def svg(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                f'width="{self.width}" height="{self.height}" font-family="sans-serif" role="img">\n'
                f"<title>{escape(self.title)}</title>\n"
                f'<rect width="{self.width}" height="{self.height}" fill="white"/>\n')
        return head + "\n".join(self.parts) + "\n</svg>\n"


# One thread block over time.

def timeline(tiles, steps, stages, warpgroups, copy, latency, product, epilogue, drain):
    """Plays the pipe of one thread block: (partition, tile, step, stage, begin, end) for every copy, product and store.

    A copy is issued when its slot is free, `copy` after the one before, and lands `latency` later. Warpgroups multiply a
    step when its slot is full, one after the other on the tensor cores, and free the slot of the step before. After its
    steps each writes its sums to shared memory, `epilogue`, once what it stored before has been read (`drain`).
    """
    events = []
    freed = [0.0] * stages          # when a slot may be written again
    issue = 0.0
    ready = [0.0] * warpgroups      # when a warpgroup can go on
    stored = [0.0] * warpgroups     # when its staging area is free
    tensor, number, landed = 0.0, 0, {}
    order = [(tile, step) for tile in range(tiles) for step in range(steps)]
    previous = None
    for tile, step in order:
        slot = number % stages
        begin = max(issue, freed[slot])
        issue = begin + copy
        landed[number] = begin + copy + latency
        events.append(("load", tile, step, slot, begin, issue))
        ends = []
        for group in range(warpgroups):
            start = max(ready[group], landed[number], tensor)
            tensor = start + product
            events.append((f"multiply {group}", tile, step, slot, start, tensor))
            ready[group] = tensor
            ends.append(tensor)
            if step == steps - 1:
                write = max(tensor, stored[group])
                events.append((f"write {group}", tile, step, slot, write, write + epilogue))
                ready[group] = write + epilogue
                stored[group] = ready[group] + drain
                events.append((f"store {group}", tile, step, slot, ready[group], stored[group]))
        # The newest product stays in flight: the slot before it is free when it has begun. The last of a tile ends first.
        freed[slot] = max(ends)
        if previous is not None:
            freed[previous] = max(freed[previous], max(ends) - product)
        previous = slot
        number += 1
    return events


def draw_pipeline():
    steps, stages, warpgroups = 6, 4, 2
    events = timeline(tiles=3, steps=steps, stages=stages, warpgroups=warpgroups, copy=1.0, latency=4.0, product=1.2,
                      epilogue=3.0, drain=4.0)
    last = max(event[5] for event in events)
    picture = Picture(960, 330, "One thread block over time: partitions, stages of the pipe, tiles")
    left, width = 150, 780
    at = lambda time: left + width * time / last
    rows = {"load": 50, "multiply 0": 100, "write 0": 100, "multiply 1": 140, "write 1": 140, "store 0": 200, "store 1": 230}
    names = [("load", 50, "one thread issues copies"), ("warpgroup 0", 100, "multiplies rows 0 to 63"),
             ("warpgroup 1", 140, "multiplies rows 64 to 127"), ("stores of 0", 200, "run on behind"),
             ("stores of 1", 230, "the next tile")]
    for name, y, remark in names:
        picture.text(10, y + 13, name, weight="bold")
        picture.text(10, y + 27, remark, size=10, color="#52606d")
        picture.box(left, y, width, 26, PALE)
    fills = {"load": LOAD, "multiply 0": MULTIPLY, "multiply 1": SECOND, "write 0": STORE, "write 1": STORE,
             "store 0": "#a3cfa3", "store 1": "#a3cfa3"}
    for role, tile, step, slot, begin, end in events:
        wide = at(end) - at(begin)
        what = {"l": "copy into stage", "m": "product from stage", "w": "sums to shared memory after stage", "s": "store"}[role[0]]
        picture.box(at(begin), rows[role], wide, 26, fills[role], "white", f"{what} {slot}: tile {tile}, step {step}")
        if role[0] in "lm" and wide > 12:
            picture.text(at(begin) + wide / 2, rows[role] + 17, str(slot), size=11, anchor="middle", color="white")
    # Where a tile begins, as the first warpgroup sees it.
    for tile in range(3):
        begin = min(event[4] for event in events if event[0] == "multiply 0" and event[1] == tile)
        picture.line(at(begin), 34, at(begin), 262, INK, "4 3")
        picture.text(at(begin) + 4, 42, f"tile {tile}", size=11)
    picture.line(left, 270, left + width, 270, INK)
    picture.text(left + width, 286, "time", anchor="end")
    for index, (fill, what) in enumerate([(LOAD, "copies of X and W into a slot of the ring (its number)"),
                                          (MULTIPLY, "wgmma on a slot"), (STORE, "sums written to shared memory"),
                                          ("#a3cfa3", "copy engine stores to Y")]):
        x = [20, 390, 530, 750][index]
        picture.box(x, 300, 14, 14, fill)
        picture.text(x + 20, 312, what, size=12)
    return picture.svg()


# What a thread block owns.

def draw_blocks():
    q, i, j, cell = 6, 1, 4, 34
    picture = Picture(900, 330, "The blocks of X, W and Y that the tile of type 1 and group 4 touches in Q(6)")

    def grid(x, y, title, rows, columns, marks):
        picture.text(x, y - 26, title, weight="bold")
        picture.text(x + q * cell / 2, y - 8, columns, size=11, anchor="middle", color="#52606d")
        for row in range(q):
            for column in range(q):
                fill = marks.get((row, column), PALE)
                picture.box(x + column * cell, y + row * cell, cell - 2, cell - 2, fill, LINE)
        picture.text(x + q * cell / 2, y + q * cell + 16, rows, size=11, anchor="middle", color="#52606d")

    top = 60
    grid(20, top, "X", "one row of blocks: the rows of one type", "input groups", {(i, i): LOAD, (i, j): MULTIPLY})
    grid(320, top, "W", "one row of blocks: an input group", "output groups", {(i, j): LOAD, (j, j): MULTIPLY})
    grid(620, top, "Y", "one row of blocks: the rows of one type", "output groups", {(i, j): STORE})
    picture.text(272, top + q * cell / 2, "times", anchor="middle")
    picture.text(572, top + q * cell / 2, "gives", anchor="middle")
    text = [(LOAD, "x_i · W(i, j): this block of W serves type i alone"),
            (MULTIPLY, "x_j · W(j, j): the diagonal block serves all types")]
    for index, (fill, what) in enumerate(text):
        picture.box(20 + 440 * index, 300, 14, 14, fill)
        picture.text(40 + 440 * index, 312, what, size=12)
    return picture.svg()


# What a network in one kernel reads for an output group.

def draw_network():
    picture = Picture(960, 350, "A feed-forward network in one kernel: what output group j of rows of type i is made of")
    kept, ring, registers = "#a3cfa3", "#b7d3ea", "#f0c48f"
    wide, high = 96, 40

    def block(x, y, name, fill, remark):
        picture.box(x, y, wide, high, fill, LINE, remark)
        picture.text(x + wide / 2, y + 25, name, size=14, anchor="middle", weight="bold")
        picture.text(x + wide / 2, y + high + 14, remark, size=10, anchor="middle", color="#52606d")

    def arrow(from_x, from_y, to_x, to_y):
        x1, y1, x2, y2 = from_x + wide, from_y + high / 2, to_x, to_y + high / 2
        picture.line(x1, y1, x2, y2, INK)
        picture.parts.append(f'<circle cx="{x2:.1f}" cy="{y2:.1f}" r="3" fill="{INK}"/>')

    for x, title in [(20, "rows of x"), (210, "gate and up"), (440, "hidden groups"), (640, "down"), (840, "result")]:
        picture.text(x + wide / 2, 24, title, anchor="middle", weight="bold")
    x_i, x_j = (20, 90), (20, 220)
    w_ii, w_ij, w_jj = (210, 45), (210, 135), (210, 225)
    h_i, h_j = (440, 60), (440, 190)
    d_ij, d_jj = (640, 80), (640, 200)
    y_j = (840, 140)
    for begin, end in [(x_i, w_ii), (w_ii, h_i), (x_i, w_ij), (w_ij, h_j), (x_j, w_jj), (w_jj, h_j), (h_i, d_ij), (h_j, d_jj), (d_ij, y_j),
                       (d_jj, y_j)]:
        arrow(*begin, *end)
    block(*x_i, "x_i", kept, "all groups j")
    block(*x_j, "x_j", ring, "one group ahead")
    block(*w_ii, "W(i, i)", ring, "once, for h_i")
    block(*w_ij, "W(i, j)", ring, "type i alone")
    block(*w_jj, "W(j, j)", ring, "all types of a tile")
    block(*h_i, "h_i", kept, "made first, once")
    block(*h_j, "h_j", registers, "act(gate) · up, in pieces")
    block(*d_ij, "D(i, j)", ring, "type i alone")
    block(*d_jj, "D(j, j)", ring, "all types of a tile")
    block(*y_j, "y_j", registers, "sums until the last piece")
    for index, (fill, what) in enumerate([(kept, "stays in shared memory"), (ring, "comes through a ring of stages"),
                                          (registers, "registers: where wgmma leaves sums it takes an operand from")]):
        x = [20, 230, 500][index]
        picture.box(x, 322, 14, 14, fill, LINE)
        picture.text(x + 20, 334, what, size=12)
    return picture.svg()


# Where the time of some shapes goes.

def draw_traffic(algctl):
    shapes = [("Qwen3-1.7B up", 2048, 2048, 6144, 32), ("Qwen3-32B up", 8192, 5120, 25600, 128),
              ("Qwen3-32B down", 2048, 25600, 5120, 64), ("square", 8192, 8192, 8192, 64)]
    picture = Picture(960, 70 + 128 * len(shapes), "Predicted time by level for four shapes")
    left, width, y = 150, 760, 30
    for name, m, k, n, q in shapes:
        found = ranking(algctl, m, k, n, q)
        best = found["schedules"][0]
        scale = width / best["predicted_us"]
        picture.text(10, y, f"{name}: {m} rows, {k} → {n}, q = {q}; {best['schedule']}", weight="bold")
        parts = best["arithmetic_us"]
        sums = best["sum_us"]
        bars = [("HBM", [(best["busy_us"]["memory"], LOAD, "bytes, once each")]),
                ("L2 to shared", [(best["busy_us"]["loads"], "#7fb0d6", "copies into shared memory")]),
                ("tensor cores", [(parts["products"], MULTIPLY, "products"), (parts["padding"], "#f0c48f", "padding"),
                                  (parts["feeding"], "#c0a080", "feeding"), (parts["store"], STORE, "ends of tiles")]),
                ("predicted", [(sums[best["bound_by"]], INK, "what bounds: " + best["bound_by"]),
                               (sums["tail"], "#616e7c", "tail"), (sums["unhidden"], "#9aa5b1", "not hidden"),
                               (sums["caution"], "#cbd2d9", "caution"), (sums["launch"], "#7b8794", "launch")])]
        for index, (what, pieces) in enumerate(bars):
            top, x = y + 10 + 22 * index, left
            picture.text(left - 8, top + 13, what, size=12, anchor="end")
            for us, fill, hint in pieces:
                picture.box(x, top, us * scale, 18, fill, hint=f"{hint}: {us:.1f} us")
                x += us * scale
            total = sum(us for us, _, _ in pieces)
            label = f"{total:.1f} us"
            inside = x - left > width - 60
            picture.text(x - 6 if inside else x + 6, top + 13, label, size=11, anchor="end" if inside else "start",
                         color="white" if inside else INK)
        floor = left + found["floor_us"] * scale
        picture.line(floor, y + 6, floor, y + 98, "#c0392b", "5 3")
        picture.text(floor - 4, y + 108, f"floor {found['floor_us']:.1f}", size=10, anchor="end", color="#c0392b")
        y += 128
    for index, (fill, what) in enumerate([(MULTIPLY, "products"), ("#f0c48f", "padding"), ("#c0a080", "feeding"),
                                          (STORE, "ends of tiles"), (INK, "what bounds"), ("#616e7c", "tail"),
                                          ("#9aa5b1", "not hidden"), ("#7b8794", "launch")]):
        picture.box(20 + 115 * index, y, 12, 12, fill)
        picture.text(37 + 115 * index, y + 11, what, size=11)
    return picture.svg()
