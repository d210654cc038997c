"""Follows the threads of a cluster of blocks, and collects what they do."""
from dataclasses import dataclass, field

from ptx_events import Expect, Load, Wait
from ptx_thread import Thread

WARPGROUP_THREADS, WARP_THREADS = 128, 32


@dataclass
class Block:
    """`loads` are those that arrive in this block, by barrier and phase; `threads` the events of each thread that
    multiplies and was followed, by its number."""
    rank: int
    warpgroups: int
    loads: dict = field(default_factory=dict)
    threads: dict = field(default_factory=dict)


def follow_cluster(kernel):
    """The first cluster of the grid: all threads of the warpgroups that multiply where elements are followed, else the
    first of each."""
    record, blocks = kernel.record, kernel.cluster_blocks
    warpgroups = record["tile_consumers"]

    def events_of(rank, number):
        numbers = {"%tid.x": number, "%laneid": number % WARP_THREADS, "%ctaid.x": rank,
                   "%nctaid.x": kernel.clusters * blocks, "%cluster_ctarank": rank}
        # The first parameter behind the maps is the number of rows. Others are 0: the position of row 0, addresses of
        # lists and vectors, and how often a gradient counts what it is added to.
        return Thread(kernel.program, numbers, {1: kernel.rows}).run()

    cluster = [Block(rank, warpgroups) for rank in range(blocks)]
    for block in cluster:
        # One thread of the last warpgroup loads.
        deliver(events_of(block.rank, warpgroups * WARPGROUP_THREADS), block.rank, cluster)
        step = 1 if kernel.follow_elements else WARPGROUP_THREADS
        block.threads = {number: events_of(block.rank, number)
                         for number in range(0, warpgroups * WARPGROUP_THREADS, step)}
    return cluster


def deliver(events, rank, cluster):
    """Loads arrive in the phase of their barrier that was announced last: a load to several blocks signals the same
    barrier of each, which is in the same phase there."""
    phases = {}
    for event in events:
        if isinstance(event, Expect):
            phases[event.barrier] = phases.get(event.barrier, -1) + 1
        elif isinstance(event, Load):
            for block in cluster:
                if block.rank == rank if event.mask is None else event.mask >> block.rank & 1:
                    key = event.barrier, phases[event.barrier]
                    block.loads.setdefault(key, []).append(event)


def phases_of_waits(kernel, block):
    """For each warpgroup the phases that it waits for of barriers where loads arrive, one after the other.

    Where parts of the warpgroups have tiles in turn, each leaves out the phases of the others, and sees of those that
    come only whether they are odd. It waits for its turn at another barrier before each tile."""
    parts = kernel.schedule.get("ping_pong", 1)
    of_part = block.warpgroups // parts
    arriving = {barrier for barrier, _ in block.loads}
    turns = []
    for part in range(parts):
        turns.append([[]])
        for event in block.threads[part * of_part * WARPGROUP_THREADS]:
            if not isinstance(event, Wait):
                continue
            if event.barrier in arriving:
                turns[part][-1].append(event.barrier)
            elif parts > 1:
                turns[part].append([])
    phases, next_phase = [[] for _ in range(parts)], {}
    for turn in range(max(map(len, turns))):
        for part in range(parts):
            for barrier in turns[part][turn] if turn < len(turns[part]) else []:
                phases[part].append(next_phase.get(barrier, 0))
                next_phase[barrier] = phases[part][-1] + 1
    return [phases[warpgroup // of_part] for warpgroup in range(block.warpgroups)]
