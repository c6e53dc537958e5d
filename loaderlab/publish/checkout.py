"""A checkout, which is a clone from which lessons can be built, and the places in it: folders, files, addresses.

An installed package is none.
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES, mark
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import atomic_write

if TYPE_CHECKING:
    from loaderlab.course import Lesson

ROOT = Path(__file__).resolve().parents[2]  # of the clone, or where the package was installed
EXERCISES, SOLUTIONS = "exercises", "solutions"
KINDS = (EXERCISES, SOLUTIONS)
TRANSLATIONS = tuple(language for language in LANGUAGES if language != "en")
COLAB_BADGE = "https://colab.research.google.com/assets/colab-badge.svg"
OPEN_IN_COLAB = mark("Open in Colab")
# Until its owner sets one: GitHub's names have no underscore, so nobody can take this one and have it installed.
PLACEHOLDER = "https://github.com/your_name/loader-lab"
# OWNER/NAME, as GitHub allows them.
_NAME = r"(?:[A-Za-z0-9]+-)*[A-Za-z0-9]+/(?!\.+(?:git)?(?:/|$))[A-Za-z0-9_.-]+"
_ADDRESS = re.compile(rf"https://github\.com/({_NAME})")
# With a name or a token before the host, which is nobody's business.
_REMOTE = re.compile(
    rf"(?:https://(?:[^@/]+@)?github\.com/|(?:ssh://)?git@github\.com[:/])({_NAME}?)(?:\.git)?/?"
)

# Where the address stands in so many words; notebooks and generated tables get it from pyproject.toml.
_TEXTS = (
    *("pyproject.toml", "CITATION.cff", "*.md", "docs/*.md", "docs/locale/*.po"),
    *(".github/**/*.md", ".github/**/*.yml"),
)


@dataclass(frozen=True)
class Checkout:
    """A checkout of the course and its lessons; ``repository``: its address, ``ref``: branch or tag.

    ``website``: where its pages are published; empty where they are not.
    """

    root: Path
    lessons: tuple[Lesson, ...]
    repository: str
    ref: str
    website: str = ""

    @property
    def package(self) -> Path:
        """The folder of the Python package."""
        return self.root / "loaderlab"

    @property
    def locale(self) -> Path:
        """The folder of the package's own translations."""
        return self.package / "i18n" / "locale"

    @property
    def images(self) -> Path:
        """The folder of the pictures: the English ones, and a folder for each translation below it."""
        return self.root / "images"

    def chosen(self, names: Sequence[str]) -> list[str]:
        """Return the names of lessons, or those of all where there are none; raises :class:`LabError` for one that is no lesson's."""
        from loaderlab import course

        return [course.lesson(name, self.lessons).name for name in names] or [
            one.name for one in self.lessons
        ]

    def diagram(self, name: str, language: str) -> Path:
        """Return the path of a diagram's SVG; its PNG lies beside it."""
        return (self.images if language == "en" else self.images / language) / f"{name}.svg"

    def folder(self, language: str, kind: str) -> Path:
        """Return the folder of the notebooks of that language and kind (a member of ``KINDS``)."""
        if kind == SOLUTIONS:
            return self.root / "solutions" / language
        return self.root / ("notebooks" if language == "en" else f"notebooks_{language}")

    def notebook(self, lesson: Lesson, language: str, kind: str) -> Path:
        """Return the path of a lesson's notebook."""
        return self.folder(language, kind) / f"{lesson.file}.ipynb"

    def texts(self) -> list[Path]:
        """Return the files in which the address stands in so many words."""
        return [path for pattern in _TEXTS for path in sorted(self.root.glob(pattern))]

    def name(self, path: Path) -> str:
        """Return a path as a reader knows it: from the root of the repository, with slashes."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)

    @property
    def has_address(self) -> bool:
        """True if an owner has set the repository's address: ``loaderlab publish``."""
        return self.repository != PLACEHOLDER

    @property
    def project(self) -> str:
        """The repository as GitHub calls it: OWNER/NAME."""
        return self.repository.removeprefix("https://github.com/")

    @property
    def pages(self) -> str:
        """The address of the website: the one that is set, else that of the repository's pages on GitHub; empty without both."""
        owner, _slash, name = self.project.partition("/")
        host = f"{owner.lower()}.github.io"
        path = "" if name.lower() == host else f"{name}/"  # an owner's own pages lie at the top
        return self.website or (f"https://{host}/{path}" if self.has_address else "")

    def colab(self, path: Path) -> str:
        """Return the address at which Colab opens a notebook of the repository; nothing while that has none."""
        if not self.has_address:
            return ""
        return f"https://colab.research.google.com/github/{self.project}/blob/{self.ref}/{self.name(path)}"


