"""Follows the sums of products to the result: from the registers of the threads, as CuTe says which sums they hold,
through conversions and shared memory, to the elements of the boxes that are stored."""
from typing import NamedTuple

from block import WARPGROUP_THREADS, WARP_THREADS
from kernel import INSTRUCTION_ROWS
from ptx_events import Meeting, Pair, Received, Send, Store, Write, parts_of
from ptx_memory import SHARED_BASE, WORD_BYTES

MATRIX_ROWS = 8
BF16_BYTES = 2


class Origin(NamedTuple):
    """Where the element (0, 0) of a box lies in the sums of a warpgroup's product, and the size of these."""
    m: int
    n: int
    columns: int


class Elements:
    """How often each element of the result occurs: by the coordinates of its row and its group, a count for each
    column. Rows past the end of a segment and columns past the end of a group do not count, and are not stored."""

    def __init__(self, kernel):
        self.rows, self.columns = kernel.result_limits()
        self.counts = {}

    def of_row(self, row, group):
        """None past the end of the rows. Of the coordinates of a row the last one advances."""
        if row[-1] >= self.rows:
            return None
        return self.counts.setdefault((row, group), bytearray(self.columns))

    def compare(self, expected):
        """The elements that occur more or less often than expected: (row, group, column) and the counts."""
        nothing = bytes(self.columns)
        for place in self.counts.keys() | expected.counts.keys():
            found, wanted = self.counts.get(place, nothing), expected.counts.get(place, nothing)
            if found != wanted:
                for column, (count, right) in enumerate(zip(found, wanted)):
                    if count != right:
                        yield *place, column, count, right


class Results:
    """Of a cluster. `known` are the Sums of each block by warpgroup and number, as check_operands() found them."""

    def __init__(self, kernel, cluster, known, layouts, report):
        self.kernel, self.cluster, self.layouts, self.report = kernel, cluster, layouts, report
        self.computed, self.stored = Elements(kernel), Elements(kernel)
        self.known = {(block.rank, *owner): sums for block, of_block in zip(cluster, known)
                      for owner, sums in of_block.items()}
        self.sent = self.collect_sent()

    def collect_sent(self):
        """By the rank of the block that receives it and the address: the words that came there one after the other, each
        with the rank and the number of the thread that sent it."""
        sent = {}
        for block in self.cluster:
            for thread, events in block.threads.items():
                for event in events:
                    if isinstance(event, Send):
                        for number, value in enumerate(event.values):
                            key = event.rank, event.address + number * WORD_BYTES
                            sent.setdefault(key, []).append((block.rank, thread, value))
        return sent

    def check(self):
        for sums in self.known.values():
            self.count_computed(sums)
        for block in self.cluster:
            for warpgroup in range(block.warpgroups):
                self.follow(block, warpgroup)
        wrong = list(self.stored.compare(self.computed))
        if wrong:
            row, group, column, count, right = min(wrong)
            self.report.difference(
                self.kernel.program.text.instructions[-1], f"{len(wrong)} elements of the result, such as row {row}, "
                f"column {column} of group {group}, times that it is stored", count, right)

    def rows_and_columns(self, m, n):
        return (n, m) if self.kernel.rows_on_n else (m, n)

    def count_computed(self, sums):
        """Blocks that divide the depth of a tile compute the same elements, each of which one block stores."""
        along_row, (group, first) = self.rows_and_columns(sums.along_m, sums.along_n)
        rows, columns = self.rows_and_columns(INSTRUCTION_ROWS, sums.columns)
        for row in range(rows):
            counts = self.computed.of_row(advanced(along_row, row), group)
            if counts is not None:
                end = min(first + columns, len(counts))
                counts[first:end] = bytes([1]) * (end - first)

    def follow(self, block, warpgroup):
        """Memory has (bytes, thread, value) by address."""
        first = warpgroup * WARPGROUP_THREADS
        threads = {number: phases_of(block.threads[number]) for number in range(first, first + WARPGROUP_THREADS)}
        memory = {}
        for phase in range(len(threads[first])):
            # What others write in the same phase may come later than the store.
            for phases in threads.values():
                for event in phases[phase]:
                    if isinstance(event, Store):
                        self.check_box(event, memory, block.rank)
            for warp in range(first, first + WARPGROUP_THREADS, WARP_THREADS):
                lanes = [[event for event in threads[warp + lane][phase] if isinstance(event, Write)]
                         for lane in range(WARP_THREADS)]
                for together in zip(*lanes):
                    write(memory, together, warp)

    def check_box(self, store, memory, rank):
        record, size = self.kernel.record, self.kernel.result_bytes
        period = record["y_swizzle"] * MATRIX_ROWS
        if (store.address + SHARED_BASE) % period:
            self.report.difference(store.instruction, "address of a box", store.address,
                                   f"a multiple of {period}, the period of its swizzle")
            return
        first_row, (group, first_column) = self.kernel.place_in_result(store)
        origins = self.origins(first_row, group, first_column)
        for row, offsets in enumerate(self.layouts.boxes[record["y_swizzle"], size, record["y_rows"]]):
            counts = self.stored.of_row(advanced(first_row, row), group)
            if counts is None:
                continue
            inside = offsets[:max(0, len(counts) - first_column)]
            owners = self.owners(origins, row, len(inside))
            self.report.elements += len(inside)
            for column, offset in enumerate(inside):
                counts[first_column + column] += 1
                found = memory.get(store.address + offset)
                if not self.is_right(found, rank, size, origins, owners[column], row, column):
                    self.report.difference(
                        store.instruction, f"row {row}, column {column} of the box, at {store.address + offset} of "
                        "shared memory", self.describe(found, rank), f"{size} bytes of {owners[column]} sums for row "
                        f"{advanced(first_row, row)}, column {first_column + column} of group {group}")

    def origins(self, first_row, group, first_column):
        """The Origin of a box in all sums that have some of its rows and of its group."""
        found = {}
        for owner, sums in self.known.items():
            along_row, along_column = self.rows_and_columns(sums.along_m, sums.along_n)
            if along_row[:-1] == first_row[:-1] and along_column[0] == group:
                m, n = self.rows_and_columns(first_row[-1] - along_row[-1], first_column - along_column[-1])
                found[owner] = Origin(m, n, sums.columns)
        return found

    def owners(self, origins, row, columns):
        """How many sums each element of a row of the box is made of."""
        counts = [0] * columns
        for origin in origins.values():
            first_row, first_column = self.rows_and_columns(origin.m, origin.n)
            rows, width = self.rows_and_columns(INSTRUCTION_ROWS, origin.columns)
            if 0 <= first_row + row < rows:
                for column in range(max(0, -first_column), min(columns, width - first_column)):
                    counts[column] += 1
        return counts

    def parts(self, value, rank, thread):
        """(owner, thread of the warpgroup, place) of all sums that a thread's value is made of, with what others sent;
        None for a word that nobody sent."""
        for part in parts_of(value):
            if isinstance(part, Received):
                words = self.sent.get((rank, part.address), [])
                if part.occurrence >= len(words):
                    yield None
                    continue
                sender, sending_thread, word = words[part.occurrence]
                yield from self.parts(word, sender, sending_thread)
            else:
                warpgroup, within = divmod(thread, WARPGROUP_THREADS)
                yield (rank, warpgroup, part.number), within, part.place

    def is_right(self, found, rank, size, origins, owners, row, column):
        if found is None or found[0] != size:
            return False
        m, n = self.rows_and_columns(row, column)
        seen = set()
        for part in self.parts(found[2], rank, found[1]):
            if part is None or part[0] not in origins or part[0] in seen:
                return False
            owner, thread, place = part
            seen.add(owner)
            origin = origins[owner]
            if self.layouts.accumulators[origin.columns][thread][place] != (origin.m + m, origin.n + n):
                return False
        return len(seen) == owners

    def describe(self, found, rank):
        if found is None:
            return "what nobody wrote"
        texts = []
        for part in self.parts(found[2], rank, found[1]):
            if part is None:
                texts.append("a word that no block sent")
                continue
            (block, warpgroup, number), thread, place = part
            sums = self.known[block, warpgroup, number]
            m, n = self.layouts.accumulators[sums.columns][thread][place]
            texts.append(f"sum {place} of thread {thread} in warpgroup {warpgroup} of block {block}, which for CuTe is "
                         f"({m}, {n}) of m64n{sums.columns}k16, of {advanced(sums.along_m, m)} of A and "
                         f"{advanced(sums.along_n, n)} of B")
        return f"{found[0]} bytes of " + (" and ".join(texts) or "no sum")


