"""Lightning and Accelerate, where they are installed, save a loader's state with a training's, and go on with the next batch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from loaderlab.scripts import efficient_dataloader
from loaderlab.scripts.images import synthetic
from loaderlab.scripts.packing import pack

EPOCHS, STEPS = 3, 8  # 61 images, 8 in a batch


@pytest.fixture(scope="module", params=["packed file", "shards"])
def make(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Any]:
    place = tmp_path_factory.mktemp("images")
    folder = synthetic(place / "images", 61, 60, 50)
    if request.param == "shards":
        pytest.importorskip("webdataset")
        from loaderlab.scripts import shards, webdataset_loader

        shards.write(folder, place / "shards", 4)
        return lambda: webdataset_loader.loader(place / "shards", 8, size=32, workers=2, buffer=9)
    pack(folder, place / "p")
    return lambda: efficient_dataloader.loader(place / "p", 8, size=32, workers=2)


def sums(batches: Any) -> list[int]:
    return [int(images.long().sum()) for images, _labels in batches]


def test_an_epoch_that_is_set_after_its_loop_began_counts_its_batches(make: Callable[[], Any]) -> None:
    batches, other = make(), make()  # so does Lightning
    setter = getattr(batches, "batch_sampler", batches)
    loop = iter(batches)
    setter.set_epoch(0)
    came = [next(loop) for _step in range(3)]
    other.load_state_dict(batches.state_dict())
    assert len(sums(other)) == STEPS - 3 and sums(came) == sums(make())[:3]
    assert len(list(loop)) == STEPS - 3 and batches.state_dict()["epoch"] == 1


@pytest.mark.long
@pytest.mark.parametrize("stop", [3, 8, 11])
@pytest.mark.filterwarnings("ignore")
def test_lightning_goes_on_with_the_next_batch(make: Callable[[], Any], stop: int, tmp_path: Path) -> None:
    lightning = pytest.importorskip("pytorch_lightning")

    class Module(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.seen = torch.nn.Linear(1, 1), []

        def training_step(self, batch: Any, _number: int) -> torch.Tensor:
            self.seen.append(int(batch[0].long().sum()))
            return self.layer(batch[0].float().mean().view(1, 1)).sum()

        def on_train_batch_end(self, *_given: Any) -> None:
            if len(self.seen) == stop:
                self.trainer.save_checkpoint(tmp_path / "checkpoint")

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), 0.0)

    def trained(checkpoint: Path | None = None) -> list[int]:
        module = Module()
        trainer = lightning.Trainer(
            max_epochs=EPOCHS,
            accelerator="cpu",
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            default_root_dir=tmp_path,
            use_distributed_sampler=False,
        )
        trainer.fit(module, make(), ckpt_path=checkpoint, weights_only=False)
        return module.seen

    whole = trained()
    assert len(whole) == EPOCHS * STEPS and trained(tmp_path / "checkpoint") == whole[stop:]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_accelerate_saves_and_loads_a_loader_that_is_registered(
    make: Callable[[], Any], tmp_path: Path
) -> None:
    accelerate = pytest.importorskip("accelerate")
    saving, loading = accelerate.Accelerator(cpu=True), accelerate.Accelerator(cpu=True)
    batches, other = make(), make()
    saving.register_for_checkpointing(batches)
    loading.register_for_checkpointing(other)
    whole = sums(make())
    for step, _batch in enumerate(batches, 1):
        if step == 3:
            saving.save_state(str(tmp_path / "state"))
            break
    loading.load_state(str(tmp_path / "state"))
    assert sums(other) == whole[3:]
