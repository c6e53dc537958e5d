"""The course as a whole: which lessons there are, what each is made of, and a day made of them."""

from loaderlab.course.syllabus import Lesson, lesson, lessons

__all__ = ["Lesson", "lesson", "lessons"]
