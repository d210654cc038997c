#!/usr/bin/python3
"""Runs algctl verify, GAP and PARI/GP side by side on the same tables, and prints times and ratios.

    benchmarks/algebra/compare.py --algctl build/release/bin/algctl [--limit SECONDS] [--json FILE] [--only PATTERN]

Every question is put to every program in a process of its own, in turn. Of algctl the time from the file to all answers
at once is taken: the processor time of the process, on all cores, less that of a process that verifies the field itself.
Of the peers only the processor time that they say the one question took is taken, without their start and without
reading the table. A peer that is not installed, or not done within the limit of processor time, is
said to be so; answers that differ end the program with exit code 1.
"""
import argparse
import datetime
import json
import math
import os
import platform
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tables as t  # noqa: E402

ALLOWANCE = 5  # seconds of a peer for its start and for reading the table

QUESTIONS = ("associativity", "centre", "radical", "decomposition")


def cases():
    for field in ("Q", "GF(7)"):
        yield t.complete(6, field)
        yield t.complete(8, field)
        yield t.complete(10, field)
        yield t.power(t.complete(2, field), 3)
        yield t.triangular(8, field)
        yield t.cyclic_group(24, field)
        yield t.rescaled(t.permuted(t.tensor(t.complete(3, field), t.matrices(2, field))))
        yield t.dense(t.complete(3, field))
        yield t.dense(t.matrices(4, field))
        yield t.dense(t.triangular(5, field))
        yield t.dense(t.tensor(t.quaternions(field), t.quaternions(field)))
        yield t.dense(t.complete(5, field))
        yield t.dense(t.complete(6, field))
    yield t.complete(12)


def identity_of(algctl, path):
    run = subprocess.run([algctl, "verify", path, "--json"], capture_output=True, text=True, check=True)
    return {slot: Fraction(value) for slot, value in json.loads(run.stdout)["identity"]}


def with_identity_first(table, identity):
    """PARI wants the identity to be the first basis element: it takes the place of a slot in which it has a part."""
    p = table.characteristic
    reduce = (lambda x: x.numerator * pow(x.denominator, -1, p) % p) if p else (lambda x: x)
    given = min(identity)
    u = {s: x / identity[given] for s, x in identity.items()}
    place = {s: n + 1 for n, s in enumerate(s for s in range(table.dimension) if s != given)}
    rows = {}
    for i, j, k, x in table.constants:
        if given not in (i, j):
            row = rows.setdefault((place[i], place[j]), {})
            if k != given:
                row[place[k]] = row.get(place[k], 0) + x
            else:  # b_given = 1 / identity[given] - sum of u_s b_s
                row[0] = row.get(0, 0) + x / identity[given]
                for s, y in u.items():
                    if s != given:
                        row[place[s]] = row.get(place[s], 0) - x * y
    # Over Q it wants integers: all other basis elements are multiplied by a common denominator.
    scale = 1 if p else math.lcm(*(Fraction(x).denominator for row in rows.values() for x in row.values()))
    rows = {slots: {k: x * scale * (scale if k == 0 else 1) for k, x in row.items()} for slots, row in rows.items()}
    for s in range(table.dimension):
        rows[0, s] = rows[s, 0] = {s: 1}
    return [(i, j, k, reduce(Fraction(x))) for (i, j), row in sorted(rows.items()) for k, x in sorted(row.items())
            if reduce(Fraction(x))]


def gap_program(table, question):
    field = "Rationals" if table.field == "Q" else table.field
    lines = [f"F:={field};;", f"T:=EmptySCTable({table.dimension},Zero(F));;"]
    rows = {}
    for i, j, k, x in table.constants:
        rows.setdefault((i, j), []).append(f"({x})*One(F),{k + 1}")
    lines += [f"SetEntrySCTable(T,{i + 1},{j + 1},[{','.join(row)}]);" for (i, j), row in rows.items()]
    lines.append("A:=AlgebraByStructureConstants(F,T);;")
    if question != "associativity":
        lines.append("SetIsAssociative(A,true);;")
    lines.append("start:=Runtime();;")
    lines.append({"associativity": "answer:=[IsAssociative(A)];;", "centre": "answer:=[Dimension(Centre(A))];;",
                  "radical": "answer:=[Dimension(RadicalOfAlgebra(A))];;",
                  "decomposition": "R:=RadicalOfAlgebra(A);; if Dimension(R)=0 then B:=A; else B:=A/R; fi;; "
                                   "answer:=List(DirectSumDecomposition(B),Dimension);; Sort(answer);;"}[question])
    lines.append('Print("ANSWER ",Runtime()-start," ",answer,"\\n");; QUIT_GAP();')
    return "\n".join(lines) + "\n"


