"""Lesson 3: warps, tiles and waves, and what a batch size really changes."""

from loaderlab.course import Lesson

LESSON = Lesson(name="warps", number=3, minutes=50, needs={"cores": 2, "ram_gib": 2})