def with_notebooks(language: str = "en") -> Checkout | None:
    """Return where the lessons' notebooks are: beside the package, else where we are; None where neither has them."""
    places = (Checkout(root, (), "", "") for root in (ROOT, Path.cwd()))
    return next((each for each in places if any(each.folder(language, EXERCISES).glob("*.ipynb"))), None)


def here() -> Checkout:
    """Return the checkout that this package runs from; raises :class:`LabError` where there is none."""
    from loaderlab import course

    if not (ROOT / "pyproject.toml").is_file():
        raise LabError(
            _(
                "There is no pyproject.toml in {folder}: this package was installed, and a lesson can only "
                "be built from a clone of the repository. Clone it, and run `pip install -e .` in it."
            ).format(folder=ROOT)
        )
    return Checkout(ROOT, tuple(course.lessons()), *address(ROOT / "pyproject.toml"))


def address(pyproject: Path) -> tuple[str, str, str]:
    """Return the repository's address and ref, from ``[project.urls] Repository`` and ``[tool.loaderlab] ref``.

    And that at which its pages are published, from ``[project.urls] Website``; nothing where they are not.
    """
    settings = tomllib.loads(pyproject.read_text("utf-8"))
    urls = settings.get("project", {}).get("urls", {})
    repository = urls.get("Repository", "").rstrip("/").removesuffix(".git")
    ref = settings.get("tool", {}).get("loaderlab", {}).get("ref", "")
    if not (repository == PLACEHOLDER or is_address(repository)) or not ref:
        raise LabError(
            _(
                "{file} gives the repository {repository!r} and the ref {ref!r}. Expected: under "
                '`[project.urls]` a line `Repository = "https://github.com/owner/name"`, and under '
                '`[tool.loaderlab]` a line `ref = "v1.0"` (a tag or a branch). Correct them.'
            ).format(file=pyproject, repository=repository, ref=ref)
        )
    return repository, ref, str(urls.get("Website", ""))


def at_its_remote(checkout: Checkout) -> Checkout:
    """Return the checkout with the address of its remote `origin` and the branch that is checked out: a fork's own.

    As it is where that is no repository on GitHub, or the one that pyproject.toml names, whose owner chose a ref.
    """
    if not (checkout.root / ".git").exists():  # a folder in somebody else's repository
        return checkout
    found = _REMOTE.fullmatch(_git(checkout.root, "remote", "get-url", "origin"))
    if not found or f"https://github.com/{found[1]}".lower() == checkout.repository.lower():
        return checkout
    branch = _git(checkout.root, "symbolic-ref", "-q", "--short", "HEAD")
    ref = branch or _git(checkout.root, "rev-parse", "HEAD")
    return replace(checkout, repository=f"https://github.com/{found[1]}", ref=ref, website="")


def _git(root: Path, *arguments: str) -> str:
    """Return what git says; nothing where it fails, or is not there."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return "" if done.returncode else done.stdout.strip()


def is_address(repository: str) -> bool:
    """Return whether GitHub can have a repository at this address."""
    return bool(_ADDRESS.fullmatch(repository))


def write(path: Path, content: str | bytes) -> bool:
    """Write ``content``, whole or not at all; says whether the file changed. Raises :class:`LabError`."""
    content = content.encode() if isinstance(content, str) else content
    if path.is_file() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write.write(path, content, 0o644)
    return True
