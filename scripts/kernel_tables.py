"""The tables of docs/kernels.md, which scripts/draw-kernels writes: lines of Markdown."""
import csv
import os
import sys

from kernel_predictions import ROOT, fastest_measured, fields_of, measured_text, network, network_at_positions, ranking, rows_of

TABLES = ["projection_best_q", "projection_q32", "projection_qwen3_32b", "square_fixed_block"]
END = "<!-- end of table -->"


def forward_table(algctl, measured):
    """Every forward row once, in the order of the tables."""
    lines = ["| M, K, N, q | block | schedule (rows x columns x depth, stages, and what tiles share) | floor | predicted | x floor | bound by | HBM | "
             "L2 to shared | tensor | padding | tail | measured | published |",
             "| --- | --- | --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    seen = set()
    for name in TABLES:
        for row in rows_of(name):
            m, k, n, q = (int(row[column]) for column in ("m", "k", "n", "q"))
            if (m, k, n, q) in seen:
                continue
            seen.add((m, k, n, q))
            found = ranking(algctl, m, k, n, q)
            best = found["schedules"][0]
            fields = fields_of(best)
            busy = best["busy_us"]
            shared = "".join(f", {name}={fields[name]}" for name in ("types", "cluster", "stationary", "outer", "rows_on", "ping_pong", "split_k")
                             if name in fields)
            reduces = "reduce" in fields
            if reduces:
                schedule = f"{fields['rows']} x {fields['columns']}, {fields['reduce']} slices"
            else:
                schedule = f"{fields['rows']} x {fields['columns']} x {fields['depth']}, {fields['stages']}{shared}"
            if "warps" in fields:  # threads copy; products of zeros are not told apart there
                schedule += f", {fields['warps']} warps"
                inside, padding = busy["multiprocessor"], "in tensor"
            elif reduces:  # no tensor cores: instructions, or waits
                inside, padding = max(busy["issue"], busy["latency"]), "none"
            else:
                inside, padding = busy["tensor"], f"{best['arithmetic_us']['padding']:.1f}"
            lines.append(f"| {m}, {k}, {n}, {q} | {k // q} x {n // q} | {schedule} | "
                         f"{found['floor_us']:.1f} | {best['predicted_us']:.1f} | {best['times_floor']:.2f} | "
                         f"{best['bound_by']} | {busy['memory']:.1f} | {busy['loads']:.1f} | {inside:.1f} | "
                         f"{padding} | {best['sum_us']['tail']:.1f} | {measured_text(measured, 'forward', m, k, n, q)} | "
                         f"{row['paper_algebra_us']} |")
    return lines


def best_where(found, wanted):
    """The best schedule with such fields, or None."""
    return next((one for one in found["schedules"] if wanted(fields_of(one))), None)


ALL = 10_000_000  # schedules


def dx_table(algctl, measured):
    lines = ["| M, K, N, q | schedule | floor | predicted | x floor | bound by | stationary sums | long tiles first | neither | the product's | measured |",
             "| --- | --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |"]
    for m, k, n, q in [(2048, 2048, 6144, 32), (2048, 4096, 12288, 32), (2048, 2048, 768, 16), (2048, 5120, 25600, 64), (8192, 5120, 25600, 32),
                       (8192, 25600, 5120, 64), (4096, 4096, 4096, 32), (8192, 8192, 8192, 64), (256, 2048, 6144, 8)]:
        found = ranking(algctl, m, k, n, q, map_name="dx", most=ALL)
        best = found["schedules"][0]
        stationary = best_where(found, lambda fields: "stationary" in fields)
        ordered = best_where(found, lambda fields: "longest_first" in fields)
        neither = best_where(found, lambda fields: "longest_first" not in fields and "stationary" not in fields)
        product = ranking(algctl, m, k, n, q)["schedules"][0]
        lines.append(f"| {m}, {k}, {n}, {q} | `{best['schedule']}` | {found['floor_us']:.1f} | {best['predicted_us']:.1f} | "
                     f"{best['times_floor']:.2f} | {best['bound_by']} | {stationary['predicted_us']:.1f} | "
                     f"{ordered['predicted_us']:.1f} | {neither['predicted_us']:.1f} | {product['predicted_us']:.1f} | "
                     f"{measured_text(measured, 'dx', m, k, n, q)} |")
    return lines


def dw_table(algctl, measured):
    lines = ["| M, K, N, q | schedule | floor | predicted | x floor | bound by | by threads | measured |",
             "| --- | --- | ---: | ---: | ---: | --- | ---: | ---: |"]
    for m, k, n, q in [(2048, 2048, 6144, 32), (2048, 4096, 12288, 32), (2048, 5120, 25600, 64), (2048, 2048, 768, 16), (8192, 2048, 6144, 32),
                       (8192, 5120, 25600, 32), (8192, 8192, 8192, 64), (4096, 4096, 4096, 16)]:
        found = ranking(algctl, m, k, n, q, map_name="dw", most=ALL)
        best = found["schedules"][0]
        threads = best_where(found, lambda fields: "warps" in fields)
        lines.append(f"| {m}, {k}, {n}, {q} | `{best['schedule']}` | {found['floor_us']:.1f} | {best['predicted_us']:.1f} | "
                     f"{best['times_floor']:.2f} | {best['bound_by']} | {threads['predicted_us']:.1f} | "
                     f"{measured_text(measured, 'dw', m, k, n, q)} |")
    return lines


def split_table(algctl, measured):
    """Where dividing a tile's steps among blocks pays; nothing of it was measured."""
    lines = ["| algebra, K to N, M | without | with | schedule |", "| --- | ---: | ---: | --- |"]
    for algebra, k, n, m in [("Q(2)", 8192, 256, 64), ("Q(2)", 32768, 256, 128), ("Q(4)", 16384, 512, 64), ("Q(2)^2", 16384, 512, 64),
                             ("M(1)", 28672, 1024, 512)]:
        found = ranking(algctl, m, k, n, None, algebra=algebra, most=ALL)
        without = best_where(found, lambda fields: "split_k" not in fields)
        divided = best_where(found, lambda fields: "split_k" in fields)
        lines.append(f"| {algebra}, {k} to {n}, {m} | {without['predicted_us']:.1f} | {divided['predicted_us']:.1f} | `{divided['schedule']}` |")
    return lines


def few_rows_table(algctl, measured):
    lines = ["| layer | `sm_90a`: batched kernels from M = | `sm_80`: from M = |", "| --- | ---: | ---: |"]
    for algebra, k, n in [("Q(32)", 2048, 6144), ("Q(32)", 4096, 12288), ("Q(32)", 7168, 2048), ("Q(8)", 2048, 6144), ("Q(4)", 8192, 8192),
                          ("Q(2)^2", 2048, 2048), ("Q(1)", 2048, 2048)]:
        counts = [ranking(algctl, 1, k, n, None, algebra=algebra, target=target)["batched_from"] for target in ("sm_90a", "sm_80")]
        lines.append(f"| {algebra}, {k} to {n} | {counts[0]} | {counts[1]} |")
    return lines


NETWORKS = [("Qwen3-1.7B", 2048, 6144), ("Qwen3-4B", 2560, 9728), ("Qwen3-8B", 4096, 12288), ("expert of Qwen3-30B-A3B", 2048, 768),
            ("expert of DeepSeek-V3", 7168, 2048)]


def networks_table(algctl, measured):
    with open(os.path.join(ROOT, "benchmarks", "tables", "swiglu_q32.csv"), newline="") as file:
        published = {tuple(int(row[column]) for column in ("m", "k", "n")): row["paper_algebra_us"] for row in csv.DictReader(file)}
    lines = ["| network | M | one kernel | floor | x floor | a kernel for each layer | published |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for name, k, n in NETWORKS:
        for m in (512, 2048, 8192):
            one, floor, launches = network(algctl, m, k, n, "layers")
            steps, _, _ = network(algctl, m, k, n, "products")
            together = f"{one:.1f} | {floor:.1f} | {one / floor:.2f}" if launches == 1 else f"steps | {floor:.1f} | "
            lines.append(f"| {k}, {n} ({name}) | {m} | {together} | {steps:.1f} | {published.get((m, k, n), '')} |")
    return lines


def networks_by_rows(what, counts, networks, cell):
    """A row for each network, and a column for each number of rows, which `cell` fills."""
    named = [f"M = {counts[0]}"] + [str(m) for m in counts[1:]]
    lines = [f"| {what} | " + " | ".join(named) + " |", "| --- |" + " ---: |" * len(counts)]
    for name, k, n in networks:
        lines.append(f"| {k}, {n}{name} | " + " | ".join(cell(m, k, n) for m in counts) + " |")
    return lines


def few_rows_networks_table(algctl, measured):
    def cell(m, k, n):
        one, floor, launches = network(algctl, m, k, n, "layers")
        steps, step_floor, _ = network(algctl, m, k, n, "products")
        return f"{one:.1f}, {floor:.1f} ({steps:.1f})" if launches == 1 else f"steps ({steps:.1f}, {step_floor:.1f})"
    return networks_by_rows("network", (1, 4, 16, 64), [("", k, n) for _, k, n in NETWORKS], cell)


def positions_networks_table(algctl, measured):
    def cell(m, k, n):
        together, steps, listed = network_at_positions(algctl, m, k, n)
        least = min(together, steps, listed)
        return f"{least:.1f}" + ("" if least == together else " steps" if least == steps else " lists")
    return networks_by_rows("network", (1, 4, 16, 64), [("", k, n) for _, k, n in NETWORKS], cell)


def experts_table(algctl, measured):
    experts = 64

    def cell(m, k, n):
        together, floor, _ = network(algctl, m, k, n, "layers", experts)
        alone, _, _ = network(algctl, m // experts, k, n, "layers")
        return f"{together:.1f}, {floor:.1f} ({experts * alone:.0f})"
    named = [(f" ({name.removeprefix('expert of ')})", k, n) for name, k, n in NETWORKS[3:]]
    return networks_by_rows("64 experts", (64, 256, 2048, 4096, 16384, 65536), named, cell)


WRITTEN = {"forward": forward_table, "gradients of X": dx_table, "gradients of W": dw_table, "splits": split_table, "few rows": few_rows_table,
           "networks": networks_table, "networks of few rows": few_rows_networks_table, "networks at any positions": positions_networks_table,
           "experts": experts_table}


def with_tables(text, manual, algctl):
    measured = fastest_measured()
    for name, write in WRITTEN.items():
        begin = f"<!-- table {name}: scripts/draw-kernels -->"
        if text.count(begin) != 1 or END not in text[text.index(begin):]:
            sys.exit(f"draw-kernels: {manual} needs the line '{begin}' once, and '{END}' behind it")
        before, rest = text.split(begin)
        text = before + begin + "\n" + "\n".join(write(algctl, measured)) + "\n" + rest[rest.index(END):]
    return text
