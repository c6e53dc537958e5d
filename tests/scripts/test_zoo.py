"""`diagnose` names what is wrong with each loader of the zoo, and advises nothing where nothing is."""

from __future__ import annotations

import pytest
import torch

from loaderlab.scripts.diagnose import diagnose
from loaderlab.scripts.diagnosis.decision import QUIET
from zoo.slow import HEALTHY, SICK

pytestmark = [pytest.mark.long, pytest.mark.serial]


@pytest.mark.parametrize("name", SICK)
def test_what_slows_it_down_is_named_first(name: str) -> None:
    animal = SICK[name]
    if animal.expected == "pinned_for_nothing" and torch.cuda.is_available():
        pytest.skip("there is an accelerator")
    found = diagnose(animal.loader(), animal.stepping, animal.seconds)
    noisy = found.evidence.share < QUIET and found.name == "too_noisy"
    assert noisy or found.name == animal.expected, str(found)


@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_is_advised_for_a_healthy_one(name: str) -> None:
    animal = HEALTHY[name]
    found = diagnose(animal.loader(), animal.stepping, animal.seconds)
    noisy = found.evidence.share < QUIET and found.name == "too_noisy"
    assert noisy or (found.name == animal.expected and not any(f.change for f in found.findings)), str(found)
