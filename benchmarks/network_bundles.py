"""The rows of benchmark tables that are feed-forward networks k -> n -> k (the map ffn): their bundles, and what lies
beside them to be compared with (algbench --help)."""

import json
import subprocess

MAP = "ffn"

SPEC = """[algebra]
product = "Q({q})"

[program]
kind = "swiglu"
in = {k}
hidden = {n}
dtype = "{dtype}"
row_types = "{row_types}"
"""

# h = silu(gate) * up, in f32: what stands between the products of a network without the algebra. gate and up are
# columns of one matrix there.
ACTIVATION = """!h = !alg.slots<?x{n}x{dtype}, plain(1)>
func.func @forward(%gate: tensor<?x{n}x{dtype}>, %up: tensor<?x{n}x{dtype}>) -> tensor<?x{n}x{dtype}> {{
  %gates = alg.slots %gate plain(1) : tensor<?x{n}x{dtype}>
  %ups = alg.slots %up plain(1) : tensor<?x{n}x{dtype}>
  %hs = alg.map %gates, %ups : (!h, !h) -> !h {{
  ^bb0({arguments}):{widened}
    %negative = arith.negf %gate_sum : f32
    %exponential = math.exp %negative : f32
    %one = arith.constant 1.0 : f32
    %denominator = arith.addf %one, %exponential : f32
    %activated = arith.divf %gate_sum, %denominator : f32
    %product = arith.mulf %activated, %up_sum : f32
{rounded}    alg.yield {result} : {dtype}
  }}
  %h = alg.gather %hs : !h
  return %h : tensor<?x{n}x{dtype}>
}}
"""

# Where the network is in f32 nothing is rounded between its products.
IN_F32 = dict(arguments="%gate_sum: f32, %up_sum: f32", widened="", rounded="", result="%product")
ROUNDED = dict(
    arguments="%g: {dtype}, %u: {dtype}",
    widened="""
    %gate_sum = arith.extf %g : {dtype} to f32
    %up_sum = arith.extf %u : {dtype} to f32""",
    rounded="    %rounded = arith.truncf %product : f32 to {dtype}\n",
    result="%rounded",
)


def activation_of(n, dtype):
    """The program of the activation, of n columns."""
    parts = IN_F32 if dtype == "f32" else {name: part.format(dtype=dtype) for name, part in ROUNDED.items()}
    return ACTIVATION.format(n=n, dtype=dtype, **parts)


class Network:
    """One network, with the numbers of rows that the tables have for it."""

    def __init__(self, k, n, q, row_types, experts):
        self.k, self.n, self.q, self.row_types, self.experts = k, n, q, row_types, experts
        self.rows = set()

    def name(self, dtype):
        name = f"network-Q{self.q}-{self.k}x{self.n}-{dtype}"
        if self.row_types != "cyclic":
            name += "-" + self.row_types.replace("(", "").replace(")", "")
        return name + (f"-{self.experts}-experts" if self.experts else "")

    def write_spec(self, path, dtype):
        path.write_text(SPEC.format(k=self.k, n=self.n, q=self.q, dtype=dtype, row_types=self.row_types))
        return path

    def compile(self, algctl, targets, dtype, variants, use_cache, bundles, scratch):
        """Writes the bundle and those beside it. Raises RuntimeError with what algctl says."""
        spec, rows = self.write_spec(scratch / f"{self.name(dtype)}.toml", dtype), sorted(self.rows, reverse=True)
        name, experts = self.name(dtype), ["--experts", str(self.experts)] if self.experts else []
        best = ["--variants", str(variants)]
        if targets == ["cpu"]:  # whose kernels take any number of rows: one that is not decoding, and one schedule
            rows, best = [min([m for m in rows if m > 32] or rows)], []
        activation = scratch / f"{name}-activation.mlir"
        activation.write_text(activation_of(self.n, dtype))
        # The rows of one of the experts.
        each = [max(1, m // self.experts) for m in rows] if self.experts else []
        compiled = [
            ("", spec, ["--m", ",".join(map(str, rows))] + experts + best),
            ("-steps", spec, ["--m", ",".join(map(str, rows)), "--fuse", "products"] + experts),
            ("-apart", spec, ["--m", ",".join(map(str, rows)), "--fuse", "nothing"]),
            ("-each", spec, ["--m", ",".join(map(str, sorted(set(each), reverse=True)))]),
            ("-activation", activation, ["--m", str(rows[0])])]
        for suffix, *_ in compiled:  # a bundle of an earlier run must not pass for one of this run, which may fail
            (bundles / f"{name}{suffix}.alg").unlink(missing_ok=True)
        for suffix, source, options in compiled:
            if (suffix == "-apart" and self.experts) or (suffix == "-each" and not self.experts):
                continue
            path = bundles / f"{name}{suffix}.alg"
            command = [algctl, "compile", str(source), "--target", ",".join(targets), "--jobs", "1", "-o", str(path)]
            command += options + ([] if use_cache else ["--no-cache"])
            result = subprocess.run(command, capture_output=True, text=True)
            if result.returncode != 0:
                raise RuntimeError(f"{' '.join(command)}: exit {result.returncode}: {result.stderr.strip()}")

    def predict(self, algctl, m, target, dtype, scratch):
        """Microseconds that the cost model expects of a call of m rows. Raises RuntimeError with what algctl says."""
        # Rows are predicted side by side: each has a file of its own.
        spec = self.write_spec(scratch / f"{self.name(dtype)}-{m}.toml", dtype)
        command = [algctl, "cost", str(spec), "--m", str(m), "--target", target, "--json"]
        command += ["--experts", str(self.experts)] if self.experts else []
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            raise RuntimeError(result.stderr.strip())
        return json.loads(result.stdout)["programs"][0]["predicted_us"]


def key_of(row):
    return int(row["k"]), int(row["n"]), int(row["q"]), row.get("row_types") or "cyclic", int(row.get("experts") or 0)

