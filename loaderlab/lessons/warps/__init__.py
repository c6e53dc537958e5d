"""Lesson 3: warps, tiles and waves, and what a batch size really changes."""

from loaderlab.course import Lesson
from loaderlab.i18n.language import mark

LESSON = Lesson(
    name="warps",
    number=3,
    minutes=27,
    promise=mark("Measure what one more sample costs, and choose a batch size by it."),
    about="which sizes the GPU likes",
    theme="The GPU",
    symptom="Which batch size is good for the GPU?",
    needs={"cores": 2, "ram_gib": 2},
)
