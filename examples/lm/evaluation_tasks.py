"""Tasks of lm-eval as the paper sets them up, with data of the network or of local files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lm_eval.tasks
import yaml
from datasets.exceptions import DatasetsError
from lm_eval.tasks import TaskManager

from configuration import ConfigurationError, require

OWN_TASKS = Path(__file__).parent / "tasks"
TASKS_OF_LM_EVAL = Path(lm_eval.tasks.__file__).parent
SPLITS = ("train", "validation", "test")
SPLIT_SETTINGS = ("training_split", "validation_split", "test_split", "fewshot_split")


@dataclass(frozen=True)
class Protocol:
    """The file of a task, how many examples come before a question, the splits of both, and the fields of a record."""

    file: Path
    shots: int
    questions: str
    examples: str | None = None
    fields: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()  # the settings that name further splits, of which local data may have none

    @staticmethod
    def of(settings: Mapping[str, Any], file: Path) -> Protocol:
        """That of a task of lm-eval which the paper does not have."""
        examples = settings.get("fewshot_split") or settings.get("training_split")
        return Protocol(file, settings.get("num_fewshot") or 0, settings.get("test_split") or settings.get("validation_split") or "test",
                        examples if isinstance(examples, str) else None,
                        settings=tuple((key, settings[key]) for key in SPLIT_SETTINGS if isinstance(settings.get(key), str)))


PROTOCOLS = {
    "gsm8k": Protocol(TASKS_OF_LM_EVAL / "gsm8k" / "gsm8k.yaml", 5, "test", "train", ("question", "answer")),
    "mbpp": Protocol(OWN_TASKS / "mbpp.yaml", 0, "test", None, ("text", "test_list")),
    "ifeval": Protocol(TASKS_OF_LM_EVAL / "ifeval" / "ifeval.yaml", 0, "train", None,
                       ("key", "instruction_id_list", "prompt", "kwargs")),
}


@dataclass(frozen=True)
class Tasks:
    """What lm-eval is asked to evaluate: names of its own and files, and what reads both."""

    specifications: list[str]
    manager: TaskManager


def read_records(path: Path, fields: Sequence[str]) -> int:
    """How many records a file of JSON lines has; each has to be an object with `fields`."""
    count = 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise ConfigurationError(f"{path}:{number}: {error}") from error
        missing = [field for field in fields if not isinstance(record, dict) or field not in record]
        require(not missing, f"{path}:{number}: an object with {', '.join(fields) or 'the fields of the task'} is wanted")
        count += 1
    require(count > 0, f"{path} has no records")
    return count


def local_files(name: str, directory: Path, protocol: Protocol) -> dict[str, str]:
    """The file of each split. That of the questions may always be called test.jsonl, whatever the split's name is."""
    require(directory.is_dir(), f"there is no directory {directory} with the data of {name}")
    files = {split: directory / f"{split}.jsonl" for split in SPLITS if (directory / f"{split}.jsonl").is_file()}
    if protocol.questions not in files and "test" in files:
        files[protocol.questions] = files.pop("test")
    require(protocol.questions in files, f"{directory} has no test.jsonl with the questions of {name}")
    counts = {split: read_records(path, protocol.fields) for split, path in files.items()}
    if protocol.shots > 0 and protocol.examples is not None:
        require(counts.get(protocol.examples, 0) >= protocol.shots,
                f"{directory} has no {protocol.examples}.jsonl with the {protocol.shots} examples of {name}")
    return {split: str(path.resolve()) for split, path in files.items()}


def check_sentence_data() -> None:
    """IFEval counts sentences, and lm-eval would load what that needs in the middle of an import."""
    # Here, because NLTK takes seconds that other tasks need not wait for.
    try:
        import nltk
    except ImportError as error:
        raise ConfigurationError(f"ifeval needs the package nltk: {error}") from error
    try:
        nltk.data.find("tokenizers/punkt_tab")
    except LookupError as error:
        raise ConfigurationError("ifeval needs NLTK's punkt_tab: python -m nltk.downloader punkt_tab") from error


def refuse_code(name: str) -> ConfigurationError:
    return ConfigurationError(f"{name} runs programs that the models write, with limits of time and memory but in no sandbox: "
                              "--allow-code says that they may run here")


def prepare_tasks(names: Sequence[str], local: Mapping[str, Path], allow_code: bool, directory: Path) -> Tasks:
    """Files for lm-eval in `directory`, which has to stay, and everything that can be said against them before it runs.

    A name is one of lm-eval's, or a task file of one's own.
    """
    require(bool(names), "there is nothing to evaluate: --tasks names tasks")
    require(len(set(names)) == len(names), f"a task is named twice: {','.join(names)}")
    unused = sorted(set(local) - set(names))
    require(not unused, f"--local gives data of {', '.join(unused)}, which --tasks does not name")
    if "mbpp" in names and not allow_code:
        raise refuse_code("mbpp")
    if "ifeval" in names:
        check_sentence_data()
    # Reading all tasks of lm-eval takes many seconds: those of the paper are found without.
    needs_index = any(name not in PROTOCOLS and not name.endswith(".yaml") for name in names)
    manager = TaskManager(include_defaults=needs_index)
    specifications = [specification(name, local.get(name), manager, directory) for name in names]
    try:
        loaded = manager.load(specifications)
    except (OSError, ValueError, ImportError, DatasetsError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ConfigurationError(f"a task of {', '.join(names)} cannot be loaded: {reason}"
                                 " (--local NAME=DIRECTORY gives its data)") from error
    for name, task in loaded["tasks"].items():
        if getattr(task, "UNSAFE_CODE", False) and not allow_code:
            raise refuse_code(name)
    return Tasks(specifications, manager)


def specification(name: str, data: Path | None, manager: TaskManager, directory: Path) -> str:
    """What lm-eval knows a task by: its name, or a file that includes the task and changes what has to be."""
    if name.endswith(".yaml"):
        require(Path(name).is_file(), f"there is no task file {name}")
        require(data is None, f"{name} says itself where its data are: --local is for tasks by name")
        return name
    protocol = PROTOCOLS.get(name)
    if protocol is None:
        require(name in manager.task_index, f"lm-eval has no task {name!r}")
        if data is None:
            return name
        entry = manager.task_index[name]
        require(name in manager.all_subtasks and entry.yaml_path is not None, f"{name} is a group of tasks: --local is for single ones")
        protocol = Protocol.of(entry.cfg, entry.yaml_path)
    content: dict[str, Any] = {"include": str(protocol.file), "num_fewshot": protocol.shots}
    if data is not None:
        files = local_files(name, data, protocol)
        content |= {"dataset_path": "json", "dataset_name": None,
                    "dataset_kwargs": {"data_files": files, "cache_dir": str(directory / "cache")}}
        # lm-eval opens every split that a task names, needed or not.
        content |= {key: None for key, split in protocol.settings if split not in files}
    path = directory / f"{name}.yaml"
    path.write_text(yaml.safe_dump(content))
    return str(path)
