"""A small network on images, and a step of its training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def training_step(device: str) -> Callable[[Any], None]:
    """Return a step of a small convolutional net, which ends when the device has finished; this process then has one thread."""
    torch.set_num_threads(1)  # as in each worker
    net = torch.nn.Sequential(
        torch.nn.Conv2d(3, 32, 5, stride=4),
        torch.nn.ReLU(),
        torch.nn.Conv2d(32, 64, 3, stride=2),
        torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(),
        torch.nn.Linear(64, 10),
    ).to(device)
    optimiser = torch.optim.SGD(net.parameters(), lr=0.01)

    def step(batch: Any) -> None:
        images, labels = (part.to(device, non_blocking=True) for part in batch)
        loss = torch.nn.functional.cross_entropy(net(images.float() / 255), labels)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if device == "cuda":
            torch.cuda.synchronize()  # else the computation would be counted as waiting

    return step
