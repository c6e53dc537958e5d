"""Of several notebooks one counts; lessons and exercises count as much as their weights say."""

from __future__ import annotations

import json
import os
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from loaderlab import course
from loaderlab.exercises.exercise import Verdict
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.teaching.grading import record, weights
from loaderlab.teaching.grading.grade import Grade, Result
from loaderlab.teaching.grading.record import records
from loaderlab.teaching.grading.submission import Submission, find

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="A class is graded in WSL there.")


def result(lesson: str, *points: int, **fields: object) -> Result:
    """Anna's notebook, with these points for the first exercises and 0 for the others."""
    exercises = course.lesson(lesson).exercises()
    reached = [*points, *[0] * len(exercises)]
    grades = [
        Grade(name, Verdict(mine, one.points, ""), "graded")
        for mine, (name, one) in zip(reached, exercises.items(), strict=False)
    ]
    one = Submission("anna", f"{lesson}.ipynb", lesson)
    return Result(replace(one, **fields), tuple(grades))


def top(lesson: str) -> list[int]:
    return [one.points for one in course.lesson(lesson).exercises().values()]


FULL = result("workers", *top("workers"))


def test_the_best_of_several_counts_or_the_last_by_time_then_by_the_number_of_the_copy():
    old = replace(FULL, submission=replace(FULL.submission, changed=1.0))
    new = result("workers", 1, changed=2.0, file="01_workers-9.ipynb")
    copy = result("workers", 0, changed=2.0, file="01_workers-10.ipynb")
    (best,) = records([new, old, copy])
    (last,) = records([old, copy, new], keep="last")
    assert best.counted == {"workers": old} and last.counted == {"workers": copy}
    assert "the best" in best.remarks[0] and "the last" in last.remarks[0]
    assert records([old])[0].remarks == ()


def test_when_a_file_was_changed_is_known_in_folders_and_in_zip_files(root, tmp_path: Path):
    text = (root / "notebooks/01_workers.ipynb").read_text("utf-8")
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("anna/01_workers.ipynb", (2026, 11, 20, 9, 0, 0)), text)
        archive.writestr(zipfile.ZipInfo("ben/01_workers.ipynb", (2026, 0, 0, 0, 0, 0)), text)
    (tmp_path / "carla.ipynb").write_text(json.dumps({}))
    os.utime(tmp_path / "carla.ipynb", (5, 7))
    changed = {one.student: one.changed for one in find([tmp_path])}
    assert changed["carla"] == 7 and changed["ben"] == 0 and changed["anna"] > 1_700_000_000


def test_without_weights_every_point_counts_alike():
    half = result("workers", *top("workers")[:2])
    (record,) = records([half])
    assert weights.EQUAL.total(["workers"], record.counted) == pytest.approx(half.points / half.maximum)
    both = weights.EQUAL.total(["workers", "warps"], records([FULL])[0].counted)
    assert both == pytest.approx(sum(top("workers")) / (sum(top("workers")) + sum(top("warps"))))


def test_lessons_count_as_weighed_and_exercises_within_their_lesson():
    (record,) = records([FULL, result("warps", 1)])
    warps = 1 / sum(top("warps"))
    weighed = weights.read("workers=40, warps=60")
    assert weighed.total(["workers", "warps"], record.counted) == pytest.approx(0.4 + 0.6 * warps)
    only = weights.read("text_batches=3,best_rows=0,choose_batch_size=0")
    assert only.share("warps", record.counted["warps"]) == pytest.approx(1 / top("warps")[0])
    nothing = weights.read("workers=0,warps=0")
    assert nothing.total(["workers", "warps"], record.counted) == 0


def test_a_lesson_without_a_weight_beside_one_with_is_asked_for():
    with pytest.raises(LabError, match="No weight for warps"):
        weights.read("workers=1").expect(["workers", "warps"])
    weights.read("portable=2").expect(["workers", "warps"])
    weights.EQUAL.expect(["workers"])


@pytest.mark.parametrize(
    "text", ["worker=1", "workers", "workers=x", "workers=-1", "workers=nan", "workers=1,workers=2"]
)
def test_what_is_no_weight_is_refused(text):
    with pytest.raises(LabError, match="is no weight"):
        weights.read(text)


def test_the_table_of_students_has_per_cent_as_the_language_writes_it():
    results = [FULL, result("warps", 1)]
    weighed = weights.read("workers=1,warps=1,text_batches=2")
    for code, mark in (("en", "."), ("fr", ","), ("pl", ",")):
        language.use(code)
        heading, row = record.rows(results, weighed)
        percent = dict(zip(heading, row, strict=True))["percent"]
        share = 2 / (sum(top("warps")) + top("warps")[0])
        assert percent == f"{50 + 50 * share:.1f}".replace(".", mark)
    assert f"03_warps text_batches (/{top('warps')[0]}, ×2)" in heading
    assert f"01_workers (/{sum(top('workers'))}, ×1)" in heading
