"""Every solution notebook got full points when it was run, every untouched student notebook none.

The check cells and the score are compared again whenever `pytest --nbval` runs the notebooks.
"""

import json
import re

from loaderlab import course


def outputs(cell):
    return "".join("".join(output.get("data", {}).get("text/plain", "")) for output in cell["outputs"])


def test_points_in_the_stored_outputs(notebook):
    cells = [cell for cell in json.loads(notebook.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    lesson = course.lesson(notebook.stem.split("_", 1)[1])
    solved = "solutions" in notebook.parts
    for exercise in lesson.exercises().values():
        (check,) = [cell for cell in cells if f'lab.check("{exercise.name}"' in "".join(cell["source"])]
        assert f"{exercise.points if solved else 0}/{exercise.points}" in outputs(check).splitlines()[0]
    (score,) = [cell for cell in cells if "".join(cell["source"]) == "lab.score()"]
    top = sum(exercise.points for exercise in lesson.exercises().values())
    assert re.search(rf"{top if solved else 0}/{top}$", outputs(score), re.MULTILINE)
