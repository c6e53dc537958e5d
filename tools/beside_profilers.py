"""A table of the verdicts of `diagnose` on each loader of the zoo, beside those of TraceML, `torch.profiler` and py-spy.

The profilers name nothing: shown is which share of the loop `enumerate(DataLoader)` takes in torch's, and which line of the zoo's
own code py-spy sees most often in all processes, with its share of the samples. TraceML and py-spy are no dependencies of the course
(`pip install traceml-ai py-spy`); without them, their columns are empty.

Command: python tools/beside_profilers.py [ANIMAL…]
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

import torch
from torch.profiler import ProfilerActivity, profile, record_function

from loaderlab.scripts.diagnose import diagnose
from zoo.slow import HEALTHY, SICK, Animal

BATCHES = 40
TRAIN = """
import sys
sys.path[:0] = {path!r}
import torch, traceml_ai as traceml
from beside_profilers import trained
traceml.init(mode="auto")
for step, model in trained({name!r}):
    with traceml.trace_step(model):
        step()
"""

PLAIN = """
import sys
sys.path[:0] = {path!r}
from beside_profilers import trained
for step, model in trained({name!r}):
    step()
"""
FRAME = re.compile(r"\(([^()]+):(\d+)\)")


def trained(name: str) -> Iterator[tuple[Callable[[], Any], torch.nn.Module]]:
    """Yield for each batch the work on it, and a model: a tiny training in the end, which tools for training want to see."""
    animal: Animal = (SICK | HEALTHY)[name]
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def step(batch: Any) -> None:
        if animal.stepping:
            animal.stepping(batch)
        optimizer.zero_grad()
        model(torch.ones(2, 4)).mean().backward()
        optimizer.step()

    for batch in islice(animal.loader(), BATCHES):
        yield partial(step, batch), model


def of_traceml(name: str) -> str:
    """Return TraceML's verdict on a training of its own."""
    if importlib.util.find_spec("traceml_ai") is None:
        return "–"
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "train.py")
        script.write_text(TRAIN.format(path=sys.path[:2], name=name), encoding="utf-8")
        command = [str(Path(sys.executable).with_name("traceml")), "run", "--logs-dir", folder]
        subprocess.run(
            [*command, "--run-name", "run", str(script)], capture_output=True, timeout=300, check=False
        )
        try:
            said = json.loads(Path(folder, "run", "final_summary.json").read_text("utf-8"))
            return str(said["primary_diagnosis"]["status"])
        except (OSError, KeyError, ValueError):
            return "no summary"


def of_profiler(name: str) -> str:
    """Return the share of the loop that `enumerate(DataLoader)` takes."""
    with profile(activities=[ProfilerActivity.CPU]) as watched, record_function("the loop"):
        for step, _model in trained(name):
            step()
    taken = {event.key: event.cpu_time_total for event in watched.key_averages()}
    loading = sum(time for key, time in taken.items() if key.startswith("enumerate(DataLoader)"))
    return f"{loading / taken['the loop']:.0%}"


def of_pyspy(name: str) -> str:
    """Return the line of the zoo that py-spy sees most often, all processes together, and its share of the samples."""
    program = Path(sys.executable).with_name("py-spy")
    if not program.exists():
        return "–"
    with tempfile.TemporaryDirectory() as folder:
        script, seen = Path(folder, "train.py"), Path(folder, "seen")
        script.write_text(PLAIN.format(path=sys.path[:2], name=name), encoding="utf-8")
        command = [str(program), "record", "--subprocesses", "--format", "raw", "--output", str(seen), "--"]
        subprocess.run([*command, sys.executable, str(script)], capture_output=True, timeout=300, check=False)
        if not seen.exists():
            return "no report"
        lines, samples = Counter[str](), 0
        for stack, _space, count in (line.rpartition(" ") for line in seen.read_text("utf-8").splitlines()):
            samples += int(count)
            own = [frame for frame in FRAME.findall(stack) if frame[0].endswith("zoo/slow.py")]
            if own:
                lines[":".join(own[-1]).rpartition("/")[2]] += int(count)
        if not lines:
            return "none"
        line, often = lines.most_common(1)[0]
        return f"{line} {often / samples:.0%}"


def main(*wanted: str) -> None:
    head = f"{'animal':20}  {'diagnose':20}  {'TraceML':28}  {'torch.profiler: loading':24}  py-spy: the line it sees most"
    print(head, flush=True)
    for name, animal in (SICK | HEALTHY).items():
        if not wanted or name in wanted:
            said = diagnose(animal.loader(), animal.stepping, animal.seconds).name
            # In a process of its own: workers that are forked from one whose threads have worked may wait for ever.
            with ProcessPoolExecutor(1, get_context("spawn")) as fresh:
                loading = fresh.submit(of_profiler, name).result()
            row = f"{name:20}  {said:20}  {of_traceml(name):28}  {loading:24}  {of_pyspy(name)}"
            print(row, flush=True)
    if importlib.util.find_spec("traceml_ai") is None:
        print("TraceML is not installed: pip install traceml-ai")


if __name__ == "__main__":
    main(*sys.argv[1:])
