"""Lesson 5: what the workers' copies of a Dataset cost, and how to have none."""

from loaderlab.course import Lesson

LESSON = Lesson(
    name="copy_on_write",
    number=5,
    minutes=45,
    needs={"cores": 2, "ram_gib": 4, "shm_mib": 64, "open_files": 256},
)
