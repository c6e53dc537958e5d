"""The part of this package that an answer may see: everything but judges, solutions, texts and rooms upstairs."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import loaderlab
from loaderlab import course
from loaderlab.drawing.font_metrics import WIDTHS

PACKAGE = Path(loaderlab.__file__).resolve().parent
_INSIDE = ("__init__", "kernel", "limits", "guard", "runner", "spawned", "forked", "watch", "zygote")


def pack(folder: Path) -> str:
    """Copy the package to ``folder``/loaderlab; returns a digest of it."""
    answers = {lesson.folder / name for lesson in course.lessons() for name in lesson.answers}
    digest = hashlib.sha256()
    for path in sorted([*PACKAGE.rglob("*.py"), WIDTHS]):
        if path in answers or not _belongs(path.relative_to(PACKAGE)):
            continue
        target = folder / "loaderlab" / path.relative_to(PACKAGE)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        digest.update(path.read_bytes())
    for path in [folder, *folder.rglob("*")]:  # whoever runs the answer must be able to read it
        path.chmod(0o755 if path.is_dir() else 0o644)
    return digest.hexdigest()


def _belongs(path: Path) -> bool:
    top, *_rest = path.parts
    if top == "teaching":
        return path.parent in (Path("teaching"), Path("teaching/grading")) and path.stem in _INSIDE
    return top not in ("publish", "peers", "cli.py", "take.py", "working_copy.py") and (
        top != "lessons" or path.name != "exercises.py"
    )
