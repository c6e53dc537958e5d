"""The smallest lesson that the checks of the course accept: `tests/course/test_new_lesson.py` adds it to a copy of the course."""

from loaderlab.course import Lesson
from loaderlab.i18n.language import mark

LESSON = Lesson(
    name="numbering",
    number=99,
    minutes=4,
    promise=mark("Count the samples, and know the last one."),
    about="how many there are",
    theme="Samples",
    symptom="Nobody knows how many samples there are",
    needs={"cores": 1},
)
