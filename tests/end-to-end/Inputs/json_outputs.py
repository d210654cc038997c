"""Runs every command of algctl that has --json, as its completion script lists them, and algbench."""

import json
import re
import subprocess
import sys

completion, algctl, algbench = sys.argv[1:]
quick = ["--m", "4", "--trials", "1", "--against", "none", "--flush-mib", "1"]
layer = ["Q(4)", "--in", "64", "--out", "64", "--dtype", "bf16"]
calls = {
    "bench": [["up.alg", *quick]],
    "cache gc": [["--keep-bytes", "1000000000000"]],
    "cache ls": [[]],
    "cache verify": [[]],
    "compare": [["Q(2)", "Q(2)"]],
    "cost": [[*layer, "--m", "4"], [*layer, "--m", "4", "--dense"], [*layer, "--m", "4", "--schedules"]],
    "doctor": [[]],
    "inspect": [["up.alg"]],
    "rank": [["Q(2)"]],
    "run": [["up.alg", "--m", "4", "--check"]],
    "show": [["Q(2)"]],
    "simulate": [[*layer, "--m", "20"]],
    "verify": [["Q(2)"]],
}

with open(completion) as file:
    listed = re.findall(r"^    '([a-z ]+)'\) options='[^']* --json\b", file.read(), re.MULTILINE)
assert sorted(listed) == sorted(calls), f"not the same: {sorted(listed)} and {sorted(calls)}"


def check(name, words):
    result = subprocess.run(words, capture_output=True, text=True)
    assert result.returncode == 0, f"{words}: {result.returncode}: {result.stderr}"
    first, value = next(iter(json.loads(result.stdout).items()))
    assert first == "format", f"{words} begins with {first}"
    print(f"{name}: format {value}")


for name, many in sorted(calls.items()):
    for words in many:
        check(name, [algctl, *name.split(), *words, "--json"])
check("algbench", [algbench, "up.alg", *quick, "--json"])
