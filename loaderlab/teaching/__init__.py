"""The tools of instructors: look at the machines of a class, plan its day, grade it, and gather what it measured."""
