#!/usr/bin/python3
"""algctl verify on large sparse algebras: by construction, and as table files in several bases.

    benchmarks/algebra/large.py [--algctl build/release/bin/algctl] [--json FILE] [--only PATTERN]

Wall time, processor time and peak memory are those of the whole process. The answers are compared: every basis has to give the same.
"""
import argparse
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tables as t  # noqa: E402
from compare import heading, verify  # noqa: E402

SAME = ("associative", "unital", "commutative", "dimension", "center_dimension", "radical_dimension", "radical_series",
        "simple_components", "maximal_ideals", "alder_strassen")


def cases():
    """(name, expression or None, table, pairs of slots to add up or None)"""
    yield "Q(256)", "Q(256)", lambda: t.complete(256), [(0, range(1, 256))]
    yield "Q(2)^8", "Q(2)^8", lambda: t.power(t.complete(2), 8), None
    yield "Q(64)*M(4)", "Q(64)*M(4)", lambda: t.tensor(t.complete(64), t.matrices(4)), None
    yield "random graph", None, lambda: t.random_graph(20000, 100000), [(v, [v + 1]) for v in range(0, 20000, 500)]
    yield "Q(64)*M(4) over GF(2)", None, lambda: t.tensor(t.complete(64, "GF(2)"), t.matrices(4, "GF(2)")), None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--algctl", default="build/release/bin/algctl")
    parser.add_argument("--json", help="write the measurements to this file")
    parser.add_argument("--only", default="", help="cases whose name matches this pattern")
    arguments = parser.parse_args()
    record = heading("benchmarks/algebra/large.py")
    record["cases"] = []
    different = 0
    print(f"{'algebra':<24}{'as':<32}{'constants':>10}{'seconds':>9}{'processor':>11}{'MB':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for name, expression, make, sums in cases():
            if not re.search(arguments.only, name):
                continue
            table = make()
            specs = [("construction", expression)] if expression else []
            if name == "random graph":
                path = os.path.join(folder, "graph.dot")
                edges = {}
                for i, j, k, _ in table.constants:  # source a = a, a target = a
                    if k == j != i:
                        edges.setdefault(k, [None, None])[0] = i
                    elif k == i != j:
                        edges.setdefault(k, [None, None])[1] = j
                with open(path, "w") as file:
                    file.write("digraph {\n" + "".join(f"{a} -> {b};\n" for a, b in edges.values()) + "}\n")
                specs.append(("construction (DOT file)", path))
            bases = [("table", table), ("table, permuted", t.permuted(table)),
                     ("table, permuted and rescaled", t.permuted(t.rescaled(table)))]
            if sums:
                bases.append(("table, vertices added up", t.permuted(t.with_sums(table, sums))))
            for number, (basis, own) in enumerate(bases):
                path = os.path.join(folder, f"{number}.json")
                own.write(path)
                specs.append((basis, path))
            known = None
            for form, spec in specs:
                seconds, processor, memory, facts = verify(arguments.algctl, spec)
                answer = {key: facts[key] for key in SAME}
                note = ""
                if form == "construction (DOT file)":  # vertices without edges are not in the file
                    pass
                elif known is None:
                    known = answer
                elif known != answer:
                    note = "  different: " + ", ".join(key for key in SAME if known[key] != answer[key])
                    different += 1
                print(f"{name:<24}{form:<32}{facts['nonzeros']:>10}{seconds:>9.2f}{processor:>11.2f}{memory:>7.0f}{note}", flush=True)
                record["cases"].append({"algebra": name, "as": form, "constants": facts["nonzeros"],
                                        "seconds": round(seconds, 3), "processor_s": round(processor, 3), "mib": round(memory)})
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(record, file, indent=1)
            file.write("\n")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
