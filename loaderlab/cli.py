"""The command ``loaderlab``: COMMANDS says which module each of its commands is."""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES, of_system, use
from loaderlab.i18n.language import translate as _

# name -> what it does, and the module that has ``add_arguments(parser)`` and ``run(options)``. Only the module of the
# command that is called is imported: some need packages that the others can do without.
COMMANDS = {
    "doctor": ("what this machine has, and what that means for each lesson", "loaderlab.teaching.doctor"),
    "begin": ("copy the lessons into a folder of yours, without outputs", "loaderlab.working_copy"),
    "take": ("write one of the scripts to take home into a project of yours", "loaderlab.take"),
    "diagnose": (
        "find out what slows down a DataLoader of yours, and what to change",
        "loaderlab.scripts.diagnose",
    ),
    "agenda": ("propose a timetable for a workshop", "loaderlab.teaching.agenda"),
    "quiz": ("ten questions of the course as a quiz for Moodle", "loaderlab.teaching.quiz"),
    "grade": ("grade the notebooks of a class", "loaderlab.teaching.grading.command"),
    "pool": ("draw what the learners of a class measured in one picture", "loaderlab.teaching.pool"),
    "peers": ("measure the course's recipe beside other loaders, on this machine", "loaderlab.peers.command"),
    "build": (
        "make the notebooks, solutions and diagrams from the lessons' sources",
        "loaderlab.publish.command",
    ),
    "publish": ("set the address of the repository, everywhere", "loaderlab.publish.repository"),
    "site": (
        "make the website from the committed notebooks; `make site` calls it",
        "loaderlab.publish.website",
    ),
    "record": ("run lessons here and keep what their benchmarks measured", "loaderlab.publish.recording"),
}
FOR = {
    "learners": ("doctor", "begin", "take", "diagnose", "peers"),
    "instructors": ("agenda", "grade", "pool", "quiz"),
    "authors": ("build", "publish", "site", "record"),
}
CLONE = ("begin", "quiz", *FOR["authors"])  # need a clone of the repository, and not only the package


def _listed(cloned: bool) -> str:
    """Return the commands by whom they are for; without a clone, those that need one only by their names."""
    lines, width = [], max(20, shutil.get_terminal_size().columns - 2)
    for whom, names in FOR.items():
        here = [name for name in names if cloned or name not in CLONE]
        lines += ["", f"for {whom}:"] if here else []
        lines += [
            textwrap.fill(
                COMMANDS[name][0], width, initial_indent=f"  {name:<10}", subsequent_indent=" " * 12
            )
            for name in here
        ]
    if not cloned:
        more = f"In a clone of the repository there are also: {', '.join(CLONE)}."
        lines += ["", textwrap.fill(more, width)]
    return "\n".join(lines)


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    cloned = (Path(__file__).resolve().parents[1] / "pyproject.toml").is_file()
    parser = argparse.ArgumentParser(
        prog="loaderlab",
        usage="%(prog)s [-h] [--language LANGUAGE] COMMAND ...",
        description=f"Loader Lab: PyTorch data loading, hands on.\n{_listed(cloned)}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--language", choices=LANGUAGES, default=of_system(), help="language of what it says")
    commands = parser.add_subparsers(dest="command", required=True, prog="loaderlab", help=argparse.SUPPRESS)
    # The first one: others may be arguments, as in `take diagnose`.
    called = next((word for word in words if word in COMMANDS), None)
    for name, (about, module) in COMMANDS.items():
        command = commands.add_parser(name, description=about)
        if name == called:
            importlib.import_module(module).add_arguments(command)
    return parser


# The packages whose modules are called otherwise.
DISTRIBUTIONS = {
    "IPython": "ipython",
    "PIL": "pillow",
    "markdown_it": "markdown-it-py",
    "mdit_py_plugins": "mdit-py-plugins",
    "resvg_py": "resvg-py",
}


def _lacking(module: str) -> str:
    return _(
        "This command needs the package {package}, which is not installed in {folder}. Install it there: `python -m pip "
        "install {package}`, or, in a clone of the repository, install everything: `python -m pip install -r requirements.txt -r "
        "requirements-dev.txt`."
    ).format(package=DISTRIBUTIONS.get(module, module), folder=sys.prefix)


def _speak(language: str) -> None:
    """Say everything in this language, or in English where the catalogs cannot be read."""
    try:
        use(language)
    except ModuleNotFoundError as error:
        print(f"loaderlab: in English, since {error.name} is not installed", file=sys.stderr)
        use("en")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    at = words.index("--") if "--" in words else len(words)  # from here on they are those of a user's script
    try:
        options = _parser(words).parse_args(words[:at], argparse.Namespace(arguments=words[at + 1 :]))
        _speak(options.language)
        status = importlib.import_module(COMMANDS[options.command][1]).run(options)
        sys.stdout.flush()
        return status
    except LabError as error:
        print(f"loaderlab: {error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "loaderlab"):
            raise
        print(f"loaderlab: {_lacking(package)}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # `| head` has read enough; what Python still holds must go somewhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
