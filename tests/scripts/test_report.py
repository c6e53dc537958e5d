"""How `diagnose` tells what it found, in each language."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import pytest

from loaderlab.i18n.language import speaking
from loaderlab.scripts.diagnosis import picture
from loaderlab.scripts.diagnosis.clock import Taken
from loaderlab.scripts.diagnosis.decision import decide, expected_rate
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
        (Cost(120.0), "You lose up to 120 samples/s: now 162, then at most 282."),
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


def test_what_a_change_brings_is_told_from_now_to_then() -> None:
    """Of whole epochs, as it is predicted: the rate of the loop while it runs is another one where workers start again."""
    slow = CASES["restarted_workers"]
    (finding,) = (one for one in decide(slow) if one.name == "restarted_workers")
    now, then = expected_rate(slow), finding.predicted.rate if finding.predicted else 0.0
    assert now < 0.9 * slow.rate
    with speaking("en"):
        said = str(Diagnosis((finding,), slow))
    assert f"You lose about {then - now:.0f} samples/s: now {now:.0f}, then {then:.0f}." in said


def test_advice_of_which_nothing_is_predicted_stands_apart_from_the_prediction() -> None:
    finding = Finding(
        slowness.too_few_workers, "Too few.", predicted=Rate(3.0, 2.0, 4.0), advice="Call `draft`."
    )
    with speaking("en"):
        told = str(Diagnosis((finding,), GOOD))
        page = Diagnosis((finding,), GOOD).html()
        alone = str(Diagnosis((replace(finding, predicted=None),), GOOD))
    assert "(2 to 4).\n\n   Not in this prediction: Call `draft`." in told
    assert page.index("(2 to 4)") < page.index("Not in this prediction: Call <code>draft</code>.")
    assert "   Call `draft`." in alone


# The loop as it is, slower than its parts explain, and faster than each of them.
LOOPS = [
    replace(evidence, rates=tuple(factor * rate for rate in evidence.rates), wait=wait, **step)
    for evidence in (*CASES.values(), replace(CASES["computing"], one_thread=Taken(0.9), workers=0))
    for factor in (1.0, 0.3, 40.0)
    for wait in (evidence.wait, 0.95)
    for step in ({}, {"has_step": False})
]


def test_no_loop_is_faster_than_the_limit_that_is_drawn_for_it() -> None:
    drawn = 0
    with speaking("en"):
        for evidence in LOOPS:
            line, loop = picture.limit(evidence), picture.bars(evidence)[-1]
            said = picture.text(evidence), picture.svg(evidence)
            assert ["limit" in text for text in said] == [line is not None] * 2
            if line:
                drawn += 1
                assert line.seconds <= loop.seconds
    assert 0.5 * len(LOOPS) < drawn < len(LOOPS)


def test_no_change_of_the_loading_is_predicted_to_beat_the_limit() -> None:
    for evidence in LOOPS:
        line = picture.limit(evidence)
        # A change of the step moves the limit.
        for one in decide(evidence) if evidence.has_step else ():
            if line and one.predicted and one.kind is not slowness.padding:
                assert one.predicted.rate * line.seconds <= 1.001 * evidence.costs.batch_size


def test_the_limit_is_the_step_alone_and_without_one_what_all_cores_could_load() -> None:
    with speaking("en"):
        step = CASES["too_few_workers"]  # a step of 5 ms, and batches of 51 ms by two workers
        assert "limit: the step alone 5.0 ms" in picture.text(step)
        # Measured beside other programs, it took longer alone than in the loop.
        slow = replace(step, costs=replace(step.costs, step=Taken(0.0, 10.0)))
        line = picture.limit(slow)
        assert line and line.seconds == pytest.approx((1 - slow.wait) * slow.batch_seconds)
        loading = replace(step, has_step=False)  # 51 ms on 4 cores
        assert "limit: all cores, loading only 12.8 ms" in picture.text(loading)
        fighting = replace(loading, workers=0, one_thread=Taken(0.020))
        assert "limit: all cores, loading only 5.0 ms" in picture.text(fighting)


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
