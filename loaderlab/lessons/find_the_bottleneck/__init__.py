"""Lesson 8: a slow training script, the tools that say why, and nine repairs."""

from loaderlab.course import Lesson
from loaderlab.i18n.language import mark

LESSON = Lesson(
    name="find_the_bottleneck",
    number=8,
    minutes=27,
    promise=mark("Repair one slow training script, nine times, until it reaches its limit."),
    about="a slow training script, its nine faults, and how far it is from the limit",
    symptom="A slow training script, and no idea why",
    needs={"cores": 2, "ram_gib": 2, "shm_mib": 64, "temporary_mib": 80, "open_files": 256},
    answers=("repaired.py",),
)
