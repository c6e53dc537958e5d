"""What a page asks of Python: with the zip that it takes into the browser and nothing else, as here with everything."""

from __future__ import annotations

import io
import zipfile
from itertools import groupby
from typing import Any

import pytest

from answers import Answer, answers, solution
from loaderlab import course
from loaderlab.course.markup import plain
from loaderlab.i18n.language import LANGUAGES, speaking
from loaderlab.notebook.card import Card
from loaderlab.publish.activity import given
from loaderlab.publish.notebook import read
from places import ROOT
from service import ask, zipped

EXERCISE = ("workers", "choose_num_workers")
EXPLORER = {"kind": "explorer", "scene": "timeline", "values": {"load_ms": 40}, "asks": False, "texts": []}
CARD = {"kind": "card", "prediction": "wait", "question": "", "stored": [17, 1], "stamp": "Here, today."}


def begin(about: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"ask": "begin", "lesson": "workers", "part": "it", "about": about | more}


def receive(about: dict[str, Any], **message: Any) -> dict[str, Any]:
    return {"ask": "receive", "lesson": "workers", "part": "it", "about": about, "message": message}


def check(answer: Answer) -> dict[str, Any]:
    lesson = course.lesson(answer.lesson)
    before = given(read(ROOT / "notebooks" / f"{lesson.file}.ipynb"))
    about = {"lesson": answer.lesson, "exercise": answer.exercise, "text": answer.text}
    return {"ask": "check", **about, "given": before}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_scene_is_drawn_in_a_page_as_it_is_here(language: str) -> None:
    scenes = [(lesson, scene) for lesson in course.lessons() for scene in lesson.scenes().values()]
    same = {"ask": "begin", "part": "it"}
    asked = [
        {**same, "lesson": lesson.name, "about": EXPLORER | {"scene": scene.name, "values": {}}}
        for lesson, scene in scenes
    ]
    for (lesson, scene), found in zip(scenes, ask(language, *asked), strict=True):
        with speaking(language, lesson.folder):
            here = scene.draw(**scene.defaults)
        assert (found["picture"], found["alt"]) == (here.svg, plain(here.text)), (lesson.name, scene.name)


def test_a_knob_is_followed_and_a_link_is_read() -> None:
    first, moved, linked = ask(
        "en",
        begin(EXPLORER),
        receive(EXPLORER, event="move", name="num_workers", value=5, slider=True),
        begin(EXPLORER, link={"num_workers": "5", "cores": "99", "in_order": "false", "unknown": "1"}),
    )
    assert first["values"]["num_workers"] == 1 and first["values"]["load_ms"] == 40
    assert moved["values"]["num_workers"] == 5 and moved["picture"] != first["picture"]
    assert linked["values"] == first["values"] | {"num_workers": 5, "cores": 16, "in_order": False}


def test_a_link_that_is_none_is_said_and_what_begins_again_goes_on() -> None:
    wrong, moved = ask(
        "en",
        begin(EXPLORER, link={"num_workers": "many"}),
        receive(EXPLORER, event="move", name="num_workers", value=2),
    )
    assert "'many'" in wrong["error"]
    assert moved["values"]["num_workers"] == 2


def test_an_explorer_of_a_page_has_nothing_to_measure_with() -> None:
    (found,) = ask("en", begin(EXPLORER))
    assert [button["event"] for button in found["buttons"]] == ["reset"]


def test_a_result_waits_for_the_bet_or_for_who_asks() -> None:
    first, refused, bet, again, shown = ask(
        "en",
        begin(CARD),
        receive(CARD, event="bet", texts=["much", "1"]),
        receive(CARD, event="bet", texts=["16", "1"]),
        begin(CARD),
        receive(CARD, event="show"),
    )
    assert first["result"] == "" and refused["error"] is True and not {"result", "guess"} & refused.keys()
    assert bet["guess"] == [16, 1] and "17 ms" in bet["result"] and "Here, today." in bet["result"]
    assert again["result"] == ""
    assert "17 ms" in shown["result"] and "guess" not in shown


