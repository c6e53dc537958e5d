"""Lesson 0: this machine, how a lesson works, Dataset and DataLoader from nothing, and honest timing."""

from loaderlab.course import Lesson

LESSON = Lesson(
    name="start_here",
    number=0,
    minutes=35,
    needs={"cores": 2, "ram_gib": 2, "shm_mib": 16, "open_files": 256},
)
