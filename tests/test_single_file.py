"""A script as one file does what it does as a package; what cannot be merged is refused, and not merged wrongly."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from loaderlab.cli import main
from loaderlab.single_file import merged
from loaderlab.take import SOURCE
from places import ROOT

SCRIPTS = ("efficient_dataloader", "distributed_sampler", "webdataset_loader")
# Each worker imports torch; the sampler starts none.
SPAWNED = [
    pytest.param(script, "spawn", marks=pytest.mark.long)
    for script in SCRIPTS
    if script != "distributed_sampler"
]
# What a project does with each of them: prints what came.
USES = {
    "efficient_dataloader": """
        script.pack(sys.argv[2], "train.pack", processes=2)
        batches = script.loader("train.pack", 5, size=32, workers=2, start_method="fork", transform=darker)
        show(batches, batches)
        show(script.to_float(images) for images, _labels in batches)
        evaluation = script.loader("train.pack", 5, size=32, workers=0, shuffle=False, augment=False, scale=(0.1, 1))
        show(evaluation)
    """,
    "webdataset_loader": """
        script.write(sys.argv[2], "shards", 4, processes=2)
        batches = script.loader("shards", 5, size=32, workers=2, start_method="fork", transform=darker)
        show(batches, batches)
    """,
    "distributed_sampler": """
        sampler = script.BucketSampler([*range(1, 40)], 4, 2, 1)
        print([*sampler], [*sampler], sampler.state_dict())
        dataset = TensorDataset(torch.arange(39))
        sampler = script.EvenSampler(39, 2, 0)
        print([*DataLoader(dataset, 4, sampler=sampler, num_workers=2, multiprocessing_context="fork")])
    """,
}
PROGRAM = """
import importlib, sys
import torch
from torch.utils.data import DataLoader, TensorDataset

def darker(image):
    return image // 2

def show(*epochs):
    for epoch in epochs:
        for batch in epoch:
            print([each.double().sum().item() for each in batch] if isinstance(batch, tuple) else batch.sum())

if __name__ == "__main__":
    script = importlib.import_module(sys.argv[1])
    if True:{use}
"""


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the scripts, each as one file; the course is not there: a module of that name hides it."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "loaderlab.py").write_text("raise ImportError")
    for script in SCRIPTS:
        assert main(["take", script, str(folder), "--single"]) == 0
    return folder


def call(folder: Path, *arguments: str, path: Path | str = "") -> str:
    command = [sys.executable, *arguments]
    environment = os.environ | {"PYTHONPATH": str(path)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("script", SCRIPTS)
def test_it_is_written_as_the_course_is_and_lacks_no_name(taken: Path, script: str) -> None:
    file = taken / f"{script}.py"
    for what in (["check", "--select", "F,E9"], ["format", "--check"]):
        call(taken, "-m", "ruff", *what, "--no-cache", "--config", str(ROOT / "pyproject.toml"), str(file))
    text = file.read_text("utf-8")
    assert text == merged(SOURCE, script)  # each time the same
    assert not re.search(r"^\s*(from|import) (\.|loaderlab)", text, re.MULTILINE)
    assert (ROOT / "LICENSE").read_text("utf-8").splitlines()[2] in text


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_project_gets_the_same_from_it_as_from_the_package(
    taken: Path, tmp_path: Path, script: str
) -> None:
    from loaderlab.scripts.images import synthetic

    images = str(synthetic(tmp_path / "images", 23, 80, 60))
    came = []
    for name, path in ((f"loaderlab.scripts.{script}", ROOT), (script, taken)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "use.py").write_text(PROGRAM.replace("{use}", USES[script]))
        came.append(call(folder, "use.py", name, images, path=path))
    assert came[0] == came[1] and came[0]


@pytest.mark.parametrize(("script", "method"), [*((script, "fork") for script in SCRIPTS), *SPAWNED])
def test_it_is_called_as_a_file(
    taken: Path, monkeypatch: pytest.MonkeyPatch, script: str, method: str
) -> None:
    monkeypatch.setenv("LOADERLAB_START_METHOD", method)  # for which `__main__` is another file
    assert call(taken, f"{script}.py", "--help").startswith(f"usage: python {script}.py ")
    small = ["--samples", "8", "--epochs", "1", "--batch-size", "4"]
    said = call(taken, f"{script}.py", *small, path=ROOT / "tests" / "helpers" / "start_method")
    assert re.search(r"\b8\b", said)


# What cannot be merged.

FIRST = "MOST = 3  # of them\n\n\nclass Part:\n    pass\n\n\ndef unused():\n    return MOST\n"


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    (tmp_path / "first.py").write_text(f'"""First.\n\nOf two."""\n\n{FIRST}')
    (tmp_path / "second.py").write_text(
        "import re\nimport os, os.path\n\nfrom .first import MOST as most, Part as Other\n\n\n"
        "class Part(Other):\n    size = most\n    runs = re.compile, os.path\n\n\ndef run(x=Part):\n    return x.size, x.runs\n"
    )
    return tmp_path


def script(folder: Path, text: str) -> str:
    (folder / "script.py").write_text(f'"""A script."""\n\n{text}')
    return merged(folder, "script")


def test_what_is_called_alike_is_told_apart_and_what_nobody_uses_is_left_out(modules: Path) -> None:
    text = script(
        modules,
        "from . import second\nfrom .second import Part, run as other\n\n\ndef run():\n    return second.run(Part)\n",
    )
    names: dict[str, object] = {"__name__": "script"}
    exec(text, names)
    assert names["run"]() == (3, (re.compile, os.path))  # type: ignore[operator]
    assert (
        "# first.py: First.\n#\n# Of two.\n" in text
        and "most = 3  # of them\n" in text
        and "unused" not in text
    )
    assert re.findall(r"^(?:class|def) (\w+)", text, re.MULTILINE) == ["Other", "Part", "second_run", "run"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "from . import second\n\n\ndef f(second):\n    return second.run()\n",
            "script.py, line 7: second.run is to be called second_run",
        ),
        ("def f():\n    from .first import MOST\n    return MOST\n", "line 4: import it at the top"),
        ("print(1)\n", "line 3: no import, and no definition"),
        ("from .second import Part\n\n\ndef re(): ...\n", "more than one module has re"),
    ],
)
def test_what_would_be_merged_wrongly_is_refused(modules: Path, text: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        script(modules, text)
