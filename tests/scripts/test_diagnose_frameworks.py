"""`diagnose` takes the loaders and the steps of frameworks as these give them, where they are installed.

Command: pip install pytorch_lightning accelerate transformers timm torch_geometric monai ultralytics; pytest -m long tests/scripts/test_diagnose_frameworks.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from loaderlab.scripts.diagnose import diagnose

pytestmark = [pytest.mark.long, pytest.mark.serial, pytest.mark.filterwarnings("ignore")]
SAMPLES, WAITS = 600, 0.004
Found = tuple[Any, Callable[[Any], Any] | None]


def slowly(value: Any) -> Any:
    """As a disk answers: this is the fault of each of these datasets."""
    time.sleep(WAITS)
    return value


class Pairs(Dataset[Any]):
    """Vectors, from something slow."""

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return slowly((torch.full((8,), float(index)), index % 2))


class Words(Pairs):
    """What a model of Transformers takes."""

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        vector, label = super().__getitem__(index)
        return {"vector": vector, "labels": torch.tensor(label)}


class Pictures(Pairs):
    """Pillow's images, as timm's transforms take them."""

    transform: Any = None

    def __getitem__(self, index: int) -> tuple[Any, int]:
        return self.transform(Image.new("RGB", (40, 40), (index % 256, 0, 0))), slowly(index % 2)


def lightning(_place: Path) -> Found:
    pytorch_lightning = pytest.importorskip("pytorch_lightning")

    class Module(pytorch_lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(8, 2)

        def train_dataloader(self) -> DataLoader[Any]:
            return DataLoader(Pairs(), 16, num_workers=1)

        def training_step(self, batch: Any, _number: int) -> torch.Tensor:
            return torch.nn.functional.cross_entropy(self.layer(batch[0]), batch[1])

    module = Module()
    return module.train_dataloader(), lambda batch: module.training_step(batch, 0).backward()


def accelerate(_place: Path) -> Found:
    accelerator = pytest.importorskip("accelerate").Accelerator(cpu=True)
    loader, model = accelerator.prepare(DataLoader(Pairs(), 16, num_workers=1), torch.nn.Linear(8, 2))
    return loader, lambda batch: accelerator.backward(model(batch[0]).sum())


def transformers(place: Path) -> Found:
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(8, 2)

        def forward(self, vector: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
            return {"loss": torch.nn.functional.cross_entropy(self.layer(vector), labels)}

    options = transformers.TrainingArguments(
        str(place), per_device_train_batch_size=16, dataloader_num_workers=1, use_cpu=True, report_to=[]
    )
    trainer = transformers.Trainer(Model(), options, train_dataset=Words())
    return trainer.get_train_dataloader(), lambda batch: trainer.compute_loss(trainer.model, batch).backward()


def timm(_place: Path, prefetcher: bool = False) -> Found:
    data = pytest.importorskip("timm.data")
    device = torch.device("cpu")
    loader = data.create_loader(
        Pictures(), (3, 32, 32), 16, True, num_workers=1, use_prefetcher=prefetcher, device=device
    )
    return loader, None


def timm_prefetcher(place: Path) -> Found:
    return timm(place, prefetcher=True)


def torch_geometric(_place: Path) -> Found:
    geometric = pytest.importorskip("torch_geometric")
    from torch_geometric.data import Data
    from torch_geometric.loader import DataLoader as Graphs

    class Molecules(geometric.data.Dataset):
        def len(self) -> int:
            return SAMPLES

        def get(self, index: int) -> Any:
            return slowly(Data(x=torch.ones(5, 3) * index, edge_index=torch.zeros(2, 4, dtype=torch.long)))

    return Graphs(Molecules(), batch_size=16, num_workers=1, shuffle=True), None


def monai(_place: Path) -> Found:
    data = pytest.importorskip("monai.data")
    scans = data.Dataset([{"image": torch.ones(1, 16, 16)}] * SAMPLES, slowly)
    return data.DataLoader(scans, batch_size=16, num_workers=1, shuffle=True), None


def yolo(place: Path) -> Found:
    detect = pytest.importorskip("ultralytics.models.yolo.detect")
    for number in range(200):
        for kind in ("images", "labels"):
            (place / kind / "train").mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (640, 640), (number, 0, 0)).save(place / f"images/train/{number}.jpg")
        (place / f"labels/train/{number}.txt").write_text("0 0.5 0.5 0.2 0.2\n")
    about = place / "data.yaml"
    about.write_text(f"path: {place}\ntrain: images/train\nval: images/train\nnames: {{0: thing}}\n")
    trainer = detect.DetectionTrainer(
        overrides={
            "model": "yolo11n.yaml",
            "data": str(about),
            "imgsz": 320,
            "workers": 1,
            "device": "cpu",
            "project": str(place),
        }
    )
    trainer.setup_model()  # whose stride decides on the size of the pictures
    return trainer.get_dataloader(trainer.data["train"], 8, rank=-1), None


WAITING = ("waiting_storage", "too_few_workers")
FRAMEWORKS = {
    lightning: WAITING,
    accelerate: WAITING,
    transformers: WAITING,
    timm: WAITING,
    timm_prefetcher: WAITING,
    torch_geometric: WAITING,
    monai: WAITING,
    yolo: ("computing", "too_few_workers"),
}


@pytest.mark.parametrize("framework", FRAMEWORKS, ids=lambda framework: framework.__name__)
def test_what_slows_down_a_loader_of_a_framework_is_named(
    framework: Callable[[Path], Found], tmp_path: Path
) -> None:
    loader, step = framework(tmp_path)
    found = diagnose(loader, step, 15)
    print(found)
    assert found.name in (*FRAMEWORKS[framework], "too_noisy"), str(found)