def pari_program(table, constants, question):
    n = table.dimension
    lines = [f"mt=vector({n},i,matrix({n},{n}));"]
    lines += [f"mt[{i + 1}][{k + 1},{j + 1}]={x};" for i, j, k, x in constants]
    p = table.characteristic
    lines.append("gettime();")
    if question != "associativity":
        lines.append(f"al=algtableinit(mt,{p});")  # part of the time: it computes
    lines.append({"associativity": f"answer=[algisassociative(mt,{p})];", "centre": "answer=[#algcenter(al)];",
                  "radical": "r=algradical(al);answer=[if(type(r)==\"t_MAT\",#r,0)];",
                  "decomposition": "d=algsimpledec(al);d=if(#d==2&&type(d[2])==\"t_VEC\",d[2],d);"
                                   "answer=vecsort(apply(algdim_,d));"}[question])
    lines.append('print("ANSWER ",gettime()," ",answer);')
    return "algdim_(b)=algdim(b,1);\ndefault(parisizemax,\"4G\");\n" + "\n".join(lines) + "\n"


def ask(command, program, limit):
    """(seconds of the question, answer) or a word that says why there is none."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(program)
        file.flush()
        # Processor time, so that what else runs does not count; the start and reading the table come on top.
        most = math.ceil(limit) + ALLOWANCE
        run = subprocess.run(command + [file.name], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1)))
        if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return "over the limit"
    found = re.search(r"ANSWER (\d+) (\[.*\])", run.stdout.replace("\n", " "))
    if not found:
        return "failed: " + (run.stderr or run.stdout).strip()[-200:]
    answer = json.loads(found[2].replace("true", "1").replace("false", "0"))
    return int(found[1]) / 1000, answer


def watch(pid, done, peaks):
    """Samples a process's own peak memory, in KiB: what wait4 says counts this program's before the exec, too."""
    while True:
        try:
            with open(f"/proc/{pid}/status") as file:
                peaks += [int(line.split()[1]) for line in file if line.startswith("VmHWM")]
        except OSError:
            return
        if done.wait(0.002):
            return


def verify(algctl, path, runs=3):
    """(wall seconds, processor seconds, mebibytes, facts): the shortest times of the runs."""
    wall = processor = float("inf")
    peaks = [0]
    for _ in range(runs):
        start = time.perf_counter()
        process = subprocess.Popen([algctl, "verify", path, "--json"], stdout=subprocess.PIPE)
        done = threading.Event()
        watcher = threading.Thread(target=lambda: watch(process.pid, done, peaks))
        watcher.start()
        output = process.stdout.read()
        done.set()
        watcher.join()
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f"algctl verify {path} ended with status {status}")
        wall = min(wall, time.perf_counter() - start)
        processor = min(processor, usage.ru_utime + usage.ru_stime)
    return wall, processor, max(peaks) / 1024, json.loads(output)


def version(command, pattern):
    try:
        run = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        return None
    found = re.search(pattern, run.stdout + run.stderr)
    return found[0] if found else (run.stdout + run.stderr).strip()[:60]


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def heading(program):
    """What a published measurement has to say of itself."""
    return {"date": datetime.date.today().isoformat(), "device": f"{processor()}, {os.cpu_count()} cores",
            "load": os.getloadavg()[0], "commit": version(["git", "rev-parse", "--short", "HEAD"], r"\w+"),
            "command": " ".join([program] + sys.argv[1:])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--algctl", default="build/release/bin/algctl")
    parser.add_argument("--limit", type=float, default=60, help="seconds of processor time for each question put to a peer")
    parser.add_argument("--json", help="write the measurements to this file")
    parser.add_argument("--only", default="", help="cases whose name matches this pattern")
    arguments = parser.parse_args()
    peers = {"GAP": (["gap", "-q", "-A", "--nointeract"], gap_program), "PARI": (["gp", "-q", "-f"], pari_program)}
    if not shutil.which(arguments.algctl):
        sys.exit(f"{arguments.algctl}: no such program; build it, or name it with --algctl")
    record = heading("benchmarks/algebra/compare.py")
    record["limit_s"] = arguments.limit
    record["versions"] = {
        "GAP": version(["gap", "-q", "-A", "--nointeract", "-c", 'Print(GAPInfo.Version,"\\n");'],
                       r"\d+\.\d+(\.\d+)?") if shutil.which("gap") else None,
        "PARI": version(["gp", "--version-short"], r"\d+\.\d+\.\d+") if shutil.which("gp") else None}
    record["cases"] = []
    for peer in list(peers):
        if not record["versions"][peer]:
            print(f"{peer} is not installed: it is left out")
            del peers[peer]
    start = verify(arguments.algctl, "D(1)", 15)[1]
    record["algctl_start_s"] = round(start, 4)
    print(f"algctl takes {start:.3f} s to start; times below 0.001 s are taken for 0.001 s")
    print(f"{'table':<44}{'dim':>4} {'question':<15}{'algctl s':>9} {'MB':>5}" +
          "".join(f"{peer + ' s':>11}{'ratio':>9}" for peer in peers))
    disagreements = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, table in enumerate(cases()):
            if not re.search(arguments.only, table.name):
                continue
            path = os.path.join(folder, f"{number}.json")
            table.write(path)
            _, whole, memory, facts = verify(arguments.algctl, path, 7)
            seconds = max(whole - start, 0.001)
            ours = {"associativity": [int(facts["associative"])], "centre": [facts["center_dimension"]],
                    "radical": [facts["radical_dimension"]], "decomposition": facts["simple_components"]}
            first = with_identity_first(table, identity_of(arguments.algctl, path))
            case = {"table": table.name, "field": table.field, "dimension": table.dimension,
                    "nonzeros": len(table.constants), "algctl_s": round(seconds, 4),  "algctl_mib": round(memory, 1),
                    "questions": {}}
            for question in QUESTIONS:
                line = f"{table.name + ' over ' + table.field:<44}{table.dimension:>4} {question:<15}{seconds:>9.3f} {memory:>5.0f}"
                answers = case["questions"][question] = {"algctl": ours[question]}
                for peer, (command, program) in peers.items():
                    text = program(table, question) if peer == "GAP" else program(table, first, question)
                    answer = ask(command, text, arguments.limit)
                    if isinstance(answer, str):
                        answers[peer] = answer
                        line += f"{'> ' + format(arguments.limit, 'g') if answer == 'over the limit' else 'failed':>11}"
                        line += f"{'> ' + format(arguments.limit / seconds, '.0f') if answer == 'over the limit' else '':>9}"
                        continue
                    answers[peer] = {"s": answer[0], "ratio": round(answer[0] / seconds, 2)}
                    line += f"{answer[0]:>11.3f}{answer[0] / seconds:>9.1f}"
                    if answer[1] != ours[question]:
                        disagreements += 1
                        answers[peer]["answer"] = answer[1]
                        line += f"  {peer} says {answer[1]}, algctl {ours[question]}"
                print(line, flush=True)
            line = f"{'':<44}{'':>4} {'all of these':<15}{seconds:>9.3f} {memory:>5.0f}"
            for peer in peers:
                own = [answers[peer] for answers in case["questions"].values()]
                if all(isinstance(answer, dict) for answer in own):
                    total = sum(answer["s"] for answer in own)
                    case.setdefault("all", {})[peer] = {"s": round(total, 3), "ratio": round(total / seconds, 2)}
                    line += f"{total:>11.3f}{total / seconds:>9.1f}"
                else:
                    line += f"{'':>20}"
            print(line, flush=True)
            record["cases"].append(case)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(record, file, indent=1)
            file.write("\n")
    return 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
