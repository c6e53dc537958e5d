"""The exercises of this lesson: how an answer is run, and what is asked of it."""

from loaderlab.exercises.criterion import Criterion
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.table import Table
from loaderlab.exercises.written import solution

LAST_INDEX = Exercise(
    name="last_index",
    difficulty=1,
    minutes=2,
    table=Table(
        {"two": (2,), "ten": (10,), "one": (1,), "none": (0,)}, right=solution(__file__, "last_index")
    ),
    criteria=(
        Criterion(
            says="The first sample has index 0, and counts",
            cases=("two", "ten", "one"),
            drawn=lambda random: (random.randint(1, 10**6),),
            hint="The last of two samples has index 1.",
        ),
        Criterion(
            says="Without samples there is no last one",
            cases=("none",),
            hint="Return `None` where there are no samples.",
        ),
    ),
)

EXERCISES = (LAST_INDEX,)
