"""A user's own script, run until its training loop was watched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# All in one `main()`: a look at a batch, a check before training, and files that are open meanwhile.
MAIN = """
import argparse, sys, time, torch
from torch.utils.data import DataLoader, Dataset
class Items(Dataset):
    def __init__(self, file, seconds): self.file, self.seconds = file, seconds
    def __len__(self): return 4000
    def __getitem__(self, i):
        assert not self.file.closed
        time.sleep(self.seconds)
        return torch.ones(3)
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, required=True)
    options = parser.parse_args()
    model = torch.nn.Linear(3, 1)
    with open(__file__) as file:
        trained = DataLoader(Items(file, 0.001), options.batch_size)
        checked = DataLoader(Items(file, 0.0), 1000)
        next(iter(trained))
        for batch in checked:
            print("checked")
        for epoch in range(1000):
            for batch in trained:
                model(batch).sum().backward()
                time.sleep(0.05)
    print("never")
if __name__ == "__main__":
    {called}
"""
SWALLOWS = """
    for _again in range(3):
        try:
            main()
        except:
            print("swallowed")
"""


def ran(script: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "loaderlab", "diagnose", *options]
    return subprocess.run(
        command, cwd=script.parent, capture_output=True, text=True, timeout=200, check=False, env=os.environ
    )


@pytest.mark.parametrize("called", ["main()", SWALLOWS.strip()], ids=["plain", "swallows"])
def test_the_training_loop_of_a_script_is_found_with_its_step(tmp_path: Path, called: str) -> None:
    script = tmp_path / "train.py"
    script.write_text(MAIN.replace("{called}", called))
    options = ("--seconds", "8", "--json", "a.json", "--language", "en", "--", "--batch-size", "7")
    said = ran(script, "train.py", *options)
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith("1. ") and "checked" in said.stderr and "never" not in said.stderr
    line = 1 + script.read_text().splitlines().index("            for batch in trained:")
    assert f"Watched: for batch in trained:, train.py:{line}" in said.stderr
    evidence = json.loads((tmp_path / "a.json").read_text())["evidence"]
    assert evidence["has_step"] and evidence["trains"] and evidence["costs"]["batch_size"] == 7
    assert 0.045 < sum(evidence["costs"]["step"][:2]) < 0.2
    assert not evidence["troubles"], "the file that the script has open is closed"


VARIABLES = """
import torch
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.zeros(100))
first: DataLoader = DataLoader(data, 10)
"""
EVALUATES = """
from torch.utils.data import DataLoader
def main():
    for batch in DataLoader(range(100), 10):
        batch.sum()
main()
"""


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("", 1, "no loop asked a DataLoader for batches"),
        (VARIABLES, 0, ""),
        (EVALUATES, 0, "Watched: for batch in DataLoader(range(100), 10):, train.py:4. 10 batches"),
        (VARIABLES + "second = DataLoader(data, 5)\n", 1, "`train.py:first` (line 5), `train.py:second` (line 6)"),
        ("import json\n\ndef f():\n    json.loads('{')\nf()\n", 1, "json.loads('{'), train.py:4: JSONDecodeError"),
        ("import sys\nsys.exit('no --data')\n", 1, "no --data. Its own arguments come after `--`"),
    ],
)  # fmt: skip
def test_a_script_without_a_loop_gives_its_variable_or_says_what_to_give(
    tmp_path: Path, text: str, status: int, said: str
) -> None:
    script = tmp_path / "train.py"
    script.write_text(text)
    one = ran(script, "train.py", "--seconds", "2", "--language", "en")
    assert one.returncode == status and said in one.stderr and "Traceback" not in one.stderr, one.stderr
    assert one.stdout.startswith("1. ") == (status == 0)
