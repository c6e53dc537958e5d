"""Lesson 2: what pinned memory is, when it pays, and how a copy runs beside the computation."""

from loaderlab.course import Lesson

LESSON = Lesson(name="pin_memory", number=2, minutes=40, needs={"cores": 2, "ram_gib": 4})
