"""The course as a whole: which lessons there are, what each is made of, and a day made of them.

Which lessons there are (`syllabus.py`), what they need of a machine (`needs.py`), what their learners guess
(`prediction.py`; `yardstick.py` judges it, `comparison.py` puts it beside what was measured, with lines by
`sketch.py`) and find out (`question.py`), card and explorer as they are without a front end (`question_card.py`,
`panel.py`), a script whose lines are accused and repaired (`case.py`) with its cards (`case_card.py`), the questions in
full (`asked.py`),
their sections and minutes (`outline.py`), the paths through them, which are lessons to take in the time that one has
(`paths.py`), and their map (`course_map.py`), a day made of them (`timetable.py`).
"""

from loaderlab.course.syllabus import Lesson, lesson, lessons

__all__ = ["Lesson", "lesson", "lessons"]
