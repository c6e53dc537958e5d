"""Lesson 0: this machine, how a lesson works, Dataset and DataLoader from nothing, and honest timing."""

from loaderlab.course import Lesson
from loaderlab.i18n.language import mark

LESSON = Lesson(
    name="start_here",
    number=0,
    minutes=27,
    promise=mark("Measure how long your loop waits, and how much a perfect loader could gain."),
    about="this machine, Dataset and DataLoader, wait and compute, the limit",
    needs={"cores": 2, "ram_gib": 2, "shm_mib": 16, "open_files": 256},
)
