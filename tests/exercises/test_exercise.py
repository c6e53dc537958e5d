"""Answers of every bad kind get a clear sentence; an untouched one gets no error; a hint comes one at a time."""

import contextlib
import signal
import time
from statistics import median

import pytest

from loaderlab.exercises import expect
from loaderlab.exercises.criterion import Criterion
from loaderlab.exercises.exercise import Exercise, verdict
from loaderlab.exercises.probing import Probe, Unplain, collect, plain
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.notebook import session
from loaderlab.notebook.scorecard import score
from loaderlab.notebook.session import check, hint


def exercise(probe=lambda answer: answer(2), kind="function", seconds=1.0):
    doubles = Criterion(
        says="doubles", look=lambda e: expect.true(e == 4, "4", str(e)), hint="a hint", points=2
    )
    return Exercise(
        name="double", kind=kind, run=probe, seconds=seconds, criteria=(doubles,), difficulty=1, minutes=1
    )


def outcome(answer, **options):
    return verdict(exercise(**options), collect(exercise(**options).probe, answer))


def unsolved(x):
    raise NotImplementedError


def forever(x):
    while True:
        with contextlib.suppress(Exception):
            time.sleep(0.01)


def raises(x):
    raise ValueError("boom")


def test_right_wrong_and_untouched(english):
    assert outcome(lambda x: 2 * x).points == 2
    assert outcome(lambda x: x).points == 0
    untouched = outcome(unsolved)
    assert untouched.points == 0 and not untouched.attempted and "Not attempted yet" in untouched.message


@pytest.mark.parametrize("found", [0, None, 4])
def test_a_count_is_wrong_whatever_else_it_is(found):
    (miss,) = expect.count("{count} batches", found, 3)
    assert (miss.expected, miss.got) == ("3 batches", f"{found} batches")
    assert list(expect.count("{count} batches", 3, 3)) == []


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Asks the timer of POSIX.")
def test_what_a_probe_imports_takes_none_of_the_answers_time(tmp_path, monkeypatch):
    (tmp_path / "slow_to_import.py").write_text(
        "import signal; LEFT, _ = signal.getitimer(signal.ITIMER_REAL)"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def run(answer):
        import slow_to_import

        return slow_to_import.LEFT, signal.getitimer(signal.ITIMER_REAL)[0]

    before, then = collect(Probe("any", "function", run, imports=("slow_to_import",)), forever)["evidence"]
    assert before == 0 < then


@pytest.mark.parametrize("code", language.LANGUAGES)
@pytest.mark.parametrize(
    ("answer", "shows"),
    [(3, "int"), (forever, "1 s"), (raises, "ValueError: boom"), (lambda x: object(), "object")],
)
def test_an_answer_that_cannot_be_judged_is_told_why_in_the_readers_language(answer, shows, code):
    language.use("en")
    english_message = outcome(answer).message
    language.use(code)
    result = outcome(answer)
    assert result.points == 0 and shows.replace(" ", "") in result.message.replace("\u00a0", "").replace(
        " ", ""
    )
    assert (result.message == english_message) == (code == "en")


def test_time_limit_leaves_no_alarm_behind(english):
    outcome(lambda x: 2 * x, seconds=0.2)
    time.sleep(0.4)  # an alarm that was left would end this process


def test_only_plain_values_are_evidence():
    import numpy
    import torch

    assert plain({"a": (numpy.int64(1), torch.tensor(2.0), [None, True])}) == {"a": [1, 2.0, [None, True]]}

    class EqualToAll:
        def __eq__(self, other):
            return True

    with pytest.raises(Unplain):
        plain(EqualToAll())


def test_points_add_up_and_hints_come_in_turn(english):
    def best(table, tolerance):
        enough = (1 - tolerance) * max(map(median, table.values()))
        return min(workers for workers, rates in table.items() if median(rates) >= enough)

    session.begin("workers")
    check("choose_num_workers", lambda throughputs, tolerance: 0)
    check("choose_num_workers", best)
    lines = repr(score()).splitlines()
    assert "choose_num_workers: 4/4" in lines and "Total: 4/22" in lines
    first, second = hint("choose_num_workers"), hint("choose_num_workers")
    assert first.startswith("Hint 1 of 2.") and second.startswith("Hint 2 of 2.")
    assert hint("choose_num_workers") == first


@pytest.mark.parametrize("code", language.LANGUAGES)
def test_unknown_names_are_answered_with_the_known_ones(code):
    with pytest.raises(LabError, match=", ".join(language.LANGUAGES)):
        session.begin("workers", language="xx")
    language.use(code)
    with pytest.raises(LabError, match="nonsense.*workers"):
        session.begin("nonsense", language=code)
    session.begin("workers", language=code)
    with pytest.raises(LabError, match="nonsense.*portable"):
        check("nonsense", None)
    with pytest.raises(LabError, match="nonsense.*timeline"):
        session.explore("nonsense")
    from loaderlab.notebook.diagrams import diagram

    with pytest.raises(LabError, match="nonsense.*workers_round_robin"):
        diagram("nonsense")
