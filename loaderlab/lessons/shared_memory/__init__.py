"""Lesson 4: how batches travel from the workers, and what happens when there is no room for them."""

from loaderlab.course import Lesson
from loaderlab.i18n.language import mark

LESSON = Lesson(
    name="shared_memory",
    number=4,
    minutes=25,
    promise=mark("Explain `Bus error` and `Too many open files`, and cure both."),
    about="how batches leave workers",
    theme="Memory",
    symptom="`bus error`, or a loader that hangs in a container",
    needs={"cores": 2, "ram_gib": 4, "shm_mib": 16, "open_files": 1024},
    answers=("filling.py",),
)
