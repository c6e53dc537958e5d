"""How `diagnose` tells what it found, in each language."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import pytest

from loaderlab.i18n.language import speaking
from loaderlab.scripts.diagnosis import picture
from loaderlab.scripts.diagnosis.clock import Taken
from loaderlab.scripts.diagnosis.decision import decide
from loaderlab.scripts.diagnosis.evidence import Evidence
from loaderlab.scripts.diagnosis.finding import Cost, Finding, Row, Tried
from loaderlab.scripts.diagnosis.kinds import fault, slowness
from loaderlab.scripts.diagnosis.report import Diagnosis
from loaderlab.scripts.words import translate as _
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

SIX = (("num_workers", 6),)


@pytest.mark.parametrize("language", WRITTEN)
def test_units_are_written_as_the_language_writes_them(language: str) -> None:
    with speaking(language):
        lines = (
            Diagnosis((Finding("", ROWS, kind=slowness.step_limit),), Evidence())
            .text(everything=True)
            .splitlines()
        )
    rows = [line.split("  ", 1)[1].strip() for line in (line.strip() for line in lines) if line[1:3] == "  "]
    assert [row.replace("\u00a0", " ") for row in rows] == WRITTEN[language]
    if language != "en":
        assert all("\u00a0" in row for row in rows[:2]), "a unit does not stand alone on a line"


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (Cost(120.0), "You lose up to 120 samples/s: 162 now, at most 282 once this is mended."),
        (Cost(0.0), "This costs no time."),
        (Cost(0.0, 0.2), "If this goes on, memory will be full in 12 min."),
        (Cost(0.0, 7.0), "If this goes on, memory will be full in 7 h."),
    ],
)
def test_the_cost_of_a_finding_is_told_in_a_sentence(cost: Cost, said: str) -> None:
    with speaking("en"):
        finding = Finding("It computes.", kind=slowness.computing, cost=cost)
        for told in (str(Diagnosis((finding,), GOOD)), Diagnosis((finding,), GOOD)._repr_html_()):
            assert said in told
        free = replace(GOOD, has_step=False)
        assert "which was not given" in str(Diagnosis((replace(finding, cost=Cost()),), free))
        wrong = str(Diagnosis((Finding("They repeat.", kind=fault.repeated_draws),), GOOD))
        assert "This costs no time, but what the model learns" in wrong


@pytest.mark.parametrize(
    ("tried", "said"),
    [
        (Tried(SIX, (470.0, 474.0), (1330.0, 1348.0)), "Tried: num_workers=6. Before 470–474, after 1330–1348 samples/s."),
        (Tried(SIX, (4.02, 4.03), (9.5, 8.1)), "Before 4.0, after 8.1–9.5 samples/s."),
        (Tried(SIX, (), (12.0,)), "Tried: num_workers=6. It works, with 12 samples/s."),
        (Tried(SIX, (1.0,), (0.0,), "OSError: no"), "Tried: num_workers=6. It does not work: OSError: no"),
    ],
)  # fmt: skip
def test_what_was_tried_is_told_with_its_spread_whether_it_is_advised_or_not(tried: Tried, said: str) -> None:
    finding = Finding(
        "Too few.", kind=slowness.too_few_workers, changes=SIX, tried=tried, advice="Call `draft`."
    )
    with speaking("en"):
        for told in (Diagnosis((finding,), GOOD), Diagnosis((finding,), replace(GOOD, tried=(tried,)))):
            assert str(told).count(said) == told._repr_html_().count(said) == 1
        besides = Diagnosis((replace(finding, tried=None),), replace(GOOD, tried=(tried,)))
        assert said in str(besides) and said in besides._repr_html_()
        assert "You lose" not in str(Diagnosis((replace(finding, cost=Cost(9.0)),), GOOD)) or tried.gain <= 1


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


def test_no_edit_of_the_loading_is_said_to_beat_the_limit() -> None:
    for evidence in LOOPS:
        line = picture.limit(evidence)
        # A change of the step moves the limit.
        for one in decide(evidence) if evidence.has_step else ():
            if line and one.cost.samples and one.kind not in (slowness.padding, slowness.uneven_steps):
                rate = evidence.expected_rate + one.cost.samples
                assert rate * line.seconds <= 1.001 * evidence.costs.batch_size


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
    tried = Tried(SIX, (1.0, 1.2), (2.5, 2.6))
    first, *others = decide(CASES[name])
    said = json.loads(Diagnosis((replace(first, tried=tried), *others), CASES[name]).json())
    assert said["findings"][0]["tried"]["gain"] == pytest.approx(2.3, abs=0.1)
    jsonschema.Draft202012Validator(schema).validate(said)
    del said["findings"][0]["cost"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(said)


@pytest.mark.parametrize("language", WRITTEN)
@pytest.mark.parametrize("name", CASES)
def test_a_report_has_25_lines_and_the_answer_first(name: str, language: str) -> None:
    with speaking(language):
        found = decide(CASES[name])
        where = Row(_("where"), "90 % in decode(self.paths[index]), train.py:12")
        tried = Tried(SIX, (1.0, 1.1), (2.5, 2.6))
        first = replace(found[0], evidence=(*(Row(str(n), n) for n in range(9)), where), tried=tried)
        others = (
            *found[1:],
            *(Finding(f"{n} " + "and more " * 30, kind=slowness.computing) for n in range(9)),
        )
        whole = Diagnosis((first, *others), replace(CASES[name], tried=(tried,)))
        lines = str(whole).splitlines()
        assert len(lines) <= 25 and lines[0].startswith(f"1. {first.sentence[:40]}"), str(whole)
        code = {f"   {line}" for line in (first.change or "").splitlines()}
        assert all(len(line) <= 100 for line in lines if line not in code)
        assert any("train.py:12" in line for line in lines) and "num_workers=6" in str(whole)
        assert "--all" in lines[-1] and len(whole.text(everything=True).splitlines()) > 25


def test_a_finding_is_said_once() -> None:
    one, other = (
        Finding("It computes.", kind=slowness.computing),
        Finding("They repeat.", kind=fault.repeated_draws),
    )
    told = Diagnosis((one, other, replace(one, change="DataLoader(..., in_order=False)")), GOOD)
    with speaking("en"):
        for said in (str(told), told._repr_html_()):
            assert said.count("It computes.") == said.count("They repeat.") == 1
            assert said.index("It computes.") < said.index("They repeat.")
        assert told.text(everything=True).count("It computes.") == 2
