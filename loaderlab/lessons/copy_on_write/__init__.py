"""Lesson 5: what the workers' copies of a Dataset cost, and how to have none."""

from loaderlab.course import Lesson
from loaderlab.i18n.language import mark

LESSON = Lesson(
    name="copy_on_write",
    number=5,
    minutes=25,
    promise=mark("Watch how reading copies memory, and keep it flat."),
    about="what the copies cost",
    theme="Memory",
    symptom="Memory grows with each epoch and each worker",
    needs={"cores": 2, "ram_gib": 4, "shm_mib": 64, "open_files": 256},
)
