"""The wheel: what it holds, how an index shows it, and what each command does where nothing else is installed."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hatch_build import page
from loaderlab import course
from loaderlab.cli import CLONE, COMMANDS, FOR, main
from loaderlab.course import asked, outline
from loaderlab.drawing import Picture
from loaderlab.i18n.language import LANGUAGES, messages, use
from loaderlab.notebook import diagrams
from one_of_many import every
from places import ROOT

MOST = 1.7e6  # bytes, as CHANGELOG.md says
MAP = "start_here_map"
REPOSITORY = "https://github.com/somebody/loader-lab"
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the wheel brings, in a folder that is no checkout."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


# What it holds.


def test_the_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < MOST


def test_the_wheel_holds_what_the_package_uses(installed: Path) -> None:
    sources = {p.relative_to(ROOT).as_posix() for p in (ROOT / "loaderlab").rglob("*") if p.is_file()}
    expected = {name for name in sources if "__pycache__" not in name}
    pictures = [*ROOT.glob("images/**/*.svg"), *ROOT.glob(f"images/**/{MAP}.png")]
    expected |= {f"loaderlab/{path.relative_to(ROOT).as_posix()}" for path in pictures}
    expected.discard("loaderlab/images/peers.svg")  # only docs/scripts.md shows it
    found = {p.relative_to(installed).as_posix() for p in installed.rglob("*") if p.is_file()}
    about = {name for name in found if name.partition("/")[0].endswith((".dist-info", ".data"))}
    assert found - about == expected
    assert {
        "loaderlab/py.typed",
        "loaderlab/i18n/locale/fr.po",
        "loaderlab/lessons/workers/lesson.md",
    } <= found
    assert any(name.endswith("/etc/jupyter/jupyter_server_config.d/loaderlab.json") for name in about)


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_an_installed_lesson_speaks_as_in_the_checkout(installed: Path, language: str) -> None:
    for lesson in course.lessons():
        there = replace(lesson, folder_root=installed / "loaderlab" / "lessons")
        said = [messages(language, each.folder, prose=False) for each in (lesson, there)]
        assert said[0] == said[1] and said[0]
        assert outline.read(there, language).parts == outline.read(lesson, language).parts
        assert outline.read(there, language).title == outline.read(lesson, language).title


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_installed_diagram_says_and_shows_the_same(
    installed: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    names = sorted(path.stem for path in (installed / "loaderlab" / "images").glob("*.svg"))
    use(language)
    texts = {name: diagrams.diagram(name).text for name in names}
    monkeypatch.setattr(diagrams, "FOLDER", installed / "loaderlab" / "images")
    folder = diagrams.FOLDER if language == "en" else diagrams.FOLDER / language
    for name in names:
        found = diagrams.diagram(name)
        data, _about = found._repr_mimebundle_()
        assert data["text/plain"] == texts[name]
        assert isinstance(found, Picture) == (name == MAP)  # into which points are drawn
        if name != MAP:
            (source,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', data["text/html"])
            assert base64.b64decode(source) == (folder / f"{name}.svg").read_bytes()


# How an index shows it.


@pytest.fixture(scope="module")
def readme() -> str:
    return (ROOT / "README.md").read_text("utf-8")


def test_without_an_address_an_index_shows_no_link_into_nothing(readme: str) -> None:
    shown = page(readme, "", "v1")
    assert len(LINK.findall(readme)) > 50 and LINK.findall(shown) == []
    assert "| A slow script, and no idea where to begin | 8 |" in shown


def test_with_an_address_an_index_shows_whole_links_to_files_that_exist(readme: str) -> None:
    before, after = LINK.findall(readme), LINK.findall(page(readme, REPOSITORY, "v1"))
    assert len(before) == len(after)
    raw = "https://raw.githubusercontent.com/somebody/loader-lab/v1/"
    for (picture, path), (_picture, link) in zip(before, after, strict=True):
        file = ROOT / path.partition("#")[0]
        base = raw if picture else f"{REPOSITORY}/{'tree' if file.is_dir() else 'blob'}/v1/"
        assert file.exists() and link == base + path


def test_what_stands_between_fences_and_whole_links_stay_as_they_are() -> None:
    text = "[a](https://example.org/x) [b](#c)\n```console\n[x](y)\n```\n"
    assert page(text, "", "v1") == page(text, REPOSITORY, "v1") == text


def test_the_metadata_name_no_address_before_there_is_one(installed: Path, settings: dict[str, Any]) -> None:
    (path,) = installed.glob("*.dist-info/METADATA")
    metadata = path.read_text("utf-8")
    assert "your_name" not in metadata
    if "your_name" not in settings["project"]["urls"]["Repository"]:
        assert "\nProject-URL: Repository, " in metadata
    assert "\nLicense-Expression: MIT AND CC-BY-4.0\n" in metadata
    assert "\n# Loader Lab\n" in metadata


def test_cards_have_their_front_end_and_their_questions_in_full(installed: Path) -> None:
    package = installed / "loaderlab"
    assert {"card.js", "explorer.js", "front.css"} <= {
        path.name for path in (package / "notebook" / "front").iterdir()
    }
    for lesson in course.lessons():
        there = replace(lesson, folder_root=package / "lessons")
        for language in LANGUAGES:
            assert asked.predictions(there, language) == asked.predictions(lesson, language) != {}
            assert asked.explorers(there, language) == asked.explorers(lesson, language)


# What each command does where nothing else is installed.


def lacking(settings: dict[str, Any]) -> list[str]:
    """The modules that the package does not bring by what it depends on."""
    brought, left = {"loaderlab"}, [*settings["project"]["dependencies"]]
    while left:
        required = Requirement(left.pop())
        name = canonicalize_name(required.name)
        if name not in brought and (required.marker is None or required.marker.evaluate({"extra": ""})):
            brought.add(name)
            try:
                left += requires(name) or []
            except PackageNotFoundError:  # another build of torch asks for other packages
                continue
    found = packages_distributions().items()
    return [module for module, names in found if not brought & set(map(canonicalize_name, names))]


def call(
    place: Path, folder: Path, settings: dict[str, Any], *arguments: str
) -> subprocess.CompletedProcess[str]:
    """The command with the package that lies in ``place``, called in ``folder``, and what it depends on."""
    environment = os.environ | {
        "LOADERLAB_LACKING": json.dumps(lacking(settings)),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "tests" / "helpers" / "bare"), str(place)]),
    }
    command = [sys.executable, "-m", "loaderlab", "--language", "en", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


CLONE_IT = "Clone it, and run `pip install -e .` in it."
# Each command, and what it says: on stdout where it works, on stderr where it lacks something.
ALONE = {
    "doctor": (["doctor"], "The notebooks of the lessons are not installed; this machine can run ", ""),
    "begin": (["begin", "mine"], "", "Clone the repository, and call `loaderlab begin` from there."),
    "diagnose": (["diagnose", "--help"], "--step", ""),
    "take": (["take", "all", "loading"], "python -m loading.diagnose --help", ""),
    "agenda": (
        ["--language", "fr", "agenda", "--hours", "3"],
        "Leçon 8 Trouver le goulot d’étranglement",
        "",
    ),
    "quiz": (["quiz", "workers"], "", "Clone the repository, and call `loaderlab quiz` from there."),
    "grade": (["grade", ".", "--csv", "grades.csv"], "", 'pip install jupytext tqdm "wcwidth>=0.3"'),
    "pool": (["pool", "."], "", "No notebook holds a measured curve."),
    "peers": (["peers", "--folder", "none"], "", "there is no such folder."),
    "build": (["build"], "", CLONE_IT),
    "publish": (["publish", "--repository", "somebody/loader-lab"], "", CLONE_IT),
    "site": (["site", "website"], "", CLONE_IT),
    "record": (["record"], "", CLONE_IT),
}


def test_each_command_is_tried_and_is_for_somebody() -> None:
    assert set(ALONE) == set(COMMANDS)
    assert sorted(ALONE) == sorted(name for names in FOR.values() for name in names)


def test_the_help_lists_what_works_there(
    installed: Path, tmp_path: Path, settings: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    there, alone = capsys.readouterr().out, call(installed, tmp_path, settings, "--help").stdout
    listed = [set(re.findall(r"^  (\w+)  ", text, re.MULTILINE)) for text in (there, alone)]
    assert listed == [set(COMMANDS), set(COMMANDS) - set(CLONE)]
    assert "for authors:" in there and "for authors:" not in alone
    assert set(CLONE) == {name for name, (_call, _out, problem) in ALONE.items() if "Clone" in problem}
    assert f"In a clone of the repository there are also: {', '.join(CLONE)}." in " ".join(alone.split())


@pytest.mark.parametrize("command", every(5, ALONE))
def test_a_command_works_alone_or_says_what_it_lacks(
    installed: Path, tmp_path: Path, settings: dict[str, Any], command: str
) -> None:
    arguments, out, problem = ALONE[command]
    done = call(installed, tmp_path, settings, *arguments)
    assert "Traceback" not in done.stderr
    assert out in done.stdout and problem in done.stderr, done.stdout + done.stderr
    assert bool(done.stderr) == bool(problem)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["build", "--check", "workers"], "needs the package jupytext, which is not installed"),
        (["record", "workers"], "needs the package jupytext, which is not installed"),
        (["site", "website"], "What makes the website is not installed"),
    ],
)
def test_in_a_clone_a_command_says_what_it_lacks(
    tmp_path: Path, settings: dict[str, Any], arguments: list[str], problem: str
) -> None:
    done = call(ROOT, tmp_path, settings, *arguments)
    assert done.returncode == 1 and problem in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_in_a_clone_lessons_are_begun_without_more_packages(tmp_path: Path, settings: dict[str, Any]) -> None:
    done = call(ROOT, tmp_path, settings, "begin", "mine")
    assert f"new lessons: {len(course.lessons())}" in done.stdout, done.stderr
