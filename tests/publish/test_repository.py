"""The address of the repository: a placeholder that nobody can register, then the owner's, everywhere at once."""

from __future__ import annotations

import dataclasses
import re
import shutil
from pathlib import Path

import pytest
import yaml

from loaderlab.cli import main
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES
from loaderlab.publish import checkout, press, repository, review
from loaderlab.publish.checkout import KINDS, PLACEHOLDER, Checkout, address
from places import ROOT
from publish_course import Course

TEXTS = ("pyproject.toml", "CONTRIBUTING.md", "docs/hub.md", "CITATION.cff")
NEW = "https://github.com/some-one/the.course"


def placed(course: Course) -> Checkout:
    """The course at the placeholder, with texts that name it."""
    root = course.checkout.root
    shutil.copy(ROOT / "pyproject.toml", root)
    (root / "docs").mkdir(exist_ok=True)
    shutil.copy(ROOT / "CITATION.cff", root)
    for name in TEXTS[1:-1]:
        with (root / name).open("a", encoding="utf-8") as file:
            file.write(f"\ngit clone {PLACEHOLDER} && cd loader-lab\n")
    here = dataclasses.replace(course.checkout, repository=PLACEHOLDER, ref="v0.1.0")
    press.build(here, ["tiny"], say=lambda line: None)
    return here


def test_no_account_of_github_can_have_the_placeholder() -> None:
    assert "_" in PLACEHOLDER.split("/")[3]  # its names have letters, digits and single hyphens
    assert not checkout.is_address(PLACEHOLDER) and checkout.is_address(NEW)


def test_until_there_is_an_address_nothing_leads_to_it(course: Course) -> None:
    here = placed(course)
    for language in LANGUAGES:
        for kind in KINDS:
            text = here.notebook(course.lesson, language, kind).read_text("utf-8")
            assert not re.search(r"github\.com/\w", text) and "colab.research" not in text
            assert "(input(" in text


def test_one_command_puts_the_address_everywhere_and_runs_nothing(course: Course) -> None:
    before = placed(course)
    ran = list(course.ran)
    changed = repository.move(before, "some-one/the.course", "v1.0")
    assert set(changed) == {before.root / name for name in TEXTS}
    assert address(before.root / "pyproject.toml") == (NEW, "v1.0", "")
    after = dataclasses.replace(before, repository=NEW, ref="v1.0")
    press.build(after, ["tiny"], say=lambda line: None)
    assert course.ran == ran
    for language in LANGUAGES:
        for kind in KINDS:
            text = after.notebook(course.lesson, language, kind).read_text("utf-8")
            assert '(\\"some-one/the.course\\", \\"v1.0\\")' in text and "(input(" not in text
            assert "github/some-one/the.course/blob/v1.0/" in text
    texts = [Path(path) for path in course.files() if not path.endswith(".py")]
    assert not [path for path in texts if PLACEHOLDER.encode() in path.read_bytes()]
    assert f"git clone {NEW} && cd the.course" in (after.root / "README.fr.md").read_text("utf-8")
    # Once set, it can be set again.
    repository.move(after, "https://github.com/o/n.git", "v1.1")
    assert address(before.root / "pyproject.toml") == ("https://github.com/o/n", "v1.1", "")


def test_a_citation_has_an_address_as_soon_as_the_repository_has_one(course: Course) -> None:
    before = placed(course)
    file = before.root / "CITATION.cff"
    assert "github.com" not in file.read_text("utf-8")
    repository.move(before, "some-one/the.course", "v1.0")
    assert yaml.safe_load(file.read_text("utf-8"))["repository-code"] == NEW
    after = dataclasses.replace(before, repository=NEW, ref="v1.0")
    repository.move(after, "o/n", "v1.1")
    assert file.read_text("utf-8").count("repository-code") == 1
    assert yaml.safe_load(file.read_text("utf-8"))["repository-code"] == "https://github.com/o/n"


def test_a_website_is_named_by_whoever_publishes_it_and_goes_with_the_next_address(course: Course) -> None:
    before = placed(course)
    pyproject = before.root / "pyproject.toml"
    assert address(pyproject)[2] == ""
    repository.move(before, "some-one/the.course", "v1.0", "https://some-one.github.io/the.course/")
    assert address(pyproject)[2] == "https://some-one.github.io/the.course/"
    after = dataclasses.replace(before, repository=NEW, ref="v1.0")
    with pytest.raises(LabError, match="no address of a website"):
        repository.move(after, "o/n", "v1.0", 'http://x"')
    assert address(pyproject)[2] == "https://some-one.github.io/the.course/"
    repository.move(after, "o/n", "v1.0")
    assert address(pyproject)[2] == ""


def test_the_check_finds_a_text_that_kept_the_placeholder(course: Course) -> None:
    before = placed(course)
    repository.move(before, "some-one/the.course", "v1.0")
    after = dataclasses.replace(before, repository=NEW, ref="v1.0")
    (after.root / "docs" / "hub.md").write_text(f"git clone {PLACEHOLDER}\n")
    (found,) = [problem for problem in review.problems(after, []) if "placeholder" in problem]
    assert found.startswith("docs/hub.md") and NEW in found


@pytest.mark.parametrize("name", ["your_name/loader-lab", "-o/n", "o--p/n", "o", "o/n/x", "o/n x", ""])
def test_what_is_no_repository_is_refused_and_nothing_is_written(course: Course, name: str) -> None:
    before = placed(course)
    files = course.files()
    with pytest.raises(LabError, match="OWNER/NAME"):
        repository.move(before, name, "v1.0")
    assert course.files() == files


def test_a_tag_is_the_default(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["publish", "--help"])
    assert "(default: v0." in capsys.readouterr().out
