"""Lesson 7: which rank sees which sample, and how all of them stay in step."""

from loaderlab.course import Lesson
from loaderlab.i18n.language import mark

LESSON = Lesson(
    name="ddp_sampling",
    number=7,
    minutes=25,
    promise=mark("Say which rank sees which sample, in every epoch, and after a restart too."),
    about="which rank sees what",
    theme="Samples",
    symptom="Several GPUs: who sees which sample?",
    needs={"cores": 2, "ram_gib": 4, "shm_mib": 16, "open_files": 256},
)
