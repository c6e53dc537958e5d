"""How `diagnose` tells what it found, in each language."""

from __future__ import annotations

import pytest

from loaderlab.i18n.language import speaking
from loaderlab.scripts.diagnosis.evidence import Evidence
from loaderlab.scripts.diagnosis.finding import Finding, Row
from loaderlab.scripts.diagnosis.kinds import slowness
from loaderlab.scripts.diagnosis.report import Diagnosis
from loaderlab.scripts.diagnosis.trial import Tried

ROWS = (
    Row("a", 1.5, "MiB"),
    Row("b", 412.5, "samples/s"),
    Row("c", 97, "%"),
    Row("d", 0.52, "ms"),
    Row("e", 2.97, "×"),
    Row("f", 12, "s"),
    Row("g", 3),
)
WRITTEN = {
    "en": ["1.50 MiB", "412.5 samples/s", "97 %", "0.52 ms", "2.97 ×", "12 s", "3"],
    "fr": ["1,50 Mio", "412,5 échantillons/s", "97 %", "0,52 ms", "2,97 ×", "12 s", "3"],
    "pl": ["1,50 MiB", "412,5 próbek/s", "97%", "0,52 ms", "2,97 ×", "12 s", "3"],
}


@pytest.mark.parametrize("language", WRITTEN)
def test_units_are_written_as_the_language_writes_them(language: str) -> None:
    with speaking(language):
        lines = str(Diagnosis((Finding(slowness.step_limit, "", ROWS),), Evidence())).splitlines()
    rows = [line.split("  ", 1)[1].strip() for line in (line.strip() for line in lines) if line[1:3] == "  "]
    assert [row.replace("\u00a0", " ") for row in rows] == WRITTEN[language]
    if language != "en":
        assert all("\u00a0" in row for row in rows[:2]), "a unit does not stand alone on a line"


def test_what_was_tried_without_a_prediction_is_told_without_one() -> None:
    tried = Tried("any", (("num_workers", 2),), None, 96.0, 289.0)
    with speaking("en"):
        said = str(Diagnosis((Finding(slowness.step_limit, ""),), Evidence(), (tried,)))
    assert said.endswith("Tried: num_workers=2. Before 96, measured 289 samples/s.")
