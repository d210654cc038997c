"""What `algctl cost` says of a shape or a network, and what was measured of it, for scripts/draw-kernels."""
import csv
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MEASURED = "benchmarks/results/2026-11-24-h200-kernels.csv"


def rows_of(table):
    with open(os.path.join(ROOT, "benchmarks", "tables", table + ".csv"), newline="") as file:
        return [row for row in csv.DictReader(file) if row["map"] == "forward"]


def ranking(algctl, m, k, n, q, algebra=None, map_name="forward", target="sm_90a", most=1):
    """The ranking of a shape, of Q(q) where no other algebra is named."""
    command = [algctl, "cost", algebra or f"Q({q})", "--in", str(k), "--out", str(n), "--dtype", "bf16", "--m", str(m),
               "--schedules", "--map", map_name, "--target", target, "--most", str(most), "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"draw-kernels: {' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def fields_of(schedule):
    return dict(item.split("=") for item in schedule["schedule"].split(","))


def fastest_measured():
    """Microseconds of the fastest kernel of each map and shape that was measured, with results in bf16."""
    fastest = {}
    with open(os.path.join(ROOT, MEASURED), newline="") as file:
        for row in csv.DictReader(file):
            key = (row["map"],) + tuple(int(row[column]) for column in ("m", "k", "n", "q"))
            if row["result"] == "bf16":
                fastest[key] = min(fastest.get(key, float("inf")), float(row["measured_us"]))
    return fastest


def measured_text(measured, *key):
    return f"{measured[key]:.1f}" if key in measured else ""


# Feed-forward networks over Q(32): what one kernel for both layers takes, and one for each.

def cost_of_network(algctl, m, k, n, fuse, *options):
    command = [algctl, "cost", os.path.join(ROOT, "examples", "swiglu.toml"), "--in", str(k), "--hidden", str(n), "--m", str(m), "--target",
               "sm_90a", "--fuse", fuse, "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"draw-kernels: {' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def network(algctl, m, k, n, fuse, experts=None):
    """Microseconds predicted and at least, and the number of launches."""
    options = ("--experts", str(experts)) if experts else ()
    program = cost_of_network(algctl, m, k, n, fuse, *options)["programs"][0]
    return program["predicted_us"], program["floor_us"], len(program["steps"])


def network_at_positions(algctl, m, k, n):
    """Microseconds of what takes a position for each row: one vector reduction, one for each layer, and kernels that find rows in lists."""
    def reductions(fuse):
        kernels = cost_of_network(algctl, m, k, n, fuse, "--schedules", "--most", "1000000")["kernels"]
        best = [min((one["predicted_us"] for one in kernel["schedules"] if "reduce=" in one["schedule"]), default=float("inf")) for kernel in kernels]
        return sum(best), len(kernels)
    together, launches = reductions("layers")
    listed = cost_of_network(algctl, m, k, n, "products", "--row-types", "explicit")["programs"][0]["predicted_us"]
    return together if launches == 1 else float("inf"), reductions("products")[0], listed