def check_results(kernel, cluster, known, layouts, report):
    # Where operands are wrong it is not known what the sums are.
    if all(sums is not None for of_block in known for sums in of_block.values()):
        Results(kernel, cluster, known, layouts, report).check()


def advanced(coordinates, by):
    return *coordinates[:-1], coordinates[-1] + by


def phases_of(events):
    """The writes and stores of a thread between the meetings of its warpgroup."""
    phases = [[]]
    for event in events:
        if isinstance(event, Meeting):
            phases.append([])
        elif isinstance(event, (Write, Store)):
            phases[-1].append(event)
    return phases


def write(memory, lanes, warp):
    """One instruction of all lanes of a warp."""
    opcode = lanes[0].instruction.opcode
    if not opcode.startswith("stmatrix"):
        for lane, event in enumerate(lanes):
            for number, value in enumerate(event.values):
                write_word(memory, event.address + number * WORD_BYTES, warp + lane, value)
        return
    for matrix in range(len(lanes[0].values)):
        # Eight lanes give the addresses of a matrix's rows. Each lane has two neighbouring elements of it.
        rows = [event.address for event in lanes[matrix * MATRIX_ROWS:(matrix + 1) * MATRIX_ROWS]]
        for lane, event in enumerate(lanes):
            pair = event.values[matrix]
            for number, value in enumerate((pair.low, pair.high) if isinstance(pair, Pair) else (pair, pair)):
                row, column = lane // 4, lane % 4 * 2 + number
                if ".trans." in opcode:
                    row, column = column, row
                memory[rows[row] + column * BF16_BYTES] = BF16_BYTES, warp + lane, value


def write_word(memory, address, thread, value):
    if isinstance(value, Pair):
        memory[address] = BF16_BYTES, thread, value.low
        memory[address + BF16_BYTES] = BF16_BYTES, thread, value.high
    else:
        memory[address] = WORD_BYTES, thread, value
