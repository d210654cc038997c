# The tests that are text: MLIR files under FileCheck, and command lines of the tools (.test).
import os
import shutil

import lit.formats

config.name = "algctl"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["corpus", "data", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_dir, "tests", "lit")

config.environment["PATH"] = os.pathsep.join(
    [config.tools_dir, config.llvm_tools_dir, config.environment.get("PATH", "")])

# The user's own compiled kernels are neither used nor added to.
config.environment["ALGCTL_CACHE"] = os.path.join(config.build_dir, "tests", "cache")

# The tools by their full paths: another algctl in the PATH must not be what is tested.
for tool in ["algctl", "algbench", "algcheck", "alg-opt"]:
    path = os.path.join(config.tools_dir, tool)
    if os.access(path, os.X_OK):
        config.substitutions.append((rf"(?<![\w./-]){tool}(?![\w.-])", path))
        config.available_features.add(tool)

# The interpreter that the project's packages own: another one may come first in the PATH, with modules of its own.
config.substitutions.append((r"(?<![\w./-])python3(?![\w.-])", config.python))

if config.signatures.upper() in ("ON", "TRUE", "1"):
    config.available_features.add("signatures")

if shutil.which("dot"):
    config.available_features.add("graphviz")

config.substitutions.append(("%source_dir", config.source_dir))
config.substitutions.append(("%build_dir", config.build_dir))

if "alg-opt" not in config.available_features:
    lit_config.fatal(f"alg-opt is not in {config.tools_dir}: build it first")
