"""The exercises of this lesson: what is expected of the evidence that the probes return."""

from loaderlab.lessons.numbering import probes

from loaderlab.exercises.cases import Cases
from loaderlab.exercises.exercise import Exercise
from loaderlab.i18n.language import mark

INDICES = Cases(probes.INDICES, right=lambda samples: samples - 1 if samples else None)

EXERCISES = (
    Exercise(
        probes.PROBES[0],
        (
            INDICES.criterion(
                mark("The first sample has index 0, and counts"),
                ("two", "ten", "one"),
                mark("The last of two samples has index 1."),
            ),
            INDICES.criterion(
                mark("Without samples there is no last one"),
                ("none",),
                mark("Return `None` where there are no samples."),
            ),
        ),
        difficulty=1,
        minutes=2,
        hints=(mark("Write down the indices of three samples."),),
    ),
)
