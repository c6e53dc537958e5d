"""Lesson 2: what pinned memory is, when it pays, and how a copy runs beside the computation."""

from loaderlab.course import Lesson
from loaderlab.i18n.language import mark

LESSON = Lesson(
    name="pin_memory",
    number=2,
    minutes=25,
    promise=mark("Copy a batch to the GPU while it still computes on the one before."),
    about="how a batch reaches the GPU",
    theme="The GPU",
    symptom="Copying to the GPU takes time",
    needs={"cores": 2, "ram_gib": 4},
)
