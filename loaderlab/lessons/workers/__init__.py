"""Lesson 1: who loads the data, how many of them, and what that costs."""

from loaderlab.course import Lesson
from loaderlab.i18n.language import mark

LESSON = Lesson(
    name="workers",
    number=1,
    minutes=27,
    promise=mark("Find out how many workers are enough, and what each of them costs."),
    about="who loads, how many, in which order, and what starting them costs",
    symptom="The loop waits, and more workers may or may not help",
    needs={"cores": 2, "ram_gib": 4, "shm_mib": 64, "open_files": 256},
)