def test_a_bet_of_the_other_day_stands_there_with_its_result() -> None:
    (found,) = ask("en", begin(CARD, guess=[16, 1]))
    assert [field["text"] for field in found["fields"]] == ["16", "1"] and "17 ms" in found["result"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_right_and_a_wrong_answer_get_the_card_that_they_get_here(language: str) -> None:
    wrong = next(answer for answer in answers(*EXERCISE) if not answer.right)
    good, bad = ask(language, check(solution(*EXERCISE)), check(wrong))
    judge = course.lesson(EXERCISE[0]).exercises()[EXERCISE[1]]
    assert good["points"] == judge.points > bad["points"] and not good["advice"] and bad["advice"]
    with speaking(language, course.lesson(EXERCISE[0]).folder):
        assert bad["card"] == Card(wrong.verdict(language))._repr_html_()


def test_rubbish_is_told_and_harms_nothing() -> None:
    texts = {
        "def choose_num_workers(:": "SyntaxError",
        "1 / 0": "ZeroDivisionError",
        "import sys; sys.exit(3)": "SystemExit",
        "choose = 1": "`choose_num_workers` is not defined",
        "choose_num_workers = 3": "",
    }
    questions = [check(solution(*EXERCISE)) | {"text": text} for text in texts]
    *found, last = ask("en", *questions, check(solution(*EXERCISE)))
    for told, answer in zip(texts.values(), found, strict=True):
        assert told in answer["printed"] and answer["points"] == 0
        assert "answer_cell" not in answer["printed"] and bool(answer["card"]) == (not told)
    assert last["points"] > 0


@pytest.mark.parametrize(
    ("ran", "told"),
    [
        ("[]", "cannot be read"),
        ("never", "cannot be read"),
        ('{"printed": "", "collected": {"status": "probed", "evidence": "mine"}}', "cannot be read"),
        ('{"printed": "", "collected": {"status": "right"}}', "cannot be read"),
        ('{"printed": "", "points": 99, "card": "<b>99</b>"}', ""),
    ],
)
def test_an_answer_that_writes_what_was_found_of_it_gets_no_verdict_by_that(ran: str, told: str) -> None:
    asked = {name: value for name, value in check(solution(*EXERCISE)).items() if name != "ask"}
    (found,) = ask("en", {"ask": "judge", **asked, "ran": ran})
    assert told in found.get("error", "") and not found.get("points") and not found.get("card")


def test_what_no_browser_has_is_told_and_gets_no_card_but_a_right_answer_that_does_without_gets_its_points() -> (
    None
):
    head = f"def {EXERCISE[1]}(throughputs, tolerance=0.05):\n"
    texts = {
        "numpy": "import numpy as np",
        "torch": f"{head}    return torch.tensor(list(throughputs))",
        "DataLoader": f"{head}    return len(DataLoader(throughputs))",
        "": f"{head}    return throughout",  # a slip of the learner's own
    }
    right = f"try:\n    import numpy\nexcept ImportError:\n    print(repr(numpy := None))\n{solution(*EXERCISE).text}"
    *found, last = ask(
        "en", *(check(solution(*EXERCISE)) | {"text": text} for text in [*texts.values(), right])
    )
    for name, each in zip(texts, found, strict=True):
        assert (f": {name}." in each["lacks"] and not each["card"]) if name else "0/" in each["card"]
    assert last["points"] and not last.get("lacks")


def test_what_an_answer_prints_is_shown() -> None:
    text = f"print('seen')\n{solution(*EXERCISE).text}"
    (found,) = ask("en", check(solution(*EXERCISE)) | {"text": text})
    assert found["printed"] == "seen\n"


def test_hints_go_up_a_ladder_and_begin_again() -> None:
    hints = course.lesson(EXERCISE[0]).hints()[EXERCISE[1]]
    asked = {"ask": "hint", "lesson": EXERCISE[0], "exercise": EXERCISE[1], "advice": ["Look there."]}
    count = len(hints) + 1
    found = [
        answer["says"] for answer in ask("en", *({**asked, "number": number} for number in range(count + 1)))
    ]
    assert "Look there." in found[1] and found[0].startswith(f"Hint 1 of {count}.") and found[-1] == found[0]
    assert len(set(found)) == count


def test_the_zips_are_small_and_the_same_from_the_same_sources() -> None:
    for language in LANGUAGES:
        names = zipfile.ZipFile(io.BytesIO(zipped(language))).namelist()
        assert len(zipped(language)) < 500_000
        assert {name.split("/")[3] for name in names if "/messages/" in name} == {language}
        assert not [
            name for name in names if "/scripts/" in name or "/teaching/" in name or "/publish/" in name
        ]
    zipped.cache_clear()
    assert [key for key, _group in groupby([zipped("fr"), zipped.__wrapped__("fr")])] == [zipped("fr")]
