"""A table of how the exercises judge the right and the wrong answers of the bench (tests/helpers/answers.py).

Command: python tools/judges.py [LESSON [EXERCISE]]
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

from answers import Answer, answers, exercises, solution


def fair(answer: Answer) -> bool:
    """Return whether a wrong answer fails exactly the findings meant for it, and a right one none, as far as this machine can judge."""
    found = answer.verdict()
    missed = {
        index
        for index, finding in enumerate(found.findings)
        if not finding.passed and (finding.judged or not answer.right)
    }
    return bool(found.findings) and missed == answer.fails


def main(*wanted: str) -> int:
    chosen = [where for where in exercises() if where[: len(wanted)] == wanted]
    width = max((len(".".join(where)) for where in chosen), default=0)
    print(f"{'exercise':{width}}  right  wrong  judged otherwise")
    unfair = 0
    for where in chosen:
        found = [solution(*where), *answers(*where)]
        others = [answer for answer in found if not fair(answer)]
        unfair += len(others)
        counts = []
        for kind in (True, False):
            every = sum(answer.right == kind for answer in found)
            counts.append(f"{every - sum(answer.right == kind for answer in others)}/{every}")
        names = ", ".join(answer.name for answer in others) or "–"
        print(f"{'.'.join(where):{width}}  {counts[0]:>5}  {counts[1]:>5}  {names}", flush=True)
    return min(unfair, 1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
