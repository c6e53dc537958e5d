"""How `diagnose` tells what it found, in each language."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import pytest

from loaderlab.i18n.language import speaking
from loaderlab.scripts.diagnosis.decision import decide
from loaderlab.scripts.diagnosis.evidence import Evidence
from loaderlab.scripts.diagnosis.finding import Cost, Finding, Rate, Row
from loaderlab.scripts.diagnosis.kinds import fault, slowness
from loaderlab.scripts.diagnosis.report import Diagnosis
from loaderlab.scripts.diagnosis.trial import Tried
from places import ROOT
from zoo.evidence import CASES, GOOD

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


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (Cost(120.0), "Costs up to 120 samples/s; the loop now reaches"),
        (Cost(0.0), "Costs no time."),
        (Cost(0.0, 0.2), "If it goes on, the memory ends in 12 min."),
        (Cost(0.0, 7.0), "If it goes on, the memory ends in 7 h."),
    ],
)
def test_the_cost_of_a_finding_is_told_in_a_sentence(cost: Cost, said: str) -> None:
    with speaking("en"):
        finding = Finding(slowness.computing, "It computes.", cost=cost)
        for told in (str(Diagnosis((finding,), GOOD)), Diagnosis((finding,), GOOD).html()):
            assert said in told
        free = replace(GOOD, has_step=False)
        assert "which was not given" in str(Diagnosis((replace(finding, cost=Cost()),), free))
        wrong = str(Diagnosis((Finding(fault.repeated_draws, "They repeat."),), GOOD))
        assert "Costs no time: what the model learns" in wrong


@pytest.mark.parametrize("name", CASES)
def test_what_a_program_reads_is_as_the_schema_says(name: str) -> None:
    schema = json.loads((ROOT / "docs" / "diagnose.schema.json").read_text("utf-8"))
    tried = (
        Tried("any", (("num_workers", 2),), Rate(3.0, 2.0, 4.0), 1.0, 2.5),
        Tried("any", (("in_order", False),), None, 1.0, 0.0, "TypeError: no"),
    )
    said = json.loads(Diagnosis(tuple(decide(CASES[name])), CASES[name], tried).json())
    jsonschema.Draft202012Validator(schema).validate(said)
    del said["findings"][0]["cost"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(said)
