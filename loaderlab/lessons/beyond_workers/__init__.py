"""Lesson 9: threads, the GPU that decodes and augments, slots that are registered once, and no loader at all."""

from loaderlab.course import Lesson
from loaderlab.i18n.language import mark

LESSON = Lesson(
    name="beyond_workers",
    number=9,
    minutes=26,
    promise=mark("Find out who is idle, and move work there: to threads, or to the GPU itself."),
    about="threads instead of workers, and what the GPU can do by itself",
    symptom="No cores are left, and the GPU still waits",
    needs={"cores": 2, "ram_gib": 4},
)
