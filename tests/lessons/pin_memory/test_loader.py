"""What lesson 2 says of PyTorch's own loader: what `pin_memory=True` does without a GPU, and what its thread looks into."""

import warnings
from types import SimpleNamespace

import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data._utils.pin_memory import pin_memory


def test_the_loader_pins_or_warns_and_leaves_its_batch_on_the_cpu():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (batch,) = next(iter(DataLoader(TensorDataset(torch.zeros(8, 3)), batch_size=4, pin_memory=True)))
    warned = any("'pin_memory' argument" in str(each.message) for each in caught)
    assert batch.device.type == "cpu" and batch.is_pinned() != warned


def test_containers_are_looked_into_and_objects_are_asked_for_their_method_only():
    asked = []

    class Noting:
        def __init__(self, name):
            self.name = name

        def pin_memory(self):
            asked.append(self.name)
            return self

    class Forgetful:
        def pin_memory(self):
            pass

    sealed = SimpleNamespace(field=Noting("d"))
    batch = {"image": Noting("a"), "boxes": [Noting("b"), (Noting("c"), "text")], "extra": sealed}
    assert pin_memory(batch)["extra"] is sealed and asked == ["a", "b", "c"]
    assert pin_memory([Forgetful()]) == [None]
