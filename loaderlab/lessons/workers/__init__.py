"""Lesson 1: who loads the data, how many of them, and what that costs."""

from loaderlab.course import Lesson

LESSON = Lesson(
    name="workers",
    number=1,
    minutes=45,
    needs={"cores": 2, "ram_gib": 4, "shm_mib": 64, "open_files": 256},
)
