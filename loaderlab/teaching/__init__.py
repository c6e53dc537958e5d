"""The tools of instructors: look at the machines of a class, plan its day, grade it, and gather what it measured.

A command each: `doctor.py`, `agenda.py`, `pool.py`, and `grading/`: there `command.py` begins, and `grading.py` has
its options; `submission.py` reads, `student.py` tells whose it is, `run.py` grades, `visible_package.py` says what an
answer sees and `limits.py` what it may take, `bubblewrap.py` and `zygote.py` confine it, `judging.py` judges, `override.py` lets the
instructor decide, `report.py`, `feedback.py` and `sheet.py` tell.
"""
